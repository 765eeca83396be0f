"""Tiers: a trace runs at once as Python over kernels, and as machine code when that is ready.

`Tiered` belongs to one trace. Machine code is made in the background once the trace has
proved to be worth it: when it is called again and again, or when a call takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from graphwright.ir.graph import Graph, Node
from graphwright.kernels import background
from graphwright.kernels.exclusion import LLVM
from graphwright.kernels.preparation import Waiting
from graphwright.lower.check import checked
from graphwright.lower.families import Family, Native, family_of, is_any
from graphwright.lower.generated import text_of
from graphwright.lower.options import OPTIONS, enabled
from graphwright.lower.sizes import NotNative
from graphwright.lower.straight_line import Observe, as_it_is, build, runner

if TYPE_CHECKING:
    from graphwright.lower.nest import Program

Run = Callable[..., tuple[Any, ...]]

#: A call of the slow tier that takes longer than this, in seconds, is worth compiling for.
_LONG = 0.005
#: So is this many calls.
_MANY = 3


def native(graph: Graph, observe: Observe = as_it_is, is_reported: bool = False) -> Native:
    """The graph with its native parts compiled, and watched by `observe`; what stays outside is
    reported on request."""
    # Imported when something is compiled: `import graphwright` need not wait for it. A fork does:
    # a module that another thread is importing can never be imported in the child.
    with LLVM:
        import graphwright.lower.executable  # noqa: F401 - for whoever needs it next
        from graphwright.lower.inspection import report_outside
        from graphwright.lower.native import compile_together
        from graphwright.lower.segments import partition
        from graphwright.lower.simplify import simplify

    programs: list[Program] = []

    def partitioned(part: Graph) -> Graph:
        reasons: dict[Node, str] = {}
        found = partition(simplify(part), reasons)
        if is_reported and part is graph:
            report_outside(found, reasons)
        programs.extend(compile_together(found))
        return found

    function = build(graph, partitioned, observe)

    def code() -> list[Any]:
        from graphwright.lower.llvm.render import skeleton

        return [text_of(function), *map(skeleton, programs)]

    return Native(function, code)


def native_runner(graph: Graph, observe: Observe = as_it_is, is_reported: bool = False) -> Run:
    """What a call of the graph runs, natively."""
    return runner(graph, native(graph, observe, is_reported).function)


class Compilation(NamedTuple):
    """One tier's code for a trace: when its generation began (`perf_counter`), seconds taken."""

    tier: str
    began: float
    seconds: float


Install = Callable[[Run, "Compilation | None"], None]


class Tiered:
    """How a trace runs now: `install` is told whenever there is something else to run.

    `mode` is the function's `jit_compile`: True compiles before the first call, False never.
    """

    def __init__(self, graph: Graph, mode: bool | None, install: Install) -> None:
        self.graph = graph
        self.mode = mode
        self.install = install
        self.refusal = ""  # why there is no machine code
        self.calls = 0
        self.family: Family | None = None  # once one was asked for

    def start(self) -> None:
        """Installs the first tier."""
        if self.mode is None and OPTIONS.get("native") in ("always", "check"):
            self.mode = True
        if self.mode:
            self.compile()
            return
        began = time.perf_counter()
        watched = self.mode is None and enabled("native")
        if watched and is_any():
            self.family = family_of(self.graph)
            found = None if self.family is None else self.family.found(self.graph)
            if found is not None:
                self.install_native(runner(self.graph, found), began)
                return
        self.slow = runner(self.graph)
        compilation = Compilation("python", began, time.perf_counter() - began)
        self.install(self.watched if watched else self.slow, compilation)

    def watched(self, *arrays: Any) -> tuple[Any, ...]:
        """The slow tier, while it is watched."""
        start = time.perf_counter()
        results = self.slow(*arrays)
        self.calls += 1
        if Waiting.always:
            if self.calls >= _MANY:  # never by the clock
                self.install(self.slow, None)
                self.compile()
        elif self.calls >= _MANY or time.perf_counter() - start > _LONG:
            self.install(self.slow, None)
            background.submit(self.compile)
        return results

    def compile(self) -> None:
        """Makes the native tier and installs it."""
        began = time.perf_counter()
        try:
            if self.mode is None:
                fast = self.shared()
            else:
                is_reported = OPTIONS.get("native") is None
                fast = native_runner(self.graph, is_reported=is_reported)
        except NotNative as reason:
            self.refusal = str(reason)
            if self.mode:
                self.install(runner(self.graph), None)
            return
        if OPTIONS.get("native") == "check":
            fast = checked(fast, runner(self.graph), self.graph)
        self.install_native(fast, began)

    def shared(self) -> Run:
        """The native tier, that of other traces where they differ in sizes alone."""
        if self.family is None:
            self.family = family_of(self.graph)
        if self.family is None:
            return native_runner(self.graph)
        return runner(self.graph, self.family.compiled(self.graph, native))

    def install_native(self, fast: Run, began: float) -> None:
        """Runs machine code from now on."""
        self.install(fast, Compilation("native", began, time.perf_counter() - began))
