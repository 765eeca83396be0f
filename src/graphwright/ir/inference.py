"""The types of a graph's results where more is known of its arguments than when it was traced."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.op import DTypeMismatch, Op
from graphwright.types.arguments import HostValue
from graphwright.types.tensor_type import TensorType, merge_dims


def types_of_results(graph: Graph, arguments: Sequence[object]) -> tuple[TensorType, ...]:
    """The types of the results for arguments of these types, at least as specific as its own.

    They are the graph's own where the arguments say no more, or contradict what is in it.
    """
    traced = tuple([value.type for value in graph.results])
    refined: dict[Value, TensorType] = {}
    for value, type_ in zip(graph.arguments, arguments):
        if isinstance(type_, TensorType) and type_.dims != value.type.dims:
            refined[value] = type_
    if not refined:
        return traced
    try:
        for node in graph.nodes:
            if any(value in refined for value in node.inputs):
                _infer(node, refined)
    except (ValueError, IndexError, TypeError, DTypeMismatch):
        return traced  # it fails as it runs, in its own words
    return tuple([refined.get(value, value.type) for value in graph.results])


def rests_on_unknown(graph: Graph) -> bool:
    """Whether types in a graph say more than its ops infer, since a constant was known."""
    for node in graph.nodes:
        if node.inputs and node.op.has_host:
            try:
                types = node.op.infer(_described(node.op, node.inputs, {}))
            except (ValueError, IndexError, TypeError, DTypeMismatch):
                return True
            if any(
                merge_dims(value.type.dims, type_.dims) != type_.dims
                for value, type_ in zip(node.outputs, types)
            ):
                return True
    return False


def takes(op: Op, operands: Sequence[Value]) -> bool:
    """Whether an op takes operands of these types.

    It need not, in a side of a branch that is never taken: stand-ins are in the place of what the
    other side remembers.
    """
    try:
        op.infer(_described(op, operands, {}))
    except (ValueError, IndexError, TypeError, DTypeMismatch):
        return False
    return True


def _infer(node: Node, refined: dict[Value, TensorType]) -> None:
    """Notes what is found out about the results of a node."""
    types = node.op.infer(_described(node.op, node.inputs, refined))
    for value, type_ in zip(node.outputs, types):
        dims = merge_dims(value.type.dims, type_.dims)
        if dims != value.type.dims:
            refined[value] = value.type.with_dims(dims)


def _described(
    op: Op, operands: Sequence[Value], refined: dict[Value, TensorType]
) -> list[TensorType | HostValue]:
    """What an op infers its results from: types, and what is known of host operands."""
    hosts = op.host_mask(len(operands)) if op.has_host else (False,) * len(operands)
    return [
        known(value) if is_host else refined.get(value, value.type)
        for value, is_host in zip(operands, hosts)
    ]
