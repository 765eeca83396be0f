"""Arithmetic on the splits of rows: lengths, numbers of rows, positions in the values."""

from __future__ import annotations

from typing import Any

from graphwright.op.interpreter import convert
from graphwright.ops.arithmetic import maximum
from graphwright.ops.comparison import select
from graphwright.ops.conversion import cast
from graphwright.ops.creation import ones
from graphwright.ops.gathering import gather
from graphwright.ops.joining import concat
from graphwright.ops.reduction import reduce_max
from graphwright.ops.scan import cumsum
from graphwright.ops.segment import unsorted_segment_sum
from graphwright.ops.sequences import range as numbers
from graphwright.ops.shape import shape
from graphwright.ops.sorting import searchsorted
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType


def length_of(values: Any, dtype: DType) -> Any:
    """The size of the first axis of a tensor."""
    return shape(values, dtype)[0]


def splits_of_lengths(lengths: Any) -> Any:
    """Where rows of these lengths begin, and at last where they end."""
    return concat([convert([0], lengths.dtype), cumsum(lengths)], 0)


def numbers_of_rows(splits: Any, count: Any) -> Any:
    """For each of `count` values the number of its row."""
    if splits.type.dims == (1,):  # no rows: whatever values there are belong to none
        return numbers(count, dtype=splits.dtype)
    at = numbers(cast(count, splits.dtype), dtype=splits.dtype)
    return searchsorted(splits, at, "right", splits.dtype) - 1


def counts(rows: Any, count: Any) -> Any:
    """How often each of `count` numbers is among `rows`."""
    return unsorted_segment_sum(ones(shape(rows), rows.dtype), rows, count)


def positions(starts: Any, lengths: Any, step: Any = 1) -> tuple[Any, Any]:
    """The places `start, start + step, ...` of each row, one after the other, and the splits."""
    splits = splits_of_lengths(lengths)
    total = splits[-1]
    rows = numbers_of_rows(splits, total)
    offsets = numbers(total, dtype=splits.dtype) - gather(splits, rows)
    step = convert(step, splits.dtype)
    return gather(starts, rows) + offsets * step, splits


def greatest(lengths: Any) -> Any:
    """The length of the longest row; 0 if there is none."""
    return reduce_max(concat([convert([0], lengths.dtype), lengths], 0))


def clipped_range(piece: slice, lengths: Any, dtype: DType) -> tuple[Any, Any, Any]:
    """Starts, lengths and step of a Python slice of rows of these lengths."""
    step = convert(1 if piece.step is None else piece.step)
    step = cast(step, dtype)
    backwards = step < 0
    low = select(backwards, convert(-1, dtype), convert(0, dtype))
    high = lengths + low
    start = _edge(piece.start, lengths, low, high, select(backwards, high, low + lengths * 0))
    stop = _edge(piece.stop, lengths, low, high, select(backwards, low + lengths * 0, high))
    span = select(backwards, start - stop, stop - start)
    size = abs(step)
    return start, maximum((span + size - 1) // size, 0), step


def _edge(given: Any, lengths: Any, low: Any, high: Any, default: Any) -> Any:
    """One end of a slice, counted from the end where negative, inside each row."""
    if given is None:
        return default
    edge = cast(convert(given), lengths.dtype)
    edge = select(edge < 0, edge + lengths, edge + lengths * 0)
    return maximum(low, select(edge > high, high, edge))


SPLITS = (dt.int32, dt.int64)
