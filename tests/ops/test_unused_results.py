"""The gradient of one result of an op of several, while the others are not used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]])
TALL = np.array([[4.0, 1.0], [1.0, 3.0], [0.5, -2.0]])

#: Functions of a matrix that do not depend on the signs that a decomposition chooses.
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "the q of qr": (lambda x: tf.square(tf.linalg.qr(x)[0]), TALL),
    "the r of qr": (lambda x: tf.square(tf.linalg.qr(x)[1]), TALL),
    "the values of eigh": (lambda x: tf.linalg.eigh(x + tf.transpose(x))[0], MATRIX),
    "the vectors of eigh": (lambda x: tf.square(tf.linalg.eigh(x + tf.transpose(x))[1]), MATRIX),
    "the values of svd": (lambda x: tf.linalg.svd(x)[0], TALL),
    "the left vectors of svd": (lambda x: tf.square(tf.linalg.svd(x)[1]), TALL),
    "the right vectors of svd": (lambda x: tf.square(tf.linalg.svd(x)[2]), TALL),
    "the values of eig": (lambda x: tf.abs(tf.linalg.eig(x)[0]), MATRIX),
    "the vectors of eig": (lambda x: tf.square(tf.abs(tf.linalg.eig(x)[1])), MATRIX),
    "the sign of slogdet": (lambda x: tf.linalg.slogdet(x)[0], MATRIX),
    "the logarithm of slogdet": (lambda x: tf.linalg.slogdet(x)[1], MATRIX),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradient_is_the_difference_quotient(name: str, traced: bool) -> None:
    function, at = FUNCTIONS[name]

    def weighted(x: Any) -> Any:
        result = function(x)
        weights = tf.reshape(
            tf.range(1.0, tf.cast(tf.size(result), tf.float64) + 0.5), result.shape
        )
        return tf.reduce_sum(tf.cast(result, tf.float64) * tf.cast(weights, tf.float64))

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = weighted(x)
        return tape.gradient(value, x)

    found = (tf.function(gradient, autograph=False) if traced else gradient)(tf.constant(at))
    step = 1e-6
    for index in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[index] = step
        above, below = weighted(tf.constant(at + shift)), weighted(tf.constant(at - shift))
        expected = (above.numpy() - below.numpy()) / (2 * step)
        np.testing.assert_allclose(found.numpy()[index], expected, rtol=1e-5, atol=1e-7)
