"""Machine code samples images to the bits that NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.ops.image import projection_code

projective: Any = tf.raw_ops.ImageProjectiveTransformV3
RANDOM = np.random.default_rng(0)
TRANSFORMS = np.array(
    [
        [1, 0, 0, 0, 1, 0, 0, 0],
        [0.7, -0.3, 4.5, 0.2, 1.3, -2, 0, 0],
        [1, 0.1, -3, 0.1, 1, 3, 0.05, -0.04],
        [1e9, 0, 0, 0, -1e9, 0, 0, 0],
        [np.nan, 0, 0, 0, np.inf, 0, 0, 0],
        [1, 0, 0.5, 0, 1, -0.5, -0.25, 0],
    ],
    np.float32,
)


@pytest.mark.parametrize("mode", projection_code.FILL_MODES)
@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int32", "float64"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_every_bit_is_that_of_numpy(
    mode: str, interpolation: str, dtype: str, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    projection_code.PREPARATION.work()
    pixels = RANDOM.integers(0, 255, (len(TRANSFORMS), 9, 7, channels))
    images = (pixels / 3).astype(dtype) if dtype[0] == "f" else pixels.astype(dtype)
    if dtype == "float32":
        images[1, 2, 3], images[2, 4, 4] = np.nan, -np.inf
    for transforms in (TRANSFORMS, TRANSFORMS[1:2]):
        results = []
        for is_ready in (True, False):
            monkeypatch.setattr(
                projection_code.PREPARATION, "is_ready_for", lambda *_, is_ready=is_ready: is_ready
            )
            result = projective(
                images=images, transforms=transforms, output_shape=[8, 11], fill_value=3.5,
                interpolation=interpolation, fill_mode=mode,
            )  # fmt: skip
            results.append(result.numpy())
        assert results[0].dtype == results[1].dtype == np.dtype(dtype)
        assert results[0].tobytes() == results[1].tobytes()
