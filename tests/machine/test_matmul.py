"""Native products of matrices give NumPy's, exactly in small integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphwright.machine import matmul, products, threads

pytestmark = pytest.mark.usefixtures("native_kernels")

#: Batch shapes that broadcast.
BATCHES = [
    ((), ()),
    ((1,), ()),
    ((3,), (3,)),
    ((3,), ()),
    ((), (4,)),
    ((2, 1), (1, 3)),
    ((0,), (0,)),
]


@st.composite
def operands(draw: st.DrawFn) -> tuple[Any, Any]:
    """Matrices and batches of them, contiguous, transposed, or every second element."""
    m, k, n = (draw(st.integers(0, 70)) for _ in range(3))
    batches = draw(st.sampled_from(BATCHES))
    dtype = draw(st.sampled_from(["f4", "f8"]))
    random = np.random.default_rng(m * 10_000 + k * 100 + n)
    arrays = []
    for batch, shape in zip(batches, ((m, k), (k, n))):
        layout = draw(st.sampled_from(["rows", "columns", "apart", "backwards"]))
        array = random.integers(-9, 10, (*batch, *shape)).astype(dtype)
        if layout == "columns":
            array = np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
        elif layout == "apart":
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        elif layout == "backwards":
            array = np.ascontiguousarray(array[..., ::-1, ::-1])[..., ::-1, ::-1]
        arrays.append(array)
    return arrays[0], arrays[1]


@given(
    operands(), st.integers(1, 3), st.sampled_from([7, 1024]), st.sampled_from([0, 1 << 18]),
    st.sampled_from([6, 48]), st.integers(1, 3),
)  # fmt: skip
def test_native_agrees_with_numpy(
    pair: tuple[Any, Any], threads_used: int, deep: int, packed: int, low: int, narrow: int
) -> None:
    x, y = pair
    matmul._plan.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("WORTH", "WORTH_OF_BATCH", "_MANY"):
            patch.setattr(matmul, name, 1)
        patch.setattr(matmul, "BLOCK", deep)
        patch.setattr(matmul, "_PACKED", packed)
        patch.setattr(matmul, "_LOW", low)
        patch.setattr(matmul, "_NARROW", narrow)
        patch.setattr(products, "ALONE", 1)
        patch.setattr(threads.Limit, "threads", threads_used)
        product = matmul.matmul(x, y)
    expected = np.matmul(x, y)
    assert product.dtype == expected.dtype
    np.testing.assert_array_equal(product, expected)


@given(operands(), st.booleans(), st.sampled_from([7, 1024]))
def test_matrices_are_updated_by_products(pair: tuple[Any, Any], ready: bool, deep: int) -> None:
    """By the kernel, and by NumPy until it is there."""
    assume(0 not in (*pair[0].shape[:-2], *pair[1].shape[:-2]))
    x, y = [array[(0,) * (array.ndim - 2)] for array in pair]
    total = np.arange(len(x) * y.shape[1], dtype=x.dtype).reshape(len(x), y.shape[1])
    expected = 3 * total - 2 * np.matmul(x, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matmul, "_is_ready", lambda dtype: ready)
        patch.setattr(matmul, "BLOCK", deep)
        patch.setattr(products, "ALONE", 1)
        matmul.update(total, x, y, 3.0, -2.0)
    np.testing.assert_array_equal(total, expected)


@pytest.mark.parametrize(
    ("x", "y"),
    [((300, 200), (200, 500)), ((64, 40, 60), (64, 60, 40)), ((1, 300, 200), (1, 200, 300))],
)
def test_large_products_stay_accurate(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in (x, y))
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(matmul.matmul(a, b), exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("near", [0, 1 << 30])
@pytest.mark.parametrize("sizes", [(64, 300, 1700), (2500, 40, 90), (10, 5000, 1000)])
def test_threads_share_without_changing_a_bit(
    near: int, sizes: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    m, k, n = sizes
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
    monkeypatch.setattr(products, "ALONE", 1)
    monkeypatch.setattr(matmul, "_NEAR", near)
    results = []
    for count in (1, 2, 3):
        matmul._plan.cache_clear()
        monkeypatch.setattr(threads.Limit, "threads", count)
        results += [matmul.matmul(a, b) for _ in range(5)]
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(results[0], exact, rtol=1e-4, atol=1e-3)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
