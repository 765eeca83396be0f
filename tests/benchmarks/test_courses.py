"""The time until the n-th result: how it is taken, and what the tables say of it."""

from __future__ import annotations

import sys

import pytest

from benchmarks.whole_programs import courses
from benchmarks.whole_programs.course_worker import Course
from benchmarks.whole_programs.whole_program import COUNTS

TIMES = {0: 100.0, **{count: 10.0 * count for count in COUNTS}}
TWICE = [Course(TIMES, 64.0, 30.0, 5.0)] * 3
SLOW = [Course({0: 900.0, 1: 5.0, 2: 40.0}, 128.0)]  # it took too long after the second result
QUICK = [Course({**TIMES, 0: 0.0}, 160.0)]
RUN = {"queens": {"graphwright": TWICE, "jax": SLOW, "torch": QUICK}}


def test_a_course_is_that_of_a_process_of_its_own() -> None:
    course = courses.measured("graphwright", sys.executable, "queens")
    assert course is not None
    times = course.times
    assert [*times] == [0, *COUNTS]
    until = [times[count] for count in COUNTS]
    assert until == sorted(until)
    assert min(times.values()) > 0.0
    assert 20.0 < course.peak < 1000.0
    assert course.compiling is not None
    assert 0.0 < course.compiling < times[100] + 10_000.0
    assert course.code is not None
    assert course.code > 1.0


def test_a_peer_that_fails_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert courses.measured("numpy", sys.executable, "queens") is None
    assert "queens, numpy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("has_import", "count", "expected"),
    [(False, 1, 2.0), (False, 2, 1.0), (True, 1, 11.0), (True, 100, 1.1)],
)
def test_a_ratio_is_to_the_best_peer_that_came_so_far(
    has_import: bool, count: int, expected: float
) -> None:
    ours = courses.median(TWICE, count, has_import)
    best = courses.best(RUN["queens"], count, has_import)
    assert ours is not None
    assert best is not None
    assert ours / best == pytest.approx(expected)


def test_the_page_has_each_peer_and_each_program() -> None:
    text = courses.page(RUN)
    assert "| jax | 1 | 2 | 0.5 | - | - | - | - |" in text
    assert "| torch | 1 | 1 | 1 | 1 | 1 | 1 | 1 |" in text
    assert "| `queens` ways of 6 queens | 110 (11) |" in text
    assert "| `queens` ways of 6 queens | 64 | 0.5 (jax) | 30 | 5 |" in text
