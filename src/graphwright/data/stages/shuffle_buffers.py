"""What a shuffle draws from: numbers in TensorFlow's order, and the elements behind them."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.data.blocks import Column, ElementBlock, column, rows_at, values_of
from graphwright.data.columns.stable_order import stable_order
from graphwright.data.random_words import RandomWords
from graphwright.data.stage import UNKNOWN, State
from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.machine.preparation import Preparation
from graphwright.types.arrays import Array

#: Up to so many draws, one after another is the quickest, and where there is no machine code.
_FEWEST, _FEW = 8, 100
#: Draws from which on machine code is worth to be made, and how many times as many in small blocks.
_WORTH, _PATIENCE = 1 << 10, 8
#: Elements of at most so many bytes are copied side by side; larger ones stay where they are.
_SMALL = 4096
#: So many drawn elements may stand among the others before these close up.
_GAPS = 1024


#: Each of %count turns draws the item at its place, where it puts the item at the turn itself.
TEXT = """
define void @exchange(ptr %items, ptr %places, ptr %drawn, i64 %count) {
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %end
loop:
  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place.at = getelementptr i64, ptr %places, i64 %turn
  %place = load i64, ptr %place.at
  %there.at = getelementptr i64, ptr %items, i64 %place
  %here.at = getelementptr i64, ptr %items, i64 %turn
  %drawn.at = getelementptr i64, ptr %drawn, i64 %turn
  %there = load i64, ptr %there.at
  %here = load i64, ptr %here.at
  store i64 %there, ptr %drawn.at
  store i64 %here, ptr %there.at
  %next = add i64 %turn, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""


@functools.cache
def _exchange() -> Any:
    """The native function."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    return kind(compiler.compiled(TEXT).addresses["exchange"])


PREPARATION = Preparation(_exchange, is_brief=True, patience=_PATIENCE)


class NumberBuffer:
    """A buffer of numbers, from which each is drawn at random while the next takes its place.

    A drawn number changes places with the oldest, so the others stay side by side.

    Args:
        size: How many numbers there is room for; UNKNOWN for all.
        words: The random words that choose.
    """

    def __init__(self, size: int, words: RandomWords) -> None:
        self.size = size
        self.words = words
        #: The numbers stand from `first` to `last`, the oldest first.
        self.items: Array = np.empty(64, np.int64)
        self.first = self.last = 0

    def __len__(self) -> int:
        return self.last - self.first

    @property
    def numbers(self) -> Array:
        """The numbers, the oldest first."""
        return self.items[self.first : self.last]

    def room(self, most: int) -> int:
        """How many numbers fit in, of so many."""
        return most if self.size == UNKNOWN else min(most, self.size - len(self))

    def add(self, following: int, stop: int) -> None:
        """Puts the numbers from one up to another behind the others."""
        count = stop - following
        if self.last + count > len(self.items):
            whole = np.empty(2 * (len(self) + count) + 64, np.int64)
            whole[: len(self)] = self.numbers
            self.items, self.first, self.last = whole, 0, len(self)
        self.items[self.last : self.last + count] = np.arange(following, stop)
        self.last += count

    def draw(self, words: Array, following: int, stop: int) -> Array:
        """A number for each word, while those from `following` to `stop` fill the buffer."""
        room = self.room(stop - following)
        left: Any = len(self) + room
        # Where the buffer is full it stays so until the numbers have come to their end.
        count = len(words)
        more = min(count, stop - following - room)
        self.add(following, following + room + more)
        turns = np.arange(count)
        if more < count:
            left = left - np.maximum(0, turns - more)
        places = words % left + turns
        numbers = self.numbers
        drawn = exchange_of(count)(numbers, places)
        self.first += count
        return drawn

    def save(self) -> State:
        """The buffer as plain values."""
        words = self.words
        return {
            "items": self.numbers.copy(),
            "words": [words.seed, words.seed2, words.drawn],
        }

    def restore(self, state: State) -> None:
        """Sets the buffer to one that was saved."""
        self.items = state["items"].astype(np.int64)
        self.first, self.last = 0, len(self.items)
        self.words = RandomWords(*state["words"])


def exchange_of(count: int) -> Callable[[Array, Array], Array]:
    """What is the quickest for so many draws."""
    if count > _FEWEST and PREPARATION.is_ready_for(count, _WORTH):
        return exchanged_natively
    return exchanged_in_turn if count <= _FEW else exchanged


def exchanged_natively(items: Array, places: Array) -> Array:
    """The same as `exchanged_in_turn`, by machine code."""
    drawn = np.empty_like(items, shape=len(places))
    _exchange()(address(items), address(places), address(drawn), len(places))
    return drawn


def exchanged_in_turn(items: Array, places: Array) -> Array:
    """The items at places, of which each gets the oldest in turn: that at 0, at 1, ..."""
    drawn = np.empty(len(places), items.dtype)
    for turn, place in enumerate(places.tolist()):
        drawn[turn] = items[place]
        items[place] = items[turn]
    return drawn


def exchanged(items: Array, places: Array) -> Array:
    """The same, all at once. No place is before its turn.

    In each turn an item moves from the place `turn` to `places[turn]`. So what stands at a place
    is what the last turn before moved there, or stood there from the start; and what that turn
    moved was once moved to it by one before. The turns are followed back, two at a time, then
    four, until each has come to an item that nothing was moved upon.
    """
    count = len(places)
    turns = np.arange(count)
    # Turns by their places, and for one place by their order.
    turn = stable_order(places, len(items))
    by_place = places.take(turn)
    is_again = by_place[1:] == by_place[:-1]
    #: For each turn the one before that moved an item to its place; itself where there is none.
    before = turns.copy()
    before[turn[1:][is_again]] = turn[:-1][is_again]
    #: For each turn the one that moved what it moves; itself where that stood there from the start.
    source = turns.copy()
    is_last = np.append(~is_again, True)
    last_places, last_turns = by_place[is_last], turn[is_last]
    inside = int(np.searchsorted(last_places, count))
    targets, makers = last_places[:inside], last_turns[:inside]
    # A turn that moves an item to its own place had it moved there by one before.
    source[targets] = np.where(makers == targets, before[makers], makers)
    while True:
        further = source.take(source)
        if np.array_equal(further, source):
            break
        source = further
    moved = items.take(source)
    # What a turn draws at its own place is what it would have moved.
    at_start = before == turns
    drawn: Array = moved.take(before)
    drawn[at_start] = items.take(places[at_start])
    in_place = places == turns
    drawn[in_place] = moved[in_place]
    items[last_places[inside:]] = moved.take(last_turns[inside:])
    return drawn


class ElementStore:
    """The elements that a shuffle draws from, by their numbers, and those drawn already."""

    def __init__(self) -> None:
        self.count = 0
        self.columns: list[Any] = []
        #: How many elements there is room for; none where the arrays are not the store's own.
        self.capacity = 0
        self.is_listed = False

    def block(self) -> ElementBlock:
        """All elements."""
        return ElementBlock(self.count, tuple([c[: self.count] for c in self.columns]))

    def add(self, block: ElementBlock) -> None:
        """Puts elements behind the others."""
        if not self.count:
            self.columns, self.capacity = list(block.columns), 0
            self.is_listed = not is_small(block)
            if self.is_listed:
                self.columns = [list(values_of(values)) for values in block.columns]
        elif self.is_listed or not self.fits(block):
            mine = self.columns if self.is_listed else self.block().columns
            self.is_listed = True
            self.columns = [[*values_of(m), *values_of(c)] for m, c in zip(mine, block.columns)]
        else:
            self.add_arrays(block)
        self.count += block.count

    def fits(self, block: ElementBlock) -> bool:
        """Whether the elements of a block have the shapes of the others."""
        arrays = [c for c in block.columns if isinstance(c, np.ndarray)]
        return len(arrays) == len(self.columns) and all(
            mine.shape[1:] == c.shape[1:] for mine, c in zip(self.columns, arrays)
        )

    def add_arrays(self, block: ElementBlock) -> None:
        """Puts elements behind others of their shapes."""
        stop = self.count + block.count
        if not self.capacity:
            side_by_side: list[Any] = list(map(adjacent, self.columns, block.columns))
            if all(values is not None for values in side_by_side):
                self.columns = side_by_side
                return
        if stop > self.capacity:
            self.capacity = stop + stop // 2
            for place, mine in enumerate(self.columns):
                whole = np.empty((self.capacity, *mine.shape[1:]), mine.dtype)
                whole[: self.count] = mine[: self.count]
                self.columns[place] = whole
        for mine, values in zip(self.columns, block.columns):
            mine[self.count : stop] = values

    def take(self, numbers: Array) -> ElementBlock:
        """The elements with these numbers, which nobody takes again. No row is written again."""
        if not self.is_listed:
            return rows_at(self.columns, numbers)
        places = numbers.tolist()
        taken = []
        for values in self.columns:
            taken.append(column([values[place] for place in places]))
            for place in places:
                values[place] = None
        return ElementBlock(len(numbers), tuple(taken))

    def close_up(self, buffer: NumberBuffer, waiting: int) -> int:
        """Forgets drawn elements where these are many. Returns the number of the first that waits.

        Args:
            buffer: The numbers of elements that may be drawn.
            waiting: The number of the first element that is not among them yet.
        """
        present = len(buffer) + self.count - waiting
        if self.count - present < max(_GAPS, present):
            return waiting
        numbers = buffer.numbers
        order = np.argsort(numbers)
        rest = np.concatenate([numbers[order], np.arange(waiting, self.count)])
        numbers[order] = np.arange(len(order))
        if self.is_listed:
            places = rest.tolist()
            self.columns = [[values[place] for place in places] for values in self.columns]
        else:
            self.columns = [values.take(rest, 0) for values in self.columns]
            self.capacity = len(rest)
        self.count = len(rest)
        return len(order)


def is_small(block: ElementBlock) -> bool:
    """Whether the elements of a block are worth to be copied."""
    size = sum([c.nbytes for c in block.columns if isinstance(c, np.ndarray)])
    return bool(block.columns) and block.is_dense and size <= _SMALL * block.count


def adjacent(first: Array, second: Column) -> Array | None:
    """Two arrays that stand side by side in memory as one; None for others."""
    base = first.base
    if not isinstance(second, np.ndarray) or not isinstance(base, np.ndarray):
        return None
    if base is not second.base:
        return None
    if not (first.flags.c_contiguous and second.flags.c_contiguous and base.flags.c_contiguous):
        return None
    start = first.__array_interface__["data"][0]
    if start + first.nbytes != second.__array_interface__["data"][0] or first.dtype != second.dtype:
        return None
    offset = start - base.__array_interface__["data"][0]
    shape = (len(first) + len(second), *first.shape[1:])
    size = (first.nbytes + second.nbytes) // first.itemsize
    place = offset // first.itemsize
    whole: Array = base.reshape(-1)[place : place + size].reshape(shape)
    return whole
