"""Counts and ranks of classes."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf


def test_predictions_of_numpy_become_float32() -> None:
    """As in TensorFlow, which refuses a tensor of float64."""
    predictions = np.array([[1.0, 2.0], [3.0, 2.0]])
    best = tf.math.in_top_k(np.array([1, 1]), predictions, k=1)
    assert best.numpy().tolist() == [True, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        tf.math.in_top_k([1, 1], tf.constant(predictions), k=1)


def test_a_histogram_of_no_number_is_refused() -> None:
    """Losses that have become NaN reach it by metrics; NumPy's own words say nothing of that."""
    for histogram in (tf.histogram_fixed_width, tf.function(tf.histogram_fixed_width)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not contain NaN"):
            histogram(tf.constant([0.5, np.nan]), [0.0, 1.0], 3)
