"""`tf.compat.v1.summary`: messages for TensorBoard that sessions compute, and their files."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.figures.graph_summaries import SummaryFileWriter as FileWriter
    from graphwright.portable.classic.figures.graph_summaries import (
        histogram,
        image,
        merge,
        merge_all,
        scalar,
    )
    from graphwright.proto.event_pb2 import Event, Summary

__all__ = [
    "Event",
    "FileWriter",
    "Summary",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "scalar",
]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.figures.graph_summaries": {
        "FileWriter": "SummaryFileWriter",
        "histogram": "histogram",
        "image": "image",
        "merge": "merge",
        "merge_all": "merge_all",
        "scalar": "scalar",
    },
    "graphwright.proto.event_pb2": {"Event": "Event", "Summary": "Summary"},
}

__getattr__: Any = late_or_same(__name__, _LATE)
