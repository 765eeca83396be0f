"""The ops on lists by what they do, and the uses of a list in a graph."""

from __future__ import annotations

from typing import Any

from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.compile.lists.range_ops import TensorListAppend, TensorListTake
from graphwright.compile.select.host_operands import is_size
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Op
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.joining import Pack
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListGetItem,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

#: Ops that make an empty list or one of zeros: each use of the result has a list of its own.
MAKERS: tuple[type[Op], ...] = (EmptyTensorList, TensorListReserve, TensorListZerosLike)

#: Ops that change the items of a list.
CHANGES: tuple[type[Op], ...] = (
    TensorListSetItem,
    TensorListPushBack,
    TensorListResize,
    TensorListAddItem,
    TensorListAppend,
)

#: Ops that give an item, or all of them, in the list's memory.
READS: tuple[type[Op], ...] = (TensorListGetItem, TensorListPopBack, TensorListStack)

#: Ops that make their first operand longer or shorter.
RESIZES: tuple[type[Op], ...] = (
    TensorListAppend,
    TensorListPopBack,
    TensorListPushBack,
    TensorListResize,
    TensorListTake,
)

LIST_OPS: frozenset[type[Op]] = frozenset(
    (*MAKERS, *CHANGES, *READS, TensorListFromTensor, TensorListLength, TensorListTake)
)


def is_list(value: Value) -> bool:
    """Whether a value is a list."""
    return value.type.dtype is dt.variant


@once_per_graph
def has_lists(graph: Graph) -> bool:
    """Whether a graph makes or uses lists, in inner graphs too."""
    return any(
        any(is_list(v) for v in (*node.inputs, *node.outputs))
        for node in graph.nodes
    ) or any(map(has_lists, graph.subgraphs()))


def list_operands(node: Node) -> tuple[Value, ...]:
    """The numbers and items that a list op reads, and the entries of vectors of numbers."""
    mask = node.op.host_mask(len(node.inputs))
    computes = isinstance(node.op, (TensorListReserve, TensorListResize, TensorListAddItem))
    operands = [v for v, host in zip(node.inputs, mask) if not host and not is_list(v)]
    operands += node.inputs[-1:] if computes else ()
    packed = [v for v in operands if isinstance(v.node.op, Pack) and is_size(v)]
    return (*[v for v in operands if v not in packed], *[v for p in packed for v in p.node.inputs])


def changes_length(body: Graph, value: Value) -> bool:
    """Whether a list of a graph may become shorter or longer on its way to the results."""
    same = {value}
    for node in body.nodes:
        op = node.op
        for i, operand in enumerate(node.inputs):
            if operand not in same:
                continue
            if isinstance(op, TensorListSetItem):
                if op.resize_if_index_out_of_bounds:
                    return True
                same.add(node.outputs[0])
            elif isinstance(op, RESIZES) and not i:
                return True
            elif isinstance(op, Identity):
                same.add(node.outputs[0])
            elif isinstance(op, StatelessWhile) and i < len(op.body.parameters):
                if changes_length(op.body, op.body.parameters[i]):
                    return True
                same.add(node.outputs[i])
            elif isinstance(op, StatelessIf):
                if any(changes_length(g, g.arguments[i - 1]) for g in op.graphs):
                    return True
                same.update(v for v in node.outputs if is_list(v))
    return False


def element_of(graph: Graph, value: Value) -> tuple[DType, Dims] | None:
    """The dtype and shape of the items of a list that is a graph's argument, by its uses."""
    for node in graph.nodes:
        op: Any = node.op
        for i, operand in enumerate(node.inputs):
            if operand is not value:
                continue
            element: tuple[DType, Dims] | None = None
            if isinstance(op, READS):
                type_: TensorType = node.outputs[-1].type
                dims = type_.dims
                if dims is not None:
                    element = type_.dtype, dims[isinstance(op, TensorListStack) :]
            elif isinstance(op, (TensorListSetItem, TensorListPushBack)):
                item = node.inputs[-1].type
                element = (item.dtype, item.dims) if item.dims is not None else None
                element = element or element_of(graph, node.outputs[0])
            elif isinstance(op, (TensorListAppend, TensorListTake)):
                element = element_of(graph, node.outputs[-1])
            elif isinstance(op, StatelessWhile):
                element = element_of(op.body, op.body.arguments[i])
                if element is None and i < len(node.outputs):
                    element = element_of(graph, node.outputs[i])
            elif isinstance(op, StatelessIf):
                for side in op.graphs:
                    element = element or element_of(side, side.arguments[i - 1])
            elif isinstance(op, (Identity, TensorListZerosLike)):
                element = element_of(graph, node.outputs[0])
            if element is not None:
                return element
    return None
