"""Models in graphs of sessions: those that TensorFlow's builder wrote, and those written again.

`tools/record_classic_models.py` records them, and has TensorFlow load what graphwright wrote.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.saved_models import (
    CLASSIC,
    CLASSIC_NAMES,
    assert_alike,
    built_again,
    classic_calls,
    classic_result,
    session_result,
    unpacked,
)

import graphwright as tf
from graphwright.ir.tensor_proto import data_type, tensor_proto
from graphwright.portable.model_tables import const_node
from graphwright.proto.saved_model_pb2 import MetaGraphDef

v1 = tf.compat.v1


def values(results: Any) -> list[Any]:
    """The arrays of results by name."""
    parts = tf.nest.flatten(results, expand_composites=True)
    return [np.asarray(getattr(part, "numpy", lambda part=part: part)()) for part in parts]


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_a_session_computes_what_tensorflow_computes(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path, CLASSIC)
    calls = [call for call in classic_calls(folder) if not call.path.startswith("prune ")]
    expected = [values(call.expected) for call in calls]
    with tf.Graph().as_default(), v1.Session() as session:
        message = v1.saved_model.load(session, ["serve"], folder)
        for call, theirs in zip(calls, expected):
            made = values(session_result(session, message.signature_def[call.path], call))
            assert [x.dtype for x in made] == [x.dtype for x in theirs]
            for x, y in zip(made, theirs, strict=True):
                compare = np.testing.assert_array_equal
                if x.dtype.kind == "f":
                    compare = functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-6)
                compare(x, y)


@pytest.mark.parametrize("name", CLASSIC_NAMES)
def test_the_builder_writes_it_again(name: str, tmp_path: Path) -> None:
    folder = unpacked(name, tmp_path, CLASSIC)
    built_again(folder, tmp_path / "again")
    model = tf.saved_model.load(tmp_path / "again")
    for call in classic_calls(folder):
        if not call.path.startswith("prune "):
            assert_alike(classic_result(model, call), call.expected)


def test_tables_have_what_they_held(tmp_path: Path) -> None:
    """The model is TensorFlow 2's; one table has keys that may not be used."""
    held = {
        "MutableHashTable": ([1], [[1.0, 2.0]]),
        "MutableHashTable_1": ([b"k"], [7]),
        "MutableDenseHashTable": ([5], [2.0]),
    }
    folder = unpacked("changing_tables", tmp_path)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], folder)
        for name, columns in held.items():
            node = f"{name}_lookup_table_export_values/LookupTableExportV2"
            made = session.run([f"{node}:0", f"{node}:1"])
            assert [column.tolist() for column in made] == list(columns)


def test_a_table_of_a_graph_is_one_in_all_runs(tmp_path: Path) -> None:
    message = MetaGraphDef()
    arrays = {"empty": -1, "deleted": -2, "keys": [3], "values": [4]}
    for name, numbers in arrays.items():
        proto = tensor_proto(np.array(numbers, np.int64), tf.int64)
        message.graph_def.node.append(const_node(name, proto))
    for name, op, inputs, attributes in (
        ("table", "MutableDenseHashTableV2", ["empty", "deleted"], ["key_dtype", "value_dtype"]),
        ("put", "LookupTableInsertV2", ["table", "keys", "values"], ["Tin", "Tout"]),
        ("count", "LookupTableSizeV2", ["table"], []),
    ):
        node = message.graph_def.node.add(name=name, op=op, input=inputs)
        for attribute in attributes:
            node.attr[attribute].type = data_type(tf.int64)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(message)
        before = session.run("count:0")
        session.run("put")
        assert (before, session.run("count:0")) == (0, 1)
    del message.graph_def.node[0]
    message.graph_def.node.add(name="empty", op="Placeholder").attr["dtype"].type = data_type(
        tf.int64
    )
    with (
        tf.Graph().as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="may not be used are no constant"),
    ):
        v1.train.import_meta_graph(message)
