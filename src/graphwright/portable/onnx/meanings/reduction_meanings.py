"""Reductions, cumulative sums, and what is greatest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.sorting import argmax, argmin, top_k
from graphwright.ops.math.cumulation import cumprod, cumsum
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import (
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from graphwright.ops.math.transcendental import log, sqrt, square
from graphwright.portable.onnx.meaning import OnnxNode, meaning, rank_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue


def log_sum(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The logarithm of a sum."""
    return log(reduce_sum(x, axes, keepdims))


def sum_of_magnitudes(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The sum of absolute values."""
    return reduce_sum(abs(x), axes, keepdims)


def root_of_squares(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The Euclidean norm."""
    return (
        sqrt(reduce_sum(square(x), axes, keepdims))
        if x.dtype.is_floating
        else (cast(sqrt(cast(reduce_sum(square(x), axes, keepdims), dt.float64)), x.dtype))
    )


def sum_of_squares(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The sum of squares."""
    return reduce_sum(square(x), axes, keepdims)


def log_sum_exp(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The logarithm of a sum of exponentials."""
    return reduce_logsumexp(x, axes, keepdims)


def greatest(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The greatest element; of bools, whether one is true."""
    function = reduce_any if x.dtype is dt.bool_ else reduce_max
    return function(x, axes, keepdims)


def least(x: TensorValue, axes: TensorValue, keepdims: bool) -> Any:
    """The least element; of bools, whether all are true."""
    function = reduce_all if x.dtype is dt.bool_ else reduce_min
    return function(x, axes, keepdims)


def reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a reduction; without axes it goes over all, or over none."""

    def read(n: OnnxNode, x: TensorValue, axes: TensorValue | None = None) -> Any:
        keep = bool(n.get("keepdims", 1))
        places: Any = axes if axes is not None else n.get("axes")
        if axes is not None and axes.type.dims == (0,):
            places = None
        if places is None:
            if n.get("noop_with_empty_axes"):
                places = []
            elif axes is not None and axes.type.dims != (0,):
                places = axes
        return function(x, places, keep)

    read.__module__ = __name__
    return read


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceL1": sum_of_magnitudes, "ReduceL2": root_of_squares, "ReduceLogSum": log_sum,
    "ReduceLogSumExp": log_sum_exp, "ReduceMax": greatest, "ReduceMean": reduce_mean,
    "ReduceMin": least, "ReduceProd": reduce_prod, "ReduceSum": reduce_sum,
    "ReduceSumSquare": sum_of_squares,
}  # fmt: skip
for _name, _function in _REDUCTIONS.items():
    meaning(_name)(reduced(_function))


def accumulated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a cumulative sum or product."""

    def read(n: OnnxNode, x: TensorValue, axis: TensorValue) -> Any:
        place = reshape(axis, [])
        return function(x, place, bool(n.get("exclusive")), bool(n.get("reverse")))

    read.__module__ = __name__
    return read


meaning("CumSum")(accumulated(cumsum))
meaning("CumProd")(accumulated(cumprod))


def best(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of the place of the greatest or least element."""

    def read(n: OnnxNode, x: TensorValue) -> Any:
        axis = int(n.get("axis", 0))
        if n.get("select_last_index"):
            size = shape(x, dt.int64)[axis]
            place = size - 1 - function(reverse(x, [axis]), axis)
        else:
            place = function(x, axis)
        return expand_dims(place, axis) if n.get("keepdims", 1) else place

    read.__module__ = __name__
    return read


meaning("ArgMax")(best(argmax))
meaning("ArgMin")(best(argmin))


@meaning("TopK")
def top(n: OnnxNode, x: TensorValue, k: TensorValue | None = None) -> Any:
    """The greatest or least elements along an axis, and their places."""
    count = n.get("k") if k is None else reshape(k, [])
    axis = int(n.get("axis", -1)) % rank_of(x)
    order = [i for i in range(rank_of(x)) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank_of(x))]
    rows = transpose(x, order)
    if n.get("largest", 1):
        values, places = top_k(rows, cast(count, dt.int32))
    else:
        flipped = rows if rows.dtype.is_floating else cast(rows, dt.int64)
        _, places = top_k(-flipped, cast(count, dt.int32))
        values = gather(rows, places, batch_dims=rank_of(x) - 1)
    return [transpose(values, back), cast(transpose(places, back), dt.int64)]


@meaning("Hardmax")
def hardmax(n: OnnxNode, x: TensorValue) -> Any:
    """1 at the first greatest element along an axis, 0 elsewhere."""
    axis = int(n.get("axis", -1 if n.opset >= 13 else 1)) % rank_of(x)
    if n.opset >= 13:
        return one_hot(argmax(x, axis), shape(x)[axis], dtype=x.dtype, axis=axis)
    rows = reshape(x, [reduce_prod(shape(x)[:axis]), -1])
    return reshape(one_hot(argmax(rows, 1), shape(rows)[1], dtype=x.dtype), shape(x))
