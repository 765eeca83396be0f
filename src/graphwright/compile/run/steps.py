"""The first calls of a graph: its nodes as steps, one after the other, over NumPy kernels.

The text of a node (`straight_line`) takes as long to make and compile as fifty steps. So a graph is
worth its text once it was called often. A graph with loops or branches has text from the first call
on: their iterations are many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from graphwright.compile.graph.kernel_refusals import bound, note
from graphwright.compile.graph.prune import is_wanted
from graphwright.ir.graph import Graph, Node, Value, ops_of, subgraphs_of
from graphwright.op.op import host_value
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.values.eager import REFUSALS


def is_plain(graph: Graph) -> bool:
    """Whether a graph can run in steps: no node holds graphs, or draws from a stream, which the
    text would begin anew."""
    return not any(op.has_stream or subgraphs_of(op) for op in ops_of(graph))


#: A node, its kernel, the places of its operands and results, and the places cleared after it.
Step: TypeAlias = tuple[Node, Callable[..., Any], list[int], "int | slice", list[int]]


class Steps:
    """A graph as steps, each of which takes arrays from places and puts its results into others."""

    def __init__(self, graph: Graph) -> None:
        self.places: dict[Value, int] = {}
        self.initial: list[Any] = []  # the contents of the places when a call begins
        self.steps: list[Step] = []
        for value in graph.arguments:
            self.place(value, None)
        for node, last in lives(graph):
            self.add(node, last)
        self.results = [self.places[value] for value in graph.results]

    def place(self, value: Value, content: object) -> int:
        """A new place for a value."""
        place = self.places[value] = len(self.initial)
        self.initial.append(content)
        return place

    def add(self, node: Node, last: Sequence[Value]) -> None:
        """Adds the step of a node; `last` are the values that are dead after it."""
        op = node.op
        if isinstance(op, Placeholder):
            return
        if isinstance(op, Const):
            self.place(node.outputs[0], op.value.array)
            return
        if op.has_host:
            sources = self.sources(node, op.host_mask(len(node.inputs)))
        else:
            sources = [self.places[value] for value in node.inputs]
        kernel = self.kernel(node)
        first = len(self.initial)
        for value in node.outputs:
            self.place(value, None)
        target: int | slice = slice(first, len(self.initial))
        if len(node.outputs) == 1 and not op.returns_tuple:
            target = first
        elif not node.outputs:  # nothing reads what its kernel returns
            target = first
            self.initial.append(None)
        dead = [self.places[v] for v in last if not isinstance(v.node.op, Const)]
        self.steps.append((node, kernel, sources, target, dead))

    def sources(self, node: Node, mask: Sequence[bool]) -> list[int]:
        """The places of operands, of which host operands are plain Python values."""
        places = []
        for value, is_host in zip(node.inputs, mask):
            place = self.places[value]
            if is_host:
                converted = len(self.initial)
                op = value.node.op
                self.initial.append(host_value(op.value.array) if isinstance(op, Const) else None)
                if not isinstance(op, Const):
                    self.steps.append((node, host_value, [place], converted, []))
                place = converted
            places.append(place)
        return places

    def kernel(self, node: Node) -> Callable[..., Any]:
        """The kernel of a node."""
        op, inputs = node.op, node.inputs
        if op.has_host:
            inputs = tuple([v for v, host in zip(inputs, op.host_mask(len(inputs))) if not host])
        return bound(node, op, [value.type.dtype for value in inputs])

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The arrays of the graph's results, from those of its arguments."""
        arrays_by_place = self.initial.copy()
        arrays_by_place[: len(arrays)] = arrays
        try:
            for node, kernel, sources, target, dead in self.steps:  # noqa: B007 - for the handler
                arrays_by_place[target] = kernel(*[arrays_by_place[place] for place in sources])
                for place in dead:
                    arrays_by_place[place] = None
        except REFUSALS as error:
            note(error, node, [arrays_by_place[self.places[value]] for value in node.inputs])
            raise
        return tuple([arrays_by_place[place] for place in self.results])


def lives(graph: Graph) -> list[tuple[Node, list[Value]]]:
    """The needed nodes, each with the values that are dead after it."""
    needed = set(graph.results)
    nodes = []
    for node in reversed(graph.nodes):
        if is_wanted(node, needed):
            last = [value for value in (*node.inputs, *node.outputs) if value not in needed]
            needed.update(node.inputs)
            nodes.append((node, last))
    nodes.reverse()
    return nodes
