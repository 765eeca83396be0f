"""Means and variances along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import squeeze
from graphwright.ops.core.shapes import rank_of, shape
from graphwright.ops.math.arithmetic import divide_no_nan
from graphwright.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import reciprocal, square, squared_difference
from graphwright.types import dtypes as dt


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the (biased) variance of `x` along `axes`; float16 is averaged in float32.

    >>> import graphwright as tf
    >>> mean, variance = tf.nn.moments([1.0, 2.0, 3.0, 6.0], axes=[0])
    >>> float(mean), float(variance)
    (3.0, 3.5)
    """
    x = convert(x)
    y = cast(x, dt.float32) if x.dtype in (dt.float16, dt.bfloat16) else x
    mean = reduce_mean(y, axes, keepdims=True)
    variance = reduce_mean(squared_difference(y, mean), axes, keepdims=True)
    if not keepdims:
        mean, variance = squeeze(mean, axes), squeeze(variance, axes)
    return cast(mean, x.dtype), cast(variance, x.dtype)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """The count, sum and sum of squares of `x` along `axes`, of `x - shift` if that is given."""
    x = convert(x)
    axes = sorted({int(a) for a in np.ravel(axes)})
    count = counted(x, axes)
    if shift is not None:
        shift = convert(shift, x.dtype)
        first, second = x - shift, squared_difference(x, shift)
    else:
        first, second = x, square(x)
    total = reduce_sum(first, axes, keepdims=keepdims)
    return count, total, reduce_sum(second, axes, keepdims=keepdims), shift


def counted(x: Any, axes: Sequence[int]) -> Any:
    """How many elements lie along `axes`, as a scalar of x's dtype."""
    dims = x.type.dims
    if dims is not None and all(dims[a] is not None for a in axes):
        return convert(int(np.prod([dims[a] for a in axes], dtype=np.int64)), x.dtype)
    return cast(
        reduce_prod(gather(shape(x), [a if a >= 0 else a + rank_of(x) for a in axes])), x.dtype
    )


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and variance of sufficient statistics."""
    divisor = reciprocal(convert(counts))
    shifted_mean = convert(mean_ss) * divisor
    mean = shifted_mean if shift is None else shifted_mean + shift
    return mean, convert(variance_ss) * divisor - square(shifted_mean)


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and variance of `x` along `axes`, each element counted by its weight.

    Both are 0 where no element has a weight.
    """
    x = convert(x)
    dtype = x.dtype
    weights = convert(frequency_weights)
    if dtype in (dt.float16, dt.bfloat16):
        x = cast(x, dt.float32)
    weights = cast(weights, x.dtype)
    total = reduce_sum(weights + zeros_like(x), axes, keepdims=True)
    mean = divide_no_nan(reduce_sum(weights * x, axes, keepdims=True), total)
    distances = weights * squared_difference(x, mean)
    variance = divide_no_nan(reduce_sum(distances, axes, keepdims=True), total)
    if not keepdims:
        mean, variance = squeeze(mean, axes), squeeze(variance, axes)
    return cast(mean, dtype), cast(variance, dtype)
