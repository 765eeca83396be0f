"""What is said, and when, where results must be finite."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.op.interpreter import STATE

INFINITE = tf.constant([1.0, np.inf, -np.inf, np.nan, np.nan])


@pytest.fixture(autouse=True)
def _checks():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()
    assert STATE.active is None


def message(call):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    return str(caught.value)


def test_an_eager_result_is_described():
    text = message(lambda: tf.math.log(tf.constant([-1.0, 0.0, 1.0])))
    assert 'output 0 of eagerly-executing op "Log" (# of outputs: 1)' in text
    assert "dtype: <dtype: 'float32'>" in text
    assert "shape: (3,)" in text
    assert "# of -Inf elements: 1" in text
    assert "# of +NaN elements: 1" in text
    assert "+Inf elements" not in text
    assert "Input tensor: [-1.  0.  1.]" in text


def test_all_operands_are_shown():
    text = message(lambda: tf.constant(1.0) / tf.constant(0.0))
    assert "# of +Inf elements: 1" in text
    assert "Input tensors (2):" in text
    assert " 0: 1.0\n" in text
    assert " 1: 0.0\n" in text


def test_the_result_of_several_is_numbered():
    text = message(lambda: tf.unstack(INFINITE))
    assert 'output 1 of eagerly-executing op "Unpack" (# of outputs: 5)' in text


def test_a_traced_op_says_where_it_was_made():
    f = tf.function(lambda x: tf.math.log(x))
    assert f(tf.constant(1.0)) == 0.0
    text = message(lambda: f(tf.constant(0.0)))
    assert 'output 0 of graph op "Log" (# of outputs: 1)' in text
    assert "Created at: " in text
    assert "test_numerics.py" in text


def test_a_traced_op_of_several_results_is_checked_at_each():
    f = tf.function(lambda x: tf.unstack(x)[2])
    assert f(tf.constant([1.0, 2.0, 3.0])) == 3.0
    assert 'output 2 of graph op "Unpack"' in message(lambda: f(tf.constant([1.0, 2.0, np.inf])))


def test_what_is_no_float_or_only_passed_on_is_not_checked():
    assert tf.constant(7) // 2 == 3
    assert tf.strings.join(["a", "b"]) == b"ab"
    assert np.isinf(tf.identity(INFINITE).numpy()[1])
    v = tf.Variable(1.0)
    v.assign(2.0)
    assert v.numpy() == 2.0
    assert tf.function(lambda: v.assign_add(1.0))() == 3.0


def test_what_is_enabled_twice_is_disabled_once():
    checker = STATE.active
    tf.debugging.enable_check_numerics()
    assert STATE.active is checker
    tf.debugging.disable_check_numerics()
    assert STATE.active is None
    assert np.isinf((tf.constant(1.0) / 0.0).numpy())
    tf.debugging.disable_check_numerics()
    tf.debugging.enable_check_numerics()
    assert "Div" in message(lambda: tf.constant(1.0) / 0.0)


def test_it_is_found_under_a_tape_and_ends_there():
    with tf.GradientTape() as tape:
        x = tf.constant(0.0)
        tape.watch(x)
        assert "Log" in message(lambda: tf.math.log(x))
        tf.debugging.disable_check_numerics()
        y = tf.math.log(x)
    assert np.isneginf(y.numpy())
