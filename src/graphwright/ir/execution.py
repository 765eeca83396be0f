"""How ops that hold graphs run them: `lower` provides the builder when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.ir.graph import Graph

Function = Callable[..., tuple[Any, ...]]


class Builder:
    """Makes a function on arrays of a graph."""

    build: Callable[[Graph], Function]


def function_of(graph: Graph) -> Function:
    """The graph as a function from the arrays of its arguments to those of its results."""
    found: Function | None = graph.function
    if found is None:
        found = graph.function = Builder.build(graph)
    return found


def is_pure(graph: Graph) -> bool:
    """Whether running the graph calls no user code."""
    return all(n.op.pure for n in graph.nodes) and all(is_pure(g) for g in graph.subgraphs())
