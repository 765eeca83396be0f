"""Windows of elements with equal keys, and what a function makes of each."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.logs import LOGGER
from graphwright.data.blocks import ElementBlock, column, joined, values_of
from graphwright.data.columns.stable_order import stable_order
from graphwright.data.element_function import BoundFunction
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, Postponed, State, cursor_of
from graphwright.data.stages.batch_stages import BatchCursor
from graphwright.data.stages.map_stages import FunctionCursor
from graphwright.data.stages.window_functions import KeyWindows
from graphwright.data.tuning.block_limit import BlockLimit
from graphwright.types.arrays import Array


class GroupByWindowStage(DatasetStage):
    """The results of a function of windows of elements with equal keys."""

    type_name = "GroupByWindowDataset"

    def __init__(
        self, element: ElementType, source: DatasetStage,
        key: BoundFunction, reduction: BoundFunction, size: BoundFunction,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.key = key
        self.windows = KeyWindows(reduction, size, source.element)
        self.has_effects = any(function.has_effects for function in (key, reduction, size))

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return GroupByWindowCursor(self)


class KeyGroup:
    """The elements of a key that wait for others.

    Args:
        size: How many make a window.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        #: The elements of former blocks, and how many there are.
        self.parts: list[ElementBlock] = []
        self.count = 0

    def add(self, block: ElementBlock) -> None:
        """Has elements wait."""
        if block.count:
            self.parts.append(block)
            self.count += block.count

    def take(self) -> ElementBlock:
        """All elements, in one array for each part where they have one shape; none is left."""
        block = joined(self.parts)
        self.parts, self.count = [], 0
        columns = [column(c) if isinstance(c, list) else c for c in block.columns]
        return ElementBlock(block.count, tuple(columns))


class DividedBlock:
    """Elements, and the windows that they fill.

    Args:
        block: The elements.
        keys: Their keys.
        place: Behind the last element of which it is known that it fills no window.
    """

    def __init__(self, block: ElementBlock, keys: Array, place: int = 0) -> None:
        self.block = block
        #: Behind the last element of the last window that was given.
        self.place = place
        #: The keys, the places of their elements, those of a key together, and where each begins.
        self.keys: list[int] = []
        self.order = self.bounds = _NONE
        #: Of each window the number of its key, and what it has of `order`.
        self.numbers = self.starts = self.stops = _NONE
        #: How many windows were given.
        self.given = 0
        if not len(keys):
            return
        least = int(keys.min())
        self.order = stable_order(keys - least, int(keys.max()) - least + 1)
        ordered = keys[self.order]
        changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        self.bounds = np.concatenate(([0], changes, [len(keys)]))
        self.keys = ordered[self.bounds[:-1]].tolist()

    def fill(self, groups: dict[int, KeyGroup]) -> None:
        """Finds the windows that the elements fill together with those that wait."""
        mine = [groups[key] for key in self.keys]
        sizes = np.array([group.size for group in mine], np.int64)
        begins, ends = self.bounds[:-1], self.bounds[1:]
        firsts = begins + sizes - np.array([group.count for group in mine], np.int64)
        counts = np.maximum(0, (ends - firsts) // sizes + 1)
        numbers = np.repeat(np.arange(len(mine)), counts)
        turns = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        stops = firsts[numbers] + turns * sizes[numbers]
        in_turn = np.argsort(self.order[stops - 1])
        self.numbers, self.stops = numbers[in_turn], stops[in_turn]
        self.starts = np.maximum(begins[self.numbers], self.stops - sizes[self.numbers])

    @property
    def windows(self) -> int:
        """How many windows were not given yet."""
        return len(self.numbers) - self.given

    def following(self, limit: int) -> list[int]:
        """The keys of the next windows."""
        numbers = self.numbers[self.given : self.given + limit].tolist()
        return [self.keys[number] for number in numbers]

    def take(self) -> tuple[int, ElementBlock]:
        """The key of the next window, and the elements that the block has of it."""
        number, start, stop = (
            int(values[self.given]) for values in (self.numbers, self.starts, self.stops)
        )
        self.give(1)
        return self.keys[number], self.block.at(self.order[start:stop])

    def whole(self, count: int, size: int) -> ElementBlock:
        """The elements of the next windows, which have as many each and none that wait."""
        starts = self.starts[self.given : self.given + count]
        return self.block.at(self.order[starts[:, None] + np.arange(size)].ravel())

    def give(self, count: int) -> None:
        """Notes that windows were given."""
        self.given += count
        self.place = int(self.order[self.stops[self.given - 1] - 1]) + 1

    def leave(self, groups: dict[int, KeyGroup], stop: int) -> ElementBlock:
        """Has the elements before a place wait that are in no window, and returns the others."""
        begins = self.bounds[:-1].copy()
        np.maximum.at(begins, self.numbers[: self.given], self.stops[: self.given])
        for key, start, end in zip(self.keys, begins.tolist(), self.bounds[1:].tolist()):
            mine = self.order[start:end]
            mine = mine[: mine.searchsorted(stop)]
            if len(mine):
                groups[key].add(self.block.at(mine))
        return self.block.part(stop, self.block.count)


#: No numbers.
_NONE: Array = np.zeros(0, np.int64)

_EMPTY = DividedBlock(ElementBlock(0, ()), _NONE)


class GroupByWindowCursor(FunctionCursor):
    """The windows that are not full, and a position in the dataset of the last full one.

    Nobody sees when elements are taken unless the stage is observable. So they come in blocks, of
    which a part waits while the elements of a window are given.
    """

    def __init__(self, stage: GroupByWindowStage) -> None:
        super().__init__(stage.inputs[0], stage.key)
        self.windows = stage.windows
        self.groups: dict[int, KeyGroup] = {}
        self.limit = BlockLimit()
        self.is_one_by_one = stage.is_observable or not stage.windows.is_repeatable
        #: The elements whose keys are known.
        self.divided = _EMPTY
        self.window: tuple[int, ElementBlock] | None = None
        self.inner: Cursor | None = None
        self.is_over = False
        self.postponed = Postponed()

    def pull(self, limit: int) -> ElementBlock | None:
        self.postponed.raise_it()
        blocks: list[ElementBlock] = []
        room = limit
        while room:
            try:
                block = self.next_block(room, bool(blocks))
            except Exception as error:
                if not blocks:
                    raise
                self.postponed.error = error
                break
            if block is None:
                break
            blocks.append(block)
            room -= block.count
        return joined(blocks) if blocks else None

    def next_block(self, limit: int, is_more: bool) -> ElementBlock | None:
        """The elements of the next window, or of several; None at the end.

        If there are some already, and no other window is full, None too: no elements are taken.
        """
        while True:
            if self.inner is not None:
                block = self.inner.pull(limit)
                if block is not None:
                    return block
                self.inner.close()
                self.inner = self.window = None
            block = self.alike(limit)
            if block is not None:
                return block
            if is_more and not self.divided.windows and not self.is_over:
                return None
            following = self.next_window()
            if following is None:
                return None
            key, window = following
            batch = self.windows.batch(key, window.count)
            if batch is not None:
                return batch.batches(window, window.count)
            self.go_through(key, window)

    def next_window(self) -> tuple[int, ElementBlock] | None:
        """The key and the elements of the next window; None if there is none."""
        while not self.is_over and not self.divided.windows:
            self.next_keys()
        if self.divided.windows:
            key, elements = self.divided.take()
            self.groups[key].add(elements)
            return key, self.groups[key].take()
        if not self.groups:
            return None
        key = min(self.groups)
        return key, self.groups.pop(key).take()

    def alike(self, limit: int) -> ElementBlock | None:
        """The batches that the next windows become, if they are alike; None if they are not.

        Where one of them has an error, they are made one by one.
        """
        divided = self.divided
        if divided.windows < 2 or limit < 2 or not divided.block.is_together:
            return None
        keys = divided.following(limit)
        size = self.groups[keys[0]].size
        try:
            batch = self.windows.batch(keys[0], size)
            count = self.number_alike(keys, size, batch)
            if batch is None or count < 2:
                return None
            batches = batch.batches(divided.whole(count, size), size)
        except Exception:  # noqa: BLE001 - one by one shows which window it is
            LOGGER.debug("one of %d windows makes no batch", len(keys))
            return None
        divided.give(count)
        return batches

    def number_alike(self, keys: list[int], size: int, batch: BatchCursor | None) -> int:
        """How many windows become a batch of one size as the first one does; by their keys."""
        for key in dict.fromkeys(keys):
            group = self.groups[key]
            if group.count or group.size != size or self.windows.batch(key, size) is not batch:
                return keys.index(key)
        return len(keys)

    def next_keys(self) -> None:
        """Takes a block of elements, computes their keys, and divides it into windows."""
        self.leave_block()
        began = perf_counter()
        block = self.take(1 if self.is_one_by_one else self.limit.number)
        if block is None:
            self.is_over = True
            return
        results = self.results(block)
        self.limit.note(block, perf_counter() - began)
        keys = as_numbers(results)
        block, first = block.part(0, results.count), 0
        counts = [group.count for group in self.groups.values()]
        if 0 < sum(counts) <= block.count:  # they stand before the block, as if they came with it
            first = sum(counts)
            before = [part for group in self.groups.values() for part in group.parts]
            keys = np.concatenate([np.repeat(list(self.groups), counts), keys])
            block = joined([*before, block])
            for group in self.groups.values():
                group.parts, group.count = [], 0
        self.divided = DividedBlock(block, keys, first)
        count = self.make_groups(self.divided)
        if count < block.count:
            self.leave(block, count)
            self.divided = DividedBlock(block.part(0, count), keys[:count], first)
        self.divided.fill(self.groups)

    def make_groups(self, divided: DividedBlock) -> int:
        """Makes the groups of a block's keys; how many elements have some.

        Elements before one that has none come first. If that is the first, its error is raised.
        """
        firsts = divided.order[divided.bounds[:-1]].tolist()
        for place, key in sorted(zip(firsts, divided.keys)):
            if key not in self.groups:
                try:
                    self.groups[key] = KeyGroup(self.checked_size(key))
                except Exception:
                    if place > divided.place:
                        return place
                    self.leave_block(place, 1)
                    raise
        return divided.block.count

    def checked_size(self, key: int) -> int:
        """The size of the windows of a key; InvalidArgumentError if they have none."""
        size = self.windows.size(key)
        if size <= 0:
            raise InvalidArgumentError(
                None, None, f"Window size must be greater than zero, but got {size}."
            )
        return size

    def leave_block(self, stop: int | None = None, lost: int = 0) -> None:
        """Forgets the present block, whose elements up to a place wait in groups.

        So many of the others are lost, and the rest comes again.
        """
        divided, self.divided = self.divided, _EMPTY
        rest = divided.leave(self.groups, divided.block.count if stop is None else stop)
        self.leave(rest, lost)
        for key in divided.keys:
            if key in self.groups and not self.groups[key].count:
                del self.groups[key]

    def go_through(self, key: int, window: ElementBlock) -> None:
        """Goes to the dataset that the function returns for a window."""
        made = self.windows.dataset(key, window)
        self.window, self.inner = (key, window), cursor_of(made)

    def save(self) -> State:
        self.leave_block(self.divided.place)
        groups = [[key, g.size, joined(g.parts).saved()] for key, g in self.groups.items()]
        return {
            **super().save(),
            "groups": groups,
            "window": None if self.window is None else [self.window[0], self.window[1].saved()],
            "inner": None if self.inner is None else self.inner.save(),
            "is_over": self.is_over,
            "error": self.postponed.save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self.groups, self.divided = {}, _EMPTY
        for key, size, saved in state["groups"]:
            group = self.groups[key] = KeyGroup(size)
            group.add(ElementBlock.restored(saved))
        self.is_over = state["is_over"]
        self.postponed.restore(state["error"])
        self.window = self.inner = None
        if state["window"] is not None:
            key, saved = state["window"]
            self.go_through(key, ElementBlock.restored(saved))
            self.inner.restore(state["inner"])  # type: ignore[attr-defined]  # it is there now

    def close(self) -> None:
        super().close()
        if self.inner is not None:
            self.inner.close()


def as_numbers(keys: ElementBlock) -> Array:
    """Keys as one array."""
    (values,) = keys.columns
    return values if isinstance(values, np.ndarray) else np.array(values_of(values), np.int64)
