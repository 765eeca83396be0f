"""Convolutions and pooling in simpler ops compute what the kernels compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.straight_line import build
from graphwright.portable.native_library.whole_graph import foreign_nodes, with_constants
from graphwright.portable.native_library.window_sums import has_windows, with_window_sums

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 9, 8, 6)).astype(np.float32)
VOLUME = RNG.normal(size=(2, 5, 6, 7, 2)).astype(np.float32)


def filters(*shape: int) -> Any:
    return tf.constant(RNG.normal(size=shape), tf.float32)


#: Functions with their arguments, and the sizes that their traces know.
CASES: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "same": (lambda x: tf.nn.conv2d(x, filters(3, 4, 6, 5), 1, "SAME"), X, None),
    "same in steps": (lambda x: tf.nn.conv2d(x, filters(3, 2, 6, 5), [2, 3], "SAME"), X, None),
    "valid": (lambda x: tf.nn.conv2d(x, filters(3, 2, 6, 5), [3, 1], "VALID"), X, None),
    "dilated": (lambda x: tf.nn.conv2d(x, filters(2, 3, 6, 5), 1, "SAME", dilations=2), X, None),
    "padded": (
        lambda x: tf.nn.conv2d(x, filters(3, 3, 6, 5), 2, [[0, 0], [2, 0], [1, 3], [0, 0]]),
        X,
        None,
    ),
    "groups": (lambda x: tf.nn.conv2d(x, filters(3, 3, 2, 9), 1, "SAME"), X, None),
    "of unknown sizes": (
        lambda x: tf.nn.conv2d(x, filters(3, 2, 6, 5), 1, "SAME"),
        X,
        [None, None, None, 6],
    ),
    "valid of unknown sizes": (
        lambda x: tf.nn.conv2d(x, filters(3, 2, 6, 5), 1, "VALID"),
        X,
        [None, None, 8, 6],
    ),
    "in a row": (lambda x: tf.nn.conv2d(x, filters(1, 40, 6, 3), 1, "SAME"), X, None),
    "halves": (
        lambda x: tf.nn.conv2d(
            tf.cast(x, tf.bfloat16), tf.cast(filters(3, 3, 6, 5), tf.bfloat16), 1, "SAME"
        ),
        X,
        None,
    ),
    "channels first": (
        lambda x: tf.nn.conv2d(x, filters(3, 3, 9, 5), 1, "VALID", data_format="NCHW"),
        X,
        None,
    ),
    "volumes": (lambda x: tf.nn.conv3d(x, filters(2, 3, 3, 2, 4), [1] * 5, "SAME"), VOLUME, None),
    "transposed": (
        lambda x: tf.nn.conv2d_transpose(x, filters(3, 2, 4, 6), [2, 9, 8, 4], 1, "SAME"),
        X,
        None,
    ),
    "transposed in steps": (
        lambda x: tf.nn.conv2d_transpose(
            x, filters(3, 4, 5, 6), [tf.shape(x)[0], 18, 23, 5], [2, 3], "SAME"
        ),
        X,
        [None, 9, 8, 6],
    ),
    "transposed and valid": (
        lambda x: tf.nn.conv2d_transpose(x, filters(2, 3, 5, 6), [2, 28, 25, 5], 3, "VALID"),
        X,
        None,
    ),
    "transposed volumes": (
        lambda x: tf.nn.conv3d_transpose(x, filters(3, 2, 3, 4, 2), [2, 10, 11, 14, 4], 2, "SAME"),
        VOLUME,
        None,
    ),
    "transposed with channels first": (
        lambda x: tf.nn.conv2d_transpose(
            x, filters(3, 3, 2, 9), [2, 2, 16, 12], 2, "SAME", data_format="NCHW"
        ),
        X,
        None,
    ),
    "depthwise": (
        lambda x: tf.nn.depthwise_conv2d(x, filters(3, 3, 6, 1), [1, 1, 1, 1], "SAME"),
        X,
        None,
    ),
    "depthwise in steps": (
        lambda x: tf.nn.depthwise_conv2d(x, filters(3, 2, 6, 3), [1, 2, 2, 1], "VALID"),
        X,
        None,
    ),
    "largest": (lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"), X, None),
    "largest with nan": (
        lambda x: tf.nn.max_pool2d(tf.math.log(x), [1, 2], 1, "VALID"),
        X,
        None,
    ),
    "largest of integers": (
        lambda x: tf.nn.max_pool2d(tf.cast(x * 10, tf.int32), 2, 1, "SAME"),
        X,
        None,
    ),
    "largest of volumes": (lambda x: tf.nn.max_pool3d(x, 2, 2, "VALID"), VOLUME, None),
    "mean": (lambda x: tf.nn.avg_pool2d(x, [3, 2], [2, 1], "SAME"), X, None),
    "mean of volumes": (lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), VOLUME, None),
    "mean of unknown sizes": (
        lambda x: tf.nn.avg_pool2d(x, 2, 1, "VALID"),
        X,
        [None, None, None, 6],
    ),
    "in a loop": (
        lambda x: tf.while_loop(
            lambda y: tf.reduce_sum(y) < 0.0,
            lambda y: tf.nn.conv2d(y, filters(1, 1, 6, 6), 1, "SAME") + 1.0,
            [x],
        )[0],
        X - 1.0,
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_windows_become_simpler_ops(name: str) -> None:
    function, x, dims = CASES[name]
    spec = tf.TensorSpec(x.shape if dims is None else dims)
    graph = with_constants(tf.function(function).get_concrete_function(spec).graph)
    simpler = with_window_sums(graph)
    assert has_windows(graph)
    assert not has_windows(simpler)
    with np.errstate(all="ignore"):
        (expected,), (result,) = build(graph)(x), build(simpler)(x)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    ulp = np.ldexp(1.0, -8 if result.dtype.itemsize == 2 else -20)
    wide = expected.astype(np.float64)
    scale = np.nanmax(np.abs(wide)) * ulp
    np.testing.assert_allclose(result.astype(np.float64), wide, atol=scale, rtol=ulp)


def test_a_number_of_windows_that_is_unknown_is_refused() -> None:
    f = tf.function(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"))
    graph = f.get_concrete_function(tf.TensorSpec([None, None, None, 3])).graph
    (obstacle,) = foreign_nodes(with_window_sums(graph)).values()
    assert obstacle.op == "MaxPool"
    assert "must know" in obstacle.reason
