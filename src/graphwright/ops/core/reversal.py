"""Elements in reverse or rotated order along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, Shapes, is_nested
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.casting import cast
from graphwright.ops.core.identity import identity
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, transpose
from graphwright.ops.core.rule_words import extent, host, moved, pieces, required
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.math.comparison import select
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class ReverseV2(Op):
    """The elements in reverse order along axes."""

    type_name = "ReverseV2"
    inputs = ("tensor: T", "axis: Tidx host")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL | dt.STRING, "Tidx": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, axis: int | Dims | None) -> Shapes:
        if axis is not None and not isinstance(axis, tuple):
            raise ValueError("'axis' must be 1-dimension, not 0")
        if x.dims is not None:
            rank = len(x.dims)
            seen = set()
            for a in axis or ():
                if a is None:
                    continue
                if not -rank <= a < rank:
                    advice = "\n    axis=[-1] fits" if rank else ""
                    raise ValueError(
                        f"'axis'[0] = {a} is out of valid range [0, {rank - 1}]{advice}"
                    )
                if a % rank in seen:
                    raise ValueError(f"axis {a % rank} specified more than once.")
                seen.add(a % rank)
        return (x.dims,)

    def kernel(self, x: Array, axis: int | tuple[int, ...]) -> Any:
        if not isinstance(axis, tuple):
            raise ValueError("'axis' must be 1-dimension, not 0")
        return np.flip(x, axis) if x.ndim else x

    def known(self, x: HostValue, axis: HostValue) -> Any:
        is_first = axis == (0,) or (axis == (-1,) and not is_nested(x))
        return x[::-1] if isinstance(x, tuple) and is_first else None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return reverse(g, call.inputs[1]), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.axes(1))


class ReverseSequence(Op):
    """The first `seq_lengths[b]` slices of batch b in reverse order, the rest as they are."""

    type_name = "ReverseSequence"
    ruled = True
    inputs = ("input: T", "seq_lengths: Tlen")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tlen": dt.INDEX}

    seq_dim: int
    batch_dim: int = 0

    def shapes(self, x: TensorType, lengths: TensorType) -> Shapes:
        if lengths.rank not in (1, None):
            raise ValueError(f"seq_lengths must be 1-dim, not {lengths.rank}")
        if x.dims is None:
            return (None,)
        rank = len(x.dims)
        batch, along = self.batch_dim % rank if rank else 0, self.seq_dim
        if along == self.batch_dim:
            raise ValueError(f"batch_dim == seq_dim == {along}")
        if along >= rank:
            raise ValueError(f"seq_dim must be < input rank ( {along} vs. {rank})")
        if self.batch_dim >= rank:
            raise ValueError(f"batch_dim must be < input rank ( {self.batch_dim} vs. {rank})")
        count = lengths.dims[0] if lengths.dims else None
        if None not in (count, x.dims[batch]) and count != x.dims[batch]:
            raise ValueError(
                f"Length of seq_lengths != input.dims({batch}), ({count} vs. {x.dims[batch]})"
            )
        return (x.dims,)

    def kernel(self, x: Array, lengths: Array) -> Any:
        lengths = np.asarray(lengths)
        size = np.shape(x)[self.seq_dim]
        if (lengths < 0).any():
            bad = int(np.argmax(lengths < 0))
            raise ValueError(f"seq_lengths({bad}) < 0")
        if (lengths > size).any():
            bad = int(np.argmax(lengths > size))
            raise ValueError(f"seq_lengths({bad}) > input.dims({self.seq_dim})")
        steps = np.arange(size)
        back = lengths[:, None] - 1 - steps
        places = np.where(back >= 0, back, steps)
        moved = np.moveaxis(x, (self.batch_dim, self.seq_dim), (0, 1))
        result = moved[np.arange(len(lengths))[:, None], places]
        return np.moveaxis(result, (0, 1), (self.batch_dim, self.seq_dim))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(self, g, call.inputs[1]), None

    def expand(self, x: GraphTensor, lengths: GraphTensor) -> Any:
        """The elements from the mirrored place, before the length of their batch."""
        order = [self.batch_dim, self.seq_dim]
        order += [i for i in range(x.shape.rank) if i not in order]
        back = [order.index(i) for i in range(x.shape.rank)]
        size = extent(x, self.seq_dim)
        fits = (lengths >= 0) & (lengths <= cast(size, lengths.dtype))
        ends = expand_dims(cast(required(lengths, fits), dt.int64), 1)
        numbers = cast(steps(size), dt.int64)
        places = select(numbers < ends, ends - 1 - numbers, numbers)
        return transpose(moved(transpose(x, order), 1, [places], 1), back)


class Roll(Op):
    """The elements moved along axes, those that leave at one end coming in at the other."""

    type_name = "Roll"
    inputs = ("input: T", "shift: Tshift host", "axis: Taxis host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tshift": dt.INDEX, "Taxis": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, shift: Any, axis: Any) -> Shapes:
        if x.rank == 0:
            raise ValueError("input must be 1-D or higher")
        for name, value in (("shift", shift), ("axis", axis)):
            if value is not None and len(np.shape(value)) > 1:
                raise ValueError(
                    f"{name} must be a scalar or a 1-D vector. Found: {show_dims(np.shape(value))}"
                )
        if shift is None or axis is None or x.dims is None:
            return (x.dims,)
        if np.shape(shift) != np.shape(axis):
            raise ValueError("shift and axis must have the same size")
        rank = len(x.dims)
        for a in axis if isinstance(axis, tuple) else (axis,):
            if a is not None and not -rank <= a < rank:
                raise ValueError(f"axis {a} is out of range{fitting_axis(axis, rank)}")
        return (x.dims,)

    def kernel(self, x: Array, shift: int | tuple[int, ...], axis: int | tuple[int, ...]) -> Any:
        plain = type(shift) is type(axis) is int
        if np.ndim(x) == 0 or not (plain or np.shape(shift) == np.shape(axis)):
            raise ValueError("shift and axis must have the same size")
        return np.roll(x, shift, axis)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        _, shift, axis = call.inputs
        if isinstance(shift, tuple):
            back: Any = tuple([-s for s in shift])
        else:
            back = -convert(shift)
        return apply(self, g, back, axis), None, None

    def expand(self, x: GraphTensor, shift: GraphTensor, axis: GraphTensor) -> Any:
        """The elements from where they were, modulo the size of the axis."""
        by, axes = host(shift), host(axis)
        if by is None and isinstance(axes, int) and shift.shape.rank == 0:
            place = axes % x.shape.rank
            return moved(x, place, [turned_places(extent(x, place), shift)])
        if by is None or axes is None:
            return None
        for distance, a in zip(*[v if isinstance(v, tuple) else (v,) for v in (by, axes)]):
            place = a % x.shape.rank
            size = extent(x, place)
            if isinstance(size, int):
                cut = size - distance % size
                if cut != size:
                    x = concat(pieces(x, place, [cut, size - cut])[::-1], place)
            else:
                x = moved(x, place, [turned_places(size, distance)])
        return identity(x)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.same(1), each.axes(2))


class RollOfRows(Roll):
    """The same along an axis before long rows, by a known shift: rows are read where they lie."""

    type_name = "_RollOfRows"

    def expand(self, x: GraphTensor, shift: GraphTensor, axis: GraphTensor) -> Any:
        """The rows from where they were."""
        place = host(axis) % x.shape.rank
        return moved(x, place, [turned_places(extent(x, place), host(shift))])


def turned_places(size: Any, shift: Any) -> Any:
    """The places from which elements come that move on by a shift: one remainder for all."""
    size = cast(size, dt.int64)
    places = steps(size) - cast(shift, dt.int64) % size
    return select(places < 0, places + size, places)


REVERSE, ROLL = ReverseV2(), Roll()


def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """Reverses the order of the elements along axes.

    Args:
        tensor: A tensor of numbers, bools or strings.
        axis: A list of ints, or a vector of int32 or int64: the axes.
        name: A name for the op.

    Returns:
        A tensor like `tensor`.

    Raises:
        InvalidArgumentError: `axis` is no list, or names an axis twice or one out of range.

    >>> import graphwright as tf
    >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy().tolist()
    [[2, 1], [4, 3]]
    """
    return apply(REVERSE, convert(tensor), axis, name=name)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverses the first slices of each sequence of a batch, and leaves the rest in place.

    Args:
        input: A tensor of any dtype, of rank 2 or more.
        seq_lengths: A vector of int32 or int64: how many slices of each sequence are reversed.
        seq_axis: The axis along which slices are reversed, an int. None means 0.
        batch_axis: The axis of the sequences, an int other than `seq_axis`. None means 0.
        name: A name for the op.

    Returns:
        A tensor like `input`.

    Raises:
        InvalidArgumentError: A length is negative or above the size of `seq_axis`, or the axes do
            not fit.

    >>> import graphwright as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    op = ReverseSequence.of(0 if seq_axis is None else seq_axis, batch_axis or 0)
    return apply(op, convert(input), convert(seq_lengths), name=name)


def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """Shifts the elements of a tensor along axes; what leaves at one end enters at the other.

    Args:
        input: A tensor of any dtype, of rank 1 or more.
        shift: By how many places: a scalar or vector of int32 or int64.
        axis: The axis of each shift: a scalar or vector of the shape of `shift`.
        name: A name for the op.

    Returns:
        A tensor like `input`.

    Raises:
        InvalidArgumentError: `shift` and `axis` differ in shape, or an axis is out of range.

    >>> import graphwright as tf
    >>> tf.roll([0, 1, 2, 3, 4], shift=2, axis=0).numpy().tolist()
    [3, 4, 0, 1, 2]
    """
    if axis is None:
        raise ValueError(
            "roll needs an `axis`: tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), tf.shape(x)) "
            "goes over all elements"
        )
    return apply(ROLL, convert(input), shift, axis, name=name)

one_op(reverse, hosts=1)
one_op(roll, hosts=2)
