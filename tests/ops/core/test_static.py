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
