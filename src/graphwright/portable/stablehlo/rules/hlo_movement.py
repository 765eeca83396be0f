"""Shapes, and ops that move elements: reshaping, joining, slicing, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.autodiff.custom import CustomGradient
from graphwright.op.op import Op
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.slicing import NewAxis, Pick, StridedSlice, enumerate_axes, spread
from graphwright.portable.refused_op import NoCounterpart
from graphwright.portable.stablehlo.block_writer import BlockWriter, integers
from graphwright.portable.stablehlo.hlo_rule import hlo_rule
from graphwright.portable.stablehlo.hlo_value import HloValue
from graphwright.portable.stablehlo.hlo_words import HloWords
from graphwright.types import dtypes as dt

# -- identities and shapes --------------------------------------------------------------------


@hlo_rule("Identity", "StopGradient", "PreventGradient", "GuaranteeConst", "EnsureShape",
          "CheckNumerics", "CheckNumericsV2", "_Required")  # fmt: skip
def operand(w: BlockWriter, op: Op, x: HloValue, *others: HloValue) -> HloValue:
    """The operand itself: nothing is checked."""
    return x


@hlo_rule("_Inhabited")
def inhabited(w: BlockWriter, op: Any, x: HloValue) -> HloValue:
    """The operand itself, which has elements."""
    if not x.sizes[op.axis]:
        raise NoCounterpart("an axis has no elements")
    return x


@hlo_rule("IdentityN")
def operands(w: BlockWriter, op: Op, several: list[HloValue]) -> list[HloValue]:
    """The operands themselves."""
    return several


@hlo_rule("CustomGradient")
def results_of_custom(
    w: BlockWriter, op: CustomGradient, several: list[HloValue]
) -> list[HloValue]:
    """The first operands themselves."""
    return several[: op.count]


@hlo_rule("NoOp", "Assert")
def nothing(w: BlockWriter, op: Op, *several: Any) -> list[HloValue]:
    """Nothing: the text checks nothing."""
    return []


def numbers(w: BlockWriter, values: Any) -> HloValue:
    """Known numbers, in the dtype of the node's result."""
    assert w.node is not None
    return w.constant(values, w.node.outputs[0].type.dtype)


@hlo_rule("Shape", "VariableShape")
def shape(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """The shape."""
    return numbers(w, np.array(x.sizes, np.int64))


@hlo_rule("ShapeN")
def shape_n(w: BlockWriter, op: Op, several: list[HloValue]) -> list[HloValue]:
    """The shapes of several."""
    return [numbers(w, np.array(x.sizes, np.int64)) for x in several]


@hlo_rule("Size")
def size(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """How many elements there are."""
    return numbers(w, int(np.prod(x.sizes)))


@hlo_rule("Rank")
def rank(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """How many axes there are."""
    return numbers(w, len(x.sizes))


@hlo_rule("Fill")
def fill(w: BlockWriter, op: Op, dims: HloValue, value: HloValue) -> HloValue:
    """One value everywhere."""
    return w.broadcast(value, w.target())


@hlo_rule("ZerosLike")
def zeros_like(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """0 everywhere."""
    return w.constant(0, x.dtype, x.sizes)


@hlo_rule("OnesLike")
def ones_like(w: BlockWriter, op: Op, x: HloValue) -> HloValue:
    """1 everywhere."""
    return w.constant(1, x.dtype, x.sizes)


@hlo_rule("Range")
def range_(w: BlockWriter, op: Op, start: HloValue, limit: HloValue, delta: HloValue) -> HloValue:
    """Numbers in equal steps."""
    dims, words = w.target(), HloWords(w)
    steps = words.mul(w.iota(start.dtype, dims, 0), w.broadcast(delta, dims))
    return words.add(steps, w.broadcast(start, dims))


# -- the same elements ------------------------------------------------------------------------


@hlo_rule("Reshape", "Squeeze", "ExpandDims")
def reshape(w: BlockWriter, op: Op, x: HloValue, *others: HloValue) -> HloValue:
    """The elements in another shape."""
    return w.reshape(x, w.target())


@hlo_rule("Transpose", "ConjugateTranspose")
def transpose(w: BlockWriter, op: Op, x: HloValue, order: HloValue) -> HloValue:
    """The axes in another order."""
    return w.transpose(x, w.axes(order, len(x.sizes), "the order of axes"))


@hlo_rule("BroadcastTo")
def broadcast_to(w: BlockWriter, op: Op, x: HloValue, dims: HloValue) -> HloValue:
    """Repeated along axes of one element."""
    return w.broadcast(x, w.target())


@hlo_rule("ReverseV2")
def reverse(w: BlockWriter, op: Op, x: HloValue, axes: HloValue) -> HloValue:
    """Backwards along axes."""
    places = w.axes(axes, len(x.sizes))
    if not places:
        return x
    return w.emit("reverse", [x], x.dtype, x.sizes, f"dimensions = {integers(places)}")


# -- joining ----------------------------------------------------------------------------------


@hlo_rule("ConcatV2")
def concat(w: BlockWriter, op: Op, values: list[HloValue], axis: HloValue) -> HloValue:
    """One after the other."""
    (place,) = w.axes(axis, len(w.target()), "the axis")
    return w.concat(values, place)


@hlo_rule("Pack")
def pack(w: BlockWriter, op: Pack, values: list[HloValue]) -> HloValue:
    """Side by side along a new axis."""
    dims = w.target()
    axis = op.axis % len(dims)
    one = (*dims[:axis], 1, *dims[axis + 1 :])
    made = w.concat([w.reshape(value, one) for value in values], axis)
    made = HloValue(made.name, made.dtype, made.dims, made.array)
    made.parts = values if len(dims) == 1 else None
    return made


# -- slices -----------------------------------------------------------------------------------


def scalar_of(w: BlockWriter, vector: HloValue, i: int) -> HloValue:
    """One number of a vector, as a scalar of int64."""
    known = vector.known
    if isinstance(known, tuple) and isinstance(known[i], int):
        return w.constant(known[i], dt.int64)
    if vector.array is not None:
        return w.constant(np.broadcast_to(vector.array, vector.sizes)[i], dt.int64)
    if vector.parts is not None:
        return w.convert(vector.parts[i], dt.int64)
    return w.convert(w.reshape(w.slice(vector, [i], [i + 1], [1]), ()), dt.int64)


def window(
    w: BlockWriter, x: HloValue, starts: Sequence[HloValue], sizes: Sequence[int]
) -> HloValue:
    """A window whose place is computed; it stays inside."""
    return w.emit("dynamic_slice", [x, *starts], x.dtype, sizes, f"slice_sizes = {integers(sizes)}")


@hlo_rule("Slice")
def slice_(w: BlockWriter, op: Op, x: HloValue, begin: HloValue, size: HloValue) -> HloValue:
    """A window."""
    dims = w.target()
    if begin.whole is not None:
        starts = [int(b) for b in begin.whole]
        return w.slice(x, starts, [b + d for b, d in zip(starts, dims)], [1] * len(dims))
    return window(w, x, [scalar_of(w, begin, i) for i in range(len(dims))], dims)


@hlo_rule("StridedSlice")
def strided_slice(
    w: BlockWriter, op: StridedSlice, x: HloValue, begin: HloValue, end: HloValue, strides: HloValue
) -> HloValue:
    """What x[a:b:c, i, ..., tf.newaxis] takes. An index may be computed; bounds must be known."""
    first: list[Any] = [entry_of(begin, i) for i in range(begin.sizes[0])]
    last: list[Any] = [entry_of(end, i) for i in range(end.sizes[0])]
    steps = [int(s) for s in w.whole(strides, "the strides")]
    entries = spread(list(op.entries(first, last, steps)), len(x.sizes))
    ranges: list[range] = []
    computed: dict[int, HloValue] = {}
    for axis, entry in enumerate_axes(entries):
        if axis is None or isinstance(entry, NewAxis):
            continue
        size = x.sizes[axis]
        if isinstance(entry, Pick):
            if isinstance(entry.index, tuple):
                computed[axis] = wrapped(w, scalar_of(w, begin, entry.index[0]), size)
                ranges.append(range(size))
            else:
                place = entry.index % size if size else 0
                ranges.append(range(place, place + 1))
        else:
            if any(isinstance(bound, tuple) for bound in entry):
                raise NoCounterpart("the bounds of slices must be known while tracing")
            ranges.append(range(*slice(*entry.unmasked).indices(size)))
    made = taken(w, x, ranges)
    if computed:
        zero = w.constant(0, dt.int64, ())
        starts = [computed.get(axis, zero) for axis in range(len(x.sizes))]
        sizes = [1 if axis in computed else d for axis, d in enumerate(made.sizes)]
        made = window(w, made, starts, sizes)
    return w.reshape(made, w.target())


def entry_of(vector: HloValue, i: int) -> Any:
    """A known number of a vector, or a tuple of its place."""
    if vector.array is not None:
        return int(np.broadcast_to(vector.array, vector.sizes)[i])
    known = vector.known
    entry = known[i] if isinstance(known, tuple) else None
    return (i,) if entry is None else int(entry)


def wrapped(w: BlockWriter, index: HloValue, size: int) -> HloValue:
    """A place that counts from the start."""
    words = HloWords(w)
    negative = words.less(index, w.constant(0, dt.int64, ()))
    return w.select(negative, words.add(index, w.constant(size, dt.int64, ())), index)


def taken(w: BlockWriter, x: HloValue, ranges: Sequence[range]) -> HloValue:
    """The elements at ranges of places; those that go down are turned around."""
    upward = [r if r.step > 0 else r[::-1] for r in ranges]
    starts = [r.start if len(r) else 0 for r in upward]
    limits = [r[-1] + 1 if len(r) else 0 for r in upward]
    made = w.slice(x, starts, limits, [r.step for r in upward])
    down = [axis for axis, r in enumerate(ranges) if r.step < 0 and len(r) > 1]
    if not down:
        return made
    return w.emit("reverse", [made], made.dtype, made.sizes, f"dimensions = {integers(down)}")


# -- padding ----------------------------------------------------------------------------------


@hlo_rule("Pad", "PadV2")
def pad(
    w: BlockWriter, op: Op, x: HloValue, paddings: HloValue, value: HloValue | None = None
) -> HloValue:
    """With a number around."""
    sides = w.whole(paddings, "the paddings").reshape(-1, 2)
    around = w.constant(0, x.dtype, ()) if value is None else w.reshape(value, ())
    return padded(w, x, around, sides[:, 0].tolist(), sides[:, 1].tolist())


def padded(
    w: BlockWriter, x: HloValue, value: HloValue, low: Sequence[int], high: Sequence[int],
    between: Sequence[int] = (),
) -> HloValue:  # fmt: skip
    """With a number around and between the elements."""
    between = between or [0] * len(x.sizes)
    dims = [
        max((d - 1) * (b + 1) + 1, 0) + before + after if d else before + after
        for d, before, after, b in zip(x.sizes, low, high, between)
    ]
    words = (
        f"edge_padding_low = {integers(low)}, edge_padding_high = {integers(high)}, "
        f"interior_padding = {integers(between)}"
    )
    return w.emit("pad", [x, value], x.dtype, dims, words)


@hlo_rule("StridedSliceGrad")
def strided_slice_gradient(
    w: BlockWriter, op: Any, dims: HloValue, begin: HloValue, end: HloValue, strides: HloValue,
    g: HloValue,
) -> HloValue:  # fmt: skip
    """The gradient of a slice among zeros."""
    sizes = w.target()
    bounds = [[int(n) for n in w.whole(v, "the bounds of slices")] for v in (begin, end, strides)]
    ranges = []
    for axis, entry in enumerate_axes(spread(list(op.entries(*bounds)), len(sizes))):
        if axis is None:
            continue
        if isinstance(entry, Pick):
            place = entry.index % sizes[axis]
            ranges.append(range(place, place + 1))
        else:
            ranges.append(range(*slice(*entry.unmasked).indices(sizes[axis])))
    if not all(map(len, ranges)):
        return w.constant(0, g.dtype, sizes)
    made = w.reshape(g, [len(r) for r in ranges])
    down = [axis for axis, r in enumerate(ranges) if r.step < 0]
    if down:
        made = w.emit("reverse", [made], g.dtype, made.sizes, f"dimensions = {integers(down)}")
    upward = [r if r.step > 0 else r[::-1] for r in ranges]
    return padded(
        w,
        made,
        w.constant(0, g.dtype, ()),
        [r[0] for r in upward],
        [d - r[-1] - 1 for d, r in zip(sizes, upward)],
        [r.step - 1 for r in upward],
    )
