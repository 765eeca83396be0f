"""Straight LLVM text, in SSA form, for scalars and explicit vectors alike.

LLVM's parser reads text fastest, and explicit vectors need no optimizer: this text goes to code
generation as it is. A register knows its kind and its number of lanes. The same code emits scalar
instructions for one lane and vector ones for many.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from math import copysign

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.targets import vectors

#: Kinds of elements: LLVM's type, bits. A bf16 is the upper half of an f32. Elements of bf16 and
#: f16 are only stored.
KINDS = {
    "f32": ("float", 32),
    "f64": ("double", 64),
    "i8": ("i8", 8),
    "i16": ("i16", 16),
    "i32": ("i32", 32),
    "i64": ("i64", 64),
    "u8": ("i8", 8),
    "u16": ("i16", 16),
    "u32": ("i32", 32),
    "u64": ("i64", 64),
    "f16": ("half", 16),
    "bf16": ("i16", 16),
    "b1": ("i1", 1),
    "ptr": ("ptr", 64),
}


def is_float(kind: str) -> bool:
    """Whether elements of a kind are floating-point numbers."""
    return kind[0] == "f"


def is_signed(kind: str) -> bool:
    """Whether elements of a kind are signed integers."""
    return kind[0] == "i"


def bits(kind: str) -> int:
    """The bits of an element."""
    return KINDS[kind][1]


class Reg(NamedTuple):
    """An SSA value: a register's name, or a constant's text."""

    text: str
    kind: str
    lanes: int = 1

    @property
    def type(self) -> str:
        """The LLVM type."""
        return type_of(self.kind, self.lanes)

    def __str__(self) -> str:
        return f"{type_of(self.kind, self.lanes)} {self.text}"


@cache
def type_of(kind: str, lanes: int) -> str:
    """The LLVM type of a scalar or a vector."""
    name = KINDS[kind][0]
    return name if lanes == 1 else f"<{lanes} x {name}>"


def literal(kind: str, value: float) -> str:
    """The exact text of a constant: floating-point numbers by their bits."""
    if kind == "b1":
        return "true" if value else "false"
    if kind == "f16":
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    if kind == "bf16":
        (word,) = struct.unpack("<I", struct.pack("<f", value))
        return str((word + 0x7FFF + (word >> 16 & 1)) >> 16)
    if is_float(kind):
        if kind == "f32":
            value = struct.unpack("f", struct.pack("f", value))[0]
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return str(int(value))


class Emitter:
    """The instructions of one function, and the intrinsics that they need declared."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}  # and functions that are written once
        self.uses: Counter[str] = Counter()  # of elementary functions
        self.choices: set[str] = set()  # the names of vectors that a condition selects
        self.whole: set[str] = set()  # the names of floats that were integers
        self.block = "entry"
        self._count = 0

    # -- text ----------------------------------------------------------------------------

    def fresh(self, prefix: str = "v") -> str:
        """A new name."""
        self._count += 1
        return f"%{prefix}{self._count}"

    def line(self, text: str) -> None:
        """Adds an instruction without a result."""
        self.lines.append("  " + text)

    def assign(self, kind: str, lanes: int, text: str) -> Reg:
        """The result of an instruction, which is added."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return Reg(name, kind, lanes)

    def label(self, name: str) -> None:
        """Starts a block; `name` without the percent sign."""
        self.lines.append(f"{name}:")
        self.block = name

    def fresh_label(self, prefix: str) -> str:
        """A new label."""
        self._count += 1
        return f"{prefix}{self._count}"

    # -- values --------------------------------------------------------------------------

    def constant(self, kind: str, value: float, lanes: int = 1) -> Reg:
        """A constant in every lane."""
        return constant(kind, value, copysign(1, value), lanes)

    def like(self, value: float, x: Reg) -> Reg:
        """A constant of the kind and lanes of `x`."""
        return self.constant(x.kind, value, x.lanes)

    def splat(self, x: Reg, lanes: int) -> Reg:
        """A scalar in every lane."""
        if x.lanes == lanes:
            return x
        if not x.text.startswith("%"):
            return Reg(f"splat ({x.type} {x.text})", x.kind, lanes)
        vector = type_of(x.kind, lanes)
        first = self.assign(x.kind, lanes, f"insertelement {vector} poison, {x}, i32 0")
        return self.assign(
            x.kind,
            lanes,
            f"shufflevector {first}, {vector} poison, <{lanes} x i32> zeroinitializer",
        )

    def picked(self, x: Reg, numbers: Sequence[int]) -> Reg:
        """Some lanes of a register, in the order of their numbers."""
        if x.lanes == 1:
            return self.splat(x, len(numbers))
        if len(numbers) == 1:
            return self.assign(x.kind, 1, f"extractelement {x}, i32 {numbers[0]}")
        mask = ", ".join([f"i32 {i}" for i in numbers])
        text = f"shufflevector {x}, {x.type} poison, <{len(numbers)} x i32> <{mask}>"
        return self.assign(x.kind, len(numbers), text)

    def joined(self, low: Reg, high: Reg) -> Reg:
        """The lanes of two registers of one type."""
        count = 2 * low.lanes
        mask = ", ".join([f"i32 {i}" for i in range(count)])
        return self.assign(
            low.kind, count, f"shufflevector {low}, {high}, <{count} x i32> <{mask}>"
        )

    # -- instructions --------------------------------------------------------------------

    def binary(self, opcode: str, x: Reg, y: Reg) -> Reg:
        """`fadd`, `sub`, `and`, `ashr`, ... on two registers of one type."""
        return self.assign(x.kind, x.lanes, f"{opcode} {x}, {y.text}")

    def unary(self, opcode: str, x: Reg) -> Reg:
        """`fneg`, the one such opcode."""
        return self.assign(x.kind, x.lanes, f"{opcode} {x}")

    def compare(self, predicate: str, x: Reg, y: Reg) -> Reg:
        """A comparison by LLVM's predicate: `olt`, `une`, `slt`, ..."""
        opcode = "fcmp" if is_float(x.kind) else "icmp"
        return self.assign("b1", x.lanes, f"{opcode} {predicate} {x}, {y.text}")

    def select(self, condition: Reg, x: Reg, y: Reg) -> Reg:
        """`x` where the condition holds, else `y`."""
        chosen = self.assign(x.kind, x.lanes, f"select {condition}, {x}, {y}")
        if x.lanes > 1:
            self.choices.add(chosen.text)
        return chosen

    def bitcast(self, x: Reg, kind: str) -> Reg:
        """The same bits as another kind of the same size."""
        if KINDS[x.kind][0] == KINDS[kind][0]:
            return Reg(x.text, kind, x.lanes)
        return self.assign(kind, x.lanes, f"bitcast {x} to {type_of(kind, x.lanes)}")

    def cast(self, opcode: str, x: Reg, kind: str) -> Reg:
        """`sext`, `trunc`, `sitofp`, `fpext`, ... to a kind."""
        result = self.assign(kind, x.lanes, f"{opcode} {x} to {type_of(kind, x.lanes)}")
        if opcode in ("sitofp", "uitofp"):
            self.whole.add(result.text)
        return result

    def cast_integer(self, x: Reg, kind: str) -> Reg:
        """A signed integer with the bits of a kind."""
        if bits(kind) == bits(x.kind):
            return Reg(x.text, kind, x.lanes)
        return self.cast("trunc" if bits(kind) < bits(x.kind) else "sext", x, kind)

    def intrinsic(self, name: str, *arguments: Reg, kind: str = "", flags: str = "") -> Reg:
        """`llvm.NAME` overloaded on its first argument: `fma`, `sqrt`, `floor`, `smax`, ..."""
        first = arguments[0]
        result = kind or first.kind
        types = tuple([a.type for a in arguments])
        symbol, declaration, call = declared(
            name, first.kind, first.lanes, result, types, flags_type(flags)
        )
        self.declarations[symbol] = declaration
        operands = ", ".join([f"{a.type} {a.text}" for a in arguments])
        return self.assign(result, first.lanes, f"{call}({operands}{', ' if flags else ''}{flags})")

    def fma(self, x: Reg, y: Reg, z: Reg) -> Reg:
        """x * y + z, rounded once; of f32 by way of f64 where the processor has no such step.

        The product is exact in f64 then, and the sum of it is rounded twice.
        """
        if vectors().fused or x.kind != "f32":
            return self.intrinsic("fma", x, y, z)
        a, b, c = [self.cast("fpext", operand, "f64") for operand in (x, y, z)]
        return self.cast("fptrunc", self.binary("fadd", self.binary("fmul", a, b), c), "f32")


@lru_cache(maxsize=4096)
def constant(kind: str, value: float, sign: float, lanes: int) -> Reg:
    """A constant in every lane; `sign` tells zeros apart."""
    text = literal(kind, value)
    if lanes > 1:
        text = f"splat ({KINDS[kind][0]} {text})"
    return Reg(text, kind, lanes)


@cache
def declared(
    name: str, kind: str, lanes: int, result: str, types: tuple[str, ...], flags: str
) -> tuple[str, str, str]:
    """An intrinsic's symbol, its declaration, and the beginning of a call."""
    symbol = f"llvm.{name}.{suffix(Reg('', kind, lanes))}"
    type_ = type_of(result, lanes)
    declaration = f"declare {type_} @{symbol}({', '.join(types)}{flags})"
    return symbol, declaration, f"call {type_} @{symbol}"


def flags_type(flags: str) -> str:
    """The parameter type of an intrinsic's trailing flag: `, i1` for `i1 false`."""
    return f", {flags.split()[0]}" if flags else ""


def suffix(x: Reg) -> str:
    """The suffix of an intrinsic's name for a type: `v32f32`, `i64`."""
    size = bits(x.kind)
    short = f"{'f' if is_float(x.kind) else 'i'}{size}"
    return short if x.lanes == 1 else f"v{x.lanes}{short}"
