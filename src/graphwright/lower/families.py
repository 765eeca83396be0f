"""Families: traces that differ in sizes alone share one native form.

What a graph computes follows from its ops, their attributes, the constants and how values lead
from one to the other; the types of values only say what is known of their sizes. So traces that are
alike but for sizes compute the same thing. The first of them is compiled for itself; for the
second, a graph is compiled in which every size that differs is unknown. If that gives code as
good, the same but for numbers that were sizes, it is there for all whose types are subtypes,
without another look: 64 lengths of one function take as long as two.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from graphwright.forks import held_over_forks
from graphwright.ir.execution import Function, has_stream, is_pure
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.lower.sizes import NotNative
from graphwright.ops.creation import Placeholder
from graphwright.ops.identities import Identity
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, join_dims
from graphwright.values.tensor import EagerTensor

Types = tuple[TensorType, ...]


class Native(NamedTuple):
    """A graph's machine code: what runs it, and what tells one kind of code from another."""

    function: Function
    code: Callable[[], Any]


class General(NamedTuple):
    """What serves many traces: a graph of some unknown sizes, and the function made of it."""

    graph: Graph
    types: Types
    function: Function

    def covers(self, types: Types) -> bool:
        """Whether a graph of these types may run it."""
        return all(t is known or t.is_subtype_of(known) for t, known in zip(types, self.types))


class Family:
    """The traces of one structure; it lives as long as one of them."""

    def __init__(self) -> None:
        self.first: tuple[Graph, Native] | None = None  # what was compiled for itself
        self.general: General | None = None
        self.is_open = True  # whether what is general has been as good so far
        self.lock = threading.Lock()

    def found(self, graph: Graph) -> Function | None:
        """What is there already for a graph of this structure."""
        general = self.general
        return general.function if general is not None and general.covers(types(graph)) else None

    def compiled(self, graph: Graph, compile: Callable[[Graph], Native]) -> Function:
        """The native form of a graph of this structure: what is there, or what `compile` makes."""
        with self.lock:
            found = self.found(graph) or (self.widened(graph, compile) if self.first else None)
            if found is not None:
                return found
            native = compile(graph)
            if self.first is None:
                self.first = graph, native
            return native.function

    def widened(self, graph: Graph, compile: Callable[[Graph], Native]) -> Function | None:
        """What is general after it has learned of another graph, if it is the same code."""
        assert self.first is not None
        if not self.is_open:
            return None
        before, first = self.first
        wide = joined(before if self.general is None else self.general.graph, graph)
        try:
            native = compile(wide)
        except NotNative:
            native = None
        if native is None or native.code() != first.code():
            self.is_open = False
            return None
        self.general = General(wide, types(wide), native.function)
        return native.function


def types(graph: Graph) -> Types:
    """The types of all values, in order, and of those of the graphs in it."""
    found: list[TensorType] = []
    for node in graph.nodes:
        found += [v.type for v in node.outputs]
        for inner in subgraphs_of(node.op):
            found += types(inner)
    return tuple(found)


def joined(a: Graph, b: Graph) -> Graph:
    """The graph of two that are alike but for sizes: what differs is unknown."""
    result = Graph(a.name, a.is_body)
    new: dict[Value, Value] = {}
    for one, other in zip(a.nodes, b.nodes):
        both = [
            x.type.with_dims(join_dims(x.type.dims, y.type.dims))
            for x, y in zip(one.outputs, other.outputs)
        ]
        op = one.op
        if isinstance(op, Placeholder):
            op = Placeholder(op.dtype, both[0].dims)
        elif any(subgraphs_of(op)):
            op = type(op)(*map(joined_parts, op.values(), other.op.values()))
        inputs = tuple([new[v] for v in one.inputs])
        node = Node(op, inputs, tuple(both), one.name, one.location)
        new.update(zip(one.outputs, node.outputs))
        result.nodes.append(node)
    result.parameters = [new[v] for v in a.parameters]
    result.captures = [(outside, new[v]) for outside, v in a.captures]
    result.results = [new[v] for v in a.results]
    result.names = a.names
    return result


def joined_parts(a: Any, b: Any) -> Any:
    """An attribute of two ops that are alike, with the graphs in it joined."""
    if isinstance(a, tuple):
        return tuple(map(joined_parts, a, b))
    return joined(a, b) if isinstance(a, Graph) else a


def resources(graph: Graph) -> Any:
    """What is behind the handles that a graph captures; None where that is not known."""
    found: list[int] = []
    for outside, value in graph.captures:
        if value.type.dtype is dt.resource:
            if not isinstance(outside, EagerTensor):
                return None
            found.append(id(outside._array))  # it lives as long as any such graph
    return tuple(found)


def structure(graph: Graph) -> Any:
    """All of a graph but the sizes in its types; None for one that draws from streams of its own,
    or runs Python.

    A size of 0 or 1 stays: what has such a size is broadcast, or empty.
    """
    held = resources(graph)
    if held is None or has_stream(graph) or not is_pure(graph):
        return None
    return held, parts(graph)


def parts(graph: Graph) -> Any:
    """The nodes of a graph, and what leads in and out."""
    numbers: dict[Value, int] = {}
    nodes: list[Any] = []
    for node in graph.nodes:
        op = node.op
        made: list[Any] = []
        for value in node.outputs:
            numbers[value] = len(numbers)
            dims = value.type.dims
            ranks = None if dims is None else tuple([d if d in (None, 0, 1) else 2 for d in dims])
            made.append((value.type.dtype, ranks))
        what: Any = op
        if isinstance(op, Placeholder):
            what = Placeholder
        elif any(subgraphs_of(op)):
            what = type(op), tuple(map(part, op.values()))
        inputs = tuple([numbers[v] for v in node.inputs])
        # What fails says where: but results are repeated where the function was called.
        where = None if type(op) is Identity else node.location
        nodes.append((what, inputs, tuple(made), node.name, where))
    ends = [tuple([numbers[v] for v in some]) for some in (graph.arguments, graph.results)]
    return graph.name, tuple(nodes), *ends


def part(value: Any) -> Any:
    """An attribute, with the structure of graphs in place of them."""
    if isinstance(value, tuple):
        return tuple(map(part, value))
    return parts(value) if isinstance(value, Graph) else value


_FAMILIES: WeakValueDictionary[Any, Family] = WeakValueDictionary()
_LOCK = held_over_forks(threading.Lock())


def family_of(graph: Graph) -> Family | None:
    """The family of a graph: a new one if it is the first; None if it can have none."""
    key = structure(graph)
    if key is None:
        return None
    with _LOCK:
        found = _FAMILIES.get(key)
        if found is None:
            found = _FAMILIES[key] = Family()
        return found


def is_any() -> bool:
    """Whether there is any family: whoever looks for one of a new trace can spare it if not."""
    return bool(_FAMILIES)
