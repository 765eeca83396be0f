"""Passes in a row; in the checking mode each must leave a graph that is well-formed."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from graphwright.base.errors import InternalError
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.graph import Graph, Node
from graphwright.ir.verify import verify_structure

#: What was verified: most nodes of a graph, and graphs in it, are the same after a pass.
_RIGHT: WeakSet[Graph | Node] = WeakSet()


def through(graph: Graph, *passes: Callable[[Graph], Graph]) -> Graph:
    """The graph after these passes, one after the other."""
    for apply in passes:
        graph = verified(apply(graph), apply.__name__)
    return graph


def verified(graph: Graph, made_by: str) -> Graph:
    """The graph; in the checking mode InternalError names the pass that made it wrong."""
    if OPTIONS.get("native") == "check":
        try:
            verify_structure(graph, _RIGHT)
        except ValueError as error:
            message = f"the pass `{made_by}` left a graph that is wrong: {error}"
            raise InternalError(None, None, message) from error
    return graph
