"""Calls and choices in machine code: part of the segment around them."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright as tf
from graphwright.compile.run.inspection import outside


@tf.function
def layer(x, weights):
    return tf.tanh(x @ weights)


def called_in_a_loop(x, weights):
    for _ in tf.range(3):
        x = layer(x, weights)
    return x


def slope_of_calls(x, weights):
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_sum(called_in_a_loop(x, weights) ** 2)
    return tape.gradient(loss, weights)


def called_twice(x, weights):
    return layer(layer(x, weights), weights) * 2.0


@pytest.mark.parametrize("function", [called_in_a_loop, slope_of_calls, called_twice])
def test_calls_are_part_of_their_callers(function):
    operands = [np.linspace(-1.0, 1.0, 9, dtype=np.float32).reshape(3, 3) for _ in range(2)]
    staged = tf.function(function, jit_compile=True)
    expected = function(*map(tf.constant, operands))
    own = staged(*map(tf.constant, operands))
    np.testing.assert_allclose(own, expected, rtol=1e-4, atol=1e-6)
    (concrete,) = staged._list_all_concrete_functions()
    assert not outside(concrete.graph)


def test_a_call_that_changes_a_variable_does_so_in_order():
    total = tf.Variable(2.0)

    @tf.function
    def added(x):
        total.assign_add(1.0)
        return x * total

    staged = tf.function(lambda x: added(x) + added(x), jit_compile=True)
    assert staged(tf.constant(1.0)) == 7.0
    assert total == 4.0


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 7])
def test_a_choice_between_graphs_is_native(index):
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([], tf.int32)])
    def choose(i):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2])
        x = tf.constant([1.0, 2.0])
        for k in tf.range(3):
            sides = [lambda: x + 1.0, lambda: x * 3.0, lambda: -x]
            array = array.write(k, tf.switch_case(i + k, sides))
        return array.stack()

    sides = [[2.0, 3.0], [3.0, 6.0], [-1.0, -2.0]]
    expected = [sides[k if 0 <= k < 3 else 2] for k in range(index, index + 3)]
    assert choose(index).numpy().tolist() == expected
    assert not outside(choose.get_concrete_function().graph)
