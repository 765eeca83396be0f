"""One graph as it is written in StableHLO."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.expansion import is_composite
from graphwright.op.op import Effect
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm
from graphwright.ops.core.creation import Const
from graphwright.portable.graph_walk import GraphWalk, scratch_value
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, TextParts
from graphwright.portable.stablehlo.hlo_rule import hlo_rules
from graphwright.portable.stablehlo.hlo_value import ELEMENTS, HloValue, static_dims
from graphwright.portable.stablehlo.hlo_words import HloWords
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: Ops that may take what has no form, since they drop it or hand it to graphs.
_TAKE_ANY = frozenset(
    {"Assert", "Case", "If", "NoOp", "PartitionedCall", "StatefulPartitionedCall", "StatelessCase",
     "StatelessIf", "StatelessWhile", "While"}
)  # fmt: skip


class HloGraph(GraphWalk[HloValue], BlockWriter):
    """Writes the nodes of one graph."""

    def __init__(self, parts: TextParts, outer: HloGraph | None = None) -> None:
        BlockWriter.__init__(self, parts, outer)
        GraphWalk.__init__(self, self.lines, parts.refused, outer)

    def inner(self) -> HloGraph:
        """The writer of a graph inside this one, which sees its values."""
        return HloGraph(self.parts, self)

    def of_constant(self, node: Node) -> HloValue:
        """The value of a constant; one of another dtype is refused by what takes it."""
        assert isinstance(node.op, Const)
        literal = node.op.value
        if literal.type.dtype not in ELEMENTS:
            return self.unusable(node.outputs[0])
        array = np.asarray(literal.array, literal.type.dtype.numpy_dtype)
        return self.noted(HloValue("", literal.type.dtype, array.shape, array), node.outputs[0])

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
            refuse_odd(operands)
            return [self.unusable(value) for value in node.outputs]
        reason = None
        shapes = [(v.type.dtype, static_dims(v.type)) for v in node.outputs]
        if op.pure and shapes and all(0 in (dims or ()) for _, dims in shapes):
            return [self.constant(np.empty(dims or ()), dtype) for dtype, dims in shapes]
        if rule is not None:
            try:
                return self.by_rule(rule, op, operands)
            except NoCounterpart as error:
                reason = error
        if isinstance(op, Elementwise):
            try:
                return [self.tried(lambda: self.element(op, operands))]
            except NoNativeForm:
                reason = reason or NoCounterpart("StableHLO has no such function of this dtype")
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

    def noted(self, result: HloValue, value: Value) -> HloValue:
        """A result with what our graph knows of its value."""
        if result.dtype is not value.type.dtype:
            words = f"{value!r} was written as {result.name}: {result.dtype.name}"
            raise AssertionError(words)
        made = HloValue(
            result.name, result.dtype, result.dims, result.array, known(value), result.variable
        )
        made.parts, made.items = result.parts, result.items
        return made

    def unusable(self, value: Value) -> HloValue:
        """What stands for a value that was refused."""
        return HloValue("", value.type.dtype, static_dims(value.type))

    def stand_in(self, graph: Graph, value: Value, operand: HloValue) -> Value:
        """A value of a scratch graph for an operand: a constant if it is small and known."""
        array = operand.whole if operand.dtype.is_integer else None
        if array is not None and array.size > 1024:
            array = None
        return scratch_value(graph, value, TensorType(operand.dtype, operand.dims), array)


def refuse_odd(operands: Sequence[HloValue]) -> None:
    """Refuses operands of dtypes that have no form; others were refused where they were made."""
    odd = {v.dtype.name for v in operands if v.dtype not in ELEMENTS and not v.is_usable}
    if odd - {"variant"}:
        raise NoCounterpart(f"StableHLO has no {' or '.join(sorted(odd))} here")
