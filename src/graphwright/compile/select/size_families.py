"""Families: traces that differ in sizes alone share one native form.

What a graph computes follows from its ops, their attributes, the constants and how values lead
from one to the other; the types of values only say what is known of their sizes. So traces that are
alike but for sizes compute the same thing. The native form of the first serves all of its types;
for one of other sizes a graph is lowered in which every size that differs is unknown. If that gives
code as good, the same but for numbers that were sizes, it is there for all whose types are
subtypes, without another look: 64 lengths of one function take as long as two.

A size of 0 or 1 makes another family, since what has it is empty or broadcast, and better code may
be made for it. Families that differ in that alone are kin: till a trace has code of its own it may
run what its kin have.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakSet, WeakValueDictionary, ref

from graphwright.base.forks import cached_property, held_over_forks
from graphwright.compile.nests.sizes import NotNative
from graphwright.ir.execution import Function, whole_size
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.ops.core.creation import Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, join_dims
from graphwright.values.tensor import EagerTensor

Types = tuple[TensorType, ...]

#: A graph of more nodes than this, with those of the graphs in it, is of no family.
_LARGEST = 100_000

#: Guards what traces and families know of each other; never held for long.
_LOCK = held_over_forks(threading.RLock())


class Lowered(Protocol):
    """A graph's native form, which is text until it is asked for the function."""

    @property
    def function(self) -> Function:
        """What runs it; machine code is generated at the first request."""

    def code(self) -> Any:
        """What tells one kind of code from another."""


Lower = Callable[[Graph], Lowered]


class Member(Protocol):
    """A trace, as its family sees it."""

    graph: Graph

    def enter(self) -> None:
        """Becomes a member of its family."""

    def adopt(self) -> None:
        """Runs from now on what its family has, if it has something."""


class Form:
    """A native form, and the graph that it was made of: it serves all whose types are subtypes."""

    def __init__(self, graph: Graph, lower: Lower) -> None:
        self.graph = graph
        self.types = types(graph)
        self.lowered = lower(graph)
        self.is_linked = False

    @cached_property
    def code(self) -> Any:
        return self.lowered.code()

    def covers(self, types: Types) -> bool:
        """Whether a graph of these types may run it."""
        return all(t is known or t.is_subtype_of(known) for t, known in zip(types, self.types))

    def linked(self) -> Function:
        """What runs it."""
        function = self.lowered.function
        self.is_linked = True
        return function


class Kin:
    """Families that differ only in which sizes are 0 or 1."""

    def __init__(self, lookalikes: Lookalikes) -> None:
        self.lookalikes = lookalikes  # where they are found
        self.families: WeakValueDictionary[Any, SizeFamily] = WeakValueDictionary()


class SizeFamily:
    """The traces of one structure; it lives as long as one of them.

    Two threads may make forms at once: each form is right by itself.
    """

    def __init__(self, kin: Kin) -> None:
        self.kin = kin
        self.form: Form | None = None  # the widest so far
        self.is_open = True  # whether wider ones have been as good so far
        self.calls = 0  # of traces that waited for a form
        self.waiting: WeakSet[Member] = WeakSet()

    def found(self, types: Types) -> Function | None:
        """What is there already for a graph of this structure and such types."""
        form = self.form
        if form is None or not form.is_linked or not form.covers(types):
            return None
        return form.linked()

    def of_kin(self, types: Types) -> Function | None:
        """The same of families that are kin."""
        with _LOCK:
            others = [family for family in self.kin.families.values() if family is not self]
        found = (family.found(types) for family in others)
        return next((function for function in found if function is not None), None)

    def wait(self, member: Member) -> None:
        """Has a trace told when there is a form for it."""
        with _LOCK:
            self.waiting.add(member)

    def forget(self, member: Member) -> None:
        """Has a trace not told any more."""
        with _LOCK:
            self.waiting.discard(member)

    def tell(self) -> None:
        """Has all traces that wait adopt what is there now."""
        with _LOCK:
            waiting = [member for family in self.kin.families.values() for member in family.waiting]
        for member in waiting:
            member.adopt()

    def shared(self, graph: Graph, lower: Lower, is_worth: bool) -> Function | None:
        """What serves a graph and others of this structure, if that is as good as one for each;
        what serves it alone only if it is worth that."""
        try:
            self.widen(graph, lower)
            form = self.form
            if form is None or not form.covers(types(graph)):
                return None
            return form.linked() if is_worth or self.is_open or form.is_linked else None
        except NotNative:
            self.is_open = False
            return None

    def widen(self, graph: Graph, lower: Lower) -> None:
        """Makes the form serve another graph, and those of traces that wait, as long as it is the
        same code."""
        with _LOCK:
            others = [member.graph for member in self.waiting]
        for other in (graph, *others):
            form = self.form
            if form is not None and form.covers(types(other)):
                continue
            if not self.is_open:
                return
            wide = Form(other if form is None else joined(form.graph, other), lower)
            if form is not None and wide.code != form.code:
                self.is_open = False
                return
            self.form = wide


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


class Alone(Exception):
    """A graph draws from streams of its own or runs Python: nothing else is like it."""


def structure(graph: Graph) -> tuple[Any, Any] | None:
    """All of a graph but the sizes in its types, and which of these are 0 or 1; None for one that
    stands alone."""
    held = resources(graph)
    if held is None or whole_size(graph) > _LARGEST:
        return None
    small: list[Any] = []
    try:
        return (held, parts(graph, small)), tuple(small)
    except Alone:
        return None


def parts(graph: Graph, small: list[Any]) -> Any:
    """The nodes of a graph, and what leads in and out; `small` gets the sizes 0 and 1."""
    numbers: dict[Value, int] = {}
    nodes: list[Any] = []
    for node in graph.nodes:
        op = node.op
        has_graphs = any(subgraphs_of(op))  # which decide then
        if op.has_stream or not (has_graphs or op.pure):
            raise Alone
        made: list[Any] = []
        for value in node.outputs:
            numbers[value] = len(numbers)
            dims = value.type.dims
            if dims is None:
                made.append((value.type.dtype, None))
            else:
                made.append((value.type.dtype, tuple([d is None for d in dims])))
                small += [d if d in (0, 1) else 2 for d in dims]
        what: Any = op
        if isinstance(op, Placeholder):
            what = Placeholder
        elif has_graphs:
            what = type(op), tuple([part(value, small) for value in op.values()])
        inputs = tuple([numbers[v] for v in node.inputs])
        # What fails says where: but results are repeated where the function was called.
        where = None if type(op) is Identity else node.location
        nodes.append((what, inputs, tuple(made), node.name, where))
    ends = [tuple([numbers[v] for v in some]) for some in (graph.arguments, graph.results)]
    return graph.name, tuple(nodes), *ends


def part(value: Any, small: list[Any]) -> Any:
    """An attribute, with the structure of graphs in place of them."""
    if isinstance(value, tuple):
        return tuple([part(v, small) for v in value])
    return parts(value, small) if isinstance(value, Graph) else value


class Lookalikes:
    """Traces that may be of one structure: that is found out once there are two of them."""

    def __init__(self) -> None:
        self.first: ref[Member] | None = None  # while it is alone
        self.are_several = False
        self.kin: WeakValueDictionary[Any, Kin] = WeakValueDictionary()

    def family_of(self, graph: Graph) -> SizeFamily | None:
        """The family of a graph: a new one if it is the first; None if it can have none."""
        found = structure(graph)
        if found is None:
            return None
        whole, small = found
        with _LOCK:
            kin = self.kin.get(whole)
            if kin is None:
                kin = self.kin[whole] = Kin(self)
            family = kin.families.get(small)
            if family is None:
                family = kin.families[small] = SizeFamily(kin)
            return family

    def joined_by(self, member: Member) -> bool:
        """Whether there are others; the one that was alone so far enters its family."""
        with _LOCK:
            other = None if self.first is None else self.first()
            self.are_several = self.are_several or other is not None
            self.first = None if self.are_several else ref(member)
        if other is not None:
            other.enter()
        return self.are_several


_LOOKALIKES: WeakValueDictionary[Any, Lookalikes] = WeakValueDictionary()


def lookalikes_of(graph: Graph) -> Lookalikes:
    """The traces that look as a graph does at first sight."""
    key = graph.name, len(graph.nodes)
    with _LOCK:
        found = _LOOKALIKES.get(key)
        if found is None:
            found = _LOOKALIKES[key] = Lookalikes()
        return found


def family_of(graph: Graph) -> SizeFamily | None:
    """The family of a graph: a new one if it is the first; None if it can have none."""
    return lookalikes_of(graph).family_of(graph)
