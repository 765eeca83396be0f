"""Reductions over the axes of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsInt, TypeAlias

from graphwright.op.dispatch import implement, opened
from graphwright.op.interpreter import convert
from graphwright.ops.core import segment_reduction
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.static import check_whole
from graphwright.ops.math import reduction
from graphwright.ops.math.arithmetic import maximum, truediv
from graphwright.ops.math.comparison import select
from graphwright.ops.math.rounding import is_finite
from graphwright.ops.math.transcendental import exp, log, sqrt, square
from graphwright.ragged.positions import greatest, splits_of_lengths
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue

#: What combines data by the numbers of their segments, of which there are so many.
Segments: TypeAlias = Callable[[TensorLike, TensorLike, TensorLike], Any]
#: A reduction of a tensor: all of it, or by `axis` and `keepdims`.
Reduce: TypeAlias = Callable[..., Any]
#: One axis, or several.
Axes: TypeAlias = SupportsInt | Sequence[SupportsInt]


def segments(combine: Segments, data: RaggedOrTensor, ids: TensorLike, count: TensorLike) -> Any:
    """Rows of a tensor or ragged tensor combined by the segments they belong to.

    Of ragged rows those at the same place are combined; a result is as long as the longest.
    """
    if not is_ragged(data):
        return combine(data, ids, count)
    lengths = data.row_lengths()
    longest = maximum(segment_reduction.unsorted_segment_max(lengths, ids, count), 0)
    splits = splits_of_lengths(longest)
    places = gather(gather(splits, ids), data.value_rowids()) + offsets(data)
    values = segments(combine, data.values, places, splits[-1])
    return RaggedTensor(values, RowPartition(splits))


def offsets(ragged: RaggedTensor) -> Any:
    """The place of each value in its row."""
    partition = ragged._row_partition
    places = numbers(partition.nvals(), dtype=partition.dtype)
    return places - gather(partition.row_starts(), partition.value_rowids())


def reduced(
    reduce: Reduce, combine: Segments, x: RaggedTensor, axis: Axes | None, keepdims: bool
) -> Any:
    """Reduces a ragged tensor: `reduce` works on tensors, `combine` on segments of one."""
    axes = axes_of(x, axis)
    if axes is None:
        result = reduce(x.flat_values)
        for _ in range((x.shape.rank or 0) if keepdims else 0):
            result = expand_dims(result, 0)
        return result
    result = x
    for each in reversed(axes):
        result = along(reduce, combine, result, each, keepdims)
    return result


def positive_axes(x: RaggedTensor, axis: Axes) -> set[int]:
    """One or several axes, counted from the first; ValueError if there are none such."""
    axes: Any = axis if isinstance(axis, (list, tuple)) else [axis]
    check_whole(axes, "axis")
    return {x.positive_axis(int(each), "axis") for each in axes}


def axes_of(x: RaggedTensor, axis: Axes | None) -> list[int] | None:
    """The axes in order; None for all of them."""
    if axis is None:
        return None
    axes = sorted(positive_axes(x, axis))
    return None if x.shape.rank is not None and len(axes) == x.shape.rank else axes


def along(reduce: Reduce, combine: Segments, x: RaggedOrTensor, axis: int, keepdims: bool) -> Any:
    """The reduction over one axis."""
    if not is_ragged(x):
        return reduce(x, axis=axis, keepdims=keepdims)
    if axis > 1:
        return x.with_values(along(reduce, combine, x.values, axis - 1, keepdims))
    if axis == 1:
        count = x._row_partition.static_nrows
        ids = x.value_rowids()
        result = segments(combine, x.values, ids, x.nrows() if count is None else count)
    else:
        result = segments(combine, x.values, offsets(x), greatest(x.row_lengths()))
    return opened(expand_dims)(result, axis) if keepdims else result


def any_of(data: TensorLike, ids: TensorLike, count: TensorLike) -> Any:
    """Whether one of each segment is true."""
    return segment_reduction.unsorted_segment_max(cast(data, dt.int32), ids, count) > 0


def all_of(data: TensorLike, ids: TensorLike, count: TensorLike) -> Any:
    """Whether all of each segment are true."""
    return segment_reduction.unsorted_segment_min(cast(data, dt.int32), ids, count) > 0


def register(reduce: Reduce, combine: Segments) -> None:
    """Registers what a reduction means for ragged tensors."""

    @implement(reduce, RaggedTensor, first=True)
    def meaning(
        x: RaggedTensor, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
    ) -> Any:
        return reduced(reduce, combine, x, axis, bool(keepdims))


register(reduction.reduce_sum, segment_reduction.unsorted_segment_sum)
register(reduction.reduce_prod, segment_reduction.unsorted_segment_prod)
register(reduction.reduce_max, segment_reduction.unsorted_segment_max)
register(reduction.reduce_min, segment_reduction.unsorted_segment_min)
register(reduction.reduce_any, any_of)
register(reduction.reduce_all, all_of)

total = opened(reduction.reduce_sum)


@implement(reduction.reduce_mean, RaggedTensor)
def mean(
    x: RaggedTensor, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The mean over axes: the sum divided by the number of elements."""
    count = x.with_flat_values(ones_like(x.flat_values))
    return opened(truediv)(total(x, axis, keepdims), total(count, axis, keepdims))


@implement(reduction.reduce_variance, RaggedTensor)
def variance(
    input_tensor: RaggedTensor,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The variance over axes: the mean of squares less the square of the mean."""
    values = input_tensor.flat_values
    if values.dtype.is_integer:  # as their mean
        values = cast(values, dt.float32 if values.dtype.size < 4 else dt.float64)
    x = input_tensor.with_flat_values(floating(values))
    squares = mean(x.with_flat_values(square(x.flat_values)), axis, keepdims)
    centre = mean(x, axis, keepdims)
    return opened(maximum)(squares - opened(square)(centre), 0.0)


@implement(reduction.reduce_std, RaggedTensor)
def std(
    input_tensor: RaggedTensor,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The standard deviation over axes."""
    return opened(sqrt)(variance(input_tensor, axis, keepdims))


@implement(reduction.reduce_logsumexp, RaggedTensor)
def logsumexp(
    x: RaggedTensor, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The logarithm of the sum of exponentials over axes, shifted so that none overflows."""
    top = reduction.reduce_max(x.flat_values)
    top = select(is_finite(top), top, top - top)
    powers = x.with_flat_values(exp(x.flat_values - top))
    return opened(log)(total(powers, axis, keepdims)) + top


def floating(values: TensorValue) -> Any:
    """The values as floats, or complex numbers as they are: integers have no mean."""
    return (
        values if values.dtype.is_floating or values.dtype.is_complex else cast(values, dt.float32)
    )


def register_segments(combine: Segments) -> None:
    """Registers what a combination of segments means for ragged tensors."""

    @implement(combine, RaggedTensor)
    def meaning(
        data: RaggedTensor,
        segment_ids: TensorLike,
        num_segments: TensorLike,
        name: str | None = None,
    ) -> Any:
        ids = cast(convert(segment_ids), data.row_splits.dtype)
        return segments(combine, data, ids, num_segments)


register_segments(segment_reduction.unsorted_segment_sum)
register_segments(segment_reduction.unsorted_segment_prod)
register_segments(segment_reduction.unsorted_segment_max)
register_segments(segment_reduction.unsorted_segment_min)
register_segments(segment_reduction.unsorted_segment_mean)
register_segments(segment_reduction.unsorted_segment_sqrt_n)
