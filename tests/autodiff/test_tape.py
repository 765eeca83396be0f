"""What a tape keeps, and for how long."""

from __future__ import annotations

import graphwright as tf


def test_the_watched_variables_are_known_after_the_gradient():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert [w.ref() for w in tape.watched_variables()] == [v.ref()]
    tape.reset()
    assert tape.watched_variables() == ()


def test_a_branch_that_gives_nothing_is_recorded_too():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if tf.reduce_sum(x) > 0.0:
                _ = tf.matmul(tf.zeros([0, 1]), x)
            y = x * x
        return tape.gradient(y, x)

    assert slope(tf.constant([[3.0]])).numpy().tolist() == [[6.0]]
