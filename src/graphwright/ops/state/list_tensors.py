"""Ops between tensors and tensor lists: rows, gathered rows, and pieces of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each, Same
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.gathering import scatter_nd
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.shapes import shape
from graphwright.ops.state.list_ops import (
    LENGTH,
    RESIZE,
    longer_items,
    stacked_list,
    swapped,
    zero_of,
)
from graphwright.ops.state.tensor_list import (
    ElementShape,
    TensorList,
    blank,
    check_dtype,
    element_dims,
    filled,
    known_dims,
    merged,
    refuse,
    zeros_of,
)
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import (
    Dims,
    TensorType,
    is_compatible,
    num_elements,
    show_dims,
)


def stacked(rows: Sequence[Array], dims: Dims | None, dtype: DType) -> Any:
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
    "element_shape: {}. `array = array.write(i, value)` keeps the array that has the value"
)

_SHAPE = {"shape_type": dt.INDEX}
_ELEMENT = {"element_dtype": dt.ANY, "shape_type": dt.INDEX}


class TensorListFromTensor(Op):
    """The rows of a tensor as a list."""

    type_name = "TensorListFromTensor"
    inputs = ("tensor: element_dtype", "element_shape: shape_type host")
    outputs = ("output_handle: variant",)
    dtypes = _ELEMENT
    differs = True

    def shapes(self, tensor: TensorType, element_shape: ElementShape) -> Shapes:
        if tensor.rank == 0:
            raise ValueError("Tensor must be at least a vector, but saw shape: []")
        return ((),)

    def kernel(self, tensor: Array, element_shape: ElementShape) -> Any:
        dims = known_dims(element_shape)
        if not tensor.shape:
            raise refuse("Tensor must be at least a vector, but saw shape: []")
        if not is_compatible(tensor.shape[1:], dims):
            raise refuse(
                f"Specified a list with shape {show_dims(dims)} from a tensor with shape "
                f"{show_dims(tensor.shape[1:])}"
            )
        merged_dims = merged(dims, tensor.shape[1:])
        items = TensorList(list(tensor), dt.of_numpy(tensor.dtype), merged_dims)
        items.rows = tensor
        return items

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        dims = call.inputs[0].type.dims
        op = TensorListStack.of(call.inputs[0].dtype, -1 if dims is None else dims[0] or -1)
        return apply(op, g, call.inputs[1]), None

    def batched(self, each: Each) -> Any:
        return apply(self, swapped(each.full(0)), longer_items(each, each.same(1)))


class TensorListStack(Op):
    """All items as one tensor of one more axis in front; unwritten ones are zeros."""

    type_name = "TensorListStack"
    inputs = ("input_handle: variant", "element_shape: int32 host")
    behind = TensorList
    outputs = ("tensor: element_dtype",)

    element_dtype: DType
    num_elements: int = -1

    def shapes(self, handle: TensorType, element_shape: ElementShape) -> Shapes:
        dims = known_dims(element_shape)
        size = None if self.num_elements < 0 else self.num_elements
        return (None if dims is None else (size, *dims),)

    def kernel(self, items: TensorList, element_shape: ElementShape) -> Any:
        check_dtype(items, self.element_dtype)
        if self.num_elements != -1 and len(items) != self.num_elements:
            raise refuse(
                f"Operation expected a list with {self.num_elements} elements but got a list "
                f"with {len(items)} elements."
            )
        dims = merged(known_dims(element_shape), items.dims)
        return stacked(filled(items, dims, _STACK_BLANK), dims, self.element_dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(FROM_TENSOR, g, call.inputs[1]), None

    def batched(self, each: Each) -> Any:
        shape = longer_items(each, each.same(1))
        return swapped(apply(self, stacked_list(each), shape))


class TensorListGather(Op):
    """The items at `indices` as one tensor."""

    type_name = "TensorListGather"
    inputs = ("input_handle: variant", "indices: int32", "element_shape: int32 host")
    behind = TensorList
    outputs = ("values: element_dtype",)

    element_dtype: DType

    def shapes(
        self, handle: TensorType, indices: TensorType, element_shape: ElementShape
    ) -> Shapes:
        dims = known_dims(element_shape)
        size = num_elements(indices.dims)
        return (None if dims is None else (size, *dims),)

    def kernel(self, items: TensorList, indices: Array, element_shape: ElementShape) -> Any:
        check_dtype(items, self.element_dtype)
        size = len(items)
        places = indices.reshape(-1).tolist()
        for index in places:
            if not 0 <= index < size:
                raise refuse(f"Index {index} out o range; list only has {size} elements.")
        known = merged(known_dims(element_shape), items.dims)
        stored = items.items
        chosen = [stored[i] for i in places]
        if any(item is None for item in chosen):
            dims = element_dims(items, known)
            message = _STACK_BLANK.replace("stack", "gather")
            chosen = [blank(items, dims, message) if v is None else v for v in chosen]
        return stacked(chosen, known, self.element_dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        handle, indices, element_shape = call.inputs
        # Rows of an index that is there twice add up, which a scattered list would not do.
        size = reshape(apply(LENGTH, handle), (1,))
        rows = scatter_nd(expand_dims(indices, 1), g, concat([size, shape(g)[1:]], 0))
        return apply(FROM_TENSOR, rows, element_shape), None, None

    def batched(self, each: Each) -> Any:
        shape = longer_items(each, each.same(2))
        return swapped(apply(self, stacked_list(each), each.same(1), shape))


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

    def kernel(
        self, tensor: Array, indices: Array, element_shape: ElementShape, num_elements: int
    ) -> Any:
        if num_elements < -1:
            raise refuse(f"num_elements must be -1 or more, got {num_elements}")
        size = num_elements if num_elements >= 0 else int(indices.max(initial=-1)) + 1
        dims = merged(known_dims(element_shape), tensor.shape[1:])
        items = TensorList([None] * size, dt.of_numpy(tensor.dtype), dims)
        return scattered(items, tensor, indices)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        tensor, indices = call.inputs[:2]
        rows = apply(TensorListGather.of(tensor.dtype), g, indices, call.inputs[2])
        return rows, None, None, None

    def batched(self, each: Each) -> Any:
        dims = longer_items(each, each.same(2))
        return apply(self, swapped(each.full(0)), each.same(1), dims, each.same(3))


class TensorListScatterIntoExistingList(Op):
    """The list with rows of a tensor at `indices`; it grows where it must."""

    type_name = "TensorListScatterIntoExistingList"
    inputs = ("input_handle: variant", "tensor: element_dtype", "indices: int32")
    behind = TensorList
    outputs = ("output_handle: variant",)
    dtypes = {"element_dtype": dt.ANY}

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList, tensor: Array, indices: Array) -> Any:
        check_dtype(items, dt.of_numpy(tensor.dtype))
        if indices.ndim != 1:
            raise refuse(f"indices must be a vector, got shape {show_dims(indices.shape)}")
        merged(items.dims, tensor.shape[1:])
        size = max(len(items), int(indices.max(initial=-1)) + 1)
        return scattered(items.resize(size), tensor, indices)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        handle, tensor, indices = call.inputs
        rows = apply(TensorListGather.of(tensor.dtype), g, indices, -1)
        rest = apply(SCATTER_INTO, g, zero_of(tensor), indices)
        return apply(RESIZE, rest, apply(LENGTH, handle)), rows, None

    def batched(self, each: Each) -> Any:
        return apply(self, stacked_list(each), swapped(each.full(1)), each.same(2))


def scattered(items: TensorList, tensor: Array, indices: Array) -> TensorList:
    """The list with rows of a tensor at `indices`."""
    new = items.items
    indices = indices.reshape(-1)
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


class TensorListConcatV2(Op):
    """All items joined along their first axis, and how long each was."""

    type_name = "TensorListConcatV2"
    inputs = ("input_handle: variant", "element_shape: shape_type host", "leading_dims: int64 host")
    behind = TensorList
    outputs = ("tensor: element_dtype", "lengths: int64")
    dtypes = _SHAPE

    element_dtype: DType

    def shapes(
        self, handle: TensorType, element_shape: ElementShape, leading_dims: Dims | None
    ) -> Shapes:
        dims = known_dims(element_shape)
        return (None if dims is None or not dims else (None, *dims[1:])), (None,)

    def kernel(
        self, items: TensorList, element_shape: ElementShape, leading_dims: tuple[int, ...]
    ) -> Any:
        check_dtype(items, self.element_dtype)
        merged(known_dims(element_shape), items.dims)
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

    def rest(self, items: TensorList, known: Dims | None, leading: tuple[int, ...]) -> Dims | None:
        """The items' shape; with `leading` lengths given, they agree except on the first axis."""
        dims = merged(known, items.dims)
        written = [np.shape(item) for item in items.items if item is not None]
        for row_dims in written:
            dims = merged(dims, (None, *row_dims[1:]) if leading else row_dims)
        return dims

    def row(
        self,
        items: TensorList,
        i: int,
        item: Array | None,
        known: Dims | None,
        leading: tuple[int, ...],
    ) -> Any:
        """Item `i`, zeros if it is not written and its length is known."""
        if item is None:
            dims = self.rest(items, known, leading)
            if i < len(leading):
                dims = (leading[i], *(dims or (None,))[1:])
            if dims is not None and None not in dims:
                return zeros_of(self.element_dtype, dims)
            raise refuse(
                f"List contains uninitialized tensor at index {i} but leading_dims has only "
                f"{len(leading)} elements."
            )
        if not item.shape:
            raise refuse(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        return item

    def gradient(self, call: Call, g: Cotangent, *rest: Cotangent) -> Sequence[Any]:
        return apply(TensorListSplit.of(), g, call.inputs[1], call.outputs[1]), None, None

    def batched(self, each: Each) -> Any:
        dims = turned_dims(longer_items(each, each.same(1)))
        items = each.turned(stacked_list(each), self.element_dtype, dims)
        tensor, lengths = apply(self, items, dims, each.same(2))
        return swapped(tensor), Same(lengths)


class TensorListSplit(Op):
    """Consecutive pieces of a tensor, as long as `lengths` says, as a list."""

    type_name = "TensorListSplit"
    inputs = ("tensor: element_dtype", "element_shape: shape_type host", "lengths: int64")
    outputs = ("output_handle: variant",)
    dtypes = _ELEMENT

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, tensor: Array, element_shape: ElementShape, lengths: Array) -> Any:
        if not tensor.shape:
            raise refuse("Tensor must be at least a vector, but saw shape: []")
        if lengths.ndim != 1:
            raise refuse(f"lengths must be a vector, got shape {show_dims(lengths.shape)}")
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
        pieces: list[Any] = np.split(tensor, ends[:-1]) if len(ends) else []
        dims = merged(known_dims(element_shape), (None, *tensor.shape[1:]))
        return TensorList(pieces, dt.of_numpy(tensor.dtype), dims)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        tensor, element_shape, lengths = call.inputs
        op = TensorListConcatV2.of(tensor.dtype)
        return apply(op, g, element_shape, lengths)[0], None, None

    def batched(self, each: Each) -> Any:
        dims = longer_items(each, each.same(1))
        items = apply(self, swapped(each.full(0)), turned_dims(dims), each.same(2))
        return each.turned(items, each.types[0].dtype, dims)


def turned_dims(element_shape: int | Dims | TensorValue) -> Any:
    """The operand `element_shape` of items that have their first two axes exchanged."""
    if isinstance(element_shape, tuple):
        return (element_shape[1], element_shape[0], *element_shape[2:])
    if isinstance(element_shape, int):
        return element_shape
    return concat([element_shape[1:2], element_shape[:1], element_shape[2:]], 0)


FROM_TENSOR = TensorListFromTensor()
SCATTER_INTO = TensorListScatterIntoExistingList()
