"""Stages that call a function for each element: map and filter."""

from __future__ import annotations

from collections import deque
from itertools import islice
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import Column, ElementBlock, Row, joined, of_row, of_rows
from graphwright.data.element_type import ElementType
from graphwright.data.stage import (
    Cursor,
    DatasetStage,
    FunctionStage,
    Postponed,
    State,
    Through,
    present_budget,
    restored_error,
    saved_error,
)
from graphwright.data.threads.calling_threads import CallingThreads
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.data.tuning.thread_counts import CallsAtOnce, WorkDivision
from graphwright.op.late_imports import late_module
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from graphwright.data.element_function import BoundFunction
    from graphwright.data.threads.element_calls import CallResult
    from graphwright.data.threads.result_memory import ResultMemory


class MapStage(FunctionStage):
    """A function of each element."""

    type_name = "MapDataset"
    function: BoundFunction
    #: How many threads may call it; 0 for none but that of the reader.
    calls = 0

    def __init__(self, element: ElementType, source: DatasetStage, function: BoundFunction) -> None:
        super().__init__(element, source, function)
        #: Whether its only effects are draws from a stream that nobody else has. These are in the
        #: order of the elements, however many other stages take at once.
        self.draws_in_turn = type(self) is MapStage and function.draws_alone
        if self.draws_in_turn:
            self.has_effects = False

    @property
    def title(self) -> str:
        """The kind of the stage, and the name of its function."""
        return f"{self.type_name} {self.function.name}"

    def parallel(self, calls: int) -> ParallelMapStage:
        """The stage that does the same in so many threads."""
        made = ParallelMapStage(self.element, self.inputs[0], np.array(calls), self.function)
        made.type_name, made.origin, made.recipe = self.type_name, self.origin, self.recipe
        return made

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self) -> Cursor:
        return MapCursor(self)

    def streams(self) -> set[object]:
        streams = super().streams()
        return {self.function.function, *streams} if self.draws_in_turn else streams


class FunctionCursor(Through):
    """A cursor that calls a function of elements, and returns the results before an error."""

    def __init__(
        self, source: DatasetStage, function: BoundFunction, upstream: Cursor | None = None
    ) -> None:
        super().__init__(source, upstream)
        self.function = function
        #: The elements after the last results, if one had an error.
        self.rest: ElementBlock | None = None

    def take(self, limit: int) -> ElementBlock | None:
        """The elements that an error has left, then those of the stage before.

        A function with effects gets one at a time: the effects of earlier stages come in between.
        """
        return self.taken(1 if self.function.has_effects else limit)

    def taken(self, limit: int) -> ElementBlock | None:
        """The same, whatever the function does."""
        block, self.rest = self.rest, None
        if block is None:
            return self.upstream.pull_rows(limit)
        if block.count > limit:
            self.rest = block.part(limit, block.count)
            block = block.part(0, limit)
        return block

    def results(self, block: ElementBlock) -> ElementBlock:
        """The function of the elements before one with an error, which the next call raises."""
        try:
            results = self.function.of_block(block)
        except Exception:
            self.leave(block, 1)
            raise
        self.leave(block, results.count)
        return results

    def leave(self, block: ElementBlock, start: int) -> None:
        """Stores the elements from a position on for the next call."""
        left = [block.part(start, block.count)] if start < block.count else []
        left += [] if self.rest is None else [self.rest]
        self.rest = joined(left) if left else None

    def save(self) -> State:
        rest = None if self.rest is None else self.rest.saved()
        return {"before": super().save(), "rest": rest}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        rest = state["rest"]
        self.rest = None if rest is None else ElementBlock.restored(rest)


class MapCursor(FunctionCursor):
    """The function of each element."""

    def __init__(self, stage: MapStage, upstream: Cursor | None = None) -> None:
        super().__init__(stage.inputs[0], stage.function, upstream)
        self.postponed = Postponed()

    def pull(self, limit: int) -> ElementBlock | None:
        self.postponed.raise_it()
        block = self.taken(1 if self.function.is_seen else limit)
        if block is None:
            return None
        return self.computed_once(block) if self.function.has_effects else self.results(block)

    def pull_all(self, limit: int) -> ElementBlock | None:
        # Where the function alone can be seen its elements may come together.
        if not self.function.is_seen or self.source.is_observable:
            return self.pull(limit)
        self.postponed.raise_it()
        block = self.taken(limit)
        return None if block is None else self.computed_once(block)

    def computed_once(self, block: ElementBlock) -> ElementBlock | None:
        """The function of each element, of which none is called twice: it may draw or change.

        The error of an element waits until those before it are returned.
        """
        results = self.function.at_once(block)
        if results is not None:
            return results
        results, error = self.function.each(block)
        self.leave(block, (0 if results is None else results.count) + (error is not None))
        if results is None and error is not None:
            raise error
        self.postponed.error = error
        return results

    def save(self) -> State:
        return {**super().save(), "error": self.postponed.save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.postponed.restore(state.get("error"))


class ParallelMapStage(MapStage):
    """A function of several elements at the same time; results keep their order."""

    type_name = "ParallelMapDataset"
    scalars = ("num_parallel_calls",)

    def __init__(
        self, element: ElementType, source: DatasetStage, calls: Array, function: BoundFunction
    ) -> None:
        super().__init__(element, source, function)
        self.calls = int(calls)
        if self.calls < 1 and self.calls != AUTOTUNE:
            raise InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
        self.division = WorkDivision(self.calls)
        self.calls_at_once = CallsAtOnce(self.calls)

    def in_turn(self) -> MapStage:
        """The stage that does the same for one block after the other."""
        made = MapStage(self.element, self.inputs[0], self.function)
        made.type_name, made.origin, made.recipe = self.type_name, self.origin, self.recipe
        return made

    def start(self) -> Cursor:
        return ParallelCallsCursor(self) if self.is_observable else ParallelMapCursor(self)


class ParallelMapCursor(MapCursor):
    """The function of each element, in several threads.

    Blocks are divided if the function is known to take long.
    """

    def __init__(self, stage: ParallelMapStage, upstream: Cursor | None = None) -> None:
        super().__init__(stage, upstream)
        self.budget = present_budget()
        self.workers = CallingThreads(self.budget.threads(stage.calls))
        self.division = stage.division

    def results(self, block: ElementBlock) -> ElementBlock:
        parts = self.division.choose(block.count, self.budget)
        began = perf_counter()
        results = super().results(block) if parts < 2 else self.divided(block, parts)
        self.division.measure(parts, block.count, perf_counter() - began)
        return results

    def pull(self, limit: int) -> ElementBlock | None:
        results = super().pull(limit)
        if results is None:
            self.workers.close()
        return results

    def divided(self, block: ElementBlock, parts: int) -> ElementBlock:
        """The function of a block, whose parts several threads compute."""
        pieces = block.pieces(parts)
        jobs = [self.workers.submit(self.function.of_block, piece) for piece in pieces]
        finished: list[ElementBlock] = []
        start = 0
        try:
            for piece, job in zip(pieces, jobs):
                results = job.result()
                finished.append(results)
                start += results.count
                if results.count < piece.count:
                    self.leave(block, start)
                    break
        except Exception:
            self.leave(block, start if finished else 1)
            if not finished:
                raise
        return joined(finished)

    def close(self) -> None:
        self.workers.close()
        super().close()


class CallInProgress(NamedTuple):
    """A call that threads make.

    Args:
        row: The element, of which nothing is left where an error stands in its place.
        job: What the call will give.
        memory: Where the result will stand beside those of other calls, for a batch.
        place: Its place there.
    """

    row: Row | None
    job: CallResult
    memory: ResultMemory | None = None
    place: int = 0


class ParallelCallsCursor(FunctionCursor):
    """The calls in progress: one element is taken ahead for each thread."""

    def __init__(self, stage: ParallelMapStage) -> None:
        super().__init__(stage.inputs[0], stage.function)
        self.budget = present_budget()
        self.workers = CallingThreads(self.budget.threads(stage.calls))
        self.number = stage.calls_at_once
        self.jobs: deque[CallInProgress] = deque()
        #: Where the results of the next calls will stand; None where they come one by one.
        self.memory: ResultMemory | None = None
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        return self.pull_all(1)

    def pull_all(self, limit: int) -> ElementBlock | None:
        limit = min(limit, self.number.together)
        if self.workers.are_gone:
            self.jobs = deque(map(self.in_child, self.jobs))
        began, worked = perf_counter(), thread_time()
        ahead = self.number.choose(self.budget)
        self.workers.count = max(self.workers.count, ahead)
        # Threads that start, and calls that are left of the other way, tell nothing of the speed.
        is_steady = bool(ahead) == bool(self.jobs)
        most = ahead * self.number.calls_each + limit - 1 if ahead else 0
        while not self.is_over and len(self.jobs) < most:
            try:
                block = self.take(1)
            except Exception as error:  # noqa: BLE001 - it is raised where its element would come
                self.jobs.append(CallInProgress(None, failure(error)))
                continue
            if block is None:
                self.is_over = True
            else:
                self.jobs.append(self.begun(block.row(0), self.memory_of_next(limit)))
        results = self.finished(limit) if self.jobs else self.result()
        if is_steady:
            seconds, worked = perf_counter() - began, thread_time() - worked
            count = 1 if results is None else results.count
            self.number.measure(seconds, worked, count, self.budget)
        return results

    def finished(self, limit: int) -> ElementBlock:
        """The results of the next calls, those before an error alone.

        Calls are forgotten once all results are there, so that an interrupt loses none.
        """
        rows: list[Row] = []
        for call in islice(self.jobs, limit):
            try:
                rows.append(call.job.result())
            except Exception:
                if rows:
                    break
                self.jobs.popleft()
                raise
        calls = [self.jobs.popleft() for _ in rows]
        first = calls[0]
        return of_rows(rows) if first.memory is None else first.memory.block(first.place, rows)

    def memory_of_next(self, limit: int) -> ResultMemory | None:
        """Where the result of the next call will stand, if so many are taken at once."""
        if limit == 1:
            return None
        memory = self.memory
        if memory is None or memory.promised == memory.count or len(self.jobs) % limit == 0:
            memories: Any = late_module("graphwright.data.threads.result_memory")
            self.memory = memory = memories.ResultMemory(limit)
        return memory

    def result(self) -> ElementBlock | None:
        """The result of a call that is made here."""
        block = None if self.is_over else self.take(1)
        self.is_over = block is None
        return None if block is None else of_row(self.function(block.row(0)))

    def in_child(self, call: CallInProgress) -> CallInProgress:
        """A call in the child of a fork: one that was not over begins again."""
        return call if call.row is None or call.job.is_settled else self.begun(call.row)

    def begun(self, row: Row, memory: ResultMemory | None = None) -> CallInProgress:
        """A call that a thread makes."""
        if memory is None:
            return CallInProgress(row, self.workers.submit(self.function, row))
        place = memory.promise()
        job = self.workers.submit(memory.result, place, self.function, row)
        return CallInProgress(row, job, memory, place)

    def save(self) -> State:
        rows: list[Any] = []
        for call in self.jobs:
            error = call.job.exception() if call.row is None else None
            rows.append({"error": saved_error(error)} if isinstance(error, Exception) else call.row)
        return {"before": super().save(), "rows": rows, "is_over": self.is_over}

    def restore(self, state: State) -> None:
        super().restore(state["before"])
        self.is_over = state["is_over"]
        self.jobs = deque(
            [
                CallInProgress(None, failure(restored_error(row["error"])))
                if isinstance(row, dict)
                else self.begun(row)
                for row in state["rows"]
            ]
        )

    def close(self) -> None:
        self.workers.close()
        super().close()


class FilterStage(FunctionStage):
    """The elements for which a function is true."""

    type_name = "FilterDataset"
    function: BoundFunction

    @property
    def title(self) -> str:
        """The kind of the stage, and the name of its function."""
        return f"{self.type_name} {self.function.name}"

    def start(self) -> Cursor:
        return FilterCursor(self)


class FilterCursor(FunctionCursor):
    """The elements for which the function is true."""

    def __init__(self, stage: FilterStage, upstream: Cursor | None = None) -> None:
        super().__init__(stage.inputs[0], stage.function, upstream)

    def pull(self, limit: int) -> ElementBlock | None:
        while True:
            block = self.take(limit)
            if block is None:
                return None
            wanted = chosen(block, self.results(block).columns[0])
            if wanted.count:
                return wanted


def failure(error: Exception) -> CallResult:
    """What a call gives in whose place an error stands."""
    calls: Any = late_module("graphwright.data.threads.element_calls")
    failed: CallResult = calls.CallResult.of_error(error)
    return failed


def chosen(block: ElementBlock, flags: Column) -> ElementBlock:
    """The elements of a block whose flags are true. There may be fewer flags than elements."""
    wanted = np.flatnonzero(as_flags(flags))
    return block if len(wanted) == block.count else block.at(wanted)


def as_flags(column: Column) -> Any:
    """Scalar bools as one array."""
    return column if isinstance(column, np.ndarray) else np.array(column, bool)
