"""The error function and its complement, branch-free."""

from __future__ import annotations

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.exponentials import expm1_near_zero, reduced, reduced_in_two
from graphwright.compile.llvm.functions.lanes import Lanes, fma, horner, polynomial, select
from graphwright.compile.llvm.functions.scaling import power_of_two, scaled

#: The arguments from which erf is 1, and erfc is 0.
ERF_MOST = {"f32": 4.0, "f64": 6.0}
ERFC_LEAST = {"f32": 11.0, "f64": 28.0}


def erf_near_zero(x: Lanes) -> Lanes:
    """erf(x) for |x| <= 1."""
    return fma(x, polynomial(x * x, of.ERF[x.kind]), x)


def erfc_of_positive(x: Lanes) -> Lanes:
    """erfc(x) of 0 <= x <= 28: exp(-x^2) / (1 + 2 x) times a polynomial in (x - 4) / (x + 4).

    Corrections restore what rounding loses: of x^2, of exp, of 1 + 2 x and of the quotient.
    """
    square = x * x
    lost = fma(x, x, -square)
    first, first_low, k = reduced_in_two(-square)
    r = first - lost
    curve = r * r * polynomial(r, of.EXP[x.kind])
    power = r + curve
    power_low = ((r - power) + curve) + (((first - r) - lost) + first_low)
    middle, middle_low = of.ERFC_MIDDLE[x.kind]
    t = (x - 4) / (x + 4)
    series = fma(horner(t, of.ERFC[x.kind]), t, middle_low) + middle
    divisor = fma(x, 2, 1)
    inverse = 1 / divisor
    ratio = series * inverse
    residual = fma(-ratio, divisor, series) - ratio * (x * 2 - (divisor - 1))
    rest = fma(ratio, power, fma(residual, inverse, ratio * power_low))
    return scaled(ratio + rest, k)


def erf(x: Lanes) -> Lanes:
    """The error function: a polynomial up to 1, above it 1 minus the exponential of one."""
    size = x.abs()
    r, k = reduced(polynomial(size.at_most(ERF_MOST[x.kind]), of.LOG_ERFC[x.kind]))
    power = power_of_two(k.integer)
    rest = fma(power, expm1_near_zero(r), power)
    return select(size < 1, erf_near_zero(size), 1 - rest).with_sign_of(x)


def erfc(x: Lanes) -> Lanes:
    """1 - erf(x), exact for large x."""
    size = x.abs()
    far = erfc_of_positive(size.at_most(ERFC_LEAST[x.kind]))
    far = select(x < 0, 2 - far, far)
    return select(size < 0.65, 1 - erf_near_zero(x), far)
