"""Native pooling and depthwise convolutions give what the ones over NumPy give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.machine import threads
from graphwright.machine.targets import Vectors
from graphwright.ops.convolution import convolution_kernels, pooling_kernels, sliding
from graphwright.ops.convolution.window_code import SlidingCode

pytestmark = pytest.mark.usefixtures("native_kernels")

NEVER = 1 << 62


@st.composite
def geometries(draw: st.DrawFn) -> dict[str, Any]:
    """Windows of rank 1 to 3 over channels that fill vectors in part, just, and more than once."""
    rank = draw(st.integers(1, 3))

    def each(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=rank, max_size=rank))

    return {
        "dtype": draw(st.sampled_from(["f2", "f4", "f8"])),
        "shape": (draw(st.integers(1, 3)), *each(1, 8), draw(st.integers(1, 35))),
        "kernel": each(1, 3),
        "strides": each(1, 3),
        "dilations": each(1, 2),
        "padding": draw(st.sampled_from(["SAME", "VALID"])),
        "multiplier": draw(st.integers(1, 2)),
        "first": draw(st.booleans()),
        "threads": draw(st.integers(1, 3)),
        "to_all": draw(st.booleans()),
        "nans": draw(st.booleans()),
    }


def integers(shape: tuple[int, ...], dtype: str) -> Any:
    return np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(dtype)


def pooled(case: dict[str, Any], array: Any) -> list[Any]:
    """Both poolings and their gradients."""
    rest = (case["kernel"], case["strides"], case["padding"], case["first"])
    best, mean = pooling_kernels.max_pool(array, *rest), pooling_kernels.avg_pool(array, *rest)
    gradient = integers(best.shape, case["dtype"])
    return [
        best,
        pooling_kernels.max_pool_gradient(array, gradient, *rest, to_all=case["to_all"]),
        mean,
        pooling_kernels.avg_pool_gradient(array.shape, gradient, *rest),
    ]


def depthwise(case: dict[str, Any], array: Any) -> list[Any]:
    """A depthwise convolution and both gradients."""
    channels = case["shape"][-1]
    filters = integers((*case["kernel"], channels, case["multiplier"]), case["dtype"])
    rest = (case["strides"], case["padding"], case["dilations"], case["first"])
    result = convolution_kernels.depthwise(array, filters, *rest)
    gradient = integers(result.shape, case["dtype"])
    return [
        result,
        convolution_kernels.depthwise_input_gradient(array.shape, filters, gradient, *rest),
        convolution_kernels.depthwise_filter_gradient(array, filters.shape, gradient, *rest),
    ]


@pytest.mark.parametrize("compute", [pooled, depthwise])
@given(case=geometries())
def test_native_agrees_with_numpy(compute: Any, case: dict[str, Any]) -> None:
    array = integers(case["shape"], case["dtype"])
    if case["nans"] and compute is pooled:
        array[array == 3] = np.nan
    if case["first"]:
        array = np.ascontiguousarray(np.moveaxis(array, -1, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling_kernels, "WORTH", NEVER)
        patch.setattr(convolution_kernels, "WORTH_OF_DEPTHWISE", NEVER)
        expected = compute(case, array)
        patch.setattr(pooling_kernels, "WORTH", 1)
        patch.setattr(convolution_kernels, "WORTH_OF_DEPTHWISE", 1)
        patch.setattr(sliding, "_ALONE", 1)
        patch.setattr(threads.Limit, "threads", case["threads"])
        native = compute(case, array)
    bound = 4 * np.finfo(case["dtype"]).eps  # of averages, whose sums are in another order
    for got, wanted in zip(native, expected):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=bound, atol=bound)


@pytest.mark.parametrize(
    "vectors",
    [Vectors(256, 16, True), Vectors(128, 16, False)],
    ids=str,
)
def test_other_processors(vectors: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of other sizes compute the same."""
    array = integers((2, 9, 9, 13), "f4")
    expected = pooling_kernels.max_pool(array, (3, 3), (2, 2), "SAME")
    functions = sliding.load(SlidingCode(vectors, 32))
    monkeypatch.setattr(sliding, "functions", lambda dtype: functions)
    monkeypatch.setattr(pooling_kernels, "WORTH", 1)
    np.testing.assert_array_equal(pooling_kernels.max_pool(array, (3, 3), (2, 2), "SAME"), expected)
