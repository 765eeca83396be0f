"""The elementary functions of native code, by their names in `op.scalars`.

Most programs use few of them, so the modules that write them are imported at first use. The code of
one is long. So a function that uses one often calls it, and a module has its code once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from graphwright.compile.llvm.emitter import Emitter, Reg, type_of
from graphwright.compile.llvm.functions.lanes import Lanes
from graphwright.machine.exclusion import LLVM
from graphwright.machine.targets import vectors

#: The uses of an elementary function by one function that are not calls: of vectors, of numbers.
_IN_PLACE, _NUMBERS_IN_PLACE = 2, 4


@cache
def writer(module: str, name: str) -> Callable[..., Lanes]:
    """A function of a module, which is imported first."""
    with LLVM:  # forks wait for it: a child can never import a half-imported module
        function: Callable[..., Lanes] = getattr(import_module(f"{__package__}.{module}"), name)
    return function


def applied(module: str, name: str, *lanes: Lanes) -> Lanes:
    """The result of a function: in place at its first uses, else by a call."""
    rule = writer(module, name)
    first = lanes[0]
    if any(x.known() is not None for x in lanes):
        return rule(*lanes)
    symbol = f"{name}.{first.kind}.{first.reg.lanes}"
    first.emitter.uses[symbol] += 1
    if first.emitter.uses[symbol] <= (_NUMBERS_IN_PLACE if first.reg.lanes == 1 else _IN_PLACE):
        return rule(*lanes)
    return called(rule, symbol, *lanes)


def called(rule: Callable[..., Lanes], symbol: str, *lanes: Lanes) -> Lanes:
    """The result of a call of a function that does what a rule writes."""
    emitter, kind, count = lanes[0].emitter, lanes[0].kind, lanes[0].reg.lanes
    operands = ", ".join([str(x.reg) for x in lanes])
    if symbol not in emitter.declarations:
        inner = Emitter()
        parameters = [Reg(f"%x{i}", kind, count) for i in range(len(lanes))]
        result = rule(*[Lanes(inner, x) for x in parameters]).reg
        given = ", ".join(map(str, parameters))
        head = f"define internal {result.type} @{symbol}({given}) {vectors().attributes} {{"
        emitter.declarations.update(inner.declarations)
        emitter.declarations[symbol] = "\n".join(
            [head, "entry:", *inner.lines, f"  ret {result}", "}"]
        )
    type_ = type_of(kind, count)
    return Lanes(emitter, emitter.assign(kind, count, f"call {type_} @{symbol}({operands})"))


def of(module: str, *names: str) -> dict[str, Callable[..., Lanes]]:
    """The functions of a module by name, which import it when they are called."""
    return {name: lambda *lanes, name=name: applied(module, name, *lanes) for name in names}


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
