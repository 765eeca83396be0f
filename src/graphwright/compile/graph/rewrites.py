"""Ops that only lowering uses, most of them for gradients, and the pass that introduces them.

`TensorListAddItem` adds to one item of a list, which otherwise takes a second list.
`CountedSegments` takes the number of segments as an operand. Each rule looks at several nodes, so
no op's record could state it as an expansion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from graphwright.compile.graph.prune import like, prune
from graphwright.control.branch import BranchingOp, StatelessCase, StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.machine.exclusion import LLVM
from graphwright.op.expansion import GraphTensor
from graphwright.op.op import Op, Shapes
from graphwright.ops.core.casting import Cast, cast
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.core.movement import Reshape, SumTo
from graphwright.ops.core.rule_words import extent, moved, required, scattered, widened
from graphwright.ops.core.segment_reduction import (
    SegmentMax,
    SegmentMean,
    SegmentMin,
    SegmentProd,
    SegmentSum,
    dims_of_segments,
    extremes,
    sizes_of,
)
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.shapes import BroadcastGradientArgs, Shape
from graphwright.ops.math.arithmetic import AddV2, floordiv, maximum
from graphwright.ops.math.reduction import Max, Sum
from graphwright.ops.nn.activation import ReluGrad
from graphwright.ops.state.list_ops import (
    TensorListAddN,
    TensorListLength,
    TensorListReserve,
    TensorListSetItem,
)
from graphwright.ops.state.tensor_list import TensorList, refuse
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class TensorListAddItem(Op):
    """A list of `num_elements` items with `item` added to one of them."""

    type_name = "_TensorListAddItem"
    inputs = (
        "input_handle: variant",
        "index: int32",
        "item: element_dtype",
        "num_elements: int32 host",
    )
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList, index: Array, item: Array, num_elements: int) -> TensorList:
        place = int(index)
        if not 0 <= place < num_elements:
            raise refuse(
                f"Trying to modify element {place} in a list with {num_elements} elements."
            )
        if len(items) != num_elements:
            raise refuse(
                "Trying to add two lists of tensors with different lengths. One is "
                f"{len(items)} and the other is {num_elements}"
            )
        before = items.get(place)
        return items.set(place, item if before is None else np.add(before, item))


class CountedSegments(Op):
    """An op on ascending segments that takes their number as an operand."""

    type_name = "_CountedSegments"
    inputs = ("data: T", "segment_ids: Tindices", "count: int32 host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tindices": dt.INDEX}

    op: Op

    @property
    def stated_as(self) -> Op:
        return self.op

    def shapes(self, data: TensorType, ids: TensorType, count: int | None) -> Shapes:
        return (None if data.dims is None else (count, *data.dims[1:]),)

    def kernel(self, data: Array, ids: Array, count: int) -> Array:
        result: Array = self.op.kernel(data, ids)
        return result

    def expand(self, x: GraphTensor, ids: GraphTensor, count: GraphTensor) -> Any:
        """Rows combined by segment; the segments' numbers must ascend."""
        kind, dims = self.op.kind, dims_of_segments(x, ids, count)  # type: ignore[attr-defined]
        before = moved(ids, 0, [steps(extent(ids, 0)) - 1])  # the first is its own predecessor
        ids = required(ids, (ids >= 0) & (ids >= before))
        if kind in ("max", "min"):
            return extremes(kind, x, ids, dims, 0)
        if kind != "mean":
            return scattered(kind, x, [ids], dims)
        total = scattered("sum", widened(x), [ids], dims)
        sizes = cast(maximum(sizes_of(ids, dims), 1), total.dtype)
        return cast(total / sizes if x.dtype.is_floating else floordiv(total, sizes), x.dtype)


#: The values that replace a node's outputs; None where a rule does not apply.
Outputs: TypeAlias = tuple[Value, ...] | None
Rule: TypeAlias = Callable[[Node, tuple[Value, ...], Graph], Outputs]


def rewritten(graph: Graph) -> Graph:
    """The graph, and those in it, with these ops in place of the nodes that they combine."""
    if any(node.op.type_name == "Roll" for node in graph.nodes):
        with LLVM:  # few programs rotate; a fork waits for the import
            from graphwright.compile.graph.rotations import with_shared_copies

        graph = with_shared_copies(graph)
    into = Graph(graph.name, graph.is_body)
    changed = False

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        nonlocal changed
        rule = rule_of(node.op)
        outputs = None if rule is None else rule(node, inputs, into)
        changed = changed or outputs is not None
        return outputs

    # a sum is rewritten only if its operand was
    if not any(rule_of(node.op) for node in graph.nodes if not isinstance(node.op, Sum)):
        return graph
    transform(graph, rewrite, into)
    into.names = graph.names
    return prune(into) if changed else graph


def lengths_first(graph: Graph) -> Graph:
    """The graph with each list's length taken right after the node that makes the list.

    A segment that makes the list then also gives the length, and need not give another segment the
    list.
    """
    lengths: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if isinstance(node.op, TensorListLength):
            lengths.setdefault(node.inputs[0].node, []).append(node)
    if not lengths:
        return graph
    nodes: list[Node] = []
    for node in graph.nodes:
        if not isinstance(node.op, TensorListLength):
            nodes += [node, *lengths.get(node, ())]
    return like(graph, nodes, {})


def inner_rewritten(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """The outputs of a loop or a branch with its graphs rewritten."""
    op = node.op
    if isinstance(op, StatelessWhile):
        graphs: tuple[Graph, ...] = (op.cond, op.body)
        new = tuple([rewritten(graph) for graph in graphs])
        other: Op = op.repeating(*new)
    else:
        assert isinstance(op, BranchingOp)
        graphs = op.graphs
        new = tuple([rewritten(graph) for graph in graphs])
        other = op.choosing(new)
    if all(a is b for a, b in zip(graphs, new)):
        return None
    types = tuple([v.type for v in node.outputs])
    return into.add(other, inputs, types, node.name, node.location).outputs


def sum_to(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """reshape(sum(x, the axes that broadcasting repeats), shape) -> sum_to(x, shape)"""
    total = inputs[0].node
    if not isinstance(total.op, Sum) or total.op.keep_dims:
        return None
    axes = total.inputs[1]
    if not isinstance(axes.node.op, BroadcastGradientArgs):
        return None
    if not is_same(axes.node.inputs[axes.index], inputs[1]):
        return None
    types = (node.outputs[0].type,)
    return into.add(SumTo.of(), (total.inputs[0], inputs[1]), types, node.name).outputs


def counted(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """segments(data, ids) -> segments(data, ids, max(ids) + 1)"""
    data, ids = inputs
    if ids.type.rank != 1 or data.type.dims is None or into.is_body:
        return None
    name, scalar = node.name, TensorType(dt.int32, ())
    constants = [
        into.add(Const(Literal(np.asarray(x, np.int32), t)), (), (t,), name).outputs[0]
        for x, t in (([0], TensorType(dt.int32, (1,))), (1, scalar))
    ]
    wide = TensorType(ids.type.dtype, ())
    last = into.add(Max.of(False), (ids, constants[0]), (wide,), name).outputs[0]
    if wide.dtype is not dt.int32:
        last = into.add(Cast.of(dt.int32), (last,), (scalar,), name).outputs[0]
    count = into.add(AddV2.of(), (last, constants[1]), (scalar,), name).outputs[0]
    types = (node.outputs[0].type,)
    op = CountedSegments.of(node.op)
    return into.add(op, (data, ids, count), types, name, node.location).outputs


def is_same(a: Value, b: Value) -> bool:
    """Whether two values are one, or equal constants, or shapes of the same value."""
    return a is b or (
        isinstance(a.node.op, (Const, Shape))
        and a.node.op == b.node.op
        and all(map(is_same, a.node.inputs, b.node.inputs))
    )


def of_maxima(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """The outputs by a rule about gradients of pooled maxima."""
    if inputs[0].node.op.type_name != "MaxPoolGrad":
        return None
    with LLVM:  # few programs pool; a fork waits for the import
        from graphwright.compile.graph import pooled_gradients

    return pooled_gradients.RULES[type(node.op)](node, inputs, into)


def of_draw(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """The outputs by the rule about draws from streams."""
    with LLVM:  # few programs draw; a fork waits for the import
        from graphwright.compile.graph import draw_positions

    return draw_positions.positioned(node, inputs, into)


def add_items(node: Node, inputs: tuple[Value, ...], into: Graph) -> Outputs:
    """add(list, list with few items written) -> the list with each of these items added"""
    if len(inputs) != 2:
        return None
    for total, other in (inputs, inputs[::-1]):
        items = items_of(other)
        if items is not None:
            for index, item, count in items:
                operands = (total, index, item, count)
                total = into.add(TensorListAddItem.of(), operands, (total.type,)).outputs[0]
            return (total,)
    return None


def items_of(value: Value) -> list[tuple[Value, Value, Value]] | None:
    """The written items of a list that is otherwise empty: index, item, length of the list."""
    op, inputs = value.node.op, value.node.inputs
    if isinstance(op, TensorListAddItem):
        before = items_of(inputs[0])
        return None if before is None else [*before, (inputs[1], inputs[2], inputs[3])]
    if not isinstance(op, TensorListSetItem) or op.resize_if_index_out_of_bounds:
        return None
    empty = inputs[0].node
    if not isinstance(empty.op, TensorListReserve) or inputs[2].type.dtype is dt.variant:
        return None
    return [(inputs[1], inputs[2], empty.inputs[1])]


RULES: dict[type[Op], Rule] = {
    Reshape: sum_to,
    ReluGrad: of_maxima,
    Sum: of_maxima,
    TensorListAddN: add_items,
    **dict.fromkeys((SegmentMax, SegmentMean, SegmentMin, SegmentProd, SegmentSum), counted),
    **dict.fromkeys((StatelessWhile, StatelessIf, StatelessCase), inner_rewritten),
}

#: By names, since most processes do not import these ops.
NAMED: dict[str, Rule] = {"RandomUniform": of_draw, "RandomStandardNormal": of_draw}


def rule_of(op: Op) -> Rule | None:
    """The rule for nodes of an op, if there is one."""
    return RULES.get(type(op)) or NAMED.get(op.type_name)
