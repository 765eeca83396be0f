"""Sums of matrix products in loops: a product is added to a running sum as it is computed.

The gradient of a loop adds a product to each weight's gradient in every iteration. A product that
is computed by itself is written to memory and read again, which takes as long as computing it.
Other uses of the product decide, so this is a pass over nodes, and no expansion of a sum.
"""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Op, Shapes
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.math.arithmetic import AddV2
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


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
    uses: dict[Value, int] = {}
    for value in (*(v for node in graph.nodes for v in node.inputs), *graph.results):
        uses[value] = uses.get(value, 0) + 1
    return uses


def accumulated(graph: Graph) -> Graph:
    """The graph with MatMulAdd(a, b, x) for x + a @ b, where nothing else uses the product and
    nothing is broadcast."""
    uses = uses_of(graph)
    fused: dict[Node, int] = {}
    for node in graph.nodes:
        place = added_product(node, uses)
        if place is not None:
            fused[node] = place
    if not fused:
        return graph
    into = Graph(graph.name, graph.is_body)

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if node not in fused:
            return None
        place = fused[node]
        product = inputs[place].node
        op = product.op
        assert isinstance(op, MatMul)
        added = MatMulAdd.of(op.transpose_a, op.transpose_b)
        operands = (*product.inputs, inputs[1 - place])
        return into.add(added, operands, (node.outputs[0].type,), node.name).outputs

    transform(graph, rewrite, into)
    products = {v.node for n in fused for v in (n.inputs[fused[n]],)}
    mapping = into.origin[1] if into.origin else {}
    copies = {mapping[n.outputs[0]].node for n in products}
    into.nodes = [n for n in into.nodes if n not in copies]
    return into


def added_product(node: Node, uses: dict[Value, int]) -> int | None:
    """The operand of a sum, by number, that is a product which can be added to the other one."""
    if not isinstance(node.op, AddV2) or node.inputs[0] is node.inputs[1]:
        return None
    if node.outputs[0].type.dtype.name not in ("float32", "float64"):
        return None
    for place in (1, 0):
        product, other = node.inputs[place], node.inputs[1 - place]
        plain = type(product.node.op) is MatMul and uses[product] == 1
        if plain and product.type.dims is not None and product.type.dims == other.type.dims:
            return place
    return None


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
