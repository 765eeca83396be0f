"""Ops that only move elements, as maps from places in the result to places in the operand.

Such an op costs nothing by itself: readers of its result read the operand at other places. `dims`
gives the result's shape in symbolic sizes. `pull` maps a place in the result to one in the operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.cuts import cuts
from graphwright.compile.nests.sizes import ONE, NotNative, Shape, Size, Sizes, product
from graphwright.compile.select.host_operands import (
    DimsOf,
    HostOperand,
    as_size,
    host_of,
    literal_of,
    no_dims,
)
from graphwright.ir.graph import Node, Value
from graphwright.op.op import Op
from graphwright.ops.core.identity import (
    EnsureShape,
    GuaranteeConst,
    Identity,
    PreventGradient,
    StopGradient,
)
from graphwright.ops.core.movement import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from graphwright.ops.core.own_ops import Gathered, Inhabited, Windowed
from graphwright.ops.core.reversal import ReverseV2
from graphwright.ops.core.slicing import Slice, StridedSlice


class Position(NamedTuple):
    """A place along one dimension: axis * step + offsets + scalars * factors + picks.

    A pick is an index, read from a tensor at a place, times a factor.
    """

    axis: int  # -1 where it does not depend on an axis
    step: int
    offsets: Shape = ()
    scalars: tuple[tuple[Value, int], ...] = ()
    picks: tuple[tuple[Value, tuple[Position, ...], int], ...] = ()

    @property
    def number(self) -> int | None:
        """The place as a number, if it is the same in every turn and every call."""
        if self.axis >= 0 or self.scalars or self.picks:
            return None
        if any(offset.symbols for offset in self.offsets):
            return None
        return sum([offset.factor for offset in self.offsets])

    def moved(self, begin: Shape, stride: int) -> Position:
        """begin + stride * self."""
        factors: dict[tuple[int, ...], int] = {}  # by symbols: what is reversed twice stays there
        for offset in begin:
            factors[offset.symbols] = factors.get(offset.symbols, 0) + offset.factor
        for offset in self.offsets:
            moved = offset.factor * stride
            factors[offset.symbols] = factors.get(offset.symbols, 0) + moved
        offsets = tuple([Size(factor, symbols) for symbols, factor in factors.items() if factor])
        scalars = tuple([(s, f * stride) for s, f in self.scalars])
        picks = tuple([(v, place, f * stride) for v, place, f in self.picks])
        return Position(self.axis, self.step * stride, offsets, scalars, picks)


FIRST = Position(-1, 0)
Place: TypeAlias = tuple[Position, ...]


class Move(NamedTuple):
    """The two rules of an op that moves elements of its first operand."""

    dims: Callable[[Sizes, Node, Shape, DimsOf], Shape]
    pull: Callable[[Sizes, Node, Shape, Shape, Place], Place]


def same_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape."""
    return dims


def ensured_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape, which must be the declared one."""
    op: Any = node.op
    declared = op.shape or (None,) * len(dims)
    return tuple([d if n is None else sizes.unify(d, Size(n)) for d, n in zip(dims, declared)])


def same_place(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place in the result."""
    return place


def many(dims: Shape) -> list[int]:
    """The dimensions that are not 1."""
    return [i for i, d in enumerate(dims) if d != ONE]


def is_trivial(dims: Shape, out: Shape) -> bool:
    """Whether shapes differ only in dimensions of 1."""
    return [dims[i] for i in many(dims)] == [out[i] for i in many(out)]


def pull_trivial(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place whose dimensions other than 1 have the result's positions, in order."""
    positions = iter([place[i] for i in many(out)])
    return tuple([FIRST if d == ONE else next(positions) for d in dims])


def reshape_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The target's entries; where a number equals dimensions of the operand, these dimensions."""
    target = host_of(sizes, node.inputs[1], dims_of)
    known = node.outputs[0].type.dims or (None,) * len(target)
    remaining = [d for d in dims if d != ONE]
    entries: list[Size | None] = []
    for entry, static in zip(target, known):
        if isinstance(entry, Size):
            entries.append(entry)
        elif entry in (0, 1):
            entries.append(Size(entry))
        elif entry == -1:
            entries.append(claimed(sizes, remaining, static))
        else:
            entries.append(claimed(sizes, remaining, entry) or as_size(sizes, entry))
    total = product(dims)
    if None in entries:
        rest = product(tuple([e for e in entries if e is not None]))
        inferred = sizes.quotient(total, rest)
        if not sizes.value(rest):
            sizes.require_some(inferred)  # 0 / 0 is inferred from the sizes that are not 0
        entries[entries.index(None)] = inferred
    result = tuple([e for e in entries if e is not None])
    if sizes.canonical(product(result)) != sizes.canonical(total):
        sizes.guards.append((product(result), total))
    return sizes.shape(result)


def claimed(sizes: Sizes, remaining: list[Size], number: int | None) -> Size | None:
    """The first of the remaining sizes, or product of neighbours, with a static value; removes it
    from the list."""
    if number is None or number <= 1:
        return Size(1) if number == 1 else None
    for begin in range(len(remaining)):
        size = ONE
        for end, factor in enumerate(remaining[begin:], begin + 1):
            size *= factor
            if sizes.value(size) == number:
                del remaining[begin:end]
                return size
    return None


def expanded_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape with a 1 at `dim`."""
    dim = literal_of(sizes, node.inputs[1])
    dim = dim[0] if isinstance(dim, tuple) else dim
    place = dim + len(dims) + 1 if dim < 0 else dim
    return (*dims[:place], ONE, *dims[place:])


def squeezed_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape without the 1s."""
    op: Any = node.op
    dropped = {a % len(dims) for a in op.squeeze_dims} or {
        i for i, d in enumerate(dims) if d == ONE
    }
    for i in dropped:
        sizes.unify(dims[i], ONE)
    return tuple([d for i, d in enumerate(dims) if i not in dropped])


def pull_squeezed(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place with the result's positions in the dimensions that stay.

    Sizes do not show which these are: only a guard may say that a dropped one is 1.
    """
    op: Any = node.op
    if not op.squeeze_dims:
        return pull_trivial(sizes, node, dims, out, place)
    dropped, positions = {a % len(dims) for a in op.squeeze_dims}, iter(place)
    return tuple([FIRST if i in dropped else next(positions) for i in range(len(dims))])


def transposed_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape, permuted."""
    return tuple([dims[i] for i in literal_of(sizes, node.inputs[1])])


def pull_transposed(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place whose dimension perm[i] is that of dimension i in the result."""
    perm = literal_of(sizes, node.inputs[1])
    positions = dict(zip([p % len(dims) for p in perm], place))
    return tuple([positions[i] for i in range(len(dims))])


def broadcast_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The target shape; the operand's dimensions equal it or are 1."""
    target = host_of(sizes, node.inputs[1], dims_of)
    pad = len(target) - len(dims)
    result = []
    for i, entry in enumerate(target):
        dim = dims[i - pad] if i >= pad else ONE
        size = as_size(sizes, entry)
        result.append(size if dim == ONE else sizes.unify(dim, size))
    return tuple(result)


def pull_broadcast(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place in the operand: its first element where it is 1."""
    return aligned(dims, out, place)


def aligned(dims: Shape, out: Shape, place: Place) -> Place:
    """The place in an operand that is broadcast to `out`, aligned from the right."""
    pad = len(out) - len(dims)
    return tuple(
        [FIRST if d == ONE and out[i + pad] != ONE else place[i + pad] for i, d in enumerate(dims)]
    )


def sliced_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The sizes of the slice."""
    sizes.cuts[node] = parts = cuts(sizes, node, dims, dims_of)
    return tuple([c.size for c in parts if c.size is not None])


def pull_sliced(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """begin + stride * index."""
    result = []
    positions = iter(place)
    for c in sizes.cuts[node]:
        if c.size is None:
            result.append(FIRST.moved(c.begin, 1)._replace(scalars=c.scalars))
        elif c.stride == 0:
            next(positions)
        else:
            result.append(next(positions).moved(c.begin, c.stride))
    return tuple(result)


def plain_sliced_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """`size` along each dimension; -1 is the rest of it."""
    begin, size = [host_of(sizes, v, dims_of) for v in node.inputs[1:3]]
    result = []
    for d, b, n in zip(dims, begin, size):
        if n == -1 or (isinstance(n, int) and b == 0 and sizes.value(d) == n):
            result.append(d if b == 0 else sizes.derive("sub", d, as_size(sizes, b)))
        else:
            result.append(as_size(sizes, n))
        require_inside(sizes, b, result[-1], d)
    return tuple(result)


def require_inside(sizes: Sizes, begin: HostOperand, size: Size, dim: Size) -> None:
    """Guards that a slice is inside its dimension."""
    if not isinstance(begin, int) or begin < 0:
        raise NotNative("where a slice begins is not known")
    length, whole = sizes.value(size), sizes.value(dim)
    if length is not None and whole is not None and begin + length > whole:
        raise NotNative("a slice is out of bounds")
    if size.symbols or dim.symbols:
        sizes.difference(dim, sizes.derive("add", size, Size(begin)))


def pull_plain_sliced(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """begin + index."""
    begin = host_of(sizes, node.inputs[1], no_dims)
    return tuple([position.moved((Size(start),), 1) for position, start in zip(place, begin)])


def pull_reversed(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """size - 1 - index along the reversed dimensions."""
    axes = {a % len(dims) for a in literal_of(sizes, node.inputs[1])}
    return tuple(
        [
            a.moved((d, Size(-1)), -1) if i in axes else a
            for i, (a, d) in enumerate(zip(place, dims))
        ]
    )


def inhabited_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape, of which one dimension is not 0."""
    op: Any = node.op
    sizes.require_some(dims[op.axis])
    return dims


def gathered_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape with the dimensions of indices in place of those that they index."""
    op: Any = node.op
    places = dims_of(node.inputs[1])
    for i in range(op.batch):
        sizes.unify(dims[i], places[i])
    end = op.axis + len(node.inputs) - 1
    return (*dims[: op.axis], *places[op.batch :], *dims[end:])


def pull_gathered(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """The place in the operand: picks of the indices, at their places, along the indexed axes."""
    op: Any = node.op
    rank = node.inputs[1].type.rank
    assert rank is not None
    end = op.axis + rank - op.batch
    source = (*place[: op.batch], *place[op.axis : end])
    picks = [FIRST._replace(picks=((v, source, 1),)) for v in node.inputs[1:]]
    return (*place[: op.axis], *picks, *place[end:])


def windowed_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: DimsOf) -> Shape:
    """The operand's shape with the sizes of windows in place of those of their axes."""
    op: Any = node.op
    result = list(dims)
    for axis, count in zip(op.axes, op.counts):
        sizes.require_counted(dims[axis])  # so that the end of a window is an int32 too
        result[axis] = sizes.of_static(count)
    return tuple(result)


def pull_windowed(sizes: Sizes, node: Node, dims: Shape, out: Shape, place: Place) -> Place:
    """place + index."""
    op: Any = node.op
    result = list(place)
    for axis, value in zip(op.axes, node.inputs[1:]):
        scalars = (*result[axis].scalars, (value, 1))
        result[axis] = result[axis]._replace(scalars=scalars)
    return tuple(result)


MOVES: dict[type[Op], Move] = {
    Identity: Move(same_dims, same_place),
    GuaranteeConst: Move(same_dims, same_place),
    StopGradient: Move(same_dims, same_place),
    PreventGradient: Move(same_dims, same_place),
    EnsureShape: Move(ensured_dims, same_place),
    Inhabited: Move(inhabited_dims, same_place),
    Reshape: Move(reshape_dims, pull_trivial),
    ExpandDims: Move(expanded_dims, pull_trivial),
    Squeeze: Move(squeezed_dims, pull_squeezed),
    Transpose: Move(transposed_dims, pull_transposed),
    BroadcastTo: Move(broadcast_dims, pull_broadcast),
    StridedSlice: Move(sliced_dims, pull_sliced),
    Slice: Move(plain_sliced_dims, pull_plain_sliced),
    ReverseV2: Move(same_dims, pull_reversed),
    Gathered: Move(gathered_dims, pull_gathered),
    Windowed: Move(windowed_dims, pull_windowed),
}
