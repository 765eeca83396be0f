"""Lists of tensors, as those of TensorArrays: each is one tensor of its items side by side.

The shape of items may be unknown until the first of them is written: then the tensor has no shape
yet, and its known value is how many items there are. Items that nothing wrote are zeros.
"""

from __future__ import annotations

from typing import Any

from graphwright.op.op import Op
from graphwright.ops.state.list_ops import TensorListReserve, TensorListSetItem
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import ELEMENTS, HloValue
from graphwright.portable.stablehlo.rules.hlo_movement import window
from graphwright.types import dtypes as dt


def list_of(items: HloValue) -> HloValue:
    """The list that a tensor is."""
    made = HloValue("", dt.variant, ())
    made.items = items
    return made


def items_of(value: HloValue) -> HloValue:
    """The tensor that a list is."""
    if value.items is None:
        raise NoCounterpart("it takes a list that is not written here")
    return value.items


def is_placed(value: HloValue) -> bool:
    """Whether the shape of a value is known, and that of its items."""
    return value.items is None or value.items.dims is not None


def tensor_of(w: BlockWriter, value: HloValue, like: HloValue) -> HloValue:
    """A value as a tensor; a list without a shape yet has that of another one."""
    if value.items is None:
        return value
    if value.items.dims is None:
        return w.constant(0, value.items.dtype, items_of(like).sizes)
    return value.items


def as_before(tensor: HloValue, like: HloValue) -> HloValue:
    """A tensor as a list, if it stands for one."""
    return tensor if like.items is None else list_of(tensor)


def item_dims(shape: HloValue) -> tuple[int, ...] | None:
    """The shape of items, as far as an operand says it."""
    dims = shape.whole
    if dims is None or dims.ndim != 1 or (dims < 0).any():
        return None
    return tuple([int(d) for d in dims])


@hlo_rule("TensorListReserve")
def reserved(w: BlockWriter, op: TensorListReserve, shape: HloValue, count: HloValue) -> HloValue:
    """A list of items that nothing wrote yet."""
    dtype, number = op.element_dtype, int(w.whole(count, "the number of items"))
    if dtype not in ELEMENTS:
        raise NoCounterpart(f"StableHLO has no {dtype.name} here")
    dims = item_dims(shape)
    if dims is None:
        return list_of(HloValue("", dtype, None, known=number))
    return list_of(w.constant(0, dtype, (number, *dims)))


@hlo_rule("TensorListFromTensor")
def of_tensor(w: BlockWriter, op: Op, tensor: HloValue, shape: HloValue) -> HloValue:
    """The slices of a tensor as a list."""
    return list_of(tensor)


@hlo_rule("TensorListSetItem")
def set_item(
    w: BlockWriter, op: TensorListSetItem, handle: HloValue, index: HloValue, item: HloValue
) -> HloValue:
    """A list with another item at a place."""
    if op.resize_if_index_out_of_bounds:
        raise NoCounterpart("a list does not grow to a place")
    items = items_of(handle)
    if items.dims is None:
        items = w.constant(0, items.dtype, (items.known, *item.sizes))
    if items.sizes[1:] != item.sizes:
        raise NoCounterpart("the items of a list have different shapes")
    row = w.reshape(item, (1, *item.sizes))
    starts = starts_of(w, index, items)
    made = w.emit("dynamic_update_slice", [items, row, *starts], items.dtype, items.sizes)
    return list_of(made)


def starts_of(w: BlockWriter, index: HloValue, items: HloValue) -> list[HloValue]:
    """Where an item stands."""
    zero = w.constant(0, dt.int64, ())
    return [w.convert(w.reshape(index, ()), dt.int64), *[zero] * (len(items.sizes) - 1)]


@hlo_rule("TensorListGetItem")
def get_item(
    w: BlockWriter, op: Any, handle: HloValue, index: HloValue, shape: HloValue
) -> HloValue:
    """The item at a place."""
    items = items_of(handle)
    if items.dims is None:
        return w.constant(0, items.dtype, w.target())
    row = window(w, items, starts_of(w, index, items), (1, *items.sizes[1:]))
    return w.reshape(row, items.sizes[1:])


@hlo_rule("TensorListLength")
def length(w: BlockWriter, op: Op, handle: HloValue) -> HloValue:
    """How many items there are."""
    items = items_of(handle)
    return w.constant(items.known if items.dims is None else items.sizes[0], dt.int32)


@hlo_rule("TensorListStack")
def stack(w: BlockWriter, op: Any, handle: HloValue, shape: HloValue) -> HloValue:
    """The items along a new axis."""
    items = items_of(handle)
    return w.constant(0, items.dtype, w.target()) if items.dims is None else items
