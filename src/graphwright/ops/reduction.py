"""Reductions along axes, and the broadcasts that are their adjoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.op.families import Reduction
from graphwright.op.interpreter import apply, convert
from graphwright.types import dtypes as dt


@dataclass(frozen=True)
class Sum(Reduction):
    """The sum of the elements along axes."""

    type_name = "Sum"

    def kernel(self, x: Any, axes: Any) -> Any:
        return np.add.reduce(x, axis=axes, dtype=x.dtype, keepdims=self.keep_dims)


@dataclass(frozen=True)
class Max(Reduction):
    """The greatest element along axes."""

    type_name = "Max"
    dtypes = {"T": dt.REAL, "Tidx": dt.INDEX}

    def kernel(self, x: Any, axes: Any) -> Any:
        kind = dt.of_numpy(x.dtype)
        lowest = -np.inf if kind.is_floating else kind.min
        return np.maximum.reduce(x, axis=axes, keepdims=self.keep_dims, initial=lowest)


def all_axes(x: Any, axis: Any) -> Any:
    """The axes of a reduction: those asked for, or all of `x`'s."""
    if axis is not None:
        return axis
    rank = x.type.rank
    if rank is not None:
        return tuple(range(rank))
    return axes_of_unknown_rank(x)


def axes_of_unknown_rank(x: Any) -> Any:
    """`range(rank(x))` as a tensor, for an input whose rank is known only when it runs."""
    raise NotImplementedError


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The sum of the elements along `axis` (all axes by default).

    >>> import graphwright as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
    x = convert(input_tensor)
    return apply(Sum.of(bool(keepdims)), x, all_axes(x, axis), name=name)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The greatest element along `axis` (all axes by default)."""
    x = convert(input_tensor)
    return apply(Max.of(bool(keepdims)), x, all_axes(x, axis), name=name)
