"""One graph of a model as it is written in ONNX."""

from __future__ import annotations

import numpy as np

from graphwright.compile.select.coverage import is_native
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.expansion import is_composite
from graphwright.op.op import Effect
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm
from graphwright.ops.core.creation import Const
from graphwright.portable.graph_walk import GraphWalk, scratch_value
from graphwright.portable.onnx.counterpart import counterparts
from graphwright.portable.onnx.element_words import ElementWords
from graphwright.portable.onnx.node_writer import ModelParts, NodeWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart, RefusedOp


class GraphWriter(GraphWalk[Wire], NodeWriter):
    """Writes the nodes of one graph."""

    def __init__(self, parts: ModelParts, outer: GraphWriter | None = None) -> None:
        NodeWriter.__init__(self, parts)
        GraphWalk.__init__(self, self.nodes, parts.refused, outer)
        if outer is not None:
            self.node, self.location = outer.node, outer.location

    def inner(self) -> GraphWriter:
        """The writer of a graph inside this one, which sees its values."""
        return GraphWriter(self.parts, self)

    def noted(self, result: Wire, value: Value) -> Wire:
        """A wire with all that our graph knows of its value."""
        if result.dtype is not value.type.dtype:
            words = f"{value!r} was written as {result!r}"
            raise AssertionError(words)
        return result.typed(value.type, known(value))

    def unusable(self, value: Value) -> Wire:
        """What stands for a value that was refused."""
        return Wire("", value.type)

    def stand_in(self, graph: Graph, value: Value, operand: Wire) -> Value:
        """A value of a scratch graph for a wire: a constant if it is small and known."""
        whole = operand.whole if value.type.dtype.is_integer else None
        return scratch_value(graph, value, value.type, None if whole is None else np.array(whole))

    def of_constant(self, node: Node) -> Wire:
        """The initializer of a constant."""
        assert isinstance(node.op, Const)
        literal = node.op.value
        if literal.type.dtype not in NUMBER_OF:
            words = f"ONNX has no {literal.type.dtype.name}"
            self.parts.refused.append(RefusedOp(node.op.type_name, words, self.location))
            return Wire("", literal.type)
        value = node.outputs[0]
        return self.parts.initializer(literal.array, value.type, node.name, known(value))

    def written(self, node: Node, operands: list[Wire]) -> list[Wire]:
        """The results of a node; NoCounterpart says why there are none."""
        op = node.op
        rule = counterparts().get(op.type_name)
        reason = None
        if rule is not None and self.opset < rule.since:
            reason = NoCounterpart(f"ONNX has {rule.names} from opset {rule.since} on")
        elif rule is not None:
            try:
                return self.by_rule(rule.write, op, operands)
            except NoCounterpart as error:
                reason = error
        if op.effect is Effect.WRITE:
            raise reason or NoCounterpart("it changes state, which a model has not")
        if isinstance(op, Elementwise):
            try:
                return [op.element(ElementWords(self), *operands)]
            except NoNativeForm:
                raise reason or NoCounterpart("ONNX has no such function") from None
        if is_composite(op) and is_native(node, in_loop=True):
            expanded = self.expanded(node, operands)
            if expanded is not None:
                return expanded
        raise reason or NoCounterpart("ONNX has no counterpart")
