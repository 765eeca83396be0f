"""Rules of ops that read or write where indices say, and of scans."""

from __future__ import annotations

from typing import Any

from graphwright.compile.expand.rewrites import CountedSegments
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill
from graphwright.ops.core.gathering import GatherNd, GatherV2, ScatterNd
from graphwright.ops.core.identity import identity
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.own_ops import PickIndex, Required, Scanned, Scattered
from graphwright.ops.core.reversal import ReverseSequence, Roll
from graphwright.ops.core.rule_words import (
    HALVES,
    Rule,
    dims_of,
    extent,
    gathered,
    host,
    moved,
    pieces,
    widened,
)
from graphwright.ops.core.scattering import (
    TensorScatterAdd,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterSub,
    TensorScatterUpdate,
)
from graphwright.ops.core.segment_reduction import (
    UnsortedSegmentMax,
    UnsortedSegmentMin,
    UnsortedSegmentProd,
    UnsortedSegmentSum,
)
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.ops.math.arithmetic import floordiv, maximum
from graphwright.ops.math.cumulation import Cumprod, Cumsum, CumulativeLogsumexp
from graphwright.types import dtypes as dt


def scanned(combine: str) -> Rule:
    """Each element combined with those before it; halves in float32, rounded in the end"""

    def rule(op: Any, x: Any, axis: Any) -> Any:
        at = host(axis)
        if at is None or not x.shape.rank:
            return None
        scan = Scanned.of(combine, at % x.shape.rank, op.exclusive, op.reverse)
        return cast(apply(scan, widened(x)), x.dtype)

    return rule


def gather(op: Any, x: Any, indices: Any, axis: Any) -> Any:
    """The elements at the indices' places, which are checked"""
    at = host(axis)
    if at is None or not x.shape.rank:
        return None
    at, batch = at % x.shape.rank, op.batch_dims
    batch = batch + indices.shape.rank if batch < 0 else batch
    return gathered(x, at, [indices], batch)


def put_together(combine: str) -> Rule:
    """The slices of each segment combined; what is negative is left to the kernel"""

    def rule(op: Op, x: Any, ids: Any, count: Any) -> Any:
        return scattered(combine, x, [ids], shape_of_segments(x, ids, count))

    return rule


def shape_of_segments(x: Any, ids: Any, count: Any) -> list[Any]:
    """The shape of so many segments."""
    return [cast(count, dt.int32), *[extent(x, i) for i in range(ids.shape.rank, x.shape.rank)]]


def extreme_of_segments(combine: str) -> Rule:
    """The greatest or least numbers of each segment; what is negative is left to the kernel"""

    def rule(op: Op, x: Any, ids: Any, count: Any) -> Any:
        least = x.dtype.min if combine == "max" else x.dtype.max
        return extremes(combine, x, ids, shape_of_segments(x, ids, count), least)

    return rule


def extremes(combine: str, x: Any, ids: Any, dims: list[Any], otherwise: Any) -> Any:
    """The greatest or least numbers of each segment; something else where there are none."""
    dtype, x = x.dtype, widened(x)
    otherwise = convert(otherwise, x.dtype)
    if x.dtype.is_floating:  # NaN gives way to all numbers
        nothing, combine = convert(float("nan"), x.dtype), {"max": "fmax", "min": "fmin"}[combine]
    else:
        nothing = convert(x.dtype.min if combine == "max" else x.dtype.max, x.dtype)
    found = scattered(combine, x, [ids], dims, fill(dims, nothing))
    return cast(where(sizes_of(ids, dims) > 0, found, otherwise), dtype)


def sizes_of(ids: Any, dims: list[Any]) -> Any:
    """How many slices each segment has, to broadcast against dimensions."""
    sizes = scattered("sum", fill(shape_of(ids), 1), [ids], dims[:1])
    return reshape(sizes, [-1, *[1] * (len(dims) - 1)])


def counted_segments(op: Any, x: Any, ids: Any, count: Any) -> Any:
    """Rows combined by segments, whose numbers must ascend"""
    kind, dims = op.op.kind, shape_of_segments(x, ids, count)
    before = moved(ids, 0, [steps(extent(ids, 0)) - 1])  # of the first, itself
    ids = apply(Required.of(), ids, (ids >= 0) & (ids >= before))
    if kind in ("max", "min"):
        return extremes(kind, x, ids, dims, 0)
    if kind != "mean":
        return scattered(kind, x, [ids], dims)
    total = scattered("sum", widened(x), [ids], dims)
    sizes = cast(maximum(sizes_of(ids, dims), 1), total.dtype)
    return cast(total / sizes if x.dtype.is_floating else floordiv(total, sizes), x.dtype)


def scatter(op: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Updates added up in the places of rows of indices"""
    if not indices.shape[-1] or shape.shape[0] is None or op.bad_indices_policy:
        return None
    dims = [cast(shape[i], dt.int32) for i in range(shape.shape[0])]
    combine = "any" if updates.dtype is dt.bool_ else "sum"
    return scattered(combine, updates, columns_of(indices), dims)


def scatter_into(combine: str) -> Rule:
    """Updates combined with the slices of a tensor in the places of rows of indices"""

    def rule(op: Any, x: Any, indices: Any, updates: Any) -> Any:
        if not indices.shape[-1] or op.bad_indices_policy or (combine and x.dtype in HALVES):
            return None
        if combine == "sum":
            negative = op.kind == "add" and x.dtype.is_floating  # -0 - 0 is still -0
            updates = -updates if negative else updates
            total = scattered("sum", updates, columns_of(indices), dims_of(x))
            return x - total if negative or op.kind == "sub" else x + total
        beyond = {"max": "peak", "min": "trough"} if x.dtype.is_floating else {}
        return scattered(beyond.get(combine, combine), updates, columns_of(indices), None, x)

    return rule


def columns_of(indices: Any) -> list[Any]:
    """The numbers that rows of indices are made of."""
    return [indices[(Ellipsis, i)] for i in range(indices.shape[-1])]


def scattered(combine: str, x: Any, columns: list[Any], dims: Any, into: Any = None) -> Any:
    """Slices of x combined in places of a tensor of dimensions, or of one that is there.

    Numbers alone are added up in float64, as the kernels do.
    """
    dtype = x.dtype
    x = widened(x) if into is None else x
    single = all(x.shape[i] == 1 for i in range(columns[0].shape.rank, x.shape.rank))
    if combine == "sum" and into is None and single and x.dtype.is_floating:
        x = cast(x, dt.float64)
    like = fill(dims, cast(0, x.dtype)) if into is None else into
    places = [apply(PickIndex.of(i, False), ids, like) for i, ids in enumerate(columns)]
    return cast(apply(Scattered.of(combine, into is not None), x, like, *places), dtype)


def gather_by_rows(op: Op, x: Any, indices: Any) -> Any:
    """As `gather`, of rows of indices, one for each of the first axes"""
    if not indices.shape[-1]:
        return None
    return gathered(x, 0, columns_of(indices))


def roll(op: Op, x: Any, shift: Any, axis: Any) -> Any:
    """The elements from where they were, modulo the size of the axis"""
    by, axes = host(shift), host(axis)
    if by is None or axes is None:
        return None
    for distance, a in zip(*[v if isinstance(v, tuple) else (v,) for v in (by, axes)]):
        at = a % x.shape.rank
        size = extent(x, at)
        if isinstance(size, int):
            cut = size - distance % size
            if cut != size:
                x = concat(pieces(x, at, [cut, size - cut])[::-1], at)
        else:
            x = moved(x, at, [(steps(size) - distance) % size])
    return identity(x)


def reverse_sequence(op: Any, x: Any, lengths: Any) -> Any:
    """The elements from the mirrored place, before the length of their batch"""
    order = [op.batch_dim, op.seq_dim]
    order += [i for i in range(x.shape.rank) if i not in order]
    back = [order.index(i) for i in range(x.shape.rank)]
    size = extent(x, op.seq_dim)
    fits = (lengths >= 0) & (lengths <= cast(size, lengths.dtype))
    own = expand_dims(cast(apply(Required.of(), lengths, fits), dt.int64), 1)
    numbers = cast(steps(size), dt.int64)
    places = where(numbers < own, own - 1 - numbers, numbers)
    return transpose(moved(transpose(x, order), 1, [places], 1), back)


RULES: dict[type[Op], Rule] = {
    CountedSegments: counted_segments,
    Cumprod: scanned("prod"),
    Cumsum: scanned("sum"),
    CumulativeLogsumexp: scanned("logsumexp"),
    GatherNd: gather_by_rows,
    GatherV2: gather,
    ReverseSequence: reverse_sequence,
    Roll: roll,
    ScatterNd: scatter,
    TensorScatterAdd: scatter_into("sum"),
    TensorScatterMax: scatter_into("max"),
    TensorScatterMin: scatter_into("min"),
    TensorScatterSub: scatter_into("sum"),
    TensorScatterUpdate: scatter_into(""),
    UnsortedSegmentMax: extreme_of_segments("max"),
    UnsortedSegmentMin: extreme_of_segments("min"),
    UnsortedSegmentProd: put_together("prod"),
    UnsortedSegmentSum: put_together("sum"),
}
