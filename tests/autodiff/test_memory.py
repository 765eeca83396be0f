"""Training holds on to nothing."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

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
    for _ in range(20):
        step()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            step()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000  # a tensor that stayed at each step would be 100,000
