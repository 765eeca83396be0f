"""Stages that keep some elements, unchanged: take, skip, shard, repeat."""

from __future__ import annotations

import numpy as np

from graphwright.base.errors import FailedPreconditionError, InvalidArgumentError
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    INFINITE,
    SHARD_HINT,
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    Through,
    cursor_of,
    stop_if_abandoned,
)
from graphwright.types.arrays import Array


class CountStage(DatasetStage):
    """The base of stages with a number of elements or rounds."""

    scalars = ("count",)

    def __init__(self, element: ElementType, source: DatasetStage, count: Array) -> None:
        super().__init__(element, source)
        self.count = int(count)


class TakeStage(CountStage):
    """The first elements; all of them for a negative number."""

    type_name = "TakeDataset"

    @property
    def is_idle(self) -> bool:
        return self.count < 0

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if self.count < 0:
            return before
        if before == INFINITE or self.count == 0:
            return self.count
        return UNKNOWN if before == UNKNOWN else min(before, self.count)

    def start(self) -> Cursor:
        return TakeCursor(self)


class CountCursor(Through):
    """The rest of a number of elements."""

    def __init__(self, stage: CountStage) -> None:
        super().__init__(stage.inputs[0])
        self.count = self.left = stage.count

    def save(self) -> State:
        return {"before": super().save(), "left": self.left}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.left = state["left"]


class TakeCursor(CountCursor):
    """The number of elements still to return."""

    def pull(self, limit: int) -> ElementBlock | None:
        if self.left == 0:
            return None
        block = self.upstream.pull(min(limit, self.left))
        self.left -= 0 if block is None else block.count
        return block


class SkipStage(CountStage):
    """The elements after the first ones; none for a negative number."""

    type_name = "SkipDataset"

    @property
    def is_idle(self) -> bool:
        return self.count == 0

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if self.count < 0:
            return 0
        return before if before < 0 else max(0, before - self.count)

    def start(self) -> Cursor:
        return SkipCursor(self)


class SkipCursor(CountCursor):
    """The number of elements still to leave out."""

    def pull(self, limit: int) -> ElementBlock | None:
        if self.left < 0:
            return None
        while self.left:
            try:
                # One at a time where a program sees it: an error may be the first one's.
                block = self.upstream.pull(1 if self.source.is_observable else self.left)
            except Exception:
                self.left = self.count  # TensorFlow counts anew
                raise
            if block is None:
                return None
            self.left -= block.count
        return self.upstream.pull(limit)


class ShardStage(DatasetStage):
    """One of every `count` elements, the first at position `index`."""

    type_name = "ShardDataset"
    scalars = ("num_shards", "index")

    @property
    def is_idle(self) -> bool:
        return self.count == 1

    def __init__(
        self, element: ElementType, source: DatasetStage, count: Array, index: Array
    ) -> None:
        super().__init__(element, source)
        self.count, self.index = int(count), int(index)
        if self.count <= 0 and self.count != SHARD_HINT:
            raise InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = "
                f"{self.count}).",
            )  # fmt: skip
        if not 0 <= self.index < abs(self.count):
            raise InvalidArgumentError(
                None, None, f"Index must be between 0 and {self.count - 1} (currently index = "
                f"{self.index}).",
            )  # fmt: skip

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if before < 0:
            return before
        return before // self.count + (self.index < before % self.count)

    def start(self) -> Cursor:
        if self.count == SHARD_HINT:
            raise FailedPreconditionError(
                None, None,
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy.",
            )  # fmt: skip
        return ShardCursor(self)


class ShardCursor(Through):
    """The number of the next element."""

    def __init__(self, stage: ShardStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.place = 0

    def pull(self, limit: int) -> ElementBlock | None:
        step = self.stage.count
        while True:
            before = (self.stage.index - self.place) % step
            block = self.upstream.pull(before + 1 + (limit - 1) * step)
            if block is None:
                return None
            self.place += block.count
            if before < block.count:
                return block.at(np.arange(before, block.count, step))

    def save(self) -> State:
        return {"before": super().save(), "place": self.place}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.place = state["place"]


class RepeatStage(CountStage):
    """All elements `count` times; without an end for a negative number."""

    type_name = "RepeatDataset"
    #: Whether a shuffle before it is part of it, so that no round is begun behind the last one.
    is_shuffle = False

    def cardinality(self) -> int:
        before = self.inputs[0].cardinality()
        if self.count < 0:
            return 0 if before == 0 else INFINITE
        if self.count == 0:
            return 0
        return before if before < 0 else before * self.count

    def start(self) -> Cursor:
        return RepeatCursor(self)


class ShuffleAndRepeatStage(RepeatStage):
    """All elements so many times, each time in random order."""

    type_name = "ShuffleAndRepeatDataset"
    is_shuffle = True

    def __init__(self, element: ElementType, source: DatasetStage, count: Array) -> None:
        super().__init__(element, source, count)
        if self.count < 1 and self.count != INFINITE:
            raise InvalidArgumentError(
                None, None, "count must be greater than zero or equal to -1."
            )


class RepeatCursor(Cursor):
    """The number of the round, and a position in it."""

    def __init__(self, stage: RepeatStage) -> None:
        self.stage = stage
        self.is_shuffle = stage.is_shuffle
        self.round = 0
        self.is_empty = True
        self.upstream = cursor_of(stage.inputs[0])

    def pull(self, limit: int) -> ElementBlock | None:
        block = self.pull_rows(limit)
        return None if block is None else block.copied()

    def pull_rows(self, limit: int) -> ElementBlock | None:
        while self.round != self.stage.count:
            block = self.upstream.pull_rows(limit)
            if block is not None:
                self.is_empty = False
                return block
            # Rounds without elements would never end.
            is_endless = self.stage.count < 0 and self.is_empty
            self.round = self.stage.count if is_endless else self.round + 1
            # TensorFlow begins a round behind the last one too, unless shuffling is part of it. A
            # round takes seeds, which the next iteration would have.
            if self.round != self.stage.count or not self.is_shuffle:
                stop_if_abandoned()
                self.upstream.close()
                self.upstream, self.is_empty = cursor_of(self.stage.inputs[0]), True
        return None

    def save(self) -> State:
        before = self.upstream.save()
        return {"before": before, "round": self.round, "is_empty": self.is_empty}

    def restore(self, state: State) -> None:
        self.round, self.is_empty = state["round"], state["is_empty"]
        self.upstream.restore(state["before"])

    def close(self) -> None:
        self.upstream.close()
