"""`tf.graph_util`: messages of graphs."""

from graphwright.portable.graphs.graph_import import import_graph_def

__all__ = ["import_graph_def"]

TOP_LEVEL = ("import_graph_def",)
