"""Graphs in ops as functions, which run them: `hooks` provides the builder."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.ir.draws import Draws
from graphwright.ir.graph import Graph, ops_of, subgraphs_of
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Op

Function: TypeAlias = Callable[..., tuple[Any, ...]]


class Builder:
    """Makes a function on arrays from a graph."""

    build: Callable[..., Function]


def function_of(graph: Graph) -> Function:
    """The graph as a function from the arrays of its arguments to those of its results.

    Its loops go on as machine code if they take long.
    """
    function: Function | None = graph.function
    if function is None:
        function = graph.function = Builder.build(graph, graph.draws, has_heads=True)
    return function


@once_per_graph
def is_pure(graph: Graph) -> bool:
    """Whether the graph runs without code of the program."""
    for op in ops_of(graph):
        graphs = subgraphs_of(op)  # they decide for an op that holds any
        if not (all(map(is_pure, graphs)) if graphs else op.pure):
            return False
    return True


@once_per_graph
def has_stream(graph: Graph) -> bool:
    """Whether the graph draws from streams of random numbers that have a state."""
    return any(map(draws_numbers, ops_of(graph)))


@once_per_graph
def whole_size(graph: Graph) -> int:
    """The number of nodes of a graph and of the graphs in it, each as often as nodes hold it."""
    return len(graph.nodes) + sum(map(whole_size, graph.subgraphs()))


def draws_numbers(op: Op) -> bool:
    """Whether an op, or a graph that it holds, draws from streams that have a state."""
    return op.has_stream or any(map(has_stream, subgraphs_of(op)))


def with_own_streams(op: Op) -> Op:
    """The op for one place in a function: in TensorFlow each place has streams of its own.

    It is the op itself, unless its graphs draw from streams; then it gets copies of these.
    """
    if not any(map(has_stream, subgraphs_of(op))):
        return op
    return type(op)(*[_copied(value) for value in op.values()])


def _copied(value: object) -> Any:
    """Copies of the graphs in an attribute, with streams of their own; any other value as it is."""
    if isinstance(value, tuple):
        return tuple([_copied(v) for v in value])
    if not isinstance(value, Graph):
        return value
    copied = copy.copy(value)
    copied.function, copied.draws = None, Draws()
    return copied
