"""Dropout: some elements become 0, chosen by chance, and the rest grows to keep the mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.math.comparison import select
from graphwright.ops.random.stateful_random import uniform
from graphwright.ops.random.stateless_random import Algorithm, stateless_uniform
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike, TensorValue


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: TensorLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to 0 with the probability `rate`, and scales the others by 1 / (1 - rate).

    Args:
        x: A tensor of floats.
        rate: A number in [0, 1), or a scalar tensor.
        noise_shape: A shape that broadcasts to that of `x`; elements along a broadcast axis are
            dropped together. None means the shape of `x`.
        seed: An int. None draws other numbers in each process, unless `tf.random.set_seed` was
            called.
        name: A name for the op.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: `x` is not of floats, or `rate` is outside [0, 1).

    Source:
        Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, JMLR
        15 (2014).

    >>> import graphwright as tf
    >>> tf.nn.dropout(tf.ones([2]), 0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
    """
    return general_dropout(x, rate, partial(uniform, seed=seed), noise_shape, name)


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: str | int | Algorithm | None = None,
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to 0 with the probability `rate`, as a seed decides, and scales the others.

    The same arguments always give the same result.

    Args:
        x: A tensor of floats.
        rate: A number in [0, 1), or a scalar tensor.
        seed: Two integers, as a list or a tensor.
        rng_alg: The algorithm: "philox", "threefry" or "auto_select". None means the last.
        noise_shape: A shape that broadcasts to that of `x`; elements along a broadcast axis are
            dropped together. None means the shape of `x`.
        name: A name for the op.

    Returns:
        A tensor like `x`, whose elements are 0 or x / (1 - rate).

    Raises:
        ValueError: `x` is not of floats, or `rate` is outside [0, 1).

    >>> import graphwright as tf
    >>> tf.nn.experimental.stateless_dropout(tf.ones([4]), 0.5, seed=[1, 2]).numpy().tolist()
    [2.0, 0.0, 2.0, 0.0]
    """
    sampler = partial(stateless_uniform, seed=seed, alg=rng_alg or "auto_select")
    return general_dropout(x, rate, sampler, noise_shape, name)


def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Callable[..., TensorValue],
    noise_shape: ShapeLike = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to 0 where random numbers are below `rate`, and scales the others.

    Args:
        x: A tensor of floats.
        rate: A number in [0, 1), or a scalar tensor.
        uniform_sampler: A function that is called as `uniform_sampler(shape=..., dtype=...)` and
            returns numbers in [0, 1).
        noise_shape: A shape that broadcasts to that of `x`; elements along a broadcast axis are
            dropped together. None means the shape of `x`.
        name: A name for the op.

    Returns:
        A tensor like `x`, whose elements are 0 or x / (1 - rate).

    Raises:
        ValueError: `x` is not of floats, or `rate` is outside [0, 1).

    >>> import graphwright as tf
    >>> def sampler(shape, dtype):
    ...     return tf.constant([0.1, 0.6, 0.5, 0.2], dtype)
    >>> tf.nn.experimental.general_dropout(tf.ones([4]), 0.5, sampler).numpy().tolist()
    [0.0, 2.0, 2.0, 0.0]
    """
    number = plain_number(rate)
    if number is not None and not 0 <= number < 1:
        raise ValueError(
            "`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
            f"rate={rate!r}"
        )
    x = convert(x)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x_dtype={x.dtype}"
        )
    if number == 0:
        return x
    if number is not None:
        scaled = x * convert(1.0 / (1.0 - number), x.dtype)
    else:
        rate = cast(convert(rate), x.dtype)
        scaled = x / (convert(1, x.dtype) - rate)
    noise = uniform_sampler(shape=completed(noise_shape, x), dtype=x.dtype)
    return select(noise >= rate, scaled, 0)


def plain_number(rate: object) -> float | None:
    """A number of Python's or NumPy's as a float; None for a tensor."""
    return float(rate) if isinstance(rate, Real) else None


def completed(noise_shape: ShapeLike, x: TensorValue) -> Any:
    """The shape of the noise: that of `x` where `noise_shape` does not say another."""
    if noise_shape is None:
        return shape_of(x)
    dims = x.type.dims
    if dims is None or not isinstance(noise_shape, (list, tuple)) or len(noise_shape) != len(dims):
        return noise_shape
    return [d if n is None else n for n, d in zip(noise_shape, dims)]
