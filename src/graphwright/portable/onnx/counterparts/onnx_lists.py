"""Lists of tensors (those of TensorArrays and of loops that remember) as sequences of ONNX."""

from __future__ import annotations

from typing import Any

from graphwright.op.op import Op
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListGetItem,
    TensorListPopBack,
    TensorListReserve,
    TensorListSetItem,
)
from graphwright.ops.state.list_tensors import TensorListStack
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.graph_writer import GraphWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

_NOTE = "items that nothing wrote have no elements"


def sequence(wire: Wire, item: DType | None) -> Wire:
    """A wire as a list of tensors of a dtype."""
    return Wire(wire.name, TensorType(dt.variant, ()), None, None, item)


def item_dtype(dtype: DType) -> DType:
    """The dtype of what a list holds; NoCounterpart for lists of lists."""
    if dtype not in NUMBER_OF:
        raise NoCounterpart(f"a sequence of ONNX holds no {dtype.name}")
    return dtype


@counterpart("EmptyTensorList", onnx="SequenceEmpty")
def empty_list(w: GraphWriter, op: EmptyTensorList, shape: Wire, most: Wire) -> Wire:
    """A list without items."""
    dtype = item_dtype(op.element_dtype)
    made = w.emit("SequenceEmpty", dtype=dt.variant, dtype_=NUMBER_OF[dtype])
    return sequence(made, dtype)


@counterpart("TensorListReserve", onnx="SplitToSequence", note=_NOTE)
def reserved(w: GraphWriter, op: TensorListReserve, shape: Wire, count: Wire) -> Wire:
    """A list of items that nothing wrote yet."""
    dtype = item_dtype(op.element_dtype)
    dims = w.emit("Concat", w.vector(count), w.longs(*blank(shape)), axis=0)
    zeros = w.emit("Expand", w.zero(dtype), dims)
    made = w.emit("SplitToSequence", zeros, dtype=dt.variant, axis=0, keepdims=0)
    return sequence(made, dtype)


def blank(shape: Wire) -> list[int]:
    """The shape of an item that nothing wrote: that of all items where it is known."""
    dims = shape.known
    if isinstance(dims, tuple) and all(isinstance(d, int) and d >= 0 for d in dims):
        return [int(d) for d in dims]
    return [0]


@counterpart("TensorListFromTensor", onnx="SplitToSequence")
def of_tensor(w: GraphWriter, op: Op, tensor: Wire, shape: Wire) -> Wire:
    """The slices of a tensor as a list."""
    made = w.emit("SplitToSequence", tensor, dtype=dt.variant, axis=0, keepdims=0)
    return sequence(made, tensor.dtype)


@counterpart("TensorListSetItem", onnx="SequenceErase, SequenceInsert")
def set_item(w: GraphWriter, op: TensorListSetItem, handle: Wire, index: Wire, item: Wire) -> Wire:
    """A list with another item at a place."""
    place = w.scalar(index)
    shorter = w.emit("SequenceErase", handle, place, dtype=dt.variant)
    if op.resize_if_index_out_of_bounds:
        raise NoCounterpart("a sequence of ONNX does not grow to a place")
    made = w.emit("SequenceInsert", shorter, item, place, dtype=dt.variant)
    return sequence(made, handle.item)


@counterpart("TensorListGetItem", onnx="SequenceAt")
def get_item(w: GraphWriter, op: TensorListGetItem, handle: Wire, index: Wire, shape: Wire) -> Wire:
    """The item at a place."""
    return w.emit("SequenceAt", handle, w.scalar(index), dtype=op.element_dtype)


@counterpart("TensorListPushBack", onnx="SequenceInsert")
def push_back(w: GraphWriter, op: Op, handle: Wire, item: Wire) -> Wire:
    """A list with one more item."""
    made = w.emit("SequenceInsert", handle, item, dtype=dt.variant)
    return sequence(made, handle.item)


@counterpart("TensorListPopBack", onnx="SequenceAt, SequenceErase")
def pop_back(w: GraphWriter, op: TensorListPopBack, handle: Wire, shape: Wire) -> list[Wire]:
    """A list without its last item, and that."""
    last = w.constant(-1, dt.int64)
    item = w.emit("SequenceAt", handle, last, dtype=op.element_dtype)
    made = w.emit("SequenceErase", handle, last, dtype=dt.variant)
    return [sequence(made, handle.item), item]


@counterpart("TensorListLength", onnx="SequenceLength")
def length(w: GraphWriter, op: Op, handle: Wire) -> Wire:
    """How many items there are."""
    return w.cast(w.emit("SequenceLength", handle, dtype=dt.int64), dt.int32)


@counterpart("TensorListStack", onnx="SequenceInsert, ConcatFromSequence, Slice",
             note="of no items, only where the shape of items is known")  # fmt: skip
def stack(w: GraphWriter, op: TensorListStack, handle: Wire, shape: Wire) -> Wire:
    """The items along a new axis."""
    options: dict[str, Any] = {"axis": 0, "new_axis": 1}
    dims = shape.known
    if not isinstance(dims, tuple) or not all(isinstance(d, int) and d >= 0 for d in dims):
        return w.emit("ConcatFromSequence", handle, dtype=op.element_dtype, **options)
    first = w.emit("Expand", w.zero(op.element_dtype), w.longs(*dims))
    longer = w.emit("SequenceInsert", handle, first, w.constant(0, dt.int64), dtype=dt.variant)
    whole = w.emit("ConcatFromSequence", longer, dtype=op.element_dtype, **options)
    return w.emit("Slice", whole, w.longs(1), w.longs((1 << 63) - 1), w.longs(0))
