"""What comes from outside is never trusted: a damaged model is refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.saved_models import unpacked

import graphwright as tf
from graphwright.portable.structured_values import encode
from graphwright.proto.graph_pb2 import FunctionDef, NodeDef
from graphwright.proto.saved_model_pb2 import MetaGraphDef, SavedModel
from graphwright.proto.types_pb2 import DT_FLOAT, DT_STRING

#: Damaged models of the default run, and of all.
SOME, MANY = 200, 5000
#: The most memory that a process may take, in MiB.
MOST_MEMORY = 1024


def run(first: int, count: int) -> None:
    """Loads damaged models in a process of their own, which must live on."""
    ended = subprocess.run(
        [sys.executable, "-m", "support.hostile_models", str(first), str(count)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([p for p in sys.path if p]),
            "GRAPHWRIGHT_NATIVE": "off",
            "PYTHONDONTWRITEBYTECODE": "1",  # what is written is looked at
            "GRAPHWRIGHT_CACHE_DIR": "off",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    peak = int(ended.stdout.rpartition("at most ")[2].partition(" MiB")[0])
    assert peak < MOST_MEMORY


def test_damaged_models_are_refused_or_run() -> None:
    run(0, SOME)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SOME, MANY, 500))
def test_many_damaged_models_are_refused_or_run(first: int) -> None:
    run(first, min(500, MANY - first))


# -- one at a time ------------------------------------------------------------------------------


@contextmanager
def edited(folder: Path) -> Iterator[MetaGraphDef]:
    """The graph of a model, which is written again when the block ends."""
    path = folder / "saved_model.pb"
    message = SavedModel.FromString(path.read_bytes())
    yield message.meta_graphs[0]
    path.write_bytes(message.SerializeToString())


def trace_of(graph: MetaGraphDef, prefix: str) -> FunctionDef:
    """The first function of a library whose name begins so."""
    library: Any = graph.graph_def.library.function
    return next(f for f in library if f.signature.name.startswith(f"__inference_{prefix}"))


def reading(name: str = "reading") -> NodeDef:
    """A node that reads a file."""
    return NodeDef(name=name, op="ReadFile", input=["path:output:0"])


def constant(name: str, text: bytes) -> NodeDef:
    """A node of a constant."""
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = DT_STRING
    node.attr["value"].tensor.dtype = DT_STRING
    node.attr["value"].tensor.tensor_shape.SetInParent()
    node.attr["value"].tensor.string_val.append(text)
    return node


@pytest.mark.parametrize("name", ["../saved_model.pb", "", ".", "inside/../../fingerprint.pb"])
def test_an_asset_outside_its_folder_is_refused(name: str, tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    with edited(folder) as graph:
        graph.asset_file_def[0].filename = name
    with pytest.raises(tf.errors.PermissionDeniedError, match="which is no file in"):
        tf.saved_model.load(folder)


def test_an_asset_that_links_to_another_place_is_refused(tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    (secret := tmp_path / "secret").write_text("a\nb\nc\n")
    for path in (folder / "assets").iterdir():
        path.unlink()
        path.symlink_to(secret)
    with pytest.raises(tf.errors.PermissionDeniedError, match="which is no file in"):
        tf.saved_model.load(folder)


def test_a_table_may_read_assets_alone(tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    with edited(folder) as graph:
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "InitializeTableFromTextFileV2":
                    function.node_def.append(constant("path", b"/etc/passwd"))
                    node.input[1] = "path:output:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match="no asset of the model"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize(
    ("op", "words", "attributes"),
    [
        ("ReadFile", "ReadFile reads files, in __inference_f", {}),
        ("WriteFile", "WriteFile writes files", {}),
        ("EagerPyFunc", "EagerPyFunc runs Python", {}),
        ("PyFunc", "PyFunc runs Python", {}),
        ("PrintV2", "PrintV2 writes to a file", {"output_stream": b"file:///tmp/printed"}),
        ("FixedUnigramCandidateSampler", "reads a file", {"vocab_file": b"/etc/passwd"}),
        ("DecodeProtoV2", "reads a file", {"descriptor_source": b"/etc/passwd"}),
        ("EncodeProto", "reads a file", {"descriptor_source": b"/etc/passwd"}),
    ],
)
def test_ops_that_reach_out_are_refused(
    op: str, words: str, attributes: dict[str, bytes], tmp_path: Path
) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        node = trace_of(graph, "f").node_def.add(name="reaching", op=op)
        for name, value in attributes.items():
            node.attr[name].s = value
    with pytest.raises(tf.errors.PermissionDeniedError, match=words) as caught:
        tf.saved_model.load(folder)
    assert "LoadOptions(allowed_ops=[...])" in str(caught.value)


@pytest.mark.parametrize("op", ["_InitializeTableFromFile", "_MakeTable", "CustomGradient"])
def test_ops_of_our_own_are_unknown(op: str, tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        trace_of(graph, "f").node_def.add(name="own", op=op)
    with pytest.raises(tf.errors.NotFoundError, match=f"graphwright has not:\n  {op}, in"):
        tf.saved_model.load(folder)


def test_an_op_that_is_allowed_by_name_runs(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    (read := tmp_path / "read.txt").write_text("content")
    with edited(folder) as graph:
        function = trace_of(graph, "f")
        function.node_def.append(constant("path", str(read).encode()))
        function.node_def.append(reading())
        result = function.signature.output_arg[0]
        result.type = DT_STRING
        function.ret[result.name] = "reading:contents:0"
        name = function.signature.name
        for trace, message in graph.object_graph_def.concrete_functions.items():
            if trace == name:
                spec = message.output_signature.tuple_value.values[0].tensor_spec_value
                spec.dtype = DT_STRING
                spec.shape.ClearField("dim")
    options = tf.saved_model.LoadOptions(allowed_ops=["ReadFile"])
    model = tf.saved_model.load(folder, options=options)
    assert model.f(tf.constant([1, 2]))[0].numpy() == b"content"


def test_all_unknown_ops_are_named(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        for op in ("NoSuchOp", "Another"):
            trace_of(graph, "f").node_def.add(name=op, op=op)
    with pytest.raises(tf.errors.NotFoundError, match=r"Another, in __inf.*\n  NoSuchOp, in"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize("op", ["Fill", "While", "StatelessWhile", "Range", "RandomUniform"])
def test_nothing_runs_on_load_but_what_fills_tables(op: str, tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    with edited(folder) as graph:
        for function in graph.graph_def.library.function:
            if "initialize" in function.signature.name:
                function.node_def.add(name="working", op=op)
    with pytest.raises(tf.errors.PermissionDeniedError, match=f"would run ops on load.*\n  {op}"):
        tf.saved_model.load(folder)


def test_what_functions_capture_is_checked_too(tmp_path: Path) -> None:
    folder = unpacked("table", tmp_path)
    with edited(folder) as graph:
        for node in graph.object_graph_def.nodes:  # tables are reached by captures alone
            kept = [c for c in node.children if c.local_name not in ("numbers", "names")]
            del node.children[:]
            node.children.extend(kept)
        for function in graph.graph_def.library.function:
            if "initialize" in function.signature.name:
                function.node_def.append(constant("path", b"/etc/passwd"))
                function.node_def.append(reading())
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile reads files"):
        tf.saved_model.load(folder)


def call_node(name: str, function: str) -> NodeDef:
    """A node that calls a function of no arguments."""
    node = NodeDef(name=name, op="PartitionedCall")
    node.attr["f"].func.name = function
    node.attr["Tin"].list.SetInParent()
    node.attr["Tout"].list.SetInParent()
    return node


def with_calls(graph: MetaGraphDef, calls: dict[str, list[str]]) -> None:
    """Adds functions of no arguments that call others; `f` calls the first one."""
    library = graph.graph_def.library
    for name, called in calls.items():
        function = library.function.add()
        function.signature.name = name
        function.node_def.extend([call_node(f"c{i}", other) for i, other in enumerate(called)])
    trace_of(graph, "f").node_def.append(call_node("added", next(iter(calls))))


@pytest.mark.parametrize(
    "calls", [{"a": ["a"]}, {"a": ["b"], "b": ["a"]}, {"a": ["b"], "b": ["c"], "c": ["b"]}]
)
def test_functions_that_call_themselves_are_refused(
    calls: dict[str, list[str]], tmp_path: Path
) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        with_calls(graph, calls)
    with pytest.raises(tf.errors.InvalidArgumentError, match="it calls itself: "):
        tf.saved_model.load(folder).f(tf.constant([1, 2]))


def test_functions_stand_inside_each_other_not_too_deep(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        with_calls(graph, {f"f{i}": [f"f{i + 1}"] if i < 99 else [] for i in range(100)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="stand inside each other"):
        tf.saved_model.load(folder).f(tf.constant([1, 2]))


def test_calls_that_double_have_an_end(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        with_calls(graph, {f"f{i}": [f"f{i + 1}"] * 2 if i < 35 else [] for i in range(36)})
    with pytest.raises(tf.errors.ResourceExhaustedError, match="call each other so often"):
        tf.saved_model.load(folder).f(tf.constant([1, 2]))


def large_constant(name: str, size: int) -> NodeDef:
    """A constant of one number that is repeated."""
    node = NodeDef(name=name, op="Const")
    node.attr["dtype"].type = DT_FLOAT
    node.attr["value"].tensor.dtype = DT_FLOAT
    node.attr["value"].tensor.tensor_shape.dim.add(size=size)
    node.attr["value"].tensor.float_val.append(1.0)
    return node


def test_a_small_message_is_no_huge_constant(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        trace_of(graph, "f").node_def.append(large_constant("large", 1 << 40))
    with pytest.raises(tf.errors.InvalidArgumentError, match="bytes stand for one of shape"):
        tf.saved_model.load(folder).f(tf.constant([1, 2]))


def test_many_constants_together_are_bounded(tmp_path: Path) -> None:
    folder = unpacked("random", tmp_path)
    with edited(folder) as graph:
        nodes = [large_constant(f"large{i}", 1 << 24) for i in range(40)]
        trace_of(graph, "f").node_def.extend(nodes)
    with pytest.raises(tf.errors.OpError, match=r"constants of the model|bytes stand for one"):
        tf.saved_model.load(folder).f(tf.constant([1, 2]))


def test_objects_in_cycles_are_matched_in_time(tmp_path: Path) -> None:
    """Two cycles of lengths without a common divisor have as many pairs as their product."""
    folder = unpacked("control_flow", tmp_path)
    count = 20_000
    with edited(folder) as graph:
        nodes = graph.object_graph_def.nodes
        first = len(nodes)
        for i in range(count):
            node = nodes.add()
            node.user_object.identifier = "_generic_user_object"
            node.children.add(local_name="next", node_id=first + (i + 1) % count)
        nodes[0].children.add(local_name="next", node_id=first)
    assert tf.saved_model.load(folder).f(tf.ones([2]), 1)["x"].shape == [2]


def test_text_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    deep = "list_value { values { " * 2000 + "} }" * 2000
    text = "meta_graphs { object_graph_def { concrete_functions { key: 'f' value { "
    text += "output_signature { " + deep + "} } } } }"
    (tmp_path / "saved_model.pbtxt").write_text(text)
    with pytest.raises(OSError, match="Cannot parse file"):
        tf.saved_model.load(tmp_path)


def test_results_that_make_no_composite_are_refused(tmp_path: Path) -> None:
    folder = unpacked("composites", tmp_path)
    ragged = encode(tf.RaggedTensorSpec([None, None, None], tf.float32))  # of three tensors, too
    with edited(folder) as graph:
        for name, trace in graph.object_graph_def.concrete_functions.items():
            if "negate" in name:
                trace.output_signature.dict_value.fields["sparse"].CopyFrom(ragged)
    model = tf.saved_model.load(folder)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not what it returns"):
        model.negate(tf.SparseTensor([[0, 1]], [1.0], [3, 3]))


def test_the_root_may_be_a_function(tmp_path: Path) -> None:
    folder = unpacked("traces", tmp_path)
    with edited(folder) as graph:
        nodes = graph.object_graph_def.nodes
        kinds = [node.WhichOneof("kind") for node in nodes]
        nodes[0].CopyFrom(nodes[kinds.index("bare_concrete_function")])
    assert tf.saved_model.load(folder)(tf.constant([2.0])).numpy().tolist() == [4.0]
