"""Registers with Python's operators, so that the formulas of elementary functions read as such."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import wraps
from typing import TypeAlias, Union

from graphwright.compile.llvm.emitter import KINDS, Emitter, Reg, bits, is_float, is_signed

Operand: TypeAlias = Union["Lanes", float]

#: The integers of a floating-point kind's bits, and its format: explicit bits of the
#: significand, the bias of the exponent.
INTEGERS = {"f32": "i32", "f64": "i64"}
FORMATS = {"f32": (23, 127), "f64": (52, 1023)}
ORDERED = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


class Lanes:
    """A register and the emitter that its operators write to.

    Numbers beside it become constants of its kind in every lane. Comparisons with NaN are
    false, but for `ne`. Shifts to the right keep the sign of a signed kind.
    """

    __slots__ = ("emitter", "reg")

    def __init__(self, emitter: Emitter, reg: Reg) -> None:
        self.emitter = emitter
        self.reg = reg

    # -- kind and value --------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of each element."""
        return self.reg.kind

    def constant(self, value: float) -> Lanes:
        """A constant of the same kind in every lane."""
        return Lanes(self.emitter, self.emitter.like(value, self.reg))

    def known(self) -> float | None:
        """The value of every lane, if it is a constant."""
        return known(self.reg)

    # -- arithmetic ----------------------------------------------------------------------

    def __add__(self, other: Operand) -> Lanes:
        return self._binary("fadd" if is_float(self.kind) else "add", other)

    def __sub__(self, other: Operand) -> Lanes:
        return self._binary("fsub" if is_float(self.kind) else "sub", other)

    def __rsub__(self, other: float) -> Lanes:
        return self.constant(other) - self

    def __mul__(self, other: Operand) -> Lanes:
        return self._binary("fmul" if is_float(self.kind) else "mul", other)

    def __truediv__(self, other: Operand) -> Lanes:
        return self._binary("fdiv", other)

    def __rtruediv__(self, other: float) -> Lanes:
        return self.constant(other) / self

    def __neg__(self) -> Lanes:
        if is_float(self.kind):
            return Lanes(self.emitter, self.emitter.unary("fneg", self.reg))
        return self.constant(0) - self

    # -- bits ----------------------------------------------------------------------------

    def __and__(self, other: Operand) -> Lanes:
        return self._binary("and", other)

    def __or__(self, other: Operand) -> Lanes:
        return self._binary("or", other)

    def __xor__(self, other: Operand) -> Lanes:
        return self._binary("xor", other)

    def __invert__(self) -> Lanes:
        return self ^ (1 if self.kind == "b1" else -1)

    def __lshift__(self, other: Operand) -> Lanes:
        return self._binary("shl", other)

    def __rshift__(self, other: Operand) -> Lanes:
        return self._binary("ashr" if is_signed(self.kind) else "lshr", other)

    def to_bits(self) -> Lanes:
        """The bits of floating-point numbers as signed integers."""
        return Lanes(self.emitter, self.emitter.bitcast(self.reg, INTEGERS[self.kind]))

    def from_bits(self) -> Lanes:
        """Integers as the floating-point numbers that have these bits."""
        kind = "f32" if bits(self.kind) == 32 else "f64"
        return Lanes(self.emitter, self.emitter.bitcast(self.reg, kind))

    # -- comparison ----------------------------------------------------------------------

    def __lt__(self, other: Operand) -> Lanes:
        return self.compare("lt", other)

    def __le__(self, other: Operand) -> Lanes:
        return self.compare("le", other)

    def __gt__(self, other: Operand) -> Lanes:
        return self.compare("gt", other)

    def __ge__(self, other: Operand) -> Lanes:
        return self.compare("ge", other)

    def eq(self, other: Operand) -> Lanes:
        """Whether both are equal."""
        return self.compare("eq", other)

    def ne(self, other: Operand) -> Lanes:
        """Whether they differ; NaN differs from all."""
        return self.compare("ne", other)

    def is_nan(self) -> Lanes:
        """Whether it is not a number."""
        return self._wrap(self.emitter.compare("uno", self.reg, self.reg))

    def compare(self, relation: str, other: Operand) -> Lanes:
        """A comparison: `lt`, `le`, `gt`, `ge`, `eq` or `ne`."""
        if is_float(self.kind):
            predicate = ORDERED[relation]
        elif relation in ("eq", "ne"):
            predicate = relation
        else:
            predicate = ("s" if is_signed(self.kind) else "u") + relation
        return self._wrap(self.emitter.compare(predicate, self.reg, self._reg(other)))

    # -- functions of machines ------------------------------------------------------------

    def abs(self) -> Lanes:
        """|x| of floating-point numbers."""
        return self._wrap(self.emitter.intrinsic("fabs", self.reg))

    def sqrt(self) -> Lanes:
        """The square root, correctly rounded."""
        return self._wrap(self.emitter.intrinsic("sqrt", self.reg))

    def rounded(self, how: str) -> Lanes:
        """`rint`, `floor`, `ceil` or `trunc`."""
        return self._wrap(self.emitter.intrinsic(how, self.reg))

    def with_sign_of(self, other: Lanes) -> Lanes:
        """|x| with the sign of another."""
        return self._wrap(self.emitter.intrinsic("copysign", self.reg, other.reg))

    def at_most(self, limit: Operand) -> Lanes:
        """The lesser of x and a limit that is not NaN; NaN where x is."""
        limit = self._lanes(limit)
        return select(limit < self, limit, self)

    def at_least(self, limit: Operand) -> Lanes:
        """The greater of x and a limit that is not NaN; NaN where x is."""
        limit = self._lanes(limit)
        return select(limit > self, limit, self)

    # -- other kinds ---------------------------------------------------------------------

    def cast(self, opcode: str, kind: str) -> Lanes:
        """`sext`, `trunc`, `sitofp`, `fpext`, ... to a kind."""
        return self._wrap(self.emitter.cast(opcode, self.reg, kind))

    def widened(self) -> Lanes:
        """float32 as float64."""
        return self.cast("fpext", "f64")

    def narrowed(self) -> Lanes:
        """float64 rounded to float32."""
        return self.cast("fptrunc", "f32")

    # -- helpers ---------------------------------------------------------------------------

    def _wrap(self, reg: Reg) -> Lanes:
        return Lanes(self.emitter, reg)

    def _reg(self, other: Operand) -> Reg:
        return other.reg if isinstance(other, Lanes) else self.emitter.like(other, self.reg)

    def _lanes(self, other: Operand) -> Lanes:
        return other if isinstance(other, Lanes) else self.constant(other)

    def _binary(self, opcode: str, other: Operand) -> Lanes:
        return self._wrap(self.emitter.binary(opcode, self.reg, self._reg(other)))


def fma(x: Lanes, y: Operand, z: Operand) -> Lanes:
    """x * y + z, rounded once."""
    emitter = x.emitter
    return Lanes(emitter, emitter.fma(x.reg, x._reg(y), x._reg(z)))


def select(condition: Lanes, x: Lanes, y: Operand) -> Lanes:
    """x where the condition holds, else y."""
    emitter = x.emitter
    return Lanes(emitter, emitter.select(condition.reg, x.reg, x._reg(y)))


def choose(condition: Lanes, x: float, y: Lanes) -> Lanes:
    """A constant where the condition holds, else y."""
    return select(condition, y.constant(x), y)


def polynomial(x: Lanes, coefficients: tuple[float, ...], square: Lanes | None = None) -> Lanes:
    """c0 + c1 x + c2 x^2 + ..., the even and the odd powers side by side; `square` is x^2."""
    if len(coefficients) < 4:
        return horner(x, coefficients)
    square = square or x * x
    return fma(horner(square, coefficients[1::2]), x, horner(square, coefficients[::2]))


def horner(x: Lanes, coefficients: tuple[float, ...]) -> Lanes:
    """c0 + c1 x + c2 x^2 + ..., with one multiplication for each power."""
    total = x.constant(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = fma(total, x, coefficient)
    return total


def in_double(rule: Callable[[Lanes], Lanes]) -> Callable[[Lanes], Lanes]:
    """A rule for float64 that serves float32 too: computed in float64 and rounded once."""

    @wraps(rule)
    def both(x: Lanes) -> Lanes:
        return rule(x) if x.kind == "f64" else rule(x.widened()).narrowed()

    return both


def known(reg: Reg) -> float | None:
    """The value of every lane of a register, if that is a constant."""
    text = reg.text
    if text.startswith("splat ("):
        text = text[len("splat (") + len(KINDS[reg.kind][0]) + 1 : -1]
    if text.startswith(("%", "<")):
        return None
    if text in ("true", "false"):
        return float(text == "true")
    if text.startswith("0xH"):
        value: float = struct.unpack("<e", int(text[3:], 16).to_bytes(2, "little"))[0]
        return value
    if reg.kind == "bf16":
        return float_of(int(text) << 16, "f")
    return float_of(int(text, 16), "d") if is_float(reg.kind) else int(text)


def float_of(bits: int, format: str) -> float:
    """The number that has these bits, of 32 ("f") or 64 ("d")."""
    value: float = struct.unpack("<" + format, struct.pack("<Q", bits)[: struct.calcsize(format)])[
        0
    ]
    return value
