"""One call of a program."""

from __future__ import annotations

from typing import Any

from everyday.outcomes import Outcome, array_of, leaves_of, outcome_of, shape_of
from everyday.programs import Loaded


def call(loaded: Loaded, index: int, package: Any) -> Outcome:
    """What a call gives, and what variables hold after it."""
    try:
        result = loaded.call(index)
        leaves = [array_of(leaf, package) for leaf in leaves_of(result)]
        leaves += [array_of(v, package) for v in loaded.variables()]
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return outcome_of(error)
    return Outcome(tuple(leaves), shape_of(result))
