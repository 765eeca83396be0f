"""The graph: parameters, captures, an ordered list of nodes, results.

Single static assignment: each `Value` is one output of the `Node` that makes it. Program
order is the order of effects. Control flow holds graphs as attributes of its ops.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from graphwright.base.errors import Location
from graphwright.ir.face import Face
from graphwright.op.op import Effect, Op
from graphwright.op.refusal import own_boundary
from graphwright.ops.core.creation import Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.types.tensor_type import TensorType


class Value:
    """One output of a node."""

    __slots__ = ("__weakref__", "index", "known", "node", "type")

    def __init__(self, node: Node, index: int, type: TensorType) -> None:
        self.node = node
        self.index = index
        self.type = type
        self.known: Any = ()  # what `ir.known` found: a tuple of one, empty while not asked

    @property
    def name(self) -> str:
        """The node's name and the output's number, as `add:0`."""
        return f"{self.node.name}:{self.index}"

    def __repr__(self) -> str:
        return f"{self.name} {self.type!r}"


class Node:
    """An op applied to values."""

    __slots__ = ("__weakref__", "inputs", "location", "name", "op", "outputs")

    def __init__(
        self,
        op: Op,
        inputs: tuple[Value, ...],
        types: tuple[TensorType, ...],
        name: str,
        location: Location | None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.name = name
        self.location = location
        if len(types) == 1:
            self.outputs: tuple[Value, ...] = (Value(self, 0, types[0]),)
        else:
            self.outputs = tuple([Value(self, i, t) for i, t in enumerate(types)])

    def __repr__(self) -> str:
        arguments = ", ".join(v.name for v in self.inputs)
        return f"{self.name} = {self.op}({arguments})"


class Names:
    """Unique names in one graph: `add`, `add_1`, ... under nested scopes."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self.scope = ""

    def unique(self, base: str) -> str:
        """`base` under the current scope, numbered if it is taken."""
        return self.claim(self.scope + base)

    def claim(self, name: str) -> str:
        """A whole name, numbered if it is taken."""
        used, key = self._used, name.lower()
        number = used.get(key)
        if number is None:
            used[key] = 1
            return name
        while (numbered := f"{key}_{number}") in used:
            number += 1
        used[numbered] = 1
        used[key] = number + 1
        return f"{name}_{number}"


_IDS = itertools.count(1)


class Graph(Face):
    """A program over tensors: `tf.Graph`."""

    def __init__(self, name: str = "graph", is_body: bool = False) -> None:
        self.name = name
        self.is_body = is_body  # of a branch or loop: part of the function around it
        self.id = next(_IDS)
        self.parameters: list[Value] = []
        self.captures: list[tuple[Any, Value]] = []
        #: Weak references to eager tensors that are constants here or in graphs inside, by `id`.
        self.folded: dict[int, Any] = {}
        self.nodes: list[Node] = []
        self.results: list[Value] = []
        self.names = Names()
        self.handles: dict[Value, Any] = {}  # variables by the placeholders of their handles
        #: What runs it, once something did: kept here and not in a weak table, since it leads
        #: back to the graph, by what its loops captured from it.
        self.function: Any = None
        self.derivative: Any = None  # how it is differentiated: see `control.derivative`
        self.rule: Any = None  # the gradient of a call of it, if it is a forward form
        #: What it was made from by `transform`, and what has become of the values there.
        self.origin: tuple[Graph, dict[Value, Value]] | None = None

    @own_boundary  # it refuses nothing
    def add(
        self,
        op: Op,
        inputs: tuple[Value, ...],
        types: tuple[TensorType, ...],
        name: str | None = None,
        location: Location | None = None,
    ) -> Node:
        """Appends a node."""
        node = Node(op, inputs, types, self.names.unique(name or op.node_name), location)
        self.nodes.append(node)
        return node

    def placeholder(self, type: TensorType, name: str) -> Value:
        """Appends a placeholder; the caller makes it a parameter or a capture."""
        return self.add(Placeholder(type.dtype, type.dims), (), (type,), name).outputs[0]

    @property
    def arguments(self) -> list[Value]:
        """What a call must supply: the parameters, then the captures."""
        return [*self.parameters, *[value for _, value in self.captures]]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables outside that it uses, in the order in which it came upon them."""
        found = [getattr(tensor, "variable", None) for tensor in self.captured]
        return tuple([variable for variable in found if variable is not None])

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trained."""
        return tuple([variable for variable in self.variables if variable.trainable])

    @property
    def captured(self) -> list[Any]:
        """The outside tensors that a call supplies for the captures."""
        return [outside for outside, _ in self.captures]

    def subgraphs(self) -> Iterator[Graph]:
        """The graphs that control flow and calls hold, directly."""
        for node in self.nodes:
            yield from subgraphs_of(node.op)

    @property
    def is_stateful(self) -> bool:
        """Whether running it reads or changes state."""
        return any(node.op.effect is not Effect.NONE for node in self.nodes)

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


def subgraphs_of(op: Op) -> tuple[Graph, ...]:
    """The graphs among an op's attributes."""
    found: tuple[Graph, ...] | None = op.__dict__.get("_graphs")
    if found is None:
        several = [value if isinstance(value, tuple) else (value,) for value in op.values()]
        graphs = [part for values in several for part in values if isinstance(part, Graph)]
        found = op.__dict__["_graphs"] = tuple(graphs)
    return found


def transform(
    graph: Graph,
    rewrite: Callable[[Node, tuple[Value, ...]], tuple[Value, ...] | None],
    into: Graph,
) -> None:
    """Rebuilds `graph` in `into`, each node as `rewrite` gives it or as it is.

    `rewrite` gets the node and its new inputs and returns the values that replace its
    outputs, or None to keep the node.
    """
    mapping: dict[Value, Value] = {}
    for node in graph.nodes:
        inputs = tuple([mapping[v] for v in node.inputs])
        replaced = rewrite(node, inputs)
        if replaced is None:
            types = tuple([v.type for v in node.outputs])
            replaced = into.add(node.op, inputs, types, node.name, node.location).outputs
        mapping.update(zip(node.outputs, replaced))
    into.parameters = [mapping[v] for v in graph.parameters]
    into.captures = [(outside, mapping[v]) for outside, v in graph.captures]
    into.results = [mapping[v] for v in graph.results]
    into.origin = graph, mapping


def source(value: Value) -> Value:
    """The value that another one only repeats."""
    while type(value.node.op) is Identity:
        value = value.node.inputs[0]
    return value


def counterpart(graph: Graph, value: Value, home: Graph) -> Value | None:
    """What stands in `graph` for a value of `home`: in `graph` itself, in what it was made
    from, or in a graph whose tensors it captures. None if nothing does."""
    if home is graph:
        return value
    found: Value | None
    if graph.origin is not None:
        base, made = graph.origin
        found = counterpart(base, value, home)
        if found is not None:
            return made.get(found)
    inner = [(tensor, own) for tensor, own in graph.captures if isinstance(tensor.key, Value)]
    outer = {around: counterpart(around, value, home) for around in {t.graph for t, _ in inner}}
    for tensor, own in inner:
        found = outer[tensor.graph]
        if found is not None and source(tensor.key) is source(found):
            return own
    return None
