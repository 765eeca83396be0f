"""Windows of neighbouring elements, and elements that come for the first time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock, Row, joined, of_row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    Through,
    restored_error,
    saved_error,
)
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.types.arrays import Array


class WindowStage(DatasetStage):
    """Neighbouring elements as datasets, one for each part of an element."""

    type_name = "WindowDataset"
    scalars = ("size", "shift", "stride", "drop_remainder")

    def __init__(
        self, element: ElementType, source: DatasetStage,
        size: Array, shift: Array, stride: Array, drop_remainder: Array,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.size, self.shift, self.stride = int(size), int(shift), int(stride)
        self.drop_remainder = bool(drop_remainder)
        #: The types of the datasets of a window, one for each part of an element.
        self.parts = [ElementType(leaf) for leaf in source.element.leaves]
        for value, what in ((self.size, "size"), (self.shift, "shift"), (self.stride, "stride")):
            if value <= 0:
                raise InvalidArgumentError(None, None, f"Window {what} must be greater than zero.")

    @property
    def reach(self) -> int:
        """The number of elements that a window spans."""
        return (self.size - 1) * self.stride + 1

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if before < 0:
            return before
        if self.drop_remainder:
            return max(0, (before - self.reach) // self.shift + 1)
        return -(-before // self.shift)

    def start(self) -> Cursor:
        return WindowCursor(self)


class WindowCursor(Through):
    """The elements of the next window so far."""

    def __init__(self, stage: WindowStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.block: ElementBlock | None = None
        #: The errors of elements, by their places in the block: a window that has one fails.
        self.failures: dict[int, Exception] = {}
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        stage = self.stage
        self.fill(stage.reach)
        block = self.block
        if block is None or (block.count < stage.reach and stage.drop_remainder):
            self.block = None
            return None
        places = range(0, min(stage.reach, block.count), stage.stride)
        failed = [place for place in self.failures if place in places]
        error = self.failures[failed[0]] if failed else None
        self.pass_over(stage.shift - block.count)
        left = stage.shift < block.count
        self.block = block.part(stage.shift, block.count) if left else None
        self.failures = {p - stage.shift: e for p, e in self.failures.items() if p >= stage.shift}
        if error is not None:
            raise error
        return of_row(self.datasets(block.at(np.array(places))))

    def together(self, limit: int) -> ElementBlock | None:
        """The elements of the next windows that are full, at most `limit`: each window a row.

        None where the next window is not full, or the shapes of elements differ. Nothing is copied.
        """
        size, shift, stride = self.stage.size, self.stage.shift, self.stage.stride
        reach = self.stage.reach
        self.fill(reach, reach + (limit - 1) * shift)
        block = self.block
        if block is None or block.count < reach or not block.is_dense:
            return None
        count = min(limit, (block.count - reach) // shift + 1)
        columns = [
            as_strided(
                column, (count, size, *column.shape[1:]),
                (shift * column.strides[0], stride * column.strides[0], *column.strides[1:]),
                writeable=False,
            )
            for column in block.columns
            if isinstance(column, np.ndarray)
        ]  # fmt: skip
        start = count * shift
        self.pass_over(start - block.count)
        self.block = block.part(start, block.count) if start < block.count else None
        return ElementBlock(count, tuple(columns))

    def fill(self, enough: int, most: int = 0) -> None:
        """Takes elements until there are enough, `most` at once where they come at once.

        One that fails counts too.
        """
        present = 0 if self.block is None else self.block.count
        while present < enough and not self.is_over:
            try:
                block = self.upstream.pull(max(enough, most) - present)
            except Exception as error:  # noqa: BLE001 - it is raised for each window that has it
                block = of_row([None] * len(self.stage.inputs[0].element.types))
                self.failures[present] = error
            if block is None:
                self.is_over = True
            else:
                self.block = block if self.block is None else joined([self.block, block])
                present += block.count

    def pass_over(self, count: int) -> None:
        """Takes the elements between two windows: nobody sees them, nor that one fails."""
        while count > 0 and not self.is_over:
            try:
                block = self.upstream.pull(count)
            except Exception:  # noqa: BLE001 - it would be the error of an element that nobody sees
                count -= 1
                continue
            self.is_over = block is None
            count -= 0 if block is None else block.count

    def datasets(self, window: ElementBlock) -> Row:
        """A stage of the elements of a window for each part of an element."""
        stages: Row = []
        columns = iter(window.columns)
        for element in self.stage.parts:
            parts = tuple([next(columns) for _ in element.types])
            stages.append(FixedStage(element, ElementBlock(window.count, parts)))
        return stages

    def save(self) -> State:
        block = None if self.block is None else self.block.saved()
        failures = [[place, saved_error(error)] for place, error in self.failures.items()]
        return {
            "before": super().save(),
            "block": block,
            "failures": failures,
            "is_over": self.is_over,
        }

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.block = None if state["block"] is None else ElementBlock.restored(state["block"])
        self.failures = {place: restored_error(error) for place, error in state["failures"]}
        self.is_over = state["is_over"]


class UniqueStage(DatasetStage):
    """Each element the first time that it comes."""

    type_name = "UniqueDataset"

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return UniqueCursor(self)


class UniqueCursor(Through):
    """The elements so far."""

    def __init__(self, stage: UniqueStage) -> None:
        super().__init__(stage.inputs[0])
        self.seen: set[Any] = set()

    def pull(self, limit: int) -> ElementBlock | None:
        while True:
            block = self.upstream.pull(limit)
            if block is None:
                return None
            wanted = []
            for place, (value,) in enumerate(block.rows()):
                key = (
                    value.item()
                    if value.ndim == 0
                    else (value.shape, tuple(value.ravel().tolist()))
                )
                if key not in self.seen:
                    self.seen.add(key)
                    wanted.append(place)
            if wanted:
                return block.at(np.array(wanted))

    def save(self) -> State:
        return {"before": super().save(), "seen": list(self.seen)}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.seen = set(map(as_key, state["seen"]))


def as_key(saved: object) -> object:
    """An element that was seen, from its saved form: texts come back as arrays, tuples as lists."""
    if isinstance(saved, np.ndarray):
        return saved.item()
    if isinstance(saved, (list, tuple)):
        return tuple(map(as_key, saved))
    return saved
