"""Shapes, and ops that move elements."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import fill, zeros_like
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat, split, stack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape, squeeze, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.reversal import reverse_sequence
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import broadcast_dynamic_shape, shape, size
from graphwright.ops.core.static import static_value
from graphwright.ops.math.arithmetic import floormod, maximum, minimum
from graphwright.ops.math.comparison import equal, less
from graphwright.ops.math.reduction import reduce_prod
from graphwright.portable.model_error import malformed
from graphwright.portable.onnx.meaning import OnnxNode, dims_of, meaning, rank_of
from graphwright.portable.onnx.onnx_reading import dtype_of_number
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.convert import convert


@meaning("Constant")
def constant_value(n: OnnxNode) -> Any:
    """A value of the model."""
    for name, value in n.attributes.items():
        if name in ("value", "sparse_value"):
            return convert(value)
        if name in ("value_float", "value_floats"):
            return convert(np.asarray(value, np.float32))
        if name in ("value_int", "value_ints"):
            return convert(np.asarray(value, np.int64))
        if name in ("value_string", "value_strings"):
            return convert(np.array(value, object))
    raise malformed(n.name, "it has no value")


@meaning("ConstantOfShape")
def constant_of_shape(n: OnnxNode, dims: TensorValue) -> Any:
    """One value everywhere."""
    value = n.get("value")
    return fill(dims, np.float32(0) if value is None else value.reshape(()))


@meaning("EyeLike")
def eye_like(n: OnnxNode, x: TensorValue) -> Any:
    """1 on a diagonal of a matrix of the shape of another."""
    dtype = dtype_of_number(n.get("dtype"), n.name) if n.get("dtype") else x.dtype
    sizes = shape(x)
    rows, columns = expand_dims(range(sizes[0]), 1), range(sizes[1])
    return cast(equal(rows + int(n.get("k", 0)), columns), dtype)


@meaning("Shape")
def shape_of_tensor(n: OnnxNode, x: TensorValue) -> Any:
    """The shape, or a part of it."""
    whole = shape(x, dt.int64)
    start, end = n.get("start", 0), n.get("end")
    return whole if not start and end is None else whole[start:end]


@meaning("Size")
def size_of_tensor(n: OnnxNode, x: TensorValue) -> Any:
    """How many elements there are."""
    return size(x, out_type=dt.int64)


@meaning("Reshape")
def reshaped(n: OnnxNode, x: TensorValue, dims: TensorValue | None = None) -> Any:
    """Another shape, in which 0 is the size of the operand there."""
    target: Any = convert(n.get("shape")) if dims is None else dims
    if n.get("allowzero"):
        return reshape(x, target)
    known = static_value(target)
    if known is None:
        before, count = shape(x, dt.int64), dims_of(target)[0]
        if count is None:
            raise n.unread("the number of axes must be known")
        padded = concat([before, fill([max(0, count - rank_of(x))], np.int64(1))], 0)[:count]
        return reshape(x, where(equal(target, 0), padded, target))
    entries = [shape(x, dt.int64)[i] if size == 0 else int(size) for i, size in enumerate(known)]
    return reshape(x, entries) if entries else reshape(x, convert(np.zeros(0, np.int64)))


@meaning("Flatten")
def flattened(n: OnnxNode, x: TensorValue) -> Any:
    """A matrix, of the axes before one and of those after it."""
    axis = int(n.get("axis", 1))
    axis = axis + rank_of(x) if axis < 0 else axis
    sizes = shape(x, dt.int64)
    rows = reduce_prod(sizes[:axis])
    return reshape(x, stack([rows, reduce_prod(sizes[axis:])]))


@meaning("Squeeze")
def squeezed(n: OnnxNode, x: TensorValue, axes: TensorValue | None = None) -> Any:
    """Without axes of one element."""
    return squeeze(x, n.axes(axes))


@meaning("Unsqueeze")
def unsqueezed(n: OnnxNode, x: TensorValue, axes: TensorValue | None = None) -> Any:
    """With new axes of one element."""
    places = n.axes(axes) or []
    final = sorted([p + rank_of(x) + len(places) if p < 0 else p for p in places])
    for place in final:
        x = expand_dims(x, place)
    return x


@meaning("Transpose")
def transposed(n: OnnxNode, x: TensorValue) -> Any:
    """The axes in another order, by default backwards."""
    return transpose(x, n.get("perm"))


@meaning("Expand")
def expanded(n: OnnxNode, x: TensorValue, dims: TensorValue) -> Any:
    """Repeated along axes of one element, of either shape."""
    return broadcast_to(x, broadcast_dynamic_shape(shape(x, dt.int64), dims))


@meaning("Tile")
def tiled(
    n: OnnxNode, x: TensorValue, repeats: TensorValue, axis: TensorValue | None = None
) -> Any:
    """Repeated along all axes."""
    if axis is not None:
        count, place = int(n.static(repeats, "how often")), int(n.static(axis, "the axis"))
        return tile(x, [count if i == place else 1 for i in builtins.range(rank_of(x))])
    return tile(x, repeats)


@meaning("Concat")
def concatenated(n: OnnxNode, *parts: TensorValue) -> Any:
    """One after the other."""
    return concat(list(parts), int(n.get("axis", 1)))


@meaning("Split")
def divided_along(n: OnnxNode, x: TensorValue, sizes: Any = None) -> Any:
    """Parts along an axis."""
    axis = int(n.get("axis", 0))
    given = n.get("split") if sizes is None else n.static(sizes, "the sizes")
    if given is not None:
        return split(x, [int(size) for size in given], axis)
    count = int(n.get("num_outputs", n.count))
    whole = dims_of(x)[axis] if x.type.dims else None
    if whole is None:
        return split(x, count, axis)
    chunk = -(-whole // count)
    parts = [chunk] * (count - 1)
    return split(x, [*parts, whole - sum(parts)], axis)


@meaning("Slice")
def sliced(
    n: OnnxNode,
    x: TensorValue,
    starts: TensorValue | None = None,
    ends: TensorValue | None = None,
    axes: TensorValue | None = None,
    steps: TensorValue | None = None,
) -> Any:
    """A window along axes, in steps."""
    begin = n.get("starts") if starts is None else starts
    end = n.get("ends") if ends is None else ends
    begin, end = convert(begin), convert(end)
    count = dims_of(begin)[0] if begin.type.dims else None
    if count is None:
        raise n.unread("how many axes it cuts must be known")
    places = n.axes(axes)
    places = list(builtins.range(count)) if places is None else places
    places = [place % rank_of(x) for place in places]
    moves = [1] * count if steps is None else [int(s) for s in n.static(steps, "the steps")]
    known_begin, known_end = (static_value(t, partial=True) for t in (begin, end))
    index: list[Any] = [builtins.slice(None)] * rank_of(x)
    for i, (place, step) in enumerate(zip(places, moves)):
        start, stop = bound(begin, known_begin, i), bound(end, known_end, i)
        if isinstance(stop, int) and (stop >= _FAR or stop <= -_FAR):
            stop = None
        if isinstance(start, int) and (start >= _FAR or start <= -_FAR):
            start = None
        if step < 0 and not isinstance(stop, int) and stop is not None:
            stop = where(less(stop, -_FAR), -_FAR, stop)
        index[place] = builtins.slice(start, stop, step)
    return x[tuple(index)]


#: Numbers that are beyond any axis.
_FAR = 1 << 30


def bound(tensor: TensorValue, known: TensorValue, i: int) -> Any:
    """An entry of a vector: a number where it is known, else a scalar."""
    entry = None if known is None else known[i]
    return minimum(maximum(tensor[i], -_FAR), _FAR) if entry is None else int(entry)


@meaning("Pad")
def padded(
    n: OnnxNode,
    x: TensorValue,
    pads: TensorValue | None = None,
    value: TensorValue | None = None,
    axes: TensorValue | None = None,
) -> Any:
    """With something around."""
    mode = n.text("mode", "constant")
    given: Any = n.get("pads", n.get("paddings")) if pads is None else pads
    rank = rank_of(x)
    places = list(builtins.range(rank)) if axes is None else [a % rank for a in n.axes(axes)]
    if value is None:
        constant = n.get("value", 0.0)
        value = cast(convert(constant), x.dtype) if x.dtype is not dt.string else convert(b"")
    known = static_value(convert(given))
    if known is None:
        if places != list(builtins.range(rank)) or mode not in ("constant", "reflect"):
            raise n.unread("how much must be known")
        pairs = transpose(reshape(given, [2, rank]))
        return pad(x, pairs, "REFLECT") if mode == "reflect" else pad(x, pairs, "CONSTANT", value)
    sides = [[0, 0] for _ in builtins.range(rank)]
    for i, place in enumerate(places):
        sides[place] = [int(known[i]), int(known[i + len(places)])]
    if any(amount < 0 for pair in sides for amount in pair):
        cut = [builtins.slice(max(0, -a), -max(0, -b) or None) for a, b in sides]
        x = x[tuple(cut)]
        sides = [[max(0, a), max(0, b)] for a, b in sides]
    if mode == "constant":
        return pad(x, sides, "CONSTANT", reshape(value, []))
    return extended(n, x, sides, mode)


def extended(n: OnnxNode, x: TensorValue, sides: list[list[int]], mode: str) -> Any:
    """Padded by elements of the tensor itself: edges, mirror images or repetitions."""
    for axis, (before, after) in enumerate(sides):
        if not before and not after:
            continue
        count = shape(x, dt.int64)[axis]
        places = range(convert(np.int64(-before)), count + after)
        if mode == "edge":
            places = minimum(maximum(places, 0), count - 1)
        elif mode == "wrap":
            places = floormod(places, count)
        elif mode == "reflect":
            period = maximum(2 * (count - 1), 1)
            around = floormod(places, period)
            places = minimum(around, period - around)
        else:
            raise n.unread(f"the mode is {mode}")
        x = gather(x, places, axis=axis)
    return x


@meaning("DepthToSpace")
def to_space(n: OnnxNode, x: TensorValue) -> Any:
    """Channels as blocks of pixels."""
    block = int(n.get("blocksize", 1))
    b, c, h, w = [shape(x, dt.int64)[i] for i in builtins.range(4)]
    inner = c // (block * block)
    if n.text("mode", "DCR") == "DCR":
        parts = transpose(reshape(x, [b, block, block, inner, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        parts = transpose(reshape(x, [b, inner, block, block, h, w]), [0, 1, 4, 2, 5, 3])
    return reshape(parts, [b, inner, h * block, w * block])


@meaning("SpaceToDepth")
def to_depth(n: OnnxNode, x: TensorValue) -> Any:
    """Blocks of pixels as channels."""
    block = int(n.get("blocksize", 1))
    b, c, h, w = [shape(x, dt.int64)[i] for i in builtins.range(4)]
    parts = reshape(x, [b, c, h // block, block, w // block, block])
    order = [0, 3, 5, 1, 2, 4] if n.text("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    moved = transpose(parts, order)
    return reshape(moved, [b, c * block * block, h // block, w // block])


@meaning("ReverseSequence")
def reversed_rows(n: OnnxNode, x: TensorValue, lengths: TensorValue) -> Any:
    """The first elements of each row backwards."""
    time, batch = int(n.get("time_axis", 0)), int(n.get("batch_axis", 1))
    return reverse_sequence(x, lengths, seq_axis=time, batch_axis=batch)


@meaning("Trilu")
def triangle(n: OnnxNode, x: TensorValue, k: TensorValue | None = None) -> Any:
    """Matrices without what is below or above a diagonal."""
    sizes = shape(x, dt.int64)
    rows, columns = expand_dims(range(sizes[-2]), 1), range(sizes[-1])
    far = cast(0 if k is None else k, dt.int64)
    distance = columns - rows - reshape(far, [])
    stays = distance >= 0 if n.get("upper", 1) else distance <= 0
    return where(stays, x, zeros_like(x))
