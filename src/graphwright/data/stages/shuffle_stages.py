"""Shuffling, in TensorFlow's order: a buffer from which each element is drawn."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock, joined
from graphwright.data.element_type import ElementType
from graphwright.data.random_words import RandomWords, SeedGenerator
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, Postponed, State, Through
from graphwright.data.stages.shuffle_buffers import ElementStore, NumberBuffer
from graphwright.types.arrays import Array

#: The elements that are taken at a time for a buffer without a limit.
_MANY = 4096


class NumberedElements(Protocol):
    """A stage that can compute each element from its number."""

    #: How many there are.
    count: int

    def at(self, places: Array) -> ElementBlock:
        """The elements with these numbers, which may be still to be copied."""


class ShuffleStage(DatasetStage):
    """The elements in random order: each is drawn from a buffer of the next ones."""

    type_name = "ShuffleDataset"
    scalars = ("buffer_size",)

    def __init__(
        self, element: ElementType, source: DatasetStage, size: Array, seed: Array, seed2: Array,
        *, is_fixed: bool,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.size = int(size)
        if self.size < 1 and self.size != UNKNOWN:
            raise InvalidArgumentError(
                None, None, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            )
        self.generator = SeedGenerator(int(seed), int(seed2), is_fixed)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def order(self) -> list[int]:
        """Which element comes where if they are asked for by their numbers.

        It is an order of its own, of all elements and the same each time, as in TensorFlow.
        """
        count = self.cardinality()
        places = list(range(count))
        for place, word in enumerate(RandomWords(*self.generator.seeds).take(count).tolist()):
            other = place + word % (count - place)
            places[place], places[other] = places[other], places[place]
        return places

    def start(self) -> Cursor:
        source: Any = self.inputs[0]
        while source.is_idle:  # states must not depend on stages that do nothing
            source = source.inputs[0]
        return TableShuffleCursor(self, source) if hasattr(source, "at") else ShuffleCursor(self)


class ShuffleCursor(Through):
    """A buffer of the numbers of elements that came."""

    def __init__(self, stage: ShuffleStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.buffer = NumberBuffer(stage.size, RandomWords(*stage.generator.next_seeds()))
        self.store = ElementStore()
        #: The number of the first element that waits, and is not in the buffer.
        self.waiting = 0
        self.is_over = False
        self.postponed = Postponed()

    def pull(self, limit: int) -> ElementBlock | None:
        block = self.pull_rows(limit)
        return None if block is None else block.copied()

    def pull_rows(self, limit: int) -> ElementBlock | None:
        self.postponed.raise_it()
        buffer = self.buffer
        blocks: list[ElementBlock] = []
        room = limit
        try:
            while room:
                self.fill(room)
                if not len(buffer):
                    break
                blocks.append(self.drawn(room))
                room -= blocks[-1].count
        except Exception as error:
            if not blocks:
                raise
            self.postponed.error = error
        return joined(blocks) if blocks else None

    def fill(self, count: int) -> None:
        """Fills the buffer. Takes no more elements than `count` drawn ones need."""
        buffer, store = self.buffer, self.store
        while (room := buffer.room(_MANY)) and not self.is_over:
            if self.waiting == store.count:
                self.waiting = store.close_up(buffer, self.waiting)
                block = self.upstream.pull(min(room + count - 1, _MANY))
                if block is None:
                    self.is_over = True
                    return
                store.add(block)
            stop = min(self.waiting + room, store.count)
            buffer.add(self.waiting, stop)
            self.waiting = stop

    def drawn(self, most: int) -> ElementBlock:
        """At most so many elements, as many as can be drawn before the buffer must be filled."""
        buffer, present = self.buffer, self.store.count - self.waiting
        stop = self.waiting
        if self.is_over:
            count = min(most, len(buffer))
        elif not buffer.room(1) and present:
            count = min(most, present)
            stop += count
        else:
            count = 1
        numbers = buffer.draw(buffer.words.take(count), self.waiting, stop)
        self.waiting = stop
        return self.store.take(numbers)

    def save(self) -> State:
        state = self.buffer.save()
        rest = np.arange(self.waiting, self.store.count)
        elements = self.store.block().at(np.concatenate([self.buffer.numbers, rest]))
        return {
            "before": super().save(),
            "words": state["words"],
            "buffered": len(self.buffer),
            "elements": elements.saved(),
            "is_over": self.is_over,
            "error": self.postponed.save(),
            "seeds": self.stage.generator.words.drawn,
        }

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        elements, self.waiting = ElementBlock.restored(state["elements"]), state["buffered"]
        self.store = ElementStore()
        if elements.count:
            self.store.add(elements)
        self.buffer.restore({"items": np.arange(self.waiting), "words": state["words"]})
        self.is_over = state["is_over"]
        self.postponed.restore(state["error"])
        self.stage.generator.words.drawn = state["seeds"]


class TableShuffleCursor(Cursor):
    """A buffer of the numbers of elements, which are computed when they are drawn."""

    def __init__(self, stage: ShuffleStage, table: NumberedElements) -> None:
        self.stage = stage
        self.table = table
        self.count = table.count
        self.buffer = NumberBuffer(stage.size, RandomWords(*stage.generator.next_seeds()))
        #: The number that enters the buffer next.
        self.next_number = 0

    def pull(self, limit: int) -> ElementBlock | None:
        block = self.pull_rows(limit)
        return None if block is None else block.copied()

    def pull_rows(self, limit: int) -> ElementBlock | None:
        buffer = self.buffer
        left = self.count - self.next_number + len(buffer)
        words = buffer.words.take(min(limit, left))
        if not len(words):
            return None
        drawn = buffer.draw(words, self.next_number, self.count)
        self.next_number = self.count - (left - len(words) - len(buffer))
        return self.table.at(drawn)

    def save(self) -> State:
        seeds = self.stage.generator.words.drawn
        return {"buffer": self.buffer.save(), "number": self.next_number, "seeds": seeds}

    def restore(self, state: State) -> None:
        self.buffer.restore(state["buffer"])
        self.next_number = state["number"]
        self.stage.generator.words.drawn = state["seeds"]
