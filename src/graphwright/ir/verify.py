"""Whether a graph is well-formed: run between passes in tests."""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ops.creation import Placeholder
from graphwright.types.tensor_type import is_compatible


def verify(graph: Graph) -> None:
    """Checks a graph; ValueError names the node that is wrong.

    Values are defined before they are used and once; arguments are placeholders of the
    graph; the types of results are those that the ops infer, or compatible ones.
    """
    defined: set[Value] = set()
    names: set[str] = set()
    for node in graph.nodes:
        for value in node.inputs:
            if value not in defined:
                raise ValueError(f"{graph.name}: {node} uses {value} before it is defined")
        if node.name in names:
            raise ValueError(f"{graph.name}: two nodes are named {node.name!r}")
        names.add(node.name)
        defined.update(node.outputs)
        if not isinstance(node.op, Placeholder):
            _check_types(graph, node)
    for inner in graph.subgraphs():
        verify(inner)
    for value in (*graph.arguments, *graph.results):
        if value not in defined:
            raise ValueError(f"{graph.name}: the argument or result {value} is not in the graph")
    for value in graph.arguments:
        if not isinstance(value.node.op, Placeholder):
            raise ValueError(f"{graph.name}: the argument {value} is no placeholder")


def _check_types(graph: Graph, node: Node) -> None:
    mask = node.op.host_mask(len(node.inputs))
    described = [known(v) if host else v.type for v, host in zip(node.inputs, mask)]
    types = node.op.infer(described)
    if len(types) != len(node.outputs):
        raise ValueError(f"{graph.name}: {node} has {len(node.outputs)} results, not {len(types)}")
    for inferred, value in zip(types, node.outputs):
        same = inferred.dtype is value.type.dtype
        if not (same and is_compatible(inferred.dims, value.type.dims)):
            raise ValueError(f"{graph.name}: {value} should be of type {inferred!r}")
