"""The distinct elements of a vector, or slices of a tensor, in order of first appearance."""

from __future__ import annotations

from itertools import count
from typing import Any, ClassVar

import numpy as np

from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.late_imports import late_module
from graphwright.op.op import LateRefusal, Op, Shapes, undefined
from graphwright.op.results import named
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.arrays import Array, ArrayDType
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, normalize_axis, show_dims

#: The dtype of places in arrays.
_PLACES: ArrayDType = np.dtype(np.int64)

#: So many elements may be worth machine code, and so many floats, which are looked at for NaN.
_WORTH, _WORTH_OF_FLOATS = 1 << 6, 1 << 8

SORTABLE = dt.NUMERIC | dt.BOOL | dt.STRING


def distinct(x: Array, axis: int = 0, dtype: ArrayDType = _PLACES) -> tuple[Any, Any]:
    """The distinct slices along an axis, and which of them each slice is, in a dtype if that costs
    nothing."""
    worth = _WORTH_OF_FLOATS if x.dtype.kind == "f" else _WORTH
    if np.ndim(x) == 1 and x.dtype.kind in "iuf" and x.size >= worth:
        code = late_module("graphwright.ops.core.place_code")  # most programs need none
        numbers: tuple[Array, Array] | None = code.distinct_numbers(x, dtype)
        if numbers is not None:
            return numbers
    if np.ndim(x) == 1 and x.dtype.kind in "iu" and x.size:
        low, high = int(x.min()), int(x.max())
        if high - low <= 4 * x.size:
            return tabled(x, low, high - low + 1)
    if x.dtype == object and np.ndim(x) == 1:
        return hashed(x)
    along = axis if np.ndim(x) > 1 else None
    keys = x
    if x.dtype == object and along is not None:  # NumPy compares no slices of objects
        keys = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    _, first, which = np.unique(
        keys, return_index=True, return_inverse=True, axis=along, equal_nan=False
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return np.take(x, first[order], axis=axis), rank[which.reshape(-1)]


def hashed(x: Array) -> tuple[Any, Any]:
    """`distinct` of a vector of strings, by their hashes."""
    if x.size >= _WORTH:
        code = late_module("graphwright.ops.strings.key_code")  # most programs need none
        strings: tuple[Array, Array] | None = code.distinct_strings(x)
        if strings is not None:
            return strings
    places: dict[bytes, int] = {}
    return ranked(x, np.fromiter(map(places.setdefault, x.tolist(), count()), np.intp, x.size))


def tabled(x: Array, low: int, span: int) -> tuple[Any, Any]:
    """`distinct` of a vector of whole numbers in a small range, by a table and without a sort."""
    slots = x.astype(np.intp) - x.dtype.type(low).astype(np.intp)
    table = np.empty(span, np.intp)
    table[slots[::-1]] = np.arange(x.size)[::-1]  # the first of equal numbers is written last
    return ranked(x, table.take(slots))


def ranked(x: Array, first: Array) -> tuple[Any, Any]:
    """`distinct` of a vector, given the first place of each element's equals."""
    is_first = first == np.arange(x.size)
    rank = is_first.cumsum()
    rank -= 1
    return x[is_first], rank.take(first)


class Distinct(Op):
    """The base of the ops that find distinct elements."""

    inputs: ClassVar[tuple[str, ...]] = ("x: T",)
    outputs: ClassVar[tuple[str, ...]] = ("y: T", "idx: out_idx")
    dtypes = {"T": SORTABLE, "out_idx": dt.INDEX}
    gradient = undefined("gather the distinct elements by their places")

    out_idx: DType = dt.int32

    def shapes(self, x: TensorType, axis: Dims | None = ()) -> Shapes:
        counted = len(self.outputs) == 3
        if axis is not None and len(axis) > 1:
            raise ValueError(f"axis does not support input tensors larger than 1 elements: {axis}")
        if isinstance(axis, tuple) and len(axis) == 1 and axis[0] is not None:
            if x.dims is None:
                return (None, (None,), (None,))[: 2 + counted]
            place = normalize_axis(axis[0], len(x.dims))
            dims = (*x.dims[:place], None, *x.dims[place + 1 :])
            return (dims, (x.dims[place],), (None,))[: 2 + counted]
        if axis == () and x.rank not in (1, None):
            kind = LateRefusal if counted and not x.rank else ValueError
            raise kind(f"unique expects a 1D vector, not shape {show_dims(x.dims)}.")
        size = x.dims[0] if x.rank == 1 else None  # type: ignore[index]
        whole = (None,) if axis == () or x.dims is None else (None,) * len(x.dims)
        return (whole if x.dims or axis == () else None, (size,), (None,))[: 2 + counted]

    def kernel(self, x: Array, axis: tuple[int, ...] = ()) -> Any:
        if not axis and np.ndim(x) != 1:
            raise ValueError("unique expects a 1D vector.")
        place = normalize_axis(axis[0], np.ndim(x)) if axis else 0
        dtype = self.out_idx.numpy_dtype
        values, which = distinct(x, place, dtype)
        if len(self.outputs) == 2:
            return values, which.astype(dtype, copy=False)
        counts = np.bincount(which, minlength=np.shape(values)[place])
        return values, which.astype(dtype, copy=False), counts.astype(dtype)


COUNTED = ("y: T", "idx: out_idx", "count: out_idx")
WITH_AXIS = ("x: T", "axis: Taxis host")
AXIS_RANKS = {"axis": 1}


class Unique(Distinct):
    """The distinct elements of a vector, and which of them each element is."""

    type_name = "Unique"


class UniqueV2(Distinct):
    """The distinct slices along an axis, and which of them each slice is."""

    type_name = "UniqueV2"
    inputs = WITH_AXIS
    ranks = AXIS_RANKS
    dtypes = Distinct.dtypes | {"Taxis": dt.INDEX}


class UniqueWithCounts(Distinct):
    """The distinct elements of a vector, which each one is, and how often each is."""

    type_name = "UniqueWithCounts"
    outputs = COUNTED


class UniqueWithCountsV2(Distinct):
    """The distinct slices along an axis, which each one is, and how often each is."""

    type_name = "UniqueWithCountsV2"
    inputs = WITH_AXIS
    ranks = AXIS_RANKS
    outputs = COUNTED
    dtypes = Distinct.dtypes | {"Taxis": dt.INDEX}


class ListDiff(Op):
    """The elements of x that are not in y, and their indices."""

    type_name = "ListDiff"
    inputs = ("x: T", "y: T")
    outputs = ("out: T", "idx: out_idx")
    dtypes = {"T": SORTABLE, "out_idx": dt.INDEX}
    gradient = undefined("gather what is left by its indices")

    out_idx: DType = dt.int32

    def shapes(self, x: TensorType, y: TensorType) -> Shapes:
        for name, operand in (("x", x), ("y", y)):
            if operand.rank not in (1, None):
                raise ValueError(
                    f"ListDiff: {name} should be a 1D vector, not shape {show_dims(operand.dims)}."
                )
        return ((None,), (None,))

    def kernel(self, x: Array, y: Array) -> Any:
        if np.ndim(x) != 1 or np.ndim(y) != 1:
            raise ValueError("ListDiff of other things than vectors")
        places = np.flatnonzero(~np.isin(x, y))
        return x[places], places.astype(self.out_idx.numpy_dtype)


def unique(x: TensorLike, out_idx: DTypeLike = dt.int32, name: str | None = None) -> Any:
    """Finds the distinct elements of a vector, in order of first appearance.

    Args:
        x: A vector of numbers, bools or strings.
        out_idx: int32 or int64: the dtype of the indices.
        name: A name for the op.

    Returns:
        A named tuple `(y, idx)`: the distinct elements, and the index in `y` of each element of
        `x`.

    Raises:
        InvalidArgumentError: `x` is no vector.

    >>> import graphwright as tf
    >>> tf.unique([7, 1, 7]).y
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([7, 1], dtype=int32)>
    >>> tf.unique([7, 1, 7]).idx.numpy().tolist()
    [0, 1, 0]
    """
    op = Unique.of(Unique.dtype_for("out_idx", out_idx))
    return named(Unique)(*apply(op, convert(x), name=name))


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dt.int32, name: str | None = None
) -> Any:
    """Finds the distinct elements of a vector, in order of first appearance, and counts them.

    Args:
        x: A vector of numbers, bools or strings.
        out_idx: int32 or int64: the dtype of the indices and counts.
        name: A name for the op.

    Returns:
        A named tuple `(y, idx, count)`: the distinct elements, the index in `y` of each element of
        `x`, and how often each is in `x`.

    Raises:
        InvalidArgumentError: `x` is no vector.

    >>> import graphwright as tf
    >>> y, idx, count = tf.unique_with_counts([7, 1, 7])
    >>> y.numpy().tolist(), count.numpy().tolist()
    ([7, 1], [2, 1])
    """
    op = UniqueWithCounts.of(UniqueWithCounts.dtype_for("out_idx", out_idx))
    return named(UniqueWithCounts)(*apply(op, convert(x), name=name))


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dt.int32, name: str | None = None
) -> Any:
    """The elements of `x` that are not in `y`, and their indices: (out, idx)."""
    op = ListDiff.of(ListDiff.dtype_for("out_idx", index_dtype))
    return named(ListDiff)(*apply(op, *convert_pair(x, y), name=name))
