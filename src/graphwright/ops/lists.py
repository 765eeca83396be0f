"""Lists of tensors as one value of dtype variant: what TensorArrays and loops' gradients hold.

A list is immutable to whoever holds it. Versions of a list share a store, which has the items
of the newest and a log of what changed. So changing the newest version costs O(1), and an
older one that somebody still uses is copied out then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.errors import InvalidArgumentError
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes, c_name, not_differentiable
from graphwright.ops.creation import zeros, zeros_like
from graphwright.ops.shape import shape_of
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, merge_dims, show_dims

HANDLE = TensorType(dt.variant, ())
_LOCK = threading.Lock()  # two threads may go on from one version
_LOG = 64  # changes that a store remembers, beyond one for each item

class Store:
    """The items of the newest version, and what to undo to get the older ones.

    An entry of the log is (index, old item), (_GREW, old size) or (_SHRANK, lost items);
    version n of the list is the items with all entries after the first n undone.
    """

    __slots__ = ("blank", "items", "log")

    def __init__(self, items: list[Any], blank: bool = False) -> None:
        self.items = items
        self.blank = blank  # whether all were None to begin with: the log tells which are not
        self.log: list[tuple[int, Any]] = []

    def at(self, version: int) -> list[Any]:
        """A copy of the items as they were in a version."""
        items = self.items.copy()
        for place, old in reversed(self.log[version:]):
            if place == _GREW:
                del items[old:]
            elif place == _SHRANK:
                items.extend(old)
            else:
                items[place] = old
        return items


_GREW, _SHRANK = -1, -2


class TensorList:
    """One version of a list of arrays of one dtype; items not written yet are None.

    `dims` is what is known of all items' shape. `dtype` and `tensor_type` say to the eager
    interpreter what kind of operand this is.
    """

    __slots__ = ("_store", "_version", "dims", "element_dtype", "limit")
    dtype = dt.variant
    shape = ()
    tensor_type = HANDLE

    def __init__(
        self,
        items: list[Any],
        element_dtype: DType,
        dims: Dims | None,
        limit: int | None = None,
        blank: bool = False,
    ) -> None:
        self._store = Store(items, blank)
        self._version = 0
        self.element_dtype = element_dtype
        self.dims = dims
        self.limit = limit

    def _own(self) -> Store:
        """A store of which this is the newest version; the lock is held."""
        store = self._store
        if self._version != len(store.log):
            store = self._store = Store(store.at(self._version))
            self._version = 0
        return store

    @property
    def items(self) -> list[Any]:
        """The items; not to be changed by whoever asks."""
        store = self._store
        if self._version == len(store.log):
            return store.items
        with _LOCK:
            return self._own().items

    @property
    def written(self) -> set[int] | None:
        """The places of all items that were written, if it takes no search to tell."""
        store = self._store
        if not store.blank:
            return None
        return {place for place, _ in store.log[: self._version] if place >= 0}

    def get(self, index: int) -> Any:
        """The item at a place that exists."""
        store = self._store
        item = store.items[index] if index < len(store.items) else None
        if self._version == len(store.log):  # still: another thread may go on from here
            return item
        return self.items[index]

    def _changed(self, place: int, value: Any) -> TensorList:
        """The next version: an item set, the list grown or cut to a size."""
        newer = TensorList.__new__(TensorList)
        newer.element_dtype, newer.dims, newer.limit = self.element_dtype, self.dims, self.limit
        with _LOCK:
            store = self._own()
            items, log = store.items, store.log
            if len(log) > len(items) + _LOG:  # forget what led here; costs O(1) on average
                store = Store(items.copy())
                items, log = store.items, store.log
            if place < 0:
                store.blank = False
            if place == _GREW:
                log.append((_GREW, len(items)))
                items.extend(value)
            elif place == _SHRANK:
                log.append((_SHRANK, items[value:]))
                del items[value:]
            else:
                log.append((place, items[place]))
                items[place] = value
            newer._store = store
            newer._version = len(log)
        return newer

    def set(self, index: int, item: Any) -> TensorList:
        """The list with another item at a place that exists."""
        return self._changed(index, item)

    def push(self, item: Any) -> TensorList:
        """The list with one more item."""
        return self._changed(_GREW, (item,))

    def resize(self, size: int) -> TensorList:
        """The list cut, or filled up with unwritten items."""
        missing = size - len(self)
        if missing < 0:
            return self._changed(_SHRANK, size)
        return self._changed(_GREW, (None,) * missing)

    def like(self, items: list[Any]) -> TensorList:
        """A list of other items of the same kind."""
        return TensorList(items, self.element_dtype, self.dims, self.limit)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return "<TensorList>"


# -- what the ops have in common ----------------------------------------------------------------


def refuse(message: str) -> InvalidArgumentError:
    """The error of a list op."""
    return InvalidArgumentError(None, None, message)


def known_dims(element_shape: Any) -> Dims | None:
    """An `element_shape` operand, in which -1 means unknown, as dims."""
    if not isinstance(element_shape, tuple):
        if element_shape not in (-1, None):
            raise ValueError(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1, "
                f"not {element_shape}"
            )
        return None
    return tuple([None if d is None or d < 0 else d for d in element_shape])


def host_shape(dims: Dims | None) -> Any:
    """Dims as the operand `element_shape`."""
    return -1 if dims is None else tuple([-1 if d is None else d for d in dims])


def check_dtype(items: TensorList, dtype: DType) -> None:
    """InvalidArgumentError unless the list holds tensors of this dtype."""
    if items.element_dtype is not dtype:
        raise refuse(
            f"Invalid data types; op elements {c_name(dtype)} but list elements "
            f"{c_name(items.element_dtype)}"
        )


def merged(a: Dims | None, b: Dims | None) -> Dims | None:
    """What is known of a shape when both hold; InvalidArgumentError if they do not agree."""
    try:
        return merge_dims(a, b)
    except ValueError:
        raise refuse(
            f"PartialTensorShape: Incompatible shapes during merge: {show_dims(a)} vs. "
            f"{show_dims(b)}"
        ) from None


def element_dims(items: TensorList, asked: Dims | None) -> Dims | None:
    """What is known of the items' shape, from all that says something about it."""
    dims = merged(asked, items.dims)
    if dims is None or None in dims:
        for item in items.items:
            if item is not None:
                dims = merged(dims, np.shape(item))
    return dims


def blank(items: TensorList, dims: Dims | None, message: str) -> Any:
    """The value of an item that was never written: zeros, where the shape is known."""
    if dims is None or None in dims:
        raise refuse(message.format(show_dims(dims)))
    return zeros_of(items.element_dtype, dims)


def zeros_of(dtype: DType, dims: Dims) -> Any:
    """An array of zeros (of empty strings)."""
    if dtype is dt.string:
        return np.full(dims, b"", dtype=object)
    return np.zeros(dims, dtype.numpy_dtype)


def filled(items: TensorList, asked: Dims | None, message: str) -> list[Any]:
    """All items, those never written as zeros."""
    found = items.items
    if None not in map(type_or_none, found):
        return found
    dims = element_dims(items, asked)
    return [blank(items, dims, message) if item is None else item for item in found]


def zero_of(x: Any) -> Any:
    """Zeros like a tensor or a list."""
    if x.dtype is dt.variant:
        return apply(ZEROS_LIKE, x)
    return zeros(x.type.dims, x.dtype) if x.type.is_static else zeros_like(x)


def type_or_none(item: Any) -> Any:
    """None for None: a look-up that does not compare arrays."""
    return None if item is None else True


def item_at(items: TensorList, index: Any, asked: Any, dtype: DType) -> Any:
    """One item, or the zeros that stand for it."""
    check_dtype(items, dtype)
    size = len(items)
    if not 0 <= index < size:
        raise refuse(f"Trying to access element {index} in a list with {size} elements.")
    item = items.get(index)
    if item is not None:
        return item
    return blank(
        items,
        element_dims(items, known_dims(asked)),
        "Trying to read an uninitialized tensor but element_shape is not fully defined: {} and "
        "no list element is set.",
    )


def stacked(rows: Sequence[Any], dims: Dims | None, dtype: DType) -> Any:
    """Items of one shape as one array."""
    for row in rows:
        dims = merged(dims, np.shape(row))
    if not rows:
        if dims is None or None in dims:
            raise refuse(
                "Tried to stack elements of an empty list with non-fully-defined element_shape: "
                f"{show_dims(dims)}"
            )
        return zeros_of(dtype, (0, *dims))
    shape = np.shape(rows[0])
    if not shape and dtype is dt.string:
        return np.array([np.asarray(row)[()] for row in rows], dtype=object)
    if not shape:
        return np.array(rows, dtype.numpy_dtype)
    return np.concatenate(rows).reshape(len(rows), *shape)  # np.stack takes 4 times as long


_STACK_BLANK = (
    "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
    "element_shape: {}"
)

_SHAPE = {"shape_type": dt.INDEX}
_ELEMENT = {"element_dtype": dt.ANY, "shape_type": dt.INDEX}


# -- making lists -------------------------------------------------------------------------------


@dataclass(frozen=True)
class EmptyTensorList(Op):
    """A list without items that takes at most `max_num_elements` (any number for -1)."""

    type_name = "EmptyTensorList"
    inputs = ("element_shape: shape_type host", "max_num_elements: int32 host")
    outputs = ("handle: variant",)
    dtypes = _SHAPE
    gradient = not_differentiable

    element_dtype: DType

    def shapes(self, element_shape: Any, max_num_elements: Any) -> Shapes:
        return ((),)

    def kernel(self, element_shape: Any, max_num_elements: Any) -> Any:
        limit = None if max_num_elements < 0 else max_num_elements
        return TensorList([], self.element_dtype, known_dims(element_shape), limit)


@dataclass(frozen=True)
class TensorListReserve(Op):
    """A list of `num_elements` items that are not written yet."""

    type_name = "TensorListReserve"
    inputs = ("element_shape: shape_type host", "num_elements: int32 host")
    outputs = ("handle: variant",)
    dtypes = _SHAPE
    gradient = not_differentiable

    element_dtype: DType

    def shapes(self, element_shape: Any, num_elements: Any) -> Shapes:
        return ((),)

    def kernel(self, element_shape: Any, num_elements: Any) -> Any:
        if num_elements < 0:
            raise refuse(
                "The num_elements to reserve must be a non negative number, but got "
                f"{num_elements}"
            )
        dims = known_dims(element_shape)
        return TensorList([None] * num_elements, self.element_dtype, dims, None, True)


@dataclass(frozen=True)
class TensorListFromTensor(Op):
    """The rows of a tensor as a list."""

    type_name = "TensorListFromTensor"
    inputs = ("tensor: element_dtype", "element_shape: shape_type host")
    outputs = ("output_handle: variant",)
    dtypes = _ELEMENT

    def shapes(self, tensor: TensorType, element_shape: Any) -> Shapes:
        if tensor.rank == 0:
            raise ValueError("Tensor must be at least a vector, but saw shape: []")
        return ((),)

    def kernel(self, tensor: Any, element_shape: Any) -> Any:
        dims = known_dims(element_shape)
        if not tensor.shape:
            raise refuse("Tensor must be at least a vector, but saw shape: []")
        if not is_compatible(tensor.shape[1:], dims):
            raise refuse(
                f"Specified a list with shape {show_dims(dims)} from a tensor with shape "
                f"{show_dims(tensor.shape[1:])}"
            )
        return TensorList(list(tensor), dt.of_numpy(tensor.dtype), merged(dims, tensor.shape[1:]))

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        dims = call.inputs[0].type.dims
        op = TensorListStack.of(call.inputs[0].dtype, -1 if dims is None else dims[0] or -1)
        return apply(op, g, call.inputs[1]), None


# -- one item -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TensorListSetItem(Op):
    """The list with another item at `index`."""

    type_name = "TensorListSetItem"
    inputs = ("input_handle: variant", "index: int32", "item: element_dtype")
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    resize_if_index_out_of_bounds: bool = False

    def shapes(self, handle: TensorType, index: TensorType, item: TensorType) -> Shapes:
        return ((),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[2]
        grow = self.resize_if_index_out_of_bounds

        def write(items: TensorList, index: Any, item: Any) -> TensorList:
            index = int(index)
            if items.element_dtype is not dtype:
                check_dtype(items, dtype)
            size = len(items)
            if not 0 <= index < size:
                if index < 0 or not grow:
                    raise refuse(
                        f"Trying to modify element {index} in a list with {size} elements."
                    )
                items = items.resize(index + 1)
            if items.dims is not None and not is_compatible(item.shape, items.dims):
                raise refuse(
                    "Tried to set a tensor with incompatible shape at a list index. Item element "
                    f"shape: {show_dims(item.shape)} list shape: {show_dims(items.dims)}"
                )
            return items.set(index, item)

        return write

    def kernel(self, items: Any, index: Any, item: Any) -> Any:
        return self.bind((dt.variant, dt.int32, items.element_dtype))(items, index, item)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        _, index, item = call.inputs
        rows = apply(TensorListGetItem.of(item.dtype), g, index, shape_of(item))
        rest = apply(TensorListSetItem.of(False), g, index, zero_of(item))
        if self.resize_if_index_out_of_bounds:
            size = apply(LENGTH, call.inputs[0])
            rest = apply(RESIZE, rest, size)
        return rest, None, rows


@dataclass(frozen=True)
class TensorListGetItem(Op):
    """The item at `index`."""

    type_name = "TensorListGetItem"
    inputs = ("input_handle: variant", "index: int32", "element_shape: int32 host")
    outputs = ("item: element_dtype",)

    element_dtype: DType

    def shapes(self, handle: TensorType, index: TensorType, element_shape: Any) -> Shapes:
        return (known_dims(element_shape),)

    def kernel(self, items: Any, index: Any, element_shape: Any) -> Any:
        return item_at(items, int(index), element_shape, self.element_dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        handle, index, element_shape = call.inputs
        size = apply(LENGTH, handle)
        empty = apply(TensorListReserve.of(self.element_dtype), element_shape, size)
        return apply(TensorListSetItem.of(False), empty, index, g), None, None


@dataclass(frozen=True)
class TensorListPushBack(Op):
    """The list with one more item at its end."""

    type_name = "TensorListPushBack"
    inputs = ("input_handle: variant", "tensor: element_dtype")
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    def shapes(self, handle: TensorType, tensor: TensorType) -> Shapes:
        return ((),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        dtype = types[1]

        def push(items: TensorList, item: Any) -> TensorList:
            if items.element_dtype is not dtype:
                check_dtype(items, dtype)
            if items.limit is not None and len(items) >= items.limit:
                raise refuse(
                    f"Tried to push item into a full list list size: {len(items)} "
                    f"max_num_elements: {items.limit}"
                )
            if items.dims is not None and not is_compatible(item.shape, items.dims):
                raise refuse(
                    "Tried to append a tensor with incompatible shape to a list. Op element "
                    f"shape: {show_dims(item.shape)} list shape: {show_dims(items.dims)}"
                )
            return items.push(item)

        return push

    def kernel(self, items: Any, item: Any) -> Any:
        return self.bind((dt.variant, items.element_dtype))(items, item)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        item = call.inputs[1]
        rest, last = apply(TensorListPopBack.of(item.dtype), g, shape_of(item))
        return rest, last


@dataclass(frozen=True)
class TensorListPopBack(Op):
    """The list without its last item, and that item."""

    type_name = "TensorListPopBack"
    inputs = ("input_handle: variant", "element_shape: int32 host")
    outputs = ("output_handle: variant", "tensor: element_dtype")

    element_dtype: DType

    def shapes(self, handle: TensorType, element_shape: Any) -> Shapes:
        return (), known_dims(element_shape)

    def kernel(self, items: Any, element_shape: Any) -> Any:
        size = len(items)
        if not size:
            raise refuse("Trying to pop from an empty list.")
        item = item_at(items, size - 1, element_shape, self.element_dtype)
        return items.resize(size - 1), item

    def gradient(self, call: Call, g_list: Any, g_item: Any) -> Sequence[Any]:
        item = call.outputs[1]
        if g_item is None:
            g_item = zero_of(item)
        if g_list is None:
            size = apply(LENGTH, call.outputs[0])
            g_list = apply(TensorListReserve.of(item.dtype), call.inputs[1], size)
        return apply(PUSH_BACK, g_list, g_item), None


# -- the whole list -----------------------------------------------------------------------------


@dataclass(frozen=True)
class TensorListLength(Op):
    """The number of items."""

    type_name = "TensorListLength"
    inputs = ("input_handle: variant",)
    outputs = ("length: int32",)
    gradient = not_differentiable

    def shapes(self, handle: TensorType) -> Shapes:
        return ((),)

    def kernel(self, items: Any) -> Any:
        return np.int32(len(items))


@dataclass(frozen=True)
class TensorListElementShape(Op):
    """What is known of the items' shape, -1 for unknown."""

    type_name = "TensorListElementShape"
    inputs = ("input_handle: variant",)
    outputs = ("element_shape: shape_type",)
    gradient = not_differentiable

    shape_type: DType

    def shapes(self, handle: TensorType) -> Shapes:
        return (None,)

    def kernel(self, items: Any) -> Any:
        return np.array(host_shape(items.dims), self.shape_type.numpy_dtype)


@dataclass(frozen=True)
class TensorListResize(Op):
    """The list cut to `size` items, or filled up with unwritten ones."""

    type_name = "TensorListResize"
    inputs = ("input_handle: variant", "size: int32 host")
    outputs = ("output_handle: variant",)

    def shapes(self, handle: TensorType, size: Any) -> Shapes:
        return ((),)

    def kernel(self, items: Any, size: Any) -> Any:
        if size < 0:
            raise refuse(f"TensorListSlice expects size to be non-negative. Got: {size}")
        return items.resize(size)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return apply(RESIZE, g, apply(LENGTH, call.inputs[0])), None


@dataclass(frozen=True)
class TensorListStack(Op):
    """All items as one tensor of one more axis in front; unwritten ones are zeros."""

    type_name = "TensorListStack"
    inputs = ("input_handle: variant", "element_shape: int32 host")
    outputs = ("tensor: element_dtype",)

    element_dtype: DType
    num_elements: int = -1

    def shapes(self, handle: TensorType, element_shape: Any) -> Shapes:
        dims = known_dims(element_shape)
        size = None if self.num_elements < 0 else self.num_elements
        return (None if dims is None else (size, *dims),)

    def kernel(self, items: Any, element_shape: Any) -> Any:
        check_dtype(items, self.element_dtype)
        if self.num_elements >= 0 and len(items) != self.num_elements:
            raise refuse(
                f"Operation expected a list with {self.num_elements} elements but got a list "
                f"with {len(items)} elements."
            )
        asked = merged(known_dims(element_shape), items.dims)
        return stacked(filled(items, asked, _STACK_BLANK), asked, self.element_dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return apply(FROM_TENSOR, g, call.inputs[1]), None


@dataclass(frozen=True)
class TensorListGather(Op):
    """The items at `indices` as one tensor."""

    type_name = "TensorListGather"
    inputs = ("input_handle: variant", "indices: int32", "element_shape: int32 host")
    outputs = ("values: element_dtype",)

    element_dtype: DType

    def shapes(self, handle: TensorType, indices: TensorType, element_shape: Any) -> Shapes:
        dims = known_dims(element_shape)
        size = None if indices.dims is None else indices.dims[0]
        return (None if dims is None else (size, *dims),)

    def kernel(self, items: Any, indices: Any, element_shape: Any) -> Any:
        check_dtype(items, self.element_dtype)
        size = len(items)
        for index in indices.tolist():
            if not 0 <= index < size:
                raise refuse(f"Index {index} out o range; list only has {size} elements.")
        asked = merged(known_dims(element_shape), items.dims)
        chosen = [items.items[i] for i in indices.tolist()]
        if any(item is None for item in chosen):
            dims = element_dims(items, asked)
            message = _STACK_BLANK.replace("stack", "gather")
            chosen = [blank(items, dims, message) if v is None else v for v in chosen]
        return stacked(chosen, asked, self.element_dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        handle, indices, element_shape = call.inputs
        op = TensorListScatterV2.of()
        return apply(op, g, indices, element_shape, apply(LENGTH, handle)), None, None


@dataclass(frozen=True)
class TensorListScatterV2(Op):
    """A list of `num_elements` items (as many as needed for -1) with rows at `indices`."""

    type_name = "TensorListScatterV2"
    inputs = (
        "tensor: element_dtype",
        "indices: int32",
        "element_shape: shape_type host",
        "num_elements: int32 host",
    )
    outputs = ("output_handle: variant",)
    dtypes = _ELEMENT

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, tensor: Any, indices: Any, element_shape: Any, num_elements: Any) -> Any:
        size = num_elements if num_elements >= 0 else int(indices.max(initial=-1)) + 1
        dims = merged(known_dims(element_shape), tensor.shape[1:])
        items = TensorList([None] * size, dt.of_numpy(tensor.dtype), dims)
        return scattered(items, tensor, indices)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        tensor, indices = call.inputs[:2]
        rows = apply(TensorListGather.of(tensor.dtype), g, indices, call.inputs[2])
        return rows, None, None, None


@dataclass(frozen=True)
class TensorListScatterIntoExistingList(Op):
    """The list with rows of a tensor at `indices`; it grows where it must."""

    type_name = "TensorListScatterIntoExistingList"
    inputs = ("input_handle: variant", "tensor: element_dtype", "indices: int32")
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, items: Any, tensor: Any, indices: Any) -> Any:
        check_dtype(items, dt.of_numpy(tensor.dtype))
        merged(items.dims, tensor.shape[1:])
        size = max(len(items), int(indices.max(initial=-1)) + 1)
        return scattered(items.resize(size), tensor, indices)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        handle, tensor, indices = call.inputs
        rows = apply(TensorListGather.of(tensor.dtype), g, indices, -1)
        rest = apply(SCATTER_INTO, g, zero_of(tensor), indices)
        return apply(RESIZE, rest, apply(LENGTH, handle)), rows, None


def scattered(items: TensorList, tensor: Any, indices: Any) -> TensorList:
    """The list with rows of a tensor at `indices`."""
    new = items.items.copy()
    if len(indices) != len(tensor):
        raise refuse(
            f"Invalid number of rows in input tensor. Expected {len(indices)} Actual {len(tensor)}"
        )
    for index, row in zip(indices.tolist(), tensor):
        if index < 0:
            raise refuse(f"Indices in TensorListScatter must all be non-negative, got {index}.")
        if index >= len(new):
            raise refuse(f"Trying to scatter at index {index} in list with size {len(new)}")
        new[index] = row
    return items.like(new)


@dataclass(frozen=True)
class TensorListConcatV2(Op):
    """All items joined along their first axis, and how long each was."""

    type_name = "TensorListConcatV2"
    inputs = ("input_handle: variant", "element_shape: shape_type host", "leading_dims: int64 host")
    outputs = ("tensor: element_dtype", "lengths: int64")
    dtypes = _SHAPE

    element_dtype: DType

    def shapes(self, handle: TensorType, element_shape: Any, leading_dims: Any) -> Shapes:
        dims = known_dims(element_shape)
        return (None if dims is None or not dims else (None, *dims[1:])), (None,)

    def kernel(self, items: Any, element_shape: Any, leading_dims: Any) -> Any:
        check_dtype(items, self.element_dtype)
        rows = []
        for i, item in enumerate(items.items):
            rows.append(self.row(items, i, item, known_dims(element_shape), leading_dims))
        lengths = np.array([len(row) for row in rows], np.int64)
        if not rows:
            dims = merged(known_dims(element_shape), items.dims)
            if not dims or None in dims[1:]:
                raise refuse(
                    "All except the first dimension must be fully defined when concating an "
                    f"empty tensor list. element_shape: {show_dims(dims)}"
                )
            return zeros_of(self.element_dtype, (0, *dims[1:])), lengths
        return np.concatenate(rows), lengths

    def row(self, items: Any, i: int, item: Any, asked: Dims | None, leading: Any) -> Any:
        """Item `i`, zeros if it is not written and its length is known."""
        if item is None:
            dims = element_dims(items, asked)
            if dims is not None and None not in dims:
                return zeros_of(self.element_dtype, dims)
            if i >= len(leading):
                raise refuse(
                    f"List contains uninitialized tensor at index {i} but leading_dims has only "
                    f"{len(leading)} elements."
                )
            return blank(items, (leading[i], *(dims or ())[1:]), _STACK_BLANK)
        if not item.shape:
            raise refuse(
                f"Concat saw a scalar shape at index {i} but requires at least vectors."
            )
        return item

    def gradient(self, call: Call, g: Any, *rest: Any) -> Sequence[Any]:
        return apply(TensorListSplit.of(), g, call.inputs[1], call.outputs[1]), None, None


@dataclass(frozen=True)
class TensorListSplit(Op):
    """Consecutive pieces of a tensor, as long as `lengths` says, as a list."""

    type_name = "TensorListSplit"
    inputs = ("tensor: element_dtype", "element_shape: shape_type host", "lengths: int64")
    outputs = ("output_handle: variant",)
    dtypes = _ELEMENT

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, tensor: Any, element_shape: Any, lengths: Any) -> Any:
        if not tensor.shape:
            raise refuse("Tensor must be at least a vector, but saw shape: []")
        ends = np.cumsum(lengths)
        used = int(ends[-1]) if len(ends) else 0
        if (lengths < 0).any():
            raise refuse(f"Invalid value in lengths: {int(lengths.min())}")
        if used > len(tensor):
            raise refuse(
                "Attempting to slice [0, ...] beyond the end of the tensor: lengths add up to "
                f"{used}, the tensor has {len(tensor)} rows"
            )
        if used < len(tensor):
            raise refuse(
                f"Unused values in tensor. Length of tensor: {len(tensor)} Values used: {used}"
            )
        pieces = np.split(tensor, ends[:-1]) if len(ends) else []
        dims = merged(known_dims(element_shape), (None, *tensor.shape[1:]))
        return TensorList(pieces, dt.of_numpy(tensor.dtype), dims)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        tensor, element_shape, lengths = call.inputs
        op = TensorListConcatV2.of(tensor.dtype)
        return apply(op, g, element_shape, lengths)[0], None, None


@dataclass(frozen=True)
class TensorListConcatLists(Op):
    """The items of one list, then those of another."""

    type_name = "TensorListConcatLists"
    inputs = ("input_a: variant", "input_b: variant")
    outputs = ("output: variant",)

    element_dtype: DType

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        return ((),)

    def kernel(self, a: Any, b: Any) -> Any:
        check_dtype(a, self.element_dtype)
        check_dtype(b, self.element_dtype)
        return TensorList(a.items + b.items, self.element_dtype, merged(a.dims, b.dims))


# -- cotangents of lists ------------------------------------------------------------------------


@dataclass(frozen=True)
class TensorListZerosLike(Op):
    """A list of as many zeros of the items' shapes: items that are not written."""

    type_name = "ZerosLike"
    inputs = ("x: variant",)
    outputs = ("y: variant",)
    gradient = not_differentiable

    def shapes(self, x: TensorType) -> Shapes:
        return ((),)

    def kernel(self, items: Any) -> Any:
        shapes = {np.shape(item) for item in items.items if item is not None}
        if len(shapes) < 2:
            dims = merged(items.dims, shapes.pop() if shapes else None)
            return TensorList([None] * len(items), items.element_dtype, dims, None, True)
        blanks = [
            None if item is None else zeros_of(items.element_dtype, np.shape(item))
            for item in items.items
        ]
        return TensorList(blanks, items.element_dtype, items.dims)


@dataclass(frozen=True)
class TensorListAddN(Op):
    """Two lists added item by item; what is not written counts as zero."""

    type_name = "AddN"
    inputs = ("inputs: variant*",)
    outputs = ("sum: variant",)

    def shapes(self, *inputs: TensorType) -> Shapes:
        return ((),)

    def kernel(self, total: Any, *others: Any) -> Any:
        for other in others:
            if len(total) != len(other):
                raise refuse(
                    "Trying to add two lists of tensors with different lengths. One is "
                    f"{len(total)} and the other is {len(other)}"
                )
            if total.written is not None and other.written is None:
                total, other = other, total
            total = added(total, other)
        return total

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (g,) * len(call.inputs)


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


def add_lists(a: Any, b: Any) -> Any:
    """The sum of two cotangents of a list."""
    return apply(TensorListAddN.of(), a, b)


LENGTH = TensorListLength()
ZEROS_LIKE = TensorListZerosLike()
RESIZE = TensorListResize()
PUSH_BACK = TensorListPushBack()
FROM_TENSOR = TensorListFromTensor()
SCATTER_INTO = TensorListScatterIntoExistingList()
