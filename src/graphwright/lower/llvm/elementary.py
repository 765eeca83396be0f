"""The elementary functions that native code has, by their names in `op.scalars`."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.lower.llvm import (
    angles,
    bessel_functions,
    error_functions,
    exponentials,
    gamma_functions,
    logarithms,
    powers,
)
from graphwright.lower.llvm.lanes import Lanes

UNARY: dict[str, Callable[[Lanes], Lanes]] = {
    "acos": angles.acos,
    "acosh": logarithms.acosh,
    "asin": angles.asin,
    "asinh": logarithms.asinh,
    "atan": angles.atan,
    "atanh": logarithms.atanh,
    "cos": angles.cos,
    "cosh": exponentials.cosh,
    "digamma": gamma_functions.digamma,
    "erf": error_functions.erf,
    "erfc": error_functions.erfc,
    "exp": exponentials.exp,
    "expint": gamma_functions.expint,
    "expm1": exponentials.expm1,
    "log": logarithms.log,
    "log1p": logarithms.log1p,
    "sigmoid": exponentials.sigmoid,
    "sin": angles.sin,
    "sinh": exponentials.sinh,
    "tan": angles.tan,
    "tanh": exponentials.tanh,
    **bessel_functions.RULES,
}
BINARY: dict[str, Callable[[Lanes, Lanes], Lanes]] = {
    "atan2": angles.atan2,
    "pow": powers.pow,
}
