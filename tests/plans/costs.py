"""What plans cost: how many there are of a program, the memory they take, what they copy.

`PYTHONPATH=src:tests python -m plans.costs` records what the programs of `plans.users` cost now.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from plans.programs import tier
from plans.tier import interpreted
from plans.users import USERS, forms, run

from graphwright.compile.memory.arena import bytes_of
from graphwright.compile.nests import lowering
from graphwright.compile.nests.list_statements import Deliver
from graphwright.compile.nests.nest import Copy, Loop, Program, all_statements
from graphwright.compile.nests.sizes import Size

RECORDED = Path(__file__).parent / "costs.json"

#: What a size is that no trace knows.
_UNKNOWN = 5


class Cost(NamedTuple):
    """The cost of a program's plans together."""

    plans: int = 0  # what has none runs as kernels
    bytes: int = 0  # for what is between arguments and results
    copied: int = 0  # elements, each copy counted once
    exchanged: int = 0  # pairs of buffers at the ends of iterations
    statements: int = 0
    reuses: int = 0

    def excess(self, other: Cost) -> list[str]:
        """In which ways it is worse than another one."""
        return [
            f"{name}: {new}, not {old}"
            for name, new, old in zip(self._fields, self, other)
            if (new < old if name in ("plans", "reuses") else new > old)
        ]


def cost_of(plan: Program) -> Cost:
    """What one plan costs."""
    value = plan.sizes()

    def number(size: Size | int) -> int:
        if not isinstance(size, Size):  # a scalar says it
            return _UNKNOWN
        result = value(size)
        return size.factor * _UNKNOWN ** len(size.symbols) if result is None else result

    statements = list(all_statements(plan.body))
    lists = [s for s in statements if isinstance(s, Deliver)]
    return Cost(
        1,
        sum(number(bytes_of(plan.buffers[b])) for b, home in plan.homes if b == home),
        sum(number(s.elements) for s in statements if isinstance(s, Copy))
        + sum(number(s.length) * number(s.item) for s in lists if s.copy),
        sum(len(s.buffers) for s in statements if isinstance(s, Loop)),
        len(statements),
        len(plan.reuses),
    )


@contextmanager
def planned() -> Iterator[list[Program]]:
    """The plans that are made, each after it was verified."""
    plans: list[Program] = []
    given = lowering.verify

    def verify(lowered: Program, plan: Program) -> None:
        given(lowered, plan)
        plans.append(plan)

    lowering.verify = verify
    try:
        yield plans
    finally:
        lowering.verify = given


def total(plans: list[Program]) -> Cost:
    """What all plans cost."""
    return Cost(*map(sum, zip(Cost(), *map(cost_of, plans))))


def recorded() -> dict[str, Cost]:
    """What programs cost when that was recorded, by name and form."""
    return {name: Cost(*numbers) for name, numbers in json.loads(RECORDED.read_text()).items()}


def record() -> None:
    """Writes down what programs cost."""
    logging.disable(logging.WARNING)
    costs = {}
    for name in USERS:
        for form in forms(name):
            with planned() as plans, interpreted(), tier("always"):
                run(USERS[name], form)
            costs[f"{name}, {form}"] = total(plans)
    lines = [f"{json.dumps(name)}: {json.dumps(cost)}" for name, cost in costs.items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record()
