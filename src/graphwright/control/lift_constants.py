"""Lifts constants that stand for a program's tensors out of a graph that another graph calls.

There they are operands of the call. So `tf.gradients` in the calling graph finds how the call
depends on such a tensor, which is a constant of the calling graph itself.
"""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.values.tensor import EagerTensor


def with_lifted_constants(graph: Graph) -> Graph:
    """The graph with captures in place of its constants that stand for eager tensors."""
    if graph.lifted is None:
        graph.lifted = lifted(graph)
    result: Graph = graph.lifted
    return result


def lifted(graph: Graph, only: EagerTensor | None = None) -> Graph:
    """A copy with such captures; the graph itself where no such tensor is there any more.

    `only` is the one tensor that becomes a capture; None makes captures of all.
    """
    tensors: dict[Value, EagerTensor] = {}
    for key, value in graph.constants.items():
        tensor = graph.folded[key]()
        if tensor is not None and (only is None or tensor is only):
            tensors[value] = tensor
    if not tensors:
        return graph
    into = Graph(graph.name, graph.is_body)
    captures: list[tuple[EagerTensor, Value]] = []

    def capture(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        tensor = tensors.get(node.outputs[0]) if node.outputs else None
        if tensor is None:
            return None
        value = into.placeholder(tensor.type, "capture")
        captures.append((tensor, value))
        return (value,)

    transform(graph, capture, into)
    into.captures += captures
    renamed = dict(zip(graph.arguments, into.arguments))
    into.handles = {renamed[value]: variable for value, variable in graph.handles.items()}
    nodes = dict(zip(graph.nodes, into.nodes))
    into.waits = {nodes[n]: [nodes[before] for before in graph.waits[n]] for n in graph.waits}
    gone = {key for key, value in graph.constants.items() if only is None or value in tensors}
    into.folded = {key: r for key, r in graph.folded.items() if key not in gone}
    return into
