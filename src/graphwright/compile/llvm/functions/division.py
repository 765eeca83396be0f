"""Quotients and remainders: of integers without traps, of floats as exact as `fmod`."""

from __future__ import annotations

from collections.abc import Callable
from math import frexp
from typing import TypeAlias

from graphwright.compile.llvm.emitter import Reg, bits, is_signed
from graphwright.compile.llvm.functions.casts import converted
from graphwright.compile.llvm.functions.element_blocks import repeated
from graphwright.compile.llvm.functions.lanes import Lanes, fma, select
from graphwright.machine.targets import vectors

#: Takes the condition, lane by lane, that the op is an error for its operands.
Report: TypeAlias = Callable[[Reg], None]


# -- integers -------------------------------------------------------------------------------


def divided(x: Lanes, y: Lanes, report: Report) -> Lanes:
    """The quotient rounded towards zero; of the least integer by -1 it wraps around."""
    constant = y.known()
    if constant is not None and constant not in (0, -1):
        return by_instruction(x, y)
    zero = y.eq(0)
    report(zero.reg)
    if bits(x.kind) < 64 and x.reg.lanes > 1:
        return by_floats(x, select(zero, y.constant(1), y))
    if not is_signed(x.kind):
        return by_instruction(x, select(zero, y.constant(1), y))
    negated = y.eq(-1)
    return select(negated, -x, by_instruction(x, select(zero | negated, y.constant(1), y)))


def by_instruction(x: Lanes, y: Lanes) -> Lanes:
    """The machine's own division, which traps or is undefined for some operands."""
    opcode = "sdiv" if is_signed(x.kind) else "udiv"
    return Lanes(x.emitter, x.emitter.binary(opcode, x.reg, y.reg))


def by_floats(x: Lanes, y: Lanes) -> Lanes:
    """A quotient of up to 32 bits, by floats: no machine divides vectors of integers.

    The significand has enough more bits that rounding never reaches the next whole number.
    """
    wide = "f64" if bits(x.kind) == 32 else "f32"
    quotient = converted(x, wide) / converted(y, wide)
    if x.kind == "u32":
        return quotient.cast("fptoui", "u32")
    return converted(quotient, x.kind)


def floor_divided(x: Lanes, y: Lanes, report: Report) -> Lanes:
    """The quotient of integers rounded towards minus infinity."""
    power = power_of_two(y)
    if power is not None:
        return x >> power
    quotient = divided(x, y, report)
    if not is_signed(x.kind):
        return quotient
    rest = x - quotient * y
    below = rest.ne(0) & ((rest ^ y) < 0)
    return select(below, quotient - 1, quotient)


def remainder(x: Lanes, y: Lanes, report: Report) -> Lanes:
    """The remainder of integers, with the sign of the dividend; 0 for y = 0."""
    power = power_of_two(y)
    if power is not None and not is_signed(x.kind):
        return x & ((1 << power) - 1)
    return x - divided(x, y, report) * y


def floor_remainder(x: Lanes, y: Lanes, report: Report) -> Lanes:
    """The remainder of integers, with the sign of the divisor."""
    power = power_of_two(y)
    if power is not None:
        return x & ((1 << power) - 1)
    rest = remainder(x, y, report)
    if not is_signed(x.kind):
        return rest
    return select(rest.ne(0) & ((rest ^ y) < 0), rest + y, rest)


def power_of_two(y: Lanes) -> int | None:
    """n where `y` is known to be 2 ** n."""
    constant = y.known()
    if constant is None or constant <= 0 or int(constant) & (int(constant) - 1):
        return None
    return int(constant).bit_length() - 1


# -- floats ---------------------------------------------------------------------------------

#: The quotient above which a division may overflow, and the scale of the divisor there.
FAR, SCALE = 2.0**1000, 2.0**600

#: The significant bits of a divisor by which whole numbers are divided without a division.
SHORT = {"f32": 20, "f64": 49}


def quotient(x: Lanes, y: Lanes) -> Lanes:
    """x / y, rounded once; of a whole number by a short constant without a division.

    The product with the reciprocal is at most two units in the last place off. One step makes
    that 2 ** -23 units (P. Markstein, "Computation of elementary functions on the IBM RISC
    System/6000 processor", 1990). No quotient by a divisor of 20 bits is as close as 2 ** -21
    units to a number between two floats, so it is rounded as the exact one. Infinities, NaN
    and negative zeros would come out wrong, but no integer becomes one.
    """
    divisor = y.known()
    if divisor is None or x.reg.text not in x.emitter.whole or not is_short(divisor, x.kind):
        return x / y
    inverse = 1 / divisor
    estimate = x * inverse
    return fma(fma(-estimate, y, x), inverse, estimate)


def is_short(divisor: float, kind: str) -> bool:
    """Whether `quotient` may divide by it: few bits, and far from overflow and underflow."""
    significand, exponent = frexp(divisor)
    short = significand and (significand * 2.0 ** SHORT[kind]).is_integer()
    return bool(short) and abs(exponent) < 60 and vectors().fused


def float_remainder(x: Lanes, y: Lanes) -> Lanes:
    """The exact remainder of floats, with the sign of the dividend.

    It gets the sign when it is narrow: LLVM would narrow the sign of a wide one from float64 to
    float16 too, by a function that few systems have.
    """
    if x.kind == "f32":  # its quotients are all finite in float64
        return size_of_remainder(x.widened(), y.widened()).narrowed().with_sign_of(x)
    return size_of_remainder(x, y).with_sign_of(x)


def size_of_remainder(x: Lanes, y: Lanes) -> Lanes:
    """The exact remainder of |x| and |y|.

    A step subtracts the rounded quotient times the divisor, exactly and with one rounding. Its
    remainder is less than a unit in the quotient's last place. Ordinary operands need one step;
    there are more while the remainder of any lane exceeds the divisor.
    """
    divisor = y.abs()

    def step(values: list[Lanes]) -> tuple[list[Lanes], Lanes]:
        rest = values[0]
        unit = divisor
        for _ in range(2):
            unit = select((rest / unit).abs() > FAR, unit * SCALE, unit)
        remaining = fma(-(rest / unit).rounded("trunc"), unit, rest)
        remaining = select(rest.abs() < divisor, rest, remaining)
        return [remaining], remaining.abs() >= divisor

    (remaining,) = repeated([x.abs()], step)
    return select(remaining < 0, remaining + divisor, remaining)


def float_floor_remainder(x: Lanes, y: Lanes) -> Lanes:
    """The exact remainder of floats, with the sign of the divisor, also for zeros."""
    rest = float_remainder(x, y)
    shifted = select((rest < 0) ^ (y < 0), rest + y, rest)
    return select(rest.eq(0), rest.with_sign_of(y), shifted)
