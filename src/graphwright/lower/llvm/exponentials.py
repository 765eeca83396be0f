"""Exponentials and hyperbolic functions, branch-free.

exp(x) = 2^k exp(r), where k is the whole number nearest to x / log(2) and |r| <= log(2) / 2:
x less k log(2) in two parts, fused, is exact to the last bit of r.
"""

from __future__ import annotations

from graphwright.lower.llvm import polynomials as of
from graphwright.lower.llvm.blocks import rarely
from graphwright.lower.llvm.lanes import FORMATS, Lanes, fma, polynomial, select

#: Adding it rounds to a whole number, which is then in the low bits.
ROUNDER = {"f32": 1.5 * 2.0**23, "f64": 1.5 * 2.0**52}
#: Where exp is 0 and infinite.
EXP_RANGE = {"f32": (-104.0, 89.0), "f64": (-746.0, 710.0)}
#: Where half of exp is infinite.
HALF_EXP_MOST = {"f32": 90.0, "f64": 711.0}
#: Where tanh is 1.
TANH_MOST = {"f32": 10.0, "f64": 20.0}
#: Where expm1 is -1.
EXPM1_LEAST = {"f32": -18.0, "f64": -38.0}


def nearest(x: Lanes, factor: float) -> tuple[Lanes, Lanes]:
    """The whole number nearest to x times a factor: as a float, and as an integer."""
    magic = x.constant(ROUNDER[x.kind])
    shifted = fma(x, factor, magic)
    return shifted - magic, shifted.to_bits() - magic.to_bits()


def reduced(x: Lanes) -> tuple[Lanes, Lanes]:
    """r and k, such that exp(x) = 2^k exp(r) and |r| <= log(2) / 2."""
    high, low = of.LN2[x.kind]
    whole, k = nearest(x, of.LOG2E[x.kind][0])
    minus = -whole
    return fma(minus, low, fma(minus, high, x)), k


def reduced_in_two(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """As `reduced`, with what r lacks between them."""
    high, low = of.LN2[x.kind]
    whole, k = nearest(x, of.LOG2E[x.kind][0])
    exact = fma(-whole, high, x)
    product = whole * low
    r = exact - product
    return r, (exact - r) - product, k


def expm1_near_zero(r: Lanes) -> Lanes:
    """exp(r) - 1 for |r| <= log(2) / 2."""
    square = r * r
    return fma(square, polynomial(r, of.EXP[r.kind], square), r)


def power_of_two(k: Lanes) -> Lanes:
    """2^k, where that is a normal number."""
    significand, bias = FORMATS["f32" if k.kind == "i32" else "f64"]
    return ((k + bias) << significand).from_bits()


def scaled(x: Lanes, k: Lanes) -> Lanes:
    """x 2^k, in two steps, so that neither need be infinite or subnormal."""
    half = k >> 1
    return x * power_of_two(half) * power_of_two(k - half)


def exp(x: Lanes) -> Lanes:
    """e to the power of x."""
    low, high = EXP_RANGE[x.kind]
    r, k = reduced(x.at_least(low).at_most(high))
    return scaled(expm1_near_zero(r) + 1, k)


def expm1(x: Lanes) -> Lanes:
    """exp(x) - 1: half of it is 2^(k - 1) (exp(r) - 1) + 2^(k - 1) - 1/2.

    What is added last is the small part of exp(r) - 1, since r and 2^(k - 1) may cancel.
    """
    r, k = reduced(x.at_least(EXPM1_LEAST[x.kind]).at_most(EXP_RANGE[x.kind][1]))
    half = power_of_two(k - 1)
    square = r * r
    curve = square * polynomial(r, of.EXP[x.kind], square)
    return (fma(half, curve, fma(half, r, half - 0.5)) * 2).with_sign_of(x)


def half_exp(x: Lanes) -> tuple[Lanes, Lanes]:
    """exp(x) / 2 for x >= 0, as the sum of a number and a small one."""
    r, k = reduced(x.at_most(HALF_EXP_MOST[x.kind]))
    rest = expm1_near_zero(r)
    high = rest + 1
    low = rest - (high - 1)
    return scaled(high, k - 1), scaled(low, k - 1)


def sinh(x: Lanes) -> Lanes:
    """Hyperbolic sine: by a polynomial up to 1, by exponentials above."""
    size = x.abs()
    square = size * size
    near = fma(size * square, polynomial(square, of.SINH[x.kind]), size)
    high, low = half_exp(size)
    return select(size < 1, near, high - (0.25 / high - low)).with_sign_of(x)


def cosh(x: Lanes) -> Lanes:
    """Hyperbolic cosine."""
    high, low = half_exp(x.abs())
    return high + (0.25 / high + low)


def tanh(x: Lanes) -> Lanes:
    """Hyperbolic tangent: by a polynomial up to 9/16, 1 - 2 / (exp(2 |x|) + 1) above.

    A polynomial is soon done, which loops that wait for the result gain from: hence the branch.
    """
    size = x.abs()
    square = size * size
    near = fma(size * square, polynomial(square, of.TANH[x.kind]), size)
    large = size >= 0.5625

    def far() -> list[Lanes]:
        r, k = reduced(size.at_most(TANH_MOST[x.kind]) * 2)
        power = power_of_two(k)
        result = 1 - 2 / (fma(power, expm1_near_zero(r), power) + 1)
        return [select(large, result, near)]

    (result,) = rarely(large, [near], far)
    return result.with_sign_of(x)


def sigmoid(x: Lanes) -> Lanes:
    """1 / (1 + exp(-x)); exp(-|x|) never overflows, so that small results are exact too.

    What the sum and the quotient lose is put back.
    """
    tail = exp(-x.abs())
    above = select(x < 0, tail, 1)
    below = tail + 1
    inverse = 1 / below
    quotient = above * inverse
    left = fma(-quotient, below, above) - quotient * (tail - (below - 1))
    return fma(left, inverse, quotient)
