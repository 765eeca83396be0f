"""The table of values and readers: what meets what in a plan, and what cannot."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from plans import table
from plans.combinations import case
from plans.meetings import Meeting, ways
from plans.memory import Here
from plans.programs import Case, check, traced

import graphwright as tf


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


#: Cells that nothing fills and no rule explains: this number only falls.
MOST_EMPTY = 1

BODY = (3, "body", 0), (3, "body", 1)
THEN = (5, "then", 0)


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (Here((), 1), Here((), 2), ["beside"]),
        (Here((BODY[0],), 1), Here((BODY[0],), 2), ["beside"]),
        (Here((BODY[0],), 1), Here((BODY[1],), 0), ["carried"]),
        (Here((BODY[0],), 1), Here(((3, "condition", 1),), 0), ["carried"]),
        (Here((), 1), Here((BODY[1],), 0), ["into a loop"]),
        (Here((BODY[0], THEN), 1), Here((BODY[0],), 6), ["out of a branch"]),
        (Here((BODY[1],), 1), Here((THEN,), 6), ["out of a loop", "into a branch"]),
    ],
)
def test_the_ways_of_values(one: Here, other: Here, found: list[str]) -> None:
    assert ways(one, other) == found


def meetings(program: Case) -> Counter[Meeting]:
    """What meets what in a program."""
    return check(program).meetings


def test_a_sum_of_a_product_that_a_loop_carries() -> None:
    def program(x, n):  # type: ignore[no-untyped-def]
        for _ in tf.range(n):
            x = tf.matmul(x, x) + tf.reduce_sum(x, 0)
        return x

    x = np.full((3, 3), 0.1, np.float32)
    met = meetings(Case("carried", lambda: traced(program, [(x, 2)])))
    assert Meeting("elementwise", "carried", "Multiply a") in met
    assert Meeting("Multiply", "beside", "elementwise") in met
    assert Meeting("accumulation", "beside", "elementwise") in met
    assert Meeting("loop variable", "carried", "straight") in met


@pytest.fixture(scope="module")
def programs() -> dict[str, Case]:
    """All programs that are made for the table."""
    return {program.name: program for program in table.families()}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "part", [0, 1, *[pytest.param(part, marks=pytest.mark.slow) for part in range(2, 8)]]
)
def test_programs_fill_their_cells(programs: dict[str, Case], part: int) -> None:
    for name, cells in islice(table.recorded().items(), part, None, 8):
        met = meetings(programs[name])
        assert [cell for cell in cells if cell not in met] == [], name
        assert table.unknown(met) == [], name


def test_each_cell_is_filled_or_cannot_be_or_was_tried() -> None:
    filled = Counter([cell for cells in table.recorded().values() for cell in cells])
    assert set(table.empty(filled)) == table.TRIED.keys()


def test_little_is_left_empty() -> None:
    assert len(table.TRIED) <= MOST_EMPTY


def test_programs_that_fill_most_come_first() -> None:
    a, b, c = [Meeting("Scan", "beside", r) for r in ("Scan", "Copy", "result")]
    nowhere = Meeting("Scan", "beside", "gather place")
    programs = {"one": {a}, "two": {a, b}, "all but one": {b, c, nowhere}, "other": {a, nowhere}}
    assert table.covering(programs) == {"two": [b, a], "all but one": [c]}


@pytest.mark.parametrize(
    ("made", "way", "reader"),
    [
        ("Clear", "carried", "Scan"),
        ("Multiply", "carried", "Multiply c"),
        ("scatter", "carried", "scatter sum"),
        ("list length", "into a loop", "Extend length"),
        ("constant", "beside", "Scan"),
    ],
)
def test_a_rule_leaves_open_what_a_program_does(made: str, way: str, reader: str) -> None:
    assert table.why_not(made, way, reader) == ""


def test_all_that_meets_has_a_cell() -> None:
    met: Counter[Meeting] = Counter()
    some = [case("roll", way, "an array", (3,), slope=True) for way in ("beside", "carried")]
    programs = [*some, *islice(table.programs(0), 20, None, 200)]
    for program in programs:
        met.update(meetings(program))
    assert len(met) > 100
    assert table.unknown(met) == []


def test_a_cell_is_filled_or_empty_or_cannot_be() -> None:
    met = Counter([Meeting("Multiply", "carried", "Multiply a")])
    cells = set(itertools.starmap(Meeting, itertools.product(*table.AXES)))
    left = set(table.empty(met))
    never = {cell for cell in cells if table.why_not(*cell)}
    assert cells == left | never | set(met)
    assert not left & never
    shown = table.text(met)
    assert "Multiply a" in shown
    assert "." in shown
