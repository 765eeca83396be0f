"""Stages that join elements of different shapes into one: padded and sparse batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import DataLossError, InvalidArgumentError
from graphwright.data.blocks import (
    Column,
    ElementBlock,
    Row,
    column,
    of_row,
    of_rows,
    values_of,
)
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    Cursor,
    DatasetStage,
)
from graphwright.data.stages.batch_stages import (
    BatchCursor,
    BatchStage,
    batched_column,
)
from graphwright.types import tree
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, show_dims


class PaddedBatchStage(BatchStage):
    """Batches of elements, padded to one shape."""

    type_name = "PaddedBatchDataset"

    def __init__(
        self,
        element: ElementType,
        source: DatasetStage,
        size: Array,
        drop_remainder: Array,
        *padding: Any,
    ) -> None:
        super().__init__(element, source, size, drop_remainder, row=source.element)
        count = len(padding) // 2
        #: The sizes for each tensor of an element, with -1 for the largest in a batch.
        self.shapes = [tuple(shape.tolist()) for shape in padding[:count]]
        self.values = padding[count:]

    def start(self) -> Cursor:
        return PaddedBatchCursor(self)

    def is_like(self, other: BatchStage) -> bool:
        return (
            super().is_like(other)
            and isinstance(other, PaddedBatchStage)
            and self.shapes == other.shapes
            and all(a.tolist() == b.tolist() for a, b in zip(self.values, other.values))
        )


class PaddedBatchCursor(BatchCursor):
    """The elements gathered for the next batches."""

    stage: PaddedBatchStage

    def batches(self, block: ElementBlock, size: int) -> ElementBlock:
        columns: list[Column] = []
        for component, values in enumerate(block.columns):
            shape, value = self.stage.shapes[component], self.stage.values[component]
            if -1 not in shape:
                whole = padded(values, self.stage, component)
                columns.append(batched_column(whole, size, 0))
                continue
            ragged = RaggedColumn.of_arrays(values) if isinstance(values, list) else values
            if isinstance(ragged, RaggedColumn) and shape == ragged.open_shape:
                columns.append(column(ragged.padded_batches(size, value)))
                continue
            groups = [values[i : i + size] for i in range(0, block.count, size)]
            columns.append(column([padded(group, self.stage, component) for group in groups]))
        return ElementBlock(block.count // size, tuple(columns))


def padded(values: Column, stage: PaddedBatchStage, component: int) -> Array:
    """A component of elements, padded to the stage's shape of it and stacked; a size of -1 is the
    largest one among them."""
    shape, value = stage.shapes[component], stage.values[component]
    if isinstance(values, list):
        values = RaggedColumn.of_arrays(values) or values
    if isinstance(values, RaggedColumn):
        ranks = {values.values.ndim}
        largest = [int(values.lengths.max()), *values.values.shape[1:]]
    elif isinstance(values, np.ndarray):
        ranks, largest = {values.ndim - 1}, list(values.shape[1:])
    else:
        ranks = {array.ndim for array in values}
        largest = [max(sizes) for sizes in zip(*[array.shape for array in values])]
    if ranks != {len(shape)}:
        rank = values[0].ndim
        raise InvalidArgumentError(
            None, None,
            "All elements in a batch must have the same rank as the padded shape for component "
            f"{component}: expected rank {len(shape)} but got element with rank {rank}",
        )  # fmt: skip
    sizes = [most if size < 0 else size for size, most in zip(shape, largest)]
    if any(most > size for most, size in zip(largest, sizes)):
        dims = next(
            array.shape
            for array in values_of(values)
            if any(most > size for most, size in zip(array.shape, sizes))
        )
        room = larger_shapes(stage.row, stage.shapes, component, dims, stage.size)
        raise DataLossError(
            None, None, f"Attempted to pad to a smaller size than the input element. {room}"
        )
    if isinstance(values, RaggedColumn):
        return values.padded(sizes, value)
    if isinstance(values, np.ndarray) and list(values.shape[1:]) == sizes:
        return values
    whole = np.full((len(values), *sizes), value, values[0].dtype)
    for place, array in enumerate(values):
        corner: Any = (place, *[slice(0, size) for size in array.shape])
        whole[corner] = array
    return whole


class SparseBatchStage(BatchStage):
    """So many elements as the rows of one sparse tensor."""

    type_name = "DenseToSparseBatchDataset"
    scalars = ("batch_size",)

    def __init__(
        self, element: ElementType, source: DatasetStage, size: Array, shape: Array
    ) -> None:
        super().__init__(element, source, size, np.array(False), row=source.element)
        #: The sizes of rows, -1 for the largest in a batch.
        self.sizes: tuple[int, ...] = tuple(shape.tolist())

    def start(self) -> Cursor:
        return SparseBatchCursor(self)


class SparseBatchCursor(BatchCursor):
    """What is gathered of the next batch; each is of another shape."""

    stage: SparseBatchStage

    def pull(self, limit: int) -> ElementBlock | None:
        return super().pull(1)

    def gather(self, count: int) -> ElementBlock | None:
        rows: list[Row] = []
        while len(rows) < count and (block := self.upstream.pull(1)) is not None:
            rows.append(block.row(0))
            check_row(rows[-1][0].shape, self.stage.sizes)
        return of_rows(rows) if rows else None

    def batches(self, block: ElementBlock, size: int) -> ElementBlock:
        rows = values_of(block.columns[0])
        largest = [max(sizes) for sizes in zip(*[row.shape for row in rows])]
        sizes = [most if size < 0 else size for size, most in zip(self.stage.sizes, largest)]
        return of_row([places_in(rows), joined_values(rows), np.array([size, *sizes], np.int64)])


def check_row(shape: tuple[int, ...], limits: tuple[int, ...]) -> None:
    """Raises where a row has another rank than the limits, or a size above one."""
    if len(shape) != len(limits):
        raise InvalidArgumentError(
            None, None,
            f"Input element had shape ({show_dims(shape)}) that is incompatible with the row shape "
            f"({show_dims(limits)}).",
        )  # fmt: skip
    if any(size > most >= 0 for size, most in zip(shape, limits)):
        raise DataLossError(
            None, None,
            f"Input element had shape ({show_dims(shape)}) that is larger than the row shape "
            f"({show_dims(limits)}).",
        )  # fmt: skip


def places_in(rows: Sequence[Array]) -> Array:
    """Where the elements of arrays stand if these are the rows of one array."""
    counts = [row.size for row in rows]
    inside = [np.indices(row.shape, np.int64).reshape(row.ndim, row.size).T for row in rows]
    numbers = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
    return np.concatenate([numbers[:, None], np.concatenate(inside)], 1)


def joined_values(rows: Sequence[Array]) -> Array:
    """The elements of arrays in one."""
    return np.concatenate([row.ravel() for row in rows])


def larger_shapes(
    element: ElementType, shapes: Sequence[Dims], component: int, dims: Dims, batch: int | None
) -> str:
    """What a component of `dims` is beside its padded shape, and a call that has room for it."""
    fitting = [[None if size in (-1, None) else size for size in shape] for shape in shapes]
    given = fitting[component]
    fitting[component] = [
        None if len(given) != len(dims) or most is None or (size or 0) > most else most
        for size, most in zip(dims, given if len(given) == len(dims) else dims)
    ]
    count = "batch_size" if batch is None else batch
    structure = tree.pack_sequence_as(element.specs, fitting)
    return (
        f"Component {component} of an element has the shape {list(dims)} and the padded shape "
        f"{given}. padded_batch({count}, padded_shapes={structure}) has room: a size of None is "
        "the largest in a batch."
    )
