"""Tiers: a trace runs at once as Python over kernels, and as machine code when that is ready.

`Tiered` belongs to one trace. Machine code is made in the background once the trace has
proved to be worth it: when it is called again and again, or when a call takes long. Calls of traces
that differ in sizes alone count together, if one form can serve all of them: whoever gets a new
length with every call then gets machine code too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from graphwright.base.forks import cached_property, held_over_forks
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.checking import checked
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

Run = Callable[..., tuple[Any, ...]]

#: A call of the slow tier that takes longer than this, in seconds, is worth compiling for.
_LONG = 0.005
#: So is this many calls.
_MANY = 3

#: Guards what traces run.
_LOCK = held_over_forks(threading.RLock())


class NativeTier:
    """A graph that was lowered: text, of which machine code is generated when it is asked for."""

    def __init__(self, source: GeneratedSource) -> None:
        self.source = source

    @cached_property
    def function(self) -> Function:
        """What runs it."""
        with contained(self.source.graph.name):
            return self.source.link()

    def code(self) -> Any:
        """What tells one kind of code from another: all but numbers that are sizes."""
        from graphwright.compile.llvm.render import skeleton

        with contained(self.source.graph.name):
            return self.source.text, [skeleton(op.lowered[0]) for op in self.source.segments]


def native(graph: Graph, observe: Observe = as_it_is, is_reported: bool = False) -> NativeTier:
    """The graph with its native parts lowered, and watched by `observe`; what stays outside is
    reported on request."""
    # Imported when something is compiled: `import graphwright` need not wait for it. A fork does:
    # a module that another thread is importing can never be imported in the child.
    with LLVM:
        import graphwright.compile.run.executable  # noqa: F401 - for whoever needs it next
        from graphwright.compile.graph.simplify import simplify
        from graphwright.compile.select.segments import partition

    whole = simplify(graph)

    def partitioned(part: Graph) -> Graph:
        reasons: dict[Node, str] = {}
        found = partition(part, reasons)
        if is_reported and part is whole:
            with LLVM:
                from graphwright.compile.run.inspection import report_outside
            report_outside(found, reasons)
        return found

    with contained(graph.name):
        return NativeTier(written(whole, partitioned, observe))


def native_runner(graph: Graph, observe: Observe = as_it_is, is_reported: bool = False) -> Run:
    """What a call of the graph runs, natively."""
    return runner(graph, native(graph, observe, is_reported).function)


class Compilation(NamedTuple):
    """One tier's code for a trace: when its generation began (`perf_counter`), seconds taken."""

    tier: str
    began: float
    seconds: float


Install = Callable[[Run, "Compilation | None"], None]


class TierStage(IntEnum):
    """How far a trace has come."""

    NEW = 0
    PYTHON = 1
    KIN = 2  #: machine code that serves it, if not as well as its own may
    OWN = 3  #: machine code that was made for it, or is as good


class Tiered:
    """How a trace runs now: `install` is told whenever there is something else to run.

    `mode` is the function's `jit_compile`: True compiles before the first call, False never.
    """

    def __init__(self, graph: Graph, mode: bool | None, install: Install) -> None:
        self.graph = graph
        self.mode = mode
        self.install = install
        self.refusal = ""  # why there is no machine code
        self.stage = TierStage.NEW
        self.run: Run
        self.calls = 0
        self.asked: Any = None  # whom it has asked for code: a child of a fork asks again
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
            run = runner(self.graph)
            self.install(run, Compilation("python", began, time.perf_counter() - began))
        else:
            self.lookalikes = lookalikes_of(self.graph)
            if self.lookalikes.joined_by(self):
                self.enter()
            if self.stage is TierStage.NEW:
                self.take(TierStage.PYTHON, runner(self.graph), began)

    def take(self, stage: TierStage, run: Run, began: float) -> None:
        """Has the trace run so from now on, unless it has come further already."""
        tier = "python" if stage is TierStage.PYTHON else "native"
        compilation = Compilation(tier, began, time.perf_counter() - began)
        with _LOCK:
            if stage > self.stage:
                self.stage = stage
                self.run = run
                self.install(run if stage is TierStage.OWN else self.watched, compilation)
        if stage is TierStage.OWN and self.family is not None:
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
        """Runs from now on what its family has, if it has something."""
        if self.family is None or self.stage is TierStage.OWN:
            return
        began = time.perf_counter()
        known = types(self.graph)
        if found := self.family.found(known):
            self.take(TierStage.OWN, runner(self.graph, found), began)
        elif self.stage < TierStage.KIN and (found := self.family.of_kin(known)):
            self.take(TierStage.KIN, runner(self.graph, found), began)

    def watched(self, *arrays: Any) -> tuple[Any, ...]:
        """What runs now, while it is watched whether it is worth better code."""
        start = time.perf_counter()
        results = self.run(*arrays)
        is_long = not Waiting.always and time.perf_counter() - start > _LONG
        self.calls += _MANY if is_long else 1
        family = self.family
        if family is not None:
            family.calls += 1
        if self.calls >= _MANY:
            self.ask(is_own=True)
        elif family is not None and family.is_open and family.calls >= _MANY:
            self.ask(is_own=False)
        return results

    def ask(self, is_own: bool) -> None:
        """Has code made for this trace, or only what serves others too: in the background, unless
        what runs may not follow the clock."""
        asked = background.worker(), is_own
        if self.asked != asked:
            self.asked = asked
            job = self.compile if is_own else self.share
            if Waiting.always:
                job()
            else:
                background.submit(job)

    def share(self) -> None:
        """Makes code that serves the family, if there can be such."""
        self.take_shared(is_worth=False)

    def compile(self) -> None:
        """Makes code for this trace, and others if it can serve them."""
        if self.family is None:
            self.enter()
        self.take_shared(is_worth=True)
        if self.stage is not TierStage.OWN:
            self.compile_alone()

    def take_shared(self, is_worth: bool) -> None:
        """Runs code that serves the family."""
        began = time.perf_counter()
        family = self.family
        if family is not None and self.stage is not TierStage.OWN:
            shared = family.shared(self.graph, native, is_worth)
            if shared is not None:
                self.take(TierStage.OWN, runner(self.graph, shared), began)
                family.tell()

    def compile_alone(self) -> None:
        """Makes code for this trace and no other."""
        began = time.perf_counter()
        is_reported = self.mode is not None and OPTIONS.get("native") is None
        try:
            fast = native_runner(self.graph, is_reported=is_reported)
        except NotNative as reason:
            self.refusal = str(reason)
            if self.stage is TierStage.NEW:
                self.run = runner(self.graph)
            with _LOCK:
                self.install(self.run, None)  # and nobody watches any more
            return
        if OPTIONS.get("native") == "check":
            fast = checked(fast, runner(self.graph), self.graph)
        self.take(TierStage.OWN, fast, began)
