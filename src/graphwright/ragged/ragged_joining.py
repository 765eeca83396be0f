"""Ragged tensors joined, stacked, tiled and split."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeGuard

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_equal
from graphwright.op.dispatch import implement
from graphwright.op.interpreter import convert, convert_many
from graphwright.ops.core import joining, repetition
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.movement import reshape, transpose
from graphwright.ops.core.repetition import repeat, tile
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ragged.factories import as_values
from graphwright.ragged.positions import length_of, splits_of_lengths
from graphwright.ragged.ragged_conversion import from_tensor, same_rows
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.ragged.taking import take
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue


def alike(values: Sequence[TensorLike]) -> list[RaggedOrTensor]:
    """Ragged tensors of one rank, all divided as often as the one that is divided most.

    ValueError if the ranks differ.
    """
    dtype = next((x.dtype for x in values if is_ragged(x)), None)
    tensors: list[Any] = [x if is_ragged(x) else convert(x, None, dtype) for x in values]
    ranks = {x.shape.rank for x in tensors}
    if len(ranks) > 1:
        raise ValueError(f"all inputs must have the same rank, not {sorted(map(str, ranks))}")
    depth = max([x.ragged_rank for x in tensors if is_ragged(x)], default=0)
    return one_splits_dtype([divided(x, depth) for x in tensors])


def one_splits_dtype(values: list[RaggedOrTensor]) -> list[RaggedOrTensor]:
    """Ragged tensors whose splits are of one dtype: int64 if some are."""
    dtypes = {x.row_splits.dtype for x in values if is_ragged(x)}
    if len(dtypes) < 2:
        return values
    return [x.with_row_splits_dtype(dt.int64) if is_ragged(x) else x for x in values]


def divided(value: RaggedOrTensor, depth: int) -> RaggedOrTensor:
    """A tensor or ragged tensor divided `depth` times."""
    if not is_ragged(value):
        return from_tensor(value, None, None, depth, dt.int64) if depth else value
    if value.ragged_rank == depth:
        return value
    return value.with_values(divided(value.values, depth - 1))


@implement(joining.concat, RaggedTensor)
def concat(values: TensorLike, axis: SupportsIndex, name: str | None = None) -> Any:
    """Ragged tensors one after the other along an axis."""
    parts = alike(values if isinstance(values, (list, tuple)) else [values])
    rank = parts[0].shape.rank
    place = operator.index(axis)
    if rank is not None and not -rank <= place < rank:
        raise ValueError(f"axis={place} out of bounds: expected {-rank}<=axis<{rank}")
    if len(parts) == 1:
        return parts[0]
    return joined(parts, place + rank if place < 0 and rank is not None else place)


def are_ragged(parts: Sequence[RaggedOrTensor]) -> TypeGuard[Sequence[RaggedTensor]]:
    """Whether tensors divided alike are ragged."""
    return is_ragged(parts[0])


def joined(parts: Sequence[RaggedOrTensor], axis: int) -> Any:
    """Tensors divided alike, one after the other."""
    if not are_ragged(parts):
        return joining.concat(parts, axis)
    if axis == 0:
        return joined_rows(parts)
    if axis == 1:
        rows = interleaved(parts)
        count = parts[0].nrows()
        ends = numbers(count + 1, dtype=count.dtype) * len(parts)
        return RaggedTensor(rows.values, RowPartition(gather(rows.row_splits, ends)))
    check_same_rows(parts)
    return parts[0].with_values(joined([x.values for x in parts], axis - 1))


def joined_rows(parts: Sequence[RaggedOrTensor]) -> Any:
    """All rows of the first, then those of the second, and so on."""
    if not are_ragged(parts):
        return joining.concat(parts, 0)
    lengths = joining.concat([x.row_lengths() for x in parts], 0)
    uniform = {x._row_partition.static_uniform_row_length for x in parts}
    length = uniform.pop() if len(uniform) == 1 else None
    partition = RowPartition(splits_of_lengths(lengths))
    if length is not None:
        partition = partition.with_uniform_row_length(length)
    return RaggedTensor(joined_rows([x.values for x in parts]), partition)


def interleaved(parts: Sequence[RaggedTensor]) -> Any:
    """The first rows of all, then the second rows of all, and so on."""
    counts = [x.nrows() for x in parts]
    for count in counts[1:]:
        assert_equal(counts[0], count, "Input tensors have incompatible shapes.")
    total = counts[0] * len(parts)
    order = reshape(numbers(total, dtype=total.dtype), [len(parts), -1])
    return take(joined_rows(parts), reshape(transpose(order), [-1]))


def check_same_rows(parts: Sequence[RaggedTensor]) -> None:
    """Asserts that all are divided at the same places."""
    first = parts[0]
    for other in parts[1:]:
        if not same_rows(first._row_partition, other._row_partition):
            assert_equal(first.row_splits, other.row_splits, "inputs have incompatible rows")


@implement(joining.stack, RaggedTensor)
def stack(
    values: Sequence[TensorLike], axis: SupportsIndex = 0, name: str | None = None
) -> RaggedTensor:
    """Stacks tensors and ragged tensors of one rank along a new axis.

    Args:
        values: A list of tensors and ragged tensors of one rank, whose sizes may differ.
        axis: The place of the new axis, an int.
        name: A name for the op.

    Returns:
        A ragged tensor with one axis more.

    Raises:
        ValueError: `values` is empty, or the ranks differ.

    >>> import graphwright as tf
    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    tensors: list[Any] = [x if is_ragged(x) else as_values(x) for x in values]
    if not any(map(is_ragged, tensors)):
        dense: RaggedTensor = stacked_dense(convert_many(values), operator.index(axis))
        return dense
    parts = alike(tensors)
    first: Any = parts[0]
    place = first.positive_axis(operator.index(axis), "axis", extra=1)
    result: RaggedTensor = stacked(parts, place)
    return result


def stacked_dense(parts: Sequence[TensorValue], axis: int) -> Any:
    """Tensors, which may differ in size, as the items of a new axis."""
    rank = next((x.shape.rank for x in parts if x.shape.rank is not None), None)
    if rank is None:
        raise ValueError(
            "tf.ragged.stack needs to know how many axes its values have: fix that with "
            "tf.ensure_shape."
        )
    axis = axis % (rank + 1)
    if rank == 1 and axis == 0:
        lengths = joining.stack([length_of(x, dt.int32) for x in parts])
        return RaggedTensor(
            joining.concat(parts, 0), RowPartition.from_row_lengths(lengths, validate=False)
        )
    if axis >= rank - 1:  # TensorFlow gives a tensor here, too
        return joining.stack(parts, axis)
    return stacked([divided(x, rank - 1) for x in parts], axis)


def stacked(parts: Sequence[RaggedOrTensor], axis: int) -> Any:
    """Tensors divided alike as the items of a new axis."""
    if not are_ragged(parts):
        return joining.stack(parts, axis)
    if axis == 0:
        lengths = joining.stack([x.nrows() for x in parts])
        return RaggedTensor(joined_rows(parts), RowPartition(splits_of_lengths(lengths)))
    if axis == 1:
        count = parts[0].nrows()
        ends = numbers(count + 1, dtype=count.dtype) * len(parts)
        return RaggedTensor(interleaved(parts), RowPartition(ends))
    check_same_rows(parts)
    return parts[0].with_values(stacked([x.values for x in parts], axis - 1))


@implement(repetition.tile, RaggedTensor)
def tiled(input: RaggedTensor, multiples: TensorLike, name: str | None = None) -> Any:
    """A ragged tensor repeated along each of its axes."""
    if not isinstance(multiples, (list, tuple)):
        multiples = joining.unstack(convert(multiples))
    rank = input.shape.rank
    if len(multiples) != rank:
        raise InvalidArgumentError(
            None,
            None,
            f"Expected multiples argument to be a vector of length {rank} but got length "
            f"{len(multiples)}",
        )
    return repeated(input, list(multiples))


def repeated(x: RaggedOrTensor, multiples: Sequence[TensorLike]) -> Any:
    """A tensor or ragged tensor repeated along each axis."""
    if not is_ragged(x):
        return tile(x, multiples)
    rows, columns, *inner = multiples
    if any(not is_one(m) for m in inner):
        x = x.with_values(repeated(x.values, [1, *inner]))
    if not is_one(columns):
        count = x.nrows()
        each = take(x, repeat(numbers(count, dtype=count.dtype), columns))
        ends = numbers(count + 1, dtype=count.dtype) * convert(columns, count.dtype)
        x = RaggedTensor(each.values, RowPartition(gather(each.row_splits, ends)))
    if not is_one(rows):
        count = x.nrows()
        x = take(x, tile(numbers(count, dtype=count.dtype), [rows]))
    return x


def is_one(multiple: object) -> bool:
    """Whether something is known to be repeated once."""
    return isinstance(multiple, int) and multiple == 1


@implement(joining.split, RaggedTensor, first=True)
def split(
    value: RaggedTensor,
    num_or_size_splits: TensorLike,
    axis: SupportsIndex = 0,
    num: int | None = None,
    name: str | None = None,
) -> list[Any]:
    """The rows in several pieces; ValueError for another axis."""
    if value.positive_axis(operator.index(axis), "axis") != 0:
        raise ValueError("Input to tf.split must be split along axis 0 if it is ragged")
    sizes = num_or_size_splits
    count = value._row_partition.static_nrows
    rows = value.nrows() if count is None else count
    if isinstance(sizes, int):
        if sizes <= 0:
            raise ValueError(f"A ragged tensor is split into one piece or more, not {sizes}")
        assert_equal(rows % sizes, 0, f"rows must make {sizes} pieces of one size")
        sizes = [rows // sizes] * sizes
    else:
        lengths = convert(sizes, None, dt.int64)
        dims = lengths.type.dims
        number = dims[0] if dims is not None and len(dims) == 1 else None
        if number is None:
            raise TypeError(f"The sizes of pieces are a list of known length, not {sizes!r}")
        total = reduce_sum(lengths)
        assert_equal(total, cast(rows, total.dtype), "the pieces must have all rows")
        sizes = joining.unstack(lengths, number)
    pieces: list[Any] = []
    start: Any = 0
    for size in sizes:
        pieces.append(value[start : start + size])
        start += size
    return pieces
