"""Images in files of JPEG, PNG, GIF, BMP and WebP as arrays, and arrays as JPEG files.

Pillow does the work (the extra `image`); it is imported when first needed. What it cannot do,
colours of 16 bits in PNG files and BMP as TensorFlow reads it, is done here. Where simplejpeg is
installed, it decodes sound JPEG files without Pillow: the same pixels of the same library.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.ops.image import gif, png_writer
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

#: What a JPEG file ends with, as often as a decoder may take it for other bytes that are missing.
JPEG_END = b"\xff\xd9" * 512
#: Pillow's number, before a program changes it.
_MOST_PIXELS = (1 << 30) // 4 // 3
SIGNATURES = {"jpeg": b"\xff\xd8\xff", "png": b"\x89PNG", "gif": b"GIF8", "bmp": b"BM"}
#: The weights of red, green and blue in gray, of 32768, as libpng takes them.
LUMA = np.array([9798, 19235, 3735])


def kind_of(data: bytes) -> str | None:
    """The format of a file, by how it begins."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for kind, start in SIGNATURES.items() if data.startswith(start)), None)


def pillow() -> Any:
    """Pillow's `Image`; ModuleNotFoundError says how to get it."""
    try:
        from PIL import Image
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Image files are read and written by Pillow: pip install 'graphwright[image]'"
        ) from error
    return Image


class WholeFile(io.BytesIO):
    """The bytes of a file. Once `has_end` is set, an OSError says that there are no more.

    Otherwise Pillow asks a switch of the whole process what to do, which is the program's.
    """

    has_end = False

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if self.has_end and not data:
            raise OSError("image file is truncated")
        return data


def opened(data: bytes) -> Picture:
    """A file as Pillow sees it; ValueError where it is damaged."""
    image_class = pillow()
    try:
        picture: Picture = image_class.open(WholeFile(data))
        check_pixels(*picture.size)
        return picture
    except (OSError, SyntaxError) as error:
        raise ValueError(f"the image cannot be decoded: {error}") from error
    except image_class.DecompressionBombError as error:
        raise ValueError(f"the image cannot be decoded: {error} {_LIMIT}") from error


def decode_jpeg(data: bytes, channels: int, ratio: int = 1, truncated: bool = False) -> Array:
    """A JPEG file as [height, width, channels], scaled down by `ratio` (1, 2, 4 or 8).

    Where it may be `truncated`, what it lacks is gray.
    """
    if ratio == 1 and not truncated and (pixels := decode_sound_jpeg(data, channels)) is not None:
        return pixels
    image: Any = opened(data + JPEG_END if truncated else data)
    image.fp.has_end = True
    mode = {0: "L" if image.mode == "L" else "RGB", 1: "L", 3: "RGB"}[channels]
    width, height = image.size
    image.draft(mode, (max(width // ratio, 1), max(height // ratio, 1)))
    return stacked(loaded(image, mode))


def decode_sound_jpeg(data: bytes, channels: int) -> Array | None:
    """The same by simplejpeg; None for what is left to Pillow: damage, warnings, other colours."""
    if not has_simplejpeg():
        return None
    import simplejpeg

    most = most_pixels()
    try:
        height, width, colours, _ = simplejpeg.decode_jpeg_header(data)
        if colours not in ("Gray", "YCbCr") or (most is not None and width * height > most):
            return None
        is_gray = channels == 1 or (channels == 0 and colours == "Gray")
        pixels: Array = simplejpeg.decode_jpeg(data, "GRAY" if is_gray else "RGB")
    except ValueError:
        return None
    return pixels


def most_pixels() -> int | None:
    """The most pixels of an image: Pillow's number, which no program changes without its import."""
    module = sys.modules.get("PIL.Image")
    return _MOST_PIXELS if module is None else module.MAX_IMAGE_PIXELS


@functools.cache
def has_simplejpeg() -> bool:
    """Whether simplejpeg is installed."""
    return importlib.util.find_spec("simplejpeg") is not None


def loaded(image: Picture, mode: str) -> Array:
    """The pixels in a mode; ValueError where they are damaged."""
    try:
        return np.asarray(image if image.mode == mode else image.convert(mode))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"the image cannot be decoded: {error}") from error


def stacked(pixels: Array) -> Array:
    """Pixels with an axis of channels."""
    return pixels[..., None] if pixels.ndim == 2 else pixels


def decode_png(data: bytes, channels: int, wide: bool = False) -> Array:
    """A PNG file as [height, width, channels], of uint8, or of uint16 if `wide`."""
    header = png_writer.header_of(data)
    if header.bits == 16:
        pixels = png_writer.decode_wide(data, header)
    else:
        image = opened(data)
        clear = "transparency" in image.info
        modes = {"1": "L", "P": "RGBA" if clear else "RGB", "RGB": "RGBA" if clear else "RGB"}
        pixels = stacked(loaded(image, modes.get(image.mode, image.mode)))
    pixels = with_channels(pixels, channels, 2**header.bits - 1)
    if wide:
        return pixels if pixels.dtype == np.uint16 else pixels * np.uint16(257)
    return pixels if pixels.dtype == np.uint8 else (pixels >> 8).astype(np.uint8)


def with_channels(pixels: Array, channels: int, opaque: int = 255) -> Array:
    """Pixels with another number of channels: gray or colours, without alpha or with `opaque`."""
    have = pixels.shape[-1]
    if channels in (0, have):
        return pixels
    shown, alpha = pixels[..., : have - (have + 1) % 2], pixels[..., have - (have + 1) % 2 :]
    if channels >= 3 and shown.shape[-1] == 1:
        shown = np.repeat(shown, 3, -1)
    elif channels < 3 and shown.shape[-1] == 3:
        half = 0 if pixels.dtype == np.uint8 else 2**14  # libpng rounds wide colours only
        gray = (shown.astype(np.int64) @ LUMA[:, None] + half) >> 15
        shown = gray.astype(pixels.dtype)
    if channels % 2:
        return shown
    if not alpha.shape[-1]:
        alpha = np.full((*pixels.shape[:-1], 1), opaque, pixels.dtype)
    return np.concatenate([shown, alpha], -1)


def check_pixels(width: int, height: int, frames: int = 1) -> None:
    """ValueError for more pixels than Pillow takes from a file, all frames together."""
    most = pillow().MAX_IMAGE_PIXELS
    if most is not None and width * height * frames > 2 * most:
        raise ValueError(
            f"the image cannot be decoded: {frames} frames of {width} by {height} pixels are more "
            f"than {2 * most}. {_LIMIT}"
        )


_LIMIT = "PIL.Image.MAX_IMAGE_PIXELS is half of the limit: a greater one, or None, lets them pass."


def decode_gif(data: bytes) -> Array:
    """The frames of a GIF file as [frames, height, width, 3]."""

    def decode(file: bytes) -> tuple[Array, Array]:
        image = opened(file)
        return loaded(image, image.mode), loaded(image, "RGB")

    return gif.composed(gif.frames_of(data), decode, check_pixels)


def decode_frames(data: bytes, mode: str = "RGB") -> Array:
    """The frames of a WebP file as [frames, height, width, channels]."""
    image = opened(data)
    check_pixels(*image.size, getattr(image, "n_frames", 1))
    frames = []
    for i in range(getattr(image, "n_frames", 1)):
        image.seek(i)
        frames.append(loaded(image, mode))
    return np.stack(frames)


def decode_bmp(data: bytes, channels: int) -> Array:
    """A BMP file as [height, width, channels], its bytes as they are: no palette is applied."""
    if len(data) < 32:
        raise ValueError(f"Incomplete bmp content, requires at least 32 bytes, got {len(data)}")
    start, (width, height) = number(data, 10), (number(data, 18), number(data, 22))
    have = int.from_bytes(data[28:30], "little") // 8
    if have not in (1, 3, 4):
        raise ValueError(f"Number of channels inherent in the image must be 1, 3 or 4, was {have}")
    stride = (width * have + 3) // 4 * 4
    need = stride * abs(height)
    if start < 0 or width < 0 or len(data) < start + need - (stride - width * have):
        raise ValueError(f"Incomplete bmp content, requires at least {start + need} bytes")
    rows = np.frombuffer(data[start : start + need].ljust(need, b"\0"), np.uint8)
    pixels = rows.reshape(abs(height), stride)[:, : width * have]
    pixels = pixels.reshape(abs(height), width, have)
    if height > 0:  # from the bottom up
        pixels = pixels[::-1]
    if have > 1:
        pixels = pixels[..., [2, 1, 0, 3][:have]]
    return with_channels(np.ascontiguousarray(pixels), channels)


def number(data: bytes, place: int) -> int:
    """A little-endian integer of 32 bits."""
    return int.from_bytes(data[place : place + 4], "little", signed=True)


def encode_jpeg(pixels: Array, options: Mapping[str, object], unit: str = "in") -> bytes:
    """An image [height, width, channels] of uint8 as a JPEG file.

    The options are Pillow's; the numbers of its `dpi` may be per centimetre.
    """
    image_class = pillow()
    gray = pixels.shape[-1] == 1
    left_out = {"subsampling"} if gray else set()
    options = {k: v for k, v in options.items() if v is not None and k not in left_out}
    file = io.BytesIO()
    shown = np.ascontiguousarray(pixels[..., 0] if gray else pixels)
    image_class.fromarray(shown).save(file, "JPEG", **options)
    data = file.getvalue()
    return data if unit == "in" else data[:13] + b"\2" + data[14:]


def jpeg_shape(data: bytes) -> tuple[int, int, int]:
    """Height, width and channels of a JPEG file, from its header alone."""
    place = 2
    while place + 9 < len(data):
        if data[place] != 0xFF:
            break
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = data[place + 5 : place + 7], data[place + 7 : place + 9]
            return int.from_bytes(height, "big"), int.from_bytes(width, "big"), data[place + 9]
        place += 1 if marker == 0xFF else 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    raise ValueError("Invalid JPEG data: no frame header")
