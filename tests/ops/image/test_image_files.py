"""Image files beyond what the golden cases compare."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

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


def test_images_are_decoded_in_a_graph() -> None:
    @tf.function
    def height(file: tf.Tensor) -> tf.Tensor:
        return tf.shape(tf.image.decode_image(file, expand_animations=False))[0]

    assert [int(height((IMAGES / n).read_bytes())) for n in ("rgb.png", "large.jpg")] == [13, 39]


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'graphwright\[image\]'"):
        tf.io.decode_jpeg((IMAGES / "rgb.jpg").read_bytes())
