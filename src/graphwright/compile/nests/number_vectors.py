"""Vectors of integers in loops and branches as tensors, beside vectors of sizes.

A vector packed of single integers may be a shape, which has no memory (`host_operands.is_size`).
Where an op reads it as a tensor, it is joined of its entries instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.compile.graph.prune import prune
from graphwright.compile.lists.list_uses import LIST_OPS
from graphwright.compile.select.host_operands import is_size
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.movement import ExpandDims
from graphwright.ops.core.slicing import StridedSlice
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: Vectors of more entries than this stay as they are: each entry is a statement.
_MOST_ENTRIES = 16

_SCALAR = TensorType(dt.int32, ())
_SINGLE = TensorType(dt.int32, (1,))


def with_number_vectors(graph: Graph) -> Graph:
    """The graph of a loop or a branch, with a tensor for each vector of integers read as one."""
    read = [v for node in graph.nodes for v in tensors_of(node)]
    if not any(map(is_number_vector, (*read, *graph.results))):
        return graph
    into = Graph(graph.name, graph.is_body)
    joined: dict[Value, Value] = {}

    def tensor(value: Value) -> Value:
        if not is_number_vector(value):
            return value
        if value not in joined:
            joined[value] = joined_entries(value, into)
        return joined[value]

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        tensors = set(tensors_of(node))
        new = tuple([tensor(v) if old in tensors else v for old, v in zip(node.inputs, inputs)])
        if new == inputs:
            return None
        types = tuple([v.type for v in node.outputs])
        return into.add(node.op, new, types, node.name, node.location).outputs

    transform(graph, rewrite, into)
    into.results = [tensor(v) for v in into.results]
    return prune(into)


def tensors_of(node: Node) -> Sequence[Value]:
    """The operands that a node reads as tensors. Lists have vectors of sizes as items."""
    if type(node.op) in LIST_OPS or (node.outputs and is_size(node.outputs[0])):
        return ()
    mask = node.op.host_mask(len(node.inputs))
    return [v for v, host in zip(node.inputs, mask) if not host]


def is_number_vector(value: Value) -> bool:
    """Whether a value is a vector of sizes, or one packed as they are, of a few entries."""
    dims = value.type.dims
    if dims is None or len(dims) != 1 or not is_size(value):
        return False
    return dims[0] is not None and 0 < dims[0] <= _MOST_ENTRIES


def joined_entries(value: Value, into: Graph) -> Value:
    """The entries of a vector, joined to a tensor."""
    node, dtype = value.node, value.type.dtype
    zero = constant(0, into)
    entry, part = TensorType(dtype, ()), TensorType(dtype, (1,))
    parts: list[Value] = []
    for i in range(value.type.size or 0):
        if isinstance(node.op, Pack):
            number = node.inputs[i]
        else:
            bounds = [constant([bound], into) for bound in (i, i + 1, 1)]
            pick = StridedSlice.of(0, 0, 0, 0, 1)
            number = into.add(pick, (value, *bounds), (entry,), node.name).outputs[0]
        parts += into.add(ExpandDims.of(), (number, zero), (part,), node.name).outputs
    if len(parts) == 1:
        return parts[0]
    types = (value.type,)
    return into.add(ConcatV2.of(), (*parts, zero), types, node.name, node.location).outputs[0]


def constant(number: int | list[int], into: Graph) -> Value:
    """A constant of int32."""
    type_ = _SINGLE if isinstance(number, list) else _SCALAR
    literal = Literal(np.asarray(number, np.int32), type_)
    return into.add(Const(literal), (), (type_,)).outputs[0]
