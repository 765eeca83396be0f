"""Boxes of images are cut out by machine code to the bits that NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.ops.image import crop_and_resize, interpolation_code

BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0.2, 0.1, 0.7, 0.9],
        [0.9, 1, 0.1, 0],  # upside down
        [-0.3, 0.5, 0.4, 1.7],
        [0.5, 0.5, 0.5, 0.5],
        [-3e38, 0, 3e38, 1],  # too far apart for a float
    ],
    np.float32,
)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "int32", "float64"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (11, 8)])
def test_every_bit_is_that_of_numpy(
    size: tuple[int, int], channels: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpolation_code.PREPARATION.work()
    random = np.random.default_rng(channels)
    pixels = random.integers(0, 255, (3, 6, 9, channels))
    images = (pixels / 3).astype(dtype) if dtype[0] == "f" else pixels.astype(dtype)
    numbers = random.integers(0, 3, len(BOXES))
    for batch in (images, images[:, ::-1, 2:], images[:, :1]):
        results = []
        for is_ready in (True, False):
            monkeypatch.setattr(crop_and_resize, "is_ready_for", lambda _, is_=is_ready: is_)
            crops = tf.image.crop_and_resize(batch, BOXES, numbers, size, extrapolation_value=2.5)
            results.append(crops.numpy())
        assert results[0].shape == (len(BOXES), *size, channels)
        assert results[0].tobytes() == results[1].tobytes()


def test_a_box_of_the_whole_image_is_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    interpolation_code.PREPARATION.work()
    images = np.random.default_rng(0).random((2, 17, 13, 5), np.float32)
    boxes = [[0.0, 0, 1, 1], [1, 1, 0, 0]]
    monkeypatch.setattr(crop_and_resize, "is_ready_for", lambda _: True)
    crops = tf.image.crop_and_resize(images, boxes, [1, 0], [17, 13]).numpy()
    np.testing.assert_allclose(crops[0], images[1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(crops[1], images[0, ::-1, ::-1], rtol=1e-4, atol=1e-5)
