"""One graph of a model as it is written: our nodes become nodes of ONNX, each by its rule.

A rule is asked first. Where none fits, an elementwise op is written word by word. A composite op is
written in the simpler ops that its record states. What has no form at all is noted, so that all of
it can be refused at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.compile.select.coverage import is_native
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.graphdef import grouped
from graphwright.ir.known import known
from graphwright.op.expansion import is_composite
from graphwright.op.op import Effect, Op
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.portable.onnx.counterpart import Uncovered, counterparts
from graphwright.portable.onnx.element_words import ElementWords
from graphwright.portable.onnx.node_writer import ModelParts, NodeWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import RefusedOp
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types.tensor_type import TensorType


class GraphWriter(NodeWriter):
    """Writes the nodes of one graph."""

    def __init__(self, parts: ModelParts, outer: GraphWriter | None = None) -> None:
        super().__init__(parts)
        if outer is not None:
            self.node, self.location = outer.node, outer.location
        #: Whether an op without a form raises, since what it is part of may be written otherwise.
        self.strict: bool = outer is not None and outer.strict
        self._values: dict[Value, Wire] = {}

    def run(self, graph: Graph, arguments: Sequence[Wire]) -> list[Wire]:
        """Writes the nodes of a graph for these arguments; the wires of its results."""
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

    def inner(self) -> GraphWriter:
        """The writer of a graph inside this one, which sees its values."""
        return GraphWriter(self.parts, self)

    def results(self, node: Node) -> list[Wire]:
        """The wires of a node's outputs."""
        wires = [self._values[value] for value in node.inputs]
        if isinstance(node.op, Const):
            return [self.of_constant(node)]
        start = len(self.nodes)
        try:
            made = self.written(node, wires)
        except Uncovered as reason:
            del self.nodes[start:]
            if self.strict:
                raise
            self.parts.refused.append(RefusedOp(node.op.type_name, str(reason), self.location))
            made = [Wire("", value.type) for value in node.outputs]
        return [self.typed(wire, value) for wire, value in zip(made, node.outputs)]

    def typed(self, wire: Wire, value: Value) -> Wire:
        """A wire with all that our graph knows of its value."""
        if wire.dtype is not value.type.dtype:
            words = f"{value!r} was written as {wire!r}"
            raise AssertionError(words)
        return wire.typed(value.type, known(value))

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

    def written(self, node: Node, wires: list[Wire]) -> list[Wire]:
        """The results of a node; Uncovered says why there are none."""
        op = node.op
        rule = counterparts().get(op.type_name)
        reason = None
        if rule is not None:
            start = len(self.nodes)
            if self.opset < rule.since:
                reason = Uncovered(f"ONNX has {rule.names} from opset {rule.since} on")
            else:
                try:
                    made = rule.write(self, op, *gathered(op, wires))
                    return list(made) if isinstance(made, (list, tuple)) else [made]
                except Uncovered as error:
                    reason = error
            del self.nodes[start:]
        if op.effect is Effect.WRITE:
            raise reason or Uncovered("it changes state, which a model has not")
        if isinstance(op, Elementwise):
            try:
                return [op.element(ElementWords(self), *wires)]
            except NoNativeForm:
                raise reason or Uncovered("ONNX has no such function") from None
        if is_composite(op) and is_native(node, in_loop=True):
            expanded = self.expanded(node, wires)
            if expanded is not None:
                return expanded
        raise reason or Uncovered("ONNX has no counterpart")

    def expanded(self, node: Node, wires: list[Wire]) -> list[Wire] | None:
        """The results of a composite op in simpler ones; None where its record says nothing."""
        graph = Graph(node.name)
        values = []
        for value, wire in zip(node.inputs, wires):
            values.append(stand_in(graph, value, wire))
        graph.parameters = [v for v in values if isinstance(v.node.op, Placeholder)]
        arguments = [w for v, w in zip(values, wires) if isinstance(v.node.op, Placeholder)]
        with tracing(graph):
            results = node.op.expand(*[SymbolicTensor(value, graph) for value in values])
        if results is None:
            return None
        if not isinstance(results, tuple):
            results = (results,)
        graph.results = [result._value for result in results]
        was, self.strict = self.strict, True
        try:
            return self.run(graph, arguments)
        finally:
            self.strict = was


def gathered(op: Op, wires: list[Wire]) -> list[Any]:
    """The operands of an op as its rule takes them: several of one name as a list."""
    groups = grouped(op.operands, tuple(wires))
    return [
        list(group) if operand.variadic or operand.mixed else group[0] for operand, group in groups
    ]


def stand_in(graph: Graph, value: Value, wire: Wire) -> Value:
    """A value of a scratch graph for a wire: a constant if it is small and known."""
    if isinstance(value.node.op, Const):
        return graph.add(value.node.op, (), (value.type,), value.node.name).outputs[0]
    if wire.whole is not None and value.type.dtype.is_integer:
        array = np.array(wire.whole).astype(value.type.dtype.numpy_dtype)
        type_ = TensorType(value.type.dtype, array.shape)
        literal = Const(Literal(array, type_))
        return graph.add(literal, (), (type_,), "known").outputs[0]
    return graph.placeholder(value.type, "operand")
