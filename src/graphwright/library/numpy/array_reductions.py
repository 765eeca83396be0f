"""NumPy's reductions, cumulative sums and orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from graphwright.library.numpy.array_functions import isnan, truth
from graphwright.library.numpy.array_shapes import atleast_1d
from graphwright.library.numpy.promotion import (
    Preference,
    asarray,
    dtype_of,
    inexact,
    promoted,
    result_type,
)
from graphwright.ops.core import sorting
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like, zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import rank, shape
from graphwright.ops.core.sorting import argmax as greatest_place
from graphwright.ops.core.sorting import argmin as least_place
from graphwright.ops.math import cumulation, reduction
from graphwright.ops.math.arithmetic import minimum
from graphwright.ops.math.magnitude import abs as magnitude
from graphwright.ops.math.transcendental import sqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue

#: Ops of a tensor: a reduction with its axes, and what goes along an axis.
Reduction: TypeAlias = Callable[[TensorValue, TensorLike | None, bool], TensorValue]
AlongAxis: TypeAlias = Callable[[TensorValue, int], TensorValue]

def widened(a: TensorLike, dtype: DTypeLike | None) -> Any:
    """The array as `dtype`; if None, small integers and bools as 64 bits, or as 32 bits in the
    promotion modes."""
    x = asarray(a)
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    is_small = x.dtype is dt.bool_ or (x.dtype.is_integer and x.dtype.size < 8)
    if not is_small:
        return x
    signed, unsigned = (dt.int32, dt.uint32) if Preference.is_narrow else (dt.int64, dt.uint64)
    return cast(x, unsigned if x.dtype.is_unsigned else signed)


def sum(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Sums the elements along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return reduction.reduce_sum(widened(a, dtype), axis, bool(keepdims))


def prod(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Multiplies the elements along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.prod([[1, 2], [3, 4]], axis=0).numpy()
    array([3, 8])
    """
    return reduction.reduce_prod(widened(a, dtype), axis, bool(keepdims))


def mean(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    out: TensorLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Computes the mean along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or float64 for integers.
        out: None: tensors cannot be written into.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    Raises:
        ValueError: `out` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.mean([1, 2]).numpy()
    np.float64(1.5)
    """
    refuse_out(out)
    x = inexact(a) if dtype is None else cast(asarray(a), dtype_of(dtype))
    return reduction.reduce_mean(x, axis, bool(keepdims))


def refuse_out(out: object) -> None:
    """Raises ValueError for an array to write into: tensors do not change."""
    if out is not None:
        raise ValueError("Setting out is not supported.")


def var(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    out: TensorLike | None = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Tensor:
    """Computes the variance along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or float64 for integers.
        out: None: tensors cannot be written into.
        ddof: The sum of squares is divided by the number of elements less `ddof`.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    Raises:
        ValueError: `out` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.var([1, 2, 3]).numpy()
    np.float64(0.6666666666666666)
    """
    refuse_out(out)
    x = inexact(a) if dtype is None else cast(asarray(a), dtype_of(dtype))
    center = reduction.reduce_mean(x, axis, True)
    squares = square(magnitude(x - center))
    total = reduction.reduce_sum(squares, axis, bool(keepdims))
    count = reduction.reduce_sum(ones_like(squares), axis, bool(keepdims))
    return total / (count - ddof)


def std(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Computes the standard deviation along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.std([1.0, 3.0]).numpy()
    np.float64(1.0)
    """
    return sqrt(var(a, axis, keepdims=keepdims))


def extreme(
    function: Reduction,
    booleans: Reduction,
    a: TensorLike,
    axis: TensorLike | None,
    keepdims: bool | None,
) -> Any:
    """The extremes along axes: by `booleans` of bool tensors, else by `function`."""
    x = asarray(a)
    return (booleans if x.dtype is dt.bool_ else function)(x, axis, bool(keepdims))


def max(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Returns the greatest elements along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.max([[1, 2], [3, 4]], axis=0).numpy()
    array([3, 4])
    """
    return extreme(reduction.reduce_max, reduction.reduce_any, a, axis, keepdims)


def min(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Returns the least elements along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.min([[1, 2], [3, 4]], axis=0).numpy()
    array([1, 2])
    """
    return extreme(reduction.reduce_min, reduction.reduce_all, a, axis, keepdims)


def amax(
    a: TensorLike,
    axis: TensorLike | None = None,
    out: TensorLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Returns the greatest elements along axes, like `tf.experimental.numpy.max`.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        out: None: tensors cannot be written into.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    Raises:
        ValueError: `out` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.amax([1, 2]).numpy()
    np.int64(2)
    """
    refuse_out(out)
    return max(a, axis, keepdims)


def amin(
    a: TensorLike,
    axis: TensorLike | None = None,
    out: TensorLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Returns the least elements along axes, like `tf.experimental.numpy.min`.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        out: None: tensors cannot be written into.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    Raises:
        ValueError: `out` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.amin([1, 2]).numpy()
    np.int64(1)
    """
    refuse_out(out)
    return min(a, axis, keepdims)


def ptp(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Returns the difference of the greatest and the least element along axes.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.ptp([1, 5]).numpy()
    np.int64(4)
    """
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def all(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Says whether all elements along axes are true.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A bool tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.all([[1, 0], [1, 1]], axis=1).numpy()
    array([False,  True])
    """
    return reduction.reduce_all(truth(a), axis, bool(keepdims))


def any(a: TensorLike, axis: TensorLike | None = None, keepdims: bool | None = None) -> Tensor:
    """Says whether any element along axes is true.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A bool tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.any([[1, 0], [0, 0]], axis=1).numpy()
    array([ True, False])
    """
    return reduction.reduce_any(truth(a), axis, bool(keepdims))


def count_nonzero(a: TensorLike, axis: TensorLike | None = None) -> Tensor:
    """Counts the elements along axes that are not 0.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.

    Returns:
        An int64 tensor without the axes.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.count_nonzero([0, 1, 2]).numpy()
    np.int64(2)
    """
    return reduction.reduce_sum(cast(truth(a), dt.int64), axis)


def nansum(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Sums the elements along axes; NaNs count as 0.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.nansum([1.0, np.nan]).numpy()
    np.float64(1.0)
    """
    return sum(without_nans(a, zeros_like), axis, dtype, keepdims)


def nanprod(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Multiplies the elements along axes; NaNs count as 1.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.nanprod([2.0, np.nan]).numpy()
    np.float64(2.0)
    """
    return prod(without_nans(a, ones_like), axis, dtype, keepdims)


def nanmean(
    a: TensorLike,
    axis: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Computes the mean along axes without NaNs.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis or axes, as an int or a list of ints. None means all axes.
        dtype: The dtype of the result. None means that of `a`, or float64 for integers.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor without the axes, unless `keepdims` is set.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.nanmean([2.0, np.nan]).numpy()
    np.float64(2.0)
    """
    x = asarray(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return mean(x, axis, dtype, keepdims=keepdims)
    total = nansum(x, axis, dtype, bool(keepdims))
    count = reduction.reduce_sum(cast(isnan(x), x.dtype) * -1 + 1, axis, bool(keepdims))
    return total / cast(count, total.dtype)


def without_nans(a: TensorLike, like: Callable[[TensorValue], TensorValue]) -> Any:
    """The elements, with those of `like(x)` in place of NaNs."""
    x = asarray(a)
    has_nans = x.dtype.is_floating or x.dtype.is_complex
    return where(isnan(x), like(x), x) if has_nans else x


@overload
def average(
    a: TensorLike,
    axis: int | None = None,
    weights: TensorLike | None = None,
    returned: Literal[False] = False,
) -> Tensor: ...
@overload
def average(
    a: TensorLike,
    axis: int | None = None,
    weights: TensorLike | None = None,
    *,
    returned: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def average(
    a: TensorLike,
    axis: int | None = None,
    weights: TensorLike | None = None,
    returned: bool = False,
) -> Any:
    """Computes the weighted mean along an axis.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all axes.
        weights: An array that broadcasts against `a`, or a vector along `axis`. None means equal
            weights.
        returned: Whether to return the sum of the weights as well.

    Returns:
        A tensor of floats without the axis; with `returned` a tuple of it and the sum of the
        weights.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.average([1.0, 3.0], weights=[3, 1]).numpy()
    np.float64(1.5)
    """
    if weights is None:
        x = inexact(a)
        result = reduction.reduce_mean(x, axis)
        total = reduction.reduce_sum(ones_like(x), axis)
        return (result, total) if returned else result
    dtype = result_type(a, weights)
    x, factors = inexact(asarray(a, dtype)), inexact(asarray(weights, dtype))
    if axis is not None and factors.type.rank == 1 and x.type.rank != 1:
        sides = [1] * (x.type.rank or 1)
        sides[axis] = -1
        factors = reshape(factors, sides)
    factors = factors + zeros_like(x)
    total = reduction.reduce_sum(factors, axis)
    result = reduction.reduce_sum(x * factors, axis) / total
    return (result, total) if returned else result


def cumsum(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Computes the sums of all elements up to each one.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.

    Returns:
        A tensor of the shape of `a`, or a vector where `axis` is None.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    return cumulated(cumulation.cumsum, a, axis, dtype)


def cumprod(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Computes the products of all elements up to each one.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.
        dtype: The dtype of the result. None means that of `a`, or 64 bits for smaller integers and
            bools.

    Returns:
        A tensor of the shape of `a`, or a vector where `axis` is None.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6])
    """
    return cumulated(cumulation.cumprod, a, axis, dtype)


def cumulated(function: AlongAxis, a: TensorLike, axis: int | None, dtype: DTypeLike | None) -> Any:
    """The result of a cumulative function along an axis, or of all elements in a row."""
    x = widened(a, dtype)
    if dtype is None and x.dtype is not asarray(a).dtype and x.dtype.is_unsigned:
        x = cast(x, dt.int32 if Preference.is_narrow else dt.int64)
    return function(reshape(x, [-1]), 0) if axis is None else function(x, axis)


def argmax(a: TensorLike, axis: int | None = None) -> Tensor:
    """Returns the indices of the greatest elements along an axis.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.

    Returns:
        An int64 tensor without the axis.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.argmax([[1, 5], [4, 3]], axis=1).numpy()
    array([1, 0])
    """
    return placed(greatest_place, a, axis)


def argmin(a: TensorLike, axis: int | None = None) -> Tensor:
    """Returns the indices of the least elements along an axis.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.

    Returns:
        An int64 tensor without the axis.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.argmin([[1, 5], [4, 3]], axis=1).numpy()
    array([0, 1])
    """
    return placed(least_place, a, axis)


def placed(function: AlongAxis, a: TensorLike, axis: int | None) -> Any:
    """The indices by `function` along an axis, or the index among all elements in a row."""
    x = asarray(a)
    x = cast(x, dt.int8) if x.dtype is dt.bool_ else x
    return function(reshape(x, [-1]), 0) if axis is None else function(with_axis(x), axis)


def with_axis(x: TensorValue) -> Any:
    """The tensor, with a scalar as a vector."""
    if x.type.rank is not None:
        return x if x.type.rank else reshape(x, [1])
    dims = shape(x)
    return reshape(x, concat([[1], dims], 0)[minimum(rank(x), 1) :])


def sort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: object = None
) -> Tensor:
    """Sorts the elements along an axis in ascending order.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.
        kind: "quicksort" or "stable", which mean the same.
        order: None: there are no structured arrays.

    Returns:
        A tensor of the shape of `a`, or a vector where `axis` is None.

    Raises:
        ValueError: `kind` is another, or `order` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])
    """
    refuse_order(kind, order)
    x = asarray(a)
    return sorting.sort(reshape(x, [-1]), 0) if axis is None else sorting.sort(x, axis)


def argsort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: object = None
) -> Tensor:
    """Returns the indices that sort the elements along an axis.

    Args:
        a: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements in row-major order.
        kind: "quicksort" or "stable", which mean the same.
        order: None: there are no structured arrays.

    Returns:
        An int64 tensor of the shape of `a`, or a vector where `axis` is None.

    Raises:
        ValueError: `kind` is another, or `order` is given.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])
    """
    refuse_order(kind, order)
    x = asarray(a)
    x, axis = (reshape(x, [-1]), 0) if axis is None else (with_axis(x), axis)
    return cast(sorting.argsort(x, axis), dt.int32 if Preference.is_narrow else dt.int64)


def refuse_order(kind: str, order: object) -> None:
    """Raises ValueError for an unknown kind of sort, or for an order of fields."""
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f"Invalid value for argument `kind`. Only kind='quicksort' and kind='stable' are "
            f"supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """Evaluates a polynomial by Horner's scheme.

    Args:
        p: The coefficients, a vector, that of the highest power first.
        x: The points, an array of any shape.

    Returns:
        A tensor of the shape of `x` and the promoted dtype.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.polyval([1, 0, 2], 3).numpy()
    np.int64(11)
    """
    factors, points = promoted(p, x)
    factors = atleast_1d(factors)
    total = zeros_like(points)
    for i in range(factors.shape[0]):
        total = total * points + factors[i]
    return total


def size(x: TensorLike, axis: int | None = None) -> Any:
    """Returns the number of elements of an array, or its size along an axis.

    Args:
        x: An array: a tensor, or a value that makes one.
        axis: The axis, as an int. None means all elements.

    Returns:
        An int64 of NumPy, an int for a number, or a scalar tensor of int64 where it is unknown
        while tracing.

    >>> import graphwright as tf
    >>> int(tf.experimental.numpy.size([[1, 2], [3, 4]]))
    4
    """
    if axis is None and isinstance(x, (int, float, complex)):
        return 1
    tensor = asarray(x)
    static = tensor.shape
    if axis is not None:
        length = static[axis]
        return shape(tensor, dt.int64)[axis] if length is None else length
    count = static.num_elements()
    return reduction.reduce_prod(shape(tensor, dt.int64)) if count is None else np.int64(count)
