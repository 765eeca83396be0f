"""`tf.experimental.numpy.random`: NumPy's random numbers, from the package's generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.library.numpy.promotion import dtype_of, inexact, sizes
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.random import stateful_random as draws
from graphwright.ops.random.seeds import set_seed
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, ShapeLike, Tensor, TensorLike
from graphwright.types.dtypes import as_dtype


def seed(s: int) -> None:
    """Sets the seed of all random numbers, like `tf.random.set_seed`.

    Args:
        s: The seed, as an int.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.seed(1)
    """
    set_seed(int(s))


def shape_of(size: ShapeLike) -> Any:
    """The shape, with None as that of a scalar."""
    return [] if size is None else sizes(size)


def default() -> Any:
    """The dtype of NumPy's random floats."""
    return dtype_of(float)


def rand(*size: int) -> Tensor:
    """Draws floats from [0, 1) uniformly.

    Args:
        *size: The sizes of the result.

    Returns:
        A float64 tensor of shape `size`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


def random(size: ShapeLike = None) -> Tensor:
    """Draws floats from [0, 1) uniformly.

    Args:
        size: The shape, as an int or a list of ints. None means a scalar.

    Returns:
        A float64 tensor of shape `size`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.random([2, 3]).shape
    TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: ShapeLike = None) -> Tensor:
    """Draws floats from [low, high) uniformly.

    Args:
        low: The least value, as a number or an array.
        high: The upper end, as a number or an array.
        size: The shape, as an int or a list of ints. None means that of `low` and `high`.

    Returns:
        A float64 tensor.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.uniform(5.0, 6.0, [2]).shape
    TensorShape([2])
    """
    first, last = cast(inexact(low), default()), cast(inexact(high), default())
    if size is None:
        size = (first + last).shape
    return draws.uniform(shape_of(size), dtype=default()) * (last - first) + first


def randn(*args: int) -> Tensor:
    """Draws floats from the standard normal distribution.

    Args:
        *args: The sizes of the result.

    Returns:
        A float64 tensor of shape `args`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: ShapeLike = None) -> Tensor:
    """Draws floats from the standard normal distribution.

    Args:
        size: The shape, as an int or a list of ints. None means a scalar.

    Returns:
        A float64 tensor of shape `size`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.standard_normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return draws.normal(shape_of(size), dtype=default())


def randint(
    low: TensorLike,
    high: TensorLike | None = None,
    size: ShapeLike = None,
    dtype: DTypeLike = np.int64,
) -> Tensor:
    """Draws integers from [low, high) uniformly.

    Args:
        low: The least value; or, where `high` is None, the upper end, and 0 is the least.
        high: The upper end, which is excluded, or None.
        size: The shape, as an int or a list of ints. None means a scalar.
        dtype: A dtype of integers.

    Returns:
        A tensor of shape `size` and dtype `dtype`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.randint(5, 6, [2]).numpy()
    array([5, 5])
    """
    first, last = (0, low) if high is None else (low, high)
    kind = dtype_of(dtype)
    if kind not in (dt.int32, dt.int64):
        numbers = draws.uniform(shape_of(size), first, last, dt.int64)
        return cast(numbers, as_dtype(kind))
    return draws.uniform(shape_of(size), first, last, kind)


def poisson(lam: TensorLike = 1.0, size: ShapeLike = None) -> Tensor:
    """Draws counts from Poisson distributions.

    Args:
        lam: The expected counts, as a number or an array.
        size: The shape of the draws for each element of `lam`. None means a single one.

    Returns:
        An int64 tensor of shape `size`, followed by that of `lam`.

    >>> import graphwright as tf
    >>> tf.experimental.numpy.random.poisson(4.0, [2]).shape
    TensorShape([2])
    """
    rate = convert(lam, default())
    shape = [] if size is None else sizes(size)
    return draws.poisson(shape, rate, dtype=dt.int64)
