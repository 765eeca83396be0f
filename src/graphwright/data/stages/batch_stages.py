"""Stages that join several elements into one, or split one into several: batch and unbatch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import DataLossError, InvalidArgumentError
from graphwright.data.blocks import (
    Column,
    ElementBlock,
    Row,
    column,
    joined,
    of_row,
    of_rows,
    one_array,
    values_of,
)
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    MAPS,
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    Through,
    iteration_allows,
    kind_of,
)
from graphwright.data.stages.source_stages import TensorsStage
from graphwright.op.late_imports import late_module
from graphwright.types.arrays import Array
from graphwright.types.specs import TensorSpec
from graphwright.types.tensor_type import show_dims


class BatchStage(DatasetStage):
    """Batches of elements; the last one may be smaller, or is left out."""

    type_name = "BatchDataset"
    scalars: ClassVar[tuple[str, ...]] = ("batch_size", "drop_remainder")

    def __init__(
        self, element: ElementType, source: DatasetStage, size: Array, drop_remainder: Array,
        *, row: ElementType,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.size, self.drop_remainder = int(size), bool(drop_remainder)
        self.row = row
        #: Whether a map before it is part of it: what one element loses, its batch loses. An
        #: iterator's rewrites say so; of a dataset that a function makes, its iteration says it.
        is_behind_map = type(self) is BatchStage and kind_of(source) in MAPS
        self.is_fused = is_behind_map and iteration_allows("map_and_batch_fusion")
        if self.size <= 0:
            raise InvalidArgumentError(None, None, "Batch size must be greater than zero.")

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if before < 0:
            return before
        return before // self.size if self.drop_remainder else -(-before // self.size)

    def start(self) -> Cursor:
        return BatchCursor(self)

    def is_like(self, other: BatchStage) -> bool:
        """Whether another stage makes the same batches of the same elements."""
        mine = type(self), self.size, self.drop_remainder
        return mine == (type(other), other.size, other.drop_remainder)


class ParallelBatchStage(BatchStage):
    """The same, of which several may be made at the same time."""

    type_name = "ParallelBatchDataset"


class BatchCursor(Through):
    """The elements gathered for the next batches."""

    def __init__(self, stage: BatchStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        #: Elements that came and are in no batch yet.
        self.waiting: ElementBlock | None = None
        self.is_over = False
        self.is_fused = stage.is_fused
        self.is_observable = self.source.is_observable or bool(self.source.streams())

    def pull(self, limit: int) -> ElementBlock | None:
        size = self.stage.size
        block = self.gather(limit * size)
        if block is None or (block.count < size and self.stage.drop_remainder):
            return None
        full = block.count // size * size
        if not full:
            return self.batches(block, block.count)
        self.wait(block, full)
        block = block.part(0, full)
        try:
            return self.batches(block, size)
        except Exception:
            if full == size:
                raise  # and its elements are lost, as they are in TensorFlow
        self.wait(block, size)
        return self.batches(block.part(0, size), size)

    def gather(self, most: int) -> ElementBlock | None:
        """Elements for one batch, or for more where they come at once; fewer at the end.

        The elements of a batch with an error are lost, as in TensorFlow.
        """
        blocks = [] if self.waiting is None else [self.waiting]
        present = sum([block.count for block in blocks])
        self.waiting = None
        while present < self.stage.size and not self.is_over:
            try:
                block = (
                    self.upstream.pull_all(self.stage.size - present)
                    if self.is_observable
                    else self.upstream.pull(most - present)
                )
            except Exception:
                if self.is_fused:
                    self.pass_over(self.stage.size - present - 1)
                raise
            if block is None:
                self.is_over = True
            else:
                blocks.append(block)
                present += block.count
        if not blocks:
            return None
        block = joined(blocks)
        self.wait(block, most)
        return block.part(0, most)

    def wait(self, block: ElementBlock, start: int) -> None:
        """Keeps the elements from a place on, before those that wait already."""
        if start < block.count:
            rest = block.part(start, block.count)
            self.waiting = rest if self.waiting is None else joined([rest, self.waiting])

    def pass_over(self, count: int) -> None:
        """Takes elements that nobody sees, nor that one fails."""
        while count and not self.is_over:
            with suppress(Exception):
                self.is_over = self.upstream.pull(1) is None
            count -= 1

    def batches(self, block: ElementBlock, size: int) -> ElementBlock:
        """Elements in batches of a size that divides their number."""
        columns = batched_columns(self.stage.row, block, size)
        return ElementBlock(block.count // size, columns)

    def save(self) -> State:
        waiting = None if self.waiting is None else self.waiting.saved()
        return {"before": super().save(), "waiting": waiting, "is_over": self.is_over}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.is_over = state["is_over"]
        waiting = state["waiting"]
        self.waiting = None if waiting is None else ElementBlock.restored(waiting)


def _composites() -> Any:
    """The module of composites as elements, which most pipelines do not have."""
    return late_module("graphwright.data.composite_elements")


def batched_columns(element: ElementType, block: ElementBlock, size: int) -> tuple[Column, ...]:
    """The columns of batches of elements of a type."""
    columns: list[Column] = []
    remaining = iter(enumerate(block.columns))
    for leaf in element.leaves:
        parts = [next(remaining) for _ in leaf.flatten()]
        if not parts or isinstance(leaf, TensorSpec):
            columns += [batched_column(values, size, place) for place, values in parts]
        else:
            arrays = [values for _, values in parts]
            columns += _composites().batched_composites(leaf, arrays, block.count, size)
    return tuple(columns)


def batched_column(values: Column, size: int, component: int) -> Column:
    """The values of a tensor, stacked in batches."""
    if isinstance(values, RaggedColumn):
        dense = values.dense()
        values = list(values) if dense is None else dense
    if isinstance(values, np.ndarray):
        return values.reshape(len(values) // size, size, *values.shape[1:])
    return column([stacked(values[i : i + size], component) for i in range(0, len(values), size)])


def stacked(values: Row | RaggedColumn, component: int) -> Any:
    """Arrays of one shape, stacked; InvalidArgumentError if the shapes differ."""
    values = values_of(values)
    if not isinstance(values[0], np.ndarray):
        return np.array(values, object)
    shape = values[0].shape
    for place, value in enumerate(values):
        if value.shape != shape:
            raise InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {component}. First "
                f"element had shape {show_dims(shape)} and element {place} had shape "
                f"{show_dims(value.shape)}. `padded_batch` pads them, and `ragged_batch` makes "
                "ragged tensors of them.",
            )  # fmt: skip
    return one_array(values)


class UnbatchStage(DatasetStage):
    """The rows of elements."""

    type_name = "UnbatchDataset"

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        leaves = self.inputs[0].element.leaves
        shapes = [
            leaf.shape
            for leaf in leaves
            if isinstance(leaf, TensorSpec) or _composites().is_ragged_spec(leaf)
        ]
        sizes: list[int | None] = [shape[0] for shape in shapes if shape.rank]
        known = [size for size in sizes if size]
        if before >= 0 and known:
            return before * known[0]
        return before if before == INFINITE else UNKNOWN

    def start(self) -> Cursor:
        return UnbatchCursor(self)


class CompositeSlicesStage(UnbatchStage):
    """The rows of an element that has composites."""

    type_name = "TensorSliceDataset"

    def __init__(self, element: ElementType, *row: Any, whole: ElementType) -> None:
        super().__init__(element, TensorsStage(whole, *row))
        self.count = _composites().row_count(whole, row)

    def cardinality(self) -> int:
        return self.count


class UnbatchCursor(Through):
    """The remaining rows of an element."""

    def __init__(self, stage: UnbatchStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.rest: ElementBlock | None = None

    def pull(self, limit: int) -> ElementBlock | None:
        while self.rest is None:
            block = self.upstream.pull(1)
            if block is None:
                return None
            rows = rows_in(self.stage.inputs[0].element, block)
            self.rest = rows if rows.count else None
        block, count = self.rest, self.rest.count
        self.rest = block.part(limit, count) if limit < count else None
        return block.part(0, limit)

    def save(self) -> State:
        rest = None if self.rest is None else self.rest.saved()
        return {"before": super().save(), "rest": rest}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.rest = None if state["rest"] is None else ElementBlock.restored(state["rest"])


def rows_in(element: ElementType, block: ElementBlock) -> ElementBlock:
    """The rows of the one element of a block."""
    columns: list[Column] = []
    parts = iter(block.row(0))
    counts: list[int] = []
    for leaf in element.leaves:
        arrays = [next(parts) for _ in leaf.flatten()]
        if not arrays or isinstance(leaf, TensorSpec):
            columns += arrays
            counts += [len(array) for array in arrays]
        else:
            rows = _composites().rows_of(leaf, arrays)
            columns += [column(values) for values in zip(*rows)]
            counts.append(len(rows))
    if len(set(counts)) > 1:
        raise InvalidArgumentError(
            None, None,
            "Input element must have the same batch size in each component. Component 0 had "
            f"size {counts[0]} but another has {max(set(counts) - {counts[0]})}.",
        )  # fmt: skip
    return ElementBlock(counts[0], tuple(columns))


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
        words: Any = late_module("graphwright.data.stages.padding_words")
        room = words.larger_shapes(stage.row, stage.shapes, component, dims, stage.size)
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


class RebatchStage(DatasetStage):
    """The rows of batches, in batches of other sizes, which repeat in turn."""

    type_name = "RebatchDataset"

    def __init__(
        self, element: ElementType, source: DatasetStage, sizes: Array, drop_remainder: Array
    ) -> None:
        super().__init__(element, source)
        self.row = source.element.unbatched()
        self.sizes = [int(size) for size in sizes.ravel()]
        self.drop_remainder = bool(drop_remainder)
        if any(size < 0 for size in self.sizes) or not any(self.sizes):
            raise InvalidArgumentError(None, None, "Batch sizes must be positive")

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        return before if before == INFINITE else UNKNOWN

    def start(self) -> Cursor:
        return RebatchCursor(self)


class RebatchCursor(Through):
    """The rows that wait, and the number of the next size."""

    def __init__(self, stage: RebatchStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.rows: ElementBlock | None = None
        self.turn = 0
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        if self.is_over:
            return None
        size = self.stage.sizes[self.turn]
        while self.rows is None or self.rows.count < size:
            try:
                block = self.upstream.pull(1)
            except Exception:
                self.rows = None  # the rows of a batch in which there is an error are lost
                raise
            if block is None:
                self.is_over = True
                if self.rows is None or not self.rows.count or self.stage.drop_remainder:
                    return None
                break
            more = rows_in(self.stage.inputs[0].element, block)
            if more.count:
                self.rows = more if self.rows is None else joined([self.rows, more])
        batch = self.rows.part(0, size)
        self.rows = self.rows.part(batch.count, self.rows.count)
        self.turn = (self.turn + 1) % len(self.stage.sizes)
        if not size:
            return ElementBlock(1, tuple([np.asarray(values)[None] for values in batch.columns]))
        return ElementBlock(1, batched_columns(self.stage.row, batch, batch.count))

    def save(self) -> State:
        rows = None if self.rows is None else self.rows.saved()
        return {
            "before": super().save(), "rows": rows, "turn": self.turn, "is_over": self.is_over
        }  # fmt: skip

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.rows = None if state["rows"] is None else ElementBlock.restored(state["rows"])
        self.turn, self.is_over = state["turn"], state["is_over"]
