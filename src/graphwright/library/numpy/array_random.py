"""`tf.experimental.numpy.random`: NumPy's random numbers, from the package's generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.library.numpy.promotion import dtype_of, inexact, result_type, sizes
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.random import stateful_random as draws
from graphwright.ops.random.seeds import set_seed
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import as_dtype


def seed(s: int) -> None:
    """Sets the seed of all random numbers."""
    set_seed(int(s))


def shape_of(size: Any) -> Any:
    """A shape: of a single number if none is given."""
    return [] if size is None else sizes(size)


def default() -> Any:
    """The dtype of NumPy's random floats."""
    return result_type(float)


def rand(*size: int) -> Any:
    """Numbers from [0, 1), all equally likely."""
    return uniform(0.0, 1.0, size)


def random(size: Any = None) -> Any:
    """Numbers from [0, 1), all equally likely."""
    return uniform(0.0, 1.0, size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers from [low, high), all equally likely."""
    first, last = cast(inexact(low), default()), cast(inexact(high), default())
    if size is None:
        size = (first + last).shape
    return draws.uniform(shape_of(size), dtype=default()) * (last - first) + first


def randn(*args: int) -> Any:
    """Numbers of the standard normal distribution."""
    return standard_normal(args)


def standard_normal(size: Any = None) -> Any:
    """Numbers of the standard normal distribution."""
    return draws.normal(shape_of(size), dtype=default())


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Integers from [low, high), or from [0, low) if only one is given."""
    first, last = (0, low) if high is None else (low, high)
    kind = dtype_of(dtype)
    if kind not in (dt.int32, dt.int64):
        numbers = draws.uniform(shape_of(size), first, last, dt.int64)
        return cast(numbers, as_dtype(kind))
    return draws.uniform(shape_of(size), first, last, kind)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Counts of events of which `lam` are expected, int64."""
    rate = convert(lam, default())
    shape = [] if size is None else sizes(size)
    return draws.poisson(shape, rate, dtype=dt.int64)
