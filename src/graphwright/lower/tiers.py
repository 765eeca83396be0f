"""Tiers: a trace runs at once as Python over kernels, and as machine code when that is ready.

`Tiered` belongs to one trace. Machine code is made in the background once the trace has
proved to be worth it: when it is called again and again, when a call takes long, or when its
function has been traced for several types already.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from graphwright.ir.graph import Graph
from graphwright.lower import background
from graphwright.lower.options import enabled
from graphwright.lower.segments import partition
from graphwright.lower.simplify import simplify
from graphwright.lower.sizes import NotNative
from graphwright.lower.straight_line import build, runner

Run = Callable[..., tuple[Any, ...]]

#: A call of the slow tier that takes longer than this, in seconds, is worth compiling for.
_LONG = 0.005
#: So is this many calls.
_MANY = 3


def native_runner(graph: Graph) -> Run:
    """What a call of the graph runs, with its native parts compiled."""
    from graphwright.lower.executable import compile_graph

    def passes(g: Graph) -> Graph:
        return partition(simplify(g), compile_graph)

    return runner(graph, build(graph, passes))


class Tiered:
    """How a trace runs now: `run` is replaced when there is something faster.

    `install` is told each time.
    """

    def __init__(self, graph: Graph, mode: bool | None, install: Callable[[Run], None]) -> None:
        self.graph = graph
        self.install = install
        self.compile_time: float | None = None
        self.failure: Exception | None = None
        self.calls = 0
        if mode:
            self.compile()
        elif mode is None and enabled("native"):
            self.slow = runner(graph)
            install(self.watched)
        else:
            install(runner(graph))

    def watched(self, *arrays: Any) -> tuple[Any, ...]:
        """The slow tier, while it is watched."""
        start = time.perf_counter()
        results = self.slow(*arrays)
        self.calls += 1
        if self.calls >= _MANY or time.perf_counter() - start > _LONG:
            self.install(self.slow)
            background.submit(self.compile)
        return results

    def compile(self) -> None:
        """Makes the native tier and installs it."""
        start = time.perf_counter()
        try:
            fast = native_runner(self.graph)
        except NotNative as reason:
            self.failure = reason
            self.install(runner(self.graph))
            return
        self.compile_time = time.perf_counter() - start
        self.install(fast)
