"""Whether a graph is well-formed: run between passes in the checking mode and in tests."""

from __future__ import annotations

from collections.abc import MutableSet, Sequence

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.op import DTypeMismatch
from graphwright.ops.core.creation import Placeholder
from graphwright.types.tensor_type import TensorType, is_compatible


def verify(graph: Graph) -> None:
    """Checks a graph and the graphs in it; ValueError names a wrong node.

    The structure must be right, each name unique, and the types of results compatible with those
    that the ops infer.
    """
    verify_structure(graph)
    verify_names_and_types(graph)


def verify_structure(graph: Graph, right: MutableSet[Graph | Node] | None = None) -> None:
    """Checks that a graph and the graphs in it can run; ValueError names a wrong node.

    Values must be defined before use, and placeholders must be arguments. Dtypes and inner graphs
    must be as the ops say. Graphs and nodes in `right` are skipped, and those that pass are added.
    """
    right = set() if right is None else right
    if graph in right:
        return
    defined: set[Value] = set()
    arguments = set(graph.arguments)
    for node in graph.nodes:
        for value in node.inputs:
            if value not in defined:
                raise wrong(graph, node, f"{value} is used before it is defined")
        if not defined.isdisjoint(node.outputs):
            raise wrong(graph, node, "it is there twice")
        if not isinstance(node.op, Placeholder):
            if node not in right:
                _verify_node(graph, node)
                right.add(node)
        elif not arguments.issuperset(node.outputs):
            raise wrong(graph, node, "it is no argument")
        defined.update(node.outputs)
    for value in (*graph.arguments, *graph.results):
        if value not in defined:
            raise ValueError(f"{graph.name}: the argument or result {value} is not in the graph")
    for value in graph.arguments:
        if not isinstance(value.node.op, Placeholder):
            raise ValueError(f"{graph.name}: the argument {value} is no placeholder")
    for inner in graph.subgraphs():
        verify_structure(inner, right)
    right.add(graph)


def _verify_node(graph: Graph, node: Node) -> None:
    mask = node.op.host_mask(len(node.inputs))
    dtypes_of_operands = [v.type.dtype for v, host in zip(node.inputs, mask) if not host]
    try:
        dtypes = node.op.result_dtypes(dtypes_of_operands)
        node.op.verify([v.type for v in node.inputs])
    except (ValueError, DTypeMismatch) as error:
        raise wrong(graph, node, str(error)) from None
    if [v.type.dtype for v in node.outputs] != list(dtypes):
        raise wrong(graph, node, f"its results {node.outputs} should be {dtypes}")


def wrong(graph: Graph, node: Node, why: str) -> ValueError:
    """The error about a wrong node."""
    return ValueError(f"{graph.name}: {node.name} ({node.op.type_name}): {why}")


def verify_call(
    graph: Graph, operands: Sequence[TensorType], results: Sequence[TensorType] | None = None
) -> None:
    """Checks that a graph takes operands, and returns results, of these types.

    ValueError names the types that differ.
    """
    _match(f"arguments of {graph.name}", operands, graph.arguments)
    if results is not None:
        _match(f"results of {graph.name}", results, graph.results)


def _match(what: str, types: Sequence[TensorType], values: Sequence[Value]) -> None:
    own_types = [value.type for value in values]
    if len(types) != len(own_types) or not all(map(_fits, types, own_types)):
        raise ValueError(f"the {what} are {own_types}, and should be {list(types)}")


def _fits(one: TensorType, other: TensorType) -> bool:
    return one.dtype is other.dtype and is_compatible(one.dims, other.dims)


def verify_names_and_types(graph: Graph) -> None:
    """Checks the names of nodes and the types that ops infer, for a graph of right structure."""
    names: set[str] = set()
    for node in graph.nodes:
        if node.name in names:
            raise wrong(graph, node, "another node has this name")
        names.add(node.name)
        if isinstance(node.op, Placeholder):
            continue
        mask = node.op.host_mask(len(node.inputs))
        described = [known(v) if host else v.type for v, host in zip(node.inputs, mask)]
        inferred = node.op.infer(described)
        if len(inferred) != len(node.outputs) or not all(
            _fits(type_, value.type) for type_, value in zip(inferred, node.outputs)
        ):
            raise wrong(graph, node, f"its results {node.outputs} should be {inferred}")
    for inner in graph.subgraphs():
        verify_names_and_types(inner)
