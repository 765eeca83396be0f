"""Sums of products of matrices in loops: a product is added to what is there as it is computed.

The gradient of a loop adds a product to each weight's gradient in every iteration. Computed by
itself it would be written to memory and read again, which takes as long as computing it. Who else
needs the product decides, so this is a pass over nodes, and no expansion of a sum.
"""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Op, Shapes
from graphwright.ops.linalg.contraction import MatMul
from graphwright.ops.math.arithmetic import AddV2
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


class MatMulAdd(Op):
    """c + a @ b, added up in one pass."""

    type_name = "_MatMulAdd"
    inputs = ("a: T", "b: T", "c: T")
    outputs = ("sum: T",)
    dtypes = {"T": dt.FLOATING}

    transpose_a: bool
    transpose_b: bool

    def shapes(self, a: TensorType, b: TensorType, c: TensorType) -> Shapes:
        return (c.dims,)


def uses_of(graph: Graph) -> dict[Value, int]:
    """How often each value is used."""
    uses: dict[Value, int] = {}
    for value in (*(v for node in graph.nodes for v in node.inputs), *graph.results):
        uses[value] = uses.get(value, 0) + 1
    return uses


def accumulated(graph: Graph) -> Graph:
    """x + a @ b -> MatMulAdd(a, b, x), where nobody else needs the product and nothing is
    broadcast."""
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
    gone = {v.node for n in fused for v in (n.inputs[fused[n]],)}
    mapping = into.origin[1] if into.origin else {}
    left = {mapping[n.outputs[0]].node for n in gone}
    into.nodes = [n for n in into.nodes if n not in left]
    return into


def added_product(node: Node, uses: dict[Value, int]) -> int | None:
    """Which operand of a sum is a product that can be added to the other one."""
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
    """The sums that may be written over what is added to: a product of this graph, or a variable
    of a loop whose next value the sum is."""
    uses = uses_of(graph)
    found: dict[Value, Value] = {}
    for node in graph.nodes:
        if isinstance(node.op, MatMulAdd):
            total, output = node.inputs[2], node.outputs[0]
            if uses[total] != 1:
                continue
            if isinstance(total.node.op, (MatMul, MatMulAdd)):
                found[output] = total
            elif total in graph.parameters and uses[output] == 1:
                i = graph.parameters.index(total)
                if i < len(graph.results) and graph.results[i] is output:
                    found[output] = total
    return found
