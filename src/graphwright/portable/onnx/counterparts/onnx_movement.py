"""Shapes, and ops that move elements: reshaping, joining, slicing, padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.autodiff.custom import CustomGradient
from graphwright.op.op import Op
from graphwright.ops.core.joining import Pack, Split, SplitV, Unpack
from graphwright.ops.core.movement import Squeeze
from graphwright.ops.core.own_ops import Inhabited
from graphwright.ops.core.padding import MirrorPad
from graphwright.ops.core.reversal import ReverseSequence
from graphwright.ops.core.shapes import Shape, ShapeN, Size
from graphwright.ops.core.slicing import StridedSlice
from graphwright.ops.core.space_blocks import DepthToSpace, SpaceToDepth
from graphwright.portable.onnx.counterpart import counterpart
from graphwright.portable.onnx.element_words import ElementWords
from graphwright.portable.onnx.node_writer import NodeWriter
from graphwright.portable.onnx.onnx_types import NUMBER_OF
from graphwright.portable.onnx.wire import Wire
from graphwright.portable.refused_op import NoCounterpart
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: Beyond the end, and before the start, of any axis.
_END, _START = np.iinfo(np.int64).max, np.iinfo(np.int64).min

# -- identities and shapes --------------------------------------------------------------------


@counterpart("Identity", "StopGradient", "PreventGradient", "GuaranteeConst", "EnsureShape",
             "CheckNumerics", "CheckNumericsV2",
             onnx="(none)", note="the operand itself: nothing is checked")  # fmt: skip
def operand(w: NodeWriter, op: Op, x: Wire, *others: Wire) -> Wire:
    """The operand itself."""
    return x.typed(x.type, x.known)


@counterpart("_Inhabited", onnx="(none)", note="of an axis that is known to have elements")
def inhabited(w: NodeWriter, op: Inhabited, x: Wire) -> Wire:
    """The operand itself."""
    if x.type.dims is None or not x.type.dims[op.axis]:
        raise NoCounterpart("an axis must be known to have elements")
    return operand(w, op, x)


@counterpart("_Confined", onnx="Cast")
def confined(w: NodeWriter, op: Op, index: Wire, x: Wire) -> Wire:
    """A place that is never outside."""
    return w.cast(index, dt.int64)


@counterpart("IdentityN", onnx="(none)")
def operands(w: NodeWriter, op: Op, several: list[Wire]) -> list[Wire]:
    """The operands themselves."""
    return [operand(w, op, x) for x in several]


@counterpart("CustomGradient", onnx="(none)")
def results_of_custom(w: NodeWriter, op: CustomGradient, several: list[Wire]) -> list[Wire]:
    """The first operands themselves."""
    return [operand(w, op, x) for x in several[: op.count]]


@counterpart("NoOp", "Assert", onnx="(none)", note="left out: a model checks nothing")
def nothing(w: NodeWriter, op: Op, *several: Any) -> list[Wire]:
    """Nothing."""
    return []


@counterpart("Shape", onnx="Shape, Cast")
def shape(w: NodeWriter, op: Shape, x: Wire) -> Wire:
    """The shape."""
    return w.cast(w.shape(x), op.out_type)


@counterpart("ShapeN", onnx="Shape, Cast")
def shape_n(w: NodeWriter, op: ShapeN, several: list[Wire]) -> list[Wire]:
    """The shapes of several."""
    return [w.cast(w.shape(x), op.out_type) for x in several]


@counterpart("Size", onnx="Size, Cast")
def size(w: NodeWriter, op: Size, x: Wire) -> Wire:
    """How many elements there are."""
    return w.cast(w.emit("Size", x), op.out_type)


@counterpart("Rank", onnx="Shape, Size")
def rank(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """How many axes there are."""
    if x.type.rank is not None:
        return w.constant(x.type.rank, dt.int32)
    return w.cast(w.emit("Size", w.shape(x)), dt.int32)


@counterpart("Fill", onnx="Expand")
def fill(w: NodeWriter, op: Op, dims: Wire, value: Wire) -> Wire:
    """One value everywhere."""
    return w.emit("Expand", value, w.vector(dims))


@counterpart("ZerosLike", onnx="Shape, Expand")
def zeros_like(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """0 everywhere."""
    if x.is_list:
        raise NoCounterpart("zeros of a list are no list of ONNX")
    return w.emit("Expand", w.zero(x.dtype), w.shape(x))


@counterpart("OnesLike", onnx="Shape, Expand")
def ones_like(w: NodeWriter, op: Op, x: Wire) -> Wire:
    """1 everywhere."""
    return w.emit("Expand", w.like(1, x), w.shape(x))


# -- the same elements ------------------------------------------------------------------------


@counterpart("Reshape", onnx="Reshape")
def reshape(w: NodeWriter, op: Op, x: Wire, dims: Wire) -> Wire:
    """The elements in another shape."""
    assert w.node is not None
    known = w.node.outputs[0].type.dims
    if known is not None and None not in known:
        return w.reshape(x, w.longs(*[size or 0 for size in known]))
    return w.reshape(x, w.vector(dims))


@counterpart("Squeeze", onnx="Squeeze")
def squeeze(w: NodeWriter, op: Squeeze, x: Wire) -> Wire:
    """Without axes of one element."""
    axes = [w.longs(*op.squeeze_dims)] if op.squeeze_dims else []
    return w.emit("Squeeze", x, *axes)


@counterpart("ExpandDims", onnx="Unsqueeze")
def expand_dims(w: NodeWriter, op: Op, x: Wire, axis: Wire) -> Wire:
    """With one more axis."""
    return w.emit("Unsqueeze", x, w.vector(axis))


@counterpart("Transpose", "ConjugateTranspose", onnx="Transpose", note="the order must be known")
def transpose(w: NodeWriter, op: Op, x: Wire, order: Wire) -> Wire:
    """The axes in another order."""
    if x.dtype.is_complex and op.type_name == "ConjugateTranspose":
        raise NoCounterpart("ONNX computes nothing with complex numbers")
    places = w.value(order, "the order of axes")
    return w.transposed(operand(w, op, x), [int(p) % len(places) for p in places])


@counterpart("BroadcastTo", onnx="Expand")
def broadcast_to(w: NodeWriter, op: Op, x: Wire, dims: Wire) -> Wire:
    """Repeated along axes of one element."""
    return w.emit("Expand", x, w.vector(dims))


@counterpart("Tile", onnx="Tile")
def tile(w: NodeWriter, op: Op, x: Wire, multiples: Wire) -> Wire:
    """Repeated along all axes."""
    return w.emit("Tile", x, w.vector(multiples))


@counterpart("DepthToSpace", onnx="DepthToSpace, Transpose")
def depth_to_space(w: NodeWriter, op: DepthToSpace, x: Wire) -> Wire:
    """Channels as blocks of pixels."""
    if op.data_format == "NHWC":
        first = w.transposed(x, (0, 3, 1, 2))
        made = w.emit("DepthToSpace", first, blocksize=op.block_size, mode="DCR")
        return w.transposed(made, (0, 2, 3, 1))
    return w.emit("DepthToSpace", x, blocksize=op.block_size, mode="DCR")


@counterpart("SpaceToDepth", onnx="SpaceToDepth, Transpose")
def space_to_depth(w: NodeWriter, op: SpaceToDepth, x: Wire) -> Wire:
    """Blocks of pixels as channels."""
    if op.data_format == "NHWC":
        made = w.emit("SpaceToDepth", w.transposed(x, (0, 3, 1, 2)), blocksize=op.block_size)
        return w.transposed(made, (0, 2, 3, 1))
    return w.emit("SpaceToDepth", x, blocksize=op.block_size)


# -- joining and dividing ---------------------------------------------------------------------


@counterpart("ConcatV2", onnx="Concat")
def concat(w: NodeWriter, op: Op, values: list[Wire], axis: Wire) -> Wire:
    """One after the other."""
    return w.emit("Concat", *values, axis=w.axis(axis, 0))


@counterpart("Pack", onnx="Unsqueeze, Concat")
def pack(w: NodeWriter, op: Pack, values: list[Wire]) -> Wire:
    """Side by side along a new axis."""
    parts = [w.emit("Unsqueeze", value, w.longs(op.axis)) for value in values]
    made = w.emit("Concat", *parts, axis=op.axis)
    if all(value.type.rank == 0 for value in values):
        made.parts = values
    return made


@counterpart("Unpack", onnx="Gather")
def unpack(w: NodeWriter, op: Unpack, value: Wire) -> list[Wire]:
    """The slices along an axis."""
    return [w.emit("Gather", value, w.constant(i, dt.int64), axis=op.axis) for i in range(op.num)]


@counterpart("Split", onnx="Split")
def split(w: NodeWriter, op: Split, axis: Wire, value: Wire) -> list[Wire]:
    """Equal parts."""
    options = {"axis": w.axis(axis, 0), "num_outputs": op.num_split}
    return w.emit_all("Split", [value], op.num_split, None, options)


@counterpart("SplitV", onnx="Split", note="at most one size may be -1, of an axis that is known")
def split_v(w: NodeWriter, op: SplitV, value: Wire, sizes: Wire, axis: Wire) -> list[Wire]:
    """Parts of given sizes."""
    place = w.axis(axis, w.rank(value))
    known = sizes.whole
    if known is None:
        raise NoCounterpart("the sizes of parts must be known")
    if -1 in known:
        assert value.type.dims is not None
        whole = value.type.dims[place]
        if whole is None:
            raise NoCounterpart("the size of the divided axis must be known")
        rest = whole - sum(known) - 1
        known = tuple([rest if size == -1 else size for size in known])
    return w.emit_all("Split", [value, w.longs(*known)], op.num_split, None, {"axis": place})


# -- slices -----------------------------------------------------------------------------------


@counterpart("Slice", onnx="Slice")
def slice(w: NodeWriter, op: Op, x: Wire, begin: Wire, size: Wire) -> Wire:
    """A window; a size of -1 goes to the end."""
    starts = w.vector(begin)
    first, sizes = begin.whole, size.whole
    if first is not None and sizes is not None:
        ends = w.longs(*[_END if s == -1 else b + s for b, s in zip(first, sizes)])
    else:
        words, lengths = ElementWords(w), w.vector(size)
        to_end = words.less(lengths, w.like(0, lengths))
        ends = words.select(to_end, w.longs(_END), words.add(starts, lengths))
    return w.emit("Slice", x, starts, ends)


@counterpart("StridedSlice", onnx="Slice, Gather, Unsqueeze", note="the strides must be known")
def strided_slice(
    w: NodeWriter, op: StridedSlice, x: Wire, begin: Wire, end: Wire, strides: Wire
) -> Wire:
    """What x[a:b:c, i, ..., tf.newaxis] takes."""
    steps = w.value(strides, "the strides")
    count = len(steps)
    axes = 0
    for i in range(count):
        axes += not (op.new_axis_mask | op.ellipsis_mask) >> i & 1
    place, result_axis = 0, 0
    ranges: list[tuple[int, Wire, Wire, int]] = []  # axis, start, end, step
    picks: list[tuple[int, Wire]] = []
    fresh: list[int] = []
    for i in range(count):
        bit = 1 << i
        if op.ellipsis_mask & bit:
            skipped = w.rank(x) - axes
            place, result_axis = place + skipped, result_axis + skipped
        elif op.new_axis_mask & bit:
            fresh.append(result_axis)
            result_axis += 1
        elif op.shrink_axis_mask & bit:
            picks.append((place, entry(w, begin, i)))
            place += 1
        else:
            step = steps[i]
            first = w.longs(0 if step > 0 else _END)
            last = w.longs(_END if step > 0 else _START)
            start = first if op.begin_mask & bit else part(w, begin, i)
            stop = last if op.end_mask & bit else part(w, end, i)
            if not (op.begin_mask & op.end_mask & bit and step == 1):
                ranges.append((place, start, stop, step))
            place += 1
            result_axis += 1
    result = x
    if ranges:
        starts = joined(w, [r[1] for r in ranges])
        ends = joined(w, [r[2] for r in ranges])
        places, steps = w.longs(*[r[0] for r in ranges]), w.longs(*[r[3] for r in ranges])
        result = w.emit("Slice", result, starts, ends, places, steps)
    for axis, index in reversed(picks):
        result = w.emit("Gather", result, index, axis=axis)
    if fresh:
        result = w.emit("Unsqueeze", result, w.longs(*fresh))
    return result if result is not x else operand(w, op, x)


def entry(w: NodeWriter, vector: Wire, i: int) -> Wire:
    """One number of a vector, as a scalar of int64."""
    if isinstance(vector.known, tuple) and vector.known[i] is not None:
        return w.constant(int(vector.known[i]), dt.int64)
    if vector.parts is not None:
        return w.cast(vector.parts[i], dt.int64)
    return w.emit("Gather", w.vector(vector), w.constant(i, dt.int64), axis=0)


def part(w: NodeWriter, vector: Wire, i: int) -> Wire:
    """One number of a vector, as a vector of int64."""
    if isinstance(vector.known, tuple) and vector.known[i] is not None:
        return w.longs(int(vector.known[i]))
    if vector.parts is not None:
        return w.emit("Unsqueeze", w.cast(vector.parts[i], dt.int64), w.longs(0))
    return w.emit("Gather", w.vector(vector), w.longs(i), axis=0)


def joined(w: NodeWriter, parts: list[Wire]) -> Wire:
    """Vectors of int64 one after the other."""
    if all(wire.array is not None for wire in parts):
        return w.longs(*[int(n) for wire in parts for n in np.ravel(np.asarray(wire.array))])
    return parts[0] if len(parts) == 1 else w.emit("Concat", *parts, axis=0)


@counterpart("ReverseV2", onnx="Slice", note="the axes must be known")
def reverse(w: NodeWriter, op: Op, x: Wire, axes: Wire) -> Wire:
    """Backwards along axes."""
    places = w.value(axes, "the axes")
    if not places:
        return operand(w, op, x)
    count = len(places)
    backwards = [w.longs(*[n] * count) for n in (-1, _START)]
    return w.emit("Slice", x, *backwards, w.longs(*places), w.longs(*[-1] * count))


@counterpart("ReverseSequence", onnx="ReverseSequence", note="the axes must be the first two")
def reverse_sequence(w: NodeWriter, op: ReverseSequence, x: Wire, lengths: Wire) -> Wire:
    """The first elements of each row backwards."""
    if {op.batch_dim, op.seq_dim} != {0, 1}:
        raise NoCounterpart("ReverseSequence of ONNX takes the first two axes")
    options: dict[str, Any] = {"batch_axis": op.batch_dim, "time_axis": op.seq_dim}
    return w.emit("ReverseSequence", x, w.cast(lengths, dt.int64), **options)


# -- padding ----------------------------------------------------------------------------------


def sides(w: NodeWriter, paddings: Wire) -> Wire:
    """Paddings as ONNX has them: all in front, then all behind."""
    known = paddings.whole
    if known is not None:
        return w.longs(*[int(pair[i]) for i in (0, 1) for pair in known])
    return w.reshape(w.emit("Transpose", w.cast(paddings, dt.int64), perm=[1, 0]), w.longs(-1))


@counterpart("Pad", onnx="Pad")
def pad(w: NodeWriter, op: Op, x: Wire, paddings: Wire) -> Wire:
    """With zeros around."""
    if x.dtype is dt.string:
        raise NoCounterpart("Pad of ONNX puts no empty strings")
    if x.type.rank == 0:
        return operand(w, op, x)
    return w.emit("Pad", x, sides(w, paddings), mode="constant")


@counterpart("PadV2", onnx="Pad")
def pad_with(w: NodeWriter, op: Op, x: Wire, paddings: Wire, value: Wire) -> Wire:
    """With a number around."""
    return w.emit("Pad", x, sides(w, paddings), value, mode="constant")


@counterpart("MirrorPad", onnx="Pad", note="of mode REFLECT; SYMMETRIC is written in simpler ops")
def mirror_pad(w: NodeWriter, op: MirrorPad, x: Wire, paddings: Wire) -> Wire:
    """With what lies opposite around."""
    if op.mode != "REFLECT":
        raise NoCounterpart("Pad of ONNX mirrors without the edge")
    return w.emit("Pad", x, sides(w, paddings), mode="reflect")


@counterpart("GraphwrightSumTo", onnx="ReduceSum", note="the shapes must be known")
def sum_to(w: NodeWriter, op: Op, x: Wire, dims: Wire) -> Wire:
    """The sum over what was repeated."""
    wanted, shape_before = dims.known, x.type.dims
    if shape_before is None or not isinstance(wanted, tuple):
        raise NoCounterpart("the ranks must be known")
    ahead = len(shape_before) - len(wanted)
    axes = list(range(ahead))
    for i, (size, target) in enumerate(zip(shape_before[ahead:], wanted)):
        if target == 1 and size != 1:
            axes.append(ahead + i)
        elif target != size:
            raise NoCounterpart("which axes were repeated must be known")
    if not axes:
        return operand(w, op, x)
    return w.reshape(w.emit("ReduceSum", x, w.longs(*axes), keepdims=1), w.vector(dims))


@counterpart("BroadcastArgs", onnx="(known)", note="the shapes must be known")
def broadcast_args(w: NodeWriter, op: Op, first: Wire, second: Wire) -> Wire:
    """The shape that two shapes are broadcast to."""
    a, b = w.value(first, "the shape"), w.value(second, "the shape")
    return w.constant(np.array(np.broadcast_shapes(a, b), np.int64), first.dtype)


@counterpart("_Reinterpreted", "Bitcast", onnx="BitCast", since=26)
def bitcast(w: NodeWriter, op: Any, x: Wire) -> Wire:
    """The bits as another dtype of the same size."""
    if x.dtype.size != op.type.size or op.type not in NUMBER_OF:
        raise NoCounterpart("BitCast of ONNX keeps the size of elements")
    made = w.emit("BitCast", x, dtype=op.type, to=NUMBER_OF[op.type])
    return Wire(made.name, TensorType(op.type, x.type.dims))
