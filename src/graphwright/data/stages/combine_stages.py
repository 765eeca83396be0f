"""Stages that combine several datasets into one: zip, concatenate, flat_map."""

from __future__ import annotations

from contextlib import suppress
from functools import reduce

from graphwright.data.blocks import ElementBlock, Row, joined
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    UNKNOWN,
    Cursor,
    DatasetStage,
    FunctionStage,
    StageFunction,
    State,
    Through,
    at_most,
    cursor_of,
)


class ZipStage(DatasetStage):
    """Elements of several datasets side by side, until the first of them ends."""

    type_name = "ZipDataset"

    def cardinality(self) -> int:
        return reduce(at_most, [stage.cardinality() for stage in self.inputs])

    def start(self) -> Cursor:
        return ZipCursor(self)


class ZipCursor(Cursor):
    """A position in each dataset, and elements that wait for those of the others."""

    def __init__(self, stage: ZipStage) -> None:
        self.cursors = [cursor_of(source) for source in stage.inputs]
        self.waiting: list[ElementBlock | None] = [None] * len(self.cursors)
        self.is_over = False
        #: Whether the effects of one dataset must come between those of others.
        self.is_observable = stage.is_observable

    def pull(self, limit: int) -> ElementBlock | None:
        if self.is_over:
            return None
        limit = 1 if self.is_observable else limit
        blocks: list[ElementBlock] = []
        for i, cursor in enumerate(self.cursors):
            try:
                block = self.waiting[i] or cursor.pull(limit)
            except Exception:
                self.pass_over(i)
                raise
            if block is None:
                self.is_over = True
                return None
            # The next datasets need no more elements than this one has. Its rest waits.
            self.waiting[i] = block
            limit = min(limit, block.count)
            blocks.append(block)
        for i, block in enumerate(blocks):
            more = block.count > limit
            self.waiting[i] = block.part(limit, block.count) if more else None
        columns = [column for block in blocks for column in block.part(0, limit).columns]
        return ElementBlock(limit, tuple(columns))

    def pass_over(self, failed: int) -> None:
        """Leaves out one element of each dataset but the one that has failed."""
        for i, cursor in enumerate(self.cursors):
            if i == failed:
                continue
            with suppress(Exception):  # two fail together, and the first error is raised
                block = self.waiting[i] or cursor.pull(1)
                if block is None:
                    self.is_over = True
                else:
                    more = block.count > 1
                    self.waiting[i] = block.part(1, block.count) if more else None

    def save(self) -> State:
        return {
            "before": [cursor.save() for cursor in self.cursors],
            "waiting": [None if block is None else block.saved() for block in self.waiting],
            "is_over": self.is_over,
        }

    def restore(self, state: State) -> None:
        for cursor, before in zip(self.cursors, state["before"]):
            cursor.restore(before)
        self.waiting = [None if b is None else ElementBlock.restored(b) for b in state["waiting"]]
        self.is_over = state["is_over"]

    def close(self) -> None:
        for cursor in self.cursors:
            cursor.close()


class ConcatenateStage(DatasetStage):
    """The elements of one dataset and then those of another."""

    type_name = "ConcatenateDataset"

    def __init__(self, element: ElementType, first: DatasetStage, second: DatasetStage) -> None:
        super().__init__(element, first, second)

    def cardinality(self) -> int:
        counts = [stage.cardinality() for stage in self.inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)

    def start(self) -> Cursor:
        return ConcatenateCursor(self)


class ConcatenateCursor(Cursor):
    """The number of the present dataset, and a position in it."""

    def __init__(self, stage: ConcatenateStage) -> None:
        self.stage = stage
        self.enter(0)

    def enter(self, number: int) -> None:
        """Goes to the start of a dataset."""
        self.number = number
        self.upstream = cursor_of(self.stage.inputs[number])

    def pull(self, limit: int) -> ElementBlock | None:
        block = self.upstream.pull(limit)
        while block is None and self.number + 1 < len(self.stage.inputs):
            self.upstream.close()
            self.enter(self.number + 1)
            block = self.upstream.pull(limit)
        return block

    def save(self) -> State:
        return {"number": self.number, "before": self.upstream.save()}

    def restore(self, state: State) -> None:
        self.enter(state["number"])
        self.upstream.restore(state["before"])

    def close(self) -> None:
        self.upstream.close()


def whole(cursor: Cursor, count: int) -> ElementBlock | None:
    """`count` elements of a cursor in one block; fewer at the end, None for none."""
    blocks: list[ElementBlock] = []
    while count:
        block = cursor.pull(count)
        if block is None:
            break
        blocks.append(block)
        count -= block.count
    return joined(blocks) if blocks else None


class FlatMapStage(FunctionStage):
    """The elements of the datasets that a function returns, one dataset after another."""

    type_name = "FlatMapDataset"

    function: StageFunction

    def start(self) -> Cursor:
        return FlatMapCursor(self)


class FlatMapCursor(Through):
    """A position in the dataset of the present element."""

    def __init__(self, stage: FlatMapStage, upstream: Cursor | None = None) -> None:
        super().__init__(stage.inputs[0], upstream)
        self.function = stage.function
        self.row: Row | None = None
        self.inner: Cursor | None = None

    def pull(self, limit: int) -> ElementBlock | None:
        while True:
            if self.inner is None:
                block = self.upstream.pull(1)
                if block is None:
                    return None
                self.inner = self.enter(block.row(0))
            inner = self.inner.pull(limit)
            if inner is not None:
                return inner
            self.inner.close()
            self.inner = self.row = None

    def enter(self, row: Row) -> Cursor:
        """A cursor in the dataset of an element."""
        (stage,) = self.function(row)
        self.row = row
        return cursor_of(stage)

    def save(self) -> State:
        inner = None if self.inner is None else self.inner.save()
        return {"before": super().save(), "row": self.row, "inner": inner}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.row = self.inner = None
        if state["row"] is not None:
            self.inner = self.enter(state["row"])
            self.inner.restore(state["inner"])

    def close(self) -> None:
        super().close()
        if self.inner is not None:
            self.inner.close()
