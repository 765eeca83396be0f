"""Calls, branches and loops. A graph inside another one sees the values around it by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from graphwright.compile.graph.simplify import simplify
from graphwright.ir.graph import Graph
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.graph_writer import GraphWriter
from graphwright.portable.onnx.onnx_types import onnx_package
from graphwright.portable.onnx.value_types import value_info
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    import onnx


@counterpart("PartitionedCall", "StatefulPartitionedCall", onnx="(its nodes)")
def call(w: GraphWriter, op: Any, operands: list[Wire]) -> list[Wire]:
    """The nodes of the function."""
    return w.run(simplify(op.f), operands)


def block(
    w: GraphWriter, name: str, parameters: Sequence[Wire], run: Callable[[GraphWriter], list[Wire]]
) -> tuple[onnx.GraphProto, list[Wire]]:
    """A graph inside the one that is written, and the wires of its results, in its own names."""
    inner = w.inner()
    results = [result_of_graph(inner, wire) for wire in run(inner)]
    helper = onnx_package().helper
    graph = helper.make_graph(
        inner.nodes,
        w.parts.unique(name),
        [value_info(wire) for wire in parameters],
        [value_info(wire) for wire in results],
    )
    return graph, results


def result_of_graph(inner: GraphWriter, wire: Wire) -> Wire:
    """A result as a value that the graph itself makes, which ONNX demands."""
    made = inner.emit("Identity", wire, dtype=wire.dtype)
    return Wire(made.name, wire.type, None, None, wire.item)


@counterpart("StatelessIf", "If", onnx="If")
def branch(w: GraphWriter, op: Any, condition: Wire, operands: list[Wire]) -> list[Wire]:
    """One of two graphs."""
    if condition.type.rank != 0:
        condition = w.reshape(condition, w.longs())
    sides = [partial(side, simplify(graph), operands) for graph in op.graphs]
    return chosen(w, condition, sides)


def side(graph: Graph, operands: list[Wire], inner: GraphWriter) -> list[Wire]:
    """The results of a graph, written inside another one."""
    return inner.run(graph, operands)


@counterpart("StatelessCase", "Case", onnx="If")
def case(w: GraphWriter, op: Any, index: Wire, operands: list[Wire]) -> list[Wire]:
    """One of several graphs, by branches inside each other; the last for numbers outside."""
    if index.type.rank != 0:
        index = w.reshape(index, w.longs())

    def rest(inner: GraphWriter, number: int) -> list[Wire]:
        graph = simplify(op.branches[number])
        if number == len(op.branches) - 1:
            return inner.run(graph, operands)
        condition = inner.emit("Equal", index, inner.like(number, index))
        sides = [partial(side, graph, operands), partial(rest, number=number + 1)]
        return chosen(inner, condition, sides)

    return rest(w, 0)


def chosen(
    w: GraphWriter, condition: Wire, sides: Sequence[Callable[[GraphWriter], list[Wire]]]
) -> list[Wire]:
    """The results of the first side where a condition holds, else those of the second."""
    (then, first), (otherwise, second) = [
        block(w, name, (), run) for name, run in zip(("then", "else"), sides)
    ]
    made = w.emit_all(
        "If", [condition], len(first), dt.variant, {"then_branch": then, "else_branch": otherwise}
    )
    joined = []
    for wire, a, b in zip(made, first, second):
        join = a.type.join(b.type)
        assert join is not None
        joined.append(Wire(wire.name, join, None, None, a.item or b.item))
    return joined


@counterpart("StatelessWhile", "While", onnx="Loop")
def loop(w: GraphWriter, op: Any, operands: list[Wire]) -> list[Wire]:
    """A loop; its condition is asked before it and at the end of each turn."""
    count = len(op.body.parameters)
    cond, body = simplify(op.cond), simplify(op.body)
    start, captured = operands[:count], operands[count:]
    (before,) = w.run(cond, operands)
    parts = w.parts
    number = Wire(parts.unique("turn"), TensorType(dt.int64, ()))
    again = Wire(parts.unique("again"), TensorType(dt.bool_, ()))
    variables = [
        Wire(parts.unique("variable"), value.type, None, None, wire.item)
        for value, wire in zip(op.body.parameters, start)
    ]

    def turn(inner: GraphWriter) -> list[Wire]:
        after = inner.run(body, [*variables, *captured])
        (goes_on,) = inner.run(cond, [*after, *captured])
        return [goes_on, *after]

    graph, results = block(w, "body", [number, again, *variables], turn)
    for variable, result in zip(variables, results[1:]):
        if variable.is_list and variable.item is not result.item:
            raise NoCounterpart("a list holds tensors of several dtypes")
    made = w.emit_all("Loop", [None, before, *start], count, dt.variant, {"body": graph})
    return [
        Wire(wire.name, variable.type, None, None, variable.item)
        for wire, variable in zip(made, variables)
    ]
