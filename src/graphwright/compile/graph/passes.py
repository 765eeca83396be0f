"""Passes in sequence; in the checking mode each must leave a well-formed graph."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from graphwright.base.errors import InternalError
from graphwright.compile.run.options import OPTIONS
from graphwright.ir.graph import Graph, Node
from graphwright.ir.verify import verify_structure

#: Verified nodes and graphs: a pass leaves most of them as they are.
_RIGHT: WeakSet[Graph | Node] = WeakSet()


def through(graph: Graph, *passes: Callable[[Graph], Graph]) -> Graph:
    """The graph after these passes, one after the other."""
    for apply in passes:
        graph = verified(apply(graph), apply.__name__)
    return graph


def verified(graph: Graph, made_by: str) -> Graph:
    """The graph; in the checking mode InternalError names the pass that left it malformed."""
    if OPTIONS.get("native") == "check":
        try:
            verify_structure(graph, _RIGHT)
        except ValueError as error:
            message = f"the pass `{made_by}` left a graph that is wrong: {error}"
            raise InternalError(None, None, message) from error
    return graph
