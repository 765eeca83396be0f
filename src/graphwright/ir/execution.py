"""How ops that hold graphs run them: `hooks` provides the builder."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Op

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


@once_per_graph
def is_pure(graph: Graph) -> bool:
    """Whether running the graph calls no user code."""
    for node in graph.nodes:
        graphs = subgraphs_of(node.op)  # which decide
        if not (all(map(is_pure, graphs)) if graphs else node.op.pure):
            return False
    return True


@once_per_graph
def has_stream(graph: Graph) -> bool:
    """Whether running the graph draws from streams that go on."""
    return any(n.op.has_stream for n in graph.nodes) or any(map(has_stream, graph.subgraphs()))


@once_per_graph
def whole_size(graph: Graph) -> int:
    """How many nodes a graph has with those of the graphs in it, each as often as it is there."""
    return len(graph.nodes) + sum(map(whole_size, graph.subgraphs()))


def with_own_streams(op: Op) -> Op:
    """The op as one place in a function has it: TensorFlow's streams are of that place alone.

    That is the op itself, unless its graphs draw from streams; then it has graphs of its own.
    """
    if not any(map(has_stream, subgraphs_of(op))):
        return op
    return type(op)(*[_own(value) for value in op.values()])


def _own(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple([_own(v) for v in value])
    if not isinstance(value, Graph):
        return value
    own = copy.copy(value)
    own.function = None
    return own
