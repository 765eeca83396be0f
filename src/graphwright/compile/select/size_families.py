"""Families: traces that differ in sizes alone share one native form.

A graph's ops, their attributes, the constants and the edges decide what it computes. The types of
values only say what is known of their sizes. So traces that differ only in sizes compute the same.

The native form of the first trace serves all traces of its types. For other sizes a graph is
lowered in which every size that differs is unknown. Its code is as good if it is the same except
for numbers that were sizes. Then it serves all traces whose types are subtypes, without another
look:
64 lengths of one function take as long as two.

A size of 0 or 1 makes another family: such a tensor is empty or broadcast, and better code may be
possible for it. Families that differ in that alone are kin. A trace without code of its own may
run the code of its kin.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias
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

Types: TypeAlias = tuple[TensorType, ...]

#: A graph of more nodes than this, with those of the graphs in it, has no family.
_LARGEST = 100_000

#: Guards the tables of traces and families; never held for long.
_LOCK = held_over_forks(threading.RLock())


class Lowered(Protocol):
    """A graph's native form, which is text until its function is needed."""

    @property
    def function(self) -> Function:
        """The function that runs it; machine code is generated at the first request."""

    def code(self) -> Any:
        """A value that differs for code of another kind."""


Lower: TypeAlias = Callable[[Graph], Lowered]


class Member(Protocol):
    """A trace, as its family sees it."""

    graph: Graph

    def enter(self) -> None:
        """Becomes a member of its family."""

    def adopt(self) -> None:
        """Runs its family's form from now on, if there is one."""


class Form:
    """A native form and its graph; it serves all traces whose types are subtypes."""

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
        """The function that runs it."""
        function = self.lowered.function
        self.is_linked = True
        return function


class Kin:
    """Families that differ only in which sizes are 0 or 1."""

    def __init__(self, lookalikes: Lookalikes) -> None:
        self.lookalikes = lookalikes  # keeps the table alive that lists this kin
        self.families: WeakValueDictionary[Any, SizeFamily] = WeakValueDictionary()


class SizeFamily:
    """The traces of one structure; it lives as long as one of them.

    Two threads may make forms at once: each form is right by itself.
    """

    def __init__(self, kin: Kin) -> None:
        self.kin = kin
        self.form: Form | None = None  # the widest so far
        self.is_open = True  # whether all wider ones have been as good so far
        self.calls = 0  # of traces that waited for a form
        self.waiting: WeakSet[Member] = WeakSet()

    def function_for(self, types: Types) -> Function | None:
        """The linked function for a graph of this structure and these types, or None."""
        form = self.form
        if form is None or not form.is_linked or not form.covers(types):
            return None
        return form.linked()

    def of_kin(self, types: Types) -> Function | None:
        """The same from families that are kin."""
        with _LOCK:
            others = [family for family in self.kin.families.values() if family is not self]
        functions = (family.function_for(types) for family in others)
        return next((function for function in functions if function is not None), None)

    def wait(self, member: Member) -> None:
        """Adds a trace that adopts a form as soon as there is one."""
        with _LOCK:
            self.waiting.add(member)

    def forget(self, member: Member) -> None:
        """Removes a trace that waits."""
        with _LOCK:
            self.waiting.discard(member)

    def tell(self) -> None:
        """Makes all waiting traces adopt the present forms."""
        with _LOCK:
            waiting = [member for family in self.kin.families.values() for member in family.waiting]
        for member in waiting:
            member.adopt()

    def shared(self, graph: Graph, lower: Lower, is_worth: bool) -> Function | None:
        """The function that serves a graph and others of its structure.

        None where code for the graph alone is better and the graph is not worth such code.
        """
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
        """Widens the form to another graph and to those of waiting traces, as long as the code
        stays the same."""
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
    """The types of all values in a graph and in the graphs inside it, in order."""
    result: list[TensorType] = []
    for node in graph.nodes:
        result += [v.type for v in node.outputs]
        for inner in subgraphs_of(node.op):
            result += types(inner)
    return tuple(result)


def joined(a: Graph, b: Graph) -> Graph:
    """The graph of two that differ only in sizes: sizes that differ are unknown."""
    result = Graph(a.name, a.is_body)
    new: dict[Value, Value] = {}
    for one, other in zip(a.nodes, b.nodes):
        types_of_both = [
            x.type.with_dims(join_dims(x.type.dims, y.type.dims))
            for x, y in zip(one.outputs, other.outputs)
        ]
        op = one.op
        if isinstance(op, Placeholder):
            op = Placeholder(op.dtype, types_of_both[0].dims)
        elif any(subgraphs_of(op)):
            op = type(op)(*map(joined_parts, op.values(), other.op.values()))
        inputs = tuple([new[v] for v in one.inputs])
        node = Node(op, inputs, tuple(types_of_both), one.name, one.location)
        new.update(zip(one.outputs, node.outputs))
        result.nodes.append(node)
    result.parameters = [new[v] for v in a.parameters]
    result.captures = [(outside, new[v]) for outside, v in a.captures]
    result.results = [new[v] for v in a.results]
    result.names = a.names
    return result


def joined_parts(a: Any, b: Any) -> Any:
    """An attribute of two similar ops, with the graphs in it joined."""
    if isinstance(a, tuple):
        return tuple(map(joined_parts, a, b))
    return joined(a, b) if isinstance(a, Graph) else a


def resources(graph: Graph) -> tuple[int, ...] | None:
    """The ids of the storages behind a graph's captured handles; None if one is unknown."""
    ids: list[int] = []
    for outside, value in graph.captures:
        if value.type.dtype is dt.resource:
            if not isinstance(outside, EagerTensor):
                return None
            ids.append(id(outside._array))  # it lives as long as any such graph
    return tuple(ids)


class Alone(Exception):
    """Raised for a graph that draws from its own streams or runs Python: no other is like it."""


def structure(graph: Graph) -> tuple[Any, Any] | None:
    """A graph's structure without sizes, and which sizes are 0 or 1; None for a graph that no other
    is like."""
    storages = resources(graph)
    if storages is None or whole_size(graph) > _LARGEST:
        return None
    small: list[int | None] = []
    try:
        return (storages, parts(graph, small)), tuple(small)
    except Alone:
        return None


def parts(graph: Graph, small: list[int | None]) -> Any:
    """The nodes, arguments and results of a graph; `small` gets the sizes, 2 for all above 1."""
    numbers: dict[Value, int] = {}
    nodes: list[Any] = []
    for node in graph.nodes:
        op = node.op
        has_graphs = any(subgraphs_of(op))  # if so, these decide
        if op.has_stream or not (has_graphs or op.pure):
            raise Alone
        outputs: list[Any] = []
        for value in node.outputs:
            numbers[value] = len(numbers)
            dims = value.type.dims
            if dims is None:
                outputs.append((value.type.dtype, None))
            else:
                outputs.append((value.type.dtype, tuple([d is None for d in dims])))
                small += [d if d in (0, 1) else 2 for d in dims]
        essence: Any = op
        if isinstance(op, Placeholder):
            essence = Placeholder
        elif has_graphs:
            essence = type(op), tuple([part(value, small) for value in op.values()])
        inputs = tuple([numbers[v] for v in node.inputs])
        # Errors name locations, so these matter. Those of `Identity` nodes are the callers'.
        location = None if type(op) is Identity else node.location
        nodes.append((essence, inputs, tuple(outputs), node.name, location))
    ends = [tuple([numbers[v] for v in values]) for values in (graph.arguments, graph.results)]
    return graph.name, tuple(nodes), *ends


def part(value: object, small: list[int | None]) -> Any:
    """An attribute of an op, with structures in place of graphs."""
    if isinstance(value, tuple):
        return tuple([part(v, small) for v in value])
    return parts(value, small) if isinstance(value, Graph) else value


class Lookalikes:
    """Traces that may be of one structure, which is compared once there are two of them."""

    def __init__(self) -> None:
        self.first: ref[Member] | None = None  # while it is alone
        self.are_several = False
        self.kin: WeakValueDictionary[Any, Kin] = WeakValueDictionary()

    def family_of(self, graph: Graph) -> SizeFamily | None:
        """The family of a graph: a new one if it is the first; None if it can have none."""
        signature = structure(graph)
        if signature is None:
            return None
        whole, small = signature
        with _LOCK:
            kin = self.kin.get(whole)
            if kin is None:
                kin = self.kin[whole] = Kin(self)
            family = kin.families.get(small)
            if family is None:
                family = kin.families[small] = SizeFamily(kin)
            return family

    def joined_by(self, member: Member) -> bool:
        """Whether there are others; the first of two enters its family now."""
        with _LOCK:
            other = None if self.first is None else self.first()
            self.are_several = self.are_several or other is not None
            self.first = None if self.are_several else ref(member)
        if other is not None:
            other.enter()
        return self.are_several


_LOOKALIKES: WeakValueDictionary[Any, Lookalikes] = WeakValueDictionary()


def lookalikes_of(graph: Graph) -> Lookalikes:
    """The traces that resemble a graph at first sight: the same name, as many nodes."""
    key = graph.name, len(graph.nodes)
    with _LOCK:
        lookalikes = _LOOKALIKES.get(key)
        if lookalikes is None:
            lookalikes = _LOOKALIKES[key] = Lookalikes()
        return lookalikes


def family_of(graph: Graph) -> SizeFamily | None:
    """The family of a graph: a new one if it is the first; None if it can have none."""
    return lookalikes_of(graph).family_of(graph)
