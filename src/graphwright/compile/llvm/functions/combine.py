"""The combinations of reductions: identities, lanes with lanes, all lanes of a vector."""

from __future__ import annotations

from math import log

from graphwright.compile.llvm.emitter import Reg, bits, is_float, is_signed
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.compile.nests.element_kinds import HALVES


def identity(combine: str, kind: str) -> float:
    """The identity of a combination: it changes no value. Slices without one replace zeros."""
    if combine in ("", "sum", "any"):
        return 0
    if combine in ("prod", "all"):
        return 1
    greatest = combine in ("max", "peak", "logsumexp")
    if is_float(kind) or kind in HALVES:
        return -float("inf") if greatest else float("inf")
    if kind == "b1":
        return 0 if greatest else 1
    size = bits(kind)
    if is_signed(kind):
        return -(1 << (size - 1)) if greatest else (1 << (size - 1)) - 1
    return 0 if greatest else (1 << size) - 1


def combined(f: FunctionWriter, combine: str, x: Reg, y: Reg) -> Reg:
    """Two values combined, lane by lane."""
    scalars = f.scalars()
    if combine == "sum":
        return scalars.add(x, y)
    if combine == "prod":
        return scalars.mul(x, y)
    if combine in ("all", "any"):
        return f.e.binary("and" if combine == "all" else "or", x, y)
    if combine in ("fmax", "fmin"):  # NaN gives way to numbers
        beyond = f.e.compare("ogt" if combine == "fmax" else "olt", y, x)
        return f.e.select(f.e.binary("or", beyond, f.e.compare("uno", x, x)), y, x)
    if combine in ("newer_max", "newer_min"):  # NaN gives way to what comes later
        return f.e.select(f.e.compare("ogt" if combine == "newer_max" else "olt", x, y), x, y)
    if combine == "logsumexp":
        return log_of_sum(f, x, y)
    if combine in ("peak", "trough"):
        return f.e.select(f.e.compare("ogt" if combine == "peak" else "olt", y, x), y, x)
    return scalars.binary("maximum" if combine == "max" else "minimum", x, y)


def log_of_sum(f: FunctionWriter, x: Reg, y: Reg) -> Reg:
    """log(exp(x) + exp(y)), without overflow."""
    s = f.scalars()
    greater = s.binary("maximum", x, y)
    smaller = s.unary("log1p", s.unary("exp", s.sub(s.binary("minimum", x, y), greater)))
    twice = s.add(x, s.constant(log(2), x))  # of infinities too
    return s.select(s.compare("eq", x, y), twice, s.add(greater, smaller))


def horizontal(f: FunctionWriter, combine: str, x: Reg) -> Reg:
    """All lanes of a vector combined, halves with halves: no machine does it in another order."""
    if x.kind == "b1" and x.lanes > 1 and combine in ("all", "any"):
        word = f"i{x.lanes}"  # of a bit for each lane
        bits_of_all = f.e.assign("i64", 1, f"bitcast {x} to {word}").text
        test, limit = ("eq", -1) if combine == "all" else ("ne", 0)
        return f.e.assign("b1", 1, f"icmp {test} {word} {bits_of_all}, {limit}")
    while x.lanes > 1:
        half = x.lanes // 2
        low, high = [f.e.picked(x, range(start, start + half)) for start in (0, half)]
        x = combined(f, combine, low, high)
    return x
