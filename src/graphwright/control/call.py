"""A call of a graph as one op, and its gradient: a call of another graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from graphwright.autodiff.reach import needs_of_call
from graphwright.autodiff.sweep import IDLE
from graphwright.control.derivative import (
    Backward,
    Derivative,
    derivative_of,
    flags_of,
    given_cotangents,
)
from graphwright.ir.execution import function_of, is_pure
from graphwright.ir.graph import Graph
from graphwright.ir.inference import types_of_results
from graphwright.ir.verify import verify_call
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.needs import Needs
from graphwright.op.op import Call, Effect, Op
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types.arguments import TensorValue
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class PartitionedCall(Op):
    """The results of a graph without effects; its operands are the graph's arguments."""

    type_name = "PartitionedCall"
    inputs = ("args: Tin...",)
    outputs = ("output: Tout...",)
    returns_tuple = True

    f: Graph

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return types_of_results(self.f, operands)

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([v.type.dtype for v in self.f.results])

    def verify(self, operands: Sequence[TensorType]) -> None:
        verify_call(self.f, operands)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return function_of(self.f)

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        return function_of(self.f)(*arrays)

    def taped(self, operands: tuple[object, ...]) -> Op:
        derivative, rule = derivative_of(self.f), self.f.rule
        if rule is not None and rule.count == len(self.f.results):
            return self
        if rule is not None and not derivative.returns_more:
            self.f.rule = OrderedGradients([rule, CallGradient(derivative)])
            return self
        return forward_call(derivative.forward.graph, CallGradient(derivative))

    def needs(self) -> Needs:
        return needs_of_call(self.f)

    def lasting(self) -> Op:
        return lasting_call(self) if self.f.is_stateful else self

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        return result[: len(self.f.results)]

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        rule: Gradient | None = self.f.rule
        if rule is None or any(g is not None for g in cotangents[rule.count :]):
            return recomputed(self, call, cotangents, self.f.is_stateful)
        return rule.cotangents(call, cotangents)

    def batched(self, each: Each) -> Any:
        return tuple(each.run(self.f, each.inputs, each.stacked))


class StatefulPartitionedCall(PartitionedCall):
    """The results of a graph that reads or changes state."""

    type_name = "StatefulPartitionedCall"
    effect = Effect.WRITE


class HostCall(StatefulPartitionedCall):
    """A stateful call in which user code runs."""

    pure = False


def call_of(graph: Graph) -> PartitionedCall:
    """The op that calls `graph`."""
    if not is_pure(graph):
        return HostCall(graph)
    return (StatefulPartitionedCall if graph.is_stateful else PartitionedCall)(graph)


# -- gradients ----------------------------------------------------------------------------------


def note_other_variables(graph: Graph) -> None:
    """Notes that a graph is called with other variables than those that it captures.

    What they are is no longer known in it, and in the graphs that it calls.
    """
    if not graph.gets_other_variables:
        graph.gets_other_variables = True
        graph.function = None  # it may rest on them
        for inner in graph.subgraphs():
            note_other_variables(inner)


class Gradient(Protocol):
    """The rule of a forward form: a call of a graph with further results."""

    @property
    def count(self) -> int:
        """How many of its results are those of the original op."""

    def cotangents(self, call: Call, cotangents: Sequence[Cotangent | None]) -> Sequence[Any]:
        """The cotangents of the operands."""


def forward_call(graph: Graph, rule: Gradient) -> PartitionedCall:
    """The call of a forward graph, which knows its rule, or one for further results."""
    if graph.rule is None:
        graph.rule = rule
    return call_of(graph)


def recomputed(
    op: Op, call: Call, cotangents: Sequence[Cotangent], is_stateful: bool
) -> Sequence[Any]:
    """The gradient of a call that was not taped, or a second one of a persistent tape. It runs the
    call once more, which must compute the same.
    """
    if is_stateful:
        raise NotImplementedError(
            f"{op.type_name} uses variables or has effects, so it cannot be run again for this "
            "gradient. For derivatives of this order use tapes inside each other."
        )
    again = op.taped(call.inputs)
    results = apply(again, *call.inputs)
    return again.gradient(call._replace(op=again, outputs=results), *cotangents)


class CallGradient:
    """The gradient of a call."""

    def __init__(self, derivative: Derivative) -> None:
        self.derivative = derivative

    @property
    def count(self) -> int:
        """How many results are the function's."""
        return len(self.derivative.forward.results)

    def cotangents(self, call: Call, cotangents: Sequence[Cotangent | None]) -> Sequence[Any]:
        """The cotangents of the operands: a call of the backward graph."""
        needed = call.needed or self.derivative.full
        given = flags_of(call.outputs[: self.count], cotangents)
        backward = self.derivative.backward(needed, given=given)
        if not backward.given:
            return self.results(backward, call, cotangents)
        whole = self.derivative.backward(needed)
        flows = list(zip(whole.counts, backward.counts))
        if any(count > 1 and not here for count, here in flows):
            return self.results(whole, call, cotangents)  # zeros that are an IndexedSlices
        results = self.results(backward, call, cotangents)
        return [IDLE if g is None and is_ else g for g, is_ in zip(results, whole.connected)]

    def results(
        self, backward: Backward, call: Call, cotangents: Sequence[Cotangent | None]
    ) -> list[Any]:
        """What a backward graph gives for the operands."""
        incoming = given_cotangents(call.outputs[: self.count], cotangents, backward.given)
        remembered = [self.remembered(call, tensor) for tensor in backward.outside]
        return backward.unpack(apply(call_of(backward.graph), *incoming, *remembered) or ())

    def remembered(self, call: Call, tensor: object) -> Any:
        """What a call took or gave for a tensor of the forward graph."""
        if isinstance(tensor, SymbolicTensor) and tensor.key in self.derivative.returned:
            return call.outputs[self.derivative.returned[tensor.key]]
        return remembered(self.derivative, call, tensor, self.count)


#: How many orders of derivatives a call remembers values for, where each order needs further ones.
_MOST_ORDERS = 4


def lasting_call(op: PartitionedCall) -> PartitionedCall:
    """The call of a form whose gradients of any order need no more than its results, where there is
    one: so it need not run again for them."""
    graph: Graph = op.f
    if graph.lasting is None:
        graph.lasting = lasting_form(graph)
    return call_of(graph.lasting)


def lasting_form(graph: Graph) -> Graph:
    """A graph of the results of `graph`, and what gradients of theirs and of its own need."""
    rules: list[Gradient] = [] if graph.rule is None else [graph.rule]
    for _ in range(_MOST_ORDERS):
        if rules and rules[-1].count == len(graph.results):
            break
        derivative = derivative_of(graph)
        rules.append(CallGradient(derivative))
        if derivative.returns_more:
            graph = derivative.forward.graph
    graph.rule = OrderedGradients(rules)
    return graph


class OrderedGradients:
    """The gradient of a call by several rules, each of them for more results than the last."""

    def __init__(self, rules: Sequence[Gradient]) -> None:
        self.rules = rules

    @property
    def count(self) -> int:
        """How many results have a gradient."""
        return self.rules[-1].count

    def cotangents(self, call: Call, cotangents: Sequence[Cotangent | None]) -> Sequence[Any]:
        """The cotangents of the operands, by the first rule for all results that have one."""
        for rule in self.rules[:-1]:
            if all(g is None for g in cotangents[rule.count :]):
                return rule.cotangents(call, cotangents)
        return self.rules[-1].cotangents(call, cotangents)


def remembered(derivative: Derivative, call: Call, tensor: object, first: int) -> Any:
    """What a call took or, from result `first` on, gave for a tensor of the forward graph."""
    if not isinstance(tensor, SymbolicTensor):
        return tensor
    position = derivative.position.get(tensor.key)
    if position is not None:
        return call.inputs[position]
    return call.outputs[first + derivative.saved[tensor.key]]
