"""Stages that divide elements into groups: windows in their order, and windows by a key."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from graphwright.base import errors
from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock, Row, column, joined, of_row, values_of
from graphwright.data.element_function import BoundFunction
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, State, Through, cursor_of
from graphwright.data.stages.fixed_stage import FixedStage
from graphwright.data.stages.map_stages import FunctionCursor
from graphwright.data.tuning.block_limit import BlockLimit
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
        failures = [[p, type(e).__name__, str(e)] for p, e in self.failures.items()]
        return {
            "before": super().save(),
            "block": block,
            "failures": failures,
            "is_over": self.is_over,
        }

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.block = None if state["block"] is None else ElementBlock.restored(state["block"])
        self.failures = {
            place: getattr(errors, name, errors.UnknownError)(None, None, words)
            for place, name, words in state["failures"]
        }
        self.is_over = state["is_over"]


class GroupByWindowStage(DatasetStage):
    """The results of a function of windows of elements with equal keys."""

    type_name = "GroupByWindowDataset"

    def __init__(
        self, element: ElementType, source: DatasetStage,
        key: BoundFunction, reduction: BoundFunction, size: BoundFunction,
    ) -> None:  # fmt: skip
        super().__init__(element, source)
        self.key, self.reduction, self.window_size = key, reduction, size
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
        self.count = 0
        #: The elements of former blocks, and the places of those in the present one.
        self.parts: list[ElementBlock] = []
        self.places: list[int] = []

    def leave(self, block: ElementBlock) -> None:
        """Takes its elements out of the present block."""
        if self.places:
            self.parts.append(block.at(np.array(self.places)))
            self.places = []

    def whole(self) -> ElementBlock:
        """All elements, in one array for each part where they have one shape."""
        block = joined(self.parts)
        columns = [column(c) if isinstance(c, list) else c for c in block.columns]
        return ElementBlock(block.count, tuple(columns))


class GroupByWindowCursor(FunctionCursor):
    """The windows that are not full, and a position in the dataset of the last full one.

    Nobody sees when elements are taken unless the stage is observable. So they come in blocks, of
    which a part waits while the elements of a window are given.
    """

    def __init__(self, stage: GroupByWindowStage) -> None:
        super().__init__(stage.inputs[0], stage.key)
        self.stage = stage
        self.groups: dict[int, KeyGroup] = {}
        self.limit = BlockLimit()
        self.is_observable = stage.is_observable
        #: The elements whose keys are known, their keys, and how many have been put in groups.
        self.block = ElementBlock(0, ())
        self.keys: list[int] = []
        self.place = 0
        self.window: tuple[int, ElementBlock] | None = None
        self.inner: Cursor | None = None
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        while True:
            if self.inner is not None:
                block = self.inner.pull(limit)
                if block is not None:
                    return block
                self.inner.close()
                self.inner = self.window = None
            if not self.next_window():
                return None

    def next_window(self) -> bool:
        """Goes to the dataset of the next window; False if there is none."""
        while not self.is_over:
            if self.place == len(self.keys):
                self.next_keys()
                continue
            key = self.full()
            if key is not None:
                return self.enter(key, self.groups.pop(key))
        if self.groups:
            key = min(self.groups)
            return self.enter(key, self.groups.pop(key))
        return False

    def next_keys(self) -> None:
        """Takes a block of elements, and computes their keys."""
        self.leave_block()
        began = perf_counter()
        block = self.take(1 if self.is_observable else self.limit.number)
        if block is None:
            self.is_over = True
            return
        keys = self.results(block)
        self.limit.note(block, perf_counter() - began)
        self.block = block.part(0, keys.count)
        self.keys = [int(key) for key in values_of(keys.columns[0])]

    def leave_block(self) -> None:
        """Forgets the present block, whose elements stand in groups."""
        for group in self.groups.values():
            group.leave(self.block)
        self.block, self.keys, self.place = ElementBlock(0, ()), [], 0

    def full(self) -> int | None:
        """Puts elements in groups until one is full, and returns its key; None at their end."""
        keys, groups = self.keys, self.groups
        for place in range(self.place, len(keys)):
            key = keys[place]
            self.place = place + 1
            group = groups.get(key)
            if group is None:
                group = groups[key] = self.new_group(key)
            group.places.append(place)
            group.count += 1
            if group.count == group.size:
                return key
        return None

    def new_group(self, key: int) -> KeyGroup:
        """A group without elements; InvalidArgumentError if its windows have no size."""
        size = int(self.stage.window_size([np.array(key, np.int64)])[0])
        if size <= 0:
            raise InvalidArgumentError(
                None, None, f"Window size must be greater than zero, but got {size}."
            )
        return KeyGroup(size)

    def enter(self, key: int, group: KeyGroup) -> bool:
        """Goes to the dataset of a window."""
        group.leave(self.block)
        return self.go_through(key, group.whole())

    def go_through(self, key: int, window: ElementBlock) -> bool:
        """Goes to the dataset that the function returns for a window."""
        fixed = FixedStage(self.stage.inputs[0].element, window)
        (made,) = self.stage.reduction([np.array(key, np.int64), fixed])
        self.window, self.inner = (key, window), cursor_of(made)
        return True

    def save(self) -> State:
        block = self.block.part(self.place, self.block.count)
        for group in self.groups.values():
            group.leave(self.block)
        self.leave_block()
        self.leave(block, 0)
        groups = [[key, group.size, group.whole().saved()] for key, group in self.groups.items()]
        return {
            **super().save(),
            "groups": groups,
            "window": None if self.window is None else [self.window[0], self.window[1].saved()],
            "inner": None if self.inner is None else self.inner.save(),
            "is_over": self.is_over,
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self.groups = {}
        self.block, self.keys, self.place = ElementBlock(0, ()), [], 0
        for key, size, saved in state["groups"]:
            group = self.groups[key] = KeyGroup(size)
            group.parts = [ElementBlock.restored(saved)]
            group.count = group.parts[0].count
        self.is_over = state["is_over"]
        self.window = self.inner = None
        if state["window"] is not None:
            key, saved = state["window"]
            self.go_through(key, ElementBlock.restored(saved))
            self.inner.restore(state["inner"])  # type: ignore[attr-defined]  # it is there now

    def close(self) -> None:
        super().close()
        if self.inner is not None:
            self.inner.close()


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
        self.seen = set(state["seen"])
