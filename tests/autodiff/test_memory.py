"""Training holds on to nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from growth import growth

import graphwright as tf


@pytest.mark.parametrize("staged", [False, True])
def test_a_thousand_steps_grow_nothing(staged: bool) -> None:
    v = tf.Variable(np.ones((8, 8), np.float32))
    x = tf.constant(np.ones((4, 8), np.float32))
    optimizer = tf.optimizers.Adam()

    def train() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ v))
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    step = tf.function(train) if staged else train
    # A tensor that stayed at each step would be 100,000.
    assert growth(step, 1000, warm_up=20) < 20_000


def test_ten_thousand_steps_grow_nothing() -> None:
    """With a loop and a branch in the traced step: lists, counters, their gradients."""
    v = tf.Variable([0.5, -0.25])
    optimizer = tf.optimizers.SGD(0.01, momentum=0.5)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.cond(v[0] > 0.25, lambda: v * 2.0, lambda: v + 1.0)
            body = lambda i, y: (i + 1, tf.sin(y) + v)  # noqa: E731
            loss = tf.reduce_sum(tf.while_loop(lambda i, _: i < 3, body, (0, y))[1])
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    def many() -> None:
        for _ in range(2_500):
            step()

    # Measured three times, after as many steps: 10,000 in all.
    assert growth(many, 1, warm_up=1) < 20_000
