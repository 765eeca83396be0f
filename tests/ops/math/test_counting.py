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
