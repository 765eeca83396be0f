"""Loops and branches over the values of variables, for those that read and change variables.

Machine code works on values. So a loop that changes variables takes their values as further loop
variables, and a branch has them as further results. What is only read is one more operand. Whoever
uses such a form reads the variables before it, and writes them after it. If the form fails, nothing
is written, and the loop itself has to run: it leaves the effects of the iterations before an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.failures import may_fail
from graphwright.compile.graph.simplify import simple_graphs
from graphwright.compile.graph.variable_cells import VariableCells
from graphwright.compile.nests.sizes import NotNative
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Effect
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

ControlOp: TypeAlias = "StatelessWhile | StatelessIf"


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


def is_of_variable(node: Node) -> bool:
    """Whether a node reads or changes a variable, as no form over values does."""
    return bool(node.inputs) and node.inputs[0].type.dtype is dt.resource


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
        ValueRewriting(graph, {i - first: type_ for i, type_ in types.items()})
        for graph in simple_graphs(op)
    ]
    places = [i for i in types if any(i - first in body.written for body in bodies)]
    written = [i - first for i in places]
    if is_loop and bodies[0].written:
        raise NotNative("its condition changes a variable", innermost=node)
    graphs = [body.graph for body in bodies]
    for body in bodies[1:] if is_loop else bodies:
        body.graph.results += [body.held(i) for i in written]
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

    def __init__(self, original: Graph, types: Mapping[int, TensorType]) -> None:
        self.original = original
        #: The types of the variables, by their handles.
        self.types = {original.arguments[i]: type_ for i, type_ in types.items()}
        self.current: dict[Value, Value] = {}  # what they hold after the nodes so far
        self.changed: set[Value] = set()
        self.unread: set[Value] = set()  # of those that changed, which nothing has read since
        self.graph = Graph(original.name, original.is_body)
        transform(original, self.rewritten, self.graph)
        self.graph.names = original.names

    @property
    def written(self) -> set[int]:
        """The numbers of the arguments whose variables change."""
        return {i for i, handle in enumerate(self.original.arguments) if handle in self.changed}

    def held(self, number: int) -> Value:
        """What the variable of an argument holds in the end."""
        return self.current[self.original.arguments[number]]

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
        if handle not in self.types or any(v in self.types for v in operands):
            raise NotNative("it reads or changes state", innermost=node)
        return self.on_value(node, self.current[handle], inputs[1:])

    def on_value(self, node: Node, value: Value, operands: Sequence[Value]) -> tuple[Value, ...]:
        """The results of an op on a variable, in ops on its value."""
        before = len(self.graph.nodes)
        tensors = [SymbolicTensor(v, self.graph) for v in (value, *operands)]
        with tracing(self.graph):
            result = node.op.on_value(*tensors)
        for made in self.graph.nodes[before:]:
            made.location = node.location
        if result is None:
            raise NotNative("it has no form over values here", innermost=node)
        if result._value not in operands:  # it uses what the variable holds
            self.unread.discard(node.inputs[0])
        if node.op.effect is not Effect.WRITE:
            return (result._value,)
        if result._value.type is not value.type:
            raise NotNative("its variable may get another shape", innermost=node)
        self.change(node.inputs[0], result._value)
        return ()

    def argument(self, value: Value) -> tuple[Value, ...] | None:
        """The value of a variable in place of its handle; other arguments stay."""
        if value not in self.types:
            return None
        self.current[value] = self.graph.placeholder(self.types[value], value.node.name)
        return (self.current[value],)

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

    def control(
        self, node: Node, op: ControlOp, inputs: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """The results of a loop or a branch inside, over values."""
        handles = {i: v for i, v in enumerate(node.inputs) if v in self.types}
        other, places = over_values(op, {i: self.types[v] for i, v in handles.items()}, node)
        self.unread.difference_update(handles.values())
        operands = [self.current[handles[i]] if i in handles else v for i, v in enumerate(inputs)]
        types = [v.type for v in node.outputs] + [self.types[handles[i]] for i in places]
        outputs = self.graph.add(
            other, arranged(op, operands, places), tuple(types), node.name, node.location
        ).outputs
        count = len(node.outputs)
        for i, value in zip(places, outputs[count:]):
            self.change(handles[i], value)
        return outputs[:count]
