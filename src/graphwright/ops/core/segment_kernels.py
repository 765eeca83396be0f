"""Reductions over segments of the first axes, and counts of integers.

Rows of one segment are brought together by a stable sort (none where the ids are sorted) and
reduced with `ufunc.reduceat`. Sums of many numbers need no sort: vectors go through
`numpy.bincount`, rows through a product with a sparse matrix. Extremes and products of many
numbers go through `ufunc.at`. Narrow floats accumulate in float32. As in TensorFlow, minima and
maxima of ascending ids ignore nan where they can; those of any ids begin anew after a nan.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

from graphwright.op.late_imports import late_extension, late_module
from graphwright.ops.convolution.windows import accumulator
from graphwright.types.arrays import Array, ArrayDType

Integers = npt.NDArray[np.integer[Any]]
Reduction: TypeAlias = Literal["sum", "prod", "min", "max"]
Mean: TypeAlias = Literal["sum", "mean", "sqrt_n"]

#: So many elements of rows may be worth machine code.
_WORTH = 1 << 8

#: Of so many possible rows for each one that is chosen, the chosen ones are sorted, not marked.
_SPARSE = 64

_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.fmin,
    "max": np.fmax,
}


def segment_reduce(kind: Reduction | Literal["mean"], data: Array, ids: Integers) -> Array:
    """Rows of `data` [n, ...] reduced by ascending `ids` [n]; absent segments are 0, of products 1.

    Raises ValueError where the ids do not ascend from 0 or are not as many as the rows.
    """
    _check_sorted(data.shape[0], ids)
    count = int(ids[-1]) + 1 if ids.size else 0
    if kind == "mean":
        return _mean("mean", data, ids, count)
    result = np.full((count, *data.shape[1:]), 1 if kind == "prod" else 0, data.dtype)
    _reduce_sorted_into(result, _UFUNCS[kind], data, ids, _long_runs(ids, count))
    return result


def unsorted_segment_reduce(kind: Reduction, data: Array, ids: Integers, count: int) -> Array:
    """Slices of `data` reduced by `ids` (of a leading part of its shape) into `count` segments.

    Negative ids drop their slice; an empty segment has the reduction's identity, which infinities
    do not exceed. Raises ValueError where an id is not below `count`, or the shapes do not fit.
    """
    if count < 0:
        raise ValueError(f"num_segments must not be negative, got {count}")
    if data.shape[: ids.ndim] != ids.shape:
        raise ValueError(
            f"data of shape {list(data.shape)} does not start with the shape of segment_ids, "
            f"{list(ids.shape)}"
        )
    if data.size and int(ids.max()) >= count:
        place = tuple(np.argwhere(ids >= count)[0].tolist())
        where = ",".join(map(str, place))
        raise ValueError(f"segment_ids[{where}] = {ids[place]} is out of range [0, {count})")
    inner = data.shape[ids.ndim :]
    flat, rows = ids.reshape(-1), data.reshape(ids.size, *inner)
    if flat.size and int(flat.min()) < 0:
        present = flat >= 0
        flat, rows = flat[present], rows[present]
    result = np.full((count, *inner), identity(kind, data.dtype), data.dtype)
    if kind in ("min", "max"):
        return _newest_extremes(result, _UFUNCS[kind], rows, flat)
    _reduce_into(result, _UFUNCS[kind], rows, flat)
    return result


def _newest_extremes(start: Array, ufunc: np.ufunc, rows: Array, slots: Integers) -> Array:
    """The extremes of what `start` has in each slot and its rows, from the last nan on."""
    result, lost = start.copy(), np.isnan(rows)
    if not lost.any():
        _reduce_into(result, ufunc, rows, slots)
        return ufunc(result, start)
    last, end = [_last_rows(marks, slots, len(start)) for marks in (lost, np.ones_like(lost))]
    is_behind = _column(np.arange(len(rows)), rows) > last[slots]
    _reduce_into(result, ufunc, np.where(is_behind, rows, rows.dtype.type(np.nan)), slots)
    result = np.where(last < 0, ufunc(result, start), result)
    result[(last == end) & (last >= 0)] = np.nan
    return result


def _column(numbers: Integers, rows: Array) -> Integers:
    """A number for each row, to broadcast against the rows."""
    return numbers.reshape(-1, *[1] * (rows.ndim - 1))


def _last_rows(marks: Array, slots: Integers, count: int) -> Integers:
    """The number of the last row that has a mark in each place of each slot, or -1."""
    last = np.full((count, *marks.shape[1:]), -1)
    np.maximum.at(last, slots, np.where(marks, _column(np.arange(len(marks)), marks), -1))
    return last


def sparse_segment_reduce(
    kind: Mean, data: Array, indices: Integers, ids: Integers, count: int | None = None
) -> Array:
    """Rows `data[indices]` reduced by ascending `ids`; "sqrt_n" divides a sum by its terms' root.

    `count` segments, or as many as the ids have. Raises ValueError for a row that is not there, ids
    that do not ascend, or one not below `count`.
    """
    if np.ndim(indices) != 1:
        raise ValueError(f"indices should be a vector, got shape {list(np.shape(indices))}")
    _check_sorted(indices.shape[0], ids)
    wrong = np.flatnonzero((indices < 0) | (indices >= data.shape[0]))
    if wrong.size:
        place = int(wrong[0])
        raise ValueError(f"indices[{place}] == {indices[place]} out of range [0, {data.shape[0]})")
    last = int(ids[-1]) + 1 if ids.size else 0
    if count is not None and last > count:
        raise ValueError(f"segment ids must be < num_segments, got {last - 1} and {count}")
    return _mean(kind, data[indices], ids, last if count is None else count)


def bincount(
    array: Integers, size: int, weights: Array | None = None, binary: bool = False
) -> Array:
    """How often, or with what weights, each of 0, ..., size - 1 occurs, in all or in each row.

    Larger values do not count; `binary` tells only whether a value occurs. int32 without weights.
    Raises ValueError for a negative value.
    """
    if array.size and int(array.min()) < 0:
        raise ValueError(f"bincount needs non-negative values, got {int(array.min())}")
    dtype = np.dtype(np.int32) if weights is None else weights.dtype
    rows = array if array.ndim == 2 else array.reshape(1, -1)
    bins = rows.shape[0] * size
    slots: Any = rows if len(rows) == 1 else np.arange(len(rows))[:, None] * size + rows
    weights = None if weights is None else weights.reshape(rows.shape)
    if array.size and int(array.max()) >= size:
        keep = rows < size
        slots, weights = slots[keep], None if weights is None else weights[keep]
    slots, weights = slots.reshape(-1), None if weights is None else weights.reshape(-1)
    if binary:
        counts = np.zeros(bins, dtype)
        counts[slots] = 1
    elif weights is None:
        counts = np.bincount(slots, minlength=bins).astype(dtype)
    else:
        counts = np.zeros(bins, dtype)
        _reduce_into(counts, np.add, weights, slots)
    return counts.reshape((*array.shape[:-1], size) if array.ndim == 2 else (size,))


def identity(kind: Reduction, dtype: ArrayDType) -> Any:
    """The identity of a reduction; of minima and maxima the dtype's extreme finite value."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return bounds.max if kind == "min" else bounds.min
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return info.max if kind == "min" else info.min


def reduce_duplicates(ufunc: np.ufunc, rows: Array, slots: Integers) -> tuple[Integers, Array]:
    """The slots that occur, ascending, and the reduction of each one's rows (at least one row)."""
    if (slots[1:] < slots[:-1]).any():
        order = slots.argsort(kind="stable")
        slots, rows = slots[order], rows[order]
    starts = _starts(slots)
    wide = rows.astype(accumulator(rows.dtype), copy=False)
    return slots[starts], _reduce_runs(ufunc, wide, starts).astype(rows.dtype, copy=False)


def _starts(slots: Integers) -> Integers:
    """Where runs of one slot start."""
    begins = np.ones(len(slots), np.bool_)
    np.not_equal(slots[1:], slots[:-1], out=begins[1:])
    return begins.nonzero()[0]


def _reduce_runs(ufunc: np.ufunc, rows: Array, starts: Integers) -> Array:
    """The reductions of the rows from each start to the next one."""
    if rows.ndim == 1 or rows.size < _LONG * len(starts):
        reduced: Array = ufunc.reduceat(rows, starts, axis=0)
        return reduced
    result = np.empty((len(starts), *rows.shape[1:]), rows.dtype)
    ends = [*starts[1:].tolist(), len(rows)]
    for run, (start, end) in enumerate(zip(starts.tolist(), ends)):
        ufunc.reduce(rows[start:end], axis=0, out=result[run])
    return result


def _reduce_into(result: Array, ufunc: np.ufunc, rows: Array, slots: Integers) -> None:
    """Writes the reduction of each slot that occurs into its row of the result."""
    if not rows.size:
        return
    if ufunc is np.add and rows.ndim == 1 and rows.dtype in (np.float32, np.float64):
        result[...] = np.bincount(slots, weights=rows, minlength=len(result))
        return
    if ufunc is np.add and rows.size >= MANY:
        result[...] = _sums(rows, slots, len(result))
        return
    if rows.size >= MANY and (slots[1:] < slots[:-1]).any():
        _combine_into(result, ufunc, rows, slots)
        return
    present, reduced = reduce_duplicates(ufunc, rows, slots)
    result[present] = reduced


def _long_runs(slots: Integers, count: int) -> Integers | None:
    """Where the runs of ascending slots start, if there are many numbers in few slots."""
    return _starts(slots) if len(slots) >= max(MANY, _SHORT * count) else None


def _reduce_sorted_into(
    result: Array, ufunc: np.ufunc, rows: Array, slots: Integers, starts: Integers | None
) -> None:
    """The same where slots ascend, with the starts of their runs if these are long."""
    if starts is None or rows.ndim > 1:
        _reduce_into(result, ufunc, rows, slots)
        return
    double = ufunc is np.add and rows.dtype == np.float32  # as in `numpy.bincount`
    wide = rows.astype(accumulator(rows.dtype), copy=False)
    result[slots[starts]] = ufunc.reduceat(wide, starts, dtype=np.float64 if double else None)


#: Runs up to this length cost as much to reduce as their numbers one by one.
_SHORT = 4

#: Runs from this length on are worth a call each: in one call for all, NumPy uses no vectors.
_LONG = 1 << 10

#: For fewer numbers it costs more to avoid a sort than it saves.
MANY = 1 << 12


def _sums(rows: Array, slots: Integers, count: int) -> Array:
    """The sum of each slot's rows, as the product with a sparse matrix of ones: without a sort.

    Machine code adds many rows up in the same order.
    """
    wide = rows.astype(accumulator(rows.dtype), copy=False).reshape(len(rows), -1)
    added = np.zeros((count, wide.shape[1]), wide.dtype)
    if are_combined(np.add, added, slots.astype(np.intp, copy=False), wide):
        return added.reshape(count, *rows.shape[1:]).astype(rows.dtype, copy=False)
    ends, ones = np.arange(len(rows) + 1), np.ones(len(rows), wide.dtype)
    product = getattr(late_extension("scipy.sparse._sparsetools"), "csc_matvecs", None)
    if product is None:
        from scipy import sparse  # here, for it takes long to import

        sums: Array = sparse.csc_matrix((ones, slots, ends), (count, len(rows))) @ wide
    else:
        sums = added
        places = slots.astype(ends.dtype, copy=False)
        product(
            count, len(rows), wide.shape[1], ends, places, ones, wide.ravel(), sums.reshape(-1)
        )
    return sums.reshape(count, *rows.shape[1:]).astype(rows.dtype, copy=False)


def _combine_into(result: Array, ufunc: np.ufunc, rows: Array, slots: Integers) -> None:
    """Combines each row with its slot, one after the other; a result of products holds ones."""
    wide = rows.astype(accumulator(rows.dtype), copy=False)
    sums = result.astype(wide.dtype)
    if ufunc is not np.multiply:
        sums[slots] = wide  # for the identity may win over an infinity
    combine_at(ufunc, sums, slots, wide)
    result[...] = sums


def are_combined(ufunc: np.ufunc, array: Array, slots: npt.NDArray[np.intp], rows: Array) -> bool:
    """Whether machine code has combined the rows, as it does with many."""
    if rows.size < _WORTH:
        return False
    code = late_module("graphwright.ops.core.place_code")  # most programs need none
    return bool(code.are_combined(ufunc, array, slots, rows))


def combine_at(ufunc: np.ufunc, array: Array, slots: Integers, rows: Array) -> None:
    """`array[slots[i]] = ufunc(array[slots[i]], rows[i])`, for one i after the other.

    Machine code does so for many. Else rows in places of their own are combined at once. The array
    lies in one piece, so others are combined element by element: there `ufunc.at` is fast, row by
    row it is not.
    """
    slots = np.asarray(slots, np.intp).reshape(-1)
    if are_combined(ufunc, array, slots, rows):
        return
    if are_distinct(slots, len(array)):
        chosen = array.take(slots, 0)
        array[slots] = ufunc(chosen, rows.reshape(chosen.shape), out=chosen)
        return
    width = math.prod(array.shape[1:])
    places = (slots[:, None] * width + np.arange(width)).reshape(-1)
    ufunc.at(array.reshape(-1), places, rows.reshape(-1))


def are_distinct(slots: Integers, size: int) -> bool:
    """Whether no two of these indices below a size are the same."""
    if size > _SPARSE * len(slots):
        ordered = np.sort(slots)
        return not (ordered[1:] == ordered[:-1]).any()
    taken = np.zeros(size, np.bool_)
    taken[slots] = True
    return int(np.count_nonzero(taken)) == len(slots)


def _mean(kind: Mean, rows: Array, ids: Integers, count: int) -> Array:
    wide = rows.astype(accumulator(rows.dtype), copy=False)
    sums = np.zeros((count, *rows.shape[1:]), wide.dtype)
    starts = _long_runs(ids, count)
    _reduce_sorted_into(sums, np.add, wide, ids, starts)
    if kind != "sum":
        if starts is None:
            sizes = np.maximum(np.bincount(ids, minlength=count), 1)
        else:
            sizes = np.ones(count, np.intp)
            sizes[ids[starts]] = np.diff(starts, append=len(ids))
        divisor = np.sqrt(sizes) if kind == "sqrt_n" else sizes
        divisor = divisor.astype(wide.real.dtype).reshape(-1, *[1] * (rows.ndim - 1))
        sums = sums // divisor if wide.dtype.kind in "iu" else sums / divisor
    return sums.astype(rows.dtype, copy=False)


def _check_sorted(rows: int, ids: Integers) -> None:
    if ids.shape != (rows,):
        raise ValueError(
            f"segment_ids of shape {list(ids.shape)} should have one entry for each of {rows} rows"
        )
    if ids.size and int(ids[0]) < 0:
        raise ValueError(f"segment id {ids[0]} must not be negative")
    if (ids[1:] < ids[:-1]).any():
        place = int(np.flatnonzero(ids[1:] < ids[:-1])[0]) + 1
        raise ValueError(
            f"segment ids are not increasing: segment_ids[{place}] = {ids[place]} follows "
            f"{ids[place - 1]}"
        )
