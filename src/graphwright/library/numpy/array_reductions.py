"""NumPy's reductions, cumulative sums and orders."""

from __future__ import annotations

from typing import Any

from graphwright.library.numpy.array_functions import isnan, truth
from graphwright.library.numpy.promotion import asarray, dtype_of, inexact, promoted, result_type
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
from graphwright.ops.math.transcendental import abs as magnitude
from graphwright.ops.math.transcendental import sqrt, square
from graphwright.types import dtypes as dt


def widened(a: Any, dtype: Any) -> Any:
    """What is added up: of `dtype`, else small integers and booleans as 64 bits."""
    x = asarray(a)
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    if x.dtype is dt.bool_ or (x.dtype.is_integer and not x.dtype.is_unsigned):
        return cast(x, dt.int64)
    return cast(x, dt.uint64) if x.dtype.is_integer else x


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The sum along axes; integers are added up as 64 bits."""
    return reduction.reduce_sum(widened(a, dtype), axis, bool(keepdims))


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The product along axes; integers are multiplied as 64 bits."""
    return reduction.reduce_prod(widened(a, dtype), axis, bool(keepdims))


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool | None = None
) -> Any:
    """The mean along axes, of floats."""
    refuse_out(out)
    x = inexact(a) if dtype is None else cast(asarray(a), dtype_of(dtype))
    return reduction.reduce_mean(x, axis, bool(keepdims))


def refuse_out(out: Any) -> None:
    """ValueError for an array to write into: tensors do not change."""
    if out is not None:
        raise ValueError("Setting out is not supported.")


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Any:
    """The variance along axes: the mean square of what differs from the mean.

    The sum of squares is divided by the number of elements less `ddof`.
    """
    refuse_out(out)
    x = inexact(a) if dtype is None else cast(asarray(a), dtype_of(dtype))
    middle = reduction.reduce_mean(x, axis, True)
    squares = square(magnitude(x - middle))
    total = reduction.reduce_sum(squares, axis, bool(keepdims))
    count = reduction.reduce_sum(ones_like(squares), axis, bool(keepdims))
    return total / (count - ddof)


def std(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The standard deviation along axes."""
    return sqrt(var(a, axis, keepdims=keepdims))


def extreme(function: Any, booleans: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A greatest or least element along axes."""
    x = asarray(a)
    return (booleans if x.dtype is dt.bool_ else function)(x, axis, bool(keepdims))


def max(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The greatest element along axes."""
    return extreme(reduction.reduce_max, reduction.reduce_any, a, axis, keepdims)


def min(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The least element along axes."""
    return extreme(reduction.reduce_min, reduction.reduce_all, a, axis, keepdims)


def amax(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
    """The greatest element along axes."""
    refuse_out(out)
    return max(a, axis, keepdims)


def amin(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
    """The least element along axes."""
    refuse_out(out)
    return min(a, axis, keepdims)


def ptp(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The greatest element less the least along axes."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def all(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """Whether all elements along axes are true."""
    return reduction.reduce_all(truth(a), axis, bool(keepdims))


def any(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """Whether any element along axes is true."""
    return reduction.reduce_any(truth(a), axis, bool(keepdims))


def count_nonzero(a: Any, axis: Any = None) -> Any:
    """How many elements along axes are not zero."""
    return reduction.reduce_sum(cast(truth(a), dt.int64), axis)


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sum along axes without NaNs."""
    return sum(without_nans(a, zeros_like), axis, dtype, keepdims)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The product along axes without NaNs."""
    return prod(without_nans(a, ones_like), axis, dtype, keepdims)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The mean along axes of what is no NaN."""
    x = asarray(a)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        return mean(x, axis, dtype, keepdims=keepdims)
    total = nansum(x, axis, dtype, bool(keepdims))
    count = reduction.reduce_sum(cast(isnan(x), x.dtype) * -1 + 1, axis, bool(keepdims))
    return total / cast(count, total.dtype)


def without_nans(a: Any, like: Any) -> Any:
    """The elements, other ones in place of NaNs."""
    x = asarray(a)
    inexact_one = x.dtype.is_floating or x.dtype.is_complex
    return where(isnan(x), like(x), x) if inexact_one else x


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean along an axis, of weighted elements; with `returned` the sum of weights too."""
    if weights is None:
        x = inexact(a)
        found = reduction.reduce_mean(x, axis)
        total = reduction.reduce_sum(ones_like(x), axis)
        return (found, total) if returned else found
    dtype = result_type(a, weights)
    x, heavy = inexact(asarray(a, dtype)), inexact(asarray(weights, dtype))
    if axis is not None and heavy.type.rank == 1 and x.type.rank != 1:
        sides = [1] * (x.type.rank or 1)
        sides[axis] = -1
        heavy = reshape(heavy, sides)
    heavy = heavy + zeros_like(x)
    total = reduction.reduce_sum(heavy, axis)
    found = reduction.reduce_sum(x * heavy, axis) / total
    return (found, total) if returned else found


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The sums of all elements up to each, along an axis or of all in a row."""
    return cumulated(cumulation.cumsum, a, axis, dtype)


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The products of all elements up to each, along an axis or of all in a row."""
    return cumulated(cumulation.cumprod, a, axis, dtype)


def cumulated(function: Any, a: Any, axis: Any, dtype: Any) -> Any:
    """A cumulative function along an axis, or of all elements in a row."""
    x = widened(a, dtype)
    return function(reshape(x, [-1]), 0) if axis is None else function(x, axis)


def argmax(a: Any, axis: Any = None) -> Any:
    """Where the greatest element along an axis, or of all, is."""
    return placed(greatest_place, a, axis)


def argmin(a: Any, axis: Any = None) -> Any:
    """Where the least element along an axis, or of all, is."""
    return placed(least_place, a, axis)


def placed(function: Any, a: Any, axis: Any) -> Any:
    """A place along an axis, or among all elements in a row."""
    x = asarray(a)
    x = cast(x, dt.int8) if x.dtype is dt.bool_ else x
    return function(reshape(x, [-1]), 0) if axis is None else function(with_axis(x), axis)


def with_axis(x: Any) -> Any:
    """The tensor, a scalar as a vector of it."""
    if x.type.rank is not None:
        return x if x.type.rank else reshape(x, [1])
    dims = shape(x)
    return reshape(x, concat([[1], dims], 0)[minimum(rank(x), 1) :])


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """The elements along an axis (of all in a row if it is None) in order."""
    refuse_order(kind, order)
    x = asarray(a)
    return sorting.sort(reshape(x, [-1]), 0) if axis is None else sorting.sort(x, axis)


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """The places of the elements along an axis in their order."""
    refuse_order(kind, order)
    x = asarray(a)
    x, axis = (reshape(x, [-1]), 0) if axis is None else (with_axis(x), axis)
    found = sorting.argsort(x, axis)
    return cast(found, dt.int64)


def refuse_order(kind: str, order: Any) -> None:
    """ValueError for ways of sorting that there are not."""
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f"Invalid value for argument `kind`. Only kind='quicksort' and kind='stable' are "
            f"supported. Received: kind={kind}"
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


def polyval(p: Any, x: Any) -> Any:
    """The value at x of the polynomial with these coefficients, the highest first."""
    factors, at = promoted(p, x)
    total = zeros_like(at)
    for i in range(factors.shape[0]):
        total = total * at + factors[i]
    return total


def size(x: Any, axis: Any = None) -> Any:
    """How many elements there are, or how many along an axis."""
    tensor = asarray(x)
    known = tensor.shape
    if axis is not None:
        found = known[axis]
        return shape(tensor, dt.int64)[axis] if found is None else found
    count = known.num_elements()
    return reduction.reduce_prod(shape(tensor, dt.int64)) if count is None else count
