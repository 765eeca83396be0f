"""Dilation by blocks, with rates that only a run knows: what TensorFlow 2.21 gave is recorded."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf

X = np.arange(126.0, dtype=np.float32).reshape(2, 7, 9, 1)
KERNEL = np.arange(6.0, dtype=np.float32).reshape(2, 3, 1, 1)


def correlated(x: tf.Tensor, rank: int, padding: str) -> tf.Tensor:
    return tf.nn.conv2d(x, KERNEL, 1, padding)


@tf.function(input_signature=[tf.TensorSpec([2], tf.int32), tf.TensorSpec([None] * 4)])
def dilated(rate: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    same = tf.nn.with_space_to_batch(x, rate, "SAME", correlated, filter_shape=[2, 3])
    return same, tf.nn.with_space_to_batch(x, rate, "VALID", correlated)


@pytest.mark.parametrize(
    ("rate", "squares"),
    [
        ([1, 1], [118894672.0, 104297472.0]),
        ([2, 3], [81028056.0, 39653596.0]),
        ([3, 1], [97687336.0, 77106768.0]),
    ],
)
def test_rates_may_be_tensors(rate: list[int], squares: list[float]) -> None:
    results = [result.numpy() for result in dilated(tf.constant(rate), X)]
    np.testing.assert_allclose([np.sum(y * y) for y in results], squares, 1e-6)
    stated = tf.nn.with_space_to_batch(X, rate, "VALID", correlated)
    np.testing.assert_array_equal(results[1], stated.numpy())
