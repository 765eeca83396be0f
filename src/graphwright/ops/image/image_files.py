"""Images from the bytes of files and back: `tf.io.decode_image` and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.image import image_codecs as files
from graphwright.ops.image.color import convert_image_dtype
from graphwright.ops.io.raw_bytes import only
from graphwright.ops.strings.strings import scalar, string, substr
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, show_dims

#: How many channels may be asked for; 0 are as many as there are.
CHANNELS = {
    "jpeg": (0, 1, 3),
    "png": (0, 1, 3, 4),
    "gif": (0, 3),
    "bmp": (0, 3, 4),
    "webp": (0, 3, 4),
}

# -- reading --------------------------------------------------------------------------------


class ImageDecoder(Op, fields=False):
    """The image in a file of any of the formats that the op accepts."""

    inputs: ClassVar[tuple[str, ...]] = ("contents: string",)
    outputs: ClassVar[tuple[str, ...]] = ("image: uint8",)
    gradient = not_differentiable
    #: The formats that the op does not read.
    refused: ClassVar[frozenset[str]] = frozenset({"bmp"})

    channels: int = 0

    def shapes(self, contents: TensorType, crop: Any = None) -> Shapes:
        only(contents, "contents")
        return ((None, None, self.channels or None),)

    def kernel(self, contents: Any) -> Any:
        return self.one_frame(self.decoded(scalar(contents, "contents")))

    def decoded(self, data: bytes, wide: bool = False) -> Any:
        """The pixels; ValueError says what is wrong with the file or with the channels."""
        kind, channels = files.kind_of(data), self.channels
        if kind is None or kind in self.refused:
            raise ValueError(
                f"Unknown image file format for {self.type_name}: {kind or 'none of'} JPEG, PNG, "
                "GIF, BMP, WebP required"
                if kind is None
                else f"Trying to decode {kind.upper()} format using a wrong op: {self.type_name}"
            )
        if channels not in CHANNELS[kind]:
            raise ValueError(f"{kind.upper()} images do not have {channels} channels")
        if kind == "jpeg":
            return self.jpeg(data)
        if kind == "png":
            return files.decode_png(data, channels, wide)
        if kind == "bmp":
            return files.decode_bmp(data, channels)
        if kind == "gif":
            return files.decode_frames(data)
        return webp(data, channels)

    def jpeg(self, data: bytes) -> Any:
        """The pixels of a JPEG file."""
        return files.decode_jpeg(data, self.channels)

    def one_frame(self, pixels: Any) -> Any:
        """The only frame of a GIF; ValueError where there are several."""
        if pixels.ndim == 4 and len(pixels) > 1:
            raise ValueError(f"Got {len(pixels)} frames, but animated images can only be decoded "
                             "by tf.io.decode_gif or tf.io.decode_image")  # fmt: skip
        return pixels[0] if pixels.ndim == 4 else pixels


def webp(data: bytes, channels: int) -> Any:
    """The frames of a WebP file; ValueError where its channels are not those asked for."""
    mode = files.opened(data).mode
    if channels not in (0, len(mode)):
        raise ValueError(f"WebP channels attribute {channels} does not match the image's {mode}")
    return files.decode_frames(data, mode)


class JpegDecoder(ImageDecoder):
    """What the decoders of JPEG files have in common; chroma is always interpolated smoothly."""

    channels: int = 0
    ratio: int = 1
    fancy_upscaling: bool = True
    try_recover_truncated: bool = False
    acceptable_fraction: float = 1.0
    dct_method: str = ""

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.ratio not in (1, 2, 4, 8):
            raise wrong(f"ratio must be 1, 2, 4, or 8, got {self.ratio}")
        if self.channels not in (0, 1, 3, 4):
            raise wrong(f"channels must be 0, 1, 3 or 4, got {self.channels}")
        if self.dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
            raise wrong(
                "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got "
                f"{self.dct_method!r}"
            )
        return self.kernel

    def jpeg(self, data: bytes) -> Any:
        return files.decode_jpeg(data, self.channels, self.ratio, self.try_recover_truncated)


class DecodeJpeg(JpegDecoder):
    """The image in a JPEG file."""

    type_name = "DecodeJpeg"


class DecodeAndCropJpeg(JpegDecoder):
    """The part of the image in a JPEG file that a window (y, x, height, width) shows."""

    type_name = "DecodeAndCropJpeg"
    inputs = ("contents: string", "crop_window: int32 host")

    def shapes(self, contents: TensorType, crop: Any = None) -> Shapes:
        only(contents, "contents")
        height, width = crop[2:] if isinstance(crop, tuple) and len(crop) == 4 else (None, None)
        return ((height, width, self.channels or None),)

    def kernel(self, contents: Any, crop_window: Any = ()) -> Any:
        pixels = super().kernel(contents)
        if np.shape(crop_window) != (4,):
            raise ValueError(f"crop_window must be of 4 numbers, got {crop_window}")
        y, x, height, width = crop_window
        rows, columns = pixels.shape[:2]
        fits = min(y, x) >= 0 and 0 < height <= rows - y and 0 < width <= columns - x
        if not fits:
            raise ValueError(f"Invalid crop window {crop_window} of an image {rows} x {columns}")
        return pixels[y : y + height, x : x + width]


class DecodePng(ImageDecoder):
    """The image in a PNG file, of 8 or 16 bits."""

    type_name = "DecodePng"
    outputs = ("image: dtype",)
    dtypes = {"dtype": frozenset({dt.uint8, dt.uint16})}

    channels: int = 0
    dtype: DType = dt.uint8

    def kernel(self, contents: Any) -> Any:
        data = scalar(contents, "contents")
        pixels = self.one_frame(self.decoded(data, self.dtype is dt.uint16))
        if pixels.dtype == self.dtype.numpy_dtype:
            return pixels
        raise ValueError(f"Only PNG images can be decoded to {self.dtype.name}")


class DecodeBmp(ImageDecoder):
    """The image in a BMP file."""

    type_name = "DecodeBmp"
    refused = frozenset({"jpeg", "png", "gif"})

    channels: int = 0

    def kernel(self, contents: Any) -> Any:
        return self.decoded(scalar(contents, "contents"))


class FramesDecoder(ImageDecoder):
    """A decoder of formats that may hold several frames."""

    def shapes(self, contents: TensorType, crop: Any = None) -> Shapes:
        only(contents, "contents")
        return ((None, None, None, self.channels or None),)

    def kernel(self, contents: Any) -> Any:
        pixels = self.decoded(scalar(contents, "contents"))
        return pixels if pixels.ndim == 4 else pixels[None]


class DecodeGif(FramesDecoder):
    """The frames in a GIF file."""

    type_name = "DecodeGif"
    channels = 3


class DecodeWebP(FramesDecoder):
    """The frames in a WebP file."""

    type_name = "DecodeWebP"
    outputs = ("image: dtype",)
    dtypes = {"dtype": frozenset({dt.uint8})}
    refused = frozenset({"bmp", "gif"})

    channels: int = 0
    dtype: DType = dt.uint8


class DecodeImage(ImageDecoder):
    """The image, or the frames, in a file of any format."""

    type_name = "DecodeImage"
    outputs = ("image: dtype",)
    dtypes = {"dtype": frozenset({dt.uint8, dt.uint16, dt.float32})}
    refused = frozenset()

    channels: int = 0
    dtype: DType = dt.uint8
    expand_animations: bool = True

    def shapes(self, contents: TensorType, crop: Any = None) -> Shapes:
        only(contents, "contents")
        return (None if self.expand_animations else (None, None, self.channels or None),)

    def kernel(self, contents: Any) -> Any:
        data, dtype = scalar(contents, "contents"), self.dtype.numpy_dtype
        pixels = self.decoded(data, self.dtype is not dt.uint8)
        if not self.expand_animations and pixels.ndim == 4:
            pixels = pixels[0]
        if pixels.dtype == dtype:
            return pixels
        if dtype == np.uint16:
            return pixels.astype(dtype) << 8
        return pixels.astype(dtype) * dtype.type(1 / np.iinfo(pixels.dtype).max)


class ExtractJpegShape(Op):
    """Height, width and channels of a JPEG file."""

    type_name = "ExtractJpegShape"
    inputs = ("contents: string",)
    outputs = ("image_shape: output_type",)
    dtypes = {"output_type": dt.INDEX}
    gradient = not_differentiable

    output_type: DType = dt.int32

    def shapes(self, contents: TensorType) -> Shapes:
        only(contents, "contents")
        return ((3,),)

    def kernel(self, contents: Any) -> Any:
        shape = files.jpeg_shape(scalar(contents, "contents"))
        return np.array(shape, self.output_type.numpy_dtype)


# -- writing --------------------------------------------------------------------------------


class JpegEncoder(Op):
    """What the encoders of JPEG files have in common."""

    outputs: ClassVar[tuple[str, ...]] = ("contents: string",)
    gradient = not_differentiable

    def shapes(self, image: TensorType, quality: Any = None) -> Shapes:
        if image.rank not in (3, None):
            raise ValueError(f"image must be 3-dimensional, not {show_dims(image.dims)}")
        return ((),)

    def written(self, image: Any, format: str, options: dict[str, Any], unit: str = "in") -> Any:
        """The file; ValueError where the image, its channels or the quality do not fit."""
        if np.ndim(image) != 3:
            raise ValueError(f"image must be 3-dimensional, not {show_dims(np.shape(image))}")
        channels = {"grayscale": (1,), "rgb": (3,), "": (1, 3)}[format]
        if image.shape[-1] not in channels:
            raise ValueError(f"image must have {channels} channels, got {image.shape[-1]}")
        if not image.size:
            raise ValueError("JPEG encoding failed: the image is empty")
        quality = options["quality"]
        if type(quality) is not int or not 0 <= quality <= 100:
            raise ValueError(f"quality must be in [0,100], got {quality}")
        return np.array(files.encode_jpeg(image, options, unit), object)


class EncodeJpeg(JpegEncoder):
    """An image as a JPEG file."""

    type_name = "EncodeJpeg"
    inputs = ("image: uint8",)

    format: str = ""
    quality: int = 95
    progressive: bool = False
    optimize_size: bool = False
    chroma_downsampling: bool = True
    density_unit: str = "in"
    x_density: int = 300
    y_density: int = 300
    xmp_metadata: str = ""

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if self.format not in ("", "grayscale", "rgb"):
            raise wrong(f"format must be '', grayscale or rgb, got {self.format!r}")
        if self.density_unit not in ("in", "cm"):
            raise wrong(f"density_unit must be 'in' or 'cm', got {self.density_unit!r}")
        if not 0 <= self.quality <= 100:
            raise wrong(f"quality must be in [0,100], got {self.quality}")
        return self.kernel

    def kernel(self, image: Any) -> Any:
        options = {
            "quality": self.quality,
            "progressive": self.progressive,
            "optimize": self.optimize_size,
            "subsampling": 2 if self.chroma_downsampling else 0,
            "dpi": (self.x_density, self.y_density),
            "xmp": self.xmp_metadata.encode() or None,
        }
        return self.written(image, self.format, options, self.density_unit)


class EncodeJpegVariableQuality(JpegEncoder):
    """An image as a JPEG file of a quality that is an operand."""

    type_name = "EncodeJpegVariableQuality"
    inputs = ("images: uint8", "quality: int32 host")

    def kernel(self, image: Any, quality: Any) -> Any:
        return self.written(image, "", {"quality": quality, "subsampling": 2, "dpi": (300, 300)})


def wrong(message: str) -> InvalidArgumentError:
    """What is wrong with an op's attributes."""
    return InvalidArgumentError(None, None, message)


# -- the public functions -------------------------------------------------------------------


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """The image in a JPEG file as uint8 [height, width, channels].

    `channels` is 0 (as in the file), 1 or 3; `ratio` 1, 2, 4 or 8 scales it down.
    `fancy_upscaling` and `dct_method` have no effect: chroma is interpolated smoothly, the
    transform is the accurate one. PNG, GIF of one frame and WebP files are read too. Needs
    Pillow (the extra `image`); InvalidArgumentError where the file is damaged.
    """
    options = bool(fancy_upscaling), bool(try_recover_truncated), float(acceptable_fraction)
    op = DecodeJpeg.of(channels, ratio, *options, dct_method)
    return apply(op, string(contents), name=name)


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Any:
    """The part of the image in a JPEG file that `crop_window` (y, x, height, width) shows."""
    options = bool(fancy_upscaling), bool(try_recover_truncated), float(acceptable_fraction)
    op = DecodeAndCropJpeg.of(channels, ratio, *options, dct_method)
    return apply(op, string(contents), crop_window, name=name)


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = dt.uint8, name: str | None = None
) -> Any:
    """The image in a PNG file as uint8 or uint16 [height, width, channels]."""
    op = DecodePng.of(channels, DecodePng.dtype_for("dtype", dtype))
    return apply(op, string(contents), name=name)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Any:
    """The image in a BMP file as uint8 [height, width, channels]."""
    return apply(DecodeBmp.of(channels), string(contents), name=name)


def decode_gif(contents: Any, name: str | None = None) -> Any:
    """The frames in a GIF file as uint8 [frames, height, width, 3]."""
    return apply(DecodeGif.of(), string(contents), name=name)


def decode_webp(
    contents: Any, channels: int = 0, dtype: Any = dt.uint8, name: str | None = None
) -> Any:
    """The frames in a WebP file as uint8 [frames, height, width, channels]; JPEG or PNG too."""
    op = DecodeWebP.of(channels, DecodeWebP.dtype_for("dtype", dtype))
    return apply(op, string(contents), name=name)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dt.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """The image in a file of any format: JPEG, PNG, GIF, BMP or WebP.

    Frames of GIF and WebP files are an axis in front, unless `expand_animations` is False: then
    the first is taken. `dtype` is uint8, uint16 or float32 (from 0 to 1), or another to which the
    last is converted.
    """
    wanted = as_dtype(dtype)
    kind = wanted if wanted in DecodeImage.dtypes["dtype"] else dt.uint16
    op = DecodeImage.of(channels or 0, kind, bool(expand_animations))
    image = apply(op, string(contents), name=name)
    return image if kind is wanted else convert_image_dtype(image, wanted)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Any:
    """An image, uint8 [height, width, 1 or 3], as a JPEG file. Needs Pillow (the extra `image`)."""
    op = EncodeJpeg.of(
        format, quality, bool(progressive), bool(optimize_size), bool(chroma_downsampling),
        density_unit, x_density, y_density, xmp_metadata,
    )  # fmt: skip
    return apply(op, convert(image, hint=dt.uint8), name=name)


def extract_jpeg_shape(contents: Any, output_type: Any = dt.int32, name: str | None = None) -> Any:
    """Height, width and channels of a JPEG file, from its header alone."""
    op = ExtractJpegShape.of(ExtractJpegShape.dtype_for("output_type", output_type))
    return apply(op, string(contents), name=name)


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Whether a file begins as JPEG files do."""
    return substr(string(contents), 0, 3) == b"\xff\xd8\xff"


def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Any:
    """What an image becomes by being written as a JPEG file of a quality from 0 to 100 and read.

    It keeps its dtype; floats are from 0 to 1.
    """
    x = convert(image)
    file = apply(
        EncodeJpegVariableQuality.of(),
        convert_image_dtype(x, dt.uint8, saturate=True),
        jpeg_quality,
    )
    channels = (x.type.dims or (None,))[-1] or 0
    read = decode_jpeg(file, channels=channels, dct_method=dct_method)
    return convert_image_dtype(read, x.dtype, saturate=True)
