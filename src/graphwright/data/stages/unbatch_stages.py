"""Stages that split elements: into rows, and into batches of another size."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import (
    Column,
    ElementBlock,
    column,
    joined,
)
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    Through,
)
from graphwright.data.stages.batch_stages import batched_columns, composites
from graphwright.data.stages.source_stages import TensorsStage
from graphwright.types.arrays import Array
from graphwright.types.specs import TensorSpec


class UnbatchStage(DatasetStage):
    """The rows of elements."""

    type_name = "UnbatchDataset"

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        leaves = self.inputs[0].element.leaves
        shapes = [
            leaf.shape
            for leaf in leaves
            if isinstance(leaf, TensorSpec) or composites().is_ragged_spec(leaf)
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
        self.count = composites().row_count(whole, row)

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
            rows = composites().rows_of(leaf, arrays)
            columns += [column(values) for values in zip(*rows)]
            counts.append(len(rows))
    if len(set(counts)) > 1:
        raise InvalidArgumentError(
            None, None,
            "Input element must have the same batch size in each component. Component 0 had "
            f"size {counts[0]} but another has {max(set(counts) - {counts[0]})}.",
        )  # fmt: skip
    return ElementBlock(counts[0], tuple(columns))


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
