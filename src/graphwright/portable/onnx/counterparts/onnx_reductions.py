"""Reductions, cumulative sums, and what is greatest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.op.op import Op
from graphwright.ops.core.sorting import TopKV2
from graphwright.ops.math.counting import Bucketize
from graphwright.ops.math.cumulation import Cumprod, Cumsum
from graphwright.ops.math.reduction import All, Any_, Mean
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt

_SAME = {
    "EuclideanNorm": "ReduceL2", "Max": "ReduceMax", "Min": "ReduceMin", "Prod": "ReduceProd",
    "Sum": "ReduceSum",
}  # fmt: skip


def reduced(name: str) -> Callable[..., Wire]:
    """The rule that an op is a reduction of ONNX, whose axes are an operand."""

    def write(w: NodeWriter, op: Any, x: Wire, axes: Wire) -> Wire:
        return reduction(w, name, x, axes, op.keep_dims)

    write.__module__ = __name__
    return write


def reduction(w: NodeWriter, name: str, x: Wire, axes: Wire, keep_dims: bool) -> Wire:
    """A reduction; none where there are no axes."""
    return w.emit(name, x, w.vector(axes), keepdims=int(keep_dims), noop_with_empty_axes=1)


for _ours, _name in _SAME.items():
    counterpart(_ours, onnx=_name)(reduced(_name))


@counterpart("Mean", onnx="ReduceMean")
def mean(w: NodeWriter, op: Mean, x: Wire, axes: Wire) -> Wire:
    """The mean of floats; that of integers is rounded in another way."""
    if not x.dtype.is_floating:
        raise NoCounterpart("ReduceMean of ONNX rounds integers in another way")
    return reduction(w, "ReduceMean", x, axes, op.keep_dims)


@counterpart("All", onnx="Cast, ReduceMin")
def every(w: NodeWriter, op: All, x: Wire, axes: Wire) -> Wire:
    """Whether all are true."""
    least = reduction(w, "ReduceMin", w.cast(x, dt.int32), axes, op.keep_dims)
    return w.cast(least, dt.bool_)


@counterpart("Any", onnx="Cast, ReduceMax")
def some(w: NodeWriter, op: Any_, x: Wire, axes: Wire) -> Wire:
    """Whether one is true; none of no elements is."""
    count = reduction(w, "ReduceSum", w.cast(x, dt.int32), axes, op.keep_dims)
    return w.emit("Greater", count, w.like(0, count))


@counterpart("Cumsum", onnx="CumSum")
def cumsum(w: NodeWriter, op: Cumsum, x: Wire, axis: Wire) -> Wire:
    """Sums up to each place."""
    options: dict[str, Any] = {"exclusive": int(op.exclusive), "reverse": int(op.reverse)}
    return w.emit("CumSum", x, w.scalar(axis), **options)


@counterpart("Cumprod", onnx="CumProd", since=26)
def cumprod(w: NodeWriter, op: Cumprod, x: Wire, axis: Wire) -> Wire:
    """Products up to each place."""
    options: dict[str, Any] = {"exclusive": int(op.exclusive), "reverse": int(op.reverse)}
    return w.emit("CumProd", x, w.scalar(axis), **options)


def best_place(name: str) -> Callable[..., Wire]:
    """The rule of the place of the greatest or least element along an axis that is known."""

    def write(w: NodeWriter, op: Any, x: Wire, dimension: Wire) -> Wire:
        axis = w.axis(dimension, w.rank(x))
        return w.cast(w.emit(name, x, axis=axis, keepdims=0), op.output_type)

    write.__module__ = __name__
    return write


for _name in ("ArgMax", "ArgMin"):
    counterpart(_name, onnx=_name, note="the axis must be known")(best_place(_name))


@counterpart("TopKV2", onnx="TopK")
def top_k(w: NodeWriter, op: TopKV2, x: Wire, k: Wire) -> list[Wire]:
    """The greatest elements of rows, and their places."""
    options = {"axis": -1, "largest": 1, "sorted": 1}
    values, places = w.emit_all("TopK", [x, w.vector(k)], 2, None, options)
    return [values, w.cast(places, op.index_type)]


@counterpart("L2Loss", onnx="Mul, ReduceSum")
def l2_loss(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Half of the sum of squares."""
    total = w.emit("ReduceSum", w.emit("Mul", x, x), keepdims=0)
    return w.emit("Mul", total, w.like(0.5, total))


@counterpart("Bucketize", onnx="GreaterOrEqual, ReduceSum")
def bucketize(w: NodeWriter, op: Bucketize, x: Wire) -> Wire:
    """How many boundaries an element has reached."""
    bounds = w.constant(np.array(op.boundaries, np.float32), dt.float32)
    last = w.emit("Unsqueeze", w.cast(x, dt.float32), w.longs(-1))
    reached = w.cast(w.emit("GreaterOrEqual", last, bounds), dt.int32)
    return w.emit("ReduceSum", reached, w.longs(-1), keepdims=0)
