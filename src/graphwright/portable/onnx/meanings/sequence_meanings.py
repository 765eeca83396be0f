"""Sequences of tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.op.interpreter import apply
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import split
from graphwright.ops.core.movement import reshape, squeeze, transpose
from graphwright.ops.state.list_tensors import TensorListConcatV2
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning, rank_of
from graphwright.portable.onnx.onnx_reading import dtype_of_number
from graphwright.portable.onnx.sequence import Erased, ItemSequence
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.convert import convert


@meaning("SequenceEmpty")
def empty_sequence(n: OnnxNode) -> Any:
    """A sequence without items."""
    return ItemSequence.empty(dtype_of_number(int(n.get("dtype", 1)), n.name))


@meaning("SequenceConstruct")
def constructed(n: OnnxNode, first: TensorValue, *others: TensorValue) -> Any:
    """A sequence of given items."""
    made = ItemSequence.empty(first.dtype)
    for item in (first, *others):
        made = made.pushed(item)
    return made


@meaning("SequenceAt")
def item_at(n: OnnxNode, items: ItemSequence, index: TensorValue) -> Any:
    """The item at a place."""
    return items.at(reshape(index, []))


@meaning("SequenceLength")
def length_of(n: OnnxNode, items: ItemSequence) -> Any:
    """How many items there are."""
    return cast(items.length(), dt.int64)


@meaning("SequenceInsert")
def with_item(
    n: OnnxNode, items: ItemSequence, item: TensorValue, index: TensorValue | None = None
) -> Any:
    """With one more item: at the end, or at a place."""
    if index is None:
        return items.pushed(item)
    if isinstance(items, Erased) and items.index is index:
        return items.whole.set(reshape(index, []), item)
    return items.inserted(reshape(index, []), item)


@meaning("SequenceErase")
def without_item(n: OnnxNode, items: ItemSequence, index: TensorValue | None = None) -> Any:
    """Without the last item, or the one at a place."""
    return Erased(items, convert(np.int64(-1)) if index is None else index)


@meaning("SplitToSequence")
def of_parts(n: OnnxNode, x: TensorValue, sizes: Any = None) -> Any:
    """The parts of a tensor along an axis, by default of one slice each."""
    axis = int(n.get("axis", 0)) % rank_of(x)
    front = transpose(x, [axis, *others(axis, rank_of(x))])
    if sizes is None and not n.get("keepdims", 1) and axis == 0:
        return ItemSequence.of_slices(front)
    parts = n.get("keepdims", 1) or sizes is not None
    whole = dims_of(x)[axis]
    if whole is None:
        raise n.unread("the size of the axis must be known")
    given: Any = 1 if sizes is None else n.static(sizes, "the sizes")
    if np.ndim(given) == 0:
        each = int(given)
        counts = [each] * (whole // each) + ([whole % each] if whole % each else [])
    else:
        counts = [int(size) for size in given]
    made = ItemSequence.empty(x.dtype)
    for part in split(x, counts, axis):
        made = made.pushed(part if parts else squeeze(part, [axis]))
    return made


@meaning("ConcatFromSequence", note="of items of known rank, but for the first axis")
def concatenated(n: OnnxNode, items: ItemSequence) -> Any:
    """The items one after the other, or along a new axis."""
    axis, is_new = int(n.get("axis", 0)), bool(n.get("new_axis"))
    rank = None if items.type is None else items.type.rank
    if axis and rank is None:
        raise n.unread("the rank of the items must be known")
    axis = axis % (rank + is_new) if rank is not None and axis else 0
    if is_new:
        made = items.stacked()
    else:
        front = items.transposed([axis, *others(axis, rank)]) if axis and rank else items
        made, _ = apply(TensorListConcatV2.of(items.item), front.handle, -1, [])
    if not axis or rank is None:
        return made
    return transpose(made, [*builtins.range(1, axis + 1), 0, *others(axis, rank + is_new)[axis:]])


def others(axis: int, rank: int) -> list[int]:
    """All axes but one."""
    return [i for i in builtins.range(rank) if i != axis]
