"""Forks wait for threads that compute elements: a child loses nothing, and does nothing twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from support.forking import in_child
from support.interruptions import is_interrupted

import graphwright as tf
from graphwright.data.threads import held_work
from graphwright.data.threads.held_work import Forks

Dataset = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

#: How many numbers there are, and how many seconds each takes.
_COUNT = 60
_SECONDS = 0.002


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """An error where the program does not get through in so many seconds."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Numbers:
    """Numbers of an iterator of Python, of which each call of a function takes the next one."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self.rest = iter(range(10_000))
        self.seconds = seconds

    def take(self, _: object) -> int:
        """The next number, some time after it was taken."""
        number = next(self.rest)
        time.sleep(self.seconds)
        return number

    def __call__(self, x: Any) -> Any:
        return tf.numpy_function(self.take, [x], tf.int64)


def inner(function: Callable[[Any], Any], dataset: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that goes through a dataset of its own, which calls one for three numbers."""

    def three(x: int) -> Any:
        return np.array([int(y) for y in dataset(Dataset.range(3 * x, 3 * x + 3).map(function))])

    return lambda x: tf.numpy_function(three, [x], tf.int64)


def shared(numbers: Numbers) -> Any:
    """Calls in threads that share the iterator of another dataset with such calls."""
    iterator = iter(Dataset.range(_COUNT).map(numbers, 2).prefetch(2))
    calls = lambda x: tf.numpy_function(lambda _: int(next(iterator)), [x], tf.int64)  # noqa: E731
    return Dataset.range(_COUNT).map(calls, 2).prefetch(1)


#: Pipelines, each of whose elements is one of the numbers.
PIPELINES: dict[str, Callable[[Numbers], Any]] = {
    "one thread": lambda numbers: Dataset.range(_COUNT).map(numbers, 1),
    "threads": lambda numbers: Dataset.range(_COUNT).map(numbers, 3),
    "AUTOTUNE": lambda numbers: Dataset.range(_COUNT).map(numbers, AUTOTUNE),
    "ahead": lambda numbers: Dataset.range(_COUNT).map(numbers, 3).prefetch(2),
    "in a batch": lambda numbers: Dataset.range(_COUNT).map(numbers, 3).batch(5).unbatch(),
    "behind": lambda numbers: (
        Dataset.range(_COUNT).map(numbers, AUTOTUNE).prefetch(AUTOTUNE).map(waiting, AUTOTUNE)
    ),
    "in turn": lambda numbers: (
        Dataset.range(2)
        .interleave(
            lambda _: Dataset.range(_COUNT // 2).map(numbers, 2),
            cycle_length=2, num_parallel_calls=2,
        )
    ),
    "buffer inside": lambda numbers: (
        Dataset.range(_COUNT // 3).map(inner(numbers, lambda d: d.prefetch(1)), 2).unbatch()
    ),
    "threads inside": lambda numbers: (
        Dataset.range(_COUNT // 3)
        .map(inner(numbers, lambda d: d.map(waiting, 2)), 2)
        .prefetch(1)
        .unbatch()
    ),
    "shared": shared,
}  # fmt: skip


def waiting(x: Any) -> Any:
    """The same number, after some time in Python."""

    def late(number: Any) -> Any:
        time.sleep(_SECONDS)
        return number

    return tf.numpy_function(late, [x], tf.int64)


def rest_of(iterator: Any, taken: list[int]) -> list[int]:
    """All numbers in order, once the last ones are taken."""
    return sorted([*taken, *[int(x) for x in iterator]])


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forks that wait in vain do so for too long."""
    monkeypatch.setattr(held_work, "_PATIENCE", 30.0)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("count", [1, pytest.param(4, marks=pytest.mark.slow), 17])
def test_a_child_takes_no_number_twice(name: str, count: int) -> None:
    with within(25):
        for _ in range(3):
            iterator = iter(PIPELINES[name](Numbers()))
            taken = [int(next(iterator)) for _ in range(count)]
            time.sleep(_SECONDS / 2)
            everything = [*range(_COUNT)]
            assert in_child(lambda: rest_of(iterator, taken) == everything)  # noqa: B023
            assert rest_of(iterator, taken) == everything


@pytest.mark.parametrize("name", PIPELINES)
def test_processes_take_no_number_twice(name: str) -> None:
    context = multiprocessing.get_context("fork")
    everything = [*range(_COUNT)]

    def ask(taken: list[int]) -> None:
        os._exit(0 if rest_of(iterator, taken) == everything else 1)

    with within(25):
        iterator = iter(PIPELINES[name](Numbers()))
        taken: list[int] = []
        processes = []
        for _ in range(4):
            taken += [int(next(iterator)) for _ in range(5)]
            processes.append(context.Process(target=ask, args=(taken,)))
            processes[-1].start()
        for process in processes:
            process.join(20)
        assert [process.exitcode for process in processes] == [0] * 4
        assert rest_of(iterator, taken) == everything


class Forking(weakref.WeakValueDictionary[int, Any]):
    """A list of works in which each is held when it comes, if the main thread makes it."""

    def __setitem__(self, key: int, work: Any) -> None:
        super().__setitem__(key, work)
        if threading.current_thread() is threading.main_thread():
            Forks.hold()
            Forks.release()


@pytest.mark.parametrize("name", PIPELINES)
def test_a_fork_may_come_as_soon_as_work_is_known(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    works = Forking()
    monkeypatch.setattr(held_work, "_WORKS", works)
    with within(25):
        assert rest_of(iter(PIPELINES[name](Numbers())), []) == [*range(_COUNT)]


# -- what forks do not wait for -------------------------------------------------------------


class Gate:
    """A function of Python that stops at a number until somebody opens it."""

    def __init__(self, number: int = 1, seconds: float = 0.0) -> None:
        self.number, self.seconds = number, seconds
        self.is_reached, self.is_open = threading.Event(), threading.Event()
        self.begun: list[int] = []

    def pass_through(self, x: Any) -> Any:
        """The same number."""
        self.begun.append(int(x))
        if x == self.number:
            self.is_reached.set()
            self.is_open.wait(60)
        else:
            time.sleep(self.seconds)
        return x

    def __call__(self, x: Any) -> Any:
        return tf.numpy_function(self.pass_through, [x], tf.int64)


def at_the_gate(gate: Gate) -> Any:
    """An iterator whose call for a number is at the gate."""
    iterator = iter(Dataset.range(8).map(gate, 2))
    assert next(iterator) == 0
    assert gate.is_reached.wait(20)
    return iterator


def seconds_of(call: Callable[[], object]) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def test_a_call_that_outlasts_the_patience_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_work, "_PATIENCE", 0.2)
    gate = Gate()
    iterator = at_the_gate(gate)

    def goes_on() -> bool:
        gate.is_open.set()
        return [int(x) for x in iterator] == [*range(1, 8)] and gate.begun.count(1) == 2

    assert in_child(goes_on)
    assert not gate.is_open.is_set()
    gate.is_open.set()
    assert [int(x) for x in iterator] == [*range(1, 8)]
    assert sorted(gate.begun) == [*range(8)]


@pytest.mark.parametrize("last", ["calls", "supply"])
def test_forks_wait_in_vain_only_once(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    monkeypatch.setattr(held_work, "_PATIENCE", 0.5)
    gate = Gate()
    dataset = Dataset.range(8)
    dataset = dataset.map(gate, 2) if last == "calls" else dataset.map(gate).prefetch(1)
    iterator = iter(dataset)
    assert next(iterator) == 0
    assert gate.is_reached.wait(20)
    assert seconds_of(lambda: in_child(lambda: True)) >= 0.5
    with within(60), monkeypatch.context() as patch:
        patch.setattr(held_work, "_PATIENCE", 100.0)
        assert all(in_child(lambda: True) for _ in range(5))
    # What has begun since has its own time.
    numbers = Numbers(seconds=0.05)
    other = iter(Dataset.range(9).map(numbers, 2))
    taken = [int(next(other))]
    assert in_child(lambda: rest_of(other, taken) == [*range(9)])
    gate.is_open.set()
    assert [int(x) for x in iterator] == [*range(1, 8)]


def test_calls_fork() -> None:
    """Nobody waits for a call that waits for its own turn to fork."""
    has_begun = threading.Barrier(3)

    def forks(x: Any) -> bool:
        has_begun.wait(20)
        return in_child(lambda: int(x) in (0, 1, 2))

    dataset = Dataset.range(3).map(lambda x: tf.numpy_function(forks, [x], tf.bool), 3)
    with within(25):
        assert all(bool(is_right) for is_right in dataset)


def test_nobody_waits_for_calls_whose_results_nobody_wants() -> None:
    gate = Gate()
    iterator = at_the_gate(gate)
    del iterator
    with within(25):
        assert in_child(lambda: True)
    gate.is_open.set()


@contextmanager
def opening(gate: Gate, seconds: float) -> Iterator[None]:
    """Has somebody open a gate soon."""
    opener = threading.Timer(seconds, gate.is_open.set)
    opener.start()
    yield
    opener.join()


def test_no_call_begins_while_a_fork_waits() -> None:
    gate = Gate(seconds=0.05)
    iterator = iter(Dataset.range(30).map(gate, AUTOTUNE))
    assert next(iterator) == 0
    assert gate.is_reached.wait(20)
    before = len(gate.begun)

    def is_right() -> bool:
        begun = len(gate.begun) - before
        return begun <= 3 and [int(x) for x in iterator] == [*range(1, 30)]

    with opening(gate, 0.5), within(25):
        assert in_child(is_right)
    assert [int(x) for x in iterator] == [*range(1, 30)]


def test_a_fork_lets_calls_take_what_they_need() -> None:
    """A call needs elements that a thread takes ahead, and calls of other threads."""
    gate = Gate(number=3)
    numbers = inner(gate, lambda dataset: dataset.map(waiting, 2).prefetch(1))
    iterator = iter(Dataset.range(3).map(numbers, 2).unbatch())
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    assert gate.is_reached.wait(20)
    with opening(gate, 0.2), within(25):
        assert in_child(lambda: [int(x) for x in iterator] == [*range(3, 9)])
    assert [int(x) for x in iterator] == [*range(3, 9)]
    assert sorted(gate.begun) == [*range(9)]


def test_an_interrupt_while_a_fork_waits_stops_no_threads() -> None:
    gate = Gate()
    iterator = iter(Dataset.range(8).map(gate, 2).prefetch(1))
    assert next(iterator) == 0
    assert gate.is_reached.wait(20)
    try:
        assert is_interrupted(Forks.hold)
    finally:
        Forks.release()
    gate.is_open.set()
    with within(25):
        assert [int(x) for x in iterator] == [*range(1, 8)]
        assert in_child(lambda: True)


def test_a_child_saves_its_place_without_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_work, "_PATIENCE", 0.1)
    gate = Gate()
    iterator = at_the_gate(gate)

    def goes_on() -> bool:
        state = iterator._reader.save()
        gate.is_open.set()
        other = iter(Dataset.range(8).map(gate, 2))
        other._reader.restore(state)
        return [int(x) for x in other] == [*range(1, 8)]

    assert in_child(goes_on)
    gate.is_open.set()


def test_a_fork_without_a_turn_says_so_to_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread forks for too long: nobody lets the block end, so the child has none of it."""
    gate = Gate()
    iterator = iter(Dataset.range(8).map(gate).prefetch(1))
    assert next(iterator) == 0
    assert gate.is_reached.wait(20)
    monkeypatch.setattr(held_work, "_PATIENCE", 0.05)

    def is_refused() -> bool:
        with pytest.raises(tf.errors.AbortedError, match="forked"):
            next(iterator)
        return True

    with Forks.turn:
        assert in_child(is_refused)
    gate.is_open.set()
    assert [int(x) for x in iterator] == [*range(1, 8)]
