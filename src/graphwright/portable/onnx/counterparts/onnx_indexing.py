"""Gathering, scattering, and what depends on places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.op.op import Op
from graphwright.ops.core.gathering import GatherNd, GatherV2, ScatterNd
from graphwright.ops.core.indicators import OneHot
from graphwright.ops.core.sequences import Range
from graphwright.ops.core.unique import Unique, UniqueV2, UniqueWithCounts
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.element_words import ElementWords
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType


@counterpart("GatherV2", onnx="Gather, GatherND", note="the axis must be known")
def gather(w: NodeWriter, op: GatherV2, params: Wire, indices: Wire, axis: Wire) -> Wire:
    """Slices along an axis."""
    place = w.axis(axis, params.type.rank or 0)
    batch = op.batch_dims
    if batch < 0:
        batch += w.rank(indices, "the indices")
    indices = places(w, indices)
    if not batch:
        return w.emit("Gather", params, indices, axis=place)
    if place != batch:
        raise NoCounterpart("GatherND of ONNX takes the axis after those of batches")
    last = w.emit("Unsqueeze", indices, w.longs(-1))
    return w.emit("GatherND", params, last, batch_dims=batch)


def places(w: NodeWriter, indices: Wire) -> Wire:
    """Indices of a dtype that ONNX takes."""
    return indices if indices.dtype in dt.INDEX else w.cast(indices, dt.int64)


@counterpart("GatherNd", onnx="GatherND")
def gather_nd(w: NodeWriter, op: GatherNd, params: Wire, indices: Wire) -> Wire:
    """Slices at places of several axes."""
    if op.bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise NoCounterpart("GatherND of ONNX refuses places outside")
    return w.emit("GatherND", params, w.cast(indices, dt.int64))


@counterpart("ScatterNd", onnx="Expand, ScatterND")
def scatter_nd(w: NodeWriter, op: ScatterNd, indices: Wire, updates: Wire, dims: Wire) -> Wire:
    """Slices added to zeros at places."""
    if op.bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise NoCounterpart("ScatterND of ONNX refuses places outside")
    zeros = w.emit("Expand", w.zero(updates.dtype), w.vector(dims))
    return w.emit("ScatterND", zeros, w.cast(indices, dt.int64), updates, reduction="add")


def scattered(reduction: str) -> Callable[..., Wire]:
    """The rule that slices are combined with those of a tensor at places."""

    def write(w: NodeWriter, op: Any, x: Wire, indices: Wire, updates: Wire) -> Wire:
        if op.bad_indices_policy not in ("", "DEFAULT", "ERROR"):
            raise NoCounterpart("ScatterND of ONNX refuses places outside")
        if reduction == "sub":
            updates = w.emit("Neg", updates)
        name = {"sub": "add"}.get(reduction, reduction)
        return w.emit("ScatterND", x, w.cast(indices, dt.int64), updates, reduction=name)

    write.__module__ = __name__
    return write


for _ours, _reduction in {
    "TensorScatterAdd": "add", "TensorScatterMax": "max", "TensorScatterMin": "min",
    "TensorScatterSub": "sub", "TensorScatterUpdate": "none",
}.items():  # fmt: skip
    counterpart(_ours, onnx="ScatterND")(scattered(_reduction))


def extreme(dtype: DType, greatest: bool) -> float:
    """The greatest or least number of a dtype."""
    return (
        float(dtype.max if greatest else dtype.min)
        if dtype.is_floating
        else (int(dtype.max if greatest else dtype.min))
    )


def segments(reduction: str, neutral: Callable[[DType], float]) -> Callable[..., Wire]:
    """The rule that the rows of one number are combined; those of negative numbers are left out."""

    def write(w: NodeWriter, op: Op, data: Wire, ids: Wire, count: Wire) -> Wire:
        rank, words = w.rank(ids, "the numbers of rows"), ElementWords(w)
        number = w.vector(count)
        index, scalar = w.cast(ids, dt.int64), w.reshape(number, w.longs())
        index = words.select(words.less(index, w.like(0, index)), scalar, index)
        rest = w.emit("Shape", data, start=rank)
        more = words.add(number, w.longs(1))
        dims = w.emit("Concat", more, rest, axis=0)
        start = w.constant(neutral(data.dtype), data.dtype)
        into = w.emit("Expand", start, dims)
        rows = w.emit("Unsqueeze", index, w.longs(-1))
        whole = w.emit("ScatterND", into, rows, data, reduction=reduction)
        return w.emit("Slice", whole, w.longs(0), number, w.longs(0))

    write.__module__ = __name__
    return write


for _ours, _reduction, _neutral in (
    ("UnsortedSegmentSum", "add", lambda dtype: 0),
    ("UnsortedSegmentProd", "mul", lambda dtype: 1),
    ("UnsortedSegmentMax", "max", lambda dtype: extreme(dtype, False)),
    ("UnsortedSegmentMin", "min", lambda dtype: extreme(dtype, True)),
):
    counterpart(_ours, onnx="ScatterND, Slice")(segments(_reduction, _neutral))


@counterpart("SegmentSum", onnx="ScatterND", note="of at least one row")
def segment_sum(w: NodeWriter, op: Op, data: Wire, ids: Wire) -> Wire:
    """The sums of rows of one number, which are sorted."""
    if ids.type.dims == (0,):
        raise NoCounterpart("ReduceMax of ONNX has nothing of no rows")
    index, words = w.cast(ids, dt.int64), ElementWords(w)
    last = w.emit("ReduceMax", index, keepdims=1)
    dims = w.emit("Concat", words.add(last, w.longs(1)), w.emit("Shape", data, start=1), axis=0)
    zeros = w.emit("Expand", w.like(0, data), dims)
    rows = w.emit("Unsqueeze", index, w.longs(-1))
    return w.emit("ScatterND", zeros, rows, data, reduction="add")


@counterpart("OneHot", onnx="Range, Equal, Where")
def one_hot(w: NodeWriter, op: OneHot, indices: Wire, depth: Wire, on: Wire, off: Wire) -> Wire:
    """One value at the places that indices say. ONNX's OneHot lets them count from the end."""
    numbers = w.emit("Range", w.constant(0, dt.int64), w.scalar(depth), w.constant(1, dt.int64))
    if op.axis != -1:
        behind = w.rank(indices, "the indices") - op.axis
        numbers = w.reshape(numbers, w.longs(-1, *[1] * behind))
    index = w.emit("Unsqueeze", w.cast(indices, dt.int64), w.longs(op.axis))
    return w.emit("Where", w.emit("Equal", index, numbers), on, off)


@counterpart("Where", onnx="NonZero, Transpose")
def where(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """The places that are not 0."""
    return w.emit("Transpose", w.emit("NonZero", x), perm=[1, 0])


@counterpart("Range", onnx="Range")
def range_(w: NodeWriter, op: Range, start: Wire, limit: Wire, delta: Wire) -> Wire:
    """Numbers in equal steps."""
    return w.emit("Range", start, limit, delta)


@counterpart("InvertPermutation", onnx="Range, ScatterElements")
def invert_permutation(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """Where each number stands."""
    size = w.cast(w.emit("Size", x), x.dtype)
    numbers = w.emit("Range", w.like(0, x), size, w.like(1, x))
    return w.emit("ScatterElements", numbers, x, numbers, axis=0)


@counterpart("Unique", onnx="Unique")
def unique(w: NodeWriter, op: Unique, x: Wire) -> list[Wire]:
    """Each number once, in the order of first places, and which each element is."""
    values, _, inverse, _ = w.emit_all("Unique", [x], 4, None, {"sorted": 0})
    return [values, w.cast(inverse, op.out_idx)]


@counterpart("UniqueWithCounts", onnx="Unique")
def unique_with_counts(w: NodeWriter, op: UniqueWithCounts, x: Wire) -> list[Wire]:
    """The same, and how often each stands there."""
    values, _, inverse, counts = w.emit_all("Unique", [x], 4, None, {"sorted": 0})
    return [values, w.cast(inverse, op.out_idx), w.cast(counts, op.out_idx)]


@counterpart("UniqueV2", onnx="Unique", note="the axis must be known")
def unique_along(w: NodeWriter, op: UniqueV2, x: Wire, axis: Wire) -> list[Wire]:
    """Each slice along an axis once."""
    axes = w.value(axis, "the axis")
    place = int(axes[0]) if axes else 0
    values, _, inverse, _ = w.emit_all("Unique", [x], 4, None, {"sorted": 0, "axis": place})
    return [values, w.cast(inverse, op.out_idx)]


@counterpart("NonMaxSuppressionV3", onnx="NonMaxSuppression")
def non_max_suppression(
    w: NodeWriter, op: Op, boxes: Wire, scores: Wire, most: Wire, overlap: Wire, least: Wire
) -> Wire:
    """The boxes that no better one overlaps."""
    single = [w.emit("Unsqueeze", boxes, w.longs(0)), w.emit("Unsqueeze", scores, w.longs(0, 1))]
    limits = [w.reshape(t, w.longs(1)) for t in (overlap, least)]
    rows = w.emit("NonMaxSuppression", *single, w.vector(most), *limits)
    return w.cast(w.emit("Gather", rows, w.constant(2, dt.int64), axis=1), dt.int32)


@counterpart("MatrixBandPart", onnx="Trilu", note="the widths must be known")
def matrix_band_part(w: NodeWriter, op: Op, x: Wire, lower: Wire, upper: Wire) -> Wire:
    """Matrices without what is far from their diagonals."""
    low, high = w.value(lower, "the width"), w.value(upper, "the width")
    result = x
    if low >= 0:
        result = w.emit("Trilu", result, w.constant(np.int64(-low), dt.int64), upper=1)
    if high >= 0:
        result = w.emit("Trilu", result, w.constant(np.int64(high), dt.int64), upper=0)
    return result if result is not x else w.emit("Identity", x)
