"""Nodes about ragged rows and crossed columns compute what TensorFlow 2.21 does."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf
from graphwright.base.errors import InvalidArgumentError
from graphwright.portable.function_import import RAGGED
from graphwright.portable.graphs.ragged_nodes import READERS
from graphwright.proto.graph_pb2 import GraphDef

v1 = tf.compat.v1
LONG = tf.int64


def long(*values: int) -> Any:
    """A vector of int64."""
    return tf.constant(values, LONG)


FLOATS = tf.constant([1.0, 2.0, 3.0])
NINE = tf.constant(9.0)
COUNTED = tf.constant([1, 1, 0, 2, 7])
SPLITS = long(0, 2, 2, 5)
NONE = tf.constant([], tf.float32)
WEIGHTS = tf.constant([0.5, 1.0, 2.0, 3.0, 4.0])


def padding(*kinds: str) -> dict[str, Any]:
    """The attribute that says how rows are told."""
    return {"row_partition_types": [kind.encode() for kind in kinds]}


def limits(least: int, most: int) -> dict[str, Any]:
    """The attributes of sparse counts."""
    return {"minlength": least, "maxlength": most, "binary_output": False}


def crossing(sparse: int, buckets: int, key: int) -> dict[str, Any]:
    """The attributes of crossed columns."""
    return {"N": sparse, "hashed_output": True, "num_buckets": buckets, "hash_key": key}


#: Ops, operands, attributes, the number of outputs, and the results in TensorFlow.
RECORDED: list[tuple[str, list[Any], dict[str, Any], list[Any]]] = [
    ("RaggedTensorToTensor", [long(-1, -1), FLOATS, NINE, long(0, 2, 2, 3)], padding("ROW_SPLITS"),
     [[[1.0, 2.0], [9.0, 9.0], [3.0, 9.0]]]),
    ("RaggedTensorToTensor", [long(4, 1), FLOATS, NINE, long(0, 2, 2, 3)], padding("ROW_SPLITS"),
     [[[1.0], [9.0], [3.0], [9.0]]]),
    ("RaggedTensorToTensor",
     [tf.constant(-1, LONG), FLOATS, NINE, tf.constant(4, LONG), long(0, 0, 2)],
     padding("FIRST_DIM_SIZE", "VALUE_ROWIDS"),
     [[[1.0, 2.0], [9.0, 9.0], [3.0, 9.0], [9.0, 9.0]]]),
    ("RaggedTensorToTensor", [long(-1, -1, 2), FLOATS, NINE, long(0, 2, 3), long(0, 1, 1, 3)],
     padding("ROW_SPLITS", "ROW_SPLITS"),
     [[[[1.0, 9.0], [9.0, 9.0]], [[2.0, 3.0], [9.0, 9.0]]]]),
    ("RaggedTensorToTensor",
     [long(-1, -1, -1), FLOATS, NINE, tf.constant(2, LONG), long(0, 0, 1), long(0, 2, 2)],
     padding("FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"),
     [[[[1.0, 9.0], [9.0, 9.0]], [[2.0, 3.0], [9.0, 9.0]]]]),
    ("RaggedBincount", [SPLITS, COUNTED, tf.constant(3), NONE], {"binary_output": False},
     [[[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]]),
    ("RaggedBincount", [SPLITS, COUNTED, tf.constant(3), NONE], {"binary_output": True},
     [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]]),
    ("RaggedBincount", [SPLITS, tf.constant([1, 1, 0, 2, 1]), tf.constant(3), WEIGHTS],
     {"binary_output": False}, [[[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [2.0, 4.0, 3.0]]]),
    ("RaggedCountSparseOutput", [SPLITS, COUNTED, NONE], limits(3, 6),
     [[[0, 1], [2, 0], [2, 2]], [2.0, 1.0, 1.0], [3, 6]]),
    ("RaggedCountSparseOutput", [SPLITS, COUNTED, WEIGHTS], limits(-1, -1),
     [[[0, 1], [2, 0], [2, 2], [2, 7]], [1.5, 2.0, 3.0, 4.0], [3, 8]]),
    ("SparseCross", [tf.constant([["a"], ["b"]]), tf.constant([["x"], ["y"]])],
     crossing(0, 5, 956888297470), [[[0, 0], [1, 0]], [2, 0], [2, 1]]),
    ("SparseCross",
     [tf.constant([[0, 0], [1, 0]], LONG), tf.constant(["a", "b"]), long(2, 1),
      tf.constant([["x", "z"], ["y", "w"]])],
     crossing(1, 50, 7), [[[0, 0], [0, 1], [1, 0], [1, 1]], [8, 43, 13, 21], [2, 2]]),
]  # fmt: skip


def results(op: str, operands: list[Any], attributes: dict[str, Any], count: int) -> list[Any]:
    """What a node computes of constants."""
    graph = GraphDef()
    for place, operand in enumerate(operands):
        made = graph.node.add(op="Const", name=f"c{place}")
        made.attr["dtype"].type = operand.dtype.as_datatype_enum
        made.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(operand.numpy(), operand.dtype))
    made = graph.node.add(op=op, name="made", input=[f"c{i}" for i in range(len(operands))])
    for key, value in attributes.items():
        if isinstance(value, list):
            made.attr[key].list.s.extend(value)
        elif isinstance(value, bool):
            made.attr[key].b = value
        else:
            made.attr[key].i = value
    names = [f"made:{i}" for i in range(count)]
    with v1.Session(graph=tf.Graph()) as session:
        tensors = tf.graph_util.import_graph_def(graph, return_elements=names, name="")
        return [array.tolist() for array in session.run(tensors)]


@pytest.mark.parametrize("place", range(len(RECORDED)))
def test_nodes_compute_as_in_tensorflow(place: int) -> None:
    op, operands, attributes, expected = RECORDED[place]
    assert results(op, operands, attributes, len(expected)) == expected


def test_rows_that_are_not_told_are_refused() -> None:
    operands = [long(-1, -1), FLOATS, NINE, long(0, 2, 2, 3)]
    with pytest.raises(InvalidArgumentError, match=r"rows of the kinds \['BY_LENGTH'\]"):
        results("RaggedTensorToTensor", operands, padding("BY_LENGTH"), 1)


def test_each_op_has_a_reader() -> None:
    assert set(RAGGED) == set(READERS)
