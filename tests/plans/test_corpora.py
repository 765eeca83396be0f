"""The corpora as plans that are interpreted: nothing is read that nobody wrote, no order matters,
and what comes out is what the kernels give."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice

import pytest
from plans.combinations import combinations
from plans.issues import ISSUES
from plans.programs import CORPORA, Case, check
from plans.table import families, unknown

#: Of each corpus, every so many-th program is in the default run.
STRIDES = {
    "steps": 6,
    "tensors": 15,
    "control flow": 60,
    "autograph": 12,
    "nestings": 25,
    "python": 60,
    "control": 12,
    "gradients": 6,
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def all_of(cases: Iterator[Case]) -> int:
    """Checks all cases, and that the table has a cell for all that meets; how many there were."""
    count = 0
    for case in cases:
        try:
            assert unknown(check(case).meetings) == []
        except BaseException:
            print(f"program: {case.name}")
            raise
        count += 1
    return count


@pytest.mark.parametrize("name", ISSUES)
def test_what_was_wrong_once(name: str) -> None:
    check(ISSUES[name])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus(name: str) -> None:
    assert all_of(islice(CORPORA[name](), 0, None, STRIDES[name])) >= 5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CORPORA)
def test_a_whole_corpus(name: str) -> None:
    assert all_of(CORPORA[name]()) > 90


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_a_program_for_each_cell(part: int) -> None:
    assert all_of(islice(families(), part, None, 10)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_makers_ways_and_readers(part: int) -> None:
    assert all_of(islice(combinations(part), 1_000)) == 1_000
