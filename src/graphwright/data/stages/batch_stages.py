"""Stages that join several elements into one: batches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import (
    Column,
    ElementBlock,
    Row,
    column,
    joined,
    one_array,
    values_of,
)
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    MAPS,
    Cursor,
    DatasetStage,
    State,
    Through,
    iteration_allows,
    kind_of,
)
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
            except BaseException:  # an interrupt loses none
                self.waiting = joined(blocks) if blocks else None
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


def composites() -> Any:
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
            columns += composites().batched_composites(leaf, arrays, block.count, size)
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
