"""Messages of graphs become nodes of graphs and functions, between any of their tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.proto.graph_pb2 import GraphDef, NodeDef

v1 = tf.compat.v1


def node(graph: GraphDef, op: str, name: str, *inputs: str, **attributes: Any) -> NodeDef:
    """Adds a node with attributes that are dtypes, bytes, bools or numbers."""
    made: NodeDef = graph.node.add(op=op, name=name, input=inputs)
    for key, value in attributes.items():
        if isinstance(value, tf.DType):
            made.attr[key].type = value.as_datatype_enum
        elif isinstance(value, bytes):
            made.attr[key].s = value
        elif isinstance(value, bool):
            made.attr[key].b = value
        else:
            made.attr[key].i = value
    return made


def number(graph: GraphDef, name: str, value: float, *inputs: str) -> NodeDef:
    """Adds a constant of float32."""
    made = node(graph, "Const", name, *inputs, dtype=tf.float32)
    made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.float32))
    return made


def doubled() -> GraphDef:
    """y = x * 2, of a parameter of any shape."""
    graph = GraphDef()
    node(graph, "Placeholder", "x", dtype=tf.float32)
    number(graph, "two", 2.0)
    node(graph, "Mul", "y", "x", "two", T=tf.float32)
    return graph


def wrapped(graph: GraphDef) -> Any:
    """The graph as a wrapped function, from which others are pruned."""
    return v1.wrap_function(lambda: tf.graph_util.import_graph_def(graph, name=""), [])


def test_a_graph_becomes_a_function() -> None:
    function = wrapped(doubled()).prune("x:0", "y:0")
    assert function(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert [operation.name for operation in function.graph.get_operations()][:3] == [
        "x",
        "two",
        "y",
    ]


def test_fetches_keep_their_structure() -> None:
    function = wrapped(doubled()).prune(["x:0"], {"a": "y:0", "b": ["two:0", "x:0"]})
    result = function(tf.constant(3.0))
    assert result["a"].numpy() == 6.0
    assert [t.numpy() for t in result["b"]] == [2.0, 3.0]


def test_a_feed_may_stand_inside_the_graph() -> None:
    graph = doubled()
    node(graph, "Neg", "z", "y", T=tf.float32)
    function = wrapped(graph).prune("y:0", "z:0")
    assert function(tf.constant([5.0])).numpy().tolist() == [-5.0]


def test_prefixes_elements_and_maps() -> None:
    message = doubled()
    with tf.Graph().as_default() as graph:
        one = tf.constant([1.0])
        elements = tf.graph_util.import_graph_def(message, {"x:0": one}, ["y:0", "y", "x"])
        again = tf.graph_util.import_graph_def(message, {"x": one}, ["y:0"], name="named")
        plain = tf.graph_util.import_graph_def(message, return_elements=["x:0"])
    assert elements[0].name == "import/y:0"
    assert elements[0].shape == [1]
    assert elements[1].type == "Mul"
    assert again[0].name == "named/y:0"
    assert plain[0].name == "import_1/x:0"
    assert graph.get_tensor_by_name("import_1/x:0").shape.rank is None


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g: tf.graph_util.import_graph_def(3), TypeError, "must be a GraphDef proto"),
        (lambda g: tf.graph_util.import_graph_def(g, 3), TypeError, "must be a dictionary"),
        (lambda g: tf.graph_util.import_graph_def(g, {"q:0": 1.0}), ValueError, r"found.*\[q:0\]"),
        (lambda g: tf.graph_util.import_graph_def(g, None, ["q:0"]), ValueError, "'q:0' not found"),
        (lambda g: tf.graph_util.import_graph_def(g, None, ["y:3"]), ValueError, "'y:3' not found"),
        (lambda g: tf.graph_util.import_graph_def(g, None, 3), TypeError, "list of strings"),
        (
            lambda g: tf.graph_util.import_graph_def(g, {"x:0": tf.constant(1)}),
            (ValueError, TypeError, tf.errors.InvalidArgumentError),
            "int32",
        ),
    ],
)
def test_wrong_arguments_are_refused(
    call: Callable[[GraphDef], object], error: Any, words: str
) -> None:
    message = doubled()
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call(message)


def test_it_needs_an_open_graph() -> None:
    with pytest.raises(RuntimeError, match="wrap_function"):
        tf.graph_util.import_graph_def(doubled())


def test_all_unknown_ops_are_named_with_their_nodes() -> None:
    graph = doubled()
    node(graph, "NoSuchOp", "first")
    node(graph, "Another", "second", "x")
    node(graph, "NoSuchOp", "third")
    with pytest.raises(
        tf.errors.NotFoundError,
        match=r"Another, in the node 'second'\n  NoSuchOp, in the node 'first', the node 'third'",
    ):
        wrapped(graph)


def test_ops_that_reach_out_are_refused() -> None:
    graph = GraphDef()
    node(graph, "Placeholder", "x", dtype=tf.string)
    node(graph, "ReadFile", "reading", "x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile reads files"):
        wrapped(graph)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("Neg", "a", ["b"]), ("Neg", "b", ["a"])], "waits for itself"),
        ([("Neg", "a", ["gone"])], "takes 'gone', which there is not"),
        ([("Neg", "a", ["x"]), ("Neg", "a", ["x"])], "occurs twice"),
        ([("Neg", "a", ["x:9"])], "there is no output"),
        ([("Neg", "a", ["x:zero"])], "names no output"),
        ([("Merge", "a", ["x", "x"])], "joins no two sides"),
        ([("Switch", "a", ["x", "x"]), ("Neg", "b", ["a:1"]), ("Neg", "c", ["b"])], None),
        ([("Enter", "a", ["x"]), ("Neg", "b", ["a"])], "has 0 conditions"),
        ([("Exit", "a", ["x"]), ("Enter", "b", ["x"])], "leaves no loop"),
    ],
)
def test_malformed_graphs_are_refused(nodes: list[Any], words: str | None) -> None:
    graph = doubled()
    for op, name, inputs in nodes:
        node(graph, op, name, *inputs)
    if words is None:
        wrapped(graph)  # what nobody takes from a branch is no fault
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        wrapped(graph)


def test_what_a_branch_gives_is_taken_through_a_merge() -> None:
    graph = doubled()
    node(graph, "Placeholder", "p", dtype=tf.bool)
    node(graph, "Switch", "s", "x", "p", T=tf.float32)
    node(graph, "Neg", "inside", "s:1", T=tf.float32)
    node(graph, "Merge", "m", "s", "inside", T=tf.float32, N=2)
    pruned = wrapped(graph)
    function = pruned.prune(["x:0", "p:0"], pruned.graph.get_operations()[-1].outputs[0])
    assert function(tf.constant(3.0), tf.constant(True)).numpy() == -3.0
    assert function(tf.constant(3.0), tf.constant(False)).numpy() == 3.0
    with tf.Graph().as_default():
        merged, index = tf.graph_util.import_graph_def(graph, return_elements=["m:0", "m:1"])
        assert merged.dtype == tf.float32
        assert index.dtype == tf.int32
        with pytest.raises(ValueError, match="inside a branch or a loop"):
            tf.graph_util.import_graph_def(graph, return_elements=["inside:0"])


def test_variables_and_what_waits() -> None:
    def counted(x: Any) -> Any:
        total = tf.Variable(5.0)
        return total.assign_add(x).read_value()

    function = v1.wrap_function(counted, [tf.TensorSpec([])])
    assert [variable.numpy() for variable in function.variables] == [5.0]
    assert function(tf.constant(1.0)).numpy() == 6.0
    assert function.variables[0].numpy() == 6.0


def test_what_is_read_has_the_shape_of_the_variable() -> None:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.Variable([2.0, 1.0], name="v") * 2.0, name="y")
    with tf.Graph().as_default() as again:
        tf.graph_util.import_graph_def(graph.as_graph_def(), name="")
    assert again.get_tensor_by_name("y:0").shape == [2]


def test_a_placeholder_that_nobody_gives() -> None:
    function = v1.wrap_function(lambda: v1.placeholder(tf.float32, [None], "x") + 1.0, [])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"must feed a value for placeholder tensor 'x' with dtype float and shape \[\?\]",
    ):
        function()
    pruned = function.prune("x:0", function.outputs[0])
    assert pruned(tf.constant([1.0])).numpy().tolist() == [2.0]
    with pytest.raises(ValueError, match="depends transitively on placeholder"):
        function.prune([], function.outputs[0])


def test_bytes_are_a_message() -> None:
    content = doubled().SerializeToString()
    with tf.Graph().as_default():
        (y,) = tf.graph_util.import_graph_def(content, {"x:0": 4.0}, ["y:0"])
    assert y.dtype == tf.float32


def test_gradients_go_through() -> None:
    function = wrapped(doubled()).prune("x:0", "y:0")
    x = tf.Variable([1.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(function(x) ** 2.0)
    assert np.allclose(tape.gradient(y, x).numpy(), [8.0, 24.0])
