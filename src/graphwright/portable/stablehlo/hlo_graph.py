"""One graph as it is written: each node by its rule.

A rule is asked first. Where none fits, an elementwise op is written word by word. A composite op is
written in the simpler ops that its record states. What has no form at all is noted, so that all of
it can be refused at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.compile.graph.passes import through
from graphwright.compile.graph.prune import prune
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.graphdef import grouped
from graphwright.ir.known import known
from graphwright.op.expansion import is_composite
from graphwright.op.op import Effect, Op
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.portable.refused_op import RefusedOp
from graphwright.portable.stablehlo.block_writer import BlockWriter, TextParts
from graphwright.portable.stablehlo.hlo_rule import NoCounterpart, hlo_rules
from graphwright.portable.stablehlo.hlo_value import ELEMENTS, HloValue, static_dims
from graphwright.portable.stablehlo.hlo_words import HloWords
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: Ops that may take what has no form, since they drop it or hand it to graphs.
_TAKE_ANY = frozenset(
    {"Assert", "Case", "If", "NoOp", "PartitionedCall", "StatefulPartitionedCall", "StatelessCase",
     "StatelessIf", "StatelessWhile", "While"}
)  # fmt: skip


class HloGraph(BlockWriter):
    """Writes the nodes of one graph."""

    def __init__(self, parts: TextParts, outer: HloGraph | None = None) -> None:
        super().__init__(parts, outer)
        #: Whether an op without a form raises, since what it is part of may be written otherwise.
        self.strict: bool = outer is not None and outer.strict
        self._values: dict[Value, HloValue] = {}

    def inner(self) -> HloGraph:
        """The writer of a graph inside this one, which sees its values."""
        return HloGraph(self.parts, self)

    def run(self, graph: Graph, arguments: Sequence[HloValue]) -> list[HloValue]:
        """Writes the nodes of a graph for these arguments; the values of its results."""
        before = self._values, self.node, self.location
        self._values = dict(zip(graph.arguments, arguments))
        try:
            for node in graph.nodes:
                if not isinstance(node.op, Placeholder):
                    self.node, self.location = node, node.location or before[2]
                    self._values.update(zip(node.outputs, self.results(node)))
            return [self._values[value] for value in graph.results]
        finally:
            self._values, self.node, self.location = before

    def results(self, node: Node) -> list[HloValue]:
        """The values of a node's outputs."""
        if isinstance(node.op, Const):
            return [self.of_constant(node)]
        operands = [self._values[value] for value in node.inputs]
        start = len(self.lines)
        try:
            made = self.written(node, operands)
        except NoCounterpart as reason:
            del self.lines[start:]
            if self.strict:
                raise
            self.parts.refused.append(RefusedOp(node.op.type_name, str(reason), self.location))
            made = [unusable(value) for value in node.outputs]
        return [noted(result, value) for result, value in zip(made, node.outputs)]

    def of_constant(self, node: Node) -> HloValue:
        """The value of a constant; one of another dtype is refused by what takes it."""
        assert isinstance(node.op, Const)
        literal = node.op.value
        if literal.type.dtype not in ELEMENTS:
            return unusable(node.outputs[0])
        array = np.asarray(literal.array, literal.type.dtype.numpy_dtype)
        return noted(HloValue("", literal.type.dtype, array.shape, array), node.outputs[0])

    def written(self, node: Node, operands: list[HloValue]) -> list[HloValue]:
        """The results of a node; NoCounterpart says why there are none."""
        op = node.op
        rule = hlo_rules().get(op.type_name)
        expands = is_composite(op)
        if rule is None and not expands and not isinstance(op, Elementwise):
            if op.effect is Effect.WRITE:
                raise NoCounterpart("it changes state, which the text has not")
            raise NoCounterpart("StableHLO has no counterpart")
        odd = {v.type.dtype for v in node.outputs} - ELEMENTS.keys() - {dt.resource, dt.variant}
        if odd:
            names = " or ".join(sorted([dtype.name for dtype in odd]))
            raise NoCounterpart(f"StableHLO has no {names} here")
        if op.type_name not in _TAKE_ANY and not all(o.is_usable for o in operands):
            return without(op, operands, node)
        reason = None
        shapes = [(v.type.dtype, static_dims(v.type)) for v in node.outputs]
        if op.pure and shapes and all(0 in (dims or ()) for _, dims in shapes):
            return [self.constant(np.empty(dims or ()), dtype) for dtype, dims in shapes]
        start = len(self.lines)
        if rule is not None:
            try:
                made = rule(self, op, *gathered(op, operands))
                return list(made) if isinstance(made, (list, tuple)) else [made]
            except NoCounterpart as error:
                reason = error
            del self.lines[start:]
        if isinstance(op, Elementwise):
            try:
                return [self.element(op, operands)]
            except NoNativeForm:
                reason = reason or NoCounterpart("StableHLO has no such function of this dtype")
            del self.lines[start:]
        empty = any(0 in (operand.dims or ()) for operand in operands)
        if expands and op.effect is not Effect.WRITE and (op.expands_empty or not empty):
            expanded = self.expanded(node, operands)
            if expanded is not None:
                return expanded
        raise reason or NoCounterpart("StableHLO has no counterpart for these operands")

    def element(self, op: Elementwise, operands: Sequence[HloValue]) -> HloValue:
        """The result of an elementwise op, whose operands are broadcast first."""
        dims = self.target()
        words = [self.broadcast(operand, dims) for operand in operands]
        result: HloValue = op.element(HloWords(self), *words)
        return self.broadcast(result, dims)

    def expanded(self, node: Node, operands: list[HloValue]) -> list[HloValue] | None:
        """The results of a composite op in simpler ones; None where its record says nothing."""
        graph = Graph(node.name)
        values = [stand_in(graph, v, operand) for v, operand in zip(node.inputs, operands)]
        places = [i for i, v in enumerate(values) if isinstance(v.node.op, Placeholder)]
        graph.parameters = [values[i] for i in places]
        with tracing(graph):
            results = node.op.expand(*[SymbolicTensor(value, graph) for value in values])
        if results is None:
            return None
        if not isinstance(results, tuple):
            results = (results,)
        graph.results = [result._value for result in results]
        was, self.strict = self.strict, True
        try:
            return self.run(through(graph, prune), [operands[i] for i in places])
        finally:
            self.strict = was


def gathered(op: Op, operands: list[HloValue]) -> list[Any]:
    """The operands of an op as its rule takes them: several of one name as a list."""
    groups = grouped(op.operands, tuple(operands), op)
    return [
        list(group) if operand.variadic or operand.mixed else group[0] for operand, group in groups
    ]


def without(op: Op, operands: Sequence[HloValue], node: Node) -> list[HloValue]:
    """Results of a node whose operands were refused; it is refused with what alone is at fault."""
    odd = {v.dtype.name for v in operands if v.dtype not in ELEMENTS and not v.is_usable}
    if odd - {"variant"}:
        raise NoCounterpart(f"StableHLO has no {' or '.join(sorted(odd))} here")
    return [unusable(value) for value in node.outputs]


def unusable(value: Value) -> HloValue:
    """What stands for a value that was refused."""
    return HloValue("", value.type.dtype, static_dims(value.type))


def noted(result: HloValue, value: Value) -> HloValue:
    """A result with what our graph knows of its value."""
    if result.dtype is not value.type.dtype:
        words = f"{value!r} was written as {result.name}: {result.dtype.name}"
        raise AssertionError(words)
    made = HloValue(
        result.name, result.dtype, result.dims, result.array, known(value), result.variable
    )
    made.parts, made.items = result.parts, result.items
    return made


def stand_in(graph: Graph, value: Value, operand: HloValue) -> Value:
    """A value of a scratch graph for an operand: a constant if it is known."""
    if isinstance(value.node.op, Const):
        return graph.add(value.node.op, (), (value.type,), value.node.name).outputs[0]
    array = operand.whole if operand.dtype.is_integer else None
    if array is not None and array.size <= 1024:
        type_ = TensorType(operand.dtype, array.shape)
        literal = Const(Literal(np.array(array, operand.dtype.numpy_dtype), type_))
        return graph.add(literal, (), (type_,), "known").outputs[0]
    return graph.placeholder(TensorType(operand.dtype, operand.dims), "operand")
