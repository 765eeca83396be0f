"""Indexing of ragged tensors: `x[1]`, `x[:, :2]`, `x[..., tf.newaxis]`.

What stands in the first place of a key is meant for the rows, what follows for the axes
inside them. A single index of an inner axis is refused unless all rows have one length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsInt, TypeAlias

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.sequences import range as numbers
from graphwright.ops.core.static import TENSOR, check_whole
from graphwright.ops.math.comparison import select
from graphwright.ragged.positions import clipped_range, positions
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.ragged.taking import row, take
from graphwright.types.dtypes import DType
from graphwright.values.tensor import Tensor

Key: TypeAlias = tuple[Any, ...]
ALL = slice(None)


def get_item(ragged: RaggedTensor, key: object) -> Any:
    """The part of a ragged tensor that a key means."""
    keys = tuple(key) if isinstance(key, (list, tuple)) else (key,)
    for each in keys:
        check(each)
    return outer(ragged, keys)


def check(key: object) -> None:
    """TypeError or ValueError for what is no index."""
    if isinstance(key, bool):
        raise ValueError("Scalar bool is not a valid index of a ragged tensor")
    if key is None or key is Ellipsis or isinstance(key, (slice, int)) or hasattr(key, "__index__"):
        return
    if isinstance(key, Tensor) and key.dtype.is_integer:
        return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {key!r}"
    )


def spread(keys: Key, rank: int | None) -> Key:
    """Keys whose leading ellipsis stands for as many slices as there are axes left."""
    if not keys or keys[0] is not Ellipsis:
        return keys
    rest = tuple([k for k in keys[1:] if k is not Ellipsis])
    if not rest:
        return ()
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    left = rank - sum(k is not None for k in rest)
    return (*[ALL] * left, *rest)


def outer(value: RaggedOrTensor, keys: Key) -> Any:
    """Keys of which the first is meant for the rows."""
    if not is_ragged(value):
        return value[keys] if keys else value
    keys = spread(keys, value.shape.rank)
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is None:
        inside = outer(value, rest)
        return wrapped(inside, value.row_splits.dtype)
    if isinstance(first, slice):
        return inner(sliced_rows(value, first), rest)
    return outer(row(value, row_number(value, first)), rest)


def wrapped(value: RaggedOrTensor, dtype: DType) -> Any:
    """A value as the only row of another."""
    if not is_ragged(value):
        return value[None]
    count = value._row_partition.static_nrows
    length = value.nrows() if count is None else count
    partition = RowPartition.from_uniform_row_length(length, nrows=1, dtype=dtype)
    return RaggedTensor(value, partition)


def row_number(value: RaggedTensor, index: SupportsInt) -> Any:
    """An index of a row counted from the first; an error where there is no such row."""
    count = value._row_partition.static_nrows
    if not isinstance(index, Tensor):
        index = int(index)
        if count is not None and index >= count:
            raise IndexError(f"Index {index} out of bounds for a ragged tensor of {count} rows")
        if count is not None and index < -count:
            raise InvalidArgumentError(
                None, None, f"slice index {index} of dimension 0 out of bounds."
            )
        return index + (count if count is not None else value.nrows()) if index < 0 else index
    number = cast(index, value.row_splits.dtype)
    return select(number < 0, number + value.nrows(), number)


def sliced_rows(value: RaggedTensor, piece: slice) -> RaggedTensor:
    """The rows that a slice picks."""
    if piece == ALL:
        return value
    count = value._row_partition.static_nrows
    rows = numbers(value.nrows() if count is None else count, dtype=value.row_splits.dtype)
    picked: RaggedTensor = take(value, rows[piece])
    return picked


def inner(value: RaggedOrTensor, keys: Key) -> Any:
    """Keys that are meant for the axes inside the rows."""
    if not is_ragged(value):
        return value.__getitem__((ALL, *keys)) if keys else value
    rank = value.shape.rank
    keys = spread(keys, None if rank is None else rank - 1)
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is None:
        count = value._row_partition.static_nrows
        partition = RowPartition.from_uniform_row_length(
            1, nrows=value.nrows() if count is None else count, dtype=value.row_splits.dtype
        )
        return RaggedTensor(inner(value, rest), partition)
    if isinstance(first, slice):
        cut = sliced_columns(value, first)
        return cut.with_values(inner(cut.values, rest))
    return inner(one_column(value, first), rest)


def one_column(value: RaggedTensor, index: SupportsInt) -> Any:
    """One value of each row, all rows having one length."""
    length = value.uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    known = value._row_partition.static_uniform_row_length
    if not isinstance(index, Tensor):
        index = int(index)
        if known is not None and not -known <= index < known:
            raise InvalidArgumentError(None, None, f"slice index {index} out of bounds.")
        index = index % known if known else index
    place = convert(index, value.row_splits.dtype) if isinstance(index, int) else index
    return take(value.values, value.row_starts() + place)


def sliced_columns(value: RaggedTensor, piece: slice) -> RaggedTensor:
    """What a slice picks of each row."""
    if piece == ALL:
        return value
    for argument, end in zip(("start", "stop", "step"), ends(piece)):
        check_whole(end, argument, cut=(TENSOR,))
    if piece.step is not None and not isinstance(piece.step, Tensor) and piece.step == 0:
        raise InvalidArgumentError(None, None, "slice step must not be zero")
    partition = value._row_partition
    lengths = partition.row_lengths()
    start, counts, step = clipped_range(piece, lengths)
    places, splits = positions(partition.row_starts() + start, counts, step)
    result = RowPartition(splits)
    known = partition.static_uniform_row_length
    if known is not None and not any(isinstance(e, Tensor) for e in ends(piece)):
        result = result.with_uniform_row_length(len(range(*piece.indices(known))))
    return RaggedTensor(take(value.values, places), result)


def ends(piece: slice) -> Sequence[Any]:
    """Start, stop and step of a slice."""
    return (piece.start, piece.stop, piece.step)
