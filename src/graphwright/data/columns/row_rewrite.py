"""Functions of one element for many, where the values of all elements have one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.control.vectorize import Count, Lane, Rewrite
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.late_imports import late_module
from graphwright.op.op import Effect

#: The kinds of ops that may give values of other sizes in each row: `ragged_lanes` has their rules.
MAKING_RAGGED = frozenset({"Fill", "Range", "StridedSlice", "StringSplitV2"})


class RowRewrite(Rewrite):
    """Runs graphs of one row for `count` rows.

    Args:
        count: The number of rows.
        graph: The graph that is made.
    """

    def __init__(self, count: Count, graph: Graph) -> None:
        super().__init__(count, fallback=False, warn=False)
        self.graph = graph

    def node(self, node: Node, lanes: list[Lane]) -> list[Lane]:
        """An op's results; rows that draw numbers draw what each would alone."""
        if node.op.has_stream or node.op.type_name.startswith("Stateless"):
            draws: Any = late_module("graphwright.data.columns.drawn_rows")
            drawn: list[Lane] | None = draws.draw_rows(self, node, lanes)
            if drawn is not None:
                return drawn
        return super().node(node, lanes)

    def nodes_of(self, graph: Graph) -> Sequence[Node]:
        """The nodes that results or effects need."""
        needed: set[Value] = set(graph.results)
        nodes = []
        for node in reversed(graph.nodes):
            if node.op.effect is Effect.WRITE or not needed.isdisjoint(node.outputs):
                nodes.append(node)
                needed.update(node.inputs)
        return nodes[::-1]


def may_make_ragged(graph: Graph) -> bool:
    """Whether values of one size in each row may become values of several sizes in a graph."""
    return any(node.op.type_name in MAKING_RAGGED for node in graph.nodes) or any(
        map(may_make_ragged, graph.subgraphs())
    )
