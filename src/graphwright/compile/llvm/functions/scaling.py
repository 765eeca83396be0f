"""Whole numbers as exponents: the nearest one, and 2 to its power."""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Emitter, Reg, bits
from graphwright.compile.llvm.functions.lanes import FORMATS, Lanes, fma
from graphwright.machine.targets import vectors

#: Adding this rounds to a whole number, which is then in the low bits.
ROUNDER = {"f32": 1.5 * 2.0**23, "f64": 1.5 * 2.0**52}


class WholeNumber(NamedTuple):
    """A whole number: as a float, and as an integer."""

    number: Lanes
    integer: Lanes

    def less_one(self) -> WholeNumber:
        """The whole number before."""
        return WholeNumber(self.number - 1, self.integer - 1)


def nearest(x: Lanes, factor: float) -> WholeNumber:
    """The whole number nearest to x times a factor.

    The low bits of the sum are its biased exponent, so that a shift alone makes a power of two.
    """
    magic = x.constant(ROUNDER[x.kind] + FORMATS[x.kind][1])
    shifted = fma(x, factor, magic)
    return WholeNumber(shifted - magic, shifted.to_bits() - magic.to_bits())


def power_of_two(k: Lanes) -> Lanes:
    """2^k, for a normal number."""
    significand, bias = FORMATS["f32" if k.kind == "i32" else "f64"]
    return ((k + bias) << significand).from_bits()


def scaled(x: Lanes, k: WholeNumber) -> Lanes:
    """x 2^k for 1/2 < x < 2, correct for infinite and subnormal results."""
    if vectors().bits == 512:
        return Lanes(x.emitter, scaled_at_once(x.emitter, x.reg, k.number.reg))
    half = k.integer >> 1
    return x * power_of_two(half) * power_of_two(k.integer - half)


def scaled_at_once(e: Emitter, x: Reg, k: Reg) -> Reg:
    """x 2^k by the instruction of AVX-512, in pieces of its size."""
    width = x.lanes * bits(x.kind)
    if width > 512:
        half = x.lanes // 2
        sides = [range(half), range(half, x.lanes)]
        return e.joined(*[scaled_at_once(e, *[e.picked(r, s) for r in (x, k)]) for s in sides])
    if width < 128:
        wide = range(128 // bits(x.kind))
        padded = [e.picked(r, [min(i, r.lanes - 1) for i in wide]) for r in (x, k)]
        return e.picked(scaled_at_once(e, *padded), range(x.lanes))
    name = f"llvm.x86.avx512.mask.scalef.p{'s' if x.kind == 'f32' else 'd'}.{width}"
    mask = "i16" if x.lanes == 16 else "i8"
    kind, mode = (", i32", ", i32 4") if width == 512 else ("", "")
    e.declarations[name] = f"declare {x.type} @{name}({x.type}, {x.type}, {x.type}, {mask}{kind})"
    operands = f"{x}, {k}, {x.type} zeroinitializer, {mask} -1{mode}"
    return e.assign(x.kind, x.lanes, f"call {x.type} @{name}({operands})")
