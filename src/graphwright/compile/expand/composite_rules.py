"""What composite ops are made of: rules from an op and its operands to the results.

None says that a rule does not apply. What an operand on the host holds must mostly be known: then
elements are moved by index maps, and joined.
"""

from __future__ import annotations

from typing import Any

from graphwright.compile.expand import (
    colour_rules,
    contraction_rules,
    diagonal_rules,
    draw_rules,
    normalization_rules,
    ordering_rules,
    placement_rules,
    rounding_rules,
    space_rules,
)
from graphwright.ir.known import known
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core.casting import Bitcast, cast
from graphwright.ops.core.identity import IdentityN, identity
from graphwright.ops.core.indexing import where
from graphwright.ops.core.indicators import OneHot
from graphwright.ops.core.joining import Split, SplitV, Unpack, concat
from graphwright.ops.core.movement import (
    broadcast_to,
    expand_dims,
    reshape,
)
from graphwright.ops.core.own_ops import Inhabited, Reinterpreted
from graphwright.ops.core.padding import MirrorPad, MirrorPadGrad, Pad, PadV2
from graphwright.ops.core.repetition import Tile
from graphwright.ops.core.reversal import reverse
from graphwright.ops.core.rule_words import (
    Rule,
    along,
    dims_of,
    extent,
    host,
    padded,
    pieces,
)
from graphwright.ops.core.sequences import LinSpace
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.core.slicing import WHOLE, NewAxis, Pick, StridedSliceGrad, spread
from graphwright.ops.core.sorting import ArgMax, ArgMin
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import (
    reduce_max,
    reduce_min,
)
from graphwright.types import dtypes as dt

# -- rows ---------------------------------------------------------------------------------------


def extreme_place(greatest: bool) -> Rule:
    """The first place of an extreme; NaN is passed over."""

    def rule(op: Any, x: Any, axis: Any) -> Any:
        at = host(axis)
        if at is None or not x.shape.rank:
            return None
        at %= x.shape.rank
        x = apply(Inhabited.of(at), x)
        x = cast(x, dt.uint8) if x.dtype is dt.bool_ else x
        if x.dtype.is_floating:
            beyond = float("-inf") if greatest else float("inf")
            x = where(equal(x, x), x, cast(beyond, x.dtype))
        extreme = (reduce_max if greatest else reduce_min)(x, at, True)
        numbers = reshape(steps(extent(x, at)), [-1, *[1] * (x.shape.rank - at - 1)])
        places = where(equal(x, extreme), numbers, numbers.dtype.max)
        return cast(reduce_min(places, at), op.output_type)

    return rule


# -- parts --------------------------------------------------------------------------------------


def unpack(op: Any, value: Any) -> Any:
    """(value[0], value[1], ...) along the axis"""
    rank = value.shape.rank
    return tuple([value[along(rank, op.axis % rank, i)] for i in range(op.num)])


def split(op: Any, axis: Any, value: Any) -> Any:
    """Equal slices along the axis, where its size is known"""
    at = host(axis)
    size = None if at is None else value.shape[at]
    if size is None or size % op.num_split:
        return None
    return pieces(value, at % value.shape.rank, [size // op.num_split] * op.num_split)


def split_by_sizes(op: Any, value: Any, sizes: Any, axis: Any) -> Any:
    """Slices along the axis, where their sizes are known"""
    at, wanted = host(axis), host(sizes)
    size = None if at is None or wanted is None else value.shape[at]
    if size is None:
        return None
    rest = size - sum(n for n in wanted if n != -1)
    exact = [rest if n == -1 else n for n in wanted]
    return pieces(value, at % value.shape.rank, exact) if sum(exact) == size else None


def same(op: Op, *values: Any) -> Any:
    """The operands themselves"""
    return tuple([identity(v) for v in values])


def tile(op: Op, x: Any, multiples: Any) -> Any:
    """Copies along new axes, which are merged with those of the operand"""
    times = host(multiples)
    if times is None or any(t < 1 for t in times):
        return None
    dims = dims_of(x)
    spread = [d for pair in zip([1] * len(dims), dims) for d in pair]
    pairs = [d for pair in zip(times, dims) for d in pair]
    whole = [d * t if t > 1 else d for t, d in zip(times, dims)]
    return reshape(broadcast_to(reshape(x, spread), pairs), whole)


def reinterpreted(op: Any, x: Any) -> Any:
    """The same bits, of elements of the same size"""
    return apply(Reinterpreted.of(op.type), x) if x.dtype.size == op.type.size else None


def spaced(op: Any, start: Any, stop: Any, count: Any) -> Any:
    """start + i * step; the last one is where it stops"""
    number = host(count)
    if number is None or number < 1:
        return None
    if number == 1:
        return reshape(start, [1])
    numbers = steps(number)
    step = (stop - start) / cast(float(number - 1), start.dtype)
    between = start + step * cast(numbers, start.dtype)
    return where(equal(numbers, number - 1), stop, between)


# -- borders ------------------------------------------------------------------------------------


def pad(op: Op, x: Any, paddings: Any, value: Any = 0) -> Any:
    """Blocks of one value before and after"""
    pairs = host(paddings)
    if pairs is None or any(n < 0 for pair in pairs for n in pair):
        return None
    return padded(x, pairs, cast(value, x.dtype))


def mirrored(op: Any, dims: Any, paddings: Any, bordered: bool) -> Any:
    """(axis, size inside, before, after) of the axes with borders; None where they may not fit.

    The dims are those with the borders if `bordered`.
    """
    pairs = host(paddings)
    if pairs is None:
        return None
    found = []
    for axis, (before, after) in enumerate(pairs):
        size = dims[axis]
        if not (before or after):
            continue
        if size is not None and bordered:
            size -= before + after
        if size is None or not 0 <= min(before, after) <= max(before, after) <= size - edge(op):
            return None
        found.append((axis, size, before, after))
    return found


def edge(op: Any) -> int:
    """How many elements at an end are not in its border."""
    return 1 if op.mode == "REFLECT" else 0


def reflected(op: Any, x: Any) -> Any:
    """`x`, which has elements along each axis if a border leaves out the one at the end."""
    for axis in range(x.shape.rank if edge(op) else 0):
        x = apply(Inhabited.of(axis), x)
    return x


def mirror_pad(op: Any, x: Any, paddings: Any) -> Any:
    """The tensor between its own ends, reversed"""
    borders, rank, kept = mirrored(op, x.shape, paddings, False), x.shape.rank, edge(op)
    if borders is None:
        return None
    x = reflected(op, x)
    for axis, size, before, after in borders:
        ends = (kept, kept + before), (size - kept - after, size - kept)
        sides = [reverse(x[along(rank, axis, slice(*end))], [axis]) for end in ends]
        parts = (sides[0] if before else None, x, sides[1] if after else None)
        x = concat([part for part in parts if part is not None], axis)
    return identity(x)


def mirror_pad_gradient(op: Any, x: Any, paddings: Any) -> Any:
    """What is between the borders, with these added where they come from"""
    borders, rank, kept = mirrored(op, x.shape, paddings, True), x.shape.rank, edge(op)
    if borders is None:
        return None
    x = reflected(op, x)
    for axis, size, before, after in borders:
        own, x = x, x[along(rank, axis, slice(before, before + size))]
        end_after = slice(before + size, before + size + after)
        for end, place in ((slice(0, before), kept), (end_after, size - kept - after)):
            count = end.stop - end.start
            if count:
                folded = reverse(own[along(rank, axis, end)], [axis])
                around = [(0, 0)] * rank
                around[axis] = place, size - place - count
                x = x + padded(folded, around, cast(0, x.dtype))
    return identity(x)


def slice_gradient(op: Any, shape: Any, begin: Any, end: Any, strides: Any, dy: Any) -> Any:
    """`dy` in zeros, where it was taken in steps of one; an axis of which all was taken may have
    any size"""
    dims, bounds = known(shape._value), [host(v) for v in (begin, end, strides)]
    if not isinstance(dims, tuple) or None in bounds:
        return None
    pairs: list[tuple[int, int]] = []
    inner: list[Any] = []
    at = 0  # the axis of `dy`
    for entry in spread(list(op.entries(*bounds)), len(dims)):
        if isinstance(entry, NewAxis):
            at += 1
            continue
        size = dims[len(pairs)]
        if entry == WHOLE:
            pairs.append((0, 0))
            inner.append(extent(dy, at) if size is None else size)
            at += 1
        elif size is None:
            return None
        elif isinstance(entry, Pick):
            place = entry.index % size
            pairs.append((place, size - place - 1))
            inner.append(1)
        else:
            places = range(*slice(*entry.unmasked).indices(size))
            if places.step != 1:
                return None
            pairs.append((places.start, size - places.start - len(places)))
            inner.append(len(places))
            at += 1
    if 0 in [d for d in inner if isinstance(d, int)]:
        return None
    return padded(reshape(dy, inner), pairs, cast(0, dy.dtype))


# -- by places ----------------------------------------------------------------------------------


def one_hot(op: Any, indices: Any, depth: Any, on: Any, off: Any) -> Any:
    """on where the index is the place, else off"""
    at = op.place(indices.shape.rank)
    numbers = indices if indices.dtype.size >= 4 else cast(indices, dt.int32)
    places = steps(cast(0, numbers.dtype), cast(depth, numbers.dtype))
    places = reshape(places, [-1, *[1] * (indices.shape.rank - at)])
    return where(equal(expand_dims(numbers, at), places), on, off)


RULES: dict[type[Op], Rule] = {
    **colour_rules.RULES,
    **contraction_rules.RULES,
    **diagonal_rules.RULES,
    **draw_rules.RULES,
    **normalization_rules.RULES,
    **ordering_rules.RULES,
    **placement_rules.RULES,
    **rounding_rules.RULES,
    **space_rules.RULES,
    ArgMax: extreme_place(True),
    ArgMin: extreme_place(False),
    Bitcast: reinterpreted,
    IdentityN: same,
    LinSpace: spaced,
    MirrorPad: mirror_pad,
    MirrorPadGrad: mirror_pad_gradient,
    OneHot: one_hot,
    Pad: pad,
    PadV2: pad,
    Split: split,
    SplitV: split_by_sizes,
    StridedSliceGrad: slice_gradient,
    Tile: tile,
    Unpack: unpack,
}
