"""Our messages are TensorFlow's on the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.proto_fields import describe

from graphwright.proto import (
    checkpoint_pb2,
    event_pb2,
    example_pb2,
    graph_pb2,
    saved_model_pb2,
    tensor_pb2,
    types_pb2,
)
from graphwright.types import dtypes

GOLDEN = Path(__file__).parent.parent / "golden"
FIELDS = json.loads((GOLDEN / "proto_fields.json").read_text(encoding="utf-8"))
OURS = describe(
    [
        message.DESCRIPTOR
        for message in (
            graph_pb2.GraphDef,
            saved_model_pb2.SavedModel,
            saved_model_pb2.FingerprintDef,
            checkpoint_pb2.TrackableObjectGraph,
            checkpoint_pb2.BundleHeaderProto,
            checkpoint_pb2.BundleEntryProto,
            event_pb2.Event,
            example_pb2.Example,
            example_pb2.SequenceExample,
        )
    ]
)


@pytest.mark.parametrize("name", FIELDS)
def test_a_message_has_the_recorded_fields(name: str) -> None:
    assert OURS[name] == FIELDS[name]


def test_a_recorded_graph_survives_byte_for_byte() -> None:
    recorded = (GOLDEN / "graph_def.pb").read_bytes()
    graph = graph_pb2.GraphDef.FromString(recorded)
    assert graph.SerializeToString(deterministic=True) == recorded
    assert "While" in {node.op.removeprefix("Stateless") for node in graph.node}
    assert {len(function.ret) > 0 for function in graph.library.function} == {True}


def test_dtypes_have_the_numbers_of_the_enum() -> None:
    for name, number in types_pb2.DataType.items():
        dtype = getattr(dtypes, name.removeprefix("DT_").lower(), None)
        if dtype is not None:
            assert dtype.as_datatype_enum == number, name
    assert dtypes.float32.as_datatype_enum == types_pb2.DT_FLOAT


def test_a_tensor_keeps_its_values() -> None:
    proto = tensor_pb2.TensorProto(dtype=types_pb2.DT_INT64, int64_val=[1, -1])
    assert list(tensor_pb2.TensorProto.FromString(proto.SerializeToString()).int64_val) == [1, -1]
