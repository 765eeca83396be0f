"""The rules, one class each, by what they are about."""

from __future__ import annotations

from graphwright.lint.rules import (
    control_rules,
    effect_rules,
    iteration_rules,
    keras_rules,
    leak_rules,
    retracing_rules,
    stale_rules,
    value_rules,
    variable_rules,
    wrapping_rules,
)
from graphwright.lint.rules.rule import RULES, Rule

MODULES = (
    effect_rules,
    iteration_rules,
    stale_rules,
    leak_rules,
    variable_rules,
    control_rules,
    retracing_rules,
    value_rules,
    wrapping_rules,
    keras_rules,
)

__all__ = ["MODULES", "RULES", "Rule"]
