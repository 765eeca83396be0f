"""`tf.summary`: what TensorBoard shows, written to event files."""

from graphwright.api.summary import experimental
from graphwright.edge.dashboards import audio, histogram, image, scalar, text
from graphwright.edge.graph_traces import trace_export, trace_off, trace_on
from graphwright.edge.summary import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    graph,
    record_if,
    should_record_summaries,
    write,
)

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]
