"""The gradient of a branch: a branch of the gradients.

After the results, the forward form returns what each side's gradient must remember. The other side
returns something of the right dtype in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.autodiff.sweep import IDLE
from graphwright.base.named_tuples import NamedTuple
from graphwright.control.call import PartitionedCall, forward_call, remembered
from graphwright.control.derivative import (
    Backward,
    Derivative,
    Flags,
    flags_of,
    given_cotangents,
    variable_of,
)
from graphwright.ir.graph import Graph, Value
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import activate, apply
from graphwright.op.op import Call, Op
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.state.list_ops import EmptyTensorList
from graphwright.trace.tracer import Tracer
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

Rebuild: TypeAlias = Callable[[tuple[Graph, ...]], Op]


class BackwardBranch(NamedTuple):
    """The op of the gradients of a branch's sides."""

    op: Op
    outside: list[list[Any]]  # what each side takes
    flags: list[bool]  # which cotangents a side returns
    idle: list[bool]  # which of the others are idle
    given: Flags  # the results that they come from


class BranchGradient:
    """The gradient of an op that runs one of several graphs of the same arguments.

    `rebuild` makes such an op of other graphs. The op's first operand, of type `choice`, chooses.
    """

    def __init__(self, choice: TensorType, graphs: Sequence[Graph], rebuild: Rebuild) -> None:
        self.rebuild = rebuild
        self.sides = [Derivative(graph, dense=True) for graph in graphs]
        self.count = len(graphs[0].results)
        self.starts = [self.count]
        for side in self.sides:
            self.starts.append(self.starts[-1] + len(side.saved))
        forwards = tuple([self._forward(i) for i in range(len(graphs))])
        self.forward = wrapped(rebuild(forwards), choice, forwards[0])
        self._traced: dict[Any, BackwardBranch] = {}

    def _forward(self, side: int) -> Graph:
        """One side with what all sides remember as further results."""
        graph = self.sides[side].forward.graph
        graph.results = list(self.sides[side].forward.results)
        for i, other in enumerate(self.sides):
            saved = list(other.saved)
            graph.results += saved if i == side else [stand_in(graph, v.type.dtype) for v in saved]
        return graph

    def cotangents(self, call: Call, cotangents: Sequence[Cotangent | None]) -> Sequence[Any]:
        """The cotangents of the operands: the chosen side's gradient."""
        results = call.outputs[: self.count]
        needed = tuple(call.needed[1:]) if call.needed else self.sides[0].full
        branch = self.branch(needed, flags_of(results, cotangents))
        incoming = given_cotangents(results, cotangents, branch.given)
        inside = call._replace(inputs=call.inputs[1:])
        values = [
            remembered(side, inside, tensor, start)
            for side, tensors, start in zip(self.sides, branch.outside, self.starts)
            for tensor in tensors
        ]
        flowing = iter(apply(branch.op, call.inputs[0], *incoming, *values) or ())
        return [
            None,
            *[
                next(flowing) if flag else IDLE if idle else None
                for flag, idle in zip(branch.flags, branch.idle)
            ],
        ]

    def branch(self, needed: Flags, given: Flags) -> BackwardBranch:
        """The branch of the sides' gradients, from the results that are `given`."""
        branch = self._traced.get((needed, given))
        if branch is None:
            branch = self._traced[needed, given] = self._backward(needed, given)
        return branch

    def _backward(self, needed: Flags, given: Flags) -> BackwardBranch:
        """A new branch of the sides' gradients."""
        traced = [side.backward(needed, given=given) for side in self.sides]
        flags = [any(counts) for counts in zip(*[t.counts for t in traced])]
        while any([bool(c) for c in t.counts] != flags for t in traced):
            # What one side lacks is zeros there. It may trace more for them: then once again.
            traced = [side.backward(needed, tuple(flags), given) for side in self.sides]
            flags = [any(counts) for counts in zip(*[t.counts for t in traced])]
        if any(t.given != given for t in traced):
            return self.branch(needed, ())
        graphs = tuple([aligned(i, traced) for i in range(len(traced))])
        idle = [any(connected) for connected in zip(*[t.connected for t in traced])]
        if given:
            whole = self.branch(needed, ())
            idle = [any(each) for each in zip(idle, whole.flags, whole.idle)]
        op = self.rebuild(graphs)
        return BackwardBranch(op, [t.outside for t in traced], flags, idle, given)


def aligned(side: int, traced: Sequence[Backward]) -> Graph:
    """A side's gradient as a graph that takes what any side remembers, as parameters."""
    source = traced[side].graph
    graph = Graph(source.name, is_body=True)
    graph.nodes, graph.results, graph.names = list(source.nodes), source.results, source.names
    graph.parameters = list(source.parameters)
    for i, other in enumerate(traced):
        for tensor, value in other.graph.captures:
            mine = value if i == side else graph.placeholder(tensor.type, "unused")
            graph.parameters.append(mine)
    return graph


def stand_in(graph: Graph, dtype: dt.DType) -> Value:
    """A value of a dtype, for a place that nobody will look at."""
    if dtype is dt.variant:
        tracer = Tracer(graph, None)
        with activate(tracer):
            return tracer.value_of(apply(EmptyTensorList.of(dt.float32), -1, -1))
    array = np.zeros((), dtype.numpy_dtype) if dtype is not dt.string else np.array(b"", object)
    type_ = TensorType(dtype, ())
    return graph.add(Const(Literal(array, type_)), (), (type_,)).outputs[0]


def wrapped(op: Op, choice: TensorType, side: Graph) -> Graph:
    """A graph of one op, with arguments for its choice and for its captures."""
    graph = Graph(f"{side.name}_forward", is_body=True)
    graph.parameters = [graph.placeholder(choice, "choice")]
    graph.parameters += [graph.placeholder(v.type, "captured") for v in side.arguments]
    inputs = tuple(graph.parameters)
    handles = zip(side.captures, graph.parameters[1:])
    graph.handles = {value: variable_of(outside) for (outside, _), value in handles}
    node = graph.add(op, inputs, op.infer([v.type for v in inputs]))
    graph.results = list(node.outputs)
    return graph


def taped_branch(choice: TensorType, graphs: Sequence[Graph], rebuild: Rebuild) -> PartitionedCall:
    """The forward form of a branch."""
    first = graphs[0]
    if not isinstance(first.derivative, BranchGradient):
        first.derivative = BranchGradient(choice, graphs, rebuild)
    return forward_call(first.derivative.forward, first.derivative)
