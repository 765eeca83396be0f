"""Dropout: some elements become 0, chosen by chance, and the rest grows to keep the mean."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from graphwright.op.interpreter import convert
from graphwright.ops.comparison import select
from graphwright.ops.conversion import cast
from graphwright.ops.shape import shape_of


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
    if isinstance(noise_shape, (list, tuple)) and dims is not None:
        return [d if n is None else n for n, d in zip(noise_shape, dims)]
    return noise_shape
