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
            column = tf.stack([z], 1)
        assert tape.jacobian(z, y) is None
        assert tape.batch_jacobian(column, y).shape == (2, 1, 3)
        return tape.jacobian(z, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)

    for function in (run, tf.function(run)):
        found = function(tf.constant([1.0, 2.0]), tf.zeros([2, 3]))
        np.testing.assert_array_equal(found[0], 2 * np.eye(2))
        np.testing.assert_array_equal(found[1], np.zeros([2, 2, 3]))


def test_batches_must_match() -> None:
    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x, keepdims=True)
        z = x[:, 0]
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(y, x)
    with pytest.raises(ValueError, match="and another axis"):
        tape.batch_jacobian(z, x)


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


def test_hessians_of_a_variable_have_its_shape_twice() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0]])
    (hessian,) = tf.function(lambda: tf.hessians(tf.reduce_sum(v**3), v))()
    expected = np.diag([6.0, 12.0, 18.0]).reshape(1, 3, 1, 3)
    assert hessian.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [[2], [None], None])
def test_hessians(shape: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float64)])
    def run(x: Any) -> Any:
        return tf.hessians(x[0] ** 3 * x[1] + tf.reduce_sum(x), x)

    (found,) = run(tf.constant([2.0, 3.0], tf.float64))
    np.testing.assert_allclose(found, [[36.0, 12.0], [12.0, 0.0]])


def looping(x: Any) -> Any:
    """A loop of as many iterations as `x` says, with a branch and a list in it."""

    def body(i: Any, y: Any, kept: Any) -> Any:
        y = tf.cond(i % 2 == 0, lambda: tf.sin(y) * x, lambda: y + x * x)
        return i + 1, y, kept.write(i, tf.reduce_sum(y) * y)

    count = tf.cast(tf.reduce_sum(tf.abs(x)) + 2, tf.int32)
    state = tf.constant(0), x, tf.TensorArray(tf.float64, 0, dynamic_size=True)
    _, y, kept = tf.while_loop(lambda i, *_: i < count, body, state)
    return kept.stack() + y


@pytest.mark.parametrize("traced", [False, True])
def test_all_rows_at_once_are_the_rows_in_a_loop(traced: bool) -> None:
    """Gradients of loops, branches and lists, of many rows at once."""

    def run(x: Any, at_once: bool) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.function(looping)(x)
            z = tf.nn.relu(y) @ y[:, :, None] if y.shape.rank == 3 else tf.exp(-y * y)
        return tape.jacobian(z, x, experimental_use_pfor=at_once)

    run = tf.function(run) if traced else run
    x = tf.constant([0.5, -0.7, 1.1], tf.float64)
    found = run(x, True)
    assert found.shape.rank == 3
    np.testing.assert_allclose(found, run(x, False), rtol=1e-12)


def test_a_jacobian_of_a_jacobian() -> None:
    x = tf.constant([0.5, -0.7, 1.1], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_prod(x) * x
        first = inner.jacobian(y, x)
    second = outer.jacobian(first, x)
    a, b, c = x.numpy()
    np.testing.assert_allclose(second[0, 0], [2 * b * c, 2 * a * c, 2 * a * b])


@pytest.mark.parametrize("unconnected", ["none", "zero"])
@pytest.mark.parametrize("at_once", [False, True])
def test_the_batch_jacobian_of_what_is_not_connected_is_zero(
    unconnected: str, at_once: bool
) -> None:
    x, y = tf.ones([2, 3]), tf.ones([2, 4])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = y * 2.0
    rows = tape.batch_jacobian(z, x, unconnected, experimental_use_pfor=at_once)
    assert rows.numpy().tolist() == np.zeros([2, 4, 3]).tolist()


V = tf.constant(2.0)


def in_cond(x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: x * V, lambda: x)


def in_while(x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * V), (0, x))[1]


def in_if(x: Any) -> Any:
    y = x
    if x > 0.0:
        y = x * V
    return y


def in_for(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        if x > 0.0:
            y = y * V
    return y


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (in_cond, 3.0),
        (in_while, 36.0),
        (in_if, 3.0),
        (in_for, 12.0),
        (lambda x: tf.switch_case(tf.cast(x, tf.int32) - 3, [lambda: x * V, lambda: x]), 3.0),
        (lambda x: tf.map_fn(lambda e: e * V, tf.stack([x, x])), 6.0),
        (lambda x: tf.scan(lambda a, e: a * e * V, tf.stack([x, x])), 9.0),
        (lambda x: tf.foldl(lambda a, e: a * e * V, tf.stack([x, x])), 9.0),
        (lambda x: tf.vectorized_map(lambda e: e * V, tf.stack([x, x])), 6.0),
    ],
)
@pytest.mark.parametrize("compiled", [None, True])
def test_a_constant_from_outside_is_a_source_of_gradients(
    function: Any, wanted: float, compiled: bool | None
) -> None:
    """Values from TensorFlow 2.21: what a branch or a loop copies is that tensor still."""
    staged = tf.function(lambda x: tf.gradients(function(x), [V]), jit_compile=compiled)
    (slope,) = staged(tf.constant(3.0))
    assert float(slope) == wanted


def test_a_constant_of_another_function_is_a_source_of_gradients() -> None:
    inner = tf.function(lambda x: x * V)
    wrapped = tf.compat.v1.wrap_function(lambda x: x * V, [tf.TensorSpec([])])
    pruned = wrapped.prune(wrapped.inputs[0], wrapped.outputs[0])
    for outer in (inner, wrapped, pruned, lambda x: tf.cond(x > 0.0, lambda: inner(x), lambda: x)):
        slopes = tf.function(lambda x, outer=outer: tf.gradients(outer(x), [V]))
        assert float(slopes(tf.constant(3.0))[0]) == 3.0
    other = tf.constant(5.0)
    assert tf.function(lambda x: tf.gradients(inner(x), [other])[0] is None)(tf.constant(3.0))
