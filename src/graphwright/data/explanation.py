"""`Dataset.explain`: what each stage of a pipeline does and costs, and which is the slowest."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import ElementBlock
from graphwright.data.calling_threads import duration
from graphwright.data.element_function import BoundFunction
from graphwright.data.reader import Reader
from graphwright.data.stage import AppliedRewrite, Cursor, DatasetStage, State, watching
from graphwright.data.stages.buffer_stages import PrefetchStage
from graphwright.data.stages.fused_stages import FusedStage
from graphwright.data.stages.map_stages import ParallelMapStage
from graphwright.data.stages.source_stages import GeneratedStage

#: A part of all the time from which on a stage is worth advice.
_MUCH = 0.3


class StageReport(NamedTuple):
    """What a stage of a pipeline did while it was watched."""

    name: str
    depth: int
    elements: int
    blocks: int
    #: Seconds of its own, without those of the stages before it.
    seconds: float
    notes: tuple[str, ...]


class DataReport(NamedTuple):
    """What the stages of a pipeline did for some time, the last stage first."""

    stages: tuple[StageReport, ...]
    elements: int
    seconds: float
    advice: str
    rewrites: tuple[AppliedRewrite, ...]

    def __str__(self) -> str:
        from rich.console import Console  # it is loaded where something is printed

        console = Console(file=io.StringIO(), width=100, color_system=None)
        console.print(self, crop=False)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        table = Table("stage", box=None, pad_edge=False)
        for title in ("time", "an element", "a block"):
            table.add_column(title, justify="right")
        table.add_column("how")
        total = sum([stage.seconds for stage in self.stages]) or 1.0
        for stage in self.stages:
            table.add_row(
                "  " * stage.depth + stage.name,
                f"{100 * stage.seconds / total:.0f} %",
                duration(stage.seconds / max(1, stage.elements)),
                f"{stage.elements / max(1, stage.blocks):.0f} elements",
                "; ".join(stage.notes),
            )
        head = f"{self.elements} elements in {duration(self.seconds)}"
        rewrites = [f"{rewrite.name}: {rewrite.words}" for rewrite in self.rewrites]
        return Group(head, "", table, "", *([*rewrites, ""] if rewrites else []), self.advice)


class Measure:
    """What a stage's cursors did."""

    def __init__(self) -> None:
        self.elements = self.blocks = 0
        self.seconds = 0.0


class StageWatcher(threading.local):
    """The times of stages; a stage's own time does not count that of stages before it."""

    #: Seconds of stages before the one that is running, in this thread.
    inner = 0.0

    def __init__(self, measures: dict[int, Measure]) -> None:
        self.measures = measures

    def watched(self, stage: DatasetStage, cursor: Cursor) -> Cursor:
        """A cursor that is measured."""
        return WatchedCursor(cursor, self.measures.setdefault(id(stage), Measure()), self)


class WatchedCursor(Cursor):
    """A cursor whose time is measured."""

    def __init__(self, cursor: Cursor, measure: Measure, watcher: StageWatcher) -> None:
        self.cursor = cursor
        self.measure = measure
        self.watcher = watcher

    def pull(self, limit: int) -> ElementBlock | None:
        outer, self.watcher.inner = self.watcher.inner, 0.0
        began = perf_counter()
        try:
            with watching(self.watcher):
                block = self.cursor.pull(limit)
        finally:
            taken = perf_counter() - began
            self.measure.seconds += taken - self.watcher.inner
            self.watcher.inner = outer + taken
        if block is not None:
            self.measure.blocks += 1
            self.measure.elements += block.count
        return block

    def save(self) -> State:
        return self.cursor.save()

    def restore(self, state: State) -> None:
        self.cursor.restore(state)

    def close(self) -> None:
        self.cursor.close()


def explain(stage: DatasetStage, seconds: float) -> DataReport:
    """What a pipeline did while elements were taken for so many seconds, or until its end."""
    measures: dict[int, Measure] = {}
    began = perf_counter()
    with watching(StageWatcher(measures)):
        reader = Reader(stage)
        count = 0
        while perf_counter() - began < seconds:
            block = reader.rest()
            if block is None:
                break
            count += block.count
        taken = perf_counter() - began
        reader.close()
    plan = reader.plan
    stages = list(reports(plan.stage, measures, 0))
    shown = tuple([report for _, report in stages])
    return DataReport(shown, count, taken, advice(stages), plan.rewrites)


def reports(
    stage: DatasetStage, measures: dict[int, Measure], depth: int
) -> Iterator[tuple[DatasetStage, StageReport]]:
    """The reports on a stage and on those before it."""
    measure = measures.get(id(stage), Measure())
    functions = functions_of(stage)
    notes = [note for function in functions for note in notes_of(function)]
    if isinstance(stage, FusedStage):
        refusal = stage.function.refusal
        notes = [f"each function alone: {refusal}" if refusal else "many elements at once"]
    if isinstance(stage, (FusedStage, ParallelMapStage)) and stage.division.words:
        notes.append(stage.division.words)
    yield stage, StageReport(
        " ".join([stage.type_name, *[function.name for function in functions]]),
        depth, measure.elements, measure.blocks, measure.seconds, tuple(notes),
    )  # fmt: skip
    for before in stage.inputs:
        yield from reports(before, measures, depth + 1)


def notes_of(function: BoundFunction) -> list[str]:
    """How a function runs."""
    if function.has_effects:
        return ["one element at a time: it calls Python, or reads or changes state"]
    if function.is_vectorized:
        return ["many elements at once"]
    return [f"one element at a time: {function.refusal}"] if function.refusal else []


def functions_of(stage: DatasetStage) -> list[BoundFunction]:
    """The functions that a stage calls."""
    return [value for value in vars(stage).values() if isinstance(value, BoundFunction)]


def advice(stages: list[tuple[DatasetStage, StageReport]]) -> str:
    """What would help most."""
    # What prefetching takes is waiting for the stages before it.
    working = [pair for pair in stages if not isinstance(pair[0], PrefetchStage)]
    total = sum([report.seconds for _, report in working])
    stage, slowest = max(working, key=lambda pair: pair[1].seconds)
    if not total or slowest.seconds < _MUCH * total:
        return "No stage takes much more than the others."
    words = f"{slowest.name} takes most of the time."
    if isinstance(stage, GeneratedStage):
        return f"{words} It is a Python generator, which holds the interpreter."
    has_effects = any(function.has_effects for function in functions_of(stage))
    if has_effects and not isinstance(stage, ParallelMapStage):
        return f"{words} `num_parallel_calls=tf.data.AUTOTUNE` calls its function in threads."
    if len(working) == len(stages):
        return f"{words} `.prefetch(2)` at the end computes elements while others are used."
    return words
