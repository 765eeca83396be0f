"""Native convolutions give what the ones over NumPy give, exactly in small integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphwright.machine import products, threads
from graphwright.ops.convolution import convolution_kernels, implicit

pytestmark = pytest.mark.usefixtures("native_kernels")

NEVER = 1 << 62


@st.composite
def convolutions(draw: st.DrawFn) -> dict[str, Any]:
    """Convolutions of rank 1 to 3 whose channels fill vectors in part, just, and more than once."""
    rank = draw(st.integers(1, 3))

    def each(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=rank, max_size=rank))

    kernel, strides, dilations = (each(st.integers(1, 3)) for _ in range(3))
    pad = st.tuples(st.integers(0, 2), st.integers(0, 2))
    padding = draw(st.sampled_from(["SAME", "VALID", each(pad)]))
    groups, depth, width = (draw(st.integers(1, n)) for n in (3, 3, 19))
    return {
        "dtype": draw(st.sampled_from(["f2", "f4", "f8"])),
        "shape": (draw(st.integers(1, 3)), *each(st.integers(1, 9)), groups * depth),
        "filter_shape": (*kernel, depth, groups * width),
        "rest": (strides, padding, dilations, draw(st.booleans())),
        "strip": draw(st.sampled_from([1, 2000, 1 << 19])),
        "threads": draw(st.integers(1, 3)),
    }


def integers(shape: tuple[int, ...], dtype: str) -> Any:
    return np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)


def all_three(case: dict[str, Any]) -> list[Any]:
    """The convolution and both gradients."""
    array, filters = (integers(case[name], case["dtype"]) for name in ("shape", "filter_shape"))
    *rest, first = case["rest"]
    if first:
        array = np.ascontiguousarray(np.moveaxis(array, -1, 1))
    result = convolution_kernels.convolve(array, filters, *rest, channels_first=first)
    gradient = integers(result.shape, case["dtype"])
    return [
        result,
        convolution_kernels.input_gradient(
            array.shape, filters, gradient, *rest, channels_first=first
        ),
        convolution_kernels.filter_gradient(
            array, filters.shape, gradient, *rest, channels_first=first
        ),
    ]


@given(convolutions())
def test_native_agrees_with_numpy(case: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution_kernels, "WORTH", NEVER)
        expected = all_three(case)
        patch.setattr(convolution_kernels, "WORTH", 1)
        patch.setattr(implicit, "_STRIP", case["strip"])
        patch.setattr(products, "ALONE", 1)
        patch.setattr(threads.Limit, "threads", case["threads"])
        native = all_three(case)
    for got, wanted in zip(native, expected):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)


def test_results_do_not_change_from_run_to_run() -> None:
    random = np.random.default_rng(1)
    array = random.standard_normal((3, 40, 40, 20)).astype(np.float32)
    filters = random.standard_normal((3, 3, 20, 30)).astype(np.float32)
    gradient = random.standard_normal((3, 40, 40, 30)).astype(np.float32)
    first = convolution_kernels.filter_gradient(array, filters.shape, gradient, (1, 1), "SAME")
    for _ in range(20):
        again = convolution_kernels.filter_gradient(array, filters.shape, gradient, (1, 1), "SAME")
        np.testing.assert_array_equal(first, again)
