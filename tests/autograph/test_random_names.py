"""Names that statements of every kind bind, read and unbind: Python says which have values."""

from __future__ import annotations

import re

import pytest
from corpora.random_names import differences, may_miss_a_value, write

import graphwright as tf

#: Functions that a graph refuses though Python runs them, and why.
_BY_ANALYSIS = "an inner function writes the name, so any call may"
_AFTER_A_JUMP = "`break` becomes a variable, so a name that is deleted before it may be read"
_NEVER_RAISED = "the block always fails, but what it binds may be read after it"
KNOWN = {364: _BY_ANALYSIS, 434: _AFTER_A_JUMP, 452: _NEVER_RAISED, 598: _BY_ANALYSIS}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_a_graph_has_the_names_that_python_has(part: int, quiet_log: None) -> None:
    for seed in range(20 * part, 20 * part + 20):
        words = differences(write(seed), tf)
        assert not words, f"{seed}: {words}\n{re.sub('<<|>>', '', write(seed))}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(6))
def test_many_graphs_have_the_names_that_python_has(part: int, quiet_log: None) -> None:
    seeds = range(100 * part, 100 * part + 100)
    wrong = {seed for seed in seeds if differences(write(seed), tf)}
    assert wrong == KNOWN.keys() & set(seeds)


@pytest.fixture
def quiet_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")


def annotated(n: tf.Tensor) -> tf.Tensor:
    total = 0
    for i in tf.range(n):
        total: int
        if i > 1:
            step: int
            step = i * 2
            total += step
    return total


def test_a_name_is_annotated_in_a_staged_block() -> None:
    assert tf.function(annotated)(tf.constant(4)) == 10


def cleared(n: tf.Tensor) -> tf.Tensor:
    for i in tf.range(n):
        for last in tf.range(i + 1):  # noqa: B007 - it is read after the loop
            pass
        last = last * 2
    last = 7
    return last


def test_a_name_that_is_bound_anew_after_a_loop_needs_no_turn() -> None:
    for turns in (0, 2):
        assert tf.function(cleared)(tf.constant(turns)) == 7


def matched(n: tf.Tensor, pair: object) -> tf.Tensor:
    for i in tf.range(n):
        found = i
    match pair:
        case (found, _):
            pass
        case found:
            pass
    return found


def test_the_cases_of_a_match_bind_their_names() -> None:
    for turns in (0, 2):
        assert tf.function(matched)(tf.constant(turns), (5, 6)) == 5


def partly_matched(x: tf.Tensor, pair: object) -> tf.Tensor:
    value = 1
    if x > 0:
        value = 2
    match pair:
        case (value, _):
            pass
    return value


def test_a_match_without_a_case_for_all_leaves_names() -> None:
    assert tf.function(partly_matched)(tf.constant(1), 0) == 2


def test_python_shows_what_may_miss_a_value() -> None:
    head = "def f(p, q, n):\n    if <<p > 0>>:\n        a = 1\n"
    assert may_miss_a_value(head + "    return a,", tf)
    assert not may_miss_a_value(head + "    else:\n        a = 2\n    return a,", tf)
