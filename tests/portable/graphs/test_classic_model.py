"""Models that TensorFlow 1's builders wrote compute what TensorFlow 2 computes of them.

`tools/record_classic_models.py` records them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.saved_models import (
    CLASSIC,
    CLASSIC_NAMES,
    assert_alike,
    classic_calls,
    classic_result,
    unpacked,
)

import graphwright as tf
from graphwright.__main__ import main
from graphwright.proto.saved_model_pb2 import MetaGraphDef, SavedModel


def classic(name: str, folder: Path) -> Path:
    """The folder of a recorded model, written into another one."""
    return unpacked(name, folder, CLASSIC)


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_recorded_models_compute_the_same(name: str, tmp_path: Path) -> None:
    folder = classic(name, tmp_path)
    model = tf.saved_model.load(folder)
    for call in classic_calls(folder):
        assert_alike(classic_result(model, call), call.expected)


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_recorded_models_are_saved_again(name: str, tmp_path: Path) -> None:
    folder = classic(name, tmp_path)
    model = tf.saved_model.load(folder)
    tf.saved_model.save(model, tmp_path / "again", signatures=dict(model.signatures))
    again = tf.saved_model.load(tmp_path / "again")
    for call in classic_calls(folder):
        if not call.path.startswith("prune "):
            assert_alike(classic_result(again, call), call.expected)


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_recorded_models_are_shown(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(classic(name, tmp_path))]) == 0
    assert "serving_default(" in capsys.readouterr().out


def test_what_a_model_is(tmp_path: Path) -> None:
    model = tf.saved_model.load(classic("resources", tmp_path))
    assert [v.name for v in model.variables] == ["layer/w:0", "layer/b:0"]
    assert list(model.signatures) == ["serving_default"]
    assert model.tensorflow_version == "2.21.0"
    assert model.graph.get_tensor_by_name("raw:0").shape.as_list() == [None, 1]
    signature = model.signatures["serving_default"]
    assert signature.structured_input_signature == (
        (),
        {"features": tf.TensorSpec([None, 2], tf.float32, "features")},
    )
    assert [variable.name for variable in signature.variables] == ["layer/w:0", "layer/b:0"]


def test_a_model_is_trained_further(tmp_path: Path) -> None:
    model = tf.saved_model.load(classic("resources", tmp_path))
    x, rate = tf.constant([[0.1, -0.4]]), 0.1
    before = model.signatures["serving_default"](features=x)["score"]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.signatures["serving_default"](features=x)["score"] ** 2.0)
    slopes = tape.gradient(loss, model.variables)
    for variable, slope in zip(model.variables, slopes):
        variable.assign_sub(rate * slope)
    after = model.signatures["serving_default"](features=x)["score"]
    assert abs(after.numpy().item()) < abs(before.numpy().item())


def test_a_fetch_that_needs_a_placeholder_is_refused(tmp_path: Path) -> None:
    model = tf.saved_model.load(classic("resources", tmp_path))
    with pytest.raises(ValueError, match="depend on the placeholder 'x'"):
        model.prune([], "y:0")
    with pytest.raises(KeyError, match="'nope:0' refers to a Tensor which does not exist"):
        model.prune("nope:0", "y:0")
    with pytest.raises(ValueError, match="`feeds` must be tensors"):
        model.prune("x", "y:0")


def edit(folder: Path) -> tuple[SavedModel, MetaGraphDef]:
    """The message of a model and its graph."""
    message = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    return message, message.meta_graphs[0]


def write(folder: Path, message: SavedModel) -> None:
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())


def test_unknown_ops_are_refused_where_a_signature_needs_them(tmp_path: Path) -> None:
    folder = classic("resources", tmp_path)
    message, graph = edit(folder)
    graph.graph_def.node.add(name="alone", op="NoSuchOp", input=["x"])
    write(folder, message)
    model = tf.saved_model.load(folder)  # no signature needs it
    assert "alone" not in [operation.name for operation in model.graph.get_operations()]
    next(node for node in graph.graph_def.node if node.name == "raw").op = "Another"
    graph.graph_def.node.add(name="more", op="NoSuchOp")
    next(node for node in graph.graph_def.node if node.name == "y").input.append("^more")
    write(folder, message)
    with pytest.raises(tf.errors.NotFoundError, match=r"Another, in the node 'raw'\n  NoSuchOp"):
        tf.saved_model.load(folder)


def test_nothing_runs_on_load_but_what_fills_tables(tmp_path: Path) -> None:
    folder = classic("tables", tmp_path)
    message, graph = edit(folder)
    main_op = graph.collection_def["saved_model_main_op"].node_list.value[0]
    node = graph.graph_def.node.add(name="path", op="Const")
    node.attr["value"].tensor.string_val.append(b"/etc/passwd")
    graph.graph_def.node.add(name="reading", op="ReadFile", input=["path"])
    next(n for n in graph.graph_def.node if n.name == main_op).input.append("^reading")
    write(folder, message)
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile reads files"):
        tf.saved_model.load(folder)
    next(n for n in graph.graph_def.node if n.name == "reading").op = "Fill"
    write(folder, message)
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"run ops on load.*\n  Fill"):
        tf.saved_model.load(folder)


def test_what_is_made_on_load_is_small(tmp_path: Path) -> None:
    folder = classic("legacy", tmp_path)
    message, graph = edit(folder)
    ranges = [node for node in graph.graph_def.node if node.op == "Range"]
    assert ranges
    limits = {name.partition(":")[0] for node in ranges for name in node.input[1:2]}
    for node in graph.graph_def.node:
        if node.name in limits:
            node.attr["value"].tensor.ClearField("int_val")
            node.attr["value"].tensor.ClearField("int64_val")
            is_long = node.attr["dtype"].type == tf.int64.as_datatype_enum
            field = "int64_val" if is_long else "int_val"
            getattr(node.attr["value"].tensor, field).append(1 << 30)
    write(folder, message)
    with pytest.raises(tf.errors.InvalidArgumentError, match="would make a tensor of"):
        tf.saved_model.load(folder)


def test_a_table_may_read_assets_alone(tmp_path: Path) -> None:
    folder = classic("tables", tmp_path)
    message, graph = edit(folder)
    del graph.asset_file_def[:]
    graph.collection_def["saved_model_assets"].any_list.ClearField("value")
    write(folder, message)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no asset of the model"):
        tf.saved_model.load(folder)


def test_the_parts_of_a_variable_are_the_whole(tmp_path: Path) -> None:
    folder = classic("partitioned", tmp_path)
    model = tf.saved_model.load(folder)
    shapes = [tuple(variable.shape) for variable in model.variables]
    assert shapes == [(4, 3), (3, 3), (3, 3)]
    reader = tf.train.load_checkpoint(str(folder / "variables" / "variables"))
    whole = np.concatenate([variable.numpy() for variable in model.variables])
    assert np.array_equal(reader.get_tensor("rows"), whole)
