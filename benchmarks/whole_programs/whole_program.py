"""A whole program: its forms, its sizes, and the row that measures it."""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.peers import OURS, Program, compiled
from benchmarks.workload import Workload

#: A call of the program; the result is an array or a tuple of arrays.
Step = Callable[[], object]

#: Given a library's module and a size, the call.
Form = Callable[[Any, int], Step]

#: The results until which the time is taken.
COUNTS = (1, 2, 5, 10, 30, 100)


@dataclass(frozen=True)
class WholeProgram:
    """A program of a kind that people write."""

    name: str
    title: str
    #: How large its problem is where it is measured, and where it is only tested.
    size: int
    small: int
    tf: Form
    jax: Form | None = None
    torch: Form | None = None
    #: Whether PyTorch's compiler takes it in reasonable time: it unrolls loops of Python.
    compiles: bool = False
    #: Whether XLA may take it: no strings, no shapes that grow.
    xla: bool = True
    #: How far results may differ, relatively.
    tolerance: float = 1e-4

    def programs(self, size: int) -> dict[str, Program]:
        """The program of each peer at a size."""
        forms = {OURS: self.tf, "tensorflow": self.tf}
        if self.xla:
            forms["tensorflow-xla"] = self.tf
        if self.jax:
            forms["jax"] = self.jax
        if self.torch:
            forms["torch"] = self.torch
        programs: dict[str, Program] = {
            peer: partial(made, form, size) for peer, form in forms.items()
        }
        if self.torch and self.compiles:
            programs["torch-compile"] = compiled(programs["torch"])
        return programs

    def row(self) -> Workload:
        """The row of its settled calls."""
        return Settled(
            f"Y_{self.name}", f"{self.title}: a settled call", "µs", None,
            self.programs(self.size), tolerance=self.tolerance,
        )  # fmt: skip


def made(form: Form, size: int, module: Any) -> Step:
    """The call of a form."""
    return form(module, size)


@dataclass
class ComparedSample:
    """What takes a sample, and what a call computes."""

    sample: Callable[[], float]
    contents: tuple[int, float]

    def __call__(self) -> float:
        return self.sample()


@dataclass(frozen=True)
class Settled(Workload):
    """The time of a call after which nothing is left to compile: the best of five blocks."""

    fresh = False

    def prepare(self, peer: str) -> Callable[[], float]:
        call = self.program(peer)
        contents = contents_of(call())
        settle(call, peer)
        timer = timeit.Timer(call)
        number, taken = timer.autorange()
        block = max(1, round(number * 0.02 / taken))
        return ComparedSample(lambda: min(timer.repeat(5, block)) / block * 1e6, contents)


def settle(call: Step, peer: str = OURS, seconds: float = 0.3) -> None:
    """Calls it until its machine code is ready: at least ten times, and for some time."""
    start, calls = time.perf_counter(), 0
    while calls < 10 or time.perf_counter() - start < seconds:
        call()
        calls += 1
    if peer == OURS:
        from graphwright.machine import background

        background.wait()
        call()
        background.wait()


def flat(result: object) -> list[Any]:
    """The arrays of a result."""
    import numpy as np

    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [np.asarray(part) for part in parts]


def contents_of(result: object) -> tuple[int, float]:
    """How many numbers a result has, and a sum in which places count.

    >>> contents_of([[1.0, -2.0], 3.0])
    (3, 6.5)
    """
    import numpy as np

    total, count = 0.0, 0
    for array in flat(result):
        if array.dtype.kind not in "biufc":
            array = np.array([len(item) for item in array.ravel()])
        weights = np.linspace(1.0, 1.25, max(array.size, 1))[: array.size]
        total += float(np.sum(np.abs(array.ravel().astype(np.complex128)) * weights))
        count += array.size
    return count, total


def numbers(*shape: int, seed: int = 0) -> Any:
    """Normal float32 numbers, the same in every process."""
    import numpy as np

    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def integers(high: int, *shape: int, seed: int = 0) -> Any:
    """Int32 numbers below a limit, the same in every process."""
    import numpy as np

    return np.random.RandomState(seed).randint(0, high, shape).astype(np.int32)


def blocking(jax: Any, function: Callable[..., Any], *arguments: Any) -> Step:
    """A call of JAX's that waits for its results."""
    return lambda: jax.block_until_ready(function(*arguments))
