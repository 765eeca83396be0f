"""Which nodes may fail when they run: later effects wait until these have succeeded."""

from __future__ import annotations

from graphwright.compile.nests.element_kinds import KINDS
from graphwright.compile.nests.moves import MOVES
from graphwright.compile.select.native_words import refuses
from graphwright.ir.graph import Node
from graphwright.op.op_families import Elementwise
from graphwright.ops.core.creation import Const
from graphwright.ops.core.own_ops import PickIndex
from graphwright.ops.core.slicing import Slice, StridedSlice


def may_fail(node: Node) -> bool:
    """Whether a native node may refuse its operands: shapes known only in a run may not fit, and
    some ops check values."""
    op = node.op
    values = (*node.inputs, *node.outputs)
    if any(v.type.dims is None or None in v.type.dims for v in values):
        return True
    if isinstance(op, Elementwise):
        return refuses_values(node)
    if isinstance(op, (Slice, StridedSlice)):  # where it begins may be checked
        return not all(isinstance(v.node.op, Const) for v in node.inputs[1:])
    return not (type(op) in MOVES or op.combination or op.filling is not None)


def refuses_values(node: Node) -> bool:
    """Whether a node refuses some elements."""
    op = node.op
    if isinstance(op, Elementwise):
        return refuses(op, tuple([KINDS[v.type.dtype] for v in node.inputs]))
    return isinstance(op, PickIndex)
