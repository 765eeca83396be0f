"""A graph with constants in place of what it captures: variables have the values of now."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from graphwright.autodiff.custom import CustomGradient
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.interpreter import activate, apply
from graphwright.op.op import Op
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.identity import IDENTITY
from graphwright.ops.state.variable_ops import ReadVariableOp, ResourceGather
from graphwright.ops.state.variable_slices import ResourceGatherNd
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types.dtypes import resource
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor

#: The handles of variables and the like, by the values that stand for them in a graph.
Handles: TypeAlias = dict[Value, EagerTensor]


def frozen(graph: Graph) -> Graph:
    """The graph with constants in place of captures, and of the variables behind them.

    What only gradients need goes, too. Captures that something still needs stay.
    """
    into = Graph(graph.name)
    eager = [(value, x) for x, value in graph.captures if isinstance(x, EagerTensor)]
    outer: Handles = {value: x for value, x in eager if x.dtype is resource}
    constants = {value: x for value, x in eager if x.dtype.is_numpy_compatible}
    handles: Handles = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if isinstance(node.op, Placeholder) and node.outputs[0] in constants:
            return (constant(constants[node.outputs[0]], into, node),)
        return given(node, outer, handles, into) or with_values(node, inputs, handles, into)

    transform(graph, rewrite, into)
    into.captures = [(outside, value) for outside, value in into.captures if value in handles]
    into.names = graph.names
    return without_unused(into)


def without_unused(graph: Graph) -> Graph:
    """The graph without captures that nothing uses."""
    used = {value for node in graph.nodes for value in node.inputs} | set(graph.results)
    unused = {value.node for _, value in graph.captures if value not in used}
    graph.captures = [(outside, value) for outside, value in graph.captures if value in used]
    graph.nodes = [node for node in graph.nodes if node not in unused]
    return graph


def reading(graph: Graph, known: dict[int, EagerTensor]) -> Graph:
    """A graph inside another, with constants in place of reads of its known arguments."""
    into = Graph(graph.name, graph.is_body)
    arguments = graph.arguments
    outer: Handles = {arguments[i]: handle for i, handle in known.items()}
    handles: Handles = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        return given(node, outer, handles, into) or with_values(node, inputs, handles, into)

    transform(graph, rewrite, into)
    return into


def given(node: Node, outer: Handles, handles: Handles, into: Graph) -> tuple[Value, ...] | None:
    """The copy of a placeholder for a handle, which is noted; None for other nodes."""
    if not isinstance(node.op, Placeholder) or node.outputs[0] not in outer:
        return None
    copy = into.placeholder(
        node.outputs[0].type, f"{node.name}/handle"
    )  # what it reads has its name
    handles[copy] = outer[node.outputs[0]]
    return (copy,)


def with_values(
    node: Node, inputs: tuple[Value, ...], handles: Handles, into: Graph
) -> tuple[Value, ...] | None:
    """The outputs of a node that reads a variable, or whose graphs may; None for other nodes."""
    op = node.op
    if isinstance(op, CustomGradient):
        return inputs[: op.count]
    if isinstance(op, (ReadVariableOp, ResourceGather, ResourceGatherNd)) and inputs[0] in handles:
        value = value_now(op, inputs[0], handles, into)
        if isinstance(op, ReadVariableOp):
            return into.add(IDENTITY, (value,), (value.type,), node.name, node.location).outputs
        pick = gather if isinstance(op, ResourceGather) else gather_nd
        with tracing(into):
            picked = pick(SymbolicTensor(value, into), SymbolicTensor(inputs[1], into))
        assert isinstance(picked, SymbolicTensor)
        return (picked._value,)
    if isinstance(op, StatelessWhile):
        known = {i: handles[v] for i, v in enumerate(inputs) if v in handles}
        other: Op = op.repeating(reading(op.cond, known), reading(op.body, known))
    elif isinstance(op, BranchingOp):
        known = {i: handles[v] for i, v in enumerate(inputs[1:]) if v in handles}
        other = op.choosing(tuple([reading(side, known) for side in op.graphs]))
    else:
        return None
    types = tuple([v.type for v in node.outputs])
    outputs = into.add(other, inputs, types, node.name, node.location).outputs
    if isinstance(op, StatelessWhile):  # a loop hands its variables on
        handles.update({outputs[i]: v for i, v in known.items() if i < len(outputs)})
    return outputs


def value_now(
    op: ReadVariableOp | ResourceGather | ResourceGatherNd,
    handle: Value,
    handles: Handles,
    into: Graph,
) -> Value:
    """The value behind a handle, a constant that all reads of it share."""
    known = into.constants.get(id(handle))
    if known is None:
        with activate(None):
            now = apply(ReadVariableOp.of(op.dtype, op.shape), handles[handle])
        known = constant(now, into, handle.node)
        known.node.name = into.names.unique(handle.node.name.removesuffix("/handle"))
        into.constants[id(handle)] = known
    return known


def constant(tensor: EagerTensor, into: Graph, node: Node) -> Value:
    """A constant in place of a node."""
    array = np.asarray(tensor.numpy(), tensor.dtype.numpy_dtype)
    type_ = TensorType(tensor.dtype, array.shape)
    made = into.add(Const(Literal(array, type_)), (), (type_,), node.name, node.location)
    return made.outputs[0]
