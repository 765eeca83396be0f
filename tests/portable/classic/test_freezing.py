"""Frozen functions compute what the functions did, whatever becomes of the variables."""

from __future__ import annotations

import pytest

import graphwright as tf
from graphwright.portable.classic.freezing import convert_variables_to_constants_v2

v1 = tf.compat.v1


def test_a_frozen_function_has_the_values_of_its_making() -> None:
    slope, table = tf.Variable(2.0), tf.Variable([[1.0], [2.0], [3.0]])

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return x * slope

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def f(x: tf.Tensor, i: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(i):
            if i > 1:
                x = inner(x) + slope
        return x + tf.gather(table, i)

    frozen = convert_variables_to_constants_v2(f.get_concrete_function())
    arguments = (tf.constant([1.0, 2.0]), tf.constant(2))
    expected = f(*arguments).numpy().tolist()
    slope.assign(7.0)
    table.assign(table * 0.0)
    (result,) = frozen(*arguments)
    assert result.numpy().tolist() == expected == [13.0, 17.0]
    assert frozen.variables == ()
    assert not frozen.graph.captures
    ops = {node.op for node in frozen.graph.as_graph_def().node}
    assert not ops & {"ReadVariableOp", "ResourceGather", "PartitionedCall"}


def test_a_variable_that_is_read_twice_is_one_constant() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable([2.0, 3.0], name="v")
        tf.add(v * v, v, name="y")
        session.run(v.initializer)
        message = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    assert [node.name for node in message.node if node.op == "Const"] == ["v"]
    assert session.graph is graph


def test_what_cannot_be_frozen_is_said() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.identity(tf.Variable(2.0, name="v"), name="y")
        message = graph.as_graph_def()
        with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
            v1.graph_util.convert_variables_to_constants(session, message, ["y"])
        with pytest.raises(ValueError, match="z is not in graph"):
            v1.graph_util.convert_variables_to_constants(session, message, ["z"])
