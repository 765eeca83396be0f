"""Shuffling, in TensorFlow's order: a buffer from which each element is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock, Row, of_rows
from graphwright.data.element_type import ElementType
from graphwright.data.random_words import RandomWords, SeedGenerator
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, Postponed, State, Through
from graphwright.types.arrays import Array

#: The elements that are taken at a time for a buffer without a limit.
_MANY = 4096


class NumberedElements(Protocol):
    """A stage that can compute each element from its number."""

    #: How many there are.
    count: int

    def at(self, places: Array) -> ElementBlock:
        """The elements with these numbers."""


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


class ShuffleBuffer:
    """A buffer from which items are drawn at random, while new ones take their places.

    Item n stands at place n modulo the size. A drawn item changes places with the oldest, so the
    others stay side by side.
    """

    def __init__(self, size: int, words: RandomWords) -> None:
        self.size = size
        self.words = words
        self.items: list[Any] = []
        self.first = self.last = 0

    def room(self, most: int) -> int:
        """How many items fit in, of so many."""
        return most if self.size == UNKNOWN else min(most, self.size - (self.last - self.first))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self.first == self.last

    def add(self, items: Sequence[object]) -> None:
        """Puts items, for which there is room, into the next places."""
        new = len(items) if self.size == UNKNOWN else min(len(items), self.size - len(self.items))
        self.items.extend(items[:new])
        self.last += new
        for item in items[new:]:
            self.items[self.last % self.size] = item
            self.last += 1

    def exchange(self, words: Sequence[int], items: Sequence[object]) -> list[Any]:
        """Draws an item for each word, and puts another one in its place; the buffer is full."""
        mine, first, size = self.items, self.first, self.size
        drawn = []
        for oldest, (word, item) in enumerate(zip(words, items), first):
            oldest %= size
            place = (oldest + word) % size
            drawn.append(mine[place])
            mine[place] = mine[oldest]
            mine[oldest] = item
        self.first += len(drawn)
        self.last += len(drawn)
        return drawn

    def draw(self, word: int) -> Any:
        """Takes the item that a random word chooses."""
        items, first = self.items, self.first
        length = len(items)
        place = (first + word % (self.last - first)) % length
        item = items[place]
        items[place] = items[first % length]
        items[first % length] = None
        self.first = first + 1
        return item

    def save(self) -> State:
        """The buffer as plain values."""
        words = self.words
        drawn = [words.seed, words.seed2, words.drawn]
        return {"items": list(self.items), "first": self.first, "last": self.last, "words": drawn}

    def restore(self, state: State) -> None:
        """Sets the buffer to one that `save` returned."""
        self.items = list(state["items"])
        self.first, self.last = state["first"], state["last"]
        self.words = RandomWords(*state["words"])


class NumberBuffer:
    """A buffer of numbers, which come in order: the end of a list, of which the rest was drawn.

    It draws as `ShuffleBuffer` does, many numbers at a time.
    """

    def __init__(self, size: int, words: RandomWords) -> None:
        self.size = size
        self.words = words
        self.items: list[int] = []
        #: Where the oldest stands.
        self.first = 0

    def __len__(self) -> int:
        return len(self.items) - self.first

    def draw(self, words: Array, following: int, stop: int) -> list[int]:
        """A number for each word, while those from `following` to `stop` fill the buffer."""
        items, first = self.items, self.first
        room = stop - following
        if self.size != UNKNOWN:
            room = min(room, self.size - len(self))
        left: Any = len(self) + room
        # Where the buffer is full it stays so until the numbers have come to their end.
        count = len(words)
        more = min(count, stop - following - room)
        items.extend(range(following, following + room + more))
        turns = np.arange(count)
        if more < count:
            left = left - np.maximum(0, turns - more)
        places = (words % left + (turns + first)).tolist()
        drawn = []
        for oldest, place in enumerate(places, first):
            drawn.append(items[place])
            items[place] = items[oldest]
        self.first = first + count
        if self.first > max(len(self), _MANY):
            del items[: self.first]
            self.first = 0
        return drawn

    def save(self) -> State:
        """The buffer as plain values, as `ShuffleBuffer` has them."""
        words = self.words
        drawn = [words.seed, words.seed2, words.drawn]
        items = self.items[self.first :]
        return {"items": items, "first": 0, "last": len(items), "words": drawn}

    def restore(self, state: State) -> None:
        """Sets the buffer to one that was saved."""
        items = state["items"]
        self.items = [items[n % len(items)] for n in range(state["first"], state["last"])]
        self.first = 0
        self.words = RandomWords(*state["words"])


class ShuffleCursor(Through):
    """A buffer of rows."""

    def __init__(self, stage: ShuffleStage) -> None:
        super().__init__(stage.inputs[0])
        self.stage = stage
        self.buffer = ShuffleBuffer(stage.size, RandomWords(*stage.generator.next_seeds()))
        self.waiting = ElementBlock(0, ())
        self.place = 0
        self.is_over = False
        self.postponed = Postponed()

    def pull(self, limit: int) -> ElementBlock | None:
        self.postponed.raise_it()
        buffer = self.buffer
        rows: list[Row] = []
        words = buffer.words.take(limit).tolist()
        try:
            while len(rows) < limit:
                self.fill(limit - len(rows))
                if buffer.is_empty:
                    break
                rows += self.drawn(words[len(rows) :])
        except Exception as error:
            if not rows:
                raise
            self.postponed.error = error
        finally:
            buffer.words.drawn -= limit - len(rows)
        return of_rows(rows) if rows else None

    def fill(self, count: int) -> None:
        """Fills the buffer. Takes no more rows than `count` drawn ones need."""
        buffer = self.buffer
        while (room := buffer.room(_MANY)) and not self.is_over:
            if self.place == self.waiting.count:
                block = self.upstream.pull(min(room + count - 1, _MANY))
                if block is None:
                    self.is_over = True
                    return
                self.waiting, self.place = block, 0
            buffer.add(self.next_rows(room))

    def next_rows(self, most: int) -> list[Row]:
        """At most so many of the rows that wait."""
        start = self.place
        self.place = min(start + most, self.waiting.count)
        return [list(row) for row in self.waiting.part(start, self.place).rows()]

    def drawn(self, words: Sequence[int]) -> list[Row]:
        """Rows for some words, as many as can be drawn before the buffer must be filled."""
        buffer = self.buffer
        if self.is_over:
            count = min(len(words), buffer.last - buffer.first)
            return [buffer.draw(word) for word in words[:count]]
        if not buffer.room(1) and self.place < self.waiting.count:
            return buffer.exchange(words, self.next_rows(len(words)))
        return [buffer.draw(words[0])]

    def save(self) -> State:
        waiting = self.waiting.part(self.place, self.waiting.count)
        return {
            "before": super().save(),
            "buffer": self.buffer.save(),
            "waiting": waiting.saved(),
            "is_over": self.is_over,
            "seeds": self.stage.generator.words.drawn,
        }

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.buffer.restore(state["buffer"])
        self.waiting, self.place = ElementBlock.restored(state["waiting"]), 0
        self.is_over = state["is_over"]
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
        buffer = self.buffer
        left = self.count - self.next_number + len(buffer)
        words = buffer.words.take(min(limit, left))
        if not len(words):
            return None
        drawn = buffer.draw(words, self.next_number, self.count)
        self.next_number = self.count - (left - len(words) - len(buffer))
        return self.table.at(np.array(drawn, np.int64))

    def save(self) -> State:
        seeds = self.stage.generator.words.drawn
        return {"buffer": self.buffer.save(), "number": self.next_number, "seeds": seeds}

    def restore(self, state: State) -> None:
        self.buffer.restore(state["buffer"])
        self.next_number = state["number"]
        self.stage.generator.words.drawn = state["seeds"]
