"""Which nodes of a graph have a native form that is worth it.

No other place answers that. A lowering refuses what ops and types do not show (`sizes.NotNative`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from graphwright.compile.graph.simplify import simple_graphs
from graphwright.compile.lists.list_uses import LIST_OPS, is_list
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.compile.nests.moves import MOVES
from graphwright.compile.select.host_operands import is_size
from graphwright.compile.select.kernel_calls import may_be_called
from graphwright.compile.select.native_words import has_element
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Node
from graphwright.op.expansion import is_composite
from graphwright.op.op import Effect, Op
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const, Fill, Placeholder
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.sequences import Range
from graphwright.ops.linalg.contraction import Contraction
from graphwright.types.tensor_type import TensorType

#: The most elements of the matrices in a small product, which threads would not share.
_SMALL = 1 << 15

#: The dtypes whose products have a native form.
_PRODUCTS = frozenset({"float32", "float64", "float16", "bfloat16"})

#: A tensor of more axes than this has no native form.
_MOST_AXES = 8

#: More tensors than this are not joined natively: they would take too long to compile.
_MOST_PARTS = 16


def is_native(node: Node, in_loop: bool = False) -> bool:
    """Whether a node's op has a native form on tensors of these types that is worth it.

    Large matrix products have kernels of their own, so they leave machine code only in loops.
    """
    op = node.op
    if op.effect is not Effect.NONE or not node.outputs:
        return False
    mask = op.host_mask(len(node.inputs))
    tensors = [v for v, host in zip(node.inputs, mask) if not host]
    values = [*tensors, *node.outputs]
    takes_lists = type(op) in LIST_OPS or isinstance(op, (StatelessWhile, StatelessIf))
    if not all((takes_lists and is_list(v)) or is_native_type(v.type) for v in values):
        return False
    if type(op) in LIST_OPS:
        return in_loop
    empty = any(0 in (v.type.dims or ()) for v in values)
    if empty and not op.expands_empty:
        return False
    if isinstance(op, (StatelessWhile, StatelessIf)):
        return next(in_the_way(op), None) is None
    if isinstance(op, Elementwise):
        return has_element(op, tuple([v.type.dtype for v in tensors]))
    if isinstance(op, Contraction):
        dtypes = {v.type.dtype.name for v in values}
        if len(dtypes) > 1:
            return False
        if op.is_product([v.type for v in node.inputs]):
            return dtypes <= _PRODUCTS and (in_loop or is_small_product(node))
    if is_composite(op) or isinstance(op, (ConcatV2, Pack)):
        return len(node.inputs) <= _MOST_PARTS
    is_filled = op.filling is not None or isinstance(op, (Fill, Range))
    return is_filled or bool(op.combination) or type(op) in MOVES


def is_called(node: Node) -> bool:
    """Whether machine code in a loop or a branch calls a node's kernel: it has no native form."""
    return may_be_called(node) and not is_native(node, in_loop=True) and is_callable(node)


def is_callable(node: Node) -> bool:
    """Whether machine code can hand over a node's operands and results."""
    mask = node.op.host_mask(len(node.inputs))
    tensors = [
        v for v, host in zip(node.inputs, mask) if not (host and isinstance(v.node.op, Const))
    ]
    packs = [v for v in tensors if is_size(v) and v.type.dims != ()]
    if any(is_size(v) for v in node.outputs) or not all(isinstance(v.node.op, Pack) for v in packs):
        return False
    return all(is_native_type(v.type) for v in (*tensors, *node.outputs))


def is_native_type(type_: TensorType) -> bool:
    """Whether machine code takes tensors of a type: of its dtype and rank."""
    dims = type_.dims
    return dims is not None and len(dims) <= _MOST_AXES and is_native_dtype(type_.dtype)


def is_native_update(op: Elementwise, type_: TensorType) -> bool:
    """Whether an op on two tensors of a type has a native form."""
    return is_native_type(type_) and has_element(op, (type_.dtype,) * 2)


def is_small_product(node: Node) -> bool:
    """Whether a matrix product costs less than the call of a kernel, as far as sizes are known.

    Where one size of a product is unknown, the matrix without it must be small.
    """
    shapes = [v.type.dims or () for v in (*node.inputs, node.outputs[0])]
    known = [math.prod([d for d in dims if d is not None]) for dims in shapes]
    unknown = [dims.count(None) for dims in shapes]
    return max(known) <= _SMALL and max(unknown) <= 1 and 0 in unknown


def in_the_way(op: Op) -> Iterator[Node]:
    """The nodes in the graphs of a loop or a branch that have no native form."""
    for graph in simple_graphs(op):
        for node in graph.nodes:
            is_given = isinstance(node.op, (Placeholder, Const))
            is_native_node = is_given or is_size_node(node) or is_native(node, in_loop=True)
            if not (is_native_node or is_called(node)):
                yield node


def is_size_node(node: Node) -> bool:
    """Whether a node's first output is a size."""
    return bool(node.outputs) and is_size(node.outputs[0])


def is_compute(node: Node) -> bool:
    """Whether a node does more than move elements."""
    op = node.op
    moves = type(op) in MOVES or op.gives_parts
    lists = any(is_list(v) for v in node.outputs) and type(op) in LIST_OPS
    return not (moves or lists or op.filling is not None or isinstance(op, (Fill, Range)))
