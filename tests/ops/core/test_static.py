"""Values that are known before anything runs: those that TensorFlow 2.21 knows."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

X = tf.TensorSpec([2, None])
Y = tf.TensorSpec([2, 3])

#: What TensorFlow 2.21 says in a graph with x of [2, None], y of [2, 3] and c = [1, 2].
RECORDED = [
    (lambda x, y, c: c, [1, 2]),
    (lambda x, y, c: tf.identity(c), [1, 2]),
    (lambda x, y, c: tf.shape(y), [2, 3]),
    (lambda x, y, c: tf.size(y), 6),
    (lambda x, y, c: tf.rank(x), 2),
    (lambda x, y, c: tf.range(3), [0, 1, 2]),
    (lambda x, y, c: tf.fill([2], 3), [3, 3]),
    (lambda x, y, c: tf.concat([c, c], 0), [1, 2, 1, 2]),
    (lambda x, y, c: tf.stack([1, 2]), [1, 2]),
    (lambda x, y, c: tf.unstack(c)[0], 1),
    (lambda x, y, c: tf.zeros([2]), [0.0, 0.0]),
    (lambda x, y, c: tf.shape(x), None),
    (lambda x, y, c: tf.shape(y)[0], None),
    (lambda x, y, c: tf.rank(x) + 1, None),
    (lambda x, y, c: tf.stack([c[0], 1]), None),
    (lambda x, y, c: tf.where(True, 1, 2), None),
    (lambda x, y, c: tf.reshape(c, [2, 1]), None),
    (lambda x, y, c: tf.reduce_prod(tf.shape(y)), None),
    (lambda x, y, c: -c, None),
    (lambda x, y, c: c[0], None),
    (lambda x, y, c: tf.equal(c, 2), [False, True]),
    (lambda x, y, c: tf.shape(y)[0] > 1, None),
    (lambda x, y, c: tf.logical_not(True), None),
    (lambda x, y, c: tf.reduce_all([True, False]), None),
    (lambda x, y, c: tf.cast(tf.equal(c, 1), tf.int32), [1, 0]),
    (lambda x, y, c: tf.constant(["a", "b"]), [b"a", b"b"]),
]


@pytest.mark.parametrize("place", range(len(RECORDED)))
def test_a_graph_knows_what_tensorflows_does(place: int) -> None:
    """Programs ask whether a value is known, and take another way where TensorFlow says None."""
    make, value = RECORDED[place]
    known = []

    @tf.function
    def ask(x, y):
        known.append(tf.get_static_value(make(x, y, tf.constant([1, 2]))))

    ask.get_concrete_function(X, Y)
    if value is None:
        assert known == [None]
    else:
        np.testing.assert_array_equal(known[0], value)


def test_what_is_known_in_part_is_what_tensorflow_says() -> None:
    """A vector that was packed has the entries that are evident; any other is unknown."""

    @tf.function
    def ask(x):
        n = tf.shape(x)
        packed = tf.get_static_value(tf.stack([n[0], 7, n[1]]), partial=True)
        assert packed.tolist() == [None, 7, None]
        assert tf.get_static_value(n + 1, partial=True) is None
        assert tf.get_static_value(tf.stack([n[0], 2], axis=-1), partial=True) is None

    ask.get_concrete_function(X)


def test_a_value_without_elements_has_its_shape() -> None:
    shapes = [tf.get_static_value(tf.zeros([2, 0, 3])).shape]

    @tf.function
    def f() -> tf.Tensor:
        x = tf.zeros([2, 0, 3])
        shapes.append(tf.get_static_value(x).shape)
        return x

    f()
    assert shapes == [(2, 0, 3)] * 2
