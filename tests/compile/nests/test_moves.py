"""Places that are moved: a computation is the same wherever it is read from the same place."""

from __future__ import annotations

import numpy as np

import graphwright as tf
from graphwright.compile.nests.moves import Position
from graphwright.compile.nests.sizes import Size


def test_what_is_reversed_twice_is_where_it_was() -> None:
    last = Size(1, (0,)), Size(-1)
    position = Position(0, 1, (Size(3), Size(2, (1,))))
    assert position.moved(last, -1).moved(last, -1) == position
    assert position.moved((Size(-3),), 2).offsets == (Size(3), Size(4, (1,)))
    assert position.moved((Size(-3),), 1).offsets == (Size(2, (1,)),)


def turned(x: tf.Tensor, y: tf.Tensor, turns: int) -> tf.Tensor:
    """Elements from both ends, chosen again and again."""
    for _ in range(turns):
        x = tf.where(x > y, x * 0.5, y)
        y = tf.reverse(y, [0])
    return x + y


def test_repeated_reversals_compute_what_kernels_compute() -> None:
    random = np.random.RandomState(0)
    x, y = [random.normal(size=(n,)).astype(np.float32) for n in (7, 7)]
    signature = [tf.TensorSpec([None])] * 2
    for turns in (1, 2, 7):
        compiled = tf.function(lambda a, b, n=turns: turned(a, b, n), signature, jit_compile=True)
        np.testing.assert_array_equal(compiled(x, y), turned(tf.constant(x), tf.constant(y), turns))
