"""Arrays and lists as arguments: of which dtype TensorFlow takes them, recorded by hand.

The golden cases pass tensors. TensorFlow's raw functions have a preference for arrays: most for
float32, those of places for int32; others keep the array's dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

PLACES = np.array([1, 0])
SINGLE: dict[str, Callable[[Any], Any]] = {
    "rgb_to_hsv": tf.image.rgb_to_hsv,
    "hsv_to_rgb": tf.image.hsv_to_rgb,
    "lrn": tf.nn.lrn,
    "max_pool": lambda x: tf.nn.max_pool(x, 2, 2, "VALID"),
    "max_pool2d": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
}
KEPT: dict[str, Callable[[Any], Any]] = {
    "avg_pool": lambda x: tf.nn.avg_pool(x, 2, 2, "VALID"),
    "softmax": tf.nn.softmax,
    "relu": tf.nn.relu,
    "dct": tf.signal.dct,
    "idct": tf.signal.idct,
    "matvec": lambda x: tf.linalg.matvec(x[0], x[0, 0, 0]),
}


@pytest.mark.parametrize("name", SINGLE)
def test_arrays_that_become_float32(name: str) -> None:
    for dtype in (np.float16, np.float64, np.int32):
        assert SINGLE[name](np.ones((1, 4, 4, 3), dtype)).dtype is tf.float32
    kept = tf.ones((1, 4, 4, 3), tf.float16)
    assert SINGLE[name](kept).dtype is tf.float16


@pytest.mark.parametrize("name", KEPT)
def test_arrays_that_keep_their_dtype(name: str) -> None:
    assert KEPT[name](np.ones((1, 4, 4, 3), np.float64)).dtype is tf.float64


def test_places_are_int32_unless_they_come_as_int64() -> None:
    assert tf.unravel_index([1, 0], [2, 2]).dtype is tf.int32
    assert tf.unravel_index([1, 0], np.array([2, 2])).dtype is tf.int32
    assert tf.unravel_index(PLACES, np.array([2, 2])).dtype is tf.int64
    assert tf.unravel_index(PLACES, tf.constant([2, 2], tf.int64)).dtype is tf.int64
    assert tf.math.invert_permutation(PLACES).dtype is tf.int32
    assert tf.math.invert_permutation([]).dtype is tf.int32
    assert tf.broadcast_dynamic_shape([], [2]).dtype is tf.int32
    assert tf.broadcast_dynamic_shape([1, 2], [2, 1]).dtype is tf.int32
    assert tf.broadcast_dynamic_shape(PLACES + 1, [2, 1]).dtype is tf.int64


def test_places_may_be_lists_with_tensors() -> None:
    def both(row: Any) -> Any:
        return tf.unravel_index([row, 1], [3, row]), tf.broadcast_dynamic_shape([row, 1], [3])

    for run in (both, tf.function(both), tf.function(both, jit_compile=True)):
        places, shape = run(tf.constant(2))
        assert places.numpy().tolist() == [[1, 0], [0, 1]]
        assert shape.numpy().tolist() == [2, 3]
