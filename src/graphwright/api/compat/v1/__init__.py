"""`tf.compat.v1`: the names of TensorFlow 1 that programs still use."""

from typing import TYPE_CHECKING

from graphwright.api import late
from graphwright.api.compat.v1 import data, io, train
from graphwright.library.config.compat import (
    enable_eager_execution,
    enable_v2_behavior,
    executing_eagerly_outside_functions,
    placeholder,
    reset_default_graph,
    sparse_placeholder,
)
from graphwright.trace.scopes import executing_eagerly

if TYPE_CHECKING:
    from graphwright.proto.event_pb2 import Event, HistogramProto, Summary, SummaryMetadata

__all__ = [
    "Event",
    "HistogramProto",
    "Summary",
    "SummaryMetadata",
    "data",
    "enable_eager_execution",
    "enable_v2_behavior",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "io",
    "placeholder",
    "reset_default_graph",
    "sparse_placeholder",
    "train",
]

_MESSAGES = "Event", "HistogramProto", "Summary", "SummaryMetadata"
__getattr__ = late(__name__, _MESSAGES, "graphwright.proto.event_pb2")
