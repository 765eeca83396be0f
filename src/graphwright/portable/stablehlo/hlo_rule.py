"""The table of ops that have a rule for StableHLO, which the modules in `rules` fill."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

#: The rules by the names of our ops: from a writer, the op and its operands to the results.
RULES: dict[str, Callable[..., Any]] = {}

#: The modules that state rules.
_KINDS = ("hlo_control", "hlo_elements", "hlo_lists", "hlo_movement", "hlo_places", "hlo_products",
          "hlo_reductions", "hlo_windows")  # fmt: skip

Rule = TypeVar("Rule", bound=Callable[..., Any])


def hlo_rule(*ours: str) -> Callable[[Rule], Rule]:
    """A decorator: the function writes ops of these types."""

    def enter(write: Rule) -> Rule:
        for name in ours:
            assert name not in RULES, name
            RULES[name] = write
        return write

    return enter


@cache
def hlo_rules() -> dict[str, Callable[..., Any]]:
    """The whole table."""
    for module in _KINDS:
        importlib.import_module(f"graphwright.portable.stablehlo.rules.{module}")
    return RULES
