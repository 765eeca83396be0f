"""Rows taken from a tensor or ragged tensor by their numbers."""

from __future__ import annotations

from typing import Any

from graphwright.ops.core.gathering import gather
from graphwright.ragged.positions import positions
from graphwright.ragged.ragged_tensor import RaggedOrTensor, RaggedTensor, is_ragged
from graphwright.ragged.row_partition import RowPartition
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.values.tensor import EagerTensor


def take(values: RaggedOrTensor, rows: TensorLike) -> Any:
    """The rows whose numbers a vector holds."""
    if not is_ragged(values):
        return gather(values, rows)
    partition = values._row_partition
    starts = gather(partition.row_starts(), rows)
    lengths = gather(partition.row_lengths(), rows)
    places, splits = positions(starts, lengths)
    uniform = partition.uniform_row_length()
    return RaggedTensor(take(values.values, places), RowPartition(splits, uniform))


def row(ragged: RaggedTensor, index: int | TensorValue) -> Any:
    """One row: a tensor, or a ragged tensor of one division less."""
    splits = ragged.row_splits
    if isinstance(splits, EagerTensor) and isinstance(index, int):
        start, limit = splits.numpy()[index : index + 2].tolist()
        return piece(ragged.values, start, limit)
    return piece(ragged.values, splits[index], splits[index + 1])


def piece(values: RaggedOrTensor, start: int | TensorValue, limit: int | TensorValue) -> Any:
    """The rows from `start` to before `limit`."""
    if not is_ragged(values):
        return values[start:limit]
    splits = values.row_splits[start : limit + 1]
    inner = piece(values.values, splits[0], splits[-1])
    uniform = values.uniform_row_length
    return RaggedTensor(inner, RowPartition(splits - splits[0], uniform))
