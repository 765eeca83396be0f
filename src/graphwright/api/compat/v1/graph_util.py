"""`tf.compat.v1.graph_util`: messages of graphs."""

from typing import TYPE_CHECKING

from graphwright.api import late

if TYPE_CHECKING:
    from graphwright.portable.graphs.graph_import import import_graph_def

__all__ = ["import_graph_def"]

__getattr__ = late(__name__, __all__, "graphwright.portable.graphs.graph_import")
