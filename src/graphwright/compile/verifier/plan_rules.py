"""The rules of docs/engineering/plans.md, and the refusal of a plan that breaks one."""

from __future__ import annotations

from enum import Enum
from typing import NoReturn

from graphwright.compile.nests.nest import Statement


class PlanRule(Enum):
    """The invariants of plans; docs/engineering/plans.md numbers and explains them."""

    SAME_PROGRAM = "1, the same statements"
    SCALARS = "2, scalars are defined"
    BOUNDED = "3, places are bounded"
    VALUES = "4, readers find their values"
    SHARED = "5, memory that is shared"
    IN_PLACE = "6, writing in place"
    ORDER = "7, no order matters"
    EXCHANGES = "8, exchanges"
    LISTS = "9, lists"
    RESULTS = "10, results"
    ARGUMENTS = "11, arguments"


class Refused(Exception):
    """A plan breaks a rule, in a statement if that is known."""

    def __init__(self, rule: PlanRule, words: str, statement: Statement | None = None) -> None:
        super().__init__(f"rule {rule.value}: {words}")
        self.rule, self.statement = rule, statement


def refuse(rule: PlanRule, words: str) -> NoReturn:
    """Refuses the plan."""
    raise Refused(rule, words)


def require(condition: object, rule: PlanRule, words: str) -> None:
    """Refuses the plan unless a condition holds."""
    if not condition:
        raise Refused(rule, words)
