"""Logarithms and inverse hyperbolic functions, branch-free.

log(x) = e log(2) + log(1 + f), where x = 2^e (1 + f) and 1 + f is within sqrt(2) of 1.
"""

from __future__ import annotations

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.lanes import FORMATS, Lanes, choose, fma, polynomial, select
from graphwright.compile.llvm.functions.scaling import ROUNDER, power_of_two

#: The bits of sqrt(1/2), rounded down.
ROOT_BITS = {"f32": 0x3F3504F3, "f64": 0x3FE6A09E667F3BCC}
#: The least normal number, and the power of two that makes a subnormal one normal.
SUBNORMAL = {"f32": (2.0**-126, 23), "f64": (2.0**-1022, 52)}


def split(x: Lanes) -> tuple[Lanes, Lanes]:
    """m and an integer e, such that a normal x = 2^e m and m is within sqrt(2) of 1."""
    significand, _ = FORMATS[x.kind]
    bits = x.to_bits()
    exponent = (bits - ROOT_BITS[x.kind]) >> significand
    return (bits - (exponent << significand)).from_bits(), exponent


def split_any(x: Lanes) -> tuple[Lanes, Lanes]:
    """m and e of `split`, for subnormal numbers too, with e as a float."""
    least, shift = SUBNORMAL[x.kind]
    tiny = x < least
    mantissa, exponent = split(select(tiny, x * 2.0**shift, x))
    correction = select(tiny, x.constant(float(shift)), 0)
    return mantissa, as_float(exponent) - correction


def as_float(x: Lanes) -> Lanes:
    """A small integer as a float; few machines convert vectors of 64 bits."""
    if x.kind == "i32":
        return x.cast("sitofp", "f32")
    magic = Lanes(x.emitter, x.emitter.constant("f64", ROUNDER["f64"], x.reg.lanes))
    return (x + magic.to_bits()).from_bits() - magic


def log_near_one(f: Lanes, exponent: Lanes) -> Lanes:
    """log(1 + f) + exponent log(2), where 1 + f is within sqrt(2) of 1."""
    high, low = of.LN2[f.kind]
    if f.kind == "f32":
        square = f * f
        rest = square * fma(polynomial(f, of.LOG["f32"], square), f, -0.5)
    else:
        s = f / (f + 2)
        z = s * s
        half = f * f * 0.5
        series = z * polynomial(z, of.ATANH_LOG["f64"])
        rest = fma(s, half + series, -half)
    return fma(exponent, high, f + fma(exponent, low, rest))


def log(x: Lanes) -> Lanes:
    """The natural logarithm."""
    mantissa, exponent = split_any(x)
    return at_the_ends(x, log_near_one(mantissa - 1, exponent))


def at_the_ends(x: Lanes, result: Lanes) -> Lanes:
    """A logarithm's result for positive finite x, with the limits at 0, below 0 and at infinity."""
    below = choose(x.eq(0), -float("inf"), x.constant(float("nan")))
    return select(x < float("inf"), select(x > 0, result, below), x)


def log_of_sum(high: Lanes, low: Lanes | None, twofold: int = 0) -> Lanes:
    """log((high + low) 2^twofold) for a positive normal `high` and a much smaller `low`."""
    mantissa, exponent = split(high)
    f = mantissa - 1
    if low is not None:  # far from 1 it is too small to matter, and 2^-exponent too small
        f = fma(low, power_of_two(-exponent.at_most(64)), f)
    exponent = exponent + twofold if twofold else exponent
    return log_near_one(f, as_float(exponent))


def log1p(x: Lanes) -> Lanes:
    """log(1 + x), with a correction for the rounding of 1 + x."""
    total = x + 1
    back = total - 1
    result = log_of_sum(total, (x - back) + (1 - (total - back)))
    below = choose(x.eq(-1), -float("inf"), x.constant(float("nan")))
    result = select(x > -1, result.with_sign_of(x), below)
    return select(x < float("inf"), result, x)


# -- inverse hyperbolic functions -----------------------------------------------------------

#: The limit above which x^2 and x^2 + 1 have the same root to the last bit.
FAR = 2.0**30


def asinh(x: Lanes) -> Lanes:
    """Inverse hyperbolic sine: a polynomial up to 1/2, log(|x| + sqrt(x^2 + 1)) above."""
    size = x.abs()
    result = log_with_root(size, 1.0)
    result = select(size < 0.5, asinh_near_zero(size, size * size), result)
    return select(size < float("inf"), result, size).with_sign_of(x)


def asinh_near_zero(x: Lanes, square: Lanes) -> Lanes:
    """asinh(x) for |x| <= 1/2."""
    return fma(x * square, polynomial(square, of.ASINH[x.kind]), x)


def log_with_root(x: Lanes, add: float) -> Lanes:
    """log(x + sqrt(x^2 + add)), from half the sum, which cannot overflow, and a power of two.

    Corrections restore what the square, the sum and the root lose.
    """
    far = x > FAR
    bounded = choose(far, 2.0, x)
    square = bounded * bounded
    radicand = square + add
    root = radicand.sqrt()
    back = radicand - add
    lost = (square - back) + (add - (radicand - back)) + fma(bounded, bounded, -square)
    correction = (fma(-root, root, radicand) + lost) / root * 0.25
    half, half_root = x * 0.5, select(far, x, root) * 0.5
    high = half + half_root
    back = high - half
    rounding = (half - (high - back)) + (half_root - back)
    return log_of_sum(high, select(far, rounding, rounding + correction), 1)


def acosh(x: Lanes) -> Lanes:
    """Inverse hyperbolic cosine: 2 asinh(sqrt((x - 1) / 2)) near 1, a logarithm above."""
    square = x * 0.5 - 0.5
    near = asinh_near_zero(square.sqrt(), square) * 2
    result = select(x < 1.5, near, log_with_root(x, -1.0))
    return select(x < float("inf"), result, x)


def atanh(x: Lanes) -> Lanes:
    """Inverse hyperbolic tangent: a polynomial up to 1/2, half a logarithm above."""
    size = x.abs()
    square = size * size
    near = fma(size * square, polynomial(square, of.ATANH[x.kind]), size)
    result = log_of_sum((size + 1) / (1 - size), None) * 0.5
    result = select(size < 0.5, near, result)
    beyond = choose(size.eq(1), float("inf"), x.constant(float("nan")))
    return select(size < 1, result, beyond).with_sign_of(x)
