"""Programs as people write them, as plans that are interpreted and as machine code: both give what
the kernels give, and no plan costs more than it did.

A fault of one line in the planner is to show here, within some seconds (`tools/mutate.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from plans.combinations import pairs
from plans.costs import planned, recorded, total
from plans.programs import Case, check, differs, outcome, tier
from plans.users import USERS, forms, run


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def costs() -> Any:
    return recorded()


@pytest.mark.parametrize("name", USERS)
def test_a_plan_gives_what_kernels_give_at_the_cost_that_it_had(name: str, costs: Any) -> None:
    for form in forms(name):
        whole = f"{name}, {form}"
        with planned() as plans:
            log = check(Case(whole, lambda form=form: run(USERS[name], form)))  # type: ignore[misc]
        assert log.refused == 0 or form == "unknown sizes"
        worse = total(plans).excess(costs[whole])
        assert not worse, f"{whole}: {worse}; `python -m plans.costs` records what is meant"


@pytest.mark.parametrize("name", USERS)
def test_machine_code_gives_what_kernels_give(name: str) -> None:
    for form in dict.fromkeys([forms(name)[0], forms(name)[-1]]):
        result = []
        for native in ("off", "always"):
            with tier(native):
                result.append(outcome(lambda form=form: run(USERS[name], form)))
        assert not isinstance(result[0], type)
        assert not differs(*result), form


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_few_makers_and_readers() -> None:
    for case in islice(pairs(), 3, None, 28):
        check(case)


def test_all_costs_are_of_programs(costs: Any) -> None:
    assert list(costs) == [f"{name}, {form}" for name in USERS for form in forms(name)]
