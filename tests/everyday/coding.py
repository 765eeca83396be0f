"""Programs and outcomes as JSON, without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from everyday.outcomes import Outcome, is_plain


def encoded(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON has it: of an error the class alone."""
    if outcome.error:
        return {"error": outcome.error}
    leaves = [leaf if is_plain(leaf) else encoded_array(leaf) for leaf in outcome.leaves]
    return {"leaves": leaves, "structure": outcome.structure}


def encoded_array(array: Any) -> list[Any]:
    """Type, shape, and numbers with as many digits as the type needs."""
    numbers = array.ravel().tolist()
    if array.dtype.kind == "f":
        numbers = [float(str(x)) for x in array.ravel()]
    return [array.dtype.name, list(array.shape), numbers]


def decoded(record: dict[str, Any]) -> Outcome:
    """The outcome again."""
    if "error" in record:
        return Outcome(error=record["error"])
    leaves = tuple(
        np.array(leaf[2], leaf[0]).reshape(leaf[1]) if isinstance(leaf, list) else leaf
        for leaf in record["leaves"]
    )
    return Outcome(leaves, record["structure"])
