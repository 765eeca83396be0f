"""Running sums in loops: a matrix product or a slice is added where the sum lies.

The gradient of a loop adds a product to each weight's gradient in every iteration. A product that
is computed by itself is written to memory and read again, which takes as long as computing it.
The gradient of `x[t]` is a slice among zeros. Adding all of it takes as long as all iterations do.
Other uses of what is added decide, so this is a pass over nodes, and no expansion of a sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import chain

import numpy as np

from graphwright.compile.graph.prune import prune
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Op, Shapes
from graphwright.ops.core.creation import Const, Fill
from graphwright.ops.core.movement import Transpose
from graphwright.ops.core.own_ops import Scattered
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.math.arithmetic import AddV2
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

#: The dtypes whose sums are made in place.
_SUMMED = frozenset({"float32", "float64"})


class MatMulAdd(Op):
    """c + a @ b, in one pass over memory."""

    type_name = "_MatMulAdd"
    inputs = ("a: T", "b: T", "c: T")
    outputs = ("sum: T",)
    dtypes = {"T": dt.FLOATING}

    transpose_a: bool
    transpose_b: bool

    def shapes(self, a: TensorType, b: TensorType, c: TensorType) -> Shapes:
        return (c.dims,)

    def kernel(self, a: Array, b: Array, c: Array) -> Array:
        total: Array = c + (a.T if self.transpose_a else a) @ (b.T if self.transpose_b else b)
        return total


def uses_of(graph: Graph) -> dict[Value, int]:
    """How often each value is used."""
    uses = Counter(chain.from_iterable([node.inputs for node in graph.nodes]))
    uses.update(graph.results)
    return uses


def accumulated(graph: Graph, zeros: Collection[int] = ()) -> Graph:
    """The graph with sums that are made in place where nothing else uses what is added.

    x + a @ b becomes MatMulAdd(a, b, x). A slice among zeros is added to what has no -0.0, as
    parameters that begin as zeros: numbers in `zeros` say which do.
    """
    uses = uses_of(graph)
    positive = without_negative_zeros(graph, zeros)
    fused: dict[Node, int] = {}
    for node in graph.nodes:
        place = added_product(node, uses)
        if place is None:
            place = added_slice(node, uses, positive)
        if place is not None:
            fused[node] = place
    if not fused:
        return graph
    into = Graph(graph.name, graph.is_body)

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if node not in fused:
            return None
        place = fused[node]
        added, total = inputs[place].node, inputs[1 - place]
        if isinstance(added.op, MatMul):
            op: Op = MatMulAdd.of(added.op.transpose_a, added.op.transpose_b)
            operands = (*added.inputs, total)
        else:
            axis, (x, _, *places) = lone_slice(added) or (0, ())
            op, operands = Scattered.of("sum", True, axis), (x, total, *places)
        return into.add(op, operands, (node.outputs[0].type,), node.name).outputs

    transform(graph, rewrite, into)
    return prune(into)


def added_product(node: Node, uses: dict[Value, int]) -> int | None:
    """The operand of a sum, by number, that is a product which can be added to the other one."""
    if not isinstance(node.op, AddV2) or node.inputs[0] is node.inputs[1]:
        return None
    if node.outputs[0].type.dtype.name not in _SUMMED:
        return None
    for place in (1, 0):
        product, other = node.inputs[place], node.inputs[1 - place]
        plain = type(product.node.op) is MatMul and uses[product] == 1
        if plain and product.type.dims is not None and product.type.dims == other.type.dims:
            return place
    return None


def added_slice(node: Node, uses: dict[Value, int], positive: Collection[Value]) -> int | None:
    """The operand of a sum, by number, that is a slice among zeros, if all but the slice stays as
    it is: the other operand has no -0.0."""
    if not isinstance(node.op, AddV2) or node.outputs[0].type.dtype.name not in _SUMMED:
        return None
    for place in (1, 0):
        added, total = node.inputs[place], node.inputs[1 - place]
        if total not in positive or uses[total] != 1 or uses[added] != 1:
            continue
        if added.type.dims is not None and added.type.dims == total.type.dims:
            return place if lone_slice(added.node) else None
    return None


def without_negative_zeros(graph: Graph, zeros: Collection[int]) -> set[Value]:
    """The values in which no element is -0.0, in a loop's body.

    A parameter that begins as zeros is one if its next value is. A sum is -0.0 only where both of
    its operands are.
    """
    parameters = {i for i in zeros if i < len(graph.results)}
    while parameters:
        positive = {graph.parameters[i] for i in parameters}
        for node in graph.nodes:
            inputs = node.inputs
            if isinstance(node.op, AddV2):
                is_positive = not positive.isdisjoint(inputs)
            elif isinstance(node.op, Scattered) and node.op.adds:
                adds = node.op.combine == "sum" or (not node.op.combine and are_zeros(inputs[0]))
                is_positive = adds and inputs[1] in positive
            else:
                is_positive = False
            if is_positive:
                positive.update(node.outputs)
        lost = {i for i in parameters if graph.results[i] not in positive}
        if not lost:
            return positive
        parameters -= lost
    return set()


def lone_slice(node: Node) -> tuple[int, tuple[Value, ...]] | None:
    """The first indexed axis and the operands of one slice among zeros, if a node puts it there."""
    order: list[int] | None = None
    if isinstance(node.op, Transpose):
        permutation, node = node.inputs[1].node.op, node.inputs[0].node
        if not isinstance(permutation, Const):
            return None
        order = [int(axis) for axis in permutation.value.array]
    if not isinstance(node.op, Scattered) or node.op.combine or node.op.adds or node.op.axis:
        return None
    places, rank = node.inputs[2:], len(node.inputs[0].type.dims or ())
    if any(place.type.dims != (1,) for place in places):
        return None
    rank += len(places) - 1
    axis = 0 if order is None else order.index(0)
    behind = [*range(len(places), rank)]
    wanted = [*behind[:axis], *range(len(places)), *behind[axis:]]
    return (axis, node.inputs) if order in (None, wanted) else None


def are_zeros(value: Value) -> bool:
    """Whether all elements of a value are certainly 0, and none is -0.0."""
    op = value.node.op
    if isinstance(op, Const) and op.value.array.dtype.kind == "f":
        return not (np.any(op.value.array) or np.any(np.signbit(op.value.array)))
    return op.filling == 0 or (isinstance(op, Fill) and are_zeros(value.node.inputs[1]))


def in_place(graph: Graph) -> dict[Value, Value]:
    """The operand that each sum may overwrite: a product of this graph, or a loop variable whose
    next value is the sum."""
    uses = uses_of(graph)
    overwritten: dict[Value, Value] = {}
    for node in graph.nodes:
        if isinstance(node.op, MatMulAdd):
            total, output = node.inputs[2], node.outputs[0]
            if uses[total] != 1:
                continue
            if isinstance(total.node.op, (MatMul, MatMulAdd)):
                overwritten[output] = total
            elif total in graph.parameters and uses[output] == 1:
                i = graph.parameters.index(total)
                if i < len(graph.results) and graph.results[i] is output:
                    overwritten[output] = total
    return overwritten
