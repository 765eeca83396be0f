"""Exponentials and hyperbolic functions, branch-free.

exp(x) = 2^k exp(r), where k is the whole number nearest to x / log(2) and |r| <= log(2) / 2. Fused
steps subtract k log(2) in two parts, so r is exact to its last bit.
"""

from __future__ import annotations

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.element_blocks import rarely
from graphwright.compile.llvm.functions.lanes import Lanes, fma, polynomial, select
from graphwright.compile.llvm.functions.scaling import WholeNumber, nearest, power_of_two, scaled

#: The limits beyond which exp is 0 or infinite.
EXP_RANGE = {"f32": (-104.0, 89.0), "f64": (-746.0, 710.0)}
#: The limit above which half of exp is infinite.
HALF_EXP_MOST = {"f32": 90.0, "f64": 711.0}
#: The limit above which tanh is 1.
TANH_MOST = {"f32": 10.0, "f64": 20.0}
#: The limit below which expm1 is -1.
EXPM1_LEAST = {"f32": -18.0, "f64": -38.0}


def reduced(x: Lanes) -> tuple[Lanes, WholeNumber]:
    """r and k, such that exp(x) = 2^k exp(r) and |r| <= log(2) / 2."""
    high, low = of.LN2[x.kind]
    k = nearest(x, of.LOG2E[x.kind][0])
    return fma(k.number, -low, fma(k.number, -high, x)), k


def reduced_in_two(x: Lanes) -> tuple[Lanes, Lanes, WholeNumber]:
    """r, the error of r, and k; see `reduced`."""
    high, low = of.LN2[x.kind]
    k = nearest(x, of.LOG2E[x.kind][0])
    exact = fma(k.number, -high, x)
    product = k.number * low
    r = exact - product
    return r, (exact - r) - product, k


def expm1_near_zero(r: Lanes) -> Lanes:
    """exp(r) - 1 for |r| <= log(2) / 2."""
    square = r * r
    return fma(square, polynomial(r, of.EXP[r.kind], square), r)


def exp(x: Lanes) -> Lanes:
    """e to the power of x."""
    low, high = EXP_RANGE[x.kind]
    r, k = reduced(x.at_least(low).at_most(high))
    return scaled(expm1_near_zero(r) + 1, k)


def expm1(x: Lanes) -> Lanes:
    """exp(x) - 1: half of it is 2^(k - 1) (exp(r) - 1) + 2^(k - 1) - 1/2.

    The small part of exp(r) - 1 is added last, since r and 2^(k - 1) may cancel.
    """
    r, k = reduced(x.at_least(EXPM1_LEAST[x.kind]).at_most(EXP_RANGE[x.kind][1]))
    half = power_of_two(k.integer - 1)
    square = r * r
    curve = square * polynomial(r, of.EXP[x.kind], square)
    return (fma(half, curve, fma(half, r, half - 0.5)) * 2).with_sign_of(x)


def half_exp(x: Lanes) -> tuple[Lanes, Lanes]:
    """exp(x) / 2 for x >= 0, as a number and a small correction."""
    r, k = reduced(x.at_most(HALF_EXP_MOST[x.kind]))
    rest = expm1_near_zero(r)
    high = rest + 1
    low = rest - (high - 1)
    return scaled(high, k.less_one()), scaled(low, k.less_one())


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
    """Hyperbolic tangent: by a polynomial up to 9/16, by an exponential above.

    In float32 the exponential is exact enough everywhere, and cheaper than both together. With a
    single number latency counts, and that of the polynomial is shorter.
    """
    size = x.abs()
    if x.kind == "f32" and x.reg.lanes > 1:
        return tanh_by_exponential(size).with_sign_of(x)
    square = size * size
    near = fma(size * square, polynomial(square, of.TANH[x.kind]), size)
    large = size >= 0.5625
    (result,) = rarely(large, [near], lambda: [select(large, tanh_by_exponential(size), near)])
    return result.with_sign_of(x)


def tanh_by_exponential(size: Lanes) -> Lanes:
    """tanh of a positive number: (1 - u) / (1 + u) with u = exp(-2 size).

    Half of 1 - u and half of 1 + u are each computed from u = 2^k (1 + 2 h). So their errors do not
    add up.
    """
    minus = (-size).at_least(-TANH_MOST[size.kind])
    high, low = of.LN2[size.kind]
    k = nearest(minus, 2 * of.LOG2E[size.kind][0])
    r = fma(k.number, -high / 2, minus)
    if size.kind == "f64":  # in float32 the higher part alone is exact enough
        r = fma(k.number, -low / 2, r)
    halves = tuple([2.0 ** (i + 1) * c for i, c in enumerate(of.EXP[size.kind])])
    square = r * r
    h = fma(square, polynomial(r, halves, square), r)
    power = power_of_two(k.integer)
    return fma(power, h, fma(power, 0.5, -0.5)) / fma(power, h, fma(power, 0.5, 0.5))


def sigmoid(x: Lanes) -> Lanes:
    """1 / (1 + exp(-x)); exp(-|x|) never overflows, so that small results are exact too.

    Corrections restore what the sum and the quotient lose.
    """
    tail = exp(-x.abs())
    above = select(x < 0, tail, 1)
    below = tail + 1
    inverse = 1 / below
    quotient = above * inverse
    residual = fma(-quotient, below, above) - quotient * (tail - (below - 1))
    return fma(residual, inverse, quotient)
