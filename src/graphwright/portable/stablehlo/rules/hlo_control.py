"""Calls, branches, loops and variables. A block inside another sees the values around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.compile.graph.simplify import simplify
from graphwright.ir.graph import Graph, Value
from graphwright.op.op import Op
from graphwright.ops.core.own_ops import Gathered, PickIndex
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, closed
from graphwright.portable.stablehlo.hlo_graph import HloGraph
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import ELEMENTS, HloValue, static_dims
from graphwright.portable.stablehlo.rules.hlo_elements import pick_index
from graphwright.portable.stablehlo.rules.hlo_lists import as_before, is_placed, tensor_of
from graphwright.portable.stablehlo.rules.hlo_places import gathered
from graphwright.types import dtypes as dt


@hlo_rule("PartitionedCall", "StatefulPartitionedCall")
def call(w: HloGraph, op: Any, operands: list[HloValue]) -> list[HloValue]:
    """The nodes of the function."""
    return w.run(simplify(op.f), operands)


@hlo_rule("StatelessIf", "If")
def branch(w: HloGraph, op: Any, condition: HloValue, operands: list[HloValue]) -> list[HloValue]:
    """One of two graphs."""
    return chosen(w, "if", condition, op.graphs, operands)


@hlo_rule("StatelessCase", "Case")
def case(w: HloGraph, op: Any, index: HloValue, operands: list[HloValue]) -> list[HloValue]:
    """One of several graphs; the last for numbers outside."""
    return chosen(w, "case", index, op.graphs, operands)


def chosen(
    w: HloGraph, name: str, choice: HloValue, graphs: Sequence[Graph], operands: list[HloValue]
) -> list[HloValue]:
    """The results of the graph that a number chooses."""
    if not choice.is_usable:
        return without_results(w)
    choice = w.reshape(choice, ())
    choice = choice if choice.dtype is dt.bool_ else w.convert(choice, dt.int32)
    sides = []
    for graph in graphs:
        inner = w.inner()
        results = inner.run(simplify(graph), operands)
        if not all(result.is_usable for result in results):
            return without_results(w)
        sides.append((inner, results))
    columns = list(zip(*[results for _, results in sides]))
    likes = [next((v for v in column if is_placed(v)), column[0]) for column in columns]
    if not all(map(is_placed, likes)):
        raise NoCounterpart("the shape of the items of a list is not known")
    regions, kinds = [], []
    for inner, results in sides:
        tensors = [tensor_of(inner, v, like) for v, like in zip(results, likes)]
        regions.append(closed(inner, [], tensors))
        kinds.append([(tensor.dtype, tensor.sizes) for tensor in tensors])
    if any(kind != kinds[0] for kind in kinds):
        raise NoCounterpart("its branches have results of different shapes")
    made = w.emit_all(name, [choice], kinds[0], "", regions) if kinds[0] else []
    return [as_before(tensor, like) for tensor, like in zip(made, likes)]


def without_results(w: HloGraph) -> list[HloValue]:
    """What stands for the results of an op in which others were refused."""
    assert w.node is not None
    return [HloValue("", v.type.dtype, static_dims(v.type)) for v in w.node.outputs]


@hlo_rule("StatelessWhile", "While")
def loop(w: HloGraph, op: Any, operands: list[HloValue]) -> list[HloValue]:
    """A loop."""
    count = len(op.body.parameters)
    start, captured = operands[:count], operands[count:]
    if not all(before.is_usable for before in start):
        return without_results(w)
    likes = [variable_like(value, before) for value, before in zip(op.body.parameters, start)]
    if not all(map(is_placed, likes)):
        # A turn on trial says what is written into lists; its lines are dropped.
        likes = w.inner().run(simplify(op.body), [*likes, *captured])
        if not all(like.is_usable for like in likes):
            return without_results(w)
        if not all(map(is_placed, likes)):
            raise NoCounterpart("the shape of the items of a list is not known")
    tensors = [tensor_of(w, before, like) for before, like in zip(start, likes)]
    kinds = [(tensor.dtype, tensor.sizes) for tensor in tensors]
    regions = []
    for graph in (op.cond, op.body):
        inner = w.inner()
        names = [HloValue(w.parts.unique("v"), dtype, dims) for dtype, dims in kinds]
        variables = [as_before(name, like) for name, like in zip(names, likes)]
        results = inner.run(simplify(graph), [*variables, *captured])
        if not all(result.is_usable for result in results):
            return without_results(w)
        if graph is op.cond:
            results = [inner.reshape(results[0], ())]
        else:
            results = [tensor_of(inner, v, like) for v, like in zip(results, likes)]
            if [result.sizes for result in results] != [dims for _, dims in kinds]:
                raise NoCounterpart("the shape of a variable of the loop changes")
        regions.append(closed(inner, names, results))
    made = w.emit_all("while", tensors, kinds, "", regions) if kinds else []
    return [as_before(tensor, like) for tensor, like in zip(made, likes)]


def variable_like(value: Value, before: HloValue) -> HloValue:
    """What stands for a variable of a loop on trial."""
    if before.items is not None:
        return before
    dims = static_dims(value.type)
    if value.type.dtype not in ELEMENTS:
        raise NoCounterpart(f"a variable of the loop is of {value.type.dtype.name}")
    if dims is None:
        raise NoCounterpart(f"a variable of the loop has the shape {value.type.dims}")
    return HloValue("%trial", value.type.dtype, dims)


@hlo_rule("ReadVariableOp")
def read(w: BlockWriter, op: Op, handle: HloValue) -> HloValue:
    """The value that the variable has when the text is written."""
    if handle.variable is None:
        raise NoCounterpart("it reads a variable that the function gets as an argument")
    return w.constant(w.parts.variable(handle.variable), handle.variable.dtype)


@hlo_rule("ResourceGather")
def gather_rows(w: BlockWriter, op: Op, handle: HloValue, indices: HloValue) -> HloValue:
    """Rows of a variable."""
    x = read(w, op, handle)
    return gathered(w, Gathered.of(0, 0), x, [pick_index(w, PickIndex.of(0), indices, x)])
