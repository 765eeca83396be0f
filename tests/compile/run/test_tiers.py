"""When a trace changes to machine code."""

from __future__ import annotations

import time
from typing import Any

import pytest

import graphwright as tf
from graphwright.compile.run.tiers import TierStage
from graphwright.machine import background


class Delay:
    """A job before others in the background."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def run(self) -> None:
        time.sleep(self.seconds)


def counted(n: Any) -> Any:
    total = 0
    for i in tf.range(n):
        total += i % 3
    return total


def called(seconds: float) -> Any:
    """A trace whose last two calls took so long, and which is called while its code is made."""
    f = tf.function(counted)
    delay = Delay(0.5)
    background.submit(delay.run)
    for _ in range(3):
        assert f(tf.constant(7)) == 6
    (trace,) = f._list_all_concrete_functions()
    tiers: Any = trace.tiers
    assert tiers.stage is TierStage.PYTHON
    tiers.last = seconds, seconds
    assert f(tf.constant(8)) == 7
    return tiers


@pytest.mark.usefixtures("usual_tiers")
def test_after_calls_that_took_long_the_next_one_waits_for_code() -> None:
    assert called(60.0).stage is TierStage.EXACT


@pytest.mark.usefixtures("usual_tiers")
def test_after_a_short_call_none_waits() -> None:
    assert called(0.001).stage is TierStage.PYTHON
    background.wait()


@pytest.mark.usefixtures("usual_tiers")
def test_no_call_waits_longer_than_twice_the_shorter_of_the_last_two() -> None:
    assert called(0.06).stage is TierStage.PYTHON
    background.wait()
