"""The passes that every graph goes through before it runs."""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Effect
from graphwright.ops.creation import Placeholder


def simplify(graph: Graph) -> Graph:
    """The graph that computes the same with less: a new one, the old stays as it was."""
    return drop_dead(graph)


def drop_dead(graph: Graph) -> Graph:
    """Leaves out the nodes whose results nobody uses and that change nothing."""
    needed: set[Value] = set(graph.results)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        wanted = (
            node.op.effect is Effect.WRITE
            or isinstance(node.op, Placeholder)
            or any(v in needed for v in node.outputs)
        )
        if wanted:
            needed.update(node.inputs)
            kept.append(node)
    result = Graph(graph.name, graph.is_body)
    result.nodes = kept[::-1]
    result.parameters, result.captures = graph.parameters, graph.captures
    result.results, result.names = graph.results, graph.names
    return result
