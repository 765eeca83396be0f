"""Quotients and remainders: of integers without traps, of floats as exact as `fmod`."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.emitter import Reg, bits, is_signed
from graphwright.compile.llvm.functions.casts import converted
from graphwright.compile.llvm.functions.element_blocks import repeated
from graphwright.compile.llvm.functions.lanes import Lanes, fma, select

#: Told which lanes have operands for which the op is an error.
Report = Callable[[Reg], None]


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
    """A quotient of up to 32 bits: no machine divides vectors of integers.

    Twice the bits in the significand leave room enough that rounding never reaches the next
    whole number.
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

#: The quotient above which a division may overflow, and what the divisor is scaled by there.
FAR, SCALE = 2.0**1000, 2.0**600


def float_remainder(x: Lanes, y: Lanes) -> Lanes:
    """The exact remainder of floats, with the sign of the dividend.

    Taking the rounded quotient times the divisor off is exact with one rounding, and leaves
    less than a unit of the quotient's last place. Once is all that ordinary operands need;
    it goes on while any lane has more than the divisor left.
    """
    if x.kind == "f32":  # whose quotients are all finite in float64
        return float_remainder(x.widened(), y.widened()).narrowed()
    divisor = y.abs()

    def step(values: list[Lanes]) -> tuple[list[Lanes], Lanes]:
        rest = values[0]
        unit = divisor
        for _ in range(2):
            unit = select((rest / unit).abs() > FAR, unit * SCALE, unit)
        left = fma(-(rest / unit).rounded("trunc"), unit, rest)
        left = select(rest.abs() < divisor, rest, left)
        return [left], left.abs() >= divisor

    (left,) = repeated([x.abs()], step)
    return select(left < 0, left + divisor, left).with_sign_of(x)


def float_floor_remainder(x: Lanes, y: Lanes) -> Lanes:
    """The exact remainder of floats, with the sign of the divisor; a zero has it too."""
    rest = float_remainder(x, y)
    shifted = select((rest < 0) ^ (y < 0), rest + y, rest)
    return select(rest.eq(0), rest.with_sign_of(y), shifted)
