"""The gradient of a loop: a loop over its iterations backwards.

The forward form counts the iterations. It pushes the values that an iteration's gradient needs on
lists, one for each, but not what the loop captured and never changes, nor what next to nothing
computes of these. The gradient pops them again, carries the cotangents of the variables, and adds
up those of what was captured.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

from graphwright.autodiff.reach import needs_within
from graphwright.autodiff.sweep import IDLE, carries_gradient, reachable
from graphwright.control.call import PartitionedCall, forward_call
from graphwright.control.derivative import (
    Backward,
    Derivative,
    Flags,
    drop_unused,
    flags_of,
    variable_of,
    zero_cotangent,
)
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import activate, apply, convert
from graphwright.op.needs import members
from graphwright.op.op import Call, Effect, Op
from graphwright.ops.state.list_ops import PUSH_BACK, EmptyTensorList, TensorListPopBack, zero_of
from graphwright.ops.state.tensor_list import HANDLE, host_shape
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.tensor_type import TensorType
from graphwright.values.indexed_slices import add_cotangents

Rebuild: TypeAlias = Callable[[Graph, Graph], Op]

COUNT = TensorType(dt.int32, ())

#: Ops that cost less than to remember what they give, beside those that compute nothing.
_CHEAP = frozenset({"AddV2", "Sub", "Mul", "Neg", "Maximum", "Minimum", "Cast", "Const"})

#: The most of their nodes that are run again for a value.
_MOST_AGAIN = 8


class LoopGradient:
    """The gradient of a loop of the graphs `cond` and `body`; `rebuild` makes other loops."""

    def __init__(self, cond: Graph, body: Graph, rebuild: Rebuild) -> None:
        self.rebuild = rebuild
        self.count = len(body.parameters)
        self.carrying = [i for i, v in enumerate(body.parameters) if can_carry(v)]
        self.required = [i in self.carrying for i in range(len(body.arguments))]
        self.step = Derivative(body, dense=True, required=self.required)
        self.forward = self._forward(cond, body)
        #: The arguments of the body that a gradient flows to from each variable's next value.
        self.slopes = needs_within(self.step.forward.graph).slopes[: self.count]
        self._backward: dict[Any, BackwardLoop] = {}

    # -- forward ------------------------------------------------------------------------

    def _forward(self, cond: Graph, body: Graph) -> Graph:
        """The loop with a counter and lists, in a graph of the loop's own arguments."""
        self._pushed()
        graph = Graph(f"{body.name}_forward", is_body=True)
        tracer = Tracer(graph, None)
        with activate(tracer):
            arguments = [graph.placeholder(v.type, "argument") for v in body.arguments]
            graph.parameters = arguments
            symbolic = [SymbolicTensor(v, graph) for v in arguments]
            variables, captured = symbolic[: self.count], symbolic[self.count :]
            lists = [empty_list(value.type) for value in self.pushed]
            op = self.rebuild(self._counting(cond), self._pushing())
            results = apply(op, *variables, convert(0), *lists, *captured)
            graph.results = [tracer.value_of(t) for t in results]
        handles = zip(body.captures, arguments[self.count :])
        graph.handles = {v: variable_of(outside) for (outside, _), v in handles}
        return graph

    def _pushed(self) -> None:
        """Decides what is pushed in each iteration: saved values, and variables needed."""
        step = self.step
        failed = step.failure is not None
        needed = [] if failed else step.backward(step.full, self.required).outside
        variables = set(step.forward.graph.parameters)
        used = {t.key for t in needed if isinstance(t, SymbolicTensor)}
        self.pushed: list[Value] = []
        #: The values that the gradient computes of the others and of what was captured.
        self.repeated: list[Value] = []
        there = set(step.forward.graph.arguments) - variables
        for value in [v for node in step.forward.graph.nodes for v in node.outputs if v in used]:
            if value in variables or value in step.saved:
                again = is_cheap(value, there)
                (self.repeated if again else self.pushed).append(value)
                there.add(value)
        step.available -= variables.difference(self.pushed)  # a variable is gone, if not pushed

    def _counting(self, cond: Graph) -> Graph:
        """The condition, which does not look at the counter and the lists."""
        graph = copied(cond)
        extra = [graph.placeholder(COUNT, "count")]
        extra += [graph.placeholder(HANDLE, "pushed") for _ in self.pushed]
        graph.parameters = [*cond.parameters, *extra]
        return graph

    def _pushing(self) -> Graph:
        """The body, which counts and pushes."""
        forward = self.step.forward
        graph = copied(forward.graph)
        count = graph.placeholder(COUNT, "count")
        lists = [graph.placeholder(HANDLE, "pushed") for _ in self.pushed]
        graph.parameters = [*forward.graph.parameters, count, *lists]
        tracer = Tracer(graph, None)
        with activate(tracer):
            more = [SymbolicTensor(count, graph) + 1]
            for value, pushed in zip(self.pushed, lists):
                item = SymbolicTensor(value, graph)
                more.append(apply(PUSH_BACK, SymbolicTensor(pushed, graph), item))
            graph.results = [*forward.results, *[tracer.value_of(t) for t in more]]
        return graph

    # -- backward -----------------------------------------------------------------------

    def cotangents(self, call: Call, cotangents: Sequence[Cotangent | None]) -> Sequence[Any]:
        """The cotangents of the operands: the loop backwards."""
        needed = tuple(call.needed) if call.needed else self.step.full
        count = self.count
        loop = self.loop(needed, flags_of(call.outputs[:count], cotangents))
        captured = call.inputs[count:]
        incoming = {
            i: zero_of(y) if g is None else g
            for i, (y, g) in enumerate(zip(call.outputs, cotangents))
            if i in loop.carried
        }
        sums = [zero_cotangent(captured[i - count]) for i in loop.captured]
        variables = [
            call.outputs[count],
            *[incoming[i] for i in loop.carried],
            *sums,
            *call.outputs[count + 1 :],
        ]
        results = apply(loop.op, *variables, *captured)[1:]
        by_operand: list[Any] = [None] * len(call.inputs)
        for position, result in zip((*loop.carried, *loop.captured), results):
            by_operand[position] = result
        for position in loop.idle:
            by_operand[position] = IDLE
        return by_operand

    def loop(self, needed: Flags, given: Flags) -> BackwardLoop:
        """The loop backwards, from the results that are `given`."""
        loop = self._backward.get((needed, given))
        if loop is None:
            whole = self.loop(needed, ()) if given else None
            loop = self._backward[needed, given] = BackwardLoop(self, needed, given, whole)
        return loop


def is_cheap(value: Value, there: Collection[Value]) -> bool:
    """Whether a few cheap nodes give a value of those that are there."""
    waiting, count = [value], 0
    while waiting:
        node = waiting.pop().node
        count += 1
        plain = node.op.type_name in _CHEAP or (bool(node.inputs) and not node.op.computes)
        if count > _MOST_AGAIN or not plain or node.op.effect is not Effect.NONE:
            return False
        waiting += [v for v in node.inputs if v not in there]
    return True


def can_carry(value: Value) -> bool:
    """Whether a loop variable can have a cotangent."""
    return carries_gradient(SymbolicTensor(value, Graph()))


class BackwardLoop:
    """The loop backwards, with respect to certain operands.

    Its variables are the iterations left, the cotangents of the variables numbered `carried`,
    the sums for the operands numbered `captured`, and the lists. The operands numbered `idle` have
    cotangents in the gradient of all results, which is `whole`, and idle ones in this one.
    """

    def __init__(
        self, gradient: LoopGradient, needed: Flags, given: Flags, whole: BackwardLoop | None
    ) -> None:
        self.step, self.count = gradient.step, gradient.count
        self.pushed, self.repeated = gradient.pushed, gradient.repeated
        wanted = self._influenced(gradient.carrying, needed)
        arriving = self._arriving(gradient, given)
        flags = tuple([i in arriving for i in gradient.carrying])
        traced = self.step.backward(wanted, gradient.required)
        if not all(flags):
            required = [r and i in arriving for i, r in enumerate(gradient.required)]
            part = self.step.backward(wanted, required, flags)
            traced = part if part.given else traced
        self.carrying = [i for i in gradient.carrying if not traced.given or i in arriving]
        self.carried = [i for i in self.carrying if wanted[i]]
        self.captured = [
            i for i in range(self.count, len(needed)) if needed[i] and traced.counts[i]
        ]
        connected = {i for i in traced.idle if needed[i]}
        if whole is not None:
            connected.update(whole.carried, whole.captured, whole.idle)
        self.idle: set[int] = connected.difference(self.carried, self.captured)
        body = self._body(traced)
        self.op = gradient.rebuild(self._condition(body), body)

    def _arriving(self, gradient: LoopGradient, given: Flags) -> set[int]:
        """The variables that get a cotangent in some iteration, where the given ones have one."""
        carrying = gradient.carrying
        arriving = set(itertools.compress(carrying, given)) if given else set(carrying)
        waiting = list(arriving)
        while waiting:
            more = set(members(gradient.slopes[waiting.pop()])).intersection(carrying) - arriving
            arriving |= more
            waiting += more
        return arriving

    def _influenced(self, carrying: Sequence[int], needed: Sequence[bool]) -> list[bool]:
        """Which arguments of the body matter: those needed, and variables that depend on them, as
        the sweep through the body sees it."""
        forward = self.step.forward
        arguments = forward.graph.arguments
        wanted = [n and f for n, f in zip(needed, self.step.full)]
        while True:
            sources = [forward.tensor(a) for a, w in zip(arguments, wanted) if w]
            dependent = reachable(forward.calls, sources)
            more = [i for i in carrying if not wanted[i] and forward.results[i] in dependent]
            if not more:
                return wanted
            for i in more:
                wanted[i] = True

    def _body(self, traced: Backward) -> Graph:
        """One iteration: pops what was pushed, and passes the cotangents on."""
        forward, source = self.step.forward, traced.graph
        graph = Graph(source.name, is_body=True)
        arriving = dict(zip(self.carrying, source.parameters))
        left = graph.placeholder(COUNT, "left")
        cotangents = {i: graph.placeholder(arriving[i].type, "cotangent") for i in self.carried}
        sums = [graph.placeholder(t, "sum") for t in self._sum_types(traced)]
        lists = [graph.placeholder(HANDLE, "pushed") for _ in self.pushed]
        outer = forward.graph.arguments[self.count :]
        captured = {v: graph.placeholder(v.type, "captured") for v in outer}
        graph.parameters = [left, *cotangents.values(), *sums, *lists]
        tracer = Tracer(graph, None)
        with activate(tracer):
            rest, popped = pop_all([SymbolicTensor(v, graph) for v in lists], self.pushed)
            stand_ins = {**captured, **dict(zip(self.pushed, map(tracer.value_of, popped)))}
            for value in self.repeated:
                repeat(value, stand_ins, graph)
            replaced = {arriving[i]: value for i, value in cotangents.items()}
            for tensor, value in source.captures:
                replaced[value] = stand_ins[tensor.key]
            copies = copy_into(source, graph, replaced)
            unpacked = traced.unpack([SymbolicTensor(v, graph) for v in copies])
            totals = [
                add_cotangents(SymbolicTensor(total, graph), unpacked[i])
                for total, i in zip(sums, self.captured)
            ]
            after = [SymbolicTensor(left, graph) - 1, *[unpacked[i] for i in self.carried]]
            graph.results = [tracer.value_of(t) for t in [*after, *totals, *rest]]
        graph.captures = [(forward.tensor(v), value) for v, value in captured.items()]
        drop_unused(graph, captures=False)  # what cotangents of what is not carried were for
        return graph

    def _sum_types(self, traced: Backward) -> list[TensorType]:
        """The types of the sums for what was captured."""
        flat = iter(traced.graph.results)
        by_argument = [next(flat).type if count else None for count in traced.counts]
        arguments = self.step.forward.graph.arguments
        types = []
        for i in self.captured:
            kind, cotangent = arguments[i].type, by_argument[i]
            assert cotangent is not None
            types.append(cotangent if kind.dtype is dt.resource else kind)
        return types

    def _condition(self, body: Graph) -> Graph:
        """Whether iterations are left."""
        graph = Graph(f"{body.name}_cond", is_body=True)
        graph.parameters = [graph.placeholder(v.type, "argument") for v in body.parameters]
        graph.captures = [(o, graph.placeholder(v.type, "captured")) for o, v in body.captures]
        tracer = Tracer(graph, None)
        with activate(tracer):
            graph.results = [tracer.value_of(SymbolicTensor(graph.parameters[0], graph) > 0)]
        return graph


def copied(graph: Graph) -> Graph:
    """A graph of the same nodes, to which more can be added."""
    copy = Graph(graph.name, graph.is_body)
    copy.nodes, copy.names = list(graph.nodes), graph.names
    copy.parameters, copy.captures = list(graph.parameters), list(graph.captures)
    copy.results, copy.handles = list(graph.results), graph.handles
    return copy


def copy_into(graph: Graph, into: Graph, replaced: dict[Value, Value]) -> list[Value]:
    """Adds the nodes of a graph to another, some of its arguments replaced; its results there."""
    parameters = into.parameters

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        stand_in = replaced.get(node.outputs[0]) if node.outputs else None
        return None if stand_in is None else (stand_in,)

    transform(graph, rewrite, into)
    into.parameters, into.captures = parameters, []
    return into.results


def repeat(value: Value, stand_ins: dict[Value, Value], into: Graph) -> Value:
    """A value, computed in another graph of the values that stand for others there."""
    if value not in stand_ins:
        node, types = value.node, tuple([v.type for v in value.node.outputs])
        inputs = tuple([repeat(v, stand_ins, into) for v in node.inputs])
        outputs = into.add(node.op, inputs, types, node.name, node.location).outputs
        stand_ins.update(zip(node.outputs, outputs))
    return stand_ins[value]


def empty_list(item: TensorType) -> Any:
    """A list for values of a type."""
    return apply(EmptyTensorList.of(item.dtype), host_shape(item.dims), -1)


def pop_all(lists: Sequence[TensorValue], values: Sequence[Value]) -> tuple[list[Any], list[Any]]:
    """The lists without their last items, and these."""
    rest, popped = [], []
    for pushed, value in zip(lists, values):
        op = TensorListPopBack.of(value.type.dtype)
        shorter, item = apply(op, pushed, host_shape(value.type.dims))
        rest.append(shorter)
        popped.append(item)
    return rest, popped


def taped_loop(cond: Graph, body: Graph, rebuild: Rebuild) -> PartitionedCall:
    """The forward form of a loop."""
    if not isinstance(body.derivative, LoopGradient):
        body.derivative = LoopGradient(cond, body, rebuild)
    return forward_call(body.derivative.forward, body.derivative)
