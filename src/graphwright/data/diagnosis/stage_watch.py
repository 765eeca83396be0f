"""What each stage of a pipeline does, as its cursors show."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from graphwright.base.forks import own_lock
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_function import functions_of
from graphwright.data.stage import Cursor, DatasetStage, StageOrigin, State, watching


class Measure:
    """What the cursors of a stage did.

    Functions make stages anew for each element. Those of one origin share a measure.
    """

    def __init__(self, stage: DatasetStage) -> None:
        self.stage = stage
        self.elements = self.blocks = 0
        #: Seconds of its own, without those of the stages before it and inside it.
        self.seconds = 0.0
        #: The measures of stages that its functions make.
        self.inner: dict[int, Measure] = {}
        self.lock = own_lock(self)

    def add(self, block: ElementBlock | None, seconds: float) -> None:
        """Counts a block, if there is one, and the time that it took."""
        with self.lock:
            self.seconds += seconds
            if block is not None:
                self.blocks += 1
                self.elements += block.count


class _Running(threading.local):
    """What a thread runs just now."""

    #: Seconds of the cursors that the one that is running has asked.
    inner = 0.0
    measure: Measure | None = None


class StageWatcher:
    """The measures of the stages of a pipeline."""

    def __init__(self) -> None:
        self.measures: dict[int, Measure] = {}
        self.running = _Running()
        self.lock = own_lock(self)

    def watched(self, stage: DatasetStage, cursor: Cursor) -> Cursor:
        """A cursor that is measured."""
        with self.lock:
            measure = self.measures.setdefault(key_of(stage), Measure(stage))
        outer = self.running.measure
        if outer is not None and outer is not measure:
            outer.inner[key_of(stage)] = measure
        return WatchedCursor(cursor, measure, self)

    def measure_of(self, stage: DatasetStage) -> Measure:
        """What the cursors of a stage did so far."""
        return self.measures.get(key_of(stage)) or Measure(stage)

    def inside(self, stage: DatasetStage) -> list[DatasetStage]:
        """The last stages of the pipelines that the functions of a stage made."""
        inner = [measure.stage for measure in self.measure_of(stage).inner.values()]
        earlier = {key_of(before) for made in [stage, *inner] for before in made.inputs}
        return [made for made in inner if key_of(made) not in earlier]

    def note(self, measure: Measure, began: float, seconds: float) -> None:
        """Hears of each block, with the seconds of the stages before as well."""


class WatchedCursor(Cursor):
    """A cursor whose time is measured."""

    def __init__(self, cursor: Cursor, measure: Measure, watcher: StageWatcher) -> None:
        self.cursor = cursor
        self.measure = measure
        self.watcher = watcher

    def pull(self, limit: int) -> ElementBlock | None:
        return self.measured(self.cursor.pull, limit)

    def pull_all(self, limit: int) -> ElementBlock | None:
        return self.measured(self.cursor.pull_all, limit)

    def pull_rows(self, limit: int) -> ElementBlock | None:
        return self.measured(self.cursor.pull_rows, limit)

    def measured(
        self, pull: Callable[[int], ElementBlock | None], limit: int
    ) -> ElementBlock | None:
        """What a method of the cursor gives."""
        running = self.watcher.running
        outer_inner, outer_measure = running.inner, running.measure
        running.inner, running.measure = 0.0, self.measure
        block = None
        began = perf_counter()
        try:
            with watching(self.watcher):
                block = pull(limit)
            return block
        finally:
            taken = perf_counter() - began
            self.measure.add(block, taken - running.inner)
            self.watcher.note(self.measure, began, taken)
            running.inner, running.measure = outer_inner + taken, outer_measure

    def save(self) -> State:
        return self.cursor.save()

    def restore(self, state: State) -> None:
        with watching(self.watcher):
            self.cursor.restore(state)

    def close(self) -> None:
        self.cursor.close()


def key_of(stage: DatasetStage) -> int:
    """What stages share that a program makes at one place."""
    origin: Any = stage.origin
    return id(type(stage) if origin is None else origin)


def name_of(stage: DatasetStage) -> str:
    """The kind of a stage, and the names of its functions."""
    functions = functions_of(stage)
    names = [function.function.graph.name.removeprefix("Dataset_") for function in functions]
    return " ".join([stage.type_name, *names])


def line_of(origin: StageOrigin | None) -> str:
    """`file:line` of the call that made a stage, the file without its folder."""
    if origin is None or origin.location is None:
        return ""
    filename, line, _ = origin.location
    return f"{filename.replace(chr(92), '/').rpartition('/')[2]}:{line}"


def place_of(stage: DatasetStage) -> str:
    """` (file:line)` where a program makes a stage; nothing where that is not known."""
    line = line_of(stage.origin)
    return f" ({line})" if line else ""
