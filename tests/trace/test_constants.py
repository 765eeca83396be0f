"""Axes and shapes in graphs: the constants that they become, and what is taken for one."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.trace.tracer import is_places


@pytest.mark.parametrize("operand", [1, -1, (), (0, 1), [2, 3]])
def test_ints_are_places(operand):
    assert is_places(operand)


@pytest.mark.parametrize("operand", [True, 1.0, (0, True), ((0, 1),), None, "SAME"])
def test_what_equals_an_int_but_is_none_is_not(operand):
    assert not is_places(operand)


def test_graphs_name_what_they_share_each_for_itself():
    def sums(x):
        return tf.reduce_sum(x, 1), tf.reduce_sum(x, 1, name="again"), tf.reshape(x, [1, -1])

    for _ in range(2):
        graph = tf.function(sums).get_concrete_function(tf.TensorSpec([2, 3])).graph
        constants = [op for op in graph.get_operations() if op.type == "Const"]
        names = [op.name for op in constants]
        assert names == ["Sum/reduction_indices", "again/reduction_indices", "Reshape/shape"]
        assert [op.outputs[0].dtype for op in constants] == [tf.int32] * 3


def test_an_op_remembers_no_more_types_than_it_is_asked_for_lately():
    @tf.function
    def double(x):
        return tf.exp(x)

    for n in range(40):
        assert double(tf.ones([n])).shape == [n]
    assert tf.function(tf.exp)(tf.ones([3])).shape == [3]
