"""How many threads have parts of a block, by times that are given."""

from __future__ import annotations

from graphwright.data.stage import AUTOTUNE
from graphwright.data.stages.calling_threads import WorkDivision


def test_short_blocks_are_not_divided() -> None:
    division = WorkDivision(4)
    assert division.choose(100) == 1  # nothing was measured yet
    division.measure(1, 100, 100 * 1e-5)
    assert division.choose(100) == 1
    assert division.choose(250) == 2
    assert division.choose(10_000) == 4
    assert division.choose(1) == 1


def test_threads_that_gain_nothing_are_left_alone() -> None:
    division = WorkDivision(AUTOTUNE)
    division.threads = 4
    division.measure(1, 100, 9.0)  # the first block is traced, and does not count
    assert division.choose(100) == 1
    division.measure(1, 100, 0.1)
    assert division.choose(100) == 4
    division.measure(4, 100, 0.1)
    choices = [division.choose(100) for _ in range(200)]
    assert choices.count(4) == 3  # they are tried again, seldom
    division.measure(4, 100, 0.03)
    assert {division.choose(100) for _ in range(200)} == {4}
    assert division.words == "4 threads: each element takes 300 us"


def test_threads_that_the_program_wants_are_used() -> None:
    division = WorkDivision(2)
    division.measure(1, 100, 0.1)
    division.measure(2, 100, 0.1)
    assert {division.choose(100) for _ in range(100)} == {2}


def test_one_slow_block_counts_little() -> None:
    division = WorkDivision(2)
    division.measure(1, 100, 0.001)
    division.measure(1, 100, 1.0)
    assert division.choose(100) == 1
    division.measure(1, 100, 0.0005)
    assert division.words == "1 thread: each element takes 5 us"
