"""Tiers: a trace runs at once as Python over kernels, and as machine code when that is ready.

`Tiered` belongs to one trace. A trace is worth machine code once it was called often, or once a
call took long; that is made in the background. Calls of traces that differ in sizes alone count
together, if one form can serve all of them. So a function that gets a new length with every call
gets machine code too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import Any, TypeAlias

from graphwright.base.forks import cached_property, held_over_forks
from graphwright.base.named_tuples import NamedTuple
from graphwright.base.waits import Waits
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.checking import checked
from graphwright.compile.run.loop_heads import THIS_THREAD, LoopHead, staying
from graphwright.compile.run.mishaps import contained
from graphwright.compile.run.options import OPTIONS, enabled
from graphwright.compile.run.straight_line import (
    GeneratedSource,
    Observe,
    as_it_is,
    runner,
    written,
)
from graphwright.compile.select.size_families import Lookalikes, SizeFamily, lookalikes_of, types
from graphwright.ir.execution import Function
from graphwright.ir.graph import Graph, Node
from graphwright.machine import background
from graphwright.machine.exclusion import LLVM
from graphwright.machine.preparation import Waiting

Run: TypeAlias = Callable[..., tuple[Any, ...]]

#: A call of the slow tier that takes longer than this, in seconds, is worth compiling for.
_LONG = 0.005
#: So are this many calls.
_MANY = 3
#: After calls of the slow tier that took longer together, in seconds, the next one waits for code.
_WORTH_WAITING = 0.1
#: How many times as long as was lost it waits at most.
_WAITS = 3
#: A node without a loop that takes longer in the slow tier, in seconds, has a kernel that is long
#: itself: machine code gains less.
_LONG_NODE = 2e-5
#: A call that is so many times quicker than the one before has the code of a loop.
_QUICKER = 8

#: Guards the stages of traces.
_LOCK = held_over_forks(threading.RLock())


class NativeTier:
    """A lowered graph: text, until its function is needed."""

    def __init__(self, source: GeneratedSource, is_quick: bool) -> None:
        self.source = source
        self.is_quick = is_quick

    @cached_property
    def function(self) -> Function:
        """The function that runs it."""
        with contained(self.source.graph.name):
            return self.source.link(self.is_quick)

    @property
    def is_native(self) -> bool:
        """Whether any of it is machine code."""
        return bool(self.source.segments)

    @property
    def is_whole(self) -> bool:
        """Whether all loops in it are machine code."""
        return not self.source.has_loops

    def code(self) -> Any:
        """A value that differs for code of another kind: all of it but numbers that are sizes."""
        with contained(self.source.graph.name):
            return self.source.text, [op.segment.skeleton for op in self.source.segments]


def native(
    graph: Graph,
    observe: Observe = as_it_is,
    is_reported: bool = False,
    around: Sequence[str] | None = None,
    is_quick: bool = False,
) -> NativeTier:
    """The graph with its native parts lowered, which `observe` may wrap.

    With `is_reported` a line of the log names the nodes outside machine code. `around` is
    that of `GeneratedSource`. With `is_quick` the code may be a draft (`machine/drafts.py`).
    """
    # Imported late, so that `import graphwright` does not wait for it. A fork waits: a module that
    # another thread is importing can never be imported in the child.
    with LLVM:
        import graphwright.compile.run.executable  # noqa: F401 - for the next user
        from graphwright.compile.graph.simplify import simplify
        from graphwright.compile.select.segments import partition

    whole = simplify(graph)

    def partitioned(part: Graph) -> Graph:
        reasons: dict[Node, NotNative] = {}
        parts = partition(part, reasons)
        if is_reported and part is whole:
            with LLVM:
                from graphwright.compile.run.inspection import report_outside
            report_outside(parts, reasons)
        return parts

    with contained(graph.name):
        return NativeTier(written(whole, partitioned, observe, graph.draws, around), is_quick)


def native_runner(
    graph: Graph,
    observe: Observe = as_it_is,
    is_reported: bool = False,
    is_quick: bool = False,
) -> Run:
    """The function that a native call of the graph runs."""
    with Waits.around("compiling", graph.name):
        return runner(graph, native(graph, observe, is_reported, is_quick=is_quick).function)


class Compilation(NamedTuple):
    """One tier's code for a trace: when its generation began (`perf_counter`), seconds taken."""

    tier: str
    began: float
    seconds: float


Install: TypeAlias = Callable[[Run, "Compilation | None"], None]


class TierStage(IntEnum):
    """The stages of a trace."""

    NEW = 0
    PYTHON = 1
    KIN = 2  #: machine code that serves it, perhaps not as well as its own would
    EXACT = 3  #: machine code that was made for it, or is as good


class Tiered:
    """The present tier of a trace: `install` gets each new function to run.

    `mode` is the function's `jit_compile`: True compiles before the first call, False never. With
    `patience` the slow tier's calls but the first must have taken so many seconds together, before
    code is made: what is called for each element is called often, and may be done soon.
    """

    def __init__(
        self, graph: Graph, mode: bool | None, install: Install, patience: float = 0.0
    ) -> None:
        self.graph = graph
        self.patience = patience
        self.spent = 0.0  # seconds of calls of the slow tier but the first
        self.mode = mode
        self.install = install
        self.refusal = ""  # why there is no machine code
        self.stage = TierStage.NEW
        self.run: Run
        self.calls = 0
        self.has_departed = False  # whether a loop went on as machine code in the midst of a call
        #: Seconds of its calls in the slow tier, and of waits for code. The first call counts half.
        self.slow = 0.0
        self.last = 0.0  # those of the last call
        self.request: Any = None  # the last one for code: a child of a fork makes its own
        self.lookalikes: Lookalikes | None = None
        self.family: SizeFamily | None = None  # once there are two that look alike

    def start(self) -> None:
        """Installs the first tier."""
        if self.mode is None and OPTIONS.get("native") in ("always", "check", "sanitize"):
            self.mode = True
        began = time.perf_counter()
        if self.mode:
            self.compile_alone()
        elif self.mode is False or not enabled("native"):
            run = staying(runner(self.graph))
            self.install(run, Compilation("python", began, time.perf_counter() - began))
        else:
            self.lookalikes = lookalikes_of(self.graph)
            if self.lookalikes.joined_by(self):
                self.enter()
            if self.stage is TierStage.NEW:
                self.take(TierStage.PYTHON, runner(self.graph), began)

    def take(self, stage: TierStage, run: Run, began: float) -> None:
        """Makes the trace run this function from now on, unless its stage is later already."""
        tier = "python" if stage is TierStage.PYTHON else "native"
        compilation = Compilation(tier, began, time.perf_counter() - began)
        with _LOCK:
            if stage > self.stage:
                self.stage = stage
                self.run = run
                self.install(run if stage is TierStage.EXACT else self.watched, compilation)
        if stage is TierStage.EXACT and self.family is not None:
            self.family.forget(self)

    def enter(self) -> None:
        """Becomes a member of its family."""
        if self.lookalikes is not None and self.family is None:
            self.family = self.lookalikes.family_of(self.graph)
        if self.family is not None:
            self.family.calls += self.calls
            self.family.wait(self)
            self.adopt()

    def adopt(self) -> None:
        """Runs its family's form from now on, if there is one."""
        if self.family is None or self.stage is TierStage.EXACT:
            return
        began = time.perf_counter()
        known = types(self.graph)
        if function := self.family.function_for(known):
            self.take(TierStage.EXACT, runner(self.graph, function), began)
        elif self.stage < TierStage.KIN and (function := self.family.of_kin(known)):
            self.take(TierStage.KIN, runner(self.graph, function), began)

    def watched(self, *arrays: Any) -> tuple[Any, ...]:
        """Runs the present function, and notes whether the trace is worth better code."""
        if self.slow > _WORTH_WAITING:
            self.wait()
        start, departures = time.perf_counter(), THIS_THREAD.departures
        results = self.run(*arrays)
        seconds = 0.0 if Waiting.always else time.perf_counter() - start
        if THIS_THREAD.departures > departures:
            self.has_departed = True
            seconds = 0.0  # the next call has the code of that loop from its beginning
        self.spent += seconds if self.calls else 0.0
        self.calls += _MANY if seconds > _LONG else 1
        if self.stage is TierStage.PYTHON:
            self.note(seconds)
        family = self.family
        if family is not None:
            family.calls += 1
        if self.spent < self.patience and not Waiting.always:
            return results
        if self.calls >= _MANY:
            self.ask(is_own=True, is_urgent=seconds > _LONG or not self.has_departed)
        elif family is not None and family.is_open and family.calls >= _MANY:
            self.ask(is_own=False)
        return results

    def note(self, seconds: float) -> None:
        """Counts a call of the slow tier, where that loses most of its time."""
        is_long = seconds > _LONG_NODE * len(self.graph.nodes)
        if is_long and next(self.graph.subgraphs(), None) is None:
            return
        if _QUICKER * seconds < self.last:
            self.slow = 0.0  # a loop has code now: what was lost before is no measure any more
        self.slow += seconds if self.last else seconds / 2
        self.last = seconds

    def wait(self) -> None:
        """Waits for code of the trace or of a loop, at most `_WAITS` times as long as was lost.

        A function that was called so often is called as often again. A call beside the compiler
        takes up to ten times as long, and keeps the interpreter's lock from it.
        """
        if not background.is_worker():
            start, loops = time.perf_counter(), LoopHead.made
            with Waits.around("compiling", self.graph.name):
                background.wait_for(
                    lambda: self.stage is not TierStage.PYTHON or LoopHead.made > loops,
                    _WAITS * self.slow,
                )
            self.slow += time.perf_counter() - start

    def ask(self, is_own: bool, is_urgent: bool = True) -> None:
        """Requests code for this trace, or only code that serves others too.

        It is made in the background, unless the clock must not decide what runs. It is not urgent
        where the loops that took long have code, which left Python midway.
        """
        request = background.worker(), is_own
        if self.request != request:
            self.request = request
            job = self.compile if is_own else self.share
            if Waiting.always:
                job()
            else:
                background.submit(job, is_urgent)

    def share(self) -> None:
        """Makes code that serves the family, if that is possible."""
        self.take_shared(is_worth=False)

    def compile(self) -> None:
        """Makes code for this trace, and others if it can serve them."""
        if self.family is None:
            self.enter()
        self.take_shared(is_worth=True)
        if self.stage is not TierStage.EXACT:
            self.compile_alone()

    @property
    def is_hurried(self) -> bool:
        """Whether calls run in the slow tier until there is code.

        A call that waits for its code may be long, and is worth the best.
        """
        return self.mode is None and not Waiting.always

    def take_shared(self, is_worth: bool) -> None:
        """Makes and runs code that serves the family."""
        began = time.perf_counter()
        family = self.family
        if family is not None and self.stage is not TierStage.EXACT:
            shared = family.shared(self.graph, partial(native, is_quick=self.is_hurried), is_worth)
            if shared is not None:
                self.take(TierStage.EXACT, runner(self.graph, shared), began)
                family.tell()

    def compile_alone(self) -> None:
        """Makes code for this trace and no other."""
        began = time.perf_counter()
        is_reported = self.mode is not None and OPTIONS.get("native") is None
        try:
            fast = native_runner(self.graph, is_reported=is_reported, is_quick=self.is_hurried)
        except NotNative as reason:
            self.refusal = str(reason)
            if self.stage is TierStage.NEW:
                self.run = runner(self.graph)
            with _LOCK:
                self.install(self.run, None)  # no longer watched
            return
        if OPTIONS.get("native") == "check":
            fast = checked(fast, runner(self.graph), self.graph)
        self.take(TierStage.EXACT, fast, began)
