"""Stages that stand for several others, and do their work at once.

Each keeps the cursors of those that it stands for, and goes through them where its own way fails:
at errors, for single elements, and for elements of different shapes. So errors come where they did,
and the state of an iterator does not depend on what was fused.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from graphwright.base.logs import LOGGER
from graphwright.data.blocks import ElementBlock, Layout, joined
from graphwright.data.columns.column_function import ColumnFunction
from graphwright.data.element_function import BoundFunction
from graphwright.data.stage import Cursor, DatasetStage, State, present_budget
from graphwright.data.stages.map_stages import (
    FilterCursor,
    FilterStage,
    FunctionCursor,
    MapCursor,
    MapStage,
    ParallelMapCursor,
    ParallelMapStage,
    chosen,
)
from graphwright.data.threads.calling_threads import CallingThreads
from graphwright.data.tuning.thread_counts import WorkDivision
from graphwright.op.batching import NotVectorized
from graphwright.op.interpreter import activate

#: So many elements, one by one, before functions are rewritten for many at once.
_FEW = 16
#: So many times functions fail together before each is called alone for good.
_FAILURES = 8


class FusedStage(DatasetStage):
    """Functions of each element one after another, and what filters leave of it, at once.

    Args:
        stages: Maps, and behind them filters: those that it stands for, the first one first.
    """

    def __init__(self, stages: Sequence[MapStage | FilterStage]) -> None:
        super().__init__(stages[-1].element, stages[0].inputs[0])
        self.origin, self.recipe = stages[-1].origin, stages[-1].recipe
        self.stages = tuple(stages)
        self.maps = [stage for stage in stages if isinstance(stage, MapStage)]
        self.filters = [stage for stage in stages if isinstance(stage, FilterStage)]
        self.calls = self.maps[0].calls if self.maps else 0
        self.division = WorkDivision(self.calls)
        self.function = FusedFunction(
            [stage.function for stage in self.maps], [stage.function for stage in self.filters]
        )
        self.type_name = " + ".join([stage.title for stage in stages])

    def cardinality(self) -> int:
        return self.stages[-1].cardinality()

    def start(self) -> Cursor:
        return FusedCursor(self)


class FusedFunction:
    """Functions and predicates of elements as one graph, for many elements at once."""

    def __init__(
        self, functions: Sequence[BoundFunction], predicates: Sequence[BoundFunction]
    ) -> None:
        self.functions = functions
        self.predicates = predicates
        #: What runs all, by the layout of columns.
        self.runners: dict[Layout, ColumnFunction] = {}
        #: Why each is called alone.
        self.refusal = ""
        self.seen = self.failures = 0

    def of_block(self, block: ElementBlock) -> ElementBlock | None:
        """The results for a block of elements; None where the functions must be called alone."""
        if self.refusal or block.count < 2 or (layout := block.layout) is None:
            return None
        self.seen += block.count
        if self.seen <= _FEW:
            return None
        try:
            with activate(None):
                results = self.together(layout)(block)
        except NotVectorized as reason:
            self.refusal = f"no rule takes many of it at once ({reason.op})"
            return None
        except Exception:  # noqa: BLE001 - alone, each shows which element it is
            LOGGER.debug("functions fail for one of %d elements", block.count)
            self.failures += 1
            if self.failures == _FAILURES:
                self.refusal = "they fail together"
            return None
        if not self.predicates:
            return ElementBlock(block.count, results)
        values = ElementBlock(block.count, results[:-1]) if self.functions else block
        return chosen(values, results[-1])

    def together(self, layout: Layout) -> ColumnFunction:
        """What runs the graph of all for such columns; NotVectorized where there is none."""
        runner = self.runners.get(layout)
        if runner is None:
            bound = [*self.functions, *self.predicates]
            runner = self.runners[layout] = ColumnFunction(
                [function.function.graph for function in self.functions],
                [predicate.function.graph for predicate in self.predicates],
                [value for function in bound for value in function.one.captured],
                layout,
            )
        return runner


class FusedCursor(Cursor):
    """The cursors of maps and filters, and a way round them."""

    def __init__(self, stage: FusedStage) -> None:
        self.cursors: list[FunctionCursor] = []
        upstream: Cursor | None = None
        for each in stage.stages:
            cursor: FunctionCursor
            if isinstance(each, FilterStage):
                cursor = FilterCursor(each, upstream)
            elif isinstance(each, ParallelMapStage):
                cursor = ParallelMapCursor(each, upstream)
            else:
                cursor = MapCursor(each, upstream)
            self.cursors.append(cursor)
            upstream = cursor
        self.function = stage.function
        self.budget = present_budget()
        threads = self.budget.threads(stage.calls)
        self.workers = CallingThreads(threads) if threads else None
        self.division = stage.division

    def pull(self, limit: int) -> ElementBlock | None:
        first, last = self.cursors[0], self.cursors[-1]
        while not self.function.refusal and all(c.rest is None for c in self.cursors):
            block = first.upstream.pull_rows(limit)
            if block is None:
                if self.workers is not None:
                    self.workers.close()
                return None
            results = self.results(block)
            if results is None:
                first.rest = block
                break
            if results.count:
                return results
        return last.pull(limit)

    def results(self, block: ElementBlock) -> ElementBlock | None:
        """The results for a block, of which several threads have a part where that is worth it."""
        if self.workers is None:
            return self.function.of_block(block)
        parts = self.division.choose(block.count, self.budget)
        began = perf_counter()
        if parts < 2:
            results = self.function.of_block(block)
        else:
            jobs = [self.workers.submit(self.function.of_block, p) for p in block.pieces(parts)]
            pieces = [job.result() for job in jobs]
            whole = [piece for piece in pieces if piece is not None]
            results = joined(whole) if len(whole) == parts else None
        if results is not None:
            self.division.measure(parts, block.count, perf_counter() - began)
        return results

    def save(self) -> State:
        return self.cursors[-1].save()

    def restore(self, state: State) -> None:
        self.cursors[-1].restore(state)

    def close(self) -> None:
        if self.workers is not None:
            self.workers.close()
        self.cursors[-1].close()
