"""Slices: TensorFlow's strided slices with all their masks, their gradient and update."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import REGISTRY, Call, LateRefusal, Op, Shapes, freeze
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import broadcast_to, reshape, sum_to, transpose
from graphwright.ops.core.rule_words import dims_of, extent, host, padded, placed, windowed
from graphwright.ops.core.shapes import shape, shape_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, broadcast_dims, is_compatible, show_dims

INDEX = frozenset({dt.int16, dt.int32, dt.int64})


class SliceRange(NamedTuple):
    """begin:end:stride along an axis of the operand; `MASKED` bounds are the axis's own."""

    begin: Any
    end: Any
    stride: Any

    @property
    def unmasked(self) -> list[Any]:
        """The three as Python's slices have them: None for what is masked."""
        return [None if v is MASKED else v for v in self]


class Pick(NamedTuple):
    """One index along an axis of the operand, which the result lacks."""

    index: Any


class NewAxis(NamedTuple):
    """An axis of size 1 that the operand lacks."""


MASKED = object()

#: All of an axis.
WHOLE = SliceRange(MASKED, MASKED, 1)


class Masks(Op):
    """The masks that ops on strided slices share: bit i is about entry i of the bounds."""

    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    @property
    def masks(self) -> tuple[int, int, int, int, int]:
        """All five."""
        return (
            self.begin_mask,
            self.end_mask,
            self.ellipsis_mask,
            self.new_axis_mask,
            self.shrink_axis_mask,
        )

    def entries(self, begin: Any, end: Any, strides: Any) -> Iterator[Any]:
        """What each entry of the bounds means; None stands for the ellipsis.

        The bounds are vectors of one length. Their entries may be all that stands for an integer.
        """
        if self.ellipsis_mask & (self.ellipsis_mask - 1):
            raise ValueError("Multiple ellipses in slice spec not allowed")
        for i, (b, e, s) in enumerate(zip(begin, end, strides)):
            bit = 1 << i
            if self.ellipsis_mask & bit:
                yield None
            elif self.new_axis_mask & bit:
                yield NewAxis()
            elif s == 0:
                raise ValueError(f"strides[{i}] must be non-zero")
            elif self.shrink_axis_mask & bit:
                if s is not None and s < 0:
                    raise ValueError("only stride 1 allowed on non-range indexing.")
                yield Pick(b)
            else:
                masked = (self.begin_mask & bit, self.end_mask & bit)
                yield SliceRange(MASKED if masked[0] else b, MASKED if masked[1] else e, s)

    def sliced_dims(
        self, dims: Dims | None, begin: Dims | None, end: Dims | None, strides: Dims | None
    ) -> Dims | None:
        """The shape of the slice; ValueError as TensorFlow's for what is out of bounds."""
        count = next((len(b) for b in (begin, end, strides) if b is not None), None)
        if count is None:
            return None
        unknown = (None,) * count
        bounds = [unknown if b is None else b for b in (begin, end, strides)]
        check_bounds(*bounds)
        entries = list(self.entries(*bounds))
        if dims is None:
            return None
        result: list[int | None] = []
        axis = 0
        for entry in spread(entries, len(dims)):
            if isinstance(entry, NewAxis):
                result.append(1)
            else:
                if isinstance(entry, Pick):
                    check_pick(entry.index, axis, dims[axis])
                else:
                    result.append(range_length(entry, dims[axis]))
                axis += 1
        return tuple(result)

    def numpy_index(
        self, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...]
    ) -> tuple[Any, ...]:
        """The same slice as NumPy writes it; its result is always an array."""
        check_bounds(begin, end, strides)
        index: list[Any] = []
        for entry in self.entries(begin, end, strides):
            if entry is None:
                index.append(Ellipsis)
            elif isinstance(entry, NewAxis):
                index.append(np.newaxis)
            elif isinstance(entry, Pick):
                index.append(entry.index)
            else:
                index.append(builtins.slice(*entry.unmasked))
        return tuple(index) if Ellipsis in index else (*index, Ellipsis)

    def shifted(self) -> Masks:
        """The same op with all of a new first axis taken."""
        first = (True, True, False, False, False)
        return type(self).of(*[mask << 1 | bit for mask, bit in zip(self.masks, first)])

    def bounds(self, each: Each, first: int) -> list[Any]:
        """The vectors `begin`, `end`, `strides` of operands `first` and on, with all rows."""
        entries = zip(range(first, first + 3), (0, 0, 1))
        return [each.longer(each.same(i), entry) for i, entry in entries]


def spread(entries: Sequence[object], rank: int) -> list[Any]:
    """What entries mean of an operand of so many axes: the ellipsis, which may be left out, stands
    for whole axes. ValueError where there are not enough."""
    taken = sum(isinstance(e, (SliceRange, Pick)) for e in entries)
    if taken > rank:
        if not rank:
            raise ValueError("Attempting to slice scalar input.")
        words = f"Index out of range using input dim {rank}; input has only {rank} dims"
        if rank == 1 and all(isinstance(e, Pick) for e in entries):
            words += ". A list is one index for each axis: tf.gather(x, [0, 1]) takes several items"
        raise ValueError(words)
    place = entries.index(None) if None in entries else len(entries)
    return [*entries[:place], *[WHOLE] * (rank - taken), *entries[place + 1 :]]


def enumerate_axes(entries: Sequence[object]) -> Iterator[tuple[int | None, Any]]:
    """Entries with the axis of the operand that each is about; None for new axes."""
    axis = 0
    for entry in entries:
        if isinstance(entry, NewAxis):
            yield None, entry
        else:
            yield axis, entry
            axis += 1


def check_bounds(begin: Any, end: Any, strides: Any) -> None:
    """ValueError unless the three bounds of a slice are vectors of one length."""
    shapes = [np.shape(b) for b in (begin, end, strides)]
    if any(len(s) != 1 or s != shapes[0] for s in shapes):
        shown = [show_dims(s) for s in shapes]
        raise ValueError(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{shown[0]}, {shown[1]}, and {shown[2]} instead."
        )


def check_pick(index: int | None, axis: int, size: int | None) -> None:
    """ValueError unless an index is in the bounds of its axis."""
    if index is None or size is None:
        return
    if not -size <= index < size:
        shown = index + size if index < 0 else index
        raise ValueError(f"slice index {shown} of dimension {axis} out of bounds.")


def range_length(entry: SliceRange, size: int | None) -> int | None:
    """How many elements a range takes from an axis, or None."""
    if size is None or None in entry:
        return None
    return len(range(*builtins.slice(*entry.unmasked).indices(size)))


class StridedSlice(Masks):
    """begin:end:strides of each axis, with masks for `:`, `...`, newaxis and single indices."""

    type_name = "StridedSlice"
    inputs = ("input: T", "begin: Index host", "end: Index host", "strides: Index host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Index": INDEX}
    computes = False

    def shapes(
        self, x: TensorType, begin: Dims | None, end: Dims | None, strides: Dims | None
    ) -> Shapes:
        return (self.sliced_dims(x.dims, begin, end, strides),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        index = lru_cache(256)(self.numpy_index)  # a program takes the same few again and again
        return lambda x, begin, end, strides: x[index(begin, end, strides)]

    def kernel(
        self, x: Array, begin: tuple[int, ...], end: tuple[int, ...], strides: tuple[int, ...]
    ) -> Any:
        return np.asarray(x)[self.numpy_index(begin, end, strides)]

    def known(self, x: HostValue, begin: Any, end: Any, strides: Any) -> Any:
        if not isinstance(x, tuple) or any(b is None or None in b for b in (begin, end, strides)):
            return None
        try:
            index = self.numpy_index(begin, end, strides)
            return freeze(np.array(x, dtype=object)[index].tolist())
        except (ValueError, IndexError):
            return None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, begin, end, strides = call.inputs
        back = StridedSliceGrad.of(*self.masks)
        return apply(back, shape_of(x), begin, end, strides, g), None, None, None

    def batched(self, each: Each) -> Any:
        return apply(self.shifted(), each.inputs[0], *self.bounds(each, 1))


class StridedSliceGrad(Masks):
    """Zeros of a shape, with `dy` in the place that the slice was taken from."""

    type_name = "StridedSliceGrad"
    inputs = (
        "shape: Index host",
        "begin: Index host",
        "end: Index host",
        "strides: Index host",
        "dy: T",
    )
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Index": dt.INDEX}

    def shapes(
        self,
        shape: Dims | None,
        begin: Dims | None,
        end: Dims | None,
        strides: Dims | None,
        dy: TensorType,
    ) -> Shapes:
        self.check_slice(self.sliced_dims(shape, begin, end, strides), dy.dims)
        return (shape,)

    def check_slice(self, sliced: Dims | None, dy: Dims | None) -> None:
        """ValueError unless `dy` has the shape of the slice."""
        if not is_compatible(sliced, dy):
            raise ValueError(f"shape of dy was {show_dims(dy)} instead of {show_dims(sliced)}")

    def kernel(
        self,
        shape: tuple[int, ...],
        begin: tuple[int, ...],
        end: tuple[int, ...],
        strides: tuple[int, ...],
        dy: Array,
    ) -> Any:
        dy = np.asarray(dy)
        result = np.zeros(shape, dy.dtype)
        if dy.dtype.kind == "O":
            result[...] = b""
        index = self.numpy_index(begin, end, strides)
        self.check_slice(result[index].shape, dy.shape)
        result[index] = dy
        return result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, begin, end, strides, _ = call.inputs
        return None, None, None, None, apply(StridedSlice.of(*self.masks), g, begin, end, strides)

    def expand(
        self,
        shape: GraphTensor,
        begin: GraphTensor,
        end: GraphTensor,
        strides: GraphTensor,
        dy: GraphTensor,
    ) -> Any:
        """`dy` in zeros, where it was taken: by indices, or in steps of one. An axis with an index,
        or of which all was taken, may have any size."""
        dims, bounds = shape.known, [self.begins(begin), end.known, host(strides)]
        if not isinstance(dims, tuple) or None in bounds:
            return None
        pairs: list[tuple[int, int]] = []  # of the axes without computed indices
        inner: list[Any] = []  # the sizes of these
        computed: dict[int, Any] = {}  # indices that a run checks, by axis
        axis_of_dy = 0
        for axis, entry in enumerate_axes(spread(list(self.entries(*bounds)), len(dims))):
            if axis is None:
                axis_of_dy += 1
                continue
            size = dims[axis]
            if isinstance(entry, Pick) and (size is None or not isinstance(entry.index, int)):
                computed[axis] = entry.index
                continue
            if entry == WHOLE:
                pairs.append((0, 0))
                inner.append(extent(dy, axis_of_dy) if size is None else size)
                axis_of_dy += 1
            elif size is None or None in entry:
                return None
            elif isinstance(entry, Pick):
                place = entry.index % size
                pairs.append((place, size - place - 1))
                inner.append(1)
            else:
                places = range(*builtins.slice(*entry.unmasked).indices(size))
                if places.step != 1:
                    return None
                pairs.append((places.start, size - places.start - len(places)))
                inner.append(len(places))
                axis_of_dy += 1
        if 0 in [d for d in inner if isinstance(d, int)]:
            return None
        part = padded(reshape(dy, inner), pairs, cast(0, dy.dtype))
        if not computed:
            return part
        sizes = [shape[axis] if dims[axis] is None else dims[axis] for axis in computed]
        columns = [reshape(index, [1]) for index in computed.values()]
        sizes += dims_of(part)
        result = placed(reshape(part, [1, *dims_of(part)]), columns, sizes)
        others = [axis for axis in range(len(dims)) if axis not in computed]
        order = [*computed, *others]
        return transpose(result, [order.index(axis) for axis in range(len(dims))])

    def begins(self, begin: GraphTensor) -> list[Any] | None:
        """Where each entry begins: integers, and tensors for computed indices. None if unknown."""
        entries = list(begin.known or (None,))
        for i, entry in enumerate(entries):
            if entry is None:
                if not self.shrink_axis_mask >> i & 1 or begin.shape.rank != 1:
                    return None
                entries[i] = entry_of(begin, i)
        return entries

    def batched(self, each: Each) -> Any:
        shape = each.longer(each.same(0))
        return apply(self.shifted(), shape, *self.bounds(each, 1), each.full(4))


class TensorStridedSliceUpdate(Masks):
    """The tensor with `value` in place of a slice of it."""

    type_name = "TensorStridedSliceUpdate"
    inputs = ("input: T", "begin: Index host", "end: Index host", "strides: Index host", "value: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Index": dt.INDEX}

    def shapes(
        self,
        x: TensorType,
        begin: Dims | None,
        end: Dims | None,
        strides: Dims | None,
        value: TensorType,
    ) -> Shapes:
        wanted = self.sliced_dims(x.dims, begin, end, strides)
        try:
            fits = wanted is None or broadcast_dims(value.dims, wanted) in (wanted, None)
        except ValueError:
            fits = False
        if not fits and wanted is not None and None not in wanted and value.is_static:
            raise ValueError(
                f"Incompatible shapes: the slice is {show_dims(wanted)}, the value "
                f"{show_dims(value.dims)}"
            )
        return (x.dims,)

    def kernel(
        self,
        x: Array,
        begin: tuple[int, ...],
        end: tuple[int, ...],
        strides: tuple[int, ...],
        value: Array,
    ) -> Any:
        result = np.array(x)
        result[self.numpy_index(begin, end, strides)] = value
        return result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, begin, end, strides, value = call.inputs
        cotangent = apply(StridedSlice.of(*self.masks), g, begin, end, strides)
        zero = convert(0, g.dtype)
        rest = apply(TensorStridedSliceUpdate.of(*self.masks), g, begin, end, strides, zero)
        return rest, None, None, None, sum_to(cotangent, value)

    def batched(self, each: Each) -> Any:
        return apply(self.shifted(), each.full(0), *self.bounds(each, 1), each.full(4))


class Slice(Op):
    """`size` elements from `begin` on along each axis; a size of -1 is all that are left."""

    type_name = "Slice"
    inputs = ("input: T", "begin: Index host", "size: Index host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Index": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, begin: Dims | None, size: Dims | None) -> Shapes:
        rank = next((len(v) for v in (begin, size, x.dims) if v is not None), None)
        if rank is None:
            return (None,)
        if any(v is not None and len(v) != rank for v in (begin, size, x.dims)):
            raise ValueError(
                f"Expected begin and size arguments to be 1-D tensors of size {x.rank}, but got "
                f"shapes [{len(begin or ())}] and [{len(size or ())}] instead."
            )
        dims = x.dims or (None,) * rank
        unknown = (None,) * rank
        return (
            tuple(
                [
                    slice_length(i, d, b, s)
                    for i, (d, b, s) in enumerate(zip(dims, begin or unknown, size or unknown))
                ]
            ),
        )

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        index = lru_cache(256)(slice_index)  # a program takes the same few again and again
        return lambda x, begin, size: x[index(x.shape, begin, size)]

    def kernel(self, x: Array, begin: tuple[int, ...], size: tuple[int, ...]) -> Any:
        return np.asarray(x)[slice_index(np.shape(x), begin, size)]

    def known(self, x: HostValue, begin: Any, size: Any) -> Any:
        if not isinstance(x, tuple) or not begin or not size or None in (*begin, *size):
            return None
        if len(begin) != 1:
            return None
        return x[begin[0] :] if size[0] == -1 else x[begin[0] : begin[0] + size[0]]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, begin, _ = call.inputs
        if isinstance(begin, tuple) and g.type.is_static:
            end: Any = tuple([b + n for b, n in zip(begin, g.type.dims or ())])
        else:
            begin = convert(begin)
            end = begin + shape(g, begin.dtype)
        back = StridedSliceGrad.of()
        return apply(back, shape_of(x), begin, end, unit_strides(begin), g), None, None

    def expand(self, x: GraphTensor, begin: GraphTensor, size: GraphTensor) -> Any:
        """Windows where it begins at indices from data; it is simple where all are known."""
        starts, counts = begin.known, host(size)
        if not isinstance(starts, tuple) or None not in starts or counts is None:
            return None
        windows = {i: (entry_of(begin, i), counts[i]) for i, b in enumerate(starts) if b is None}
        if any(count < 1 for _, count in windows.values()):
            return None
        rest = [(0, -1) if b is None else (b, n) for b, n in zip(starts, counts)]
        return apply(self, windowed(x, windows), *zip(*rest))

    def batched(self, each: Each) -> Any:
        size = each.same(2)
        if each.stacked[1] and isinstance(size, tuple) and -1 not in size:
            return windows_of_rows(each.full(0), each.inputs[1], size)
        return apply(self, each.inputs[0], each.longer(each.same(1), 0), each.longer(size))


def windows_of_rows(x: TensorValue, begin: TensorValue, size: tuple[int, ...]) -> Any:
    """So many elements along each axis of each row, from where its own begin says."""
    gather, numbers = REGISTRY["GatherV2"].of(1), REGISTRY["Range"].of(begin.dtype)
    for i, count in enumerate(size):
        places = begin[:, i : i + 1] + apply(numbers, 0, count, 1)
        x = apply(gather, x, places, i + 1)
    return x


def slice_index(dims: Dims, begin: Any, size: Any) -> tuple[Any, ...]:
    """A Slice as NumPy writes it; its result is always an array."""
    if len(begin) != len(dims) or len(size) != len(dims):
        raise ValueError(f"begin {begin} and size {size} for the shape {dims}")
    spans: list[Any] = []
    for i, (d, b, n) in enumerate(zip(dims, begin, size)):
        spans.append(builtins.slice(b, b + slice_length(i, d, b, n)))
    return (*spans, Ellipsis)


def slice_length(axis: int, d: int | None, begin: Any, size: Any) -> int | None:
    """The size of a Slice along an axis; ValueError, or `LateRefusal`, out of bounds."""
    if size is not None and size < -1:
        raise ValueError(f"Expected size[{axis}] in [0, {d}], but got {size}")
    if begin is not None and (begin < 0 or (d is not None and begin > d)):
        kind = ValueError if size == -1 else LateRefusal
        raise kind(f"Expected begin[{axis}] in [0, {d}], but got {begin}")
    if size == -1:
        return None if d is None or begin is None else d - begin
    if None not in (d, begin, size) and begin + size > d:
        raise LateRefusal(f"Expected size[{axis}] in [0, {d - begin}], but got {size}")
    return size if size is None else int(size)


def entry_of(vector: GraphTensor, i: int) -> Any:
    """The number at place i of a vector of bounds."""
    return vector[i] if vector.parts is None else vector.parts[i]


def unit_strides(begin: TensorLike) -> Any:
    """A stride of 1 for each of the bounds."""
    if isinstance(begin, (list, tuple)):
        return (1,) * len(begin)
    begin = convert(begin)
    dims: Any = begin.type.dims
    if dims is None or None in dims:
        return broadcast_to(convert(1, begin.dtype), shape(begin))
    return (1,) * dims[0] if dims else ()


def entry(vector: TensorLike, i: int | TensorValue) -> Any:
    """The scalar at place i of a vector."""
    return apply(StridedSlice.of(0, 0, 0, 0, 1), vector, (i,), (i + 1,), (1,))


# -- the public functions -------------------------------------------------------------------


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the slice `begin:end:strides` along the leading axes of a tensor.

    Bit i of a mask says something about entry i of the bounds.

    Args:
        input_: A tensor of any dtype, of rank 1 or more.
        begin: A vector of int16, int32 or int64: where the slice begins along each axis.
        end: A vector like `begin`: where it ends, the end left out.
        strides: A vector like `begin`: the steps. None means ones.
        begin_mask: Bit i: `begin[i]` is ignored, and the slice begins at the first element, or at
            the last for a negative stride.
        end_mask: Bit i: `end[i]` is ignored, and the slice goes on to the other end of the axis.
        ellipsis_mask: Bit i: entry i stands for all axes that no other entry names.
        new_axis_mask: Bit i: entry i inserts an axis of size 1.
        shrink_axis_mask: Bit i: only the element at `begin[i]` is taken, and the axis goes away.
        var: Accepted for TensorFlow's signature and not used.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input_`.

    Raises:
        InvalidArgumentError: A stride is 0, there are too many bounds, or an index is out of
            bounds.

    >>> import graphwright as tf
    >>> tf.strided_slice([1, 2, 3, 4], [3], [0], [-2]).numpy().tolist()
    [4, 2]
    """
    op = StridedSlice.of(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if strides is None:
        strides = unit_strides(begin)
    return apply(op, convert(input_), begin, end, strides, name=name)


def slice(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """Returns a block of a tensor, by its first index and its size along each axis.

    Args:
        input_: A tensor of any dtype.
        begin: A list of ints, or a vector of int32 or int64: the first index along each axis.
        size: A list or vector like `begin`: the sizes. -1 means all from `begin` on.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `input_`.

    Raises:
        InvalidArgumentError: The block does not lie inside the tensor, or the bounds have not an
            entry for each axis.

    >>> import graphwright as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    return apply(SLICE, convert(input_), begin, size, name=name)


SLICE = Slice()

one_op(slice, hosts=2)
