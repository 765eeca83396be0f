"""Strided slices as one cut of each dimension, in symbolic sizes."""

from __future__ import annotations

from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import ONE, ZERO, NotNative, Shape, Size, Sizes
from graphwright.compile.select.host_operands import Computed, DimsOf, HostOperand, host_of
from graphwright.ir.graph import Node, Value
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.slicing import NewAxis, Pick, SliceRange, spread


class Cut(NamedTuple):
    """A slice along one dimension: from `begin` in steps of `stride`, `size` long; or a pick."""

    begin: Shape
    stride: int
    size: Size | None  # None for a pick: the result lacks the dimension
    scalars: tuple[tuple[Value, int], ...] = ()


def cut(sizes: Sizes, entry: SliceRange | Pick, dim: Size) -> Cut:
    """The cut that an entry of a strided slice makes in a dimension."""
    if isinstance(entry, Pick):
        return picked(sizes, entry.index, dim)
    if None in entry:
        raise NotNative("the bounds of a slice are computed")
    begin, end, stride = entry.unmasked
    if begin is None and end is None and stride in (1, -1):
        return Cut((dim, Size(-1)) if stride < 0 else (), stride, dim)
    known = sizes.value(dim)
    if known is None or not all(v is None or isinstance(v, int) for v in (begin, end, stride)):
        return between(sizes, begin, end, stride, dim)
    places = range(*slice(begin, end, stride).indices(known))
    if not places:
        return Cut((), 1, Size(0))
    if len(places) == known and places.step == 1:
        return Cut((), 1, dim)
    if places.step == 1 and end is None and begin is not None and begin >= 0:
        return Cut((Size(begin),), 1, sizes.derive("sub", dim, Size(begin)))
    first: Shape = (Size(places.start),)
    return Cut(first, places.step, sizes.of_static(len(places)))


def picked(sizes: Sizes, index: HostOperand, dim: Size) -> Cut:
    """The cut of one index in a dimension."""
    if isinstance(index, Computed):
        return Cut((), 0, None, ((index.value, 1),))
    if not isinstance(index, int):
        raise NotNative("an index is computed")
    known = sizes.value(dim)
    if known is None:
        raise NotNative("an index into a dimension of unknown size")
    if not -known <= index < known:
        raise NotNative("an index is out of bounds")
    return Cut((dim, Size(index)) if index < 0 else (Size(index),), 0, None)


def between(sizes: Sizes, begin: Any, end: Any, stride: HostOperand, dim: Size) -> Cut:
    """The cut of a slice in steps of one whose bounds, or whose dimension, only a run knows."""
    if stride != 1 or not all(isinstance(v, (int, Size, type(None))) for v in (begin, end)):
        raise NotNative("a slice with a computed bound, or of an unknown size, goes in steps")
    first = ZERO if begin is None else from_start(sizes, begin, dim)
    last = dim if end is None else sizes.least(dim, from_start(sizes, end, dim))
    size = last if first == ZERO else sizes.derive("sub", last, first)
    return Cut((first,), 1, size)  # a slice that begins beyond the end has no elements


def from_start(sizes: Sizes, bound: Size | int, dim: Size) -> Size:
    """The place from the start of a bound that may count from the end."""
    if isinstance(bound, Size):
        return bound
    return Size(bound) if bound >= 0 else sizes.derive("sub", dim, Size(-bound))


def bounds_of(sizes: Sizes, value: Value, dims_of: DimsOf) -> Any:
    """A vector of bounds; None for a computed bound that is no index."""
    if isinstance(value.node.op, Pack):
        return tuple([known_bound(sizes, v, dims_of) for v in value.node.inputs])
    return host_of(sizes, value, dims_of)


def known_bound(sizes: Sizes, value: Value, dims_of: DimsOf) -> Any:
    """One bound, None if it is computed and no index."""
    try:
        return host_of(sizes, value, dims_of)
    except NotNative:
        return None


def cuts(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> list[Cut]:
    """A cut for each dimension, and one of no dimension (stride 0, size 1) for each new axis."""
    op: Any = node.op
    begin, end, strides = [bounds_of(sizes, v, dims_of) for v in node.inputs[1:4]]
    entries = spread(list(op.entries(begin, end, strides)), len(dims))
    remaining = iter(dims)
    return [
        Cut((), 0, ONE) if isinstance(entry, NewAxis) else cut(sizes, entry, next(remaining))
        for entry in entries
    ]
