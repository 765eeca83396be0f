"""x to the power of y: exp(y log(x)), with a logarithm of more bits than the result."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.element_blocks import rarely
from graphwright.compile.llvm.functions.exponentials import EXP_RANGE, expm1_near_zero, reduced
from graphwright.compile.llvm.functions.lanes import FORMATS, Lanes, choose, fma, polynomial, select
from graphwright.compile.llvm.functions.logarithms import SUBNORMAL, as_float, split, split_any
from graphwright.compile.llvm.functions.scaling import ROUNDER, scaled

INFINITY = float("inf")
#: The size of x beyond which 2^x is infinite or 0 in float32.
BEYOND_FLOAT32 = 200.0
#: The largest power of a float32 that is computed by products.
MOST_FACTORS = 8.0


def pow(x: Lanes, y: Lanes) -> Lanes:
    """x to the power of y, with the special cases of C, which are rare."""
    constant = y.known()
    if constant in SMALL_POWERS:
        return SMALL_POWERS[constant](x)
    if constant is not None and x.kind == "f32" and is_short(constant):
        return short_power(x, constant)
    size = x.abs()
    least = SUBNORMAL[x.kind][0]
    special = ~((x >= least) & (x < INFINITY) & (y.abs() < INFINITY))
    mantissa, exponent = rarely(special, usual_parts(size), lambda: list(split_any(size)))
    power = float32_power if x.kind == "f32" else float64_power
    result = power(mantissa, exponent, y)
    return rarely(special, [result], lambda: [special_cases(x, y, result)])[0]


def usual_parts(x: Lanes) -> list[Lanes]:
    """The significand and the exponent of a positive normal number."""
    mantissa, exponent = split(x)
    return [mantissa, as_float(exponent)]


def special_cases(x: Lanes, y: Lanes, result: Lanes) -> Lanes:
    """`result` corrected for all x and y; it is right for positive finite ones."""
    size = x.abs()
    end = size.eq(0) | size.eq(INFINITY)
    result = select(end, select(y > 0, size, 1 / size), result)
    whole = y.rounded("rint").eq(y)
    half = y * 0.5
    odd = whole & half.rounded("rint").ne(half)
    result = select((x.to_bits() < 0) & odd, -result, result)
    undefined = ((x < 0) & (size < INFINITY) & ~whole) | x.is_nan() | y.is_nan()
    result = choose(undefined, float("nan"), result)
    return choose(x.eq(1) | y.eq(0) | (x.eq(-1) & y.abs().eq(INFINITY)), 1.0, result)


def root(x: Lanes) -> Lanes:
    """The power of 1/2: the square root, except for -0 and minus infinity."""
    return choose(x.eq(-INFINITY), INFINITY, (x + 0.0).sqrt())


#: Powers that take fewer operations than a logarithm.
SMALL_POWERS: dict[float | None, Callable[[Lanes], Lanes]] = {
    -1.0: lambda x: 1 / x,
    -0.5: lambda x: 1 / root(x),
    0.5: root,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    4.0: lambda x: (x * x) * (x * x),
}


def is_short(y: float) -> bool:
    """Whether a power is a few products and at most one root."""
    return 0 < abs(y) <= MOST_FACTORS and 2 * y == round(2 * y)


def short_power(x: Lanes, y: float) -> Lanes:
    """x to such a power, in float64: no product leaves the range of float32 too early."""
    wide, count = x.widened(), abs(y)
    factors = [root(wide)] if count % 1 else []
    square = wide.abs() if factors else wide  # the root of a negative number is NaN
    rest = int(count)
    while rest:
        if rest & 1:
            factors.append(square)
        rest >>= 1
        square = square * square if rest else square
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return (result if y > 0 else 1 / result).narrowed()


def float32_power(mantissa: Lanes, exponent: Lanes, y: Lanes) -> Lanes:
    """(mantissa 2^exponent)^y in float64: 2^(y log2(x)), its whole part added to the exponent."""
    f = mantissa.widened() - 1
    s = f / (f + 2)
    logarithm = fma(s, polynomial(s * s, of.LOG2["wide"]), exponent.widened())
    product = y.widened() * logarithm
    product = product.at_least(-BEYOND_FLOAT32).at_most(BEYOND_FLOAT32)
    shifted = product + ROUNDER["f64"]
    r = product - (shifted - ROUNDER["f64"])
    bits = polynomial(r, of.EXP2["wide"]).to_bits() + (shifted.to_bits() << FORMATS["f64"][0])
    return bits.from_bits().narrowed()


def float64_power(mantissa: Lanes, exponent: Lanes, y: Lanes) -> Lanes:
    """(mantissa 2^exponent)^y, with y log(x) as a sum of two numbers."""
    high, low = log_in_two(mantissa, exponent)
    product = y * high
    rest = fma(y, high, -product) + y * low
    rest = select(product.abs() < 1024.0, rest, 0)
    least, most = EXP_RANGE["f64"]
    r, k = reduced(product.at_least(least).at_most(most))
    return scaled(expm1_near_zero(r + rest) + 1, k)


def log_in_two(mantissa: Lanes, exponent: Lanes) -> tuple[Lanes, Lanes]:
    """log(mantissa 2^exponent) as a sum of two numbers, to about 66 bits.

    log(1 + f) = 2 atanh(s) = 2 s + 2/3 s^3 + s^5 R(s^2), where s = f / (2 + f). All terms but the
    last are pairs.
    """
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
