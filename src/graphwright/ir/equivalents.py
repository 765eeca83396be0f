"""TensorFlow's ops instead of ops of graphwright alone, each of which stands for several."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.ir.graph import Graph, Names, Node, Value
from graphwright.op.op import Op
from graphwright.ops.core.identity import IdentityN
from graphwright.ops.core.movement import RESHAPE, SumTo
from graphwright.ops.core.shapes import BroadcastGradientArgs, Shape
from graphwright.ops.math.reduction import Sum
from graphwright.types.tensor_type import TensorType


def in_tensorflow(graph: Graph) -> Graph:
    """The graph in TensorFlow's ops; the graphs in it stay as they are."""
    if not any(node.op.type_name in EQUIVALENTS for node in graph.nodes):
        return graph
    names, new = Names(), {v: v for node in graph.nodes for v in node.outputs}
    for node in graph.nodes:
        names.claim(node.name)
    result = Graph(graph.name, graph.is_body)
    result.is_plain = graph.is_plain
    last: dict[Node, Node] = {}
    for node in graph.nodes:
        inputs = tuple([new[v] for v in node.inputs])
        types = tuple([v.type for v in node.outputs])
        if equivalent := EQUIVALENTS.get(node.op.type_name):
            nodes = equivalent(node, inputs, names)
        elif inputs != node.inputs:
            nodes = [Node(node.op, inputs, types, node.name, node.location)]
        else:
            nodes = [node]
        result.nodes += nodes
        if node in graph.devices:
            result.devices.update(dict.fromkeys(nodes, graph.devices[node]))
        new.update(zip(node.outputs, nodes[-1].outputs))
        last[node] = nodes[-1]
    result.handles = {new[value]: variable for value, variable in graph.handles.items()}
    result.waits = {last[n]: [last[before] for before in ns] for n, ns in graph.waits.items()}
    result.parameters = graph.parameters
    result.captures = graph.captures
    result.results = [new[v] for v in graph.results]
    return result


def sum_to(node: Node, inputs: tuple[Value, ...], names: Names) -> list[Node]:
    """reshape(sum(x, the axes along which x is broadcast), shape); the last has the name"""
    x, shape = inputs
    nodes: list[Node] = []

    def add(op: Op, inputs: tuple[Value, ...], *types: TensorType) -> Value:
        name = names.claim(f"{node.name}/{op.node_name}")
        nodes.append(Node(op, inputs, types, name, node.location))
        return nodes[-1].outputs[0]

    kind, rank = shape.type.dtype, x.type.rank
    whole = add(Shape.of(kind), (x,), TensorType(kind, (rank,)))
    places = TensorType(kind, (None,))
    axes = add(BroadcastGradientArgs.of(), (shape, whole), places, places)
    total = add(Sum.of(False), (x, axes), TensorType(x.type.dtype, None))
    types = tuple([v.type for v in node.outputs])
    return [*nodes, Node(RESHAPE, (total, shape), types, node.name, node.location)]


def identities(node: Node, inputs: tuple[Value, ...], _: Names) -> list[Node]:
    """All operands; the first of them is the result of a function with a gradient of its own."""
    types = tuple([v.type for v in inputs])
    return [Node(IdentityN.of(), inputs, types, node.name, node.location)]


#: The nodes that stand for a node, by the name of its op; the last one has its name and results.
EQUIVALENTS: dict[str, Callable[[Node, tuple[Value, ...], Names], list[Node]]] = {
    "CustomGradient": identities,
    SumTo.type_name: sum_to,
}
