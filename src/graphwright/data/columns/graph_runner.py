"""What runs the graphs of functions of elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphwright.compile.run.tiers import Compilation, Run, Tiered
from graphwright.data.blocks import Row
from graphwright.data.stage import Epoch, iterating, present_iteration
from graphwright.ir.graph import Graph
from graphwright.values.tensor import wrap

#: So many seconds a function of elements takes, all its calls but the first together, before it is
#: worth machine code: the compiler would keep the first elements from the interpreter's lock.
_PATIENCE = 0.1


class GraphRunner:
    """Runs a graph: by kernels at first, as machine code when that pays."""

    def __init__(self, graph: Graph, captured: Sequence[Any]) -> None:
        self.captured = list(captured)
        self.tiers: Tiered | None = None
        self.graph = graph
        self.run: Run = self.first_run

    def first_run(self, *arrays: Any) -> tuple[Any, ...]:
        """Chooses what runs, then runs it."""
        self.tiers = Tiered(self.graph, None, self.install, _PATIENCE)
        self.tiers.start()
        return self.run(*arrays)

    def install(self, run: Run, compilation: Compilation | None) -> None:
        """Replaces the code that runs."""
        self.run = run

    def __call__(self, arrays: Sequence[Any]) -> Row:
        """The results for arrays."""
        return [
            array if type(array) is np.ndarray else wrap(array)._array
            for array in self.run(*arrays, *self.captured)
        ]


class DrawingRunner(GraphRunner):
    """A graph that draws random numbers: each iteration draws the same, as in TensorFlow.

    Iterations share its code, and not the streams behind it (`IterationDraws`).
    """

    def __init__(self, graph: Graph, captured: Sequence[Any]) -> None:
        super().__init__(graph, captured)
        #: For elements that are asked for outside of iterations.
        self.outer_epoch = Epoch()

    def behind(self, graph: Graph) -> DrawingRunner:
        """What runs another graph with the same captures and streams."""
        graph.draws = self.graph.draws
        made = DrawingRunner(graph, self.captured)
        made.outer_epoch = self.outer_epoch
        return made

    def __call__(self, arrays: Sequence[Any]) -> Row:
        if present_iteration() is not None:
            return super().__call__(arrays)
        with iterating(self.outer_epoch):
            return super().__call__(arrays)

    @contextmanager
    def undone_if_it_fails(self) -> Iterator[None]:
        """Has the streams go back where they were if the block raises an error."""
        with iterating(present_iteration() or self.outer_epoch):
            places = {kernel: kernel.stream.place() for kernel in self.kernels()}
            try:
                yield
            except Exception:
                for kernel in self.kernels():
                    kernel.stream.go_to(places.get(kernel))
                raise

    def kernels(self) -> list[Any]:
        """The kernels that draw."""
        return list(self.graph.draws.kernels.values())
