"""Gathering, scattering, and what depends on places."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, zeros, zeros_like
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.core.indexing import where
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.joining import concat, stack, unstack
from graphwright.ops.core.movement import broadcast_to, invert_permutation, reshape, transpose
from graphwright.ops.core.scattering import (
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_update,
)
from graphwright.ops.core.segment_reduction import unsorted_segment_min
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import shape, size
from graphwright.ops.core.sorting import argsort
from graphwright.ops.core.static import static_value
from graphwright.ops.core.unique import unique_with_counts
from graphwright.ops.image.boxes import non_max_suppression
from graphwright.ops.math.arithmetic import floormod
from graphwright.ops.math.comparison import less, logical_and, not_equal
from graphwright.ops.math.reduction import reduce_sum
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning, rank_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.convert import convert


def wrapped(indices: TensorValue, count: TensorValue) -> Any:
    """Indices that count from the start, for those that may count from the end."""
    indices = cast(indices, dt.int64)
    return where(less(indices, 0), indices + count, indices)


@meaning("Gather")
def gathered(n: OnnxNode, x: TensorValue, indices: TensorValue) -> Any:
    """Slices along an axis."""
    axis = int(n.get("axis", 0))
    known = static_value(indices)
    if known is not None and known.size and known.min() >= 0:
        return gather(x, indices, axis=axis)
    return gather(x, wrapped(indices, shape(x, dt.int64)[axis]), axis=axis)


def element_places(x: TensorValue, indices: TensorValue, axis: int) -> Any:
    """The whole places of elements that indices along one axis mean."""
    index = wrapped(indices, shape(x, dt.int64)[axis])
    sizes = shape(indices, dt.int64)
    grid = []
    for place in builtins.range(rank_of(x)):
        if place == axis:
            grid.append(index)
        else:
            line = reshape(
                range(sizes[place]),
                [-1 if i == place else 1 for i in builtins.range(rank_of(x))],
            )
            grid.append(broadcast_to(line, sizes))
    return stack(grid, axis=-1)


@meaning("GatherElements")
def gathered_elements(n: OnnxNode, x: TensorValue, indices: TensorValue) -> Any:
    """One element for each index."""
    return gather_nd(x, element_places(x, indices, int(n.get("axis", 0)) % rank_of(x)))


@meaning("GatherND")
def gathered_slices(n: OnnxNode, x: TensorValue, indices: TensorValue) -> Any:
    """Slices at places of several axes."""
    batch = int(n.get("batch_dims", 0))
    count = dims_of(indices)[-1] if indices.type.dims else None
    if count is None:
        raise n.unread("how many axes the indices have must be known")
    sizes = shape(x, dt.int64)[batch : batch + count]
    return gather_nd(x, wrapped(indices, sizes), batch_dims=batch)


_SCATTERS: dict[str, Callable[..., Any]] = {
    "none": tensor_scatter_nd_update, "add": tensor_scatter_nd_add,
    "max": tensor_scatter_nd_max, "min": tensor_scatter_nd_min,
}  # fmt: skip


def combined(n: OnnxNode, x: TensorValue, places: TensorValue, updates: TensorValue) -> Any:
    """Updates at places, by the node's reduction."""
    kind = n.text("reduction", "none")
    if kind == "mul":
        raise n.unread("it multiplies")
    return _SCATTERS[kind](x, places, updates)


@meaning("ScatterElements", "Scatter", note="but for products")
def scattered_elements(
    n: OnnxNode, x: TensorValue, indices: TensorValue, updates: TensorValue
) -> Any:
    """One element for each index."""
    axis = int(n.get("axis", 0)) % rank_of(x)
    return combined(n, x, element_places(x, indices, axis), updates)


@meaning("ScatterND", note="but for products")
def scattered_slices(
    n: OnnxNode, x: TensorValue, indices: TensorValue, updates: TensorValue
) -> Any:
    """Slices at places of several axes."""
    count = dims_of(indices)[-1] if indices.type.dims else None
    if count is None:
        raise n.unread("how many axes the indices have must be known")
    places = wrapped(indices, shape(x, dt.int64)[:count])
    return combined(n, x, places, updates)


@meaning("TensorScatter")
def scattered_rows(
    n: OnnxNode, past: TensorValue, update: TensorValue, start: TensorValue | None = None
) -> Any:
    """Rows written into a cache from places on."""
    axis = int(n.get("axis", -2)) % rank_of(past)
    sizes = shape(update, dt.int64)
    most = shape(past, dt.int64)[axis]
    first = zeros_like(range(sizes[0])) if start is None else cast(start, dt.int64)
    grid = []
    for place in builtins.range(rank_of(past)):
        line = reshape(
            range(sizes[place]), [-1 if i == place else 1 for i in builtins.range(rank_of(past))]
        )
        if place == axis:
            line = line + reshape(first, [-1, *[1] * (rank_of(past) - 1)])
            if n.text("mode", "linear") == "circular":
                line = floormod(line, most)
        grid.append(broadcast_to(line, sizes))
    return tensor_scatter_nd_update(past, stack(grid, axis=-1), update)


@meaning("OneHot")
def one_hot_of(n: OnnxNode, indices: TensorValue, depth: TensorValue, values: Any) -> Any:
    """One value at the places that indices say; negative ones count from the end."""
    count = cast(reshape(depth, []), dt.int64)
    index = cast(indices, dt.int64)
    index = where(logical_and(index < 0, index >= -count), index + count, index)
    axis = int(n.get("axis", -1))
    axis = axis if axis >= -1 else axis + 1 + rank_of(indices)
    return one_hot(index, cast(count, dt.int32), values[1], values[0], axis)


@meaning("NonZero")
def nonzero(n: OnnxNode, x: TensorValue) -> Any:
    """The places that are not 0, one in each column."""
    if rank_of(x) == 0:
        return zeros([0, reduce_sum(cast(not_equal(x, zeros_like(x)), dt.int64))], dt.int64)
    return transpose(where(not_equal(x, zeros_like(x))))


@meaning("Compress")
def compressed(n: OnnxNode, x: TensorValue, condition: TensorValue) -> Any:
    """The slices where a condition holds."""
    axis = n.get("axis")
    if axis is None:
        x, axis = reshape(x, [-1]), 0
    return gather(x, where(condition)[:, 0], axis=int(axis))


@meaning("Range")
def numbers(n: OnnxNode, start: TensorValue, limit: TensorValue, delta: TensorValue) -> Any:
    """Numbers in equal steps."""
    start, limit, delta = [reshape(value, []) for value in (start, limit, delta)]
    if start.dtype is dt.int16:
        begin, end, step = [cast(v, dt.int32) for v in (start, limit, delta)]
        return cast(range(begin, end, step), dt.int16)
    return range(start, limit, delta)


@meaning("Unique", note="not along an axis of matrices, where they are sorted")
def unique_of(n: OnnxNode, x: TensorValue) -> Any:
    """Each element once, with places and counts."""
    if n.get("axis") is not None and rank_of(x) != 1:
        raise n.unread("it is along an axis")
    flat = reshape(x, [-1])
    values, inverse, counts = unique_with_counts(flat, out_idx=dt.int64)
    first = unsorted_segment_min(range(size(flat, out_type=dt.int64)), inverse, size(values))
    if n.get("sorted", 1):
        if values.dtype is dt.string:
            raise n.unread("it sorts strings")
        order = argsort(values, stable=True)
        values, first, counts = gather(values, order), gather(first, order), gather(counts, order)
        inverse = gather(cast(invert_permutation(order), dt.int64), inverse)
    return [values, first, inverse, counts]


@meaning("NonMaxSuppression", note="of batches and classes that are known")
def suppressed(
    n: OnnxNode,
    boxes: TensorValue,
    scores: TensorValue,
    most: TensorValue | None = None,
    overlap: TensorValue | None = None,
    least: TensorValue | None = None,
) -> Any:
    """The boxes that no better one overlaps, of each batch and class."""
    dims = scores.type.dims
    if dims is None or dims[0] is None or dims[1] is None:
        raise n.unread("how many batches and classes there are must be known")
    count = convert(0) if most is None else cast(reshape(most, []), dt.int32)
    limit = convert(0.0) if overlap is None else reshape(overlap, [])
    lowest = convert(-np.inf) if least is None else reshape(least, [])
    if n.get("center_point_box"):
        x, y, w, h = unstack(boxes, axis=-1)
        boxes = stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], axis=-1)
    rows = []
    for batch in builtins.range(dims[0]):
        for kind in builtins.range(dims[1]):
            chosen = non_max_suppression(
                boxes[batch], scores[batch, kind], count, limit, cast(lowest, dt.float32)
            )
            index = cast(chosen, dt.int64)
            line = [fill([size(index)], np.int64(batch)), fill([size(index)], np.int64(kind))]
            rows.append(stack([*line, index], axis=1))
    return concat(rows, 0)
