"""Record TensorFlow's messages: their fields, and the bytes of a graph.

Usage, in an environment with tensorflow 2.21:
    python tools/record_proto_goldens.py
"""

from __future__ import annotations

from typing import Any

import recording

tf = recording.tensorflow()

from support.proto_fields import describe
from tensorflow.core.example import example_pb2
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import (
    fingerprint_pb2,
    saved_model_pb2,
    saved_object_graph_pb2,
    tensor_bundle_pb2,
    trackable_object_graph_pb2,
)
from tensorflow.core.util import event_pb2

MESSAGES = [
    graph_pb2.GraphDef,
    saved_model_pb2.SavedModel,
    saved_object_graph_pb2.SavedObjectGraph,
    trackable_object_graph_pb2.TrackableObjectGraph,
    event_pb2.Event,
    example_pb2.Example,
    example_pb2.SequenceExample,
    tensor_bundle_pb2.BundleHeaderProto,
    tensor_bundle_pb2.BundleEntryProto,
    fingerprint_pb2.FingerprintDef,
]


def traced_graph() -> Any:
    """A graph with a branch, a loop, a call, constants of many dtypes, and a variable."""
    variable = tf.Variable([1.0, 2.0], name="v")
    square = tf.function(lambda x: x * x)

    @tf.function(
        input_signature=[tf.TensorSpec([None, 2], name="x"), tf.TensorSpec([], tf.int32, "n")]
    )
    def program(x: Any, n: Any) -> Any:
        x = tf.cond(n > 0, lambda: square(x), lambda: x - variable)
        _, x = tf.while_loop(lambda i, _: i < n, lambda i, x: (i + 1, x * 2.0), [0, x])
        variable.assign_add(tf.reduce_sum(x, axis=0))
        values = [
            tf.constant([1, -1], dtype) for dtype in ("int8", "int64", "float16", "complex64")
        ]
        return x, tf.strings.join(["a", tf.strings.as_string(n)]), values

    return program.get_concrete_function().graph.as_graph_def()


def main() -> None:
    """Write the two golden files."""
    fields = describe([message.DESCRIPTOR for message in MESSAGES])
    recording.write("proto_fields.json", fields, sort_keys=True)
    graph = traced_graph().SerializeToString(deterministic=True)
    (recording.GOLDEN / "graph_def.pb").write_bytes(graph)


if __name__ == "__main__":
    main()
