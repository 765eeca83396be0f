"""Ragged features: values, and the features that divide them into rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphwright.control.assertions import assert_equal
from graphwright.library.io.ragged_partitions import (
    Partition,
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    UniformRowLength,
    ValueRowIds,
)
from graphwright.op.dispatch import opened
from graphwright.ops.core import casting
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.repetition import repeat
from graphwright.ops.core.shapes import shape
from graphwright.ops.math import reduction
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.cumulation import cumsum
from graphwright.ragged.ragged_tensor import RaggedTensor
from graphwright.types.arguments import TensorValue
from graphwright.types.dtypes import DType

#: The public forms, which take ragged tensors.
cast, reduce_max = opened(casting.cast), opened(reduction.reduce_max)


#: Values of a feature: of one message, or by message.
Rows: TypeAlias = TensorValue | RaggedTensor
#: The constructor of ragged tensors for each kind of partition by a feature.
MAKERS: dict[type, Callable[..., RaggedTensor]] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def by_message(values: TensorValue, splits: TensorValue) -> RaggedTensor:
    """The values of several messages in a row, divided among them."""
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def partitioned(
    feature: RaggedFeature, values: Rows, splits: DType, find: Callable[[str], Rows]
) -> Any:
    """The values of a feature divided into rows; `find` gives the other features.

    The values are those of one message, or ragged: by message, or by message and step.
    """
    if not isinstance(values, RaggedTensor):
        for partition in reversed(feature.partitions):
            values = of_one(values, partition, splits, find, feature.validate)
        return values
    steps = values.row_splits if values.ragged_rank > 1 else None
    result = values if steps is None else values.values
    for partition in reversed(feature.partitions):
        result = of_many(result, partition, find, feature.validate, steps)
    if steps is None:
        return result
    return RaggedTensor.from_row_splits(result, steps, validate=feature.validate)


def of_one(
    values: Rows,
    partition: Partition,
    splits: DType,
    find: Callable[[str], Rows],
    validate: bool,
) -> Any:
    """The rows of one message's values."""
    if isinstance(partition, UniformRowLength):
        return uniform(values, partition.length, splits, validate)
    rows = cast(find(partition.key), splits)
    return MAKERS[type(partition)](values, rows, validate=validate)


def uniform(values: Rows, length: int, splits: DType, validate: bool) -> Any:
    """The values in rows of one length."""
    if isinstance(values, RaggedTensor):
        size = cast(length, splits)
        return RaggedTensor.from_uniform_row_length(values, size, validate=validate)
    return reshape(values, concat([[-1, length], shape(values)[1:]], 0))


def of_many(
    rows: RaggedTensor,
    partition: Partition,
    find: Callable[[str], Rows],
    validate: bool,
    steps: TensorValue | None,
) -> Any:
    """The rows inside each row; a feature counts from the start of its row."""
    if isinstance(partition, UniformRowLength):
        inner = uniform(rows.values, partition.length, rows.row_splits.dtype, validate)
        splits = rows.row_splits // partition.length
        return RaggedTensor.from_row_splits(inner, splits, validate=validate)
    bounds = cast(find(partition.key), rows.row_splits.dtype)
    if steps is not None:
        if validate:
            message = f"Feature {partition.key}: values and partitions are not aligned"
            assert_equal(cast(steps, bounds.row_splits.dtype), bounds.row_splits, message=message)
        bounds = bounds.values
    if isinstance(partition, RowLengths):
        inner = RaggedTensor.from_row_lengths(rows.values, bounds.values, validate=validate)
        return bounds.with_values(inner)
    if isinstance(partition, ValueRowIds):
        counts = maximum(reduce_max(bounds + 1, axis=1), 0)
        firsts = repeat(cumsum(counts, exclusive=True), bounds.row_lengths())
        ids = bounds.values + firsts
        inner = RaggedTensor.from_value_rowids(rows.values, ids, validate=validate)
        return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
    if isinstance(partition, RowSplits):
        bounds = bounds[:, 1:]
    places = bounds.values + repeat(rows.row_starts(), bounds.row_lengths())
    make = MAKERS[RowStarts if isinstance(partition, RowStarts) else RowLimits]
    return bounds.with_values(make(rows.values, places, validate=validate))
