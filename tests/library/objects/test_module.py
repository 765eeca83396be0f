"""Names of variables in scopes and modules: as TensorFlow 2.21 gave them."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf


class Layer(tf.Module):
    """Creates its variables at its first call."""

    w: Any = None

    @tf.Module.with_name_scope
    def __call__(self, x: Any) -> Any:
        if self.w is None:
            self.w = tf.Variable(x, name="w")
            self.u = tf.Variable(x)
        return self.w * x


def test_a_module_names_its_variables() -> None:
    layer = Layer(name="m")
    layer(1.0)
    assert (layer.w.name, layer.u.name) == ("m/w:0", "m/Variable:0")


def test_scopes_name_variables() -> None:
    with tf.name_scope("a"), tf.name_scope("b") as scope:
        assert scope == "a/b/"
        assert tf.Variable(1.0, name="v").name == "a/b/v:0"
    assert tf.Variable(1.0).name == "Variable:0"


def test_scopes_name_variables_that_a_function_creates() -> None:
    made: list[Any] = []

    @tf.function
    def run() -> Any:
        with tf.name_scope("q"):
            if not made:
                made.append(tf.Variable(1.0, name="z"))
            return made[0] + 1.0

    run()
    assert made[0].name == "q/z:0"


def test_a_module_has_the_scope_that_it_was_made_in_wherever_it_is_called() -> None:
    with tf.name_scope("outer"):
        inner = Layer()
    assert (inner.name, inner.name_scope.name) == ("layer", "outer/layer/")
    with tf.name_scope("elsewhere"):
        inner(1.0)
        with inner.name_scope as scope:
            assert (scope, tf.Variable(1.0, name="a").name) == ("outer/layer/", "outer/layer/a:0")
    assert inner.w.name == "outer/layer/w:0"
    assert tf.Module(name="x").name_scope.name == "x/"


class Gate(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        if x > 3.0:
            return x * 2.0
        return x

    @tf.autograph.experimental.do_not_convert
    def plain(self, x: tf.Tensor) -> tf.Tensor:
        return self(x)


def test_a_method_in_a_name_scope_is_converted_where_its_caller_is() -> None:
    gate, x = Gate(), tf.constant(5.0)
    assert [float(call(x)) for call in (gate, tf.function(gate), gate.plain)] == [10.0] * 3
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(gate.plain)(x)
