"""x to the power of y: exp(y log(x)), the logarithm to some bits more than the result has."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.lower.llvm import polynomials as of
from graphwright.lower.llvm.exponentials import (
    EXP_RANGE,
    expm1_near_zero,
    power_of_two,
    reduced,
    scaled,
)
from graphwright.lower.llvm.lanes import Lanes, choose, fma, polynomial, select
from graphwright.lower.llvm.logarithms import log_near_one, split_any

INFINITY = float("inf")
#: Beyond it, either way, exp is infinite or 0 in float32.
BEYOND_FLOAT32 = 200.0


def pow(x: Lanes, y: Lanes) -> Lanes:
    """x to the power of y, with the special cases of C."""
    known = y.known()
    if known in SMALL_POWERS:
        return SMALL_POWERS[known](x)
    size = x.abs()
    result = float32_power(size, y) if x.kind == "f32" else float64_power(size, y)
    whole = y.rounded("rint").eq(y)
    half = y * 0.5
    odd = whole & half.rounded("rint").ne(half)
    result = select((x.to_bits() < 0) & odd, -result, result)
    undefined = (x < 0) & (size < INFINITY) & ~whole
    result = choose(undefined, float("nan"), result)
    return choose(x.eq(1) | y.eq(0) | (x.eq(-1) & y.abs().eq(INFINITY)), 1.0, result)


#: Powers that take fewer operations than a logarithm.
SMALL_POWERS: dict[float | None, Callable[[Lanes], Lanes]] = {
    -1.0: lambda x: 1 / x,
    0.5: lambda x: choose(x.eq(-INFINITY), INFINITY, (x + 0.0).sqrt()),
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    4.0: lambda x: (x * x) * (x * x),
}


def log_at_the_ends(x: Lanes, result: Lanes) -> Lanes:
    """log(x) of x >= 0, where `result` is right for positive finite x."""
    return select((x > 0) & (x < INFINITY), result, choose(x.eq(0), -INFINITY, x))


def float32_power(x: Lanes, y: Lanes) -> Lanes:
    """x^y for x >= 0, in float64."""
    mantissa, exponent = split_any(x)
    logarithm = log_near_one(mantissa.widened() - 1, exponent.widened(), "wide")
    product = y.widened() * log_at_the_ends(x.widened(), logarithm)
    r, k = reduced(product.at_least(-BEYOND_FLOAT32).at_most(BEYOND_FLOAT32))
    return ((expm1_near_zero(r, "wide") + 1) * power_of_two(k)).narrowed()


def float64_power(x: Lanes, y: Lanes) -> Lanes:
    """x^y for x >= 0, with y log(x) as a sum of two numbers."""
    high, low = log_in_two(x)
    high = log_at_the_ends(x, high)
    product = y * high
    rest = fma(y, high, -product) + y * low
    rest = select(product.abs() < 1024.0, rest, 0)
    least, most = EXP_RANGE["f64"]
    r, k = reduced(product.at_least(least).at_most(most))
    return scaled(expm1_near_zero(r + rest) + 1, k)


def log_in_two(x: Lanes) -> tuple[Lanes, Lanes]:
    """log(x) of positive x as a sum of two numbers, to about 66 bits.

    log(1 + f) = 2 atanh(s) = 2 s + 2/3 s^3 + s^5 R(s^2) with s = f / (2 + f); all but the
    last term in pairs.
    """
    mantissa, exponent = split_any(x)
    f = mantissa - 1
    divisor = f + 2
    inverse = 1 / divisor
    s = f * inverse
    s_low = (fma(-s, divisor, f) - s * (f - (divisor - 2))) * inverse
    square = s * s
    square_low = fma(s, s, -square) + s * s_low * 2
    cube = square * s
    cube_low = fma(square, s, -cube) + fma(square_low, s, square * s_low)
    third, third_low = of.TWO_THIRDS["f64"]
    term = cube * third
    term_low = fma(cube, third, -term) + fma(cube, third_low, cube_low * third)
    tail = cube * square * polynomial(square, of.ATANH_LOG_5["f64"])
    first = s * 2
    high = first + term
    low = (term - (high - first)) + (fma(s_low, 2, term_low) + tail)
    ln2, ln2_low = of.LN2["f64"]
    whole = exponent * ln2
    whole_low = fma(exponent, ln2_low, fma(exponent, ln2, -whole))
    total = whole + high
    rest = (high - (total - whole)) + (low + whole_low)
    result = total + rest
    return result, rest - (result - total)
