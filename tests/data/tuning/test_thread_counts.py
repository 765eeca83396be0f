"""How many threads have parts of a block, by times that are given."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import graphwright as tf
from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget
from graphwright.data.tuning.thread_counts import CallsAtOnce, WorkDivision
from graphwright.machine.threads import cores


def budget(threads: int, is_tuned: bool = True) -> PipelineBudget:
    """What may be used where AUTOTUNE stands for so many threads."""
    options = tf.data.Options()
    options.autotune.cpu_budget = threads
    options.autotune.enabled = is_tuned
    return PipelineBudget(options)


FOUR = budget(4)


def test_short_blocks_are_not_divided() -> None:
    division = WorkDivision(4)
    assert division.choose(100, FOUR) == 1  # nothing was measured yet
    division.measure(1, 100, 100 * 1e-5)
    assert division.choose(100, FOUR) == 1
    assert division.choose(250, FOUR) == 2
    assert division.choose(10_000, FOUR) == 4
    assert division.choose(1, FOUR) == 1


def test_threads_that_gain_nothing_are_left_alone() -> None:
    division = WorkDivision(AUTOTUNE)
    division.measure(1, 100, 9.0)  # the first block is traced, and does not count
    assert division.choose(100, FOUR) == 1
    division.measure(1, 100, 0.1)
    assert division.choose(100, FOUR) == 4
    division.measure(4, 100, 0.1)
    choices = [division.choose(100, FOUR) for _ in range(200)]
    assert choices.count(4) == 3  # they are tried again, seldom
    division.measure(4, 100, 0.03)
    assert {division.choose(100, FOUR) for _ in range(200)} == {4}
    assert division.words == "4 threads: each element takes 300 us"


def test_threads_that_the_program_wants_are_used() -> None:
    division = WorkDivision(2)
    division.measure(1, 100, 0.1)
    division.measure(2, 100, 0.1)
    assert {division.choose(100, FOUR) for _ in range(100)} == {2}


def test_one_slow_block_counts_little() -> None:
    division = WorkDivision(2)
    division.measure(1, 100, 0.001)
    division.measure(1, 100, 1.0)
    assert division.choose(100, FOUR) == 1
    division.measure(1, 100, 0.0005)
    assert division.words == "1 thread: each element takes 5 us"


def test_threads_are_not_left_alone_where_nothing_is_tuned() -> None:
    division, plain = WorkDivision(AUTOTUNE), budget(4, is_tuned=False)
    for parts in (1, 1, 4):
        division.measure(parts, 100, 0.1)
    assert {division.choose(100, plain) for _ in range(60)} == {4}


def after(number: CallsAtOnce, seconds: float, worked: float = 0.0) -> int:
    """How many calls threads make ahead after elements that took so long."""
    for _ in range(16):
        number.measure(seconds, worked, 1, FOUR)
    return number.choose(FOUR)


def choices_after(number: CallsAtOnce, times: Iterable[tuple[float, float]]) -> list[int]:
    """How many calls are made ahead behind each time: that of threads, else that of the reader."""
    choices = [number.choose(FOUR)]
    for ahead, alone in times:
        choices.append(after(number, ahead if choices[-1] else alone))
    return choices


def test_calls_are_made_by_the_reader_where_threads_hinder_each_other() -> None:
    number = CallsAtOnce(AUTOTUNE)
    assert choices_after(number, [(0.002, 0.001)] * 3) == [4, 4, 0, 0]
    assert number.words == "no threads: an element takes 1 ms, and 2 ms with 4 of them"
    choices = choices_after(number, [(0.002, 0.001)] * 300)
    trials = [place for place, choice in enumerate(choices) if choice]
    assert trials == [4, 13, 30, 63, 128, 193, 258]  # threads are tried again, more and more seldom


def test_no_trial_begins_while_elements_wait_for_code() -> None:
    number = CallsAtOnce(AUTOTUNE)
    starts = [(0.9, 0.002), (0.1, 0.002), (0.003, 0.002), (0.001, 0.002)]
    assert choices_after(number, starts) == [4] * 5
    assert choices_after(number, [(0.001, 0.002)] * 2) == [4, 0, 4]  # what was slow is no reason


def test_what_a_busy_moment_decided_is_decided_anew() -> None:
    number = CallsAtOnce(AUTOTUNE)
    busy = [(0.005, 0.002), (0.005, 0.002), (0.005, 0.002)]
    assert choices_after(number, busy) == [4, 4, 0, 0]
    assert choices_after(number, [(0.001, 0.002)] * 6) == [0, 0, 0, 0, 4, 4, 4]
    choices_after(number, [(0.001, 0.002)] * 40)
    while number.is_trial or not number.is_alone:
        after(number, 0.002 if number.is_alone else 0.005)
    assert choices_after(number, [(0.001, 0.002)] * 6) == [0, 0, 0, 0, 4, 4, 4]


def test_calls_are_made_by_threads_where_these_are_quicker() -> None:
    number = CallsAtOnce(AUTOTUNE)
    choices = choices_after(number, [(0.001, 0.004)] * 150)
    assert number.words == "4 threads: an element takes 1 ms, and 4 ms without them"
    trials = [place for place, choice in enumerate(choices) if not choice]
    assert trials == [2, 7, 16, 33, 66, 131]


@pytest.mark.parametrize("slow", range(3, 30))
def test_a_busy_moment_does_not_change_the_way(slow: int) -> None:
    number = CallsAtOnce(AUTOTUNE)
    times = [(0.001, 0.0015)] * slow
    choices = choices_after(number, [*times, (0.02, 0.03), (0.02, 0.03), *times])
    assert [0, 0] not in [choices[i : i + 2] for i in range(len(choices))]  # but for a trial


def test_calls_that_wait_get_more_threads() -> None:
    number, free = CallsAtOnce(AUTOTUNE), PipelineBudget()
    assert number.choose(free) == cores() + 1
    for worked in (0.0, 0.0, 0.001):
        for _ in range(16):
            number.measure(0.004, worked, 1, free)
    assert number.choose(free) == 4 * cores() + 1
    assert number.choose(FOUR) == 4


def test_calls_that_a_program_counts_are_not_tuned() -> None:
    number = CallsAtOnce(3)
    assert {after(number, 0.01) for _ in range(4)} == {3}
    number = CallsAtOnce(AUTOTUNE)
    for _ in range(64):
        number.measure(0.01, 0.0, 1, budget(4, is_tuned=False))
    assert number.choose(FOUR) == 4
