"""`Dataset.explain`: the cost of each stage of a pipeline, and advice about the slowest."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from html import escape
from time import perf_counter
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.control.python_call import HostOp
from graphwright.data.diagnosis.stage_watch import StageWatcher, line_of, name_of, place_of
from graphwright.data.diagnosis.waiting import waiting_words
from graphwright.data.element_function import BoundFunction, functions_of, spread
from graphwright.data.generators import ElementGenerator
from graphwright.data.reader import Reader
from graphwright.data.stage import AppliedRewrite, DatasetStage, watching
from graphwright.data.stages.buffer_stages import PrefetchStage
from graphwright.data.stages.fused_stages import FusedStage
from graphwright.data.stages.interleave_stages import InterleaveStage
from graphwright.data.stages.map_stages import MapStage, ParallelMapStage
from graphwright.data.stages.source_stages import GeneratedStage
from graphwright.data.stages.stage_rewrites import plan_of
from graphwright.data.tuning.thread_counts import duration
from graphwright.ir.graph import Graph
from graphwright.values.tensor import wrap

#: The share of all time above which a stage gets advice.
_MUCH = 0.3
#: A part of a step's time that it may wait.
_LITTLE = 0.05

_COLUMNS = ("stage", "where", "works", "waits", "an element", "a block", "how")


class StageReport(NamedTuple):
    """What a stage of a pipeline did while it was watched."""

    name: str
    #: `file:line` of the call that makes it.
    line: str
    depth: int
    elements: int
    blocks: int
    #: Seconds of work of its own, without that of the stages before it.
    seconds: float
    #: Seconds in which it waited for threads.
    waited: float
    notes: tuple[str, ...]

    def row(self, total: float) -> tuple[str, ...]:
        """The line of a table, for a report about so many seconds."""
        name = "  " * self.depth + self.name
        if not self.blocks:
            return name, self.line, "", "", "", "", "; ".join(self.notes)
        return (
            name,
            self.line,
            f"{100 * self.seconds / total:.0f} %",
            f"{100 * self.waited / total:.0f} %" if self.waited else "",
            duration((self.seconds + self.waited) / max(1, self.elements)),
            f"{self.elements / self.blocks:.0f} elements",
            "; ".join(self.notes),
        )


class DataReport(NamedTuple):
    """What the stages of a pipeline did for some time, the last stage first."""

    stages: tuple[StageReport, ...]
    elements: int
    seconds: float
    #: The part of the time that a step waited for elements; None where there is no step.
    waiting: float | None
    advice: str
    rewrites: tuple[AppliedRewrite, ...]

    @property
    def head(self) -> str:
        """How many elements there were in what time."""
        return f"{self.elements} elements in {duration(self.seconds)}"

    def rows(self) -> list[tuple[str, ...]]:
        """The lines of the table."""
        return [stage.row(self.seconds or 1.0) for stage in self.stages]

    def __str__(self) -> str:
        from rich.console import Console  # it is loaded where something is printed

        console = Console(file=io.StringIO(), width=120, color_system=None)
        console.print(self, crop=False)
        text: str = console.file.getvalue()  # type: ignore[attr-defined]
        return "\n".join(line.rstrip() for line in text.splitlines())

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for title in _COLUMNS:
            is_text = title in ("stage", "where", "how")
            table.add_column(title, justify="left" if is_text else "right", no_wrap=title != "how")
        for row in self.rows():
            table.add_row(*row)
        rewrites = self.rewrite_lines
        return Group(self.head, "", table, "", *([*rewrites, ""] if rewrites else []), self.advice)

    @property
    def rewrite_lines(self) -> list[str]:
        """The names of the rewrites, and what each did."""
        return [f"{rewrite.name}: {rewrite.words}" for rewrite in self.rewrites]

    def _repr_html_(self) -> str:
        titles = "".join([f"<th>{title}</th>" for title in _COLUMNS])
        rows = "".join(
            [f"<tr>{''.join([cell_html(cell) for cell in row])}</tr>" for row in self.rows()]
        )
        table = f"<table><tr>{titles}</tr>{rows}</table>"
        paragraphs = [*self.rewrite_lines, self.advice]
        words = "".join([f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs])
        return f"<h4>{self.head}</h4>{table}{words}"


def cell_html(text: str) -> str:
    """A cell of a table, with the spaces in front of its text."""
    words = text.lstrip(" ")
    return f"<td>{'&emsp;' * ((len(text) - len(words)) // 2)}{escape(words)}</td>"


class Watch(NamedTuple):
    """What happened while a pipeline was watched."""

    watcher: StageWatcher
    elements: int
    seconds: float
    #: Seconds that a step waited, of so many; both are 0 where there is no step.
    waited: float
    of: float


def explain(
    stage: DatasetStage,
    seconds: float,
    step: Callable[..., object] | None,
    pack: Callable[..., Any],
) -> DataReport:
    """What a pipeline did while elements were taken for so many seconds, or until its end.

    Args:
        stage: The last stage.
        seconds: How long.
        step: What a program does with an element; None takes elements as fast as they come.
        pack: What makes an element of its tensors.
    """
    watch = go_through(stage, seconds) if step is None else go_with(stage, seconds, step, pack)
    plan = plan_of(stage)
    stages = list(reports(plan.stage, watch.watcher, 0))
    waiting = None if step is None else watch.waited / watch.of if watch.of else 0.0
    return DataReport(
        tuple([report for _, report in stages]),
        watch.elements,
        watch.seconds,
        waiting,
        advice(stages, watch, waiting),
        plan.rewrites,
    )


def go_through(stage: DatasetStage, seconds: float) -> Watch:
    """Takes elements, as many at a time as are there."""
    watcher, count = StageWatcher(), 0
    began = perf_counter()
    with watching(watcher):
        reader = Reader(stage)
        while perf_counter() - began < seconds:
            block = reader.rest()
            if block is None:
                break
            count += block.count
        taken = perf_counter() - began
        reader.close()
    return Watch(watcher, count, taken, 0.0, 0.0)


def go_with(
    stage: DatasetStage, seconds: float, step: Callable[..., object], pack: Callable[..., Any]
) -> Watch:
    """Calls a step with each element. Its waiting counts from its second call on: the first may
    trace and compile."""
    watcher, count = StageWatcher(), 0
    waited = 0.0
    began = first_end = perf_counter()
    with watching(watcher):
        reader = Reader(stage)
    while perf_counter() - began < seconds:
        before = perf_counter()
        row = reader.row()
        if row is None:
            break
        if count:
            waited += perf_counter() - before
        step(*spread([pack([wrap(array) for array in row])]))
        count += 1
        if count == 1:
            first_end = perf_counter()
    ended = perf_counter()
    reader.close()
    return Watch(watcher, count, ended - began, waited, ended - first_end if count > 1 else 0.0)


def reports(
    stage: DatasetStage, watcher: StageWatcher, depth: int
) -> Iterator[tuple[DatasetStage, StageReport]]:
    """The reports on a stage, on those that its functions make, and on those before it."""
    measure = watcher.measure_of(stage)
    waits = stage.waits_for_threads
    yield stage, StageReport(
        name_of(stage), line_of(stage.origin),
        depth, measure.elements, measure.blocks,
        0.0 if waits else measure.seconds, measure.seconds if waits else 0.0,
        tuple(notes_of_stage(stage)),
    )  # fmt: skip
    for before in (*watcher.inside(stage), *stage.inputs):
        yield from reports(before, watcher, depth + 1)


def notes_of_stage(stage: DatasetStage) -> list[str]:
    """How a stage runs."""
    notes = [note for function in functions_of(stage) for note in notes_of(function)]
    if isinstance(stage, FusedStage):
        refusal = stage.function.refusal
        notes.append(f"each function alone: {refusal}" if refusal else "many elements at once")
    if isinstance(stage, (FusedStage, ParallelMapStage)) and stage.division.words:
        notes.append(stage.division.words)
    if isinstance(stage, ParallelMapStage) and stage.calls_at_once.words:
        notes.append(stage.calls_at_once.words)
    if isinstance(stage, PrefetchStage) and stage.size.number:
        notes.append(stage.size.words)
    if isinstance(stage, InterleaveStage) and stage.buffer is not None:
        notes.append(f"in each open dataset, {stage.buffer.words}")
    if isinstance(stage, GeneratedStage) and isinstance(stage.generator, ElementGenerator):
        notes.append(f"runs {name_in_python(stage.generator.function)}, a Python generator")
    return notes


def notes_of(function: BoundFunction) -> list[str]:
    """How a function runs."""
    calls = python_calls(function.function.graph)
    if calls:
        return [f"one element at a time: it calls {' and '.join(calls)} in Python"]
    if function.is_seen:
        return ["one element at a time: it reads or changes state"]
    if function.is_vectorized:
        return ["many elements at once"]
    return [f"one element at a time: {function.refusal}"] if function.refusal else []


def python_calls(graph: Graph) -> list[str]:
    """The names of the Python functions that a graph calls when it runs."""
    mine = [name_in_python(node.op.function) for node in graph.nodes if isinstance(node.op, HostOp)]
    return mine + [name for inner in graph.subgraphs() for name in python_calls(inner)]


def name_in_python(function: Callable[..., object]) -> str:
    """The name of a Python function in code quotes."""
    return f"`{getattr(function, '__name__', type(function).__name__)}`"


def advice(
    stages: list[tuple[DatasetStage, StageReport]], watch: Watch, waiting: float | None
) -> str:
    """Which stage is the slowest, and what would help most."""
    # A stage that waits for threads does so because of the stages before it.
    working = [pair for pair in stages if not pair[0].waits_for_threads] or stages
    total = sum([report.seconds for _, report in working])
    stage, slowest = max(working, key=lambda pair: pair[1].seconds)
    if waiting is not None:
        if waiting < _LITTLE:
            return f"The step hardly waits for elements: {100 * waiting:.0f} % of the time."
        words = waiting_words("The step", watch.waited, watch.of, stage)
    elif not total or slowest.seconds < _MUCH * total:
        return "No stage takes much more than the others."
    else:
        words = f"{slowest.name}{place_of(stage)} takes most of the time."
    help_ = remedy(stage, any(isinstance(each, PrefetchStage) for each, _ in stages))
    return f"{words} {help_}" if help_ else words


def remedy(stage: DatasetStage, is_prefetched: bool) -> str:
    """What would make a stage faster, or hide its time."""
    if isinstance(stage, GeneratedStage):
        return (
            "A Python generator holds the interpreter's lock, so threads do not help. Let it give "
            "arrays of many elements, and `unbatch` them."
        )
    calls = [c for f in functions_of(stage) for c in python_calls(f.function.graph)]
    if calls:
        return (
            f"{' and '.join(calls)} holds the interpreter's lock: `num_parallel_calls` helps only "
            "where it waits or NumPy computes. Ops in its place run without the lock. So does a "
            "pool of processes that it hands its work to, while it waits: "
            "`return pool.submit(work, x).result()`."
        )
    if type(stage) is MapStage and not stage.function.draws_for_many:
        return "`num_parallel_calls=tf.data.AUTOTUNE` calls its function in threads."
    if not is_prefetched:
        return "`.prefetch(2)` at the end computes elements while others are used."
    if isinstance(stage, ParallelMapStage):
        return "`.cache()` behind it helps where its results are the same in each epoch."
    return ""
