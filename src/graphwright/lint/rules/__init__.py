"""The rules, one class each, by what they are about."""

from __future__ import annotations

from graphwright.lint.rules import (
    control,
    conversion,
    effects,
    iteration,
    leaks,
    retracing,
    stale,
    variables,
    wrapping,
)
from graphwright.lint.rules.rule import RULES, Rule

MODULES = (
    effects,
    iteration,
    stale,
    leaks,
    variables,
    control,
    retracing,
    conversion,
    wrapping,
)

__all__ = ["MODULES", "RULES", "Rule"]
