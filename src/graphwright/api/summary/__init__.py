"""`tf.summary`: event files for TensorBoard."""

from graphwright.api.summary import experimental
from graphwright.library.summary.dashboards import audio, histogram, image, scalar, text
from graphwright.library.summary.graph_traces import trace_export, trace_off, trace_on
from graphwright.library.summary.summary import (
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
