"""`tf.compat.v1.graph_util`: messages of graphs, and frozen graphs."""

from typing import TYPE_CHECKING, Any

from graphwright.api import late_or_same

if TYPE_CHECKING:
    from graphwright.portable.classic.freezing import (
        convert_variables_to_constants,
        extract_sub_graph,
    )
    from graphwright.portable.graphs.graph_import import import_graph_def

__all__ = ["convert_variables_to_constants", "extract_sub_graph", "import_graph_def"]

#: Where the names are that few programs need, and what each is there.
_LATE: dict[str, dict[str, str]] = {
    "graphwright.portable.classic.freezing": {
        "convert_variables_to_constants": "convert_variables_to_constants",
        "extract_sub_graph": "extract_sub_graph",
    },
    "graphwright.portable.graphs.graph_import": {"import_graph_def": "import_graph_def"},
}

__getattr__: Any = late_or_same(__name__, _LATE)
