"""Families: traces that differ in sizes alone share one native form.

What a graph computes follows from its ops, their attributes, the constants and how values lead
from one to the other; the types of values only say what is known of their sizes. So traces that are
alike but for sizes compute the same thing. The first of them is compiled for itself; for the
second, a graph is compiled in which every size that differs is unknown. If that gives the very
same code, it is there for all whose types are subtypes, without another look: 64 lengths of
one function take as long as two.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from graphwright.forks import held_over_forks
from graphwright.ir.execution import Function
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.lower.sizes import NotNative
from graphwright.op.op import Effect
from graphwright.ops.creation import Placeholder
from graphwright.ops.identities import Identity
from graphwright.types.tensor_type import TensorType, join_dims

Types = tuple[TensorType, ...]


class Native(NamedTuple):
    """A graph's machine code: what runs it, and what tells one code from another."""

    function: Function
    code: Any


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
        self.first: tuple[Graph, Any] | None = None  # what was compiled for itself, its code
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
                self.first = graph, native.code
            return native.function

    def widened(self, graph: Graph, compile: Callable[[Graph], Native]) -> Function | None:
        """What is general after it has learned of another graph, if it is the same code."""
        assert self.first is not None
        if not self.is_open:
            return None
        before, code = self.first
        wide = joined(before if self.general is None else self.general.graph, graph)
        try:
            native = compile(wide)
        except NotNative:
            native = None
        if native is None or native.code != code:
            self.is_open = False
            return None
        self.general = General(wide, types(wide), native.function)
        return native.function


def types(graph: Graph) -> Types:
    """The types of all values, in order."""
    return tuple([v.type for node in graph.nodes for v in node.outputs])


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
        inputs = tuple([new[v] for v in one.inputs])
        node = Node(op, inputs, tuple(both), one.name, one.location)
        new.update(zip(one.outputs, node.outputs))
        result.nodes.append(node)
    result.parameters = [new[v] for v in a.parameters]
    result.captures = [(outside, new[v]) for outside, v in a.captures]
    result.results = [new[v] for v in a.results]
    result.names = a.names
    return result


def structure(graph: Graph) -> Any:
    """All of a graph but the sizes in its types; None for one with state, or with graphs in it.

    A size of 0 or 1 stays: what has such a size is broadcast, or empty.
    """
    numbers: dict[Value, int] = {}
    nodes: list[Any] = []
    for node in graph.nodes:
        op = node.op
        if op.effect is not Effect.NONE or not op.pure or op.has_stream or any(subgraphs_of(op)):
            return None
        made: list[Any] = []
        for value in node.outputs:
            numbers[value] = len(numbers)
            dims = value.type.dims
            ranks = None if dims is None else tuple([d if d in (None, 0, 1) else 2 for d in dims])
            made.append((value.type.dtype, ranks))
        what = Placeholder if isinstance(op, Placeholder) else op
        inputs = tuple([numbers[v] for v in node.inputs])
        # What fails says where: but results are repeated where the function was called.
        where = None if type(op) is Identity else node.location
        nodes.append((what, inputs, tuple(made), node.name, where))
    ends = [tuple([numbers[v] for v in some]) for some in (graph.arguments, graph.results)]
    return graph.name, tuple(nodes), *ends


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
