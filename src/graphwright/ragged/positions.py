"""Arithmetic on the splits of rows: lengths, numbers of rows, positions in the values."""

from __future__ import annotations

from typing import Any, SupportsInt

from graphwright.op.interpreter import convert, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import concat
from graphwright.ops.core.repetition import numbers_of_rows
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import select
from graphwright.ops.math.cumulation import cumsum
from graphwright.ops.math.reduction import reduce_max
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.dtypes import DType


def length_of(values: TensorLike, dtype: DType) -> Any:
    """The size of the first axis of a tensor."""
    return shape(values, dtype)[0]


def splits_of_lengths(lengths: TensorValue) -> Any:
    """Where rows of these lengths begin, and at last where they end."""
    return concat([convert([0], lengths.dtype), cumsum(lengths)], 0)


def numbers_of_values(splits: TensorValue) -> Any:
    """For each value the number of its row."""
    if splits.type.dims == (1,):  # no rows: whatever values there are belong to none
        return numbers(splits[-1], dtype=splits.dtype)
    return numbers_of_rows(splits[1:], splits[-1])


def positions(starts: TensorLike, lengths: TensorValue, step: TensorLike = 1) -> tuple[Any, Any]:
    """The places `start, start + step, ...` of each row, one after the other, and the splits."""
    splits = splits_of_lengths(lengths)
    step = convert(step, splits.dtype)
    firsts = starts - splits[:-1] * step  # as if each row had begun with the first of all
    offsets = numbers(splits[-1], dtype=splits.dtype) * step
    return gather(firsts, numbers_of_values(splits)) + offsets, splits


def greatest(lengths: TensorValue) -> Any:
    """The length of the longest row; 0 if there is none."""
    return reduce_max(concat([convert([0], lengths.dtype), lengths], 0))


def clipped_range(piece: slice, lengths: TensorValue) -> tuple[Any, Any, Any]:
    """Starts, lengths and step of a Python slice of rows of these lengths."""
    step = 1 if piece.step is None else piece.step
    if is_tensor(step):
        return by_a_tensor(piece, lengths, cast(step, lengths.dtype))
    step = int(step)
    backwards = step < 0
    first, last = (-1, lengths - 1) if backwards else (0, lengths)
    start = clipped(piece.start, lengths, first, last, last if backwards else first)
    stop = clipped(piece.stop, lengths, first, last, first if backwards else last)
    span = start - stop if backwards else stop - start
    size = abs(step)
    count = span if size == 1 else (span + size - 1) // size
    return start, maximum(count, 0), step


def clipped(
    end: SupportsInt | None,
    lengths: TensorValue,
    first: TensorLike,
    last: TensorLike,
    default: TensorLike,
) -> Any:
    """One end of a slice, counted from the end of each row where negative, and inside of it."""
    if end is None:
        return default
    if not is_tensor(end):
        place = int(end)
        return minimum(last, place) if place >= 0 else maximum(lengths + place, first)
    edge = cast(end, lengths.dtype)
    edge = select(edge < 0, edge + lengths, edge + zeros_like(lengths))
    return maximum(minimum(edge, last), first)


def by_a_tensor(piece: slice, lengths: TensorValue, step: TensorValue) -> tuple[Any, Any, Any]:
    """Starts, lengths and step of a slice whose step is a tensor, so that its sign is not known."""
    forwards = slice(piece.start, piece.stop, 1), slice(piece.start, piece.stop, -1)
    (start, _, _), (end, _, _) = (clipped_range(each, lengths) for each in forwards)
    up = clipped(piece.stop, lengths, 0, lengths, lengths) - start
    down = end - clipped(piece.stop, lengths, -1, lengths - 1, -1)
    backwards = step < 0
    size = abs(step)
    count = (select(backwards, down, up) + size - 1) // size
    nothing = zeros_like(lengths)
    return select(backwards, end + nothing, start + nothing), maximum(count, 0), step


SPLITS = (dt.int32, dt.int64)
