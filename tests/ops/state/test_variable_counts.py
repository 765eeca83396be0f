"""Variables that count up to a limit; TensorFlow 2.21 gave the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import graphwright as tf
from graphwright.proto.graph_pb2 import GraphDef


def eager(variable: tf.Variable) -> Callable[[], Any]:
    return lambda: variable.count_up_to(3)


def traced(variable: tf.Variable) -> Callable[[], Any]:
    return tf.function(lambda: variable.count_up_to(3))


def native(variable: tf.Variable) -> Callable[[], Any]:
    return tf.function(lambda: variable.count_up_to(3), jit_compile=True)


def former(variable: tf.Variable) -> Callable[[], Any]:
    return lambda: tf.compat.v1.count_up_to(variable, 3)


def raw(variable: tf.Variable) -> Callable[[], Any]:
    return lambda: tf.raw_ops.ResourceCountUpTo(
        resource=variable.handle, limit=3, T=variable.dtype
    )


@pytest.mark.parametrize("way", [eager, traced, native, former, raw])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_it_counts_up_to_the_limit(
    way: Callable[[tf.Variable], Callable[[], Any]], dtype: tf.DType
) -> None:
    variable = tf.Variable(1, dtype=dtype)
    count = way(variable)
    for before in (1, 2):
        result = count()
        assert (result.dtype, result.numpy()) == (dtype, before)
        assert variable.numpy() == before + 1
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            count()
        assert variable.numpy() == 3


def test_it_counts_in_a_loop_though_nobody_reads_it() -> None:
    variable = tf.Variable(0)

    @tf.function
    def run(n: Any) -> Any:
        for _ in tf.range(n):
            variable.count_up_to(3)
        return variable.read_value()

    assert run(tf.constant(2)).numpy() == 2
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        run(tf.constant(2))
    assert variable.numpy() == 3


def test_it_has_no_gradient() -> None:
    variable = tf.Variable(0)
    with tf.GradientTape() as tape:
        tape.watch(variable)
        result = variable.count_up_to(3)
    assert tape.gradient(result, variable) is None


@pytest.mark.parametrize(
    ("value", "limit", "kind", "words"),
    [
        (1, True, tf.errors.OutOfRangeError, "Reached limit of 1"),
        (2, 2.5, tf.errors.OutOfRangeError, "Reached limit of 2"),
        (0, -1, tf.errors.OutOfRangeError, "Reached limit of -1"),
        (1, "a", TypeError, "Expected int for argument 'limit' not 'a'."),
        (1, None, TypeError, "Expected int for argument 'limit' not None."),
        (1, 2**31, tf.errors.InvalidArgumentError, "2147483648 out of range for an int32"),
        ([1], 3, tf.errors.InvalidArgumentError, r"input is not a scalar: \[1\]"),
        (1.0, 3, tf.errors.InvalidArgumentError, "not in the list of allowed values: int32, int64"),
    ],
)
def test_what_it_refuses(value: Any, limit: Any, kind: type[Exception], words: str) -> None:
    variable = tf.Variable(value)
    with pytest.raises(kind, match=words):
        variable.count_up_to(limit)
    assert variable.numpy().tolist() == value


def test_a_trace_knows_that_it_is_no_scalar() -> None:
    variable = tf.Variable([1])
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.function(lambda: variable.count_up_to(3))()


def test_a_reference_of_a_graph_of_tensorflow_1_counts() -> None:
    message = GraphDef()
    with tf.Graph().as_default() as graph:
        tf.constant(1, tf.int64, name="start")
        message.CopyFrom(graph.as_graph_def())
    variable = message.node.add(op="VariableV2", name="v")
    variable.attr["dtype"].type = tf.int64.as_datatype_enum
    variable.attr["shape"].shape.SetInParent()
    start = message.node.add(op="Assign", name="init", input=["v", "start"])
    start.attr["T"].type = tf.int64.as_datatype_enum
    count = message.node.add(op="CountUpTo", name="c", input=["v"])
    count.attr["T"].type = tf.int64.as_datatype_enum
    count.attr["limit"].i = 3
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.graph_util.import_graph_def(message, name="")
        session.run("init")
        for before in (1, 2):
            assert session.run("c:0") == before
            assert session.run("v:0") == before + 1
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            session.run("c:0")
        assert session.run("v:0") == 3
