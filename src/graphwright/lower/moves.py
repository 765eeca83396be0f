"""Ops that only move elements, as index maps: where an element of the result comes from.

Such an op costs nothing by itself: whoever needs its result reads the operand at other
places. `dims` gives the result's shape in symbolic sizes, `pull` carries an index of the
result back to one of the operand.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from graphwright.ir.graph import Node, Value
from graphwright.lower.indices import Gathered, PickIndex
from graphwright.lower.sizes import ONE, ZERO, Late, NotNative, Shape, Size, Sizes, product
from graphwright.op.op import Op, host_value
from graphwright.ops.arithmetic import AddV2, Maximum, Minimum, Mul, Sub
from graphwright.ops.conversion import Cast
from graphwright.ops.creation import Const, Placeholder
from graphwright.ops.identities import (
    EnsureShape,
    GuaranteeConst,
    Identity,
    PreventGradient,
    StopGradient,
)
from graphwright.ops.joining import ConcatV2, Pack
from graphwright.ops.movement import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from graphwright.ops.reversal import ReverseV2
from graphwright.ops.shape import Shape as ShapeOp
from graphwright.ops.shape import Size as SizeOp
from graphwright.ops.slicing import INDEX, MASKED, NewAxis, Pick, Slice, StridedSlice


class Computed:
    """An entry of a host operand that is computed: a single integer."""

    def __init__(self, value: Value) -> None:
        self.value = value


class At(NamedTuple):
    """A place along one dimension: axis * step + offsets + scalars * factors + picks.

    A pick is an index that a tensor has at a place, and a factor.
    """

    axis: int  # -1 where it does not depend on an axis
    step: int
    offsets: Shape = ()
    scalars: tuple[tuple[Value, int], ...] = ()
    picks: tuple[tuple[Value, tuple[At, ...], int], ...] = ()

    def moved(self, begin: Shape, stride: int) -> At:
        """begin + stride * self."""
        scaled = tuple([Size(o.factor * stride, o.symbols) for o in self.offsets])
        offsets = tuple([o for o in (*begin, *scaled) if o.factor])
        scalars = tuple([(s, f * stride) for s, f in self.scalars])
        picks = tuple([(v, at, f * stride) for v, at, f in self.picks])
        return At(self.axis, self.step * stride, offsets, scalars, picks)


FIRST = At(-1, 0)
Place = tuple[At, ...]


class Move(NamedTuple):
    """The two rules of an op that moves elements of its first operand."""

    dims: Callable[[Sizes, Node, Shape, Callable[[Value], Shape]], Shape]
    pull: Callable[[Sizes, Node, Shape, Shape, Place], Place]


Dims_of = Callable[[Value], Shape]


# -- values on the host ---------------------------------------------------------------------


def host_of(sizes: Sizes, value: Value, dims_of: Dims_of) -> Any:
    """A host operand: ints and sizes, in tuples where it is a vector. `NotNative` if unknown."""
    if value in sizes.known:
        return sizes.known[value]
    op = value.node.op
    if isinstance(op, Const):
        return host_value(op.value.array)
    if isinstance(op, ShapeOp):
        return dims_of(value.node.inputs[0])
    if isinstance(op, SizeOp):
        return product(dims_of(value.node.inputs[0]))
    if value in sizes.integers:
        return sizes.number(value)
    if isinstance(op, (Identity, Cast, StopGradient)) and value.node.inputs[0].type.dtype in INDEX:
        return host_of(sizes, value.node.inputs[0], dims_of)
    if type(op) in ARITHMETIC:
        return arithmetic(sizes, type(op), *[host_of(sizes, v, dims_of) for v in value.node.inputs])
    if isinstance(op, Pack) and op.axis == 0:
        return tuple([host_of(sizes, v, dims_of) for v in value.node.inputs])
    if isinstance(op, ConcatV2):
        parts = [host_of(sizes, v, dims_of) for v in value.node.inputs[:-1]]
        return tuple([entry for part in parts for entry in part])
    if isinstance(op, PickIndex):
        return Computed(value)
    if isinstance(op, StridedSlice):
        x, *bounds = [host_of(sizes, v, dims_of) for v in value.node.inputs]
        (entry,) = list(op.entries(*bounds))
        if isinstance(entry, Pick) and isinstance(entry.index, int):
            return x[entry.index]
        begin, end, stride = [None if v is MASKED else v for v in entry]
        return tuple(x[begin:end:stride])
    words = f"{op.type_name} computes a shape"
    if value.type.dims == () and value.type.dtype in INDEX and not isinstance(op, Placeholder):
        raise Late(words, [value.node])  # a segment after it can be given the number
    raise NotNative(words)


def literal_of(sizes: Sizes, value: Value) -> Any:
    """A host operand whose integers the program says: axes, a permutation. `NotNative` if not."""
    found = host_of(sizes, value, no_dims)
    if not all(isinstance(v, int) for v in (found if isinstance(found, tuple) else (found,))):
        raise NotNative("an axis is computed")
    return found


#: Arithmetic on sizes, of integers that are known.
ARITHMETIC: dict[type[Op], Callable[[int, int], int]] = {
    AddV2: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    Minimum: min,
    Maximum: max,
}


def arithmetic(sizes: Sizes, op: type[Op], x: Any, y: Any) -> Any:
    """What an op makes of two sizes; that none is negative is guarded. `NotNative` otherwise."""
    if isinstance(x, int) and isinstance(y, int):
        return ARITHMETIC[op](x, y)
    if isinstance(x, int) and x < 0 and op in (AddV2, Maximum):
        x, y = y, x
    if isinstance(y, int) and y < 0 and op in (AddV2, Sub, Maximum):
        return x if op is Maximum else arithmetic(sizes, Sub if op is AddV2 else AddV2, x, -y)
    a, b = [Size(v) if isinstance(v, int) and v >= 0 else v for v in (x, y)]
    if not isinstance(a, Size) or not isinstance(b, Size):
        raise NotNative("the arithmetic of a shape has no native form")
    if op is Mul:
        return a * b
    if op is AddV2:
        return sizes.derive("add", a, b)
    beyond = sizes.derive("sub", a, b)
    if op is Maximum:
        return sizes.derive("add", b, beyond)
    if op is Sub:
        sizes.guards.append((sizes.derive("add", beyond, b), a))
        return beyond
    return sizes.least(a, b)


def is_size(value: Value) -> bool:
    """Whether a value is made of shapes, constants and single integers, for a host operand."""
    op = value.node.op
    if isinstance(op, (ShapeOp, SizeOp)):
        return True
    inputs = value.node.inputs
    if isinstance(op, Pack):
        return value.type.dtype in INDEX and all(v.type.dims == () for v in inputs)
    if not isinstance(op, StridedSlice):
        return False
    return is_size(inputs[0]) and all(isinstance(v.node.op, Const) for v in inputs[1:])


def is_single_size(value: Value) -> bool:
    """Whether a value is one size, which machine code knows as a number."""
    return value.type.dims == () and is_size(value)


def as_size(sizes: Sizes, value: Any) -> Size:
    """An entry of a shape as a size."""
    return value if isinstance(value, Size) else sizes.of_static(value)


# -- the rules ------------------------------------------------------------------------------


def same_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """As the operand's."""
    return dims


def ensured_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """As the operand's, which are what they are to be."""
    op: Any = node.op
    wanted = op.shape or (None,) * len(dims)
    return tuple([d if n is None else sizes.unify(d, Size(n)) for d, n in zip(dims, wanted)])


def same_place(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """As the result's."""
    return at


def many(dims: Shape) -> list[int]:
    """The dimensions that are not 1."""
    return [i for i, d in enumerate(dims) if d != ONE]


def is_trivial(dims: Shape, out: Shape) -> bool:
    """Whether shapes differ only in dimensions of 1."""
    return [dims[i] for i in many(dims)] == [out[i] for i in many(out)]


def pull_trivial(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """The places of the dimensions that are not 1, in order."""
    given = iter([at[i] for i in many(out)])
    return tuple([FIRST if d == ONE else next(given) for d in dims])


def reshape_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """The target's entries; what equals a dimension of the operand is that dimension."""
    wanted = host_of(sizes, node.inputs[1], dims_of)
    known = node.outputs[0].type.dims or (None,) * len(wanted)
    left = [d for d in dims if d != ONE]
    entries: list[Size | None] = []
    for entry, static in zip(wanted, known):
        if isinstance(entry, Size):
            entries.append(entry)
        elif entry in (0, 1):
            entries.append(Size(entry))
        else:
            number = static if entry == -1 else entry
            entries.append(claimed(sizes, left, number))
    missing = [i for i, e in enumerate(entries) if e is None]
    total = product(dims)
    if len(missing) == 1:
        rest = product(tuple([e for e in entries if e is not None]))
        entries[missing[0]] = sizes.quotient(total, rest)
    for i in missing[1:] if len(missing) > 1 else ():
        entries[i] = as_size(sizes, wanted[i])
    if len(missing) > 1:
        entries[missing[0]] = as_size(sizes, wanted[missing[0]])
    result = tuple([e for e in entries if e is not None])
    if sizes.canonical(product(result)) != sizes.canonical(total):
        sizes.guards.append((product(result), total))
    return sizes.shape(result)


def claimed(sizes: Sizes, left: list[Size], number: int | None) -> Size | None:
    """The first size left that has a static value, taken from the list."""
    for i, size in enumerate(left):
        if number is not None and number > 1 and sizes.value(size) == number:
            return left.pop(i)
    return Size(1) if number == 1 else None


def expanded_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """With a 1 at `dim`."""
    dim = literal_of(sizes, node.inputs[1])
    dim = dim[0] if isinstance(dim, tuple) else dim
    at = dim + len(dims) + 1 if dim < 0 else dim
    return (*dims[:at], ONE, *dims[at:])


def squeezed_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """Without the 1s."""
    op: Any = node.op
    dropped = {a % len(dims) for a in op.squeeze_dims} or {
        i for i, d in enumerate(dims) if d == ONE
    }
    for i in dropped:
        sizes.unify(dims[i], ONE)
    return tuple([d for i, d in enumerate(dims) if i not in dropped])


def transposed_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """Permuted."""
    return tuple([dims[i] for i in literal_of(sizes, node.inputs[1])])


def pull_transposed(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """Dimension perm[i] of the operand is where i of the result is."""
    perm = literal_of(sizes, node.inputs[1])
    places = dict(zip([p % len(dims) for p in perm], at))
    return tuple([places[i] for i in range(len(dims))])


def no_dims(value: Value) -> Shape:
    """For host operands that must not depend on shapes."""
    raise NotNative("an index map depends on a shape")


def broadcast_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """The target; where the operand is not 1 they are equal."""
    wanted = host_of(sizes, node.inputs[1], dims_of)
    pad = len(wanted) - len(dims)
    result = []
    for i, entry in enumerate(wanted):
        own = dims[i - pad] if i >= pad else ONE
        same = own != ONE and (sizes.value(own) == entry or isinstance(entry, Size))
        result.append(sizes.unify(own, as_size(sizes, entry)) if same else as_size(sizes, entry))
    return tuple(result)


def pull_broadcast(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """The first element where the operand is 1."""
    return aligned(dims, out, at)


def aligned(dims: Shape, out: Shape, at: Place) -> Place:
    """The places of an operand that is broadcast to `out`, from the right."""
    pad = len(out) - len(dims)
    return tuple(
        [FIRST if d == ONE and out[i + pad] != ONE else at[i + pad] for i, d in enumerate(dims)]
    )


class Cut(NamedTuple):
    """A slice along one dimension: from `begin` in steps of `stride`, `size` long; or a pick."""

    begin: Shape
    stride: int
    size: Size | None  # None: a pick, the result lacks the dimension
    scalars: tuple[tuple[Value, int], ...] = ()


def cut(sizes: Sizes, entry: Any, dim: Size) -> Cut:
    """What an entry of a strided slice takes of a dimension."""
    if isinstance(entry, Pick):
        index = entry.index
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
    if None in entry:
        raise NotNative("the bounds of a slice are computed")
    begin, end, stride = [None if v is MASKED else v for v in entry]
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


def between(sizes: Sizes, begin: Any, end: Any, stride: Any, dim: Size) -> Cut:
    """A slice in steps of one whose bounds, or whose dimension, only a run tells."""
    if stride != 1 or not all(isinstance(v, (int, Size, type(None))) for v in (begin, end)):
        raise NotNative("a slice with a computed bound, or of an unknown size, goes in steps")
    first = ZERO if begin is None else from_start(sizes, begin, dim)
    last = dim if end is None else sizes.least(dim, from_start(sizes, end, dim))
    size = last if first == ZERO else sizes.derive("sub", last, first)
    return Cut((first,), 1, size)  # nothing is read where it begins beyond the end


def from_start(sizes: Sizes, bound: Any, dim: Size) -> Size:
    """A bound that may count from the end."""
    if isinstance(bound, Size):
        return bound
    return Size(bound) if bound >= 0 else sizes.derive("sub", dim, Size(-bound))


def bounds_of(sizes: Sizes, value: Value, dims_of: Callable[[Value], Shape]) -> Any:
    """A vector of bounds; what is computed and no index is None."""
    if isinstance(value.node.op, Pack):
        return tuple([known_bound(sizes, v, dims_of) for v in value.node.inputs])
    return host_of(sizes, value, dims_of)


def known_bound(sizes: Sizes, value: Value, dims_of: Callable[[Value], Shape]) -> Any:
    """One bound."""
    try:
        return host_of(sizes, value, dims_of)
    except NotNative:
        return None


def cuts(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> list[Cut]:
    """Each dimension's part, and a `Cut` of no dimension (stride 0, size 1) for a new axis."""
    op: Any = node.op
    begin, end, strides = [bounds_of(sizes, v, dims_of) for v in node.inputs[1:4]]
    entries = list(op.entries(begin, end, strides))
    taken = sum(isinstance(e, tuple) and not isinstance(e, NewAxis) for e in entries)
    if None not in entries:
        entries.append(None)
    result: list[Cut] = []
    axis = 0
    for entry in entries:
        if entry is None:
            for _ in range(len(dims) - taken):
                result.append(Cut((), 1, dims[axis]))
                axis += 1
        elif isinstance(entry, NewAxis):
            result.append(Cut((), 0, ONE))
        else:
            result.append(cut(sizes, entry, dims[axis]))
            axis += 1
    return result


def sliced_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """The sizes that are taken."""
    sizes.cuts[node] = found = cuts(sizes, node, dims, dims_of)
    return tuple([c.size for c in found if c.size is not None])


def pull_sliced(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """begin + stride * index."""
    result = []
    given = iter(at)
    for c in sizes.cuts[node]:
        if c.size is None:
            result.append(FIRST.moved(c.begin, 1)._replace(scalars=c.scalars))
        elif c.stride == 0:
            next(given)
        else:
            result.append(next(given).moved(c.begin, c.stride))
    return tuple(result)


def plain_sliced_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """`size` along each dimension; -1 is what is left."""
    begin, size = [host_of(sizes, v, dims_of) for v in node.inputs[1:3]]
    result = []
    for d, b, n in zip(dims, begin, size):
        if n == -1 or (isinstance(n, int) and b == 0 and sizes.value(d) == n):
            result.append(d if b == 0 else sizes.derive("sub", d, as_size(sizes, b)))
        else:
            result.append(as_size(sizes, n))
        known, start = sizes.value(d), b if isinstance(b, int) else None
        if known is None or start is None or start + (sizes.value(result[-1]) or 0) > known:
            raise NotNative("the bounds of a slice are not known")
    return tuple(result)


def pull_plain_sliced(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """begin + index."""
    begin = host_of(sizes, node.inputs[1], no_dims)
    return tuple([a.moved((Size(b),), 1) for a, b in zip(at, begin)])


def pull_reversed(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """size - 1 - index along the reversed dimensions."""
    axes = {a % len(dims) for a in literal_of(sizes, node.inputs[1])}
    return tuple(
        [a.moved((d, Size(-1)), -1) if i in axes else a for i, (a, d) in enumerate(zip(at, dims))]
    )


def gathered_dims(sizes: Sizes, node: Node, dims: Shape, dims_of: Dims_of) -> Shape:
    """The dimensions of the places in place of those that they pick from."""
    op: Any = node.op
    places = dims_of(node.inputs[1])
    for i in range(op.batch):
        sizes.unify(dims[i], places[i])
    end = op.axis + len(node.inputs) - 1
    for d in dims[op.axis : end]:
        sizes.require_some(d)  # something must be there to be read, wherever the places are
    return (*dims[: op.axis], *places[op.batch :], *dims[end:])


def pull_gathered(sizes: Sizes, node: Node, dims: Shape, out: Shape, at: Place) -> Place:
    """The places where the indices are of what they pick."""
    op: Any = node.op
    rank = node.inputs[1].type.rank
    assert rank is not None
    end = op.axis + rank - op.batch
    where = (*at[: op.batch], *at[op.axis : end])
    picks = [FIRST._replace(picks=((v, where, 1),)) for v in node.inputs[1:]]
    return (*at[: op.axis], *picks, *at[end:])


MOVES: dict[type[Op], Move] = {
    Identity: Move(same_dims, same_place),
    GuaranteeConst: Move(same_dims, same_place),
    StopGradient: Move(same_dims, same_place),
    PreventGradient: Move(same_dims, same_place),
    EnsureShape: Move(ensured_dims, same_place),
    Reshape: Move(reshape_dims, pull_trivial),
    ExpandDims: Move(expanded_dims, pull_trivial),
    Squeeze: Move(squeezed_dims, pull_trivial),
    Transpose: Move(transposed_dims, pull_transposed),
    BroadcastTo: Move(broadcast_dims, pull_broadcast),
    StridedSlice: Move(sliced_dims, pull_sliced),
    Slice: Move(plain_sliced_dims, pull_plain_sliced),
    ReverseV2: Move(same_dims, pull_reversed),
    Gathered: Move(gathered_dims, pull_gathered),
}
