"""Means and variances along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.tensor_type import num_elements


def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: object = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes the mean and the biased variance along axes.

    They are computed in float32 for float16 and bfloat16.

    Args:
        x: A tensor of floats, complex numbers, int32 or int64, of any shape.
        axes: The axes, as an int or a list of ints.
        shift: Has no effect.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name, which has no effect.

    Returns:
        The mean and the variance, of the dtype of `x` and of its shape without the reduced axes.

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
    x: TensorLike,
    axes: npt.ArrayLike,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Computes the count, the sum and the sum of squares along axes, from which moments follow.

    Args:
        x: A tensor of numbers, of any shape.
        axes: The axes, as an int or a list of ints.
        shift: A tensor of the dtype of `x` that is subtracted from `x` first. None means nothing.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name, which has no effect.

    Returns:
        The count as a scalar, the sum and the sum of squares, all of the dtype of `x`. The fourth
        result is the shift, as a tensor or None.

    >>> import graphwright as tf
    >>> count, total, squares, shift = tf.nn.sufficient_statistics([1.0, 2.0, 3.0, 6.0], [0])
    >>> float(count), float(total), float(squares)
    (4.0, 12.0, 50.0)
    """
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


def counted(x: TensorValue, axes: Sequence[int]) -> Any:
    """The number of elements along `axes`, as a scalar of the dtype of `x`."""
    dims = x.type.dims
    count = None if dims is None else num_elements(tuple([dims[a] for a in axes]))
    if count is not None:
        return convert(count, x.dtype)
    return cast(
        reduce_prod(gather(shape(x), [a if a >= 0 else a + rank_of(x) for a in axes])), x.dtype
    )


def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes the mean and the variance from the results of `tf.nn.sufficient_statistics`.

    Args:
        counts: A scalar tensor of floats: the number of elements.
        mean_ss: A tensor of the dtype of `counts`: the sum of the elements.
        variance_ss: A tensor of the dtype and shape of `mean_ss`: the sum of their squares.
        shift: The shift that was subtracted from the elements, or None.
        name: A name, which has no effect.

    Returns:
        The mean and the variance, of the dtype and shape of `mean_ss`.

    >>> import graphwright as tf
    >>> mean, variance = tf.nn.normalize_moments(4.0, 12.0, 50.0, None)
    >>> float(mean), float(variance)
    (3.0, 3.5)
    """
    divisor = reciprocal(convert(counts))
    shifted_mean = convert(mean_ss) * divisor
    mean = shifted_mean if shift is None else shifted_mean + shift
    return mean, convert(variance_ss) * divisor - square(shifted_mean)


def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes the weighted mean and variance along axes.

    Both are 0 where no element has a weight.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        axes: The axes, as an int or a list of ints.
        frequency_weights: A tensor of numbers that broadcasts with `x`: the weight of each
            element.
        keepdims: Whether the reduced axes stay, with size 1.
        name: A name, which has no effect.

    Returns:
        The mean and the variance, of the dtype of `x` and of its shape without the reduced axes.

    >>> import graphwright as tf
    >>> mean, variance = tf.nn.weighted_moments([1.0, 2.0, 3.0, 6.0], [0], [1.0, 1.0, 2.0, 0.0])
    >>> float(mean), float(variance)
    (2.25, 0.6875)
    """
    x = convert(x)
    weights = convert(frequency_weights)
    y = cast(x, dt.float32) if x.dtype in (dt.float16, dt.bfloat16) else x
    weights = cast(weights, y.dtype)
    total = reduce_sum(weights + zeros_like(y), axes, keepdims=True)
    mean = divide_no_nan(reduce_sum(weights * y, axes, keepdims=True), total)
    distances = weights * squared_difference(y, mean)
    variance = divide_no_nan(reduce_sum(distances, axes, keepdims=True), total)
    if not keepdims:
        mean, variance = squeeze(mean, axes), squeeze(variance, axes)
    return cast(mean, x.dtype), cast(variance, x.dtype)
