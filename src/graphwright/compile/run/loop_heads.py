"""Loops that run as Python over kernels, and go on as machine code where an iteration begins.

The first call of a search may take seconds in Python, and machine code for its trace helps the next
call alone. But a loop with its present variables as operands is the same op. So a loop that takes
long asks for code of that op, goes on in Python meanwhile, and calls the code once it is there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, Protocol, TypeAlias
from weakref import ref

from graphwright.base.waits import LoopView, Waits
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.loop_counts import LoopCount, LoopPatience, fitting
from graphwright.compile.run.options import enabled
from graphwright.ir.draws import Draws
from graphwright.ir.execution import Function
from graphwright.ir.graph import Graph, Node
from graphwright.machine import background
from graphwright.machine.exclusion import LLVM
from graphwright.machine.preparation import Waiting

Run: TypeAlias = Callable[..., tuple[Any, ...]]

#: The iterations until the next look of a loop that stays in Python.
_NEVER = 1 << 62
#: The most iterations of a visit before its first look.
_UNSEEN = 8


class LoweredLoop(Protocol):
    """A loop in its native form, which is text until its function is needed."""

    @property
    def function(self) -> Function:
        """The function that runs it; machine code is generated at the first request."""

    @property
    def is_native(self) -> bool:
        """Whether any of it is machine code."""

    @property
    def is_whole(self) -> bool:
        """Whether all loops in it are machine code."""


class LoopLowering:
    """Makes native forms of graphs; `hooks` provides it."""

    native: Callable[..., LoweredLoop]


class ThisThread(threading.local):
    """The state of a thread: whether its loops stay in Python, and how many left it midway."""

    stays = False
    departures = 0


THIS_THREAD = ThisThread()


def staying(run: Run) -> Run:
    """The function with all loops in Python."""

    def stay(*arrays: Any) -> tuple[Any, ...]:
        before, THIS_THREAD.stays = THIS_THREAD.stays, True
        try:
            return run(*arrays)
        finally:
            THIS_THREAD.stays = before

    return stay


class Visit:
    """One run of a loop, from its first look on."""

    __slots__ = ("__weakref__", "began", "done", "turns", "view", "waited")

    def __init__(self, began: float, view: LoopView | None = None) -> None:
        self.view = view
        self.began = began
        self.waited = 0.0  # seconds
        self.done = 0  # iterations
        self.turns = 0  # iterations until the next look; 0 where the code goes on


class LoopHead:
    """The place in generated Python where a loop's iterations begin.

    The text has a turn for each of `visit`, which looks now and then whether there is code. After
    the last turn, the text calls `code` with a list of the loop's variables and captures.
    """

    #: How many loops have got code.
    made = 0

    def __init__(
        self,
        node: Node,
        graph: Graph,
        draws: Draws,
        around: Sequence[str],
        count: LoopCount | None = None,
    ) -> None:
        self.node = node
        self.count = count
        self.graph = graph  # the one that has the node
        self.draws = draws
        self.around = tuple(around)  # the loops and branches that hold it
        self.code: Function | None = None
        self.turns = 0  # iterations of a visit before its first look
        #: Of the visit that asked for code: its iterations until then, and the seconds of each.
        self.done, self.pace = 1, 0.0
        self.is_refused = False
        self.worker: background.Worker | None = None  # a child of a fork has another one
        self.answered: threading.Event
        self.visitor: ref[Visit] | None = None

    def visit(self, *ends: Any) -> Iterator[None]:
        """The turns of a run of the loop until its code goes on, if that comes before its end.

        `ends` are the first value of the variable that counts, and its limit.
        """
        return chain.from_iterable(self.spans(ends))

    def spans(self, ends: tuple[Any, ...]) -> Iterator[Iterable[None]]:
        """The turns from one look to the next."""
        yield repeat(None, self.turns)
        visit = self.look(None)
        try:
            while visit.turns:
                yield repeat(None, visit.turns)
                visit = self.look(visit)
                if visit.view is not None:
                    count = self.count.left(*ends) if self.count is not None else None
                    visit.view.show(visit.done, None if count is None else count - visit.done)
        finally:
            if visit.view is not None:
                visit.view.end()

    def look(self, visit: Visit | None) -> Visit:
        """The visit, with the number of turns until the next look."""
        now = time.perf_counter()
        if visit is None:
            visit = Visit(now, None if Waits.loop is None else Waits.loop(self.graph.name))
            self.visitor = ref(visit)
        seconds = now - visit.began - visit.waited
        visit.done += visit.turns
        if THIS_THREAD.stays or Waiting.always or not enabled("native"):
            self.stay(visit, seconds)
            return visit
        if self.code is None and seconds > LoopPatience.asks:
            if self.worker is None:
                self.done, self.pace = max(visit.done, 1), seconds / max(visit.done, 1)
            self.ask()
            if seconds > LoopPatience.waits:
                self.wait(visit, LoopPatience.patience * seconds - visit.waited)
        if self.code is not None:
            visit.turns = self.turns = 0
            THIS_THREAD.departures += visit.done > 0
        elif self.is_refused:
            self.stay(visit, seconds)
        else:
            visit.turns = fitting(visit.done, seconds, LoopPatience.looks)
            self.turns = min(visit.turns - 1, _UNSEEN)
        return visit

    def stay(self, visit: Visit, seconds: float) -> None:
        """Lets a visit stay in Python: it looks again only to show how far it is."""
        is_seen = visit.view is not None
        visit.turns = fitting(visit.done, seconds, LoopPatience.shows) if is_seen else _NEVER

    def ask(self) -> None:
        """Requests the code, which is made in the background."""
        worker = background.worker()
        if self.worker is not worker:
            self.answered = threading.Event()
            self.worker = worker
            if not background.submit(self.make):  # the process ends
                self.answered.set()

    def wait(self, visit: Visit, seconds: float) -> None:
        """Waits for the code."""
        if seconds > LoopPatience.looks and not background.is_worker():
            began = time.perf_counter()
            self.answered.wait(seconds)
            visit.waited += time.perf_counter() - began

    def is_awaited(self) -> bool:
        """Whether the last visit goes on; if not, the next one asks again."""
        if self.visitor is not None and self.visitor() is not None:
            return True
        self.worker = None
        return False

    def make(self) -> None:
        """Makes the code, unless the loop comes to its end before."""
        with LLVM:  # a fork waits for the import
            from graphwright.compile.run.bounded_loops import loop_alone
        answered = self.answered
        try:
            if self.code is not None or not self.is_awaited():
                return
            draft = self.draft() if self.pace < LoopPatience.drafts else None
            lowered = draft or self.lowered(loop_alone(self.node, self.graph), is_quick=False)
            if not lowered.is_native:
                self.is_refused = True
            elif self.is_awaited():
                code = lowered.function
                self.code = code if draft is None else self.left_in_time(code)
                LoopHead.made += 1
        except NotNative:
            self.is_refused = True
        finally:
            answered.set()

    def lowered(self, graph: Graph, is_quick: bool) -> LoweredLoop:
        """The native form of the loop alone."""
        graph.draws = self.draws
        lowered: LoweredLoop = LoopLowering.native(graph, around=self.around, is_quick=is_quick)
        return lowered

    def draft(self) -> LoweredLoop | None:
        """The loop as code that is there soon, for some iterations.

        None if the loop may not be left, or if something of it stays in Python.
        """
        with LLVM:
            from graphwright.compile.run.bounded_loops import bounded
        graph = bounded(self.node, self.graph)
        if graph is None:
            return None
        lowered = self.lowered(graph, is_quick=True)
        return lowered if lowered.is_native and lowered.is_whole else None

    def left_in_time(self, draft: Function) -> Function:
        """A draft's function, which is left for better code while the loop goes on."""
        with LLVM:
            from graphwright.compile.run.bounded_loops import BoundedLoop
        return BoundedLoop(draft, len(self.node.outputs), self.done, self.graph.name, self.count)
