"""Stages that take turns among datasets, which a function makes of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    UNKNOWN,
    Cursor,
    DatasetStage,
    StageFunction,
    State,
    Through,
    cursor_of,
)
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.op.late_imports import late_module
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from graphwright.data.tuning.buffer_sizes import BufferSize


class InterleaveStage(DatasetStage):
    """The elements of datasets that a function returns, some from each in turn."""

    type_name = "InterleaveDataset"
    scalars = ("cycle_length", "block_length", "num_parallel_calls")
    #: How many elements of each open dataset wait; None where no thread takes them.
    buffer: BufferSize | None = None

    def __init__(
        self, element: ElementType, source: DatasetStage,
        cycle_length: Array, block_length: Array, function: StageFunction,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.cycle_length, self.block_length = int(cycle_length), int(block_length)
        self.function = function
        self.has_effects = function.has_effects
        if self.cycle_length <= 0:
            raise InvalidArgumentError(None, None, "`cycle_length` must be > 0")
        if self.block_length <= 0:
            raise InvalidArgumentError(None, None, "`block_length` must be > 0")

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return InterleaveCursor(self)


class ParallelInterleaveStage(InterleaveStage):
    """The same, with a thread for each open dataset."""

    type_name = "ParallelInterleaveDataset"
    waits_for_threads = True
    buffer: BufferSize

    def __init__(
        self, element: ElementType, source: DatasetStage,
        cycle_length: Array, block_length: Array, calls: Array, function: StageFunction,
        *, is_cycle_free: bool,
    ) -> None:  # fmt: skip
        super().__init__(element, source, cycle_length, block_length, function)
        if int(calls) < 1 and int(calls) != AUTOTUNE:
            raise InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
        if int(calls) > self.cycle_length and not is_cycle_free:
            raise InvalidArgumentError(
                None, None,
                "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
                "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
                f"`num_parallel_calls` is {int(calls)} and `cycle_length` is {self.cycle_length}",
            )  # fmt: skip
        first = 2 * self.block_length
        is_free = int(calls) == AUTOTUNE
        sizes: Any = late_module("graphwright.data.tuning.buffer_sizes")
        self.buffer = sizes.BufferSize(AUTOTUNE, first) if is_free else sizes.BufferSize(first)


class InterleaveCursor(Through):
    """The open datasets, the turn, and the number of elements in it so far."""

    def __init__(self, stage: InterleaveStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.rows: list[Row | None] = [None] * stage.cycle_length
        self.cursors: list[Cursor | None] = [None] * stage.cycle_length
        self.turn = self.passed = 0
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        while not self.is_over or any(self.cursors):
            cursor = self.cursors[self.turn]
            if cursor is not None:
                block = cursor.pull(min(limit, self.stage.block_length - self.passed))
                if block is not None:
                    self.passed += block.count
                    if self.passed == self.stage.block_length:
                        self.next_turn()
                    return block
                cursor.close()
                self.cursors[self.turn] = self.rows[self.turn] = None
                self.next_turn()
            elif not self.is_over:
                before = self.upstream.pull(1)
                if before is None:
                    self.is_over = True
                else:
                    self.cursors[self.turn] = self.enter(self.turn, before.row(0))
            else:
                self.next_turn()
        return None

    def next_turn(self) -> None:
        """Goes to the next dataset."""
        self.turn = (self.turn + 1) % self.stage.cycle_length
        self.passed = 0

    def enter(self, turn: int, row: Row) -> Cursor:
        """A cursor in the dataset of an element."""
        (stage,) = self.stage.function(row)
        self.rows[turn] = row
        cursor = cursor_of(stage)
        if self.stage.buffer is None:
            return cursor
        buffers: Any = late_module("graphwright.data.stages.buffer_stages")
        ahead: Cursor = buffers.PrefetchCursor(cursor, self.stage.buffer, stage.is_observable)
        return ahead

    def save(self) -> State:
        return {
            "before": super().save(),
            "rows": list(self.rows),
            "inner": [None if c is None else c.save() for c in self.cursors],
            "place": [self.turn, self.passed, self.is_over],
        }

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.turn, self.passed, self.is_over = state["place"]
        for turn, (row, inner) in enumerate(zip(state["rows"], state["inner"])):
            self.rows[turn] = self.cursors[turn] = None
            if row is not None:
                cursor = self.cursors[turn] = self.enter(turn, row)
                cursor.restore(inner)

    def close(self) -> None:
        super().close()
        for cursor in self.cursors:
            if cursor is not None:
                cursor.close()
