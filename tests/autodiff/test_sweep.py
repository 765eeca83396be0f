"""What the reverse sweep does for every op: it adds up, sums to shapes, and leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def slopes(function: Any, *given: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(*given)
    return tape.gradient(y, list(given))


@pytest.mark.parametrize("staged", [False, True])
def test_a_value_that_is_used_twice_has_the_sum(staged: bool) -> None:
    find = tf.function(slopes) if staged else slopes
    (g,) = find(lambda x: x * x * x + x, tf.constant(X))
    np.testing.assert_allclose(g, 3 * X**2 + 1)


@pytest.mark.parametrize("signature", [None, [2, 3], [None, None]])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (1, 3), (1, 1, 1)])
def test_a_broadcast_operand_has_a_cotangent_of_its_shape(shape: Any, signature: Any) -> None:
    def find(x: Any, w: Any) -> Any:
        return [*slopes(tf.multiply, x, w), *slopes(tf.multiply, w, x)]

    if signature:
        spec = [
            tf.TensorSpec(signature, tf.float64),
            tf.TensorSpec([None] * len(shape), tf.float64),
        ]
        find = tf.function(find, input_signature=spec)
    w = np.full(shape, 2.0)
    by_x, by_w, by_w_first, by_x_last = find(tf.constant(X), tf.constant(w))
    for g in (by_x, by_x_last):
        np.testing.assert_allclose(g, np.full([2, 3], 2.0).reshape(g.shape))
    for g in (by_w, by_w_first):
        assert g.shape == shape
        np.testing.assert_allclose(np.sum(g), X.sum())
    wanted = {(3,): X.sum(0), (2, 1): X.sum(1, keepdims=True), (1, 3): X.sum(0, keepdims=True)}
    if shape in wanted:
        np.testing.assert_allclose(by_w, wanted[shape])


@pytest.mark.parametrize("staged", [False, True])
def test_integers_and_results_that_nobody_uses_have_no_gradient(staged: bool) -> None:
    def program(x: Any, i: Any) -> Any:
        values, where = tf.math.top_k(x, 2)
        first, _ = tf.unstack(values * tf.cast(i, tf.float64) * 2.0, axis=1)
        return first + tf.cast(where[:, 0], tf.float64)

    find = tf.function(slopes) if staged else slopes
    by_x, by_i = find(program, tf.constant(X), tf.constant(3))
    np.testing.assert_allclose(by_x, [[0, 0, 6.0], [0, 0, 6.0]])
    assert by_i is None
