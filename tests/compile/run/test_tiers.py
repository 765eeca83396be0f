"""When a trace changes to machine code."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import graphwright as tf
from graphwright.base.waits import Waits
from graphwright.compile.run.loop_heads import LoopHead
from graphwright.compile.run.tiers import TierStage
from graphwright.machine import background


class Delay:
    """A job before others in the background."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def run(self) -> None:
        time.sleep(self.seconds)


NUMBERS = itertools.count(1000)


def counting() -> Any:
    """A function that no other resembles, and so finds no code."""
    more = next(NUMBERS)

    @tf.function
    def counted(n: Any) -> Any:
        total = more
        for i in tf.range(n):
            total += i % 3
        return total - more

    return counted


class LoopCode(Delay):
    """A job that makes code of a loop."""

    def run(self) -> None:
        super().run()
        LoopHead.made += 1


def slow_trace(seconds: float, *jobs: Delay) -> tuple[Any, Any]:
    """A function whose calls took so long, with its trace, while jobs precede that for its code."""
    f = counting()
    for job in jobs:
        background.submit(job.run)
    for _ in range(3):
        assert f(tf.constant(7)) == 6
    (trace,) = f._list_all_concrete_functions()
    tiers: Any = trace.tiers
    assert tiers.stage is TierStage.PYTHON
    tiers.slow = seconds
    return f, tiers


def called(seconds: float) -> Any:
    """A trace that is called after its calls took so long."""
    delay = Delay(1.5)
    f, tiers = slow_trace(seconds, delay)
    assert f(tf.constant(8)) == 7
    return tiers


@pytest.mark.usefixtures("usual_tiers")
def test_after_calls_that_took_long_the_next_one_waits_for_code() -> None:
    assert called(60.0).stage is TierStage.EXACT


@pytest.mark.usefixtures("usual_tiers")
def test_a_wait_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, str]] = []

    @contextmanager
    def around(kind: str, name: str) -> Iterator[None]:
        if threading.current_thread() is threading.main_thread():
            shown.append((kind, name))
        yield

    monkeypatch.setattr(Waits, "around", staticmethod(around))
    called(60.0)
    assert ("compiling", "counted") in shown


@pytest.mark.usefixtures("usual_tiers")
def test_after_short_calls_none_waits() -> None:
    assert called(0.01).stage is TierStage.PYTHON
    background.wait()


@pytest.mark.usefixtures("usual_tiers")
def test_no_call_waits_longer_than_three_times_what_was_lost() -> None:
    tiers = called(0.11)
    assert tiers.stage is TierStage.PYTHON
    assert tiers.slow > 0.43  # the wait is part of it
    background.wait()


@pytest.mark.usefixtures("usual_tiers")
def test_a_wait_ends_with_the_code_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LoopHead, "made", LoopHead.made)
    jobs = LoopCode(0.3), Delay(4.0)
    f, tiers = slow_trace(60.0, *jobs)
    began = time.perf_counter()
    assert f(tf.constant(8)) == 7
    assert time.perf_counter() - began < 3.9
    assert tiers.stage is TierStage.PYTHON
    background.wait()


@pytest.mark.usefixtures("usual_tiers")
def test_what_was_lost_before_a_loop_had_code_is_forgotten() -> None:
    delay = Delay(1.5)
    _, tiers = slow_trace(0.0, delay)
    tiers.last = 0.0
    tiers.note(0.08)  # the first call counts half
    tiers.note(0.04)
    assert tiers.slow == pytest.approx(0.08)
    tiers.note(0.001)
    assert tiers.slow == pytest.approx(0.001)
    background.wait()


@pytest.mark.usefixtures("usual_tiers")
def test_nothing_is_lost_in_kernels_that_are_long_themselves() -> None:
    f = tf.function(lambda x: tf.sin(x) * 2.0)
    f(tf.constant(1.0))
    (trace,) = f._list_all_concrete_functions()
    tiers: Any = trace.tiers
    tiers.slow = tiers.last = 0.0
    tiers.note(1.0)
    assert tiers.slow == 0.0
    tiers.note(1e-6 * len(tiers.graph.nodes))
    assert tiers.slow > 0.0
    background.wait()
