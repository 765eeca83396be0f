"""The elementary functions of native code, by their names in `op.scalars`.

Most programs use few of them, so the modules that write them are imported at first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from graphwright.compile.llvm.functions.lanes import Lanes
from graphwright.machine.exclusion import LLVM


@cache
def writer(module: str, name: str) -> Callable[..., Lanes]:
    """A function of a module, which is imported first."""
    with LLVM:  # forks wait for it: a child can never import a half-imported module
        function: Callable[..., Lanes] = getattr(import_module(f"{__package__}.{module}"), name)
    return function


def of(module: str, *names: str) -> dict[str, Callable[..., Lanes]]:
    """The functions of a module by name, which import it when they are called."""
    return {name: lambda *lanes, name=name: writer(module, name)(*lanes) for name in names}


UNARY: dict[str, Callable[..., Lanes]] = {
    **of("angles", "acos", "asin", "atan", "cos", "sin", "tan"),
    **of("error_functions", "erf", "erfc"),
    **of("exponentials", "cosh", "exp", "expm1", "sigmoid", "sinh", "tanh"),
    **of("gamma_functions", "digamma", "expint"),
    **of("logarithms", "acosh", "asinh", "atanh", "log", "log1p"),
    **of(
        "bessel_functions",
        "bessel_i0",
        "bessel_i0e",
        "bessel_i1",
        "bessel_i1e",
        "bessel_j0",
        "bessel_j1",
        "bessel_k0",
        "bessel_k0e",
        "bessel_k1",
        "bessel_k1e",
        "bessel_y0",
        "bessel_y1",
    ),
}
BINARY: dict[str, Callable[..., Lanes]] = {**of("angles", "atan2"), **of("powers", "pow")}
