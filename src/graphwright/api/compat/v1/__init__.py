"""`tf.compat.v1`: the names of TensorFlow 1 that programs still use."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late
from graphwright.api.compat.v1 import data, graph_util, io, train
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
    from graphwright.portable.graphs.graph_import import import_graph_def
    from graphwright.portable.graphs.session import Session
    from graphwright.portable.graphs.wrapped_function import wrap_function
    from graphwright.proto.event_pb2 import Event, HistogramProto, Summary, SummaryMetadata
    from graphwright.proto.graph_pb2 import AttrValue, GraphDef, NodeDef

__all__ = [
    "AttrValue",
    "Event",
    "GraphDef",
    "HistogramProto",
    "NodeDef",
    "Session",
    "Summary",
    "SummaryMetadata",
    "data",
    "enable_eager_execution",
    "enable_v2_behavior",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "graph_util",
    "import_graph_def",
    "io",
    "placeholder",
    "reset_default_graph",
    "sparse_placeholder",
    "train",
    "wrap_function",
]

#: Where the names are that load protobuf, which few programs need.
_LATE = {
    "graphwright.portable.graphs.graph_import": ("import_graph_def",),
    "graphwright.portable.graphs.session": ("Session",),
    "graphwright.portable.graphs.wrapped_function": ("wrap_function",),
    "graphwright.proto.event_pb2": ("Event", "HistogramProto", "Summary", "SummaryMetadata"),
    "graphwright.proto.graph_pb2": ("AttrValue", "GraphDef", "NodeDef"),
}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _LATE.items() if name in names), "")
    return late(__name__, _LATE.get(home, ()), home)(name)
