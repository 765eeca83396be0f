"""`tf.compat.v1.summary`: messages for TensorBoard that sessions compute, and their files."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.figures.graph_summaries import SummaryFileWriter as FileWriter
    from graphwright.portable.classic.figures.graph_summaries import (
        SummaryWriters as FileWriterCache,
    )
    from graphwright.portable.classic.figures.graph_summaries import (
        audio,
        histogram,
        image,
        merge,
        merge_all,
        scalar,
        tensor_summary,
        text,
    )
    from graphwright.proto.event_pb2 import Event, SessionLog, Summary

__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "SessionLog",
    "Summary",
    "audio",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.figures.graph_summaries": {
        "FileWriter": "SummaryFileWriter",
        "FileWriterCache": "SummaryWriters",
        "audio": "audio",
        "histogram": "histogram",
        "image": "image",
        "merge": "merge",
        "merge_all": "merge_all",
        "scalar": "scalar",
        "tensor_summary": "tensor_summary",
        "text": "text",
    },
    "graphwright.proto.event_pb2": {
        "Event": "Event",
        "SessionLog": "SessionLog",
        "Summary": "Summary",
    },
}

__getattr__: Any = late_or_same(__name__, _LATE)
