"""Machine code interpolates to the bits that NumPy gives."""

from __future__ import annotations

import ctypes
import mmap

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
            parts = (images, images[:, :, ::-1], images[..., :-1], images.T)  # and pixels apart
            results.append([resize(part, size, "bilinear", centres) for part in parts if part.size])
        for by_numpy, by_code in zip(*results, strict=True):
            assert by_numpy.dtype == by_code.dtype == np.float32
            assert by_numpy.tobytes() == by_code.tobytes()


#: Protects a page from reads and writes.
NOTHING = 0


@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="no page can be locked here")
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_nothing_behind_an_image_is_read(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpolation_code, "is_ready_for", lambda count: True)
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    behind = np.frombuffer(memory, np.uint8).ctypes.data + page
    pixels = np.random.default_rng(1).integers(0, 255, (1, 6, 7, 3)).astype(dtype)
    locked = np.frombuffer(memory, dtype, pixels.size, page - pixels.nbytes).reshape(pixels.shape)
    locked[...] = pixels
    protect = ctypes.CDLL(None).mprotect
    assert protect(ctypes.c_void_p(behind), page, NOTHING) == 0
    for size in ((3, 4), (6, 8), (13, 20), (2, 1)):
        results = [resize(images, size, "bilinear") for images in (locked, pixels)]
        assert results[0].tobytes() == results[1].tobytes()
    protect(ctypes.c_void_p(behind), page, mmap.PROT_READ)
