"""Counts and ranks of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.inspection import outside


def test_predictions_of_numpy_become_float32() -> None:
    """As in TensorFlow, which refuses a tensor of float64."""
    predictions = np.array([[1.0, 2.0], [3.0, 2.0]])
    best = tf.math.in_top_k(np.array([1, 1]), predictions, k=1)
    assert best.numpy().tolist() == [True, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        tf.math.in_top_k(tf.constant([1, 1]), tf.constant(predictions), k=1)


def test_a_histogram_of_no_number_is_refused() -> None:
    """Losses that have become NaN reach it by metrics; NumPy's own words say nothing of that."""
    for histogram in (tf.histogram_fixed_width, tf.function(tf.histogram_fixed_width)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not contain NaN"):
            histogram(tf.constant([0.5, np.nan]), [0.0, 1.0], 3)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("k", [0, 1, 5, 70, 2**31 - 1, -1])
def test_hits_among_the_best_are_those_that_a_sort_gives(k: int, dtype: tf.DType) -> None:
    random = np.random.default_rng(0)
    predictions = random.integers(0, 40, (40, 70)).astype(np.float32)
    predictions[3, 5], predictions[4, 60], predictions[5, 1] = np.nan, np.inf, -np.inf
    predictions[8] *= 8e36  # whose sum overflows
    targets = random.integers(-3, 75, 40)
    expected = [
        0 <= target < 70 and np.isfinite(row).all() and sum(row > row[target]) < k
        for row, target in zip(predictions, targets.tolist())
    ]

    def hits(predictions: Any, targets: Any) -> Any:
        return tf.math.in_top_k(targets, predictions, k)

    operands = tf.constant(predictions), tf.constant(targets, dtype)
    assert hits(*operands).numpy().tolist() == expected
    native = tf.function(hits, jit_compile=True)
    assert native(*operands).numpy().tolist() == expected
    assert not outside(native.get_concrete_function(*operands).graph)
