"""Tensors repeated as a whole or element by element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, holds_tensor, makes_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, LateRefusal, Op, Shapes
from graphwright.op.refusal import fitting_axis
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes, gather, host_vector
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import broadcast_to, expand_dims, reshape, transpose
from graphwright.ops.core.rule_words import dims_of, host
from graphwright.ops.core.segment_reduction import counts
from graphwright.ops.core.sequences import check_integers, only_at
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import shape, shape_of, size
from graphwright.ops.core.slicing import entry
from graphwright.ops.core.static import known_int
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.cumulation import cumsum
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import HostValue, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType


@lru_cache(256)
def tiled_dims(
    dims: tuple[int, ...], multiples: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Shapes to tile with, and the shape in the end. Each axis becomes two, (multiple, size): the
    first is 1 in the operand, and broadcasting fills it."""
    if len(dims) != len(multiples):
        raise ValueError("multiples must have an entry for each axis")
    spread = tuple([size for d in dims for size in (1, d)])
    pairs = tuple([size for pair in zip(multiples, dims) for size in pair])
    return spread, pairs, tuple([m * d for m, d in zip(multiples, dims)])


class Tile(Op):
    """The tensor repeated `multiples[i]` times along axis i."""

    type_name = "Tile"
    inputs = ("input: T", "multiples: Tmultiples host")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "Tmultiples": dt.INDEX}
    computes = False

    def shapes(self, x: TensorType, multiples: int | Dims | None) -> Shapes:
        if multiples is None:
            return (None if x.dims is None else (None,) * len(x.dims),)
        if not isinstance(multiples, tuple):
            raise ValueError("Expected multiples to be 1-D, but got shape []")
        if x.dims is not None and len(x.dims) != len(multiples):
            raise ValueError(
                f"Expected multiples argument to be a vector of length {len(x.dims)} but got "
                f"length {len(multiples)}"
            )
        for i, m in enumerate(multiples):
            if m is not None and m < 0:
                raise LateRefusal(f"Expected multiples[{i}] >= 0, but got {m}")
        dims = x.dims or (None,) * len(multiples)
        return (tuple([times(d, m) for d, m in zip(dims, multiples)]),)

    def kernel(self, x: Array, multiples: tuple[int, ...]) -> Any:
        spread, pairs, dims = tiled_dims(np.shape(x), multiples)
        result = np.empty(pairs, x.dtype)
        result[...] = x.reshape(spread)
        return result.reshape(dims)

    def known(self, x: HostValue, multiples: Any) -> Any:
        if not isinstance(x, tuple) or not isinstance(multiples, tuple) or None in multiples:
            return None
        if len(multiples) != 1:
            return None
        return x * multiples[0]

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        # Each axis becomes two, (multiple, size), and the multiples are summed.
        x, multiples = call.inputs
        listed = isinstance(multiples, (tuple, list))  # [] stays a list, and is of no integers
        if listed and x.type.is_static:
            pairs: Any = tuple([n for pair in zip(multiples, x.type.dims) for n in pair])
        else:
            multiples = convert(multiples, dt.int32 if listed else None)
            dims = shape(x, multiples.dtype)
            pairs = reshape(transpose(stack([multiples, dims])), (-1,))
        if x.type.rank is not None:
            axes: Any = tuple(range(0, 2 * x.type.rank, 2))
        else:
            axes = range_of(0, size(pairs), 2)
        return reshape(reduce_sum(reshape(g, pairs), axes), shape_of(x)), None

    def expand(self, x: GraphTensor, multiples: GraphTensor) -> Any:
        """Copies along new axes, which are merged with those of the operand."""
        times = host(multiples)
        if times is None or any(t < 1 for t in times):
            return None
        dims = dims_of(x)
        spread = [d for pair in zip([1] * len(dims), dims) for d in pair]
        pairs = [d for pair in zip(times, dims) for d in pair]
        whole = [d * t if t > 1 else d for t, d in zip(times, dims)]
        return reshape(broadcast_to(reshape(x, spread), pairs), whole)

    def batched(self, each: Each) -> Any:
        return apply(self, each.inputs[0], each.longer(each.same(1), 1))


def times(a: int | None, b: int | None) -> int | None:
    """a * b where it is known, as it is where one of them is 0."""
    if 0 in (a, b):
        return 0
    return None if a is None or b is None else a * b


TILE = Tile()


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Repeats a tensor as a whole along each axis.

    Args:
        input: A tensor of any dtype.
        multiples: A list of ints, or a vector of int32 or int64: how often along each axis.
        name: A name for the op.

    Returns:
        A tensor of the dtype and rank of `input`; axis i is of size `input.shape[i] *
        multiples[i]`.

    Raises:
        InvalidArgumentError: `multiples` has not an entry for each axis, or a negative one.

    >>> import graphwright as tf
    >>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return apply(TILE, convert(input), multiples, name=name)


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeats each slice of a tensor along an axis.

    Args:
        input: A tensor of any dtype.
        repeats: How often: an int or a scalar for all slices, or a vector of integers with one for
            each, of which those below 0 count as 0.
        axis: The axis, an int. None means that the tensor is flattened first.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`, and of its rank where `axis` is given.

    Raises:
        TypeError: `repeats` are no integers.
        ValueError: `axis` is out of range, or `repeats` does not fit it.
        InvalidArgumentError: `repeats` is one negative number.

    >>> import graphwright as tf
    >>> tf.repeat([[1, 2], [3, 4]], repeats=[2, 1], axis=0).numpy().tolist()
    [[1, 2], [1, 2], [3, 4]]
    """
    x = convert(input)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    elif x.type.rank == 0:
        x = reshape(x, (-1,))
    axis, dims = known_int(axis), x.dims
    rank = None if dims is None else len(dims)
    if rank is not None:
        if not -rank <= axis < rank:
            raise ValueError(
                f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"
                f"{fitting_axis(axis, rank)}"
            )
        axis %= rank
    if isinstance(repeats, int):
        return repeat_evenly(x, int(repeats), axis)
    known = None if makes_tensor(repeats) or holds_tensor(repeats) else np.asarray(repeats)
    if known is None or (known.size and known.dtype.kind != "b"):
        check_integers(convert(repeats), "repeats")
    length = None if dims is None else dims[axis]
    if known is not None and known.ndim == 1 and length is not None and known.size in (1, length):
        places = np.repeat(np.arange(length, dtype=np.int32), np.maximum(known, 0))
        return gather(x, convert(places), axis=axis)
    counts = cast(convert(repeats), dt.int32)
    if counts.type.dims in ((), (1,)):
        return repeat_evenly(x, reshape(counts, ()), axis)
    if counts.type.rank not in (1, None):
        raise ValueError(f"Shape {counts.shape} must have rank at most 1")
    return repeat_each(x, counts, axis)


def repeat_evenly(x: TensorValue, repeats: int | TensorValue, axis: int) -> Any:
    """Each slice along an axis repeated the same number of times."""
    place = axis + 1 if axis >= 0 else axis
    spread = expand_dims(x, place)
    copies = tile(spread, only_at(place, repeats, 1, spread))
    if x.type.rank is None:
        return reshape(copies, shape(x) * only_at(axis, repeats, 1, x))
    sizes = axis_sizes(x)
    sizes[axis] = 0 if isinstance(repeats, int) and repeats == 0 else sizes[axis] * repeats
    return reshape(copies, host_vector(sizes))


def repeat_each(x: TensorValue, repeats: TensorValue, axis: int) -> Any:
    """Slice i along an axis repeated `repeats[i]` times."""
    if x.type.rank is None:
        length = entry(shape(x), axis)
    else:
        length = axis_sizes(x)[axis]
        have = repeats.type.dims
        if have is not None and isinstance(length, int) and have[0] not in (None, 1, length):
            raise ValueError(f"Dimensions {length} and {have[0]} are not compatible")
    copies = maximum(broadcast_to(repeats, host_vector([length])), 0)
    return gather(x, numbers_of_rows(cumsum(copies), reduce_sum(copies)), axis=axis)


def numbers_of_rows(ends: TensorValue, total: TensorValue) -> Any:
    """For each of `total` places the number of its row: how many rows end before it or there."""
    return cumsum(counts(ends, total + 1))[:-1]


one_op(tile, hosts=1)
