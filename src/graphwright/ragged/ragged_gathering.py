"""Rows and elements of ragged tensors by their indices; masks, conditions, reversal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsInt

from graphwright.control.assertions import assert_true
from graphwright.op.dispatch import implement, opened
from graphwright.op.interpreter import convert
from graphwright.ops.core import gathering, indexing, partition, reversal
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.repetition import tile
from graphwright.ops.core.segment_reduction import unsorted_segment_sum
from graphwright.ops.core.static import check_whole
from graphwright.ops.math.comparison import equal, greater_equal, less, logical_and, select
from graphwright.ops.math.reduction import reduce_all
from graphwright.ragged.broadcasting import apply_flat, sizes_of
from graphwright.ragged.factories import as_values
from graphwright.ragged.ragged_conversion import from_tensor, indices_of
from graphwright.ragged.ragged_indexing import sliced_columns, sliced_rows
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.ragged.taking import row, take
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.dtypes import DType


@implement(gathering.gather, RaggedTensor)
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    axis: SupportsInt | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Rows by their numbers; with `batch_dims`, elements of each row."""
    if not is_ragged(params):
        params = convert(params)
    if not is_ragged(indices):
        check_whole(indices, "indices")
        indices = convert(indices, None, dt.int64)
    axis = batch_dims if axis is None else int(axis)
    if axis < 0 and params.shape.rank is not None:
        axis += params.shape.rank
    if batch_dims == 0 and axis == 0:
        return rows_at(params, indices)
    if batch_dims == 0 and axis > 0:
        if is_ragged(indices) and not is_ragged(params):
            params = from_tensor(params, None, None, 1, indices.row_splits.dtype)
        return along(params, indices, axis)
    if batch_dims == 1 and axis == 1:
        return in_each_row(params, indices)
    raise ValueError(
        f"tf.gather of ragged tensors with axis={axis} and batch_dims={batch_dims} is not written"
    )


def rows_at(params: RaggedOrTensor, indices: RaggedOrTensor) -> Any:
    """The rows of a tensor or ragged tensor, in the shape of the indices."""
    if is_ragged(indices):
        return indices.with_values(rows_at(params, indices.values))
    if not is_ragged(params):
        return gathering.gather(params, indices)
    rank: Any = indices.type.rank
    numbers = cast(indices, params.row_splits.dtype)
    if rank == 0:
        return row(params, numbers)
    if rank == 1:
        return of_splits(take(params, numbers))
    nested = from_tensor(numbers, None, None, rank - 1, params.row_splits.dtype)
    rows = of_splits(take(params, nested.flat_values))
    for splits in reversed(nested.nested_row_splits):
        rows = RaggedTensor(rows, RowPartition(splits))
    return rows


def of_splits(rows: RaggedOrTensor) -> Any:
    """The same rows without a note that they are of one length, as TensorFlow gathers them."""
    if not is_ragged(rows):
        return rows
    return RaggedTensor(of_splits(rows.values), RowPartition(rows.row_splits))


def along(params: Any, indices: Any, axis: int) -> Any:
    """The same places of all rows, of an axis after the first."""
    if axis > 1:
        return params.with_values(gather(params.values, indices, axis=axis - 1))
    if is_ragged(indices):
        return in_ragged_places(params, indices)
    taken = flat_along(params, indices)
    sizes = [*sizes_of(params.row_starts()), *sizes_of(indices)]
    if not is_ragged(taken):
        return reshape(taken, [*sizes, *sizes_of(taken)[1:]])
    for size in reversed(sizes[1:]):
        taken = RaggedTensor.from_uniform_row_length(taken, cast(size, params.row_splits.dtype))
    return taken


def flat_along(params: RaggedTensor, indices: TensorLike) -> Any:
    """The same places of all rows, one behind the other."""
    places = cast(reshape(indices, [1, -1]), params.row_splits.dtype)
    starts, lengths = params.row_starts()[:, None], params.row_lengths()[:, None]
    inside = logical_and(greater_equal(places, 0), less(places, lengths))
    return take(params.values, checked(reshape(starts + places, [-1]), reduce_all(inside)))


def in_ragged_places(params: RaggedTensor, indices: RaggedTensor) -> Any:
    """The same places of all rows; each row is in the shape of the ragged indices."""
    taken, rows = flat_along(params, indices.flat_values), params.nrows()
    count, *sizes = sizes_of(indices.flat_values)
    if not is_ragged(taken):
        whole = cast(rows, dt.int32) * cast(count, dt.int32)
        taken = reshape(taken, [whole, *sizes, *sizes_of(taken)[1:]])
    else:
        for size in reversed(sizes):
            taken = RaggedTensor.from_uniform_row_length(taken, cast(size, rows.dtype))
    for lengths in reversed(indices.nested_row_lengths()):
        tiled = tile(cast(lengths, rows.dtype), [rows])
        taken = RaggedTensor.from_row_lengths(taken, tiled, validate=False)
    length = cast(indices.nrows(), rows.dtype)
    return RaggedTensor.from_uniform_row_length(taken, length, nrows=rows)


def in_each_row(params: RaggedOrTensor, indices: RaggedOrTensor) -> Any:
    """Elements of each row by their places in it."""
    if not is_ragged(indices):
        if not is_ragged(params):
            return gathering.gather(params, indices, axis=1, batch_dims=1)
        numbers_in_row = cast(indices, params.row_splits.dtype)
        starts, lengths = params.row_starts()[:, None], params.row_lengths()[:, None]
        places = reshape(starts + numbers_in_row, [-1])
        inside = reshape(
            logical_and(greater_equal(numbers_in_row, 0), less(numbers_in_row, lengths)), [-1]
        )
        taken = take(params.values, checked(places, inside))
        return reshape(taken, [*sizes_of(indices), *sizes_of(taken)[1:]])
    if not is_ragged(params):
        params = from_tensor(params, None, None, 1, indices.row_splits.dtype)
    numbers_in_row = cast(indices.values, params.row_splits.dtype)
    rowids = cast(indices.value_rowids(), numbers_in_row.dtype)
    starts = gathering.gather(params.row_starts(), rowids)
    lengths = gathering.gather(params.row_lengths(), rowids)
    inside = logical_and(greater_equal(numbers_in_row, 0), less(numbers_in_row, lengths))
    return indices.with_values(take(params.values, checked(starts + numbers_in_row, inside)))


def checked(places: TensorLike, inside: TensorLike) -> Any:
    """Places, once it is asserted that all are inside their rows."""
    assert_true(reduce_all(inside), ["indices are out of bounds of their rows", places])
    return places


@implement(gathering.gather_nd, RaggedTensor)
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    *_: object,
) -> Any:
    """Elements or rows by the indices of their axes."""
    if batch_dims:
        raise ValueError("batch_dims of tf.gather_nd are not written for ragged tensors")
    if is_ragged(indices):
        return indices.with_flat_values(opened(gathering.gather_nd)(params, indices.flat_values))
    values: Any = params
    places = cast(convert(indices, None, dt.int64), values.row_splits.dtype)
    count: Any = places.shape[-1]
    outer = sizes_of(places)[:-1]
    flat = reshape(places, [-1, count])
    rows = flat[:, 0]
    used = 1
    while used < count and is_ragged(values):
        starts = gathering.gather(values.row_starts(), rows)
        lengths = gathering.gather(values.row_lengths(), rows)
        inside = logical_and(greater_equal(flat[:, used], 0), less(flat[:, used], lengths))
        rows = checked(starts + flat[:, used], inside)
        values = values.values
        used += 1
    if used < count:
        return gathering.gather_nd(values, concat([rows[:, None], flat[:, used:]], 1))
    taken = take(values, rows)
    if len(outer) == 1:
        return taken
    if is_ragged(taken):
        return rows_at(taken, reshape(places[..., 0] * 0, [-1]))
    return reshape(taken, [*outer, *sizes_of(taken)[1:]])


@implement(indexing.where, RaggedTensor)
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """x where the condition holds, else y; the places where it holds if there is neither."""
    if x is None and y is None:
        mask: Any = condition
        return indexing.boolean_mask(indices_of(mask), reshape(mask.flat_values, [-1]))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    operands = [condition if is_ragged(condition) else convert(condition, dt.bool_), x, y]
    ragged = [v for v in operands[1:] if is_ragged(v)]
    hint = ragged[0].dtype if ragged else None
    operands[1:] = [v if is_ragged(v) else convert(v, None, hint) for v in operands[1:]]
    return apply_flat(select, operands)


@implement(reversal.reverse, RaggedTensor, first=True)
def reverse(tensor: RaggedTensor, axis: Iterable[SupportsInt], name: str | None = None) -> Any:
    """The rows, or what is in them, in the opposite order."""
    places = list(axis)
    check_whole(places, "axis")
    axes = {tensor.positive_axis(int(each), "axis") for each in places}
    backwards = slice(None, None, -1)
    result = tensor
    if 0 in axes:
        result = sliced_rows(result, backwards)
    if 1 in axes:
        result = sliced_columns(result, backwards)
    inner = sorted(each - 1 for each in axes if each > 1)
    if inner:
        result = result.with_values(opened(reversal.reverse)(result.values, inner))
    return result


@implement(partition.dynamic_partition, RaggedTensor)
def dynamic_partition(
    data: RaggedTensor, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> Any:
    """The rows of each number of `partitions`, as a list of ragged tensors."""
    if is_ragged(partitions):
        raise ValueError("partitions must be a vector that says where each row belongs")
    which = convert(partitions)
    return [
        take(data, reshape(indexing.where(equal(which, i)), [-1])) for i in range(num_partitions)
    ]


def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> RaggedTensor:
    """Selects the elements for which a mask is true, and keeps the rows of the mask.

    Args:
        data: A tensor or ragged tensor.
        mask: A tensor or ragged tensor of bool of known rank, of the shape of the first axes of
            `data`.
        name: A name for the op.

    Returns:
        A ragged tensor of the rank and dtype of `data`, or a tensor where `mask` has one axis.

    Raises:
        TypeError: `mask` is not of bool.
        ValueError: `mask` is a scalar or of unknown rank, or its shape is known not to fit.

    >>> import graphwright as tf
    >>> tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <tf.RaggedTensor [[1], [3, 4]]>
    """
    values: RaggedOrTensor = as_values(data)
    picks = mask if is_ragged(mask) else convert(mask)
    if picks.dtype is not dt.bool_:
        raise TypeError(f"Argument `mask` must be of dtype bool, not {picks.dtype.name}")
    rank = picks.shape.rank
    if rank is None:
        raise ValueError("The rank of `mask` must be known statically.")
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if not is_ragged(picks) and rank > 1:
        picks = from_tensor(picks, None, None, rank - 1, dt.int64)
    if is_ragged(picks):
        inner = picks.flat_values.shape.rank
        if inner > 1:
            picks = picks.with_flat_values(
                from_tensor(picks.flat_values, None, None, inner - 1, picks.row_splits.dtype)
            )
        missing = picks.ragged_rank - (values.ragged_rank if is_ragged(values) else 0)
        if missing > 0:
            values = more_divided(values, missing, picks.row_splits.dtype)
    result: RaggedTensor = masked(values, picks)
    return result


def more_divided(data: RaggedOrTensor, missing: int, dtype: DType) -> Any:
    """A tensor divided so many times more."""
    if is_ragged(data):
        return data.with_flat_values(more_divided(data.flat_values, missing, dtype))
    return from_tensor(data, None, None, missing, dtype)


def masked(data: RaggedOrTensor, mask: RaggedOrTensor) -> Any:
    """The rows, or parts of rows, where a mask divided alike is true."""
    if not is_ragged(mask):
        if not is_ragged(data):
            return indexing.boolean_mask(data, mask)
        return take(data, reshape(indexing.where(mask), [-1]))
    rows: Any = data
    values = masked(rows.values, mask.values)
    if is_ragged(mask.values):
        return mask.with_values(values)
    picks = cast(mask.values, mask.row_splits.dtype)
    lengths = unsorted_segment_sum(picks, mask.value_rowids(), mask.nrows())
    return RaggedTensor(values, RowPartition.from_row_lengths(lengths, validate=False))
