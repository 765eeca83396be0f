"""Exported graphs: as TensorFlow has read and run them, and with the order of effects."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import graphs, node_names

import graphwright as tf
from graphwright.ir import graphdef
from graphwright.ir.tensor_proto import tensor_proto
from graphwright.op.op import REGISTRY, parse_operand
from graphwright.proto.graph_pb2 import GraphDef
from graphwright.proto.tensor_pb2 import TensorProto
from graphwright.types.dtypes import as_dtype

GOLDEN = Path(__file__).parent.parent / "golden"
RESULTS = json.loads((GOLDEN / "graph_results.json").read_text(encoding="utf-8"))
SIGNATURES = json.loads((GOLDEN / "op_signatures.json").read_text(encoding="utf-8"))
MESSAGES = json.loads((GOLDEN / "tensor_protos.json").read_text(encoding="utf-8"))


def numbered(message: bytes) -> GraphDef:
    """The graph with its nodes, arguments and functions named by their order."""
    graph = GraphDef.FromString(message)
    functions = {f.signature.name: f"f{i}" for i, f in enumerate(graph.library.function)}
    number_nodes(graph.node, {}, functions)
    for function in graph.library.function:
        signature = function.signature
        signature.name = functions[signature.name]
        arguments = {a.name: f"a{i}" for i, a in enumerate(signature.input_arg)}
        results = {a.name: f"r{i}" for i, a in enumerate(signature.output_arg)}
        names = number_nodes(function.node_def, arguments, functions)
        for argument in [*signature.input_arg, *signature.output_arg]:
            argument.name = (arguments | results)[argument.name]
        returned = {results[k]: reference(v, names) for k, v in function.ret.items()}
        effects = [names[name] for name in function.control_ret]
        for field, pairs in (
            (function.ret, returned),
            (function.control_ret, {e: e for e in effects}),
        ):
            field.clear()
            field.update(pairs)
        signature.control_output[:] = effects
        function.arg_attr.clear()
    return graph


def number_nodes(
    nodes: Any, arguments: dict[str, str], functions: dict[str, str]
) -> dict[str, str]:
    """Renames nodes in place; the new names by the old ones."""
    names = arguments | {node.name: f"n{i}" for i, node in enumerate(nodes)}
    for node in nodes:
        node.name = names[node.name]
        node.input[:] = [reference(each, names) for each in node.input]
        node.attr.pop("_user_specified_name", None)
        for attribute in node.attr.values():
            own = [attribute.func] if attribute.HasField("func") else []
            for called in own or attribute.list.func:
                called.name = functions[called.name]
    for node in nodes:
        controls = sorted(each for each in node.input if each.startswith("^"))
        node.input[:] = [*(each for each in node.input if each[0] != "^"), *controls]
    return names


def reference(text: str, names: dict[str, str]) -> str:
    """An input string with its node renamed."""
    return re.sub(r"[^^:]+", lambda match: names[match.group()], text, count=1)


@pytest.mark.parametrize("name", graphs.PROGRAMS)
def test_a_program_is_exported_as_tensorflow_ran_it(name: str) -> None:
    recorded = (GOLDEN / f"graph_{name}.pb").read_bytes()
    exported = graphs.export(graphs.PROGRAMS[name]).message
    assert numbered(exported) == numbered(recorded)


@pytest.mark.parametrize("name", graphs.PROGRAMS)
def test_a_program_gives_what_tensorflow_made_of_its_graph(name: str) -> None:
    results, variables = graphs.run(graphs.PROGRAMS[name])
    assert [results, variables] == RESULTS[name]


@pytest.mark.parametrize(("dtype", "value"), graphs.ARRAYS)
def test_an_array_is_written_as_tensorflow_writes_it(dtype: str, value: Any) -> None:
    made = as_dtype(dtype)
    encoded = np.vectorize(str.encode, otypes=[object])(value) if made is tf.string else value
    proto = tensor_proto(np.array(encoded, made.as_numpy_dtype), made)
    recorded = TensorProto.FromString(bytes.fromhex(MESSAGES[f"{dtype} {value}"]))
    assert proto == recorded


def test_a_resource_is_no_constant() -> None:
    with pytest.raises(TypeError, match="resource"):
        tensor_proto(np.array(1), tf.resource)


#: Ops that TensorFlow has not: graphs with them are read by us alone.
OURS = {
    "CTCLossDense",  # there it is a composition of many ops
    "CustomGradient",  # there a Python function is wrapped in IdentityN
    "EagerPyFuncGradient",  # there it is a method of the recorded call
    "GraphwrightCTCLabelRows",  # there an op takes sparse labels
    "GraphwrightCrossRows",  # there ops with lists of different lengths
    "GraphwrightDilation2DTangent",  # there a dilation has no second derivative
    "GraphwrightSumTo",  # there four ops, which a GraphDef has in its place
    "GraphwrightWeightedSums",  # there logarithms of cotangents, infinite where they are zero
}


@pytest.mark.parametrize("name", sorted(REGISTRY.keys() - OURS))
def test_an_op_has_the_signature_of_tensorflows(name: str) -> None:
    op = REGISTRY[name]
    inputs, outputs, attributes = SIGNATURES[name]
    assert " ".join(operand.name for operand in op.operands) == inputs
    assert " ".join(parse_operand(text).name for text in op.outputs) == outputs
    attributes_here = set(op.fields) - op.private
    assert attributes_here <= set(attributes), "attributes that TensorFlow's op has not"
    declared = {operand.dtype for operand in (*op.operands, *op.results)}
    lists = {"N"} if any(operand.variadic for operand in op.operands) else set()
    required = {key for key, kind in attributes.items() if kind.endswith(" required")}
    assert required <= attributes_here | declared | lists, "attributes that no operand decides"


#: The kinds of attributes that the annotations of an op's fields are written as.
KINDS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "bytes": "string",
    "DType": "type",
    "Dims": "shape",
    "Dims | None": "shape",
    "Literal": "tensor",
    "Graph": "func",
}


@pytest.mark.parametrize("name", sorted(REGISTRY.keys() - OURS))
def test_an_op_has_attributes_of_tensorflows_kinds(name: str) -> None:
    op = REGISTRY[name]
    kinds = {key: kind.removesuffix(" required") for key, kind in SIGNATURES[name][2].items()}
    for field, text in op.fields.items():
        if field in op.private:
            continue
        entry = text.removeprefix("tuple[").removesuffix(", ...]").removesuffix(" | None")
        kind = KINDS[text] if text in KINDS else KINDS[entry]
        wanted = kinds[field]
        assert wanted == (f"list({kind})" if text.startswith("tuple[") else kind), field
    for operand in (*op.operands, *op.results):
        if operand.dtype in kinds and operand.dtype not in op.fields:
            assert kinds[operand.dtype] == ("list(type)" if operand.mixed else "type")


@pytest.fixture
def graph() -> Any:
    variable = tf.Variable(1.0)

    @tf.function
    def program(x: Any) -> Any:
        before = variable.read_value()
        variable.assign(x)
        after = variable.read_value()
        return before + after, tf.split(tf.stack([x, x]), 2)

    program.keep = variable
    return program.get_concrete_function(tf.TensorSpec([], name="x")).graph


def test_a_read_comes_after_the_write_before_it(graph: Any) -> None:
    first, second = [op for op in graph.get_operations() if op.type == "ReadVariableOp"]
    (write,) = [op for op in graph.get_operations() if op.type == "AssignVariableOp"]
    assert first.control_inputs == []
    assert write.control_inputs == [first]
    assert second.control_inputs == [write]
    assert f"^{write.name}" in second.node_def.input


def test_inputs_outputs_and_effects_are_listed(graph: Any) -> None:
    assert [t.name for t in graph.inputs] == [v.name for v in graph.arguments]
    assert [t.dtype for t in graph.outputs] == [tf.float32] * 3
    assert [op.type for op in graph.control_outputs] == [
        "ReadVariableOp",
        "AssignVariableOp",
        "ReadVariableOp",
    ]


def test_results_wait_for_all_effects(graph: Any) -> None:
    nodes = {node.name: node for node in graph.as_graph_def().node}
    effects = [op.name for op in graph.get_operations() if "Variable" in op.type]
    assert sorted(nodes["NoOp"].input) == sorted("^" + name for name in effects)
    for tensor in graph.results:
        assert "^NoOp" in nodes[tensor.node.name].input
    barrier = graph.get_operation_by_name("NoOp")
    assert barrier == graph.get_operations()[-1]
    assert barrier.control_inputs == graph.control_outputs
    assert barrier.node_def == nodes["NoOp"]
    assert [op.name for op in graph.get_operations()] == list(nodes)


def test_effects_on_the_outside_keep_their_order_through_calls() -> None:
    @tf.function
    def shouting(x: Any) -> Any:
        tf.print("inside", x)
        return x + 1.0

    @tf.function
    def program(x: Any) -> Any:
        tf.print("before")
        y = shouting(x)
        tf.print("after")
        return y

    made = program.get_concrete_function(tf.TensorSpec([])).graph
    first, second = [op for op in made.get_operations() if op.type == "PrintV2"]
    (call,) = [op for op in made.get_operations() if "Call" in op.type]
    assert first.control_inputs == []
    assert call.control_inputs == [first]
    assert second.control_inputs == [call]


def test_a_program_without_effects_has_no_control_edges() -> None:
    made = graphs.export(graphs.PROGRAMS["arithmetic"]).message
    assert not any(each.startswith("^") for n in GraphDef.FromString(made).node for each in n.input)


def test_operations_and_tensors_are_found_by_name(graph: Any) -> None:
    operation = graph.get_operation_by_name("split")
    assert operation.type == "Split"
    assert operation in graph.get_operations()
    assert isinstance(operation, tf.Operation)
    assert isinstance(graph, tf.Graph)
    assert repr(operation) == "<tf.Operation 'split' type=Split>"
    assert [t.name for t in operation.outputs] == ["split:0", "split:1"]
    second = graph.get_tensor_by_name("split:1")
    assert second.name == "split:1"
    assert second.op == operation
    assert operation.get_attr("num_split") == 2
    assert operation.get_attr("T") is tf.float32
    assert operation.inputs[1].op.type == "Pack"
    assert operation in operation.inputs[1].consumers()
    assert graph.as_graph_element("split:1").name == "split:1"
    assert graph.as_graph_element(operation) is operation


@pytest.mark.parametrize(
    ("look_up", "argument", "error"),
    [
        ("get_operation_by_name", "nothing", KeyError),
        ("get_operation_by_name", 3, TypeError),
        ("get_tensor_by_name", "split", ValueError),
        ("get_tensor_by_name", "split:2", KeyError),
        ("get_tensor_by_name", "nothing:0", KeyError),
        ("get_tensor_by_name", "split:0:0", ValueError),
        ("as_graph_element", 3, TypeError),
    ],
)
def test_what_a_graph_has_not_is_named(
    graph: Any, look_up: str, argument: Any, error: type[Exception]
) -> None:
    with pytest.raises(error) as info:
        getattr(graph, look_up)(argument)
    assert str(argument).partition(":")[0] in str(info.value)


def test_an_unknown_attribute_is_refused(graph: Any) -> None:
    with pytest.raises(ValueError, match=r"'split' \(Split\) has no attribute 'axis'"):
        graph.get_operation_by_name("split").get_attr("axis")


def test_a_shape_takes_the_dtype_of_the_indices_beside_it() -> None:
    @tf.function
    def program(indices: Any) -> Any:
        return tf.scatter_nd(indices, [5.0], [4])

    made = program.get_concrete_function(tf.TensorSpec([1, 1], tf.int64)).graph
    (scatter,) = [op for op in made.get_operations() if op.type == "ScatterNd"]
    assert [t.dtype for t in scatter.inputs] == [tf.int64, tf.float32, tf.int64]


def test_shapes_are_added_on_request(graph: Any) -> None:
    (split,) = [n for n in graph.as_graph_def(add_shapes=True).node if n.op == "Split"]
    shapes = split.attr["_output_shapes"].list.shape
    assert [[d.size for d in shape.dim] for shape in shapes] == [[1], [1]]


def test_a_function_inside_has_its_inputs_by_output_names() -> None:
    exported = GraphDef.FromString(graphs.export(graphs.PROGRAMS["calls"]).message)
    functions = {f.signature.name: f for f in exported.library.function}
    double = next(f for name, f in functions.items() if "double" in name)
    assert {node.op: list(node.input) for node in double.node_def}["Identity"] == ["mul:z:0"]
    assert not double.signature.is_stateful
    bump = next(f for name, f in functions.items() if "bump" in name)
    assert bump.signature.is_stateful


def test_a_list_of_tensors_has_its_length_and_dtype(graph: Any) -> None:
    (pack,) = [op for op in graph.get_operations() if op.type == "Pack"]
    assert pack.get_attr("N") == 2
    assert pack.get_attr("T") is tf.float32


NAMES = json.loads((GOLDEN / "node_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("expression", NAMES)
def test_nodes_are_named_as_tensorflow_names_them(expression):
    shape = node_names.expressions()[expression]
    assert node_names.names(tf, expression, shape) == NAMES[expression]


def test_a_list_of_shapes_is_written() -> None:
    features = {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.FixedLenFeature([], tf.int64)}
    parse = tf.function(lambda text: tf.io.parse_example(text, features))
    graph = parse.get_concrete_function(tf.TensorSpec([None], tf.string)).graph
    (node,) = [node for node in graph.as_graph_def().node if node.op == "ParseExampleV2"]
    shapes = node.attr["dense_shapes"].list.shape
    assert [[dim.size for dim in shape.dim] for shape in shapes] == [[2], []]


def test_gradients_to_unknown_shapes_are_ops_of_tensorflow() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def slopes(x: Any, bias: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, y * tf.cos(bias)

        with tf.GradientTape() as outer:
            outer.watch(bias)
            with tf.GradientTape() as inner:
                inner.watch(bias)
                y = tf.while_loop(lambda i, _: i < 3, body, (0, x * bias))[1]
            first = inner.gradient(y, bias)
        return first, outer.gradient(first, bias)

    message = slopes.get_concrete_function().graph.as_graph_def()
    nodes = [*message.node, *[n for f in message.library.function for n in f.node_def]]
    assert {node.op for node in nodes} >= {"BroadcastGradientArgs", "Sum", "Reshape"}
    assert not any(node.op in OURS for node in nodes)
    for node in nodes:
        assert ("T" in SIGNATURES[node.op][2]) <= ("T" in node.attr), node.name


def test_a_function_with_its_own_gradient_is_written_as_identities() -> None:
    @tf.custom_gradient
    def both(x, y):
        return (x * y, x + 1.0), lambda g, h: (g, h)

    @tf.function
    def added(x):
        product, successor = both(x, 2.0 * x)
        return product - successor

    exported = added.get_concrete_function(tf.TensorSpec([2])).graph.as_graph_def()
    (kept,) = [node for node in exported.node if node.op == "IdentityN"]
    assert len(kept.input) == len(kept.attr["T"].list.type) == 4
    (difference,) = [node for node in exported.node if node.op == "Sub"]
    assert list(difference.input) == [kept.name, f"{kept.name}:1"]


def test_a_loop_over_a_dataset_says_what_its_elements_are() -> None:
    """With no more nodes than TensorFlow has, also where a shape widens in the loop."""

    @tf.function
    def total(dataset):
        loss = tf.constant(0)
        for x, y in dataset:
            loss += tf.abs(y - x)
        return loss

    pairs = tf.data.Dataset.from_generator(lambda: [(1, 3)] * 3, (tf.int32, tf.int32))
    concrete = total.get_concrete_function(pairs)
    exported = concrete.graph.as_graph_def()
    assert len(exported.node) == 6
    nodes = [node for function in exported.library.function for node in function.node_def]
    (taking,) = [node for node in nodes if node.op == "_NextBlock"]
    assert list(taking.attr["output_types"].list.type) == [3, 3]  # DT_INT32
    assert [s.unknown_rank for s in taking.attr["output_shapes"].list.shape] == [True, True]
    assert int(concrete(pairs)) == int(concrete(pairs)) == 6


def test_names_that_are_taken_are_numbered_one_after_the_other() -> None:
    taken: set[str] = set()
    for wanted in ("a", "a_1", "a_2", "a_3"):
        name = graphdef._unused("a", taken)
        taken.add(name)
        assert name == wanted
    assert graphdef._unused("b", taken) == "b"
