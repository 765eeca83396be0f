"""Reductions of rows that share a segment id: ascending ids, any ids, and picked rows.

What an op has in common stands in its base class; the gradients come down to gathering
each segment's cotangent for its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import Each, leading
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core import segment_kernels
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, ones, ones_like
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.rule_words import extent, places_of, scattered, widened
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.math.arithmetic import maximum, truediv
from graphwright.ops.math.comparison import equal, greater, greater_equal, select
from graphwright.ops.math.transcendental import sqrt
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

# -- ascending ids --------------------------------------------------------------------------


class SegmentReduction(Op):
    """Reduces the rows of each segment; segments that have none are 0 (of products 1)."""

    inputs = ("data: T", "segment_ids: Tindices")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tindices": dt.INDEX}
    batched = leading
    kind: ClassVar[Any]

    def shapes(self, data: TensorType, ids: TensorType) -> Shapes:
        if data.rank == 0:
            raise ValueError(f"{self.type_name}: input must be at least rank 1, not a scalar")
        if ids.rank not in (1, None):
            raise ValueError(
                f"{self.type_name}: segment_ids should be a vector, not of shape "
                f"{show_dims(ids.dims)}"
            )
        return (None if data.dims is None else (None, *data.dims[1:]),)

    def kernel(self, data: Array, ids: Array) -> Any:
        if np.ndim(data) == 0:
            raise ValueError("input must be at least rank 1")
        return segment_kernels.segment_reduce(self.kind, data, ids)


class SegmentSum(SegmentReduction):
    """The sum of the rows of each segment."""

    type_name = "SegmentSum"
    kind = "sum"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return gather(g, call.inputs[1]), None


class SegmentMean(SegmentReduction):
    """The mean of the rows of each segment."""

    type_name = "SegmentMean"
    kind = "mean"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        ids = call.inputs[1]
        counts = maximum(segment_sum(ones(shape(ids), g.dtype.real_dtype), ids), 1)
        return gather(g / trailing(cast(counts, g.dtype), g), ids), None


class SegmentProd(SegmentReduction):
    """The product of the rows of each segment."""

    type_name = "SegmentProd"
    kind = "prod"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        data, ids = call.inputs
        is_zero = equal(data, 0)
        zeros = segment_sum(cast(is_zero, dt.int32), ids)
        others = gather(segment_prod(select(is_zero, 1, data), ids), ids)
        product = gather(call.outputs[0], ids)
        share = select(is_zero, others, product / select(is_zero, 1, data))
        return gather(select(greater(zeros, 1), 0, g), ids) * share, None


class SegmentExtreme(SegmentReduction):
    """The greatest or least of the rows of each segment."""

    dtypes = {"T": dt.REAL, "Tindices": dt.INDEX}

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        data, ids = call.inputs
        chosen = equal(data, gather(call.outputs[0], ids))
        ties = maximum(segment_sum(cast(chosen, g.dtype), ids), 1)
        return select(chosen, gather(g / ties, ids), 0), None


class SegmentMax(SegmentExtreme):
    """The greatest of the rows of each segment."""

    type_name = "SegmentMax"
    kind = "max"


class SegmentMin(SegmentExtreme):
    """The least of the rows of each segment."""

    type_name = "SegmentMin"
    kind = "min"


# -- any ids --------------------------------------------------------------------------------


def dims_of_segments(x: GraphTensor, ids: GraphTensor, count: GraphTensor) -> list[Any]:
    """The shape of so many segments, in an expansion."""
    return [cast(count, dt.int32), *[extent(x, i) for i in range(ids.shape.rank, x.shape.rank)]]


def extremes(
    combine: str, x: GraphTensor, ids: GraphTensor, dims: Sequence[Any], otherwise: TensorLike
) -> Any:
    """The greatest or least numbers of each segment; something else where there are none."""
    dtype, x = x.dtype, widened(x)
    otherwise = convert(otherwise, x.dtype)
    if x.dtype.is_floating:  # NaN gives way to all numbers
        nothing, combine = convert(float("nan"), x.dtype), {"max": "fmax", "min": "fmin"}[combine]
    else:
        nothing = convert(x.dtype.min if combine == "max" else x.dtype.max, x.dtype)
    none = fill(dims, nothing)
    places = places_of([ids], none)
    reduced = scattered(combine, x, [ids], dims, none, places)
    return cast(select(sizes_of(ids, dims, places) > 0, reduced, otherwise), dtype)


def sizes_of(
    ids: GraphTensor, dims: Sequence[Any], places: Sequence[GraphTensor] | None = None
) -> Any:
    """How many slices each segment has, to broadcast against dimensions."""
    sizes = scattered("sum", fill(shape(ids), 1), [ids], dims[:1], places=places)
    return reshape(sizes, [-1, *[1] * (len(dims) - 1)])


class UnsortedSegment(Op):
    """Reduces the slices of each segment; those of negative ids are dropped."""

    inputs = ("data: T", "segment_ids: Tindices", "num_segments: Tnumsegments host")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC, "Tindices": dt.INDEX, "Tnumsegments": dt.INDEX}
    kind: ClassVar[Any]

    def shapes(self, data: TensorType, ids: TensorType, count: int | Dims | None) -> Shapes:
        if isinstance(count, tuple):
            raise ValueError(f"{self.type_name}: num_segments must be a scalar, not {count}")
        if count is not None and count < 0:
            raise ValueError(f"Input num_segments == {count} must not be negative.")
        if ids.dims is None:
            return (None,)
        if data.dims is None:
            return (None,)
        leading: Dims = data.dims[: len(ids.dims)]
        if not is_compatible(leading, ids.dims):
            raise ValueError(
                f"data.shape = {show_dims(data.dims)} does not start with segment_ids.shape = "
                f"{show_dims(ids.dims)}"
            )
        return ((count, *data.dims[len(ids.dims) :]),)

    def kernel(self, data: Array, ids: Array, count: int) -> Any:
        return segment_kernels.unsorted_segment_reduce(
            self.kind, np.asarray(data), np.asarray(ids), count
        )

    def expand(self, x: GraphTensor, ids: GraphTensor, count: GraphTensor) -> Any:
        """The slices of each segment combined; what is negative is left to the kernel."""
        return scattered(self.kind, x, [ids], dims_of_segments(x, ids, count))

    def batched(self, each: Each) -> Any:
        count, ids = each.same(2), each.full(1)
        rank = each.rank(1)
        rows = each.rows(ids.dtype) * cast(convert(count), ids.dtype)
        placed = ids + reshape(rows, [-1, *[1] * rank])
        placed = select(ids < 0, ids, placed)  # what is negative is left out
        whole = apply(self, each.full(0), placed, each.product(each.longer(host_vector([count]))))
        return reshape(whole, each.longer(host_vector([count, *axis_sizes(whole)[1:]])))


class UnsortedSegmentSum(UnsortedSegment):
    """The sum of the slices of each segment."""

    type_name = "UnsortedSegmentSum"
    dtypes = {
        "T": dt.NUMERIC, "Tindices": dt.INDEX | {dt.int16}, "Tnumsegments": dt.INDEX,
    }  # fmt: skip
    kind = "sum"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return gather_present(g, call.inputs[1]), None, None


class UnsortedSegmentProd(UnsortedSegment):
    """The product of the slices of each segment; 1 where there are none."""

    type_name = "UnsortedSegmentProd"
    kind = "prod"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        data, ids, count = call.inputs
        is_zero = equal(data, 0)
        zeros = unsorted_segment_sum(cast(is_zero, dt.int32), ids, count)
        others = unsorted_segment_prod(select(is_zero, 1, data), ids, count)
        places = maximum(ids, 0)
        product = gather(call.outputs[0], places)
        share = select(is_zero, gather(others, places), product / select(is_zero, 1, data))
        return gather_present(select(greater(zeros, 1), 0, g), ids) * share, None, None


class UnsortedSegmentExtreme(UnsortedSegment):
    """The greatest or least of the slices of each segment.

    As in TensorFlow, a segment starts from the greatest or least finite number, and an element is
    taken where the one so far is not beyond it: NaN is taken, and what follows NaN is, too.
    """

    dtypes = {"T": dt.REAL, "Tindices": dt.INDEX, "Tnumsegments": dt.INDEX}

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        data, ids, count = call.inputs
        chosen = equal(data, gather_present(call.outputs[0], ids))
        chosen = chosen & trailing(greater_equal(ids, 0), data)
        ties = maximum(unsorted_segment_sum(cast(chosen, g.dtype), ids, count), 1)
        return select(chosen, gather_present(g / ties, ids), 0), None, None

    def expand(self, x: GraphTensor, ids: GraphTensor, count: GraphTensor) -> Any:
        """The extremes of each segment, from the last NaN on."""
        wide, combine = widened(x), self.kind
        if wide.dtype.is_floating:
            combine = {"max": "newer_max", "min": "newer_min"}[combine]
        least = convert(x.dtype.min if self.kind == "max" else x.dtype.max, wide.dtype)
        start = fill(dims_of_segments(x, ids, count), least)
        return cast(scattered(combine, wide, [ids], into=start), x.dtype)


class UnsortedSegmentMax(UnsortedSegmentExtreme):
    """The greatest of the slices of each segment; the dtype's lowest where there are none."""

    type_name = "UnsortedSegmentMax"
    kind = "max"


class UnsortedSegmentMin(UnsortedSegmentExtreme):
    """The least of the slices of each segment; the dtype's highest where there are none."""

    type_name = "UnsortedSegmentMin"
    kind = "min"


def trailing(x: Any, like: Any) -> Any:
    """`x` with axes of size 1 behind its own, to broadcast against `like`."""
    extra = None if None in (x.type.rank, like.type.rank) else like.type.rank - x.type.rank
    if extra == 0:
        return x
    if extra is not None and x.type.is_static:
        return reshape(x, (*x.type.dims, *[1] * extra))
    missing = ones([rank(like) - rank(x)], dt.int32)
    return reshape(x, concat([shape(x), missing], 0))


def gather_present(x: TensorLike, ids: TensorLike) -> Any:
    """The rows of `x` at the ids; zeros where an id is negative."""
    rows = gather(x, maximum(ids, 0))
    return select(trailing(greater_equal(ids, 0), rows), rows, 0)


# -- picked rows ----------------------------------------------------------------------------


class SparseSegment(Op):
    """Reduces the rows of `data` that `indices` picks, by ascending ids."""

    inputs: ClassVar[tuple[str, ...]] = ("data: T", "indices: Tidx", "segment_ids: Tsegmentids")
    outputs = ("output: T",)
    dtypes = {
        "T": dt.FLOATING,
        "Tidx": dt.INDEX,
        "Tsegmentids": dt.INDEX,
        "Tnumsegments": dt.INDEX,
    }
    batched = leading
    kind: ClassVar[Any] = "sum"

    sparse_gradient: bool = False

    def shapes(
        self, data: TensorType, indices: TensorType, ids: TensorType, count: int | None = None
    ) -> Shapes:
        for name, operand in (("indices", indices), ("segment_ids", ids)):
            if operand.rank not in (1, None):
                raise ValueError(f"{self.type_name}: {name} should be a vector")
        if isinstance(count, tuple):
            raise ValueError(f"{self.type_name}: num_segments must be a scalar, not {count}")
        if not is_compatible(indices.dims, ids.dims):
            raise ValueError(
                f"segment_ids and indices should have same size: {show_dims(ids.dims)} and "
                f"{show_dims(indices.dims)}"
            )
        return (None if data.dims is None else (count, *data.dims[1:]),)

    def kernel(self, data: Array, indices: Array, ids: Array, count: int | None = None) -> Any:
        return segment_kernels.sparse_segment_reduce(self.kind, data, indices, ids, count)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        data, indices, ids = call.inputs[:3]
        if self.kind != "sum":
            counts = maximum(segment_sum(ones(shape(ids), g.dtype), ids), 1)
            rows = gather(counts if self.kind == "mean" else sqrt(counts), ids)
            spread = gather(g, ids)
            spread = spread / trailing(rows, spread)
        else:
            spread = gather(g, ids)
        back = unsorted_segment_sum(spread, indices, shape(data)[0])
        return (back, *[None] * (len(call.inputs) - 1))


WITH_COUNT = (*SparseSegment.inputs, "num_segments: Tnumsegments host")


class SparseSegmentSum(SparseSegment):
    """The sum of the picked rows of each segment."""

    type_name = "SparseSegmentSum"
    dtypes = {**SparseSegment.dtypes, "T": dt.REAL}


class SparseSegmentSumWithNumSegments(SparseSegmentSum):
    """The sum of the picked rows of each of a given number of segments."""

    type_name = "SparseSegmentSumWithNumSegments"
    inputs = WITH_COUNT


class SparseSegmentMean(SparseSegment):
    """The mean of the picked rows of each segment."""

    type_name = "SparseSegmentMean"
    kind = "mean"


class SparseSegmentMeanWithNumSegments(SparseSegmentMean):
    """The mean of the picked rows of each of a given number of segments."""

    type_name = "SparseSegmentMeanWithNumSegments"
    inputs = WITH_COUNT


class SparseSegmentSqrtN(SparseSegment):
    """The sum of the picked rows of each segment over the root of their number."""

    type_name = "SparseSegmentSqrtN"
    kind = "sqrt_n"


class SparseSegmentSqrtNWithNumSegments(SparseSegmentSqrtN):
    """The same for a given number of segments."""

    type_name = "SparseSegmentSqrtNWithNumSegments"
    inputs = WITH_COUNT


# -- the public functions -------------------------------------------------------------------


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Sums the rows of each segment, given by ascending segment ids.

    A segment without rows is 0.

    Args:
        data: A tensor of numbers, of rank 1 or more.
        segment_ids: A vector of int32 or int64, ascending, not negative: the segment of each row.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a row for each segment up to the greatest id.

    Raises:
        InvalidArgumentError: The ids do not ascend, are negative, or are not as many as the rows.

    >>> import graphwright as tf
    >>> tf.math.segment_sum([1, 2, 4], [0, 0, 1])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 4], dtype=int32)>
    """
    return apply(SegmentSum.of(), convert(data), convert(segment_ids), name=name)


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Averages the rows of each segment, given by ascending segment ids.

    A segment without rows is 0. Means of integers are truncated.

    Args:
        data: A tensor of numbers, of rank 1 or more.
        segment_ids: A vector of int32 or int64, ascending, not negative: the segment of each row.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a row for each segment up to the greatest id.

    Raises:
        InvalidArgumentError: The ids do not ascend, are negative, or are not as many as the rows.

    >>> import graphwright as tf
    >>> tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 1]).numpy().tolist()
    [1.5, 4.0]
    """
    return apply(SegmentMean.of(), convert(data), convert(segment_ids), name=name)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies the rows of each segment, given by ascending segment ids.

    A segment without rows is 1.

    Args:
        data: A tensor of numbers, of rank 1 or more.
        segment_ids: A vector of int32 or int64, ascending, not negative: the segment of each row.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a row for each segment up to the greatest id.

    Raises:
        InvalidArgumentError: The ids do not ascend, are negative, or are not as many as the rows.

    >>> import graphwright as tf
    >>> tf.math.segment_prod([2, 3, 4], [0, 0, 2]).numpy().tolist()
    [6, 1, 4]
    """
    return apply(SegmentProd.of(), convert(data), convert(segment_ids), name=name)


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Takes the greatest element among the rows of each segment, given by ascending segment ids.

    A segment without rows is 0.

    Args:
        data: A tensor of real numbers, of rank 1 or more.
        segment_ids: A vector of int32 or int64, ascending, not negative: the segment of each row.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a row for each segment up to the greatest id.

    Raises:
        InvalidArgumentError: The ids do not ascend, are negative, or are not as many as the rows.

    >>> import graphwright as tf
    >>> tf.math.segment_max([[1, 8], [2, 3], [4, 5]], [0, 0, 1]).numpy().tolist()
    [[2, 8], [4, 5]]
    """
    return apply(SegmentMax.of(), convert(data), convert(segment_ids), name=name)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Takes the least element among the rows of each segment, given by ascending segment ids.

    A segment without rows is 0.

    Args:
        data: A tensor of real numbers, of rank 1 or more.
        segment_ids: A vector of int32 or int64, ascending, not negative: the segment of each row.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a row for each segment up to the greatest id.

    Raises:
        InvalidArgumentError: The ids do not ascend, are negative, or are not as many as the rows.

    >>> import graphwright as tf
    >>> tf.math.segment_min([[1, 8], [2, 3], [4, 5]], [0, 0, 1]).numpy().tolist()
    [[1, 3], [4, 5]]
    """
    return apply(SegmentMin.of(), convert(data), convert(segment_ids), name=name)


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Sums the slices of each segment, whose ids may be in any order.

    A slice with a negative id is left out. A segment without slices is 0.

    Args:
        data: A tensor of numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int16, int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a slice for each segment.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_sum([1, 2, 4], [1, 0, 1], 3)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([2, 5, 0], dtype=int32)>
    """
    op = UnsortedSegmentSum.of()
    return apply(op, convert(data), convert(segment_ids), num_segments, name=name)


def counts(ids: TensorValue, count: TensorLike) -> Any:
    """How often each of `count` numbers is among `ids`, in their dtype."""
    return unsorted_segment_sum(ones_like(ids), ids, count)


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Multiplies the slices of each segment, whose ids may be in any order.

    A slice with a negative id is left out. A segment without slices is 1.

    Args:
        data: A tensor of numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a slice for each segment.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_prod([2, 3, 4], [1, 0, 1], 3).numpy().tolist()
    [3, 8, 1]
    """
    op = UnsortedSegmentProd.of()
    return apply(op, convert(data), convert(segment_ids), num_segments, name=name)


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Takes the greatest element among the slices of each segment, whose ids may be in any order.

    A slice with a negative id is left out. A segment without slices is the lowest finite value.

    Args:
        data: A tensor of real numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a slice for each segment.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_max([2, 3, 4], [1, 0, 1], 2).numpy().tolist()
    [3, 4]
    """
    op = UnsortedSegmentMax.of()
    return apply(op, convert(data), convert(segment_ids), num_segments, name=name)


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Takes the least element among the slices of each segment, whose ids may be in any order.

    A slice with a negative id is left out. A segment without slices is the highest finite value.

    Args:
        data: A tensor of real numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a slice for each segment.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_min([2, 3, 4], [1, 0, 1], 2).numpy().tolist()
    [3, 2]
    """
    op = UnsortedSegmentMin.of()
    return apply(op, convert(data), convert(segment_ids), num_segments, name=name)


def counts_of(data: TensorLike, ids: TensorLike, count: TensorLike) -> tuple[Any, Any]:
    """The sums of segments, and how many slices each has (at least 1), to divide by."""
    data, ids = convert(data), convert(ids)
    sums = unsorted_segment_sum(data, ids, count)
    sizes = maximum(unsorted_segment_sum(ones_like(ids, data.dtype), ids, count), 1)
    return sums, trailing(sizes, sums)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Averages the slices of each segment, whose ids may be in any order.

    A slice with a negative id is left out. A segment without slices is 0.

    Args:
        data: A tensor of numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor with a slice for each segment, of the dtype of `data`; of integers, as
        `tf.math.truediv` gives.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_mean([2.0, 3.0, 4.0], [1, 0, 1], 3).numpy().tolist()
    [3.0, 3.0, 0.0]
    """
    sums, sizes = counts_of(data, segment_ids, num_segments)
    return truediv(sums, sizes, name)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Sums the slices of each segment and divides by the square root of their number.

    A slice with a negative id is left out. A segment without slices is 0.

    Args:
        data: A tensor of floats or complex numbers, whose shape starts with that of `segment_ids`.
        segment_ids: A tensor of int32 or int64: the segment of each slice.
        num_segments: The number of segments: a scalar of int32 or int64.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `data`: a slice for each segment.

    Raises:
        InvalidArgumentError: An id is `num_segments` or more, or the shapes do not fit.

    >>> import graphwright as tf
    >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1], 2).numpy().tolist()
    [0.0, 5.0]
    """
    sums, sizes = counts_of(data, segment_ids, num_segments)
    return truediv(sums, sqrt(sizes), name)


def picked(
    plain: type[SparseSegment],
    counted: type[SparseSegment],
    operands: tuple[TensorLike, TensorLike, TensorLike],
    num_segments: TensorLike | None,
    sparse_gradient: bool,
    name: str | None,
) -> Any:
    """Applies one of a pair of ops, that with a number of segments where it is given."""
    tensors = [convert(x) for x in operands]
    if num_segments is None:
        return apply(plain.of(sparse_gradient), *tensors, name=name)
    return apply(counted.of(sparse_gradient), *tensors, num_segments, name=name)


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums the rows `data[indices]` of each segment, given by ascending segment ids.

    Args:
        data: A tensor of real numbers, of rank 1 or more.
        indices: A vector of int32 or int64: the rows that are picked.
        segment_ids: A vector of int32 or int64 of the same length, ascending: the segment of each.
        num_segments: The number of segments. None means the greatest id plus 1.
        name: A name for the op.
        sparse_gradient: Recorded in the op; the gradient is dense in either case.

    Returns:
        A tensor of the dtype of `data`: a row for each segment.

    Raises:
        InvalidArgumentError: The ids do not ascend, an index is out of range, or the lengths
            differ.

    >>> import graphwright as tf
    >>> tf.sparse.segment_sum([1.0, 2.0, 4.0], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [5.0, 2.0]
    """
    pair = SparseSegmentSum, SparseSegmentSumWithNumSegments
    return picked(*pair, (data, indices, segment_ids), num_segments, sparse_gradient, name)


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Averages the rows `data[indices]` of each segment, given by ascending segment ids.

    Args:
        data: A tensor of floats, of rank 1 or more.
        indices: A vector of int32 or int64: the rows that are picked.
        segment_ids: A vector of int32 or int64 of the same length, ascending: the segment of each.
        num_segments: The number of segments. None means the greatest id plus 1.
        name: A name for the op.
        sparse_gradient: Recorded in the op; the gradient is dense in either case.

    Returns:
        A tensor of the dtype of `data`: a row for each segment.

    Raises:
        InvalidArgumentError: The ids do not ascend, an index is out of range, or the lengths
            differ.

    >>> import graphwright as tf
    >>> tf.sparse.segment_mean([1.0, 2.0, 4.0], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [2.5, 2.0]
    """
    pair = SparseSegmentMean, SparseSegmentMeanWithNumSegments
    return picked(*pair, (data, indices, segment_ids), num_segments, sparse_gradient, name)


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums the rows `data[indices]` of each segment and divides by the square root of their number.

    Args:
        data: A tensor of floats, of rank 1 or more.
        indices: A vector of int32 or int64: the rows that are picked.
        segment_ids: A vector of int32 or int64 of the same length, ascending: the segment of each.
        num_segments: The number of segments. None means the greatest id plus 1.
        name: A name for the op.
        sparse_gradient: Recorded in the op; the gradient is dense in either case.

    Returns:
        A tensor of the dtype of `data`: a row for each segment.

    Raises:
        InvalidArgumentError: The ids do not ascend, an index is out of range, or the lengths
            differ.

    >>> import graphwright as tf
    >>> tf.sparse.segment_sqrt_n([1.0, 2.0, 4.0], [0, 1, 2, 1], [0, 0, 0, 0]).numpy().tolist()
    [4.5]
    """
    pair = SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments
    return picked(*pair, (data, indices, segment_ids), num_segments, sparse_gradient, name)
