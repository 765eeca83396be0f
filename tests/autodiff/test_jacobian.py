"""Jacobians, hessians and gradients inside graphs, against formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

X = np.arange(6.0).reshape(3, 2) / 4
W = np.arange(8.0).reshape(2, 4) / 8


def jacobians(x: Any) -> Any:
    w = tf.constant(W)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = tf.sin(x) @ w
    return [*tape.jacobian(y, [x, w]), tape.batch_jacobian(y, x)]


@pytest.mark.parametrize("shape", [None, [3, 2], [None, 2]])
def test_jacobians_of_a_product(shape: Any) -> None:
    signature = None if shape is None else [tf.TensorSpec(shape, tf.float64)]
    run = jacobians if shape is None else tf.function(jacobians, input_signature=signature)
    by_x, by_w, batch = run(tf.constant(X))
    each = np.einsum("bi,ij->bji", np.cos(X), W)
    np.testing.assert_allclose(batch, each)
    np.testing.assert_allclose(by_x, np.einsum("bji,bc->bjci", each, np.eye(3)))
    np.testing.assert_allclose(by_w, np.einsum("bi,jk->bjik", np.sin(X), np.eye(4)))


def test_jacobians_where_nothing_is_connected() -> None:
    def run(x: Any, y: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = x * 2.0
        assert tape.jacobian(z, y) is None
        assert tape.batch_jacobian(z, y) is None
        return tape.jacobian(z, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)

    for function in (run, tf.function(run)):
        found = function(tf.constant([1.0, 2.0]), tf.zeros([2, 3]))
        np.testing.assert_array_equal(found[0], 2 * np.eye(2))
        np.testing.assert_array_equal(found[1], np.zeros([2, 2, 3]))


def test_batches_must_match() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x, keepdims=True)
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(y, x)


def test_gradients_inside_a_graph() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def run(x: Any) -> Any:
        y = tf.cond(x > 0.0, lambda: x * x * v, lambda: x)
        z = 2.0 * y
        partial = tf.gradients(y + z, [y, z], stop_gradients=[y, z])
        other = tf.gradients(y, [tf.constant(1.0), x], unconnected_gradients="zero")
        return [
            *tf.gradients(y, [x, v]),
            *tf.gradients([y, z], x, grad_ys=[tf.constant(1.0), tf.constant(10.0)]),
            *partial,
            *tf.gradients(y + z, [y, z]),
            *other,
        ]

    found = [float(g) for g in run(tf.constant(2.0))]
    assert found == [12.0, 4.0, 252.0, 1.0, 1.0, 3.0, 1.0, 0.0, 12.0]
    with pytest.raises(RuntimeError, match=r"tf.gradients is not supported"):
        tf.gradients(tf.constant(1.0), tf.constant(1.0))


@pytest.mark.parametrize("shape", [[2], [None], None])
def test_hessians(shape: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float64)])
    def run(x: Any) -> Any:
        return tf.hessians(x[0] ** 3 * x[1] + tf.reduce_sum(x), x)

    (found,) = run(tf.constant([2.0, 3.0], tf.float64))
    np.testing.assert_allclose(found, [[36.0, 12.0], [12.0, 0.0]])
