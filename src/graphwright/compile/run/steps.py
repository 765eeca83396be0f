"""The first calls of a graph: its nodes, one step after the other over NumPy kernels.

Making and compiling the text of a node (`straight_line`) takes as long as fifty steps, so a graph
is worth its text once it was called often. What holds graphs, loops or branches, has text from the
first call on: their iterations are many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.compile.graph.kernel_refusals import bound, note
from graphwright.compile.graph.prune import is_wanted
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.op.op import host_value
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.values.eager import REFUSALS


def is_plain(graph: Graph) -> bool:
    """Whether a graph can be run in steps: no node holds graphs, or draws from a stream that its
    text would begin anew."""
    return not any(node.op.has_stream or subgraphs_of(node.op) for node in graph.nodes)


#: A node, its kernel, where it takes from and puts to, and the places that are let go of then.
Step = tuple[Node, Callable[..., Any], list[int], "int | slice", list[int]]


class Steps:
    """A graph as steps: each takes arrays from places, and puts its results into others."""

    def __init__(self, graph: Graph) -> None:
        self.places: dict[Value, int] = {}
        self.held: list[Any] = []  # what is in the places when a call begins
        self.steps: list[Step] = []
        for value in graph.arguments:
            self.place(value, None)
        for node, last in lives(graph):
            self.add(node, last)
        self.results = [self.places[value] for value in graph.results]

    def place(self, value: Value, held: Any) -> int:
        """A new place for a value."""
        place = self.places[value] = len(self.held)
        self.held.append(held)
        return place

    def add(self, node: Node, last: Sequence[Value]) -> None:
        """The step of a node; `last` is what nobody needs after it."""
        op = node.op
        if isinstance(op, Placeholder):
            return
        if isinstance(op, Const):
            self.place(node.outputs[0], op.value.array)
            return
        if op.has_host:
            taken = self.taken(node, op.host_mask(len(node.inputs)))
        else:
            taken = [self.places[value] for value in node.inputs]
        kernel = self.kernel(node)
        first = len(self.held)
        for value in node.outputs:
            self.place(value, None)
        target: int | slice = slice(first, len(self.held))
        if len(node.outputs) == 1 and not op.returns_tuple:
            target = first
        elif not node.outputs:  # what its kernel returns goes nowhere
            target = first
            self.held.append(None)
        gone = [self.places[v] for v in last if not isinstance(v.node.op, Const)]
        self.steps.append((node, kernel, taken, target, gone))

    def taken(self, node: Node, mask: Sequence[bool]) -> list[int]:
        """The places of operands, some of them of plain Python values."""
        taken = []
        for value, is_host in zip(node.inputs, mask):
            place = self.places[value]
            if is_host:
                made = len(self.held)
                op = value.node.op
                self.held.append(host_value(op.value.array) if isinstance(op, Const) else None)
                if not isinstance(op, Const):
                    self.steps.append((node, host_value, [place], made, []))
                place = made
            taken.append(place)
        return taken

    def kernel(self, node: Node) -> Callable[..., Any]:
        """A node's kernel."""
        op, inputs = node.op, node.inputs
        if op.has_host:
            inputs = tuple([v for v, host in zip(inputs, op.host_mask(len(inputs))) if not host])
        return bound(node, op, [value.type.dtype for value in inputs])

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The arrays of the graph's results, from those of its arguments."""
        held = self.held.copy()
        held[: len(arrays)] = arrays
        try:
            for node, kernel, taken, target, gone in self.steps:  # noqa: B007 - for the handler
                held[target] = kernel(*[held[place] for place in taken])
                for place in gone:
                    held[place] = None
        except REFUSALS as error:
            note(error, node, [held[self.places[value]] for value in node.inputs])
            raise
        return tuple([held[place] for place in self.results])


def lives(graph: Graph) -> list[tuple[Node, list[Value]]]:
    """The nodes that are needed, each with the values that nobody needs after it."""
    needed = set(graph.results)
    found = []
    for node in reversed(graph.nodes):
        if is_wanted(node, needed):
            last = [value for value in (*node.inputs, *node.outputs) if value not in needed]
            needed.update(node.inputs)
            found.append((node, last))
    found.reverse()
    return found
