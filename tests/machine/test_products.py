"""Native products over tables of offsets give NumPy's products, exactly in small integers."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.compile.llvm import runtime
from graphwright.machine import products, threads
from graphwright.machine.array_layout import address
from graphwright.machine.products import multiply, pack, steps
from graphwright.machine.targets import Vectors
from graphwright.machine.tile_code import BLOCK, CodeTile

pytestmark = pytest.mark.usefixtures("native_kernels")

SIZES = st.integers(1, 120)


def matrices(dtype: str, m: int, k: int, n: int) -> tuple[Any, Any]:
    random = np.random.default_rng(m * 10_000 + k * 100 + n)
    a, b = (random.integers(-9, 10, shape).astype(dtype) for shape in ((m, k), (k, n)))
    return a, b


@given(st.sampled_from(["f4", "f8"]), SIZES, SIZES, SIZES, st.booleans(), st.booleans())
def test_products_of_matrices(dtype: str, m: int, k: int, n: int, ta: bool, tb: bool) -> None:
    """Of any layout, written and added, without touching what lies beside the result."""
    a, b = matrices(dtype, m, k, n)
    a = np.asfortranarray(a) if ta else a
    b = np.asfortranarray(b) if tb else b
    frame = np.full((m + 2, n + 7), 5, dtype)
    c = frame[1:-1, 3:-4]
    tables = [steps((s,), (x.strides[i],)) for s, x, i in ((m, a, 0), (k, a, 1), (m, c, 0))]
    multiply(address(a), tables[0], tables[1], pack(b), address(c), tables[2])
    np.testing.assert_array_equal(c, a @ b)
    multiply(address(a), tables[0], tables[1], pack(b), address(c), tables[2], (3.0, -2.0))
    np.testing.assert_array_equal(c, a @ b)
    c[...] = 5
    assert (frame == 5).all()


@pytest.mark.parametrize(
    "vectors",
    [
        Vectors(512, 32, True),
        Vectors(256, 16, True),
        Vectors(256, 16, False),
        Vectors(128, 32, True),
        Vectors(128, 16, False),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_kind_of_processor(
    vectors: Vectors, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors that this processor lacks are made of those it has."""
    tile = CodeTile(vectors, np.dtype(dtype).itemsize * 8)
    functions = products.load(tile)
    monkeypatch.setattr(products, "kernels", lambda dtype: functions)
    for m, k, n in ((1, 1, 1), (13, 7, 5), (tile.rows(1) * 3 + 1, 33, tile.lanes * 7 + 2)):
        a, b = matrices(dtype, m, k, n)
        c = np.empty((m, n), dtype)
        rows, cols = steps((m,), a.strides[:1]), steps((k,), a.strides[1:])
        places = steps((m,), c.strides[:1])
        multiply(address(a), rows, cols, pack(b), address(c), places)
        np.testing.assert_array_equal(c, a @ b)
        multiply(address(a), rows, cols, pack(b), address(c), places, (2.0, 3.0))
        np.testing.assert_array_equal(c, 5 * (a @ b))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("m", "k", "n"),
    [(1, 1, 1), (25, 3, 9), (500, 70, 33), (30, 2 * BLOCK, 17), (9, BLOCK + 1, 40), (2000, 5, 1)],
)
@pytest.mark.parametrize(("ta", "tb"), [(False, False), (True, False), (False, True)])
def test_products_that_threads_share(
    dtype: str, m: int, k: int, n: int, ta: bool, tb: bool
) -> None:
    """Parts of rows, blocks of long sums, by one thread and by several, written and added."""
    a, b = [np.sign(x) for x in matrices(dtype, m, k, n)]
    a = np.asfortranarray(a) if ta else a
    b = np.asfortranarray(b) if tb else b
    product = products.kernels(a.dtype).shared_product
    frame = np.full((m + 2, n), 5, dtype)
    c = frame[1:-1]
    left, right = (address(a), *a.strides), (address(b), *b.strides)
    for share in (None, threads.address()):
        assert product(*left, *right, address(c), m, n, k, 0, share) == 0
        np.testing.assert_array_equal(c, a @ b)
        assert product(*left, *right, address(c), m, n, k, 1, share) == 0
        np.testing.assert_array_equal(c, 2 * (a @ b))
    c[...] = 5
    assert (frame == 5).all()


@given(st.sampled_from(["f4", "f8"]), SIZES, SIZES, SIZES)
def test_quick_code_gives_the_same_bits(dtype: str, m: int, k: int, n: int) -> None:
    random = np.random.default_rng(m * 10_000 + k * 100 + n)
    a, b = (random.normal(size=shape).astype(dtype) for shape in ((m, k), (k, n)))
    left, right = (address(a), *a.strides), (address(b), *b.strides)
    results = []
    for kernels in (products.kernels(a.dtype), products._quick_kernels(a.dtype)):
        c = np.empty((m, n), dtype)
        assert kernels.shared_product(*left, *right, address(c), m, n, k, 0, None) == 0
        results.append(c.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize(("is_asked", "is_made"), [(False, False), (True, False), (False, True)])
def test_drafts_take_quick_kernels_until_better_ones_are_there_or_under_way(
    is_asked: bool, is_made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, dtype = SimpleNamespace(is_asked=is_asked), np.dtype("f4")
    quick, better = products._quick_kernels(dtype), products.kernels(dtype)
    monkeypatch.setattr(products, "preparation", lambda dtype: state)
    monkeypatch.setattr(products, "_MADE", {dtype} if is_made else set())
    expected = better if is_asked or is_made else quick
    for name in ("multiply", "pack"):
        places = [
            ctypes.cast(getattr(kernels, name), ctypes.c_void_p).value
            for kernels in (expected, better)
        ]
        assert runtime.address(f"gw_s{name}", is_draft=True) == places[0]
        assert runtime.address(f"gw_s{name}") == places[1]
