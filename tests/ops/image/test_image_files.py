"""Image files beyond what the golden cases compare."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.gif_files import Frame, gif_file

import graphwright as tf

IMAGES = Path(__file__).parents[2] / "golden" / "images"


def picture(height: int, width: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 5, y * 7, x + y], -1).astype(np.uint8)


def test_a_jpeg_file_holds_nearly_the_image_that_was_encoded() -> None:
    image = picture(24, 32)
    read = tf.io.decode_jpeg(tf.io.encode_jpeg(image, quality=100, chroma_downsampling=False))
    assert read.shape == image.shape
    assert np.abs(read.numpy().astype(int) - image).max() <= 4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_a_png_file_holds_the_very_image(dtype: type, channels: int) -> None:
    image = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, (5, 7, channels), dtype)
    read = tf.io.decode_png(tf.io.encode_png(image), dtype=dtype)
    np.testing.assert_array_equal(read.numpy(), image)


@pytest.mark.parametrize("decode", [tf.io.decode_jpeg, tf.io.decode_png, tf.io.decode_bmp])
@pytest.mark.parametrize(("name", "channels"), [("rgb", 3), ("rgba", 4)])
def test_decoders_of_one_image_take_webp_files(decode: Any, name: str, channels: int) -> None:
    file = (IMAGES / f"{name}.webp").read_bytes()
    frames = tf.io.decode_webp(file).numpy()
    assert frames.shape == (1, 13, 17, channels)
    np.testing.assert_array_equal(decode(file), frames[0])
    np.testing.assert_array_equal(decode(file, channels=channels), frames[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels"):
        decode(file, channels=7 - channels)


@pytest.mark.parametrize(
    ("decode", "dtype"), [("png", tf.uint16), ("image", tf.uint16), ("image", tf.float32)]
)
def test_webp_files_have_eight_bits(decode: str, dtype: tf.DType) -> None:
    file = (IMAGES / "rgb.webp").read_bytes()
    with pytest.raises(tf.errors.InvalidArgumentError, match="uint8"):
        getattr(tf.io, f"decode_{decode}")(file, dtype=dtype)


@pytest.mark.parametrize("name", ["rgb.jpg", "gray.png"])
def test_the_decoder_of_webp_files_gives_other_images_as_one_frame(name: str) -> None:
    file = (IMAGES / name).read_bytes()
    np.testing.assert_array_equal(tf.io.decode_webp(file), tf.io.decode_image(file)[None])


def test_a_jpeg_file_gives_sixteen_bits_as_a_png_file_does() -> None:
    file = (IMAGES / "rgb.jpg").read_bytes()
    wide = tf.io.decode_png(file, dtype=tf.uint16).numpy()
    np.testing.assert_array_equal(wide, tf.io.decode_jpeg(file).numpy().astype(np.uint16) << 8)


def test_images_are_decoded_in_a_graph() -> None:
    @tf.function
    def height(file: tf.Tensor) -> tf.Tensor:
        return tf.shape(tf.image.decode_image(file, expand_animations=False))[0]

    assert [int(height((IMAGES / n).read_bytes())) for n in ("rgb.png", "large.jpg")] == [13, 39]


@pytest.mark.parametrize("switch", [False, True])
def test_what_a_cut_jpeg_file_gives_is_its_caller_s_choice(
    switch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pillow has a switch for all files of a process: it stays as it is, and changes nothing."""
    image_file = pytest.importorskip("PIL.ImageFile")
    seen, load = set(), image_file.ImageFile.load

    def watched(image: Any) -> Any:
        seen.add(image_file.LOAD_TRUNCATED_IMAGES)
        return load(image)

    monkeypatch.setattr(image_file, "LOAD_TRUNCATED_IMAGES", switch)
    monkeypatch.setattr(image_file.ImageFile, "load", watched)
    noise = np.random.default_rng(0).integers(0, 256, (64, 48, 3), np.uint8)
    whole = tf.io.encode_jpeg(noise).numpy()
    pixels = tf.io.decode_jpeg(whole).numpy()
    for share in (0.5, 0.9):
        part = whole[: int(len(whole) * share)]
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be decoded"):
            tf.io.decode_jpeg(part)
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be decoded"):
            tf.io.decode_image(part)
        mended = tf.raw_ops.DecodeJpeg(contents=part, try_recover_truncated=True).numpy()
        np.testing.assert_array_equal(mended[:8], pixels[:8])
        np.testing.assert_array_equal(mended[-1, -1], 128)
    assert seen == {switch}


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'graphwright\[image\]'"):
        tf.io.decode_png((IMAGES / "palette.png").read_bytes())


def png_of(width: int, height: int) -> bytes:
    """A PNG file that claims a size, with a few bytes of pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")]
    parts = [len(d).to_bytes(4, "big") + k + d + crc32(k + d) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def crc32(data: bytes) -> bytes:
    """The checksum of a chunk."""
    return zlib.crc32(data).to_bytes(4, "big")


@pytest.mark.parametrize("side", [15_000, 60_000, 2**31 - 1])
def test_a_file_that_claims_too_many_pixels_is_refused(side: int) -> None:
    for decode in (tf.io.decode_png, tf.io.decode_image):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"MAX_IMAGE_PIXELS|decoded"):
            decode(png_of(side, side))


def test_the_frames_of_a_file_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = gif_file((4, 4), [Frame((0, 0), (4, 4), [1] * 16)] * 9)
    assert tf.io.decode_gif(frames).shape == [9, 4, 4, 3]
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 40)
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 frames of 4 by 4 pixels"):
        tf.io.decode_gif(frames)
