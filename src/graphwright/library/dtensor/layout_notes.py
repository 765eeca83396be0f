"""The layouts that tensors have: notes on them, which an interpreter reads."""

from __future__ import annotations

import weakref
from typing import Any, Protocol

from graphwright.ir.graph import Node
from graphwright.library.dtensor.rank_tensors import rank_tensor
from graphwright.library.dtensor.sharding_rules import ShardedOperand, Specs
from graphwright.library.dtensor.tensor_layout import Layout
from graphwright.types.arrays import Array
from graphwright.values.tensor import EagerTensor, box

#: Where divided tensors are.
DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"

#: What `relayout` says of nodes of graphs.
STATED: weakref.WeakKeyDictionary[Node, Specs] = weakref.WeakKeyDictionary()


class NotingLayer(Protocol):
    """The interpreter that is there while there are notes."""

    notes: weakref.WeakSet[LayoutNote]

    def retire(self) -> None:
        """Leaves the chain of interpreters where there is nothing to note."""


class LayoutNote:
    """The layout of a tensor, which lives as long as the tensor does.

    Args:
        layout: The layout.
        layer: The interpreter, which goes with the last note.
    """

    def __init__(self, layout: Layout, layer: NotingLayer) -> None:
        self.layout = layout
        self.layer = layer
        layer.notes.add(self)

    def __del__(self) -> None:
        self.layer.notes.discard(self)
        self.layer.retire()


def layout_of(tensor: object) -> Layout | None:
    """The layout of a tensor, or None."""
    note: LayoutNote | None = getattr(tensor, "_layout_note", None)
    return None if note is None else note.layout


def noted(tensor: EagerTensor, layout: Layout, layer: NotingLayer) -> EagerTensor:
    """The tensor, with a note of its layout."""
    given: Any = tensor
    given._layout_note = LayoutNote(layout, layer)
    given._device = DEVICE
    return tensor


def noted_part(part: Array, layout: Layout, layer: NotingLayer) -> EagerTensor:
    """The tensor of which this rank has a part, or all if no axis is divided."""
    is_whole = layout.is_fully_replicated()
    return noted(box(part) if is_whole else rank_tensor(part, layout), layout, layer)


def operand_of(operand: object) -> ShardedOperand:
    """An operand as rules take it: a tensor, or the value of a host operand."""
    if not isinstance(operand, EagerTensor):
        return ShardedOperand(None, None, operand)
    layout = layout_of(operand)
    specs = None if layout is None else tuple(layout.sharding_specs)
    is_plain = operand.dtype.is_numpy_compatible
    is_host = is_plain and operand.dtype.is_integer and len(operand.dims) < 2
    return ShardedOperand(
        specs, operand.dims if is_plain else None, operand.known if is_host else None
    )
