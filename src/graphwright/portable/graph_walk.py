"""One graph as it is written in another format: each node by its rule.

A rule is asked first. Where none fits, an elementwise op is written word by word. A composite op is
written in the simpler ops that its record states. What has no form at all is noted, so that all of
it can be refused at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from graphwright.base.errors import Location
from graphwright.compile.graph.passes import through
from graphwright.compile.graph.prune import prune
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.graphdef import grouped
from graphwright.op.op import Op
from graphwright.op.scalars import NoNativeForm
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.portable.refused_op import NoCounterpart, RefusedOp
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

#: A value on its way: a name in the other format, a type, and what is known of it.
V = TypeVar("V")
R = TypeVar("R")


class GraphWalk(Generic[V]):
    """Writes the nodes of one graph.

    Attributes:
        node: The node that is being written.
        location: The line of the program that it comes from.
        strict: Whether an op without a form raises, since what it is part of may be written
            otherwise.
    """

    node: Node | None
    location: Location | None

    def __init__(
        self, lines: list[Any], refused: list[RefusedOp], outer: GraphWalk[V] | None
    ) -> None:
        self._lines = lines
        self._refused = refused
        self.strict: bool = outer is not None and outer.strict
        self._values: dict[Value, V] = {}

    # -- what a format says -----------------------------------------------------------------------

    def of_constant(self, node: Node) -> V:
        """The value of a constant."""
        raise NotImplementedError

    def written(self, node: Node, operands: list[V]) -> list[V]:
        """The results of a node; NoCounterpart says why there are none."""
        raise NotImplementedError

    def noted(self, result: V, value: Value) -> V:
        """A result with what our graph knows of its value."""
        raise NotImplementedError

    def unusable(self, value: Value) -> V:
        """What stands for a value that was refused."""
        raise NotImplementedError

    def stand_in(self, graph: Graph, value: Value, operand: V) -> Value:
        """A value of a scratch graph for an operand: a constant if it is known."""
        raise NotImplementedError

    # -- the walk ---------------------------------------------------------------------------------

    def run(self, graph: Graph, arguments: Sequence[V]) -> list[V]:
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

    def results(self, node: Node) -> list[V]:
        """The values of a node's outputs."""
        if isinstance(node.op, Const):
            return [self.of_constant(node)]
        operands = [self._values[value] for value in node.inputs]
        try:
            made = self.tried(lambda: self.written(node, operands))
        except NoCounterpart as reason:
            if self.strict:
                raise
            self._refused.append(RefusedOp(node.op.type_name, str(reason), self.location))
            made = [self.unusable(value) for value in node.outputs]
        return [self.noted(result, value) for result, value in zip(made, node.outputs)]

    def tried(self, write: Callable[[], R]) -> R:
        """What a function returns; where it finds no form, nothing of what it wrote stays."""
        start = len(self._lines)
        try:
            return write()
        except (NoCounterpart, NoNativeForm):
            del self._lines[start:]
            raise

    def by_rule(self, rule: Callable[..., Any], op: Op, operands: list[V]) -> list[V]:
        """The results of a rule, which takes several operands of one name as a list."""
        groups = grouped(op.operands, tuple(operands), op)
        arguments = [
            list(group) if operand.variadic or operand.mixed else group[0]
            for operand, group in groups
        ]
        made = self.tried(lambda: rule(self, op, *arguments))
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def expanded(self, node: Node, operands: list[V]) -> list[V] | None:
        """The results of a composite op in simpler ones; None where its record says nothing."""
        graph = Graph(node.name)
        values = [self.stand_in(graph, v, operand) for v, operand in zip(node.inputs, operands)]
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


def scratch_value(graph: Graph, value: Value, type_: TensorType, array: Array | None) -> Value:
    """A value of a scratch graph for one of another: a constant where that, or `array`, is one."""
    if isinstance(value.node.op, Const):
        return graph.add(value.node.op, (), (value.type,), value.node.name).outputs[0]
    if array is not None:
        known = TensorType(type_.dtype, array.shape)
        literal = Const(Literal(np.array(array).astype(type_.dtype.numpy_dtype), known))
        return graph.add(literal, (), (known,), "known").outputs[0]
    return graph.placeholder(type_, "operand")
