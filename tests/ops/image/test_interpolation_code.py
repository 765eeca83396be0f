"""Machine code interpolates to the bits that NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from graphwright.ops.image import interpolation_code
from graphwright.ops.image.resize_kernels import Centres, resize


@pytest.mark.parametrize("centres", ["half_pixel", "legacy", "align_corners"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int16"])
@pytest.mark.parametrize("shape", [(1, 7, 5, 3), (3, 4, 9, 1), (2, 1, 6, 8)])
def test_every_bit_is_that_of_numpy(
    shape: tuple[int, ...], dtype: str, centres: Centres, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, shape)
    images = (pixels / 3).astype(dtype) if dtype[0] == "f" else pixels.astype(dtype)
    for size in ((3, 4), (11, 2), (1, 1), (8, 13)):
        results = []
        for is_ready in (False, True):
            monkeypatch.setattr(interpolation_code, "is_ready_for", lambda count, is_=is_ready: is_)
            parts = (images[:, :, ::-1], images[..., :-1], images.T)  # the pixels lie far apart
            results.append([resize(part, size, "bilinear", centres) for part in parts if part.size])
        for by_numpy, by_code in zip(*results, strict=True):
            assert by_numpy.dtype == by_code.dtype == np.float32
            assert by_numpy.tobytes() == by_code.tobytes()
