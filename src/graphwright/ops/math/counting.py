"""Counts: of integers, of values in ranges, of hits among the best, of confusions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from graphwright.op.batching import Each, elementwise
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, is_tensor
from graphwright.op.late_imports import late_module
from graphwright.op.op import Op, Shapes, not_differentiable, undefined
from graphwright.ops.core import segment_kernels
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.gathering import scatter_nd
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import expand_dims, reshape, squeeze
from graphwright.ops.core.rule_words import moved
from graphwright.ops.core.shapes import size
from graphwright.ops.math.arithmetic import maximum, minimum, truediv
from graphwright.ops.math.clipping import clip_by_value
from graphwright.ops.math.comparison import greater, greater_equal
from graphwright.ops.math.reduction import count_nonzero, reduce_all, reduce_max, reduce_sum
from graphwright.ops.math.rounding import floor, is_finite
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType, is_compatible, merge_dims, show_dims

WEIGHT = dt.INDEX | {dt.float32, dt.float64}

#: So many predictions are worth a call of machine code.
_MANY = 1 << 6


class DenseBincount(Op):
    """The count, or sum of weights, of each of 0 ... size - 1, in all elements or each row."""

    type_name = "DenseBincount"
    inputs = ("input: Tidx", "size: Tidx host", "weights: T")
    outputs = ("output: T",)
    dtypes = {"Tidx": dt.INDEX, "T": WEIGHT}

    binary_output: bool = False

    def shapes(self, x: TensorType, count: int | None, weights: TensorType) -> Shapes:
        if count is not None and count < 0:
            raise ValueError(f"size ({count}) must be non-negative")
        if x.rank is not None and x.rank > 2:
            raise ValueError(f"Shape must be at most rank 2 but is rank {x.rank}: input")
        if x.dims is None:
            return (None,)
        return ((*x.dims[:1], count) if x.rank == 2 else (count,),)

    def kernel(self, x: Array, count: int, weights: Array) -> Any:
        if np.size(weights) and np.shape(weights) != np.shape(x):
            raise ValueError(
                f"`weights` must be the same shape as `arr` or a length-0 tensor. Input shapes: "
                f"weights {np.shape(weights)}, arr {np.shape(x)}"
            )
        used = weights if np.size(weights) else None
        counts = segment_kernels.bincount(np.asarray(x), int(count), used, self.binary_output)
        return counts.astype(weights.dtype, copy=False)

    gradient = undefined("add weights up with tf.math.unsorted_segment_sum, which has one")


class HistogramFixedWidth(Op):
    """The number of values in each of equal ranges; the outer ones are open."""

    type_name = "HistogramFixedWidth"
    inputs = ("values: T", "value_range: T", "nbins: int32 host")
    outputs = ("out: dtype",)
    dtypes = {"T": WEIGHT, "dtype": dt.INDEX}
    ruled = True
    gradient = not_differentiable

    dtype: DType = dt.int32

    def shapes(self, values: TensorType, value_range: TensorType, nbins: int | None) -> Shapes:
        if value_range.dims not in (None, (2,), (None,)):
            raise ValueError(
                f"value_range should be a vector of 2 elements, not {show_dims(value_range.dims)}"
            )
        if nbins is not None and nbins <= 0:
            raise ValueError(f"nbins should be a positive number, but got '{nbins}'")
        return ((nbins,),)

    def kernel(self, values: Array, value_range: Array, nbins: int) -> Array:
        low, high = float(value_range[0]), float(value_range[1])
        if not low < high:
            raise ValueError(
                "value_range should satisfy value_range[0] < value_range[1], but got "
                f"'[{value_range[0]}, {value_range[1]}]'"
            )
        if np.isnan(values).any():
            raise ValueError("Histogram values must not contain NaN")
        step = (high - low) / nbins
        places = np.floor((np.ravel(values).astype(np.float64) - low) / step)
        counts = np.bincount(np.clip(places, 0, nbins - 1).astype(np.int64), minlength=nbins)
        return counts.astype(self.dtype.numpy_dtype)


#: The boundaries that machine code compares each number with; among more, kernels search.
FEW_BOUNDARIES = 64


class Bucketize(Op):
    """The number of the range, between ascending boundaries, that each element is in."""

    type_name = "Bucketize"
    inputs = ("input: T",)
    outputs = ("output: int32",)
    dtypes = {"T": dt.INDEX | {dt.float32, dt.float64}}
    gradient = not_differentiable
    batched = elementwise
    ruled = True

    boundaries: tuple[float, ...] = ()

    def shapes(self, x: TensorType) -> Shapes:
        if any(a > b for a, b in pairwise(self.boundaries)):
            raise ValueError(f"Expected sorted boundaries, got {list(self.boundaries)}")
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        bounds = np.array(self.boundaries, np.float32)
        return np.searchsorted(bounds, x, side="right").astype(np.int32)

    def expand(self, x: GraphTensor) -> Any:
        """How many boundaries are not above each number."""
        if not 0 < len(self.boundaries) <= FEW_BOUNDARIES:
            return None
        bounds = convert(np.array(self.boundaries, np.float32))
        wide = x if x.dtype is dt.float32 else cast(x, dt.float64)
        below = wide[..., None] < cast(bounds, wide.dtype)
        return reduce_sum(cast(~below, dt.int32), -1)


class InTopKV2(Op):
    """Whether fewer than k predictions of a row are above that of the target class."""

    type_name = "InTopKV2"
    inputs = ("predictions: float32", "targets: T", "k: T host")
    outputs = ("precision: bool",)
    dtypes = {"T": dt.INDEX}
    ranks = {"predictions": 2, "targets": 1, "k": 0}
    gradient = not_differentiable

    def batched(self, each: Each) -> Any:
        return each.split(apply(self, each.merged(0), each.merged(1), each.same(2)), 0)

    def shapes(self, predictions: TensorType, targets: TensorType, k: int | None) -> Shapes:
        if (
            predictions.dims
            and targets.dims
            and not is_compatible(predictions.dims[:1], targets.dims)
        ):
            raise ValueError(
                f"First dimension of predictions {predictions.dims[0]} must match length of "
                f"targets {targets.dims[0]}"
            )
        rows = None if predictions.dims is None else predictions.dims[:1]
        return (merge_dims(rows, targets.dims) or (None,),)

    def kernel(self, predictions: Array, targets: Array, k: int) -> Any:
        if predictions.size >= _MANY:
            by_code = late_module("graphwright.ops.math.hit_code").hits(predictions, targets, k)
            if by_code is not None:
                return by_code
        classes = predictions.shape[1]
        known = (targets >= 0) & (targets < classes)
        if not classes:
            return known
        places = np.where(known, targets, 0)
        target = predictions[np.arange(len(places)), places][:, None]
        above = np.bitwise_count(np.packbits(predictions > target, axis=1))
        hits = known & (above.sum(axis=1, dtype=np.int64) < k)
        rows = predictions[hits]
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(rows.sum(axis=1))  # then all of the row is finite
        hits[hits] = finite if finite.all() else np.isfinite(rows).all(axis=1)
        return hits

    def expand(self, predictions: GraphTensor, targets: GraphTensor, k: GraphTensor) -> Any:
        """A count of each row's predictions above that of its target."""
        if not predictions.shape[1]:
            return None
        known = (targets >= 0) & (targets < predictions.shape[1])
        target = moved(predictions, 1, [targets], 1)
        above = reduce_sum(cast(predictions > expand_dims(target, 1), dt.int32), 1)
        decided = known & reduce_all(is_finite(predictions), 1)
        return decided & (cast(above, k.dtype) < k)


# -- the public functions -------------------------------------------------------------------


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike | None = dt.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts how often each of 0, 1, ... occurs in a tensor, or adds up weights.

    Args:
        arr: A tensor of int32 or int64, not negative; bools and floats are converted to int32.
            With `axis=-1` it has rank 1 or 2.
        weights: A tensor of the shape of `arr`, of int32, int64, float32 or float64: what each
            element adds to its count. None means 1.
        minlength: The least number of counts, as an integer.
        maxlength: The greatest number of counts, as an integer; greater values in `arr` are not
            counted.
        dtype: The dtype of the counts if there are no weights: int32, int64, float32 or float64.
            None means int32.
        name: A name for the op.
        axis: None or 0 counts all elements together, -1 the rows of a matrix one by one.
        binary_output: Whether to give 1 for each value that occurs, instead of its count.

    Returns:
        A vector of as many counts as the greatest value plus 1, or a matrix with a row of counts
        for each row of `arr`. Its dtype is that of `weights`, or else `dtype`.

    Raises:
        ValueError: `axis` is not None, 0 or -1, or there are weights with `binary_output`.
        InvalidArgumentError: A value is negative, or the shapes of `arr` and `weights` differ.

    >>> import graphwright as tf
    >>> tf.math.bincount([1, 1, 3])
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([0, 2, 0, 1], dtype=int32)>
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )
    x = convert(arr)
    if not x.dtype.is_integer:
        x = cast(x, dt.int32)
    if weights is None:
        weight = convert([], dt.int32 if dtype is None else as_dtype(dtype))
    else:
        weight = convert(weights)
    if axis != -1:
        x = reshape(x, [-1])
        weight = weight if weights is None else reshape(weight, [-1])
    length = cast(greater(size(x), 0), x.dtype) * (reduce_max(x) + 1)
    if minlength is not None:
        length = maximum(convert(minlength, x.dtype), length)
    if maxlength is not None:
        length = minimum(convert(maxlength, x.dtype), length)
    return apply(DenseBincount.of(binary_output), x, length, weight, name=name)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Counts how many values fall into each of `nbins` equal ranges within `value_range`.

    Values beyond the range count in the outermost bins.

    Args:
        values: A tensor of int32, int64, float32 or float64, of any shape.
        value_range: A vector of the dtype of `values`, of two elements: the least and the greatest
            value.
        nbins: The number of ranges, as an int32 scalar.
        dtype: The dtype of the counts: int32 or int64.
        name: A name for the op.

    Returns:
        A vector of `nbins` counts of `dtype`.

    Raises:
        InvalidArgumentError: `nbins` is not positive, or `value_range` is not two ascending
            numbers.

    >>> import graphwright as tf
    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)
    <tf.Tensor: shape=(5,), dtype=int32, numpy=array([2, 1, 1, 0, 2], dtype=int32)>
    """
    x = convert(values)
    op = HistogramFixedWidth.of(HistogramFixedWidth.dtype_for("dtype", dtype))
    return apply(op, x, convert(value_range, x.dtype), nbins, name=name)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Computes in which of `nbins` equal ranges within `value_range` each value falls.

    Values beyond the range fall into the outermost bins.

    Args:
        values: A tensor of integers or floats, of any shape.
        value_range: A vector of the dtype of `values`, of two elements: the least and the greatest
            value.
        nbins: The number of ranges, as an integer scalar.
        dtype: Has no effect, as in TensorFlow.
        name: A name for the op.

    Returns:
        A tensor of int32, of the shape of `values`.

    >>> import graphwright as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)
    <tf.Tensor: shape=(6,), dtype=int32, numpy=array([0, 0, 1, 2, 4, 4], dtype=int32)>
    """
    x = convert(values)
    bounds = convert(value_range, x.dtype)
    scaled = truediv(x - bounds[0], bounds[1] - bounds[0])
    count = cast(convert(nbins), scaled.dtype)
    places = floor(count * scaled)
    return cast(clip_by_value(places, 0, count - 1), dt.int32, name)


def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Tests whether the target class is among the `k` best predictions of each row.

    Ties at the boundary count as in; a row with a prediction that is not finite gives False.

    Args:
        targets: A vector of int32 or int64: the class of each row. A class that does not exist
            gives False.
        predictions: A matrix of float32: a row of predictions for each target.
        k: The number of predictions that count as best, as an integer scalar.
        name: A name for the op.

    Returns:
        A vector of bools, one for each row.

    Raises:
        InvalidArgumentError: The numbers of targets and rows differ (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.math.in_top_k([1, 2], [[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], k=1)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
    """
    numbers = convert(predictions, None if is_tensor(predictions) else dt.float32)
    return apply(InTopKV2.of(), numbers, convert(targets), k, name=name)


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dt.int32,
    name: str | None = None,
) -> Tensor:
    """Counts how often each class (row) was predicted as each class (column).

    Args:
        labels: A vector of numbers: the true classes.
        predictions: A vector of numbers of the same length: the predicted classes. A last axis of
            size 1 that only one of both has is dropped.
        num_classes: The number of classes. None means one more than the greatest class in `labels`
            and `predictions`.
        weights: A vector of the same length: what each prediction adds to its count. None means 1.
        dtype: The dtype of the counts.
        name: A name for the op.

    Returns:
        A square matrix of `dtype`, of `num_classes` rows.

    Raises:
        InvalidArgumentError: A class is negative or beyond `num_classes`, or the lengths differ.

    >>> import graphwright as tf
    >>> tf.math.confusion_matrix([0, 1], [0, 0])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 0],
           [1, 0]], dtype=int32)>
    """
    rows, columns = matched(convert(labels), convert(predictions))
    rows, columns = cast(rows, dt.int64), cast(columns, dt.int64)
    if num_classes is None:
        count = maximum(reduce_max(columns), reduce_max(rows)) + 1
    else:
        count = cast(convert(num_classes), dt.int64)
    to = dt.int64 if dtype is None else as_dtype(dtype)
    values = ones_like(columns, to) if weights is None else cast(convert(weights), to)
    return scatter_nd(stack([rows, columns], axis=1), values, stack([count, count]), name=name)


def matched(labels: TensorValue, predictions: TensorValue) -> tuple[Any, Any]:
    """Labels and predictions without a last axis of 1 that only one of them has."""
    rank, other = labels.type.rank, predictions.type.rank
    if rank is not None and other is not None:
        if rank - other == 1:
            return squeeze(labels, [-1]), predictions
        if other - rank == 1:
            return labels, squeeze(predictions, [-1])
    return labels, predictions


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Computes the share of zeros among all elements; NaN where there are none.

    Args:
        value: A tensor of numbers, bools or strings, of any shape.
        name: A name for the op.

    Returns:
        A scalar tensor of float32.

    >>> import graphwright as tf
    >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """
    x = convert(value)
    whole = size(x, dt.int64)
    zeros = whole - count_nonzero(x)
    return truediv(cast(zeros, dt.float32), cast(whole, dt.float32), name)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether no element is below the one before it, reading the tensor row by row.

    Args:
        x: A tensor of integers or floats, of any shape.
        name: A name for the op.

    Returns:
        A scalar tensor of bool; True for fewer than two elements.

    >>> import graphwright as tf
    >>> tf.math.is_non_decreasing([1, 1, 2])
    <tf.Tensor: shape=(), dtype=bool, numpy=True>
    """
    return reduce_all(greater_equal(steps(x), 0), name=name)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether each element is above the one before it, reading the tensor row by row.

    Args:
        x: A tensor of integers or floats, of any shape.
        name: A name for the op.

    Returns:
        A scalar tensor of bool; True for fewer than two elements.

    >>> import graphwright as tf
    >>> tf.math.is_strictly_increasing([1, 1, 2])
    <tf.Tensor: shape=(), dtype=bool, numpy=False>
    """
    return reduce_all(greater(steps(x), 0), name=name)


def steps(x: TensorLike) -> Any:
    """The differences of neighbours of a flattened tensor."""
    flat = reshape(convert(x), [-1])
    return flat[1:] - flat[:-1]
