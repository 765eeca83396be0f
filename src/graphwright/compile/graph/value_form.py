"""Loops and branches over the values of variables, for those that read and change variables.

Machine code works on values. So a loop that changes variables takes their values as further loop
variables, and a branch has them as further results. What is only read is one more operand. Whoever
uses such a form reads the variables before it, and writes them after it. If the form fails, nothing
is written, and the loop itself has to run: it leaves the effects of the iterations before an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.failures import may_fail
from graphwright.compile.graph.simplify import simple_graphs
from graphwright.compile.graph.variable_cells import UPDATES, VariableCells
from graphwright.compile.nests.sizes import NotNative
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Effect
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.gathering import GatherNd, GatherV2
from graphwright.ops.state.variable_ops import (
    Assignment,
    ReadVariableOp,
    ResourceGather,
    VariableGather,
)
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

ControlOp: TypeAlias = "StatelessWhile | StatelessIf"

_SCALAR = TensorType(dt.int32, ())


class ValueForm(NamedTuple):
    """A loop or a branch over values, as a node.

    Its operands are those of the original, with values in place of handles. Its results are those
    of the original, then the new values of variables.
    """

    node: Node
    handles: dict[Value, Value]  # by operands of the node: the handles that they stand for
    written: tuple[Value, ...]  # the handles of the variables whose values are results


def value_form(node: Node, cells: VariableCells) -> ValueForm:
    """The form of a loop or a branch with effects; `NotNative` if it has none.

    `cells` are the variables of the graph that has the node.
    """
    op = node.op
    assert isinstance(op, (StatelessWhile, StatelessIf))
    handles = {i: v for i, v in enumerate(node.inputs) if v.type.dtype is dt.resource}
    if not cells.are_distinct(list(handles.values())):
        raise NotNative("two of its handles may stand for one variable", innermost=node)
    types = {i: variable_type(handle, cells, node) for i, handle in handles.items()}
    other, places = over_values(op, types, node)
    stand_in = Graph(node.name)
    operands = [
        stand_in.placeholder(types[i], v.node.name) if i in types else v
        for i, v in enumerate(node.inputs)
    ]
    inputs = arranged(op, operands, places)
    results = [v.type for v in node.outputs] + [types[i] for i in places]
    return ValueForm(
        Node(other, inputs, tuple(results), node.name, node.location),
        {operands[i]: handle for i, handle in handles.items()},
        tuple([handles[i] for i in places]),
    )


def variable_type(handle: Value, cells: VariableCells, node: Node) -> TensorType:
    """The type of all values of a variable; `NotNative` if its shape may change."""
    type_ = cells.type_of(handle)
    if type_ is None or type_.size is None or 0 in (type_.dims or ()):
        raise NotNative("the shape of one of its variables may change", innermost=node)
    return type_


def over_values(
    op: ControlOp, types: Mapping[int, TensorType], node: Node
) -> tuple[ControlOp, list[int]]:
    """The op over values, and the numbers of the operands whose variables it changes.

    `types` are those of the variables, by the numbers of the operands that are their handles.
    """
    is_loop = isinstance(op, StatelessWhile)
    first = 0 if is_loop else 1  # a branch has its condition before what its graphs take
    bodies = [
        ValueRewriting({graph.arguments[i - first]: type_ for i, type_ in types.items()}).run(graph)
        for graph in simple_graphs(op)
    ]
    places = [i for i in types if any(i - first in body.written for body in bodies)]
    written = [i - first for i in places]
    if is_loop and bodies[0].written:
        raise NotNative("its condition changes a variable", innermost=node)
    graphs = [body.graph for body in bodies]
    for body in bodies[1:] if is_loop else bodies:
        body.graph.results += [body.state[i] for i in written]
    if isinstance(op, StatelessIf):
        branch = op.choosing(tuple(graphs))
        assert isinstance(branch, StatelessIf)
        return branch, places
    for graph in graphs:
        variables = [graph.arguments[i] for i in written]
        graph.parameters += variables
        graph.captures = [(tensor, v) for tensor, v in graph.captures if v not in variables]
    return op.repeating(*graphs), places


def arranged(op: ControlOp, operands: Sequence[Value], written: Sequence[int]) -> tuple[Value, ...]:
    """The operands of an op over values: new loop variables follow those that there are."""
    if isinstance(op, StatelessIf):
        return tuple(operands)
    count = len(op.body.parameters)
    captured = [v for i, v in enumerate(operands) if i >= count and i not in written]
    return (*operands[:count], *[operands[i] for i in written], *captured)


def sources(value: Value) -> set[Node]:
    """The nodes of a graph that a value is computed by, but for constants."""
    nodes: set[Node] = set()
    pending = [value.node]
    while pending:
        node = pending.pop()
        if node not in nodes and not isinstance(node.op, Const):
            nodes.add(node)
            pending += [v.node for v in node.inputs]
    return nodes


class ValueRewriting:
    """Makes a graph over the values of variables from one that has their handles as arguments."""

    def __init__(self, types: Mapping[Value, TensorType]) -> None:
        self.types = types  # of the variables, by their handles
        self.current: dict[Value, Value] = {}  # what they hold after the nodes so far
        self.changed: set[Value] = set()
        self.unread: set[Value] = set()  # of those that changed, which nothing has read since
        self.graph = Graph()
        #: What they hold in the end, by the number of the argument, and which of them changed.
        self.state: dict[int, Value] = {}
        self.written: set[int] = set()

    def run(self, graph: Graph) -> ValueRewriting:
        """Rewrites a graph."""
        self.graph = Graph(graph.name, graph.is_body)
        transform(graph, self.rewritten, self.graph)
        self.graph.names = graph.names
        for number, argument in enumerate(graph.arguments):
            if argument in self.types:
                self.state[number] = self.current[argument]
                if argument in self.changed:
                    self.written.add(number)
        return self

    def rewritten(self, node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """What replaces a node; None if it stays."""
        op = node.op
        if isinstance(op, Placeholder):
            return self.argument(node.outputs[0])
        if not any(v in self.types for v in node.inputs):
            if op.effect is not Effect.NONE and not op.has_stream:
                raise NotNative("it reads or changes state", innermost=node)
            return None
        if isinstance(op, (StatelessWhile, StatelessIf)):
            return self.control(node, op, inputs)
        handle, *operands = node.inputs
        type_ = self.types.get(handle)
        if type_ is None or any(v in self.types for v in operands):
            raise NotNative("it reads or changes state", innermost=node)
        if isinstance(op, ReadVariableOp):
            self.check(node.outputs[0], type_)
            return (self.read(handle),)
        if isinstance(op, VariableGather):
            return self.gathered(node, inputs[1])
        if not isinstance(op, Assignment):
            raise NotNative("it reads or changes state", innermost=node)
        self.check(node.inputs[1], type_)
        self.change(handle, self.updated(node, inputs[1]))
        return ()

    def argument(self, value: Value) -> tuple[Value, ...] | None:
        """The value of a variable in place of its handle; other arguments stay."""
        if value not in self.types:
            return None
        self.current[value] = self.graph.placeholder(self.types[value], value.node.name)
        return (self.current[value],)

    def check(self, value: Value, type_: TensorType) -> None:
        """Sees to it that a value has exactly the type of a variable."""
        if value.type is not type_:
            raise NotNative(f"{value.name} may not have its variable's shape", innermost=value.node)

    def read(self, handle: Value) -> Value:
        """What a variable holds here, for a node that uses it."""
        self.unread.discard(handle)
        return self.current[handle]

    def change(self, handle: Value, value: Value) -> None:
        """Notes what a variable holds from here on.

        Nothing computes a value that is replaced before it is read. So it must not be one whose
        computation may fail: the program ends there.
        """
        if handle in self.unread and any(map(may_fail, sources(self.current[handle]))):
            node = self.current[handle].node
            raise NotNative("what it computes is replaced before it is read", innermost=node)
        self.current[handle] = value
        self.changed.add(handle)
        self.unread.add(handle)

    def updated(self, node: Node, value: Value) -> Value:
        """What a variable holds after an assignment."""
        op = UPDATES.get(type(node.op))
        if op is None:
            return value
        operands = self.read(node.inputs[0]), value
        return self.graph.add(op.of(), operands, (value.type,), node.name, node.location).outputs[0]

    def gathered(self, node: Node, indices: Value) -> tuple[Value, ...]:
        """Parts of a variable's value at indices."""
        types = tuple([v.type for v in node.outputs])
        operands = [self.read(node.inputs[0]), indices]
        if not isinstance(node.op, ResourceGather):
            return self.graph.add(
                GatherNd.of(), tuple(operands), types, node.name, node.location
            ).outputs
        axis = Const(Literal(np.zeros((), np.int32), _SCALAR))
        operands += self.graph.add(axis, (), (_SCALAR,)).outputs
        return self.graph.add(
            GatherV2.of(), tuple(operands), types, node.name, node.location
        ).outputs

    def control(
        self, node: Node, op: ControlOp, inputs: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """The results of a loop or a branch inside, over values."""
        handles = {i: v for i, v in enumerate(node.inputs) if v in self.types}
        other, places = over_values(op, {i: self.types[v] for i, v in handles.items()}, node)
        operands = [
            self.read(handles[i]) if i in handles else v for i, v in enumerate(inputs)
        ]
        types = [v.type for v in node.outputs] + [self.types[handles[i]] for i in places]
        outputs = self.graph.add(
            other, arranged(op, operands, places), tuple(types), node.name, node.location
        ).outputs
        count = len(node.outputs)
        for i, value in zip(places, outputs[count:]):
            self.change(handles[i], value)
        return outputs[:count]
