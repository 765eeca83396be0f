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
