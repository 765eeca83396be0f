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
