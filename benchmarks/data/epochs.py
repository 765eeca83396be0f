"""What is measured of a pipeline: epochs, the first element, memory, what a training step waits.

A program prepares what is given (arrays, files) and returns a function that makes the pipeline. A
pipeline is iterable, as often as one likes.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import FLOOR, Program
from benchmarks.workload import Bar, Growth, Workload, highest_mib

Pipeline = Iterable[Any]
Make = Callable[[], Pipeline]

#: Of one sample: what a few epochs may take together.
SECONDS = 0.5


class Again:
    """What a function iterates over, as often as one likes."""

    def __init__(self, iterate: Callable[[], Iterable[Any]]) -> None:
        self._iterate = iterate

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterate())


def exhaust(elements: Iterable[Any]) -> None:
    """Goes through all elements."""
    for _ in elements:
        pass


def leaves(element: Any) -> Iterator[Any]:
    """The arrays of an element: those of dicts, sequences and ragged tensors too."""
    if isinstance(element, dict):
        element = list(element.values())
    elif hasattr(element, "row_splits"):
        element = [element.flat_values, element.row_splits]
    if isinstance(element, (tuple, list)):
        for part in element:
            yield from leaves(part)
    else:
        yield np.asarray(element)


class Contents(NamedTuple):
    """What tells whether two peers have computed the same, whatever the order."""

    numbers: int
    total: float

    @classmethod
    def of(cls, elements: Iterable[Any]) -> Contents:
        numbers, total = 0, 0.0
        for element in elements:
            for array in leaves(element):
                numbers += array.size
                total += float(array.sum(dtype=np.float64))
        return cls(numbers, total)


@dataclass
class Compared:
    """Takes samples of a program whose results are known, so that they can be compared first."""

    contents: Contents
    sample: Callable[[], float]

    def __call__(self) -> float:
        return self.sample()


def epochs(pipeline: Pipeline, scale: float) -> Compared:
    """Goes through a pipeline once, then times epochs."""

    def sample() -> float:
        """The fastest of the epochs that half a second has room for, at least of one."""
        best, spent = float("inf"), 0.0
        while spent < SECONDS:
            start = time.perf_counter()
            exhaust(pipeline)
            taken = time.perf_counter() - start
            best, spent = min(best, taken), spent + taken
        return best * scale

    return Compared(Contents.of(pipeline), sample)


@dataclass(frozen=True)
class Epoch(Workload):
    """The milliseconds of going through a pipeline.

    Peers whose elements differ are not compared: their numbers must be as many, and their sum the
    same up to `tolerance`.
    """

    fresh = False

    def prepare(self, peer: str) -> Compared:
        return epochs(pipeline(self.program(peer)), 1e3)


def pipeline(make: Callable[[], object]) -> Pipeline:
    """What a program's function makes."""
    made = make()
    assert isinstance(made, Iterable), made
    return made


@dataclass(frozen=True)
class Opening(Workload):
    """The time until a pipeline is made and gives its first element, in a new process.

    What the import leaves for later is part of it.
    """

    def prepare(self, peer: str) -> Callable[[], float]:
        make = self.program(peer)

        def sample() -> float:
            start = time.perf_counter()
            next(iter(pipeline(make)))
            return (time.perf_counter() - start) * 1e3

        return sample


@dataclass(frozen=True)
class Peak(Workload):
    """The highest memory of a process that goes through a pipeline once, the import included."""

    def prepare(self, peer: str) -> Callable[[], float]:
        make = self.program(peer)

        def sample() -> float:
            exhaust(pipeline(make))
            return highest_mib()

        return sample


def left(name: str, title: str, goal: float, program: Program, epochs: int) -> Growth:
    """The memory that more epochs leave."""

    def many(module: Any) -> Callable[[], object]:
        elements = pipeline(program(module))

        def run() -> None:
            for _ in range(epochs):
                exhaust(elements)

        return run

    return Growth(name, title, "MiB", goal, {"graphwright": many, "tensorflow": many})


class Training(NamedTuple):
    """Batches, and a step that takes one."""

    batches: Pipeline
    step: Callable[[Any], object]


@dataclass(frozen=True)
class Feeding(Workload):
    """An epoch of training: how many times as long it takes as its steps on one batch alone.

    With `waiting` the percentage of the time in which it waits for batches.
    """

    waiting: bool = False

    fresh = False

    def prepare(self, peer: str) -> Compared:
        training = self.program(peer)()
        assert isinstance(training, Training)
        first = next(iter(training.batches))
        for _ in range(100):
            training.step(first)

        def sample() -> float:
            alone, fed, waited = [], [], []
            gc.collect()
            for _ in range(3):
                steps, taken, wait = epoch(training)
                fed.append(taken)
                waited.append(wait / taken * 100)
                alone.append(repeated(training, first, steps))
            return min(waited) if self.waiting else min(fed) / min(alone)

        return Compared(Contents.of(training.batches), sample)


def epoch(training: Training) -> tuple[int, float, float]:
    """Steps, seconds, and the seconds of waiting."""
    steps, waited = 0, 0.0
    start = time.perf_counter()
    batches = iter(training.batches)
    while True:
        before = time.perf_counter()
        batch = next(batches, None)
        waited += time.perf_counter() - before
        if batch is None:
            return steps, time.perf_counter() - start, waited
        training.step(batch)
        steps += 1


def repeated(training: Training, batch: Any, steps: int) -> float:
    """The seconds of that many steps with one batch."""
    start = time.perf_counter()
    for _ in range(steps):
        training.step(batch)
    return time.perf_counter() - start


@dataclass(frozen=True)
class Overhead(Workload):
    """What an element costs in a tiny stage: the difference that `stages` of them make.

    The program makes two pipelines, one without the stages.
    """

    stages: int = 1
    elements: int = 1

    fresh = False

    def prepare(self, peer: str) -> Compared:
        made = self.program(peer)()
        assert isinstance(made, tuple)
        without, with_stages = (epochs(elements, 1e9) for elements in made)

        def sample() -> float:
            differences = [with_stages() - without() for _ in range(3)]
            return statistics.median(differences) / self.elements / self.stages

        return Compared(with_stages.contents, sample)


def shared(program: Program) -> dict[str, Program]:
    """A program for the two modules that have TensorFlow's API."""
    return {"graphwright": program, "tensorflow": program}


def loaders(program: Callable[..., Any]) -> dict[str, Program]:
    """PyTorch's loader in the process itself, and with two processes of workers."""
    return {"torch": program, "torch-workers": partial(program, workers=2)}


def of_hand(times: float) -> Bar:
    """A bar of that many times NumPy's speed."""
    return Bar(times, FLOOR)
