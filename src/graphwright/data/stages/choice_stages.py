"""Stages that choose among datasets by the numbers of another one, and random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import Column, ElementBlock, joined, one_array, values_of
from graphwright.data.element_type import ElementType
from graphwright.data.random_words import RandomWords, SeedGenerator
from graphwright.data.stage import (
    INFINITE,
    UNKNOWN,
    Cursor,
    DatasetStage,
    State,
    Through,
    cursor_of,
    restored_error,
    saved_error,
    stop_if_abandoned,
)
from graphwright.data.stages.turn_code import LANES, counts_of, fits, moved
from graphwright.ops.random.variates import categorical_of_seeds
from graphwright.types.arrays import Array

#: No numbers that wait.
_NONE: Array = np.zeros(0, np.int64)


class RandomStage(DatasetStage):
    """The random numbers of TensorFlow's generator, without an end."""

    type_name = "RandomDataset"

    def __init__(self, element: ElementType, seed: Array, seed2: Array, *, is_fixed: bool) -> None:
        super().__init__(element)
        self.generator = SeedGenerator(int(seed), int(seed2), is_fixed)

    def cardinality(self) -> int:
        return INFINITE

    def start(self) -> Cursor:
        return RandomCursor(self)


class RandomCursor(Cursor):
    """A position in a stream of random numbers."""

    def __init__(self, stage: RandomStage) -> None:
        self.words = RandomWords(*stage.generator.next_seeds())

    def pull(self, limit: int) -> ElementBlock | None:
        stop_if_abandoned()
        return ElementBlock(limit, (self.words.take(limit),))

    def save(self) -> State:
        words = self.words
        return [words.seed, words.seed2, words.drawn]

    def restore(self, state: State) -> None:
        self.words = RandomWords(*state)


class DrawnNumbersStage(DatasetStage):
    """For each pair of seeds a number, drawn by the logarithms of weights."""

    type_name = "MapDataset"

    def __init__(self, element: ElementType, source: DatasetStage, logits: Array) -> None:
        super().__init__(element, source)
        self.logits = logits

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return DrawnNumbersCursor(self)


class DrawnNumbersCursor(Through):
    """A position in the seeds."""

    def __init__(self, stage: DrawnNumbersStage) -> None:
        super().__init__(stage.inputs[0])
        self.logits = stage.logits

    def pull(self, limit: int) -> ElementBlock | None:
        seeds = self.upstream.pull(limit)
        if seeds is None:
            return None
        numbers = categorical_of_seeds(as_array(seeds.columns[0]), self.logits)
        return ElementBlock(seeds.count, (numbers,))


class ChooseStage(DatasetStage):
    """The next element of the dataset whose number comes from another dataset."""

    type_name = "DirectedInterleaveDataset"

    def __init__(
        self,
        element: ElementType,
        selector: DatasetStage,
        *datasets: DatasetStage,
        stops_at_empty: bool,
    ) -> None:
        super().__init__(element, selector, *datasets)
        self.stops_at_empty = stops_at_empty

    def cardinality(self) -> int:
        counts = [stage.cardinality() for stage in self.inputs[1:]]
        return INFINITE if INFINITE in counts else UNKNOWN

    def start(self) -> Cursor:
        return ChooseCursor(self)


class ChooseCursor(Cursor):
    """A position in each of the datasets.

    As many numbers are taken as elements are wanted, and then the elements of each dataset at once.
    """

    def __init__(self, stage: ChooseStage) -> None:
        self.stage = stage
        self.is_observable = stage.is_observable
        self.selector, *self.cursors = [cursor_of(source) for source in stage.inputs]
        self.ended = [False] * len(self.cursors)
        #: Numbers that wait because of an error before them.
        self.numbers: Array = _NONE
        #: The elements of each dataset that wait, and the error behind them.
        self.ready: dict[int, ElementBlock] = {}
        self.failures: dict[int, Exception] = {}
        self.is_over = False
        #: Whether machine code may move the elements: no column was one that it does not move.
        self.is_movable = True

    def pull(self, limit: int) -> ElementBlock | None:
        limit = 1 if self.is_observable else limit
        while not self.is_over and not (all(self.ended) and not self.ready):
            if not len(self.numbers):
                choice = self.selector.pull(limit)
                if choice is None:
                    break
                self.numbers = as_array(choice.columns[0])
            block = self.chosen(limit)
            if block is not None:
                return block
        self.is_over = True
        return None

    def chosen(self, limit: int) -> ElementBlock | None:
        """The elements that the first numbers choose; None if there are none."""
        numbers = self.numbers[:limit]
        stop = number_of_valid(numbers, len(self.cursors))
        block = self.by_code(numbers[:stop])
        if block is not None:
            return block
        places = places_of(numbers[:stop], len(self.cursors))
        for k, mine in places.items():
            there = self.make_ready(k, len(mine))
            if there < len(mine) and (k in self.failures or self.stage.stops_at_empty):
                stop = min(stop, int(mine[there]))
        if not stop:
            self.refuse(int(numbers[0]))
            return None
        self.numbers = self.numbers[stop:]
        blocks, order = [], []
        for k, mine in places.items():
            mine = mine if stop == len(numbers) else mine[: mine.searchsorted(stop)]
            block = self.take(k, len(mine))
            if block is not None:
                blocks.append(block)
                order.append(mine[: block.count])
        if not blocks:
            return None
        return in_turns(blocks, order, stop)

    def by_code(self, numbers: Array) -> ElementBlock | None:
        """The elements that numbers choose, or most of them, by machine code.

        None where it has no way, and where an element is missing: nothing is taken then.
        """
        if not self.is_movable or not fits(numbers, len(self.cursors)):
            return None
        count = len(numbers) // LANES * LANES
        numbers = numbers[:count]
        counts = counts_of(numbers, len(self.cursors))
        wanted = {k: mine for k, mine in enumerate(counts.sum(0).tolist()) if mine}
        for k, mine in wanted.items():
            if self.make_ready(k, mine) < mine:
                return None
        blocks = [self.ready[k].columns for k in wanted]
        columns = [moved(numbers, counts, dict(zip(wanted, parts))) for parts in zip(*blocks)]
        arrays = [values for values in columns if values is not None]
        self.is_movable = len(arrays) == len(columns)
        if not self.is_movable:
            return None
        for k, mine in wanted.items():
            self.take(k, mine)
        self.numbers = self.numbers[count:]
        return ElementBlock(count, tuple(arrays))

    def make_ready(self, number: int, count: int) -> int:
        """Takes elements of a dataset until so many wait; says how many do."""
        block = self.ready.get(number)
        parts = [] if block is None else [block]
        there = sum([part.count for part in parts])
        while there < count and not self.ended[number] and number not in self.failures:
            try:
                more = self.cursors[number].pull(count - there)
            except Exception as error:  # noqa: BLE001 - it is raised where its element would come
                self.failures[number] = error
                break
            if more is None:
                self.ended[number] = True
            else:
                parts.append(more)
                there += more.count
        if parts:
            self.ready[number] = joined(parts)
        return there

    def take(self, number: int, count: int) -> ElementBlock | None:
        """So many of the elements of a dataset that wait, or fewer at its end."""
        block = self.ready.pop(number, None)
        if block is None or not count:
            if block is not None:
                self.ready[number] = block
            return None
        if block.count > count:
            self.ready[number] = block.part(count, block.count)
        return block.part(0, count)

    def refuse(self, number: int) -> None:
        """Raises the error in the place of the next element; ends where its dataset has."""
        if number in self.failures:
            self.numbers = self.numbers[1:]
            raise self.failures.pop(number)
        if 0 <= number < len(self.cursors):
            self.is_over = True
            return
        self.numbers = self.numbers[1:]
        raise InvalidArgumentError(
            None, None, f"Selector index out of range: {number} >= {len(self.cursors)}"
        )

    def save(self) -> State:
        cursors = [cursor.save() for cursor in (self.selector, *self.cursors)]
        return {
            "cursors": cursors,
            "ended": list(self.ended),
            "numbers": self.numbers,
            "ready": [[number, block.saved()] for number, block in self.ready.items()],
            "failures": [[number, saved_error(e)] for number, e in self.failures.items()],
            "is_over": self.is_over,
        }

    def restore(self, state: State) -> None:
        for cursor, before in zip((self.selector, *self.cursors), state["cursors"]):
            cursor.restore(before)
        self.ended, self.is_over = list(state["ended"]), state["is_over"]
        self.numbers = state["numbers"]
        self.ready = {number: ElementBlock.restored(block) for number, block in state["ready"]}
        self.failures = {number: restored_error(error) for number, error in state["failures"]}

    def close(self) -> None:
        for cursor in (self.selector, *self.cursors):
            cursor.close()


def number_of_valid(numbers: Array, count: int) -> int:
    """How many numbers there are before the first that none of `count` datasets has."""
    if len(numbers) and numbers.max() < count and numbers.min() >= 0:
        return len(numbers)
    wrong = np.flatnonzero((numbers < 0) | (numbers >= count))
    return int(wrong[0]) if len(wrong) else len(numbers)


def places_of(numbers: Array, count: int) -> dict[int, Array]:
    """Where each number stands, of those from 0 up to `count` that are there."""
    if count > 1 << 8:
        present = np.flatnonzero(np.bincount(numbers, minlength=count)).tolist()
        return {number: np.flatnonzero(numbers == number) for number in present}
    narrow = numbers.astype(np.uint8)  # whose comparisons and sums are the quickest
    places = [(narrow == number).nonzero()[0] for number in range(count)]
    return {number: mine for number, mine in enumerate(places) if len(mine)}


def in_turns(blocks: Sequence[ElementBlock], turns: Sequence[Array], stop: int) -> ElementBlock:
    """The elements of blocks in the order of their turns, of which there are `stop` at most."""
    columns = [scattered(parts, turns, stop) for parts in zip(*[b.columns for b in blocks])]
    arrays = [values for values in columns if values is not None]
    if len(arrays) == len(columns) and sum(map(len, turns)) == stop:
        return ElementBlock(stop, tuple(arrays))
    order = np.full(stop, -1)  # what an ended dataset would give stays out
    order[np.concatenate(turns)] = np.arange(sum(map(len, turns)))
    return joined(blocks).at(order[order >= 0])


def scattered(parts: Sequence[Column], turns: Sequence[Array], stop: int) -> Array | None:
    """The values of some columns at their turns; None where they have several shapes."""
    arrays = [values for values in parts if isinstance(values, np.ndarray)]
    if len(arrays) < len(parts) or len({values.shape[1:] for values in arrays}) > 1:
        return None
    whole: Array = np.empty((stop, *arrays[0].shape[1:]), arrays[0].dtype)
    for values, mine in zip(arrays, turns):
        whole[mine] = values
    return whole


def as_array(values: Column) -> Array:
    """A column whose values have one shape, as one array."""
    return values if isinstance(values, np.ndarray) else one_array(values_of(values))
