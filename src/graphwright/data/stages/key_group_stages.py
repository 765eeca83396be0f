"""Windows of elements with equal keys, and what a function makes of each."""

from __future__ import annotations

from collections import deque
from itertools import islice
from time import perf_counter

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.logs import LOGGER
from graphwright.base.named_tuples import NamedTuple
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


class BlockWindow(NamedTuple):
    """A window that an element of a block makes full.

    Args:
        end: The place of that element.
        key: The key.
        start: The first of the block's elements with that key that it has, by their number.
        stop: The number behind the last.
    """

    end: int
    key: int
    start: int
    stop: int


class DividedBlock:
    """Elements, and the windows that they fill.

    Args:
        block: The elements.
        keys: Their keys.
        place: Behind the last element of which it is known that it fills no window.
    """

    def __init__(self, block: ElementBlock, keys: Array, place: int = 0) -> None:
        self.block = block
        #: The places of each key's elements, and how many are in windows that were given.
        self.places: dict[int, Array] = {}
        self.given: dict[int, int] = {}
        self.windows: deque[BlockWindow] = deque()
        #: Behind the last element of the last window that was given.
        self.place = place
        if not len(keys):
            return
        least = int(keys.min())
        order = stable_order(keys - least, int(keys.max()) - least + 1)
        ordered = keys[order]
        starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        firsts = [int(ordered[0]), *ordered[starts].tolist()]
        stops = [*starts.tolist(), len(order)]
        for key, start, stop in zip(firsts, [0, *stops], stops):
            self.places[key] = order[start:stop]
            self.given[key] = 0

    def fill(self, groups: dict[int, KeyGroup]) -> None:
        """Finds the windows that the elements fill together with those that wait."""
        windows: list[BlockWindow] = []
        for key, places in self.places.items():
            size = groups[key].size
            first = size - groups[key].count
            stops = range(first, len(places) + 1, size)
            ends = places[first - 1 :: size].tolist()
            starts = [0, *stops]
            windows += map(BlockWindow, ends, [key] * len(ends), starts, stops)
        windows.sort()
        self.windows = deque(windows)

    def take(self, window: BlockWindow) -> ElementBlock:
        """The elements that the block has of a window."""
        self.give(window)
        return self.block.at(self.places[window.key][window.start : window.stop])

    def give(self, window: BlockWindow) -> None:
        """Notes that a window was given."""
        self.given[window.key] = window.stop
        self.place = window.end + 1

    def leave(self, groups: dict[int, KeyGroup], stop: int) -> ElementBlock:
        """Has the elements before a place wait that are in no window, and returns the others."""
        for key, places in self.places.items():
            mine = places[self.given[key] :]
            mine = mine[: mine.searchsorted(stop)]
            if len(mine):
                groups[key].add(self.block.at(mine))
        return self.block.part(stop, self.block.count)


_EMPTY = DividedBlock(ElementBlock(0, ()), np.empty(0, np.int64))


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
            window = self.divided.windows.popleft()
            group = self.groups[window.key]
            group.add(self.divided.take(window))
            return window.key, group.take()
        if not self.groups:
            return None
        key = min(self.groups)
        return key, self.groups.pop(key).take()

    def alike(self, limit: int) -> ElementBlock | None:
        """The batches that the next windows become, if they are alike; None if they are not.

        Where one of them has an error, they are made one by one.
        """
        windows, block = self.divided.windows, self.divided.block
        if len(windows) < 2 or limit < 2 or not block.is_together:
            return None
        size, chosen = 0, []
        last: BatchCursor | None = None
        for window in islice(windows, limit):
            group = self.groups[window.key]
            if group.count or group.size != (size or group.size):
                break
            batch = self.windows.batch(window.key, group.size)
            if batch is None or batch is not (last or batch):
                break
            size, last = group.size, batch
            chosen.append(window)
        if last is None or len(chosen) < 2:
            return None
        places = [self.divided.places[w.key][w.start : w.stop] for w in chosen]
        try:
            batches = last.batches(block.at(np.concatenate(places)), size)
        except Exception:  # noqa: BLE001 - one by one shows which window it is
            LOGGER.debug("one of %d windows makes no batch", len(chosen))
            return None
        for _ in chosen:
            self.divided.give(windows.popleft())
        return batches

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
        firsts = sorted([(int(places[0]), key) for key, places in divided.places.items()])
        for place, key in firsts:
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
        for key in divided.places:
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
