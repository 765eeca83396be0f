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
from graphwright.ops.random.stateless_random import stateless_uniform


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Elements of `x` at random as 0 with the probability `rate`, others as x / (1 - rate).

    `noise_shape` broadcasts to the shape of `x`: what it broadcasts falls together. ValueError
    unless `x` is floating and `rate` in [0, 1).

    >>> import graphwright as tf
    >>> tf.nn.dropout(tf.ones([2]), 0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
    """
    return general_dropout(x, rate, partial(uniform, seed=seed), noise_shape, name)


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """As `dropout`, where `seed` (two integers) alone decides which elements fall."""
    sampler = partial(stateless_uniform, seed=seed, alg=rng_alg or "auto_select")
    return general_dropout(x, rate, sampler, noise_shape, name)


def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: Callable[..., Any],
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """0 where `uniform_sampler(shape=, dtype=)` is below `rate`, elsewhere x / (1 - rate).

    `noise_shape` broadcasts to the shape of `x`. ValueError unless `x` is floating and `rate`
    in [0, 1).
    """
    known = isinstance(rate, Real)
    if known and not 0 <= float(rate) < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = convert(x)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x_dtype={x.dtype}"
        )
    if known and rate == 0:
        return x
    if known:
        scaled = x * convert(1.0 / (1.0 - float(rate)), x.dtype)
    else:
        rate = cast(convert(rate), x.dtype)
        scaled = x / (convert(1, x.dtype) - rate)
    noise = uniform_sampler(shape=completed(noise_shape, x), dtype=x.dtype)
    return select(noise >= rate, scaled, 0)


def completed(noise_shape: Any, x: Any) -> Any:
    """The shape of the noise: that of `x` where nothing else is asked for."""
    if noise_shape is None:
        return shape_of(x)
    dims = x.type.dims
    as_many = isinstance(noise_shape, (list, tuple)) and len(noise_shape) == len(dims or ())
    if as_many and dims is not None:
        return [d if n is None else n for n, d in zip(noise_shape, dims)]
    return noise_shape
