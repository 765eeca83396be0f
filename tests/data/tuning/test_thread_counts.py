"""How many threads have parts of a block, by times that are given."""

from __future__ import annotations

import graphwright as tf
from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget
from graphwright.data.tuning.thread_counts import CallsAtOnce, WorkDivision


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


def test_calls_are_made_by_the_reader_where_threads_hinder_each_other() -> None:
    number = CallsAtOnce(AUTOTUNE)
    assert number.choose(FOUR) == 4
    assert after(number, 0.9) == 4  # what is new is not measured
    assert after(number, 0.002) == 0  # the other way is tried
    assert after(number, 0.001) == 0
    assert number.words == "no threads: an element takes 1 ms, and 2 ms with 4 of them"
    choices = [0]
    for _ in range(300):
        choices.append(after(number, 0.002 if choices[-1] else 0.001))
    trials = [place for place, choice in enumerate(choices) if choice]
    assert trials == [3, 11, 27, 59, 123, 187, 251]  # threads are tried again, more and more seldom


def test_what_a_busy_moment_decided_is_decided_anew() -> None:
    number = CallsAtOnce(AUTOTUNE)
    choices = [number.choose(FOUR)]
    for busy in (1, 5, 1, *[1] * 5):
        choices.append(after(number, busy * (0.001 if choices[-1] else 0.002)))
    assert choices == [4, 4, 0, 0, 0, 0, 4, 4, 4]


def test_calls_are_made_by_threads_where_these_are_quicker() -> None:
    number = CallsAtOnce(AUTOTUNE)
    number.choose(FOUR)
    assert after(number, 0.9) == 4
    assert after(number, 0.002) == 0
    assert after(number, 0.004) == 4
    assert after(number, 0.001) == 4
    assert number.words == "4 threads: an element takes 1 ms, and 4 ms without them"


def test_one_busy_moment_does_not_end_threads() -> None:
    number = CallsAtOnce(AUTOTUNE)
    choices = [number.choose(FOUR)]
    for busy in (1, 1, 1, 1, 20, 1, 1):
        choices.append(after(number, busy * (0.001 if choices[-1] else 0.0015)))
    assert choices == [4, 4, 0, 4, 4, 4, 0, 4]  # the other way is tried once more


def test_calls_that_wait_get_more_threads() -> None:
    number, free = CallsAtOnce(AUTOTUNE), PipelineBudget()
    cores = number.choose(free)
    for worked in (0.0, 0.0, 0.001):
        for _ in range(16):
            number.measure(0.004, worked, 1, free)
    assert number.choose(free) == 4 * cores
    assert number.choose(FOUR) == 4


def test_calls_that_a_program_counts_are_not_tuned() -> None:
    number = CallsAtOnce(3)
    assert {after(number, 0.01) for _ in range(4)} == {3}
    number = CallsAtOnce(AUTOTUNE)
    for _ in range(64):
        number.measure(0.01, 0.0, 1, budget(4, is_tuned=False))
    assert number.choose(FOUR) == 4
