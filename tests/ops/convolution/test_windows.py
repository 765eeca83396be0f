"""Laws of convolution and pooling for any geometry: gradients are adjoint, blocks do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.convolution import convolution_kernels, pooling_kernels

pytestmark = pytest.mark.usefixtures("native_kernels")


@st.composite
def geometries(draw: st.DrawFn) -> dict[str, Any]:
    """Shapes and windows of rank 1 to 3, those without images, places or windows included."""
    rank = draw(st.integers(1, 3))
    small = st.integers(1, 3)
    each = [draw(st.lists(values, min_size=rank, max_size=rank)) for values in (small,) * 3]
    kernel, strides, dilations = each
    sizes = draw(st.lists(st.integers(0, 7), min_size=rank, max_size=rank))
    pad = st.tuples(st.integers(0, 2), st.integers(0, 2))
    explicit = st.lists(pad, min_size=rank, max_size=rank)
    padding = draw(st.one_of(st.sampled_from(["SAME", "VALID"]), explicit))
    groups, depth, multiplier = (draw(st.integers(1, 2)) for _ in range(3))
    batch = draw(st.integers(0, 2))
    return {
        "shape": (batch, *sizes, groups * depth),
        "filter_shape": (*kernel, depth, groups * multiplier),
        "depthwise_shape": (*kernel, groups * depth, multiplier),
        "rest": (strides, padding, dilations),
        "kernel": kernel,
    }


def _draw(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.default_rng(seed).integers(-5, 6, shape).astype(np.float64)


@given(geometries(), st.booleans())
def test_gradients_are_adjoint(geometry: dict[str, Any], depthwise: bool) -> None:
    """<conv(x, w), g> = <x, input_gradient(g, w)> = <w, filter_gradient(x, g)>, exactly in
    integers.
    """
    prefix = "depthwise_" if depthwise else ""
    forward = convolution_kernels.depthwise if depthwise else convolution_kernels.convolve
    array = _draw(geometry["shape"], 0)
    filters = _draw(geometry["depthwise_shape" if depthwise else "filter_shape"], 1)
    result = forward(array, filters, *geometry["rest"])
    gradient = _draw(result.shape, 2)
    to_input = getattr(convolution_kernels, f"{prefix}input_gradient")
    to_filter = getattr(convolution_kernels, f"{prefix}filter_gradient")
    backward = to_input(array.shape, filters, gradient, *geometry["rest"])
    assert np.vdot(result, gradient) == np.vdot(array, backward)
    backward = to_filter(array, filters.shape, gradient, *geometry["rest"])
    assert np.vdot(result, gradient) == np.vdot(filters, backward)


@given(geometries())
def test_blocks_change_nothing(geometry: dict[str, Any]) -> None:
    array, filters = _draw(geometry["shape"], 0), _draw(geometry["filter_shape"], 1)
    whole = convolution_kernels.convolve(array, filters, *geometry["rest"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution_kernels, "_BLOCK", 1)
        rows = convolution_kernels.convolve(array, filters, *geometry["rest"])
        np.testing.assert_array_equal(whole, rows)
        gradient = _draw(whole.shape, 2)
        split = convolution_kernels.input_gradient(
            array.shape, filters, gradient, *geometry["rest"]
        )
    together = convolution_kernels.input_gradient(array.shape, filters, gradient, *geometry["rest"])
    np.testing.assert_array_equal(split, together)


@given(geometries())
def test_channels_first_is_a_transposition(geometry: dict[str, Any]) -> None:
    array, filters = _draw(geometry["shape"], 0), _draw(geometry["filter_shape"], 1)
    rest = geometry["rest"]
    last = convolution_kernels.convolve(array, filters, *rest)
    first = convolution_kernels.convolve(
        np.moveaxis(array, -1, 1), filters, *rest, channels_first=True
    )
    np.testing.assert_array_equal(np.moveaxis(first, 1, -1), last)
    gradient = np.moveaxis(_draw(last.shape, 2), -1, 1)
    shape = np.moveaxis(array, -1, 1).shape
    got = convolution_kernels.input_gradient(shape, filters, gradient, *rest, channels_first=True)
    assert np.vdot(first, gradient) == np.vdot(np.moveaxis(array, -1, 1), got)


@given(geometries())
def test_average_gradient_is_adjoint(geometry: dict[str, Any]) -> None:
    array = _draw(geometry["shape"], 0)
    strides, padding, _ = geometry["rest"]
    result = pooling_kernels.avg_pool(array, geometry["kernel"], strides, padding)
    gradient = _draw(result.shape, 1)
    args = (gradient, geometry["kernel"], strides, padding)
    backward = pooling_kernels.avg_pool_gradient(array.shape, *args)
    np.testing.assert_allclose(np.vdot(result, gradient), np.vdot(array, backward), atol=1e-9)


def test_strides_and_dilations_together_are_refused_where_tensorflow_refuses_them() -> None:
    """`tf.nn.convolution` takes one of them; `tf.nn.conv3d` takes both."""
    x, filters = tf.ones([1, 8, 8, 8, 1]), tf.ones([3, 3, 3, 1, 1])
    with pytest.raises(ValueError, match="`strides > 1` not supported in conjunction"):
        tf.nn.convolution(x, filters, [2, 2, 2], "VALID", dilations=[2, 2, 2])
    for options in ({"strides": 2}, {"dilations": 2}, {"strides": [1, 1, 1], "dilations": 2}):
        assert tf.nn.convolution(x, filters, padding="VALID", **options).shape[1] in (3, 4)
    assert (
        tf.nn.conv3d(x, filters, [1, 2, 2, 2, 1], "VALID", dilations=[1, 2, 2, 2, 1]).shape[1] == 2
    )
