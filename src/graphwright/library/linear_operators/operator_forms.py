"""What linear operators make of themselves by classes that stand on theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class OperatorForms:
    """Makes the adjoint, the inverse and products of operators; `hooks` provides it."""

    adjoint: Callable[[Any], Any]
    inversion: Callable[[Any], Any]
    product: Callable[[Any, Any], Any]
    triangular: Callable[..., Any]
