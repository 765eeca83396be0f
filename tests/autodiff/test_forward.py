"""Forward derivatives against reverse ones and formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf

RANDOM = np.random.default_rng(5)


def loop(x: Any) -> Any:
    y = x
    for _ in tf.range(3):
        y = tf.sin(y) * x
    return y


def listed(x: Any) -> Any:
    rows = tf.TensorArray(tf.float64, 3)
    for i in range(3):
        rows = rows.write(i, tf.sin(x[i]) * x)
    return rows.stack()


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: tf.sin(x) * tf.exp(x) / (1.0 + x * x),
    "broadcast": lambda x: x[:, :1] * x + tf.reduce_sum(x, axis=0),
    "product": lambda x: tf.matmul(x, tf.tanh(x), transpose_b=True),
    "pieces": lambda x: tf.concat([x[1:], tf.gather(x, [0, 0, 2])], axis=0),
    "maximum": lambda x: tf.reduce_max(tf.nn.relu(x), axis=1),
    "several results": lambda x: tf.unstack(x * x, axis=1)[1] * tf.unstack(x, axis=1)[0],
    "softmax": tf.nn.softmax,
    "call": tf.function(lambda x: tf.sin(x) * tf.reduce_mean(x)),
    "list": listed,
    "logarithms of cotangents": lambda x: tf.math.cumulative_logsumexp(x, 1),
    "loop": tf.function(loop),
    "branch": tf.function(lambda x: tf.cond(tf.reduce_sum(x) > -1e9, lambda: x * x, lambda: x)),
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_is_reverse(name: str, staged: bool) -> None:
    program = PROGRAMS[name]
    x, v = (tf.constant(RANDOM.normal(size=(3, 4))) for _ in range(2))

    def both(x: Any, v: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, v) as forward:
            y = program(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = program(x)
        jacobian = tape.jacobian(z, x)
        return forward.jvp(y), tf.tensordot(jacobian, v, 2)

    got, wanted = (tf.function(both) if staged else both)(x, v)
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


def test_variables_and_structures() -> None:
    v = tf.Variable([1.0, 2.0])
    x = tf.constant([3.0, 4.0])
    with tf.autodiff.ForwardAccumulator([v, x], [tf.constant([1.0, 0.0]), tf.ones([2])]) as forward:
        y = {"a": v * x, "b": tf.constant(1.0)}
    assert forward.jvp(y)["a"].numpy().tolist() == [4.0, 2.0]
    assert forward.jvp(y)["b"] is None
    assert float(forward.jvp(y, unconnected_gradients="zero")["b"]) == 0.0
    assert forward.jvp(v).numpy().tolist() == [1.0, 0.0]


def test_forward_over_reverse_over_forward() -> None:
    x = tf.constant(0.7, tf.float64)
    one = tf.constant(1.0, tf.float64)
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) ** 2
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(outer.jvp(slope), 2 * np.cos(1.4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = tf.sin(x) ** 2
        along = inner.jvp(y)
    np.testing.assert_allclose(tape.gradient(along, x), 2 * np.cos(1.4))
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.autodiff.ForwardAccumulator(x, one) as inner:
            y = x**3
        along = inner.jvp(y)
    np.testing.assert_allclose(outer.jvp(along), 6 * 0.7)


def test_tangents_must_fit() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="does not fit the primal"):
        tf.autodiff.ForwardAccumulator(x, tf.constant([1.0]))
    with pytest.raises(ValueError, match="Only floating and complex"):
        tf.autodiff.ForwardAccumulator(tf.constant(1), tf.constant(1))
    with pytest.raises(ValueError, match="given twice"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])
