"""Ragged tensors from Python lists and numbers: `tf.ragged.constant`, `range` and the like."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.control.assertions import assert_true
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.segment_reduction import counts
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.comparison import not_equal
from graphwright.ops.math.magnitude import sign
from graphwright.ops.math.reduction import reduce_all
from graphwright.ops.math.rounding import ceil
from graphwright.ragged.positions import (
    greatest,
    numbers_of_values,
    splits_of_lengths,
)
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.ragged.row_partition import RowPartition, index_vector, splits_dtype
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.dtypes import DType
from graphwright.values.convert import constant as dense_constant


def constant(
    pylist: TensorLike,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dt.int64,
) -> RaggedTensor:
    """Makes a ragged tensor of nested lists, or a tensor where there are no inner lists.

    Args:
        pylist: Nested lists, tuples or arrays, with all scalars at one depth.
        dtype: The dtype of the result; None means that of the scalars.
        ragged_rank: The number of ragged axes; None means all but the first and those of
            `inner_shape`.
        inner_shape: The shape of each value; None means that it follows from `ragged_rank`.
        name: A name for the op.
        row_splits_dtype: The dtype of the row splits: int32 or int64.

    Returns:
        A ragged tensor, or a tensor.

    Raises:
        ValueError: The scalars are at different depths, or `ragged_rank` or `inner_shape` does not
            fit.
        TypeError: A scalar does not fit `dtype`.

    >>> import graphwright as tf
    >>> tf.ragged.constant([[1, 2], [3], []])
    <tf.RaggedTensor [[1, 2], [3], []]>
    """
    wanted = splits_dtype(row_splits_dtype)
    pylist = as_list(pylist)
    if not isinstance(pylist, list):
        if ragged_rank:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}"
            )
        if inner_shape is not None and tuple(inner_shape) != ():
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}"
            )
        dense: Any = dense_constant(pylist, dtype)  # a scalar is not ragged
        return dense
    depth, limit = depths(pylist)
    if limit is not None and depth > limit:
        raise ValueError(
            f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting"
        )
    if inner_shape is not None:
        inner = tuple(inner_shape)
        expected = (depth - len(inner)) if ragged_rank is None else ragged_rank + 1
        ragged_rank = expected - 1 if ragged_rank is None else ragged_rank
        if limit is not None and ragged_rank + 1 + len(inner) != limit:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner)}"
            )
    elif ragged_rank is None:
        ragged_rank, inner = max(1, depth - 1), ()
        if depth <= 1:
            ragged_rank = 0
    else:
        deepest = depth if limit is None else limit
        if limit is not None and ragged_rank >= limit:
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}: the "
                f"values are nested {limit} deep"
            )
        inner = inner_dims(pylist, ragged_rank + 1, deepest)
    result: RaggedTensor = divided(pylist, ragged_rank, inner, dtype, wanted)
    return result


def divided(
    pylist: list[Any],
    ragged_rank: int,
    inner: tuple[int, ...],
    dtype: DTypeLike | None,
    splits: DType,
) -> Any:
    """The tensor of lists whose depth is known."""
    nested_splits = []
    items = pylist
    for _ in builtins.range(ragged_rank):
        lengths = [len(item) for item in items]
        nested_splits.append(np.cumsum([0, *lengths]).astype(splits.numpy_dtype))
        items = [each for item in items for each in item]
    values = dense_constant(items, dtype) if items else dense_constant([], dtype or dt.float32)
    if inner:
        values = reshape(values, (len(items), *inner))
    if ragged_rank == 0:
        return values
    return RaggedTensor.from_nested_row_splits(
        values, [convert(each) for each in nested_splits], validate=False
    )


def as_list(value: object) -> Any:
    """Nested lists of lists, tuples and arrays; anything else as it is."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.dtype != object else [as_list(item) for item in value]
    if isinstance(value, (list, tuple)):
        return [as_list(item) for item in value]
    return value


def depths(item: object) -> tuple[int, int | None]:
    """How deep lists are nested, and at which depth scalars stand (None if there are none)."""
    if not isinstance(item, list):
        return 0, 0
    if not item:
        return 1, None
    each_depth = [depths(each) for each in item]
    deepest = max(depth for depth, _ in each_depth)
    limits = {limit for _, limit in each_depth if limit is not None}
    if len(limits) > 1:
        raise ValueError(f"all scalar values must have the same nesting depth: {item!r}")
    limit = limits.pop() if limits else None
    if limit is not None and deepest > limit:
        raise ValueError(f"all scalar values must have the same nesting depth: {item!r}")
    return deepest + 1, None if limit is None else limit + 1


def inner_dims(item: list[Any], outer: int, depth: int) -> tuple[int, ...]:
    """The shape of the values inside `outer` axes; ValueError if they differ."""
    level = [item]
    for _ in builtins.range(outer):
        level = [each for part in level for each in part]
    shapes = {shape_of_list(each) for each in level}
    if len(shapes) > 1:
        raise ValueError(f"inner values have inconsistent shape: {item!r}")
    if not shapes:
        return (0,) * max(0, depth - outer)
    return shapes.pop()


def shape_of_list(item: object) -> tuple[int, ...]:
    """The shape of nested lists of one length at each depth; ValueError for others."""
    if not isinstance(item, list):
        return ()
    shapes = {shape_of_list(each) for each in item}
    if len(shapes) > 1:
        raise ValueError(f"inner values have inconsistent shape: {item!r}")
    return (len(item), *(shapes.pop() if shapes else ()))


def range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DType | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dt.int64,
) -> RaggedTensor:
    """Returns a row of equally spaced numbers for each start, limit and step.

    Args:
        starts: A number or a tensor of numbers of shape [rows], or the limits where `limits` is
            None.
        limits: A number or a tensor of shape [rows]: what the numbers of a row stay before.
        deltas: A number or a tensor of shape [rows]: the steps.
        dtype: The dtype of the result; None means that of the arguments.
        name: A name for the op.
        row_splits_dtype: The dtype of the row splits: int32 or int64.

    Returns:
        A ragged tensor of shape [rows, None].

    Raises:
        ValueError: An argument has more than one axis.
        InvalidArgumentError: A step is 0.

    >>> import graphwright as tf
    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    """
    wanted = splits_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    tensors = [convert(each, dtype) for each in (starts, limits, deltas)]
    widest = max([tensor.dtype for tensor in tensors], key=_WIDTHS.index)
    tensors = [cast(tensor, widest) for tensor in tensors]
    for tensor, what in zip(tensors, ("starts", "limits", "deltas")):
        if tensor.type.rank not in (0, 1, None):
            raise ValueError(f"{what} must be a scalar or vector, not of shape {tensor.shape}")
    first, last, step = tensors
    assert_true(reduce_all(not_equal(step, convert(0, step.dtype))), ["Requires delta != 0"])
    lengths = cast(steps(first, last, step), wanted)
    splits = splits_of_lengths(lengths[None] if lengths.type.rank == 0 else lengths)
    rows = numbers_of_values(splits)
    offsets = numbers(splits[-1], dtype=wanted) - gather(splits, rows)
    first, step = [
        each if each.type.rank == 0 else gather(broadcast_to(each, shape(lengths)), rows)
        for each in (first, step)
    ]
    return RaggedTensor(first + cast(offsets, widest) * step, RowPartition(splits))


#: The dtypes of numbers; the last of those of the arguments is the result's.
_WIDTHS = (dt.int32, dt.int64, dt.float32, dt.float64)


def steps(first: TensorValue, last: TensorValue, step: TensorValue) -> Any:
    """The number of steps from `first` to before `last`."""
    if first.dtype.is_integer:
        size = abs(step)
        span = (last - first) * sign(step)
        return maximum((span + size - 1) // size, 0)
    return maximum(ceil((last - first) / step), 0)


def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """Converts row splits to the number of the row of each value.

    Args:
        splits: A tensor of int32 or int64 of shape [rows + 1].
        name: A name for the op.
        out_type: The dtype of the result; None means that of `splits`.

    Returns:
        A 1-D tensor of `out_type`.

    Raises:
        ValueError: `splits` is empty, or its rank or dtype is not valid.

    >>> import graphwright as tf
    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])
    """
    vector = index_vector(splits, "splits")
    if vector.type.dims == (0,):
        raise ValueError("Invalid row_splits: []")
    ends = splits_of_lengths(maximum(vector[1:] - vector[:-1], 0))
    rows = numbers_of_values(ends)
    return rows if out_type is None else cast(rows, out_type)


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Converts the sorted numbers of the rows of values to row splits.

    Args:
        segment_ids: A tensor of int32 or int64 of shape [values], in ascending order.
        num_segments: An int or scalar of integers: the number of rows. None means the last number
            and 1.
        out_type: The dtype of the result; None means that of `segment_ids`.
        name: A name for the op.

    Returns:
        A tensor of `out_type` of shape [rows + 1].

    Raises:
        ValueError: The rank or dtype of `segment_ids` is not valid.

    >>> import graphwright as tf
    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])
    """
    ids = index_vector(segment_ids, "segment_ids", out_type)
    count = greatest(ids[-1:] + 1) if num_segments is None else convert(num_segments)
    return splits_of_lengths(counts(ids, cast(count, ids.dtype)))
