"""Machine code resamples to the bits that NumPy gives."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable

import numpy as np
import pytest

from graphwright.ops.image import resampling_code, resize_kernels
from graphwright.ops.image.resize_kernels import Centres, Method, resize, resize_gradient
from graphwright.types.arrays import Array

SIZES = ((3, 4), (11, 2), (1, 1), (8, 13), (40, 3))
SHAPES = [(1, 7, 5, 3), (3, 4, 9, 1), (2, 1, 6, 8), (2, 6, 1, 3), (1, 9, 40, 5), (5, 20, 30, 2)]


def in_both_ways(monkeypatch: pytest.MonkeyPatch, compute: Callable[[], list[Array]]) -> None:
    """Fails where machine code and NumPy differ in a bit."""
    results = []
    for is_ready in (False, True):
        monkeypatch.setattr(resampling_code, "is_ready_for", lambda work, is_=is_ready: is_)
        results.append(compute())
    for by_numpy, by_code in zip(*results, strict=True):
        assert by_numpy.dtype == by_code.dtype
        assert by_numpy.shape == by_code.shape
        assert by_numpy.tobytes() == by_code.tobytes()


@pytest.mark.parametrize("centres", ["half_pixel", "legacy", "align_corners"])
@pytest.mark.parametrize("method", ["bicubic", "area", "nearest"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_bit_is_that_of_numpy(
    shape: tuple[int, ...], method: Method, centres: Centres, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, shape)

    def compute() -> list[Array]:
        results = []
        for dtype in ("uint8", "float32", "float64", "int16"):
            images = (pixels / 3 if dtype[0] == "f" else pixels).astype(dtype)
            for part in (images, images[:, :, ::-1], images[..., :-1], images.T):
                if part.size:
                    results += [resize(part, size, method, centres) for size in SIZES]
        return results

    in_both_ways(monkeypatch, compute)


@pytest.mark.parametrize("kernel", resize_kernels.KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_around_samples(
    shape: tuple[int, ...], kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    images.reshape(-1)[::7] = -0.0
    images.reshape(-1)[5] = np.inf

    def compute() -> list[Array]:
        results = []
        for size in SIZES:
            for antialias in (False, True):
                steps = [
                    resize_kernels.scaled(
                        kernel, old, new, np.float32(new / old), np.float32(0.25), antialias
                    )
                    for old, new in zip(shape[1:3], size)
                ]
                result = resize_kernels.resampled(images, steps)
                results += [result, resize_kernels.resampled_gradient(result, steps)]
        return results

    with np.errstate(invalid="ignore"):
        in_both_ways(monkeypatch, compute)


def test_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute() -> list[Array]:
        results = []
        for dtype in (np.float32, np.float64, np.float16):
            gradient = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype(dtype)
            for size in SIZES:
                results.append(resize_gradient((2, *size, 3), gradient, "bicubic"))
        return results

    in_both_ways(monkeypatch, compute)


@pytest.mark.parametrize("channels", [*range(1, 18), 40])
def test_pixels_of_each_size(channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def compute() -> list[Array]:
        results = []
        for dtype in (np.uint8, np.int16, np.float32, np.float64):
            images = np.arange(2 * 5 * 4 * channels).reshape(2, 5, 4, channels).astype(dtype)
            results += [resize(images, size, "nearest") for size in SIZES]
        return results

    in_both_ways(monkeypatch, compute)


#: Protects a page from reads and writes.
NOTHING = 0


@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="no page can be locked here")
@pytest.mark.parametrize("channels", [1, 2, 3, 5, 8])
def test_nothing_behind_an_image_is_read(
    channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resampling_code, "is_ready_for", lambda work: True)
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    behind = np.frombuffer(memory, np.uint8).ctypes.data + page
    pixels = np.random.default_rng(1).normal(size=(2, 6, 7, channels)).astype(np.float32)
    locked = np.frombuffer(memory, np.float32, pixels.size, page - pixels.nbytes)
    locked = locked.reshape(pixels.shape)
    locked[...] = pixels
    protect = ctypes.CDLL(None).mprotect
    assert protect(ctypes.c_void_p(behind), page, NOTHING) == 0
    for method in ("bicubic", "nearest"):
        for size in ((3, 4), (6, 8), (13, 20), (2, 1), (12, 3)):
            results = [resize(images, size, method) for images in (locked, pixels)]
            assert results[0].tobytes() == results[1].tobytes()
    protect(ctypes.c_void_p(behind), page, mmap.PROT_READ)
