"""Ops on tensor lists: made, written, read, pushed and popped item by item, and added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each, Refusal, Same, elementwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes, not_differentiable, undefined
from graphwright.ops.core.creation import ZerosLike, filled, zeros, zeros_like
from graphwright.ops.core.gathering import spans
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import transpose
from graphwright.ops.core.shapes import rank_of, shape, shape_of
from graphwright.ops.core.slicing import slice
from graphwright.ops.math.sums import AddN
from graphwright.ops.state.tensor_list import (
    ElementShape,
    TensorList,
    check_dtype,
    host_shape,
    item_at,
    known_dims,
    merged,
    refuse,
    zeros_of,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, is_compatible, show_dims

_SHAPE = {"shape_type": dt.INDEX}


# -- making lists -------------------------------------------------------------------------------


def stacked_list(each: Each, i: int = 0) -> Any:
    """A list that is different in every row: its items are stacked."""
    if not each.stacked[i]:
        raise Refusal("it changes a list of outside by what differs from row to row")
    return each.inputs[i]


def longer_items(each: Each, element_shape: ElementShape | TensorValue) -> Any:
    """The operand `element_shape` of a list whose items are stacked."""
    return -1 if element_shape in (-1, None) else each.longer(element_shape)


def swapped(x: TensorValue) -> Any:
    """A tensor with its first two axes exchanged."""
    return transpose(x, concat([[1, 0], spans((2, rank_of(x)))], 0))


class EmptyTensorList(Op):
    """A list without items that takes at most `max_num_elements` (any number for -1)."""

    type_name = "EmptyTensorList"
    inputs = ("element_shape: shape_type host", "max_num_elements: int32 host")
    outputs = ("handle: variant",)
    dtypes = _SHAPE
    gradient = not_differentiable
    differs = True

    element_dtype: DType

    def shapes(self, element_shape: ElementShape, max_num_elements: int | None) -> Shapes:
        return ((),)

    def kernel(self, element_shape: ElementShape, max_num_elements: int) -> Any:
        limit = None if max_num_elements < 0 else max_num_elements
        return TensorList([], self.element_dtype, known_dims(element_shape), limit)

    def batched(self, each: Each) -> Any:
        return apply(self, longer_items(each, each.same(0)), each.same(1))


class TensorListReserve(Op):
    """A list of `num_elements` items that are not written yet."""

    type_name = "TensorListReserve"
    inputs = ("element_shape: shape_type host", "num_elements: int32 host")
    outputs = ("handle: variant",)
    dtypes = _SHAPE
    gradient = not_differentiable
    differs = True

    element_dtype: DType

    def shapes(self, element_shape: ElementShape, num_elements: int | None) -> Shapes:
        return ((),)

    def kernel(self, element_shape: ElementShape, num_elements: int) -> Any:
        if num_elements < 0:
            raise refuse(
                f"The num_elements to reserve must be a non negative number, but got {num_elements}"
            )
        dims = known_dims(element_shape)
        return TensorList([None] * num_elements, self.element_dtype, dims, None, True)

    def batched(self, each: Each) -> Any:
        return apply(self, longer_items(each, each.same(0)), each.same(1))


# -- one item -----------------------------------------------------------------------------------


class TensorListSetItem(Op):
    """The list with another item at `index`."""

    type_name = "TensorListSetItem"
    inputs = ("input_handle: variant", "index: int32", "item: element_dtype")
    behind = TensorList
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    resize_if_index_out_of_bounds: bool = False

    def shapes(self, handle: TensorType, index: TensorType, item: TensorType) -> Shapes:
        return ((),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[2]
        grow = self.resize_if_index_out_of_bounds

        def write(items: TensorList, index: Array, item: Array | TensorList) -> TensorList:
            place = int(index)
            if items.element_dtype is not dtype:
                check_dtype(items, dtype)
            size = len(items)
            if not 0 <= place < size and (place < 0 or not grow):
                raise refuse(f"Trying to modify element {place} in a list with {size} elements.")
            if item.shape != items.dims and not is_compatible(item.shape, items.dims):
                raise refuse(
                    "Tried to set a tensor with incompatible shape at a list index. Item element "
                    f"shape: {show_dims(item.shape)} list shape: {show_dims(items.dims)}"
                )
            if place == size:
                return items.push(item)
            if place > size:
                items = items.resize(place + 1)
            return items.set(place, item)

        return write

    def kernel(self, items: TensorList, index: Array, item: Array | TensorList) -> Any:
        return self.bind((dt.variant, dt.int32, items.element_dtype))(items, index, item)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, index, item = call.inputs
        rows = apply(TensorListGetItem.of(item.dtype), g, index, shape_of(item))
        rest = apply(TensorListSetItem.of(False), g, index, zero_of(item))
        if self.resize_if_index_out_of_bounds:
            size = apply(LENGTH, call.inputs[0])
            rest = apply(RESIZE, rest, size)
        return rest, None, rows

    def batched(self, each: Each) -> Any:
        return apply(self, stacked_list(each), each.same(1), each.full(2))


class TensorListGetItem(Op):
    """The item at `index`."""

    type_name = "TensorListGetItem"
    inputs = ("input_handle: variant", "index: int32", "element_shape: int32 host")
    behind = TensorList
    outputs = ("item: element_dtype",)

    element_dtype: DType

    def shapes(self, handle: TensorType, index: TensorType, element_shape: ElementShape) -> Shapes:
        return (known_dims(element_shape),)

    def kernel(self, items: TensorList, index: Array, element_shape: ElementShape) -> Any:
        return item_at(items, int(index), element_shape, self.element_dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        handle, index, element_shape = call.inputs
        size = apply(LENGTH, handle)
        empty = apply(TensorListReserve.of(self.element_dtype), element_shape, size)
        return apply(TensorListSetItem.of(False), empty, index, g), None, None

    def batched(self, each: Each) -> Any:
        shape = longer_items(each, each.same(2))
        return apply(self, stacked_list(each), each.same(1), shape)


class TensorListPushBack(Op):
    """The list with one more item at its end."""

    type_name = "TensorListPushBack"
    inputs = ("input_handle: variant", "tensor: element_dtype")
    behind = TensorList
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    def shapes(self, handle: TensorType, tensor: TensorType) -> Shapes:
        return ((),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[1]

        def push(items: TensorList, item: Array | TensorList) -> TensorList:
            if items.element_dtype is not dtype:
                check_dtype(items, dtype)
            if items.limit is not None and len(items) >= items.limit:
                raise refuse(
                    f"Tried to push item into a full list list size: {len(items)} "
                    f"max_num_elements: {items.limit}"
                )
            if item.shape != items.dims and not is_compatible(item.shape, items.dims):
                raise refuse(
                    "Tried to append a tensor with incompatible shape to a list. Op element "
                    f"shape: {show_dims(item.shape)} list shape: {show_dims(items.dims)}"
                )
            return items.push(item)

        return push

    def kernel(self, items: TensorList, item: Array | TensorList) -> Any:
        return self.bind((dt.variant, items.element_dtype))(items, item)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        item = call.inputs[1]
        rest, last = apply(TensorListPopBack.of(item.dtype), g, shape_of(item))
        return rest, last

    def batched(self, each: Each) -> Any:
        return apply(self, stacked_list(each), each.full(1))


class TensorListPopBack(Op):
    """The list without its last item, and that item."""

    type_name = "TensorListPopBack"
    inputs = ("input_handle: variant", "element_shape: int32 host")
    behind = TensorList
    outputs = ("output_handle: variant", "tensor: element_dtype")

    element_dtype: DType

    def shapes(self, handle: TensorType, element_shape: ElementShape) -> Shapes:
        return (), known_dims(element_shape)

    def kernel(self, items: TensorList, element_shape: ElementShape) -> Any:
        size = len(items)
        if not size:
            raise refuse("Trying to pop from an empty list.")
        item = item_at(items, size - 1, element_shape, self.element_dtype)
        return items.resize(size - 1), item

    def gradient(
        self, call: Call, g_list: Cotangent | None, g_item: Cotangent | None
    ) -> Sequence[Any]:
        item = call.outputs[1]
        if g_item is None:
            g_item = zero_of(item)
        if g_list is None and item.dtype is dt.variant:
            g_list = zero_of(call.outputs[0])
        if g_list is None:
            size = apply(LENGTH, call.outputs[0])
            g_list = apply(TensorListReserve.of(item.dtype), call.inputs[1], size)
        return apply(PUSH_BACK, g_list, g_item), None

    def batched(self, each: Each) -> Any:
        return apply(self, stacked_list(each), longer_items(each, each.same(1)))


# -- the whole list -----------------------------------------------------------------------------


class TensorListLength(Op):
    """The number of items."""

    type_name = "TensorListLength"
    inputs = ("input_handle: variant",)
    behind = TensorList
    outputs = ("length: int32",)
    gradient = not_differentiable

    def shapes(self, handle: TensorType) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList) -> Any:
        return np.int32(len(items))

    def batched(self, each: Each) -> Any:
        return Same(apply(self, stacked_list(each)))


class TensorListElementShape(Op):
    """What is known of the items' shape, -1 for unknown."""

    type_name = "TensorListElementShape"
    inputs = ("input_handle: variant",)
    behind = TensorList
    outputs = ("element_shape: shape_type",)
    gradient = not_differentiable

    shape_type: DType

    def shapes(self, handle: TensorType) -> Shapes:
        return (None,)

    def kernel(self, items: TensorList) -> Any:
        return np.array(host_shape(items.dims), self.shape_type.numpy_dtype)

    def batched(self, each: Each) -> Any:
        dims = apply(self, stacked_list(each))
        ones = filled(shape(shape(dims)), dt.int32, 1)  # none where no rank is known
        return Same(slice(dims, ones, -ones))


class TensorListResize(Op):
    """The list cut to `size` items, or filled up with unwritten ones."""

    type_name = "TensorListResize"
    inputs = ("input_handle: variant", "size: int32 host")
    behind = TensorList
    outputs = ("output_handle: variant",)

    def shapes(self, handle: TensorType, size: int | None) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList, size: int) -> Any:
        if size < 0:
            raise refuse(f"TensorListSlice expects size to be non-negative. Got: {size}")
        return items.resize(size)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(RESIZE, g, apply(LENGTH, call.inputs[0])), None

    def batched(self, each: Each) -> Any:
        return apply(self, stacked_list(each), each.same(1))


class TensorListConcatLists(Op):
    """The items of one list, then those of another."""

    type_name = "TensorListConcatLists"
    gradient = undefined("the cotangent of a list has nothing that says where to cut it")
    inputs = ("input_a: variant", "input_b: variant")
    behind = TensorList
    outputs = ("output: variant",)

    element_dtype: DType

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        return ((),)

    def kernel(self, a: TensorList, b: TensorList) -> Any:
        check_dtype(a, self.element_dtype)
        check_dtype(b, self.element_dtype)
        return TensorList(a.items + b.items, self.element_dtype, merged(a.dims, b.dims))


# -- cotangents of lists ------------------------------------------------------------------------


class TensorListZerosLike(Op):
    """A list of as many zeros of the items' shapes: items that are not written."""

    type_name = "ZerosLike"
    on_tensors = ZerosLike
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": frozenset({dt.variant})}
    behind = TensorList
    gradient = not_differentiable
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList) -> Any:
        if items.element_dtype is dt.variant:  # only a list of zeros has the length of a list
            inner = [None if item is None else self.kernel(item) for item in items.items]
            return TensorList(inner, dt.variant, items.dims)
        shapes = {np.shape(item) for item in items.items if item is not None}
        if len(shapes) < 2:
            dims = merged(items.dims, shapes.pop() if shapes else None)
            return TensorList([None] * len(items), items.element_dtype, dims, None, True)
        blanks = [
            None if item is None else zeros_of(items.element_dtype, np.shape(item))
            for item in items.items
        ]
        return TensorList(blanks, items.element_dtype, items.dims)


class TensorListAddN(AddN):
    """Two lists added item by item; what is not written counts as zero."""

    type_name = "AddN"
    on_tensors = AddN
    inputs = ("inputs: T*",)
    outputs = ("sum: T",)
    dtypes = {"T": frozenset({dt.variant})}
    expand = Op.expand

    def shapes(self, *inputs: TensorType) -> Shapes:
        return ((),)

    def kernel(self, total: TensorList, *others: Any) -> Any:
        for other in others:
            if len(total) != len(other):
                raise refuse(
                    "Trying to add two lists of tensors with different lengths. One is "
                    f"{len(total)} and the other is {len(other)}"
                )
            if total.is_sparse and not other.is_sparse:
                total, other = other, total
            total = added(total, other)
        return total

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,) * len(call.inputs)

    def batched(self, each: Each) -> Any:
        return apply(self, *[stacked_list(each, i) for i in range(len(each.inputs))])


def added(total: TensorList, other: TensorList) -> TensorList:
    """`total` with the items of `other` added: only those that were written are looked at."""
    written = other.written
    places = range(len(other)) if written is None else written
    for i in places:
        item, before = other.get(i), total.get(i)
        if item is not None:
            if isinstance(item, TensorList):
                total = total.set(i, item if before is None else added(before, item))
            else:
                total = total.set(i, item if before is None else np.add(before, item))
    return total


def add_lists(a: Cotangent, b: Cotangent) -> Any:
    """The sum of two cotangents of a list."""
    return apply(TensorListAddN.of(), a, b)


def zero_of(x: TensorValue) -> Any:
    """Zeros like a tensor or a list."""
    if x.dtype is dt.variant:
        return apply(ZEROS_LIKE, x)
    return zeros(x.type.dims, x.dtype) if x.type.is_static else zeros_like(x)


LENGTH = TensorListLength()
RESIZE = TensorListResize()
PUSH_BACK = TensorListPushBack()
ZEROS_LIKE = TensorListZerosLike()
