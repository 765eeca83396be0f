"""Functions that bring their own gradient, eagerly, traced and differentiated from outside."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf


@tf.custom_gradient
def exponential(x: Any) -> Any:
    """Its gradient calls it again: derivatives of any order."""
    return tf.exp(x), lambda upstream: upstream * exponential(x)


@tf.custom_gradient
def skewed(x: Any, y: Any) -> Any:
    return x * y, lambda upstream: (upstream * y * 7.0, upstream * x)


def slope(function: Callable[..., Any], *args: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(args)
        value = function(*args)
    return tape.gradient(value, list(args))


def nth_slope(function: Callable[[Any], Any], order: int, x: Any) -> Any:
    if order == 0:
        return function(x)
    return slope(lambda v: nth_slope(function, order - 1, v), x)[0]


@pytest.mark.parametrize("staged", [False, True])
def test_the_rule_is_the_functions_own(staged: bool) -> None:
    run = tf.function(slope) if staged else slope
    x, y = tf.constant(1.5), tf.constant(2.0)
    assert [float(g) for g in run(skewed, x, y)] == [14.0, 1.5]
    assert [float(g) for g in slope(tf.function(skewed), x, y)] == [14.0, 1.5]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("where", ["eager", "traced inside", "traced outside"])
def test_higher_orders(order: int, where: str) -> None:
    def double(x: Any) -> Any:
        return exponential(2.0 * x)

    function = tf.function(double) if where == "traced inside" else double
    find = tf.function(nth_slope) if where == "traced outside" else nth_slope
    result = find(function, order, tf.constant(0.5, tf.float64))
    np.testing.assert_allclose(result, 2.0**order * np.e, rtol=1e-12)


def test_rules_inside_branches_and_loops() -> None:
    def program(x: Any, n: Any) -> Any:
        y = x
        for i in tf.range(n):
            if i % 2 == 0:  # noqa: SIM108
                y = exponential(y * 0.1)
            else:
                y = skewed(x, y)
        return y

    x, n = tf.constant(1.5), tf.constant(5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y: Any = x
        for i in range(5):
            y = exponential(y * 0.1) if i % 2 == 0 else skewed(x, y)
    wanted = tape.gradient(y, x)
    np.testing.assert_allclose(slope(tf.function(program), x, n)[0], wanted, rtol=1e-6)


@pytest.mark.parametrize("staged", [False, True])
def test_variables_get_the_cotangents_of_the_rule(staged: bool) -> None:
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        def grad(upstream: Any, variables: Any = None) -> Any:
            assert [w is v for w in variables] == [True]
            return upstream * 10.0, [upstream * 100.0]

        return x * v, grad

    function = tf.function(scaled) if staged else scaled
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert float(y) == 6.0
    assert [float(g) for g in tape.gradient(y, [x, v])] == [10.0, 100.0]


class Held:
    """A variable of a library's own class, which converts to its value."""

    def __init__(self, value: float) -> None:
        self.inner = tf.Variable(value)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.convert_to_tensor(self.inner, dtype, name=name)


def test_what_an_argument_holds_is_no_variable_of_the_function_in_a_graph() -> None:
    """Its rule returns a cotangent for it among those of the arguments."""
    held = Held(2.0)

    @tf.custom_gradient
    def scaled(x: Any, scale: Any) -> Any:
        def grad(upstream: Any) -> Any:
            return upstream * 10.0, upstream * 100.0

        return x * scale, grad

    @tf.function
    def slopes(x: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x, held)
        return tape.gradient(y, [x, held.inner])

    assert [float(g) for g in slopes(tf.constant(3.0))] == [10.0, 100.0]


@pytest.mark.parametrize("staged", [False, True])
def test_methods(staged: bool) -> None:
    class Scale:
        factor = 3.0

        @tf.custom_gradient
        def run(self, x: Any) -> Any:
            return x * self.factor, lambda upstream: upstream * 10.0 * self.factor

    run = Scale().run
    assert float(slope(tf.function(run) if staged else run, tf.constant(1.0))[0]) == 30.0


def test_an_object_that_is_called_is_no_method() -> None:
    class Tenfold:
        def __call__(self, x: Any) -> Any:
            return x * 2.0, lambda upstream: upstream * 10.0

    class Scale:
        run = tf.custom_gradient(Tenfold())

    x = tf.constant(1.0)
    assert float(Scale().run(x)) == 2.0
    assert [float(slope(run, x)[0]) for run in (Scale().run, Scale.run)] == [10.0, 10.0]


def test_wrong_rules_are_refused() -> None:
    v = tf.Variable(1.0)
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        tf.custom_gradient(lambda t: (t * v, lambda upstream: upstream))(x)
    with pytest.raises(ValueError, match=r"expected to return 2 gradients, but returned 1"):
        slope(tf.custom_gradient(lambda a, b: (a * b, lambda upstream: upstream)), x, x)
    with pytest.raises(ValueError, match="keyword arguments only when it runs eagerly"):
        tf.function(lambda: skewed(x, y=x))()


@pytest.mark.parametrize("staged", [False, True])
def test_recompute_grad_has_the_gradient_of_the_function(staged: bool) -> None:
    v = tf.Variable(1.25)

    def function(x: Any) -> Any:
        return tf.sin(x) * v * x

    result = []
    for f in (function, tf.recompute_grad(function)):
        f = tf.function(f) if staged else f
        x = tf.constant(0.75)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            first = tape.gradient(y, [x, v])
        result.append([float(g) for g in (*first, outer.gradient(first[0], x))])
    np.testing.assert_allclose(*result, rtol=1e-6)


def test_recompute_grad_keeps_nothing_of_the_function() -> None:
    runs = []

    def function(x: Any) -> Any:
        runs.append(1)
        return tf.sin(tf.sin(x))

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(function)(x)
    assert [call.op.type_name for call in tape._recorder.calls] == ["CustomGradient"]
    tape.gradient(y, x)
    assert len(runs) == 2


def test_grad_pass_through_and_stop_gradient() -> None:
    x = tf.constant(2.7)
    assert float(slope(tf.grad_pass_through(lambda t: tf.round(t) * 5.0), x)[0]) == 1.0
    assert float(slope(lambda t: t * tf.stop_gradient(t), x)[0]) == np.float32(2.7)


@pytest.mark.parametrize("staged", [False, True])
def test_python_functions_have_derivatives_of_every_order(staged: bool) -> None:
    def cube(x: Any) -> Any:
        return tf.py_function(lambda x: x**3, [x], tf.float64)

    def derivatives(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            result = [cube(x)]
            for _ in range(3):
                result.append(tape.gradient(result[-1], x))
        return result

    logging.disable(logging.WARNING)  # of gradients inside the tape, which is the point
    try:
        run = tf.function(derivatives) if staged else derivatives
        result = run(tf.constant(2.0, tf.float64))
    finally:
        logging.disable(logging.NOTSET)
    assert [float(f) for f in result] == [8.0, 12.0, 12.0, 6.0]
