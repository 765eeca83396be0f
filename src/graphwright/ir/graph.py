"""The graph: parameters, captures, an ordered list of nodes, results.

Single static assignment: each `Value` is one output of the `Node` that makes it. Program
order is the order of effects. Control flow holds graphs as attributes of its ops.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import Any

from graphwright.base.errors import Location
from graphwright.ir.deferred_capture import tensor_now, tensor_of_trace
from graphwright.ir.draws import Draws
from graphwright.ir.face import Face
from graphwright.op.op import Effect, Op
from graphwright.op.refusal import complete, own_boundary
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
        self.known: Any = ()  # the known value of `ir.known` in a tuple, which is empty before

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
    """Unique names in one graph: `add`, `add_1`, ... under nested scopes.

    A table has the next number of each name, and no entry for names that numbers have made: with
    one for every node it would be the slowest part of a trace.
    """

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self.scope = ""

    def unique(self, base: str) -> str:
        """`base` under the current scope, numbered if it is taken; a scope's name as it is."""
        return base[:-1] if base[-1:] == "/" else self.claim(self.scope + base)

    def claim(self, name: str) -> str:
        """A whole name, numbered if it is taken."""
        used, key = self._used, name.lower()
        number = used.get(key)
        if number is None:
            if not key[-1:].isdigit() or not self._is_made(key):
                used[key] = 1
                return name
            number = 1
        while (numbered := f"{key}_{number}") in used:
            number += 1
        used[key] = number + 1
        return numbered if key == name else f"{name}_{number}"

    def copy(self) -> Names:
        """The same names, for a look at the next ones."""
        other = Names()
        other._used, other.scope = dict(self._used), self.scope
        return other

    def _is_made(self, key: str) -> bool:
        """Whether a name is a shorter one with a number that was given to it before."""
        base, _, number = key.rpartition("_")
        following = self._used.get(base, 1)
        may_be_made = number.isdecimal() and len(number) <= len(str(following))
        return may_be_made and 0 < int(number) < following and number == str(int(number))


_IDS = itertools.count(1)


class Graph(Face):
    """A program over tensors: the graph of a trace.

    Args:
        name: A string.
        is_body: A bool: whether it is the body of a branch or a loop.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> [operation.name for operation in f.graph.get_operations()]
    ['x', 'add/y', 'add', 'Identity']
    """

    def __init__(self, name: str = "graph", is_body: bool = False) -> None:
        self.name = name
        self.is_body = is_body  # of a branch or loop: part of the enclosing function
        self.is_open = False  # whether a block of a program adds to it: `as_default`
        self.is_plain = False  # whether it is no function's: blocks of a program have added to it
        self.finalized = False  # whether it gets no more nodes
        self.reason = ""  # why nothing outside may use its values, if there is one to give
        self.id = next(_IDS)
        self.parameters: list[Value] = []
        self.captures: list[tuple[Any, Value]] = []
        #: Weak references to eager tensors that are constants here or in graphs inside, by `id`.
        self.folded: dict[int, Any] = {}
        #: Those that are constants here, by the same keys.
        self.constants: dict[int, Value] = {}
        #: Weak references to eager tensors whose values the program has read as it was traced.
        self.read: dict[int, Any] = {}
        #: Values that were asked for as it was traced, and known: what was traced may rest on them.
        self.queries: set[Value] = set()
        self.lifted: Any = None  # the form of it that graphs call: see `control.lift_constants`
        self.nodes: list[Node] = []
        self.results: list[Value] = []
        self.names = Names()
        self.handles: dict[Value, Any] = {}  # variables by the placeholders of their handles
        self.devices: dict[Node, str] = {}  # those that the program stated for nodes
        #: The function that runs it, from the first run on. No weak table could hold it, since it
        #: leads back to the graph, by the captures of its loops.
        self.function: Any = None
        #: What its functions share: the kernels of nodes that draw random numbers, by their places.
        self.draws = Draws()
        #: Whether a call gives it other variables than those that it captures.
        self.gets_other_variables = False
        #: What nodes that a program adds by itself wait for, beside the order of effects.
        self.waits: dict[Node, list[Node]] = {}
        self.after: tuple[Node, ...] = ()  # what nodes that are added now wait for
        self.unfed: set[Value] = set()  # those for which sessions take no other value
        #: What programs of TensorFlow 1 list by name: `tf.compat.v1.GraphKeys`.
        self.collections: dict[Any, list[Any]] = {}
        #: Operations that a message has and the graph has not: the reasons by their names.
        self.left_out: dict[str, str] = {}
        #: What blocks of a program have brought in so far, by `id`: see `as_default`.
        self.outside: dict[int, tuple[Any, Value]] = {}
        self.derivative: Any = None  # its derivative: see `control.derivative`
        self.rule: Any = None  # the gradient of a call of it, if it is a forward form
        self.lasting: Any = None  # the form of it that a persistent tape runs: see `control.call`
        #: The graph that `transform` made it from, and the new values for those there.
        self.origin: tuple[Graph, dict[Value, Value]] | None = None

    @own_boundary  # it refuses no argument
    def add(
        self,
        op: Op,
        inputs: tuple[Value, ...],
        types: tuple[TensorType, ...],
        name: str | None = None,
        location: Location | None = None,
    ) -> Node:
        """Appends a node.

        Args:
            op: The op.
            inputs: Its operands, values of this graph.
            types: The type of each output.
            name: A string, made unique; None takes that of the op.
            location: The line of the program that it comes from.

        Returns:
            The node.

        Raises:
            RuntimeError: The graph gets no more nodes.
        """
        if self.finalized:
            raise complete(RuntimeError(
                f"Graph is finalized and cannot be modified. Make the op {name or op.node_name!r} "
                "before there is a monitored session."
            ))  # fmt: skip
        node = Node(op, inputs, types, self.names.unique(name or op.node_name), location)
        self.nodes.append(node)
        if self.after:
            self.waits[node] = list(self.after)
        return node

    def placeholder(self, type: TensorType, name: str) -> Value:
        """Appends a placeholder, which the caller makes a parameter or a capture.

        Args:
            type: Its type.
            name: A string, made unique.

        Returns:
            Its value.
        """
        return self.add(Placeholder(type.dtype, type.dims), (), (type,), name).outputs[0]

    @property
    def arguments(self) -> list[Value]:
        """The values that a call must supply: the parameters, then the captures."""
        return [*self.parameters, *[value for _, value in self.captures]]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it captures, in the order of their captures."""
        variables = [
            getattr(tensor_of_trace(outside), "variable", None) for outside, _ in self.captures
        ]
        return tuple([variable for variable in variables if variable is not None])

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable ones among `variables`."""
        return tuple([variable for variable in self.variables if variable.trainable])

    @property
    def captured(self) -> list[Any]:
        """The outside tensors that a call supplies for the captures."""
        return [tensor_now(outside) for outside, _ in self.captures]

    def subgraphs(self) -> Iterator[Graph]:
        """The graphs that control flow and calls hold, directly."""
        for node in self.nodes:
            yield from subgraphs_of(node.op)

    @property
    def is_stateful(self) -> bool:
        """Whether it reads or changes state when it runs."""
        return any(node.op.effect is not Effect.NONE for node in self.nodes)

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"


def ops_of(graph: Graph) -> Collection[Op]:
    """The ops of a graph's nodes, each once: unrolled loops have few."""
    return {id(node.op): node.op for node in graph.nodes}.values()


def subgraphs_of(op: Op) -> tuple[Graph, ...]:
    """The graphs among an op's attributes."""
    cached: tuple[Graph, ...] | None = op.__dict__.get("_graphs")
    if cached is None:
        several = [value if isinstance(value, tuple) else (value,) for value in op.values()]
        graphs = [part for values in several for part in values if isinstance(part, Graph)]
        cached = op.__dict__["_graphs"] = tuple(graphs)
    return cached


def transform(
    graph: Graph,
    rewrite: Callable[[Node, tuple[Value, ...]], tuple[Value, ...] | None],
    into: Graph,
) -> None:
    """Rebuilds `graph` in `into`, with each node rewritten or as it is.

    `rewrite` gets the node and its new inputs and returns the values that replace its
    outputs, or None to keep the node.
    """
    mapping: dict[Value, Value] = {}
    for node in graph.nodes:
        inputs = tuple([mapping[v] for v in node.inputs])
        before = len(into.nodes)
        replaced = rewrite(node, inputs)
        if replaced is None:
            types = tuple([v.type for v in node.outputs])
            replaced = into.add(node.op, inputs, types, node.name, node.location).outputs
        mapping.update(zip(node.outputs, replaced))
        if node in graph.devices:
            into.devices.update(dict.fromkeys(into.nodes[before:], graph.devices[node]))
    into.parameters = [mapping[v] for v in graph.parameters]
    into.captures = [(outside, mapping[v]) for outside, v in graph.captures]
    into.results = [mapping[v] for v in graph.results]
    into.origin = graph, mapping
    into.gets_other_variables = graph.gets_other_variables


def source(value: Value) -> Value:
    """The value that another one repeats through identities."""
    while type(value.node.op) is Identity:
        value = value.node.inputs[0]
    return value


def counterpart(graph: Graph, value: Value, home: Graph) -> Value | None:
    """The value of `graph` that stands for one of `home`, or None.

    `home` may be `graph` itself, the graph that it was made from, or one whose tensors it captures.
    """
    if home is graph:
        return value
    twin: Value | None
    if graph.origin is not None:
        base, mapping = graph.origin
        twin = counterpart(base, value, home)
        if twin is not None:
            return mapping.get(twin)
    inner = [
        (tensor, inner_value)
        for tensor, inner_value in graph.captures
        if isinstance(tensor.key, Value)
    ]
    outer = {around: counterpart(around, value, home) for around in {t.graph for t, _ in inner}}
    for tensor, inner_value in inner:
        twin = outer[tensor.graph]
        if twin is not None and source(tensor.key) is source(twin):
            return inner_value
    return None
