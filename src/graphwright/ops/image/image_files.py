"""Images from the bytes of files and back: `tf.io.decode_image` and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.image import image_codecs as files
from graphwright.ops.image.color import convert_image_dtype
from graphwright.ops.math.comparison import equal
from graphwright.ops.strings.strings import substr
from graphwright.ops.strings.text_operands import only, refused, scalar, string
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType, show_dims

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

    def shapes(self, contents: TensorType, crop: Dims | None = None) -> Shapes:
        only(contents, "contents")
        return ((None, None, self.channels or None),)

    def kernel(self, contents: Array) -> Any:
        return self.one_frame(self.decoded(scalar(contents, "contents")))

    def decoded(self, data: bytes, wide: bool = False) -> Array:
        """The pixels, of 16 bits in a PNG file if `wide`; ValueError says what is wrong with the
        file, the channels or the bits."""
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
            return files.decode_gif(data)
        if wide:
            raise ValueError("WebP images can only be decoded to uint8")
        return webp(data, channels)

    def jpeg(self, data: bytes) -> Array:
        """The pixels of a JPEG file."""
        return files.decode_jpeg(data, self.channels)

    def one_frame(self, pixels: Array) -> Any:
        """The only frame of a GIF; ValueError where there are several."""
        if pixels.ndim == 4 and len(pixels) > 1:
            raise ValueError(f"Got {len(pixels)} frames, but animated images can only be decoded "
                             "by tf.io.decode_gif or tf.io.decode_image")  # fmt: skip
        return pixels[0] if pixels.ndim == 4 else pixels


def with_depth(pixels: Array, dtype: np.dtype[Any]) -> Array:
    """Pixels of uint8 or uint16 in a dtype of at least as many bits."""
    return pixels if pixels.dtype == dtype else pixels.astype(dtype) << 8


def webp(data: bytes, channels: int) -> Array:
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
            raise refused(f"ratio must be 1, 2, 4, or 8, got {self.ratio}")
        if self.channels not in (0, 1, 3, 4):
            raise refused(f"channels must be 0, 1, 3 or 4, got {self.channels}")
        if self.dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
            raise refused(
                "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got "
                f"{self.dct_method!r}"
            )
        return self.kernel

    def jpeg(self, data: bytes) -> Array:
        return files.decode_jpeg(data, self.channels, self.ratio, self.try_recover_truncated)


class DecodeJpeg(JpegDecoder):
    """The image in a JPEG file."""

    type_name = "DecodeJpeg"


class DecodeAndCropJpeg(JpegDecoder):
    """The part of the image in a JPEG file that a window (y, x, height, width) shows."""

    type_name = "DecodeAndCropJpeg"
    inputs = ("contents: string", "crop_window: int32 host")
    refused = frozenset({"png", "gif", "bmp", "webp"})

    def shapes(self, contents: TensorType, crop: Dims | None = None) -> Shapes:
        only(contents, "contents")
        height, width = crop[2:] if isinstance(crop, tuple) and len(crop) == 4 else (None, None)
        return ((height, width, self.channels or None),)

    def kernel(self, contents: Array, crop_window: tuple[int, ...] = ()) -> Any:
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

    def kernel(self, contents: Array) -> Any:
        data = scalar(contents, "contents")
        pixels = self.one_frame(self.decoded(data, self.dtype is dt.uint16))
        return with_depth(pixels, self.dtype.numpy_dtype)


class DecodeBmp(ImageDecoder):
    """The image in a BMP file."""

    type_name = "DecodeBmp"
    refused = frozenset({"jpeg", "png", "gif"})

    channels: int = 0


class FramesDecoder(ImageDecoder):
    """A decoder of formats that may hold several frames."""

    def shapes(self, contents: TensorType, crop: Dims | None = None) -> Shapes:
        only(contents, "contents")
        return ((None, None, None, self.channels or None),)

    def kernel(self, contents: Array) -> Any:
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

    def shapes(self, contents: TensorType, crop: Dims | None = None) -> Shapes:
        only(contents, "contents")
        return (None if self.expand_animations else (None, None, self.channels or None),)

    def kernel(self, contents: Array) -> Any:
        data, dtype = scalar(contents, "contents"), self.dtype.numpy_dtype
        pixels = self.decoded(data, self.dtype is not dt.uint8)
        if not self.expand_animations and pixels.ndim == 4:
            pixels = pixels[0]
        if dtype == np.float32:
            return pixels.astype(dtype) * dtype.type(1 / np.iinfo(pixels.dtype).max)
        return with_depth(pixels, dtype)


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

    def kernel(self, contents: Array) -> Any:
        shape = files.jpeg_shape(scalar(contents, "contents"))
        return np.array(shape, self.output_type.numpy_dtype)


# -- writing --------------------------------------------------------------------------------


class JpegEncoder(Op):
    """What the encoders of JPEG files have in common."""

    outputs: ClassVar[tuple[str, ...]] = ("contents: string",)
    gradient = not_differentiable

    def shapes(self, image: TensorType, quality: int | None = None) -> Shapes:
        if image.rank not in (3, None):
            raise ValueError(f"image must be 3-dimensional, not {show_dims(image.dims)}")
        return ((),)

    def written(
        self, image: Array, format: str, options: Mapping[str, object], unit: str = "in"
    ) -> Array:
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
            raise refused(f"format must be '', grayscale or rgb, got {self.format!r}")
        if self.density_unit not in ("in", "cm"):
            raise refused(f"density_unit must be 'in' or 'cm', got {self.density_unit!r}")
        if not 0 <= self.quality <= 100:
            raise refused(f"quality must be in [0,100], got {self.quality}")
        return self.kernel

    def kernel(self, image: Array) -> Any:
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

    def kernel(self, image: Array, quality: int) -> Array:
        return self.written(image, "", {"quality": quality, "subsampling": 2, "dpi": (300, 300)})


# -- the public functions -------------------------------------------------------------------


def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a JPEG file; PNG, WebP and GIF files of one frame too.

    It needs Pillow (the extra `image`). Chroma is always interpolated smoothly, and the transform
    is the accurate one.

    Args:
        contents: A scalar of string: the bytes of the file.
        channels: The channels of the result: 0 (as in the file), 1 (gray) or 3 (RGB).
        ratio: The factor to scale the image down by: 1, 2, 4 or 8.
        fancy_upscaling: Has no effect on the result.
        try_recover_truncated: Whether a file that ends too early is decoded as far as it goes.
        acceptable_fraction: Has no effect on the result.
        dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE"; has no effect on the result.
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [height, width, channels].

    Raises:
        InvalidArgumentError: The file is damaged or of no known format, or an argument is not
            valid.
        ModuleNotFoundError: Pillow is not installed.

    >>> import graphwright as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8))
    >>> tf.io.decode_jpeg(file).shape
    TensorShape([2, 3, 3])
    """
    options = fancy_upscaling, try_recover_truncated, float(acceptable_fraction)
    op = DecodeJpeg.of(channels, ratio, *options, dct_method)
    return apply(op, string(contents), name=name)


def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a window of the image in a JPEG file.

    It needs Pillow (the extra `image`).

    Args:
        contents: A scalar of string: the bytes of the file.
        crop_window: Four ints: the first row, the first column, the height and the width.
        channels: The channels of the result: 0 (as in the file), 1 (gray) or 3 (RGB).
        ratio: The factor to scale the image down by: 1, 2, 4 or 8.
        fancy_upscaling: Has no effect on the result.
        try_recover_truncated: Whether a file that ends too early is decoded as far as it goes.
        acceptable_fraction: Has no effect on the result.
        dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE"; has no effect on the result.
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [height, width, channels].

    Raises:
        InvalidArgumentError: The file is damaged, or the window is not within the image.

    >>> import graphwright as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([4, 4, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(file, [1, 1, 2, 3]).shape
    TensorShape([2, 3, 3])
    """
    options = fancy_upscaling, try_recover_truncated, float(acceptable_fraction)
    op = DecodeAndCropJpeg.of(channels, ratio, *options, dct_method)
    return apply(op, string(contents), crop_window, name=name)


def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = dt.uint8, name: str | None = None
) -> Tensor:
    """Decodes a PNG file of 8 or 16 bits; other formats but BMP too.

    It needs Pillow (the extra `image`).

    Args:
        contents: A scalar of string: the bytes of the file.
        channels: The channels of the result: 0 (as in the file), 1 (gray), 3 (RGB) or 4 (RGBA).
        dtype: The dtype of the result: uint8 or uint16.
        name: A name for the op.

    Returns:
        A tensor of `dtype` of shape [height, width, channels].

    Raises:
        InvalidArgumentError: The file is damaged, or does not have that many channels, or is a WebP
            file and `dtype` is not uint8.

    >>> import graphwright as tf
    >>> file = tf.io.encode_png(tf.constant([[[7], [200]]], tf.uint8))
    >>> tf.io.decode_png(file).numpy().tolist()
    [[[7], [200]]]
    """
    op = DecodePng.of(channels, DecodePng.dtype_for("dtype", dtype))
    return apply(op, string(contents), name=name)


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP file; WebP files of one frame too.

    Args:
        contents: A scalar of string: the bytes of the file.
        channels: The channels of the result: 0 (as in the file), 3 (RGB) or 4 (RGBA).
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [height, width, channels].

    Raises:
        InvalidArgumentError: The file is damaged or of another format.

    >>> import graphwright as tf
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (2, 1), (255, 128, 0)).save(file, "BMP")
    >>> tf.io.decode_bmp(file.getvalue()).numpy().tolist()
    [[[255, 128, 0], [255, 128, 0]]]
    """
    return apply(DecodeBmp.of(channels), string(contents), name=name)


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Decodes all frames of a GIF file; JPEG, PNG and WebP files too.

    It needs Pillow (the extra `image`).

    Args:
        contents: A scalar of string: the bytes of the file.
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [frames, height, width, 3].

    Raises:
        InvalidArgumentError: The file is damaged or of no known format.

    >>> import graphwright as tf
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (2, 1), (255, 0, 0)).save(file, "GIF")
    >>> tf.io.decode_gif(file.getvalue()).numpy().tolist()
    [[[[255, 0, 0], [255, 0, 0]]]]
    """
    return apply(DecodeGif.of(), string(contents), name=name)


def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = dt.uint8, name: str | None = None
) -> Tensor:
    """Decodes all frames of a WebP file; JPEG and PNG files too.

    It needs Pillow (the extra `image`).

    Args:
        contents: A scalar of string: the bytes of the file.
        channels: The channels of the result: 0 (as in the file), 3 (RGB) or 4 (RGBA).
        dtype: The dtype of the result: uint8.
        name: A name for the op.

    Returns:
        A tensor of uint8 of shape [frames, height, width, channels].

    Raises:
        InvalidArgumentError: The file is damaged, or does not have that many channels.

    >>> import graphwright as tf
    >>> import io
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (2, 1), (255, 0, 0)).save(file, "WEBP", lossless=True)
    >>> tf.image.decode_webp(file.getvalue()).numpy().tolist()
    [[[[255, 0, 0], [255, 0, 0]]]]
    """
    op = DecodeWebP.of(channels, DecodeWebP.dtype_for("dtype", dtype))
    return apply(op, string(contents), name=name)


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dt.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Decodes a file in any of the formats JPEG, PNG, GIF, BMP and WebP.

    It needs Pillow (the extra `image`).

    Args:
        contents: A scalar of string: the bytes of the file.
        channels: The channels of the result, as the format allows. None and 0 mean those of the
            file.
        dtype: The dtype of the result. Floats span [0, 1], integers 0 to their maximum.
        name: A name for the op.
        expand_animations: Whether GIF and WebP files give an axis of frames. Otherwise the result
            is their first frame.

    Returns:
        A tensor of `dtype` of shape [height, width, channels], or [frames, height, width,
        channels].

    Raises:
        InvalidArgumentError: The file is damaged or of no known format.

    >>> import graphwright as tf
    >>> file = tf.io.encode_png(tf.constant([[[0], [255]]], tf.uint8))
    >>> tf.io.decode_image(file, dtype=tf.float32).numpy().tolist()
    [[[0.0], [1.0]]]
    """
    wanted = as_dtype(dtype)
    kind = wanted if wanted in DecodeImage.dtypes["dtype"] else dt.uint16
    op = DecodeImage.of(channels or 0, kind, expand_animations)
    image = apply(op, string(contents), name=name)
    return image if kind is wanted else convert_image_dtype(image, wanted)


def encode_jpeg(
    image: TensorLike,
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
) -> Tensor:
    r"""Encodes an image as a JPEG file.

    It needs Pillow (the extra `image`).

    Args:
        image: A tensor of uint8 of shape [height, width, 1 or 3].
        format: "grayscale", "rgb", or "" for what the channels of `image` say.
        quality: An int in [0, 100].
        progressive: Whether the file is progressive.
        optimize_size: Whether more work makes the file smaller.
        chroma_downsampling: Whether chroma has half the resolution.
        density_unit: The unit of `x_density` and `y_density`: "in" (an inch) or "cm".
        x_density: The horizontal number of pixels in a unit.
        y_density: The vertical number of pixels in a unit.
        xmp_metadata: The XMP metadata of the file, if not empty.
        name: A name for the op.

    Returns:
        A scalar of string: the bytes of the file.

    Raises:
        InvalidArgumentError: The shape of `image`, `format`, `quality` or `density_unit` is not
            valid.
        ModuleNotFoundError: Pillow is not installed.

    >>> import graphwright as tf
    >>> tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8)).numpy()[:3]
    b'\xff\xd8\xff'
    """
    op = EncodeJpeg.of(
        format, quality, progressive, optimize_size, chroma_downsampling,
        density_unit, x_density, y_density, xmp_metadata,
    )  # fmt: skip
    return apply(op, convert(image, hint=dt.uint8), name=name)


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dt.int32, name: str | None = None
) -> Tensor:
    """Reads the height, the width and the channels of a JPEG file from its header.

    Args:
        contents: A scalar of string: the bytes of the file.
        output_type: The dtype of the result: int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of `output_type` of shape [3].

    Raises:
        InvalidArgumentError: The file has no frame header.

    >>> import graphwright as tf
    >>> file = tf.io.encode_jpeg(tf.zeros([2, 3, 1], tf.uint8))
    >>> tf.io.extract_jpeg_shape(file).numpy().tolist()
    [2, 3, 1]
    """
    op = ExtractJpegShape.of(ExtractJpegShape.dtype_for("output_type", output_type))
    return apply(op, string(contents), name=name)


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    r"""Tells whether the bytes of a file begin as those of JPEG files do.

    Args:
        contents: A tensor of strings, usually a scalar.
        name: A name for the op.

    Returns:
        A tensor of bool of the shape of `contents`.

    >>> import graphwright as tf
    >>> tf.io.is_jpeg(b"\xff\xd8\xff\xe0").numpy(), tf.io.is_jpeg(b"PNG").numpy()
    (np.True_, np.False_)
    """
    return equal(substr(string(contents), 0, 3), b"\xff\xd8\xff")


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """Encodes an image as a JPEG file of some quality and decodes it again.

    It needs Pillow (the extra `image`).

    Args:
        image: A tensor of floats in [0, 1] or of integers, of shape [height, width, 1 or 3].
        jpeg_quality: An int or int32 scalar in [0, 100].
        dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE"; has no effect on the result.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        InvalidArgumentError: `jpeg_quality` or the shape of `image` is not valid.

    >>> import graphwright as tf
    >>> tf.image.adjust_jpeg_quality(tf.zeros([1, 2, 1]), 50).numpy().tolist()
    [[[0.0], [0.0]]]
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
