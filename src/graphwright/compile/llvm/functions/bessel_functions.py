"""Bessel functions of order 0 and 1, branch-free.

Each has a polynomial near zero, with a logarithm for those of the second kind. Far from zero it is
a polynomial in 1 / x times its growth or oscillation. float32 is computed in float64. So one set of
coefficients is enough, and results near zeros between two float32 are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

from graphwright.compile.llvm.functions import angles
from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.exponentials import exp, expm1_near_zero, reduced
from graphwright.compile.llvm.functions.lanes import (
    Lanes,
    choose,
    fma,
    horner,
    in_double,
    polynomial,
    select,
)
from graphwright.compile.llvm.functions.logarithms import log
from graphwright.compile.llvm.functions.scaling import scaled

#: The ends of the polynomials near zero: of the modified functions of the second kind, and of all
#: others.
SECOND_MOST, MOST = 1.0, 8.0
#: Beyond it, exp(x) / sqrt(x) is infinite or exp(-x) 0, however large x is.
EXP_MOST = 1100.0


def with_exponential(x: Lanes, power: Lanes) -> Lanes:
    """x exp(power), where exp alone may be too large or too small."""
    r, k = reduced(power.at_least(-EXP_MOST).at_most(EXP_MOST))
    return scaled(fma(x, expm1_near_zero(r), x), k)


# -- modified, of the first kind ------------------------------------------------------------


def first_near(order: int, x: Lanes) -> Lanes:
    """I(x) for |x| <= 8."""
    part = x * (1 / MOST)
    series = polynomial(part * part, (of.I0_NEAR, of.I1_NEAR)[order]["f64"])
    return x * series if order else series


def first_far(order: int, size: Lanes) -> Lanes:
    """exp(-x) I(x) for x >= 8."""
    t = 2 * MOST / size - 1
    return polynomial(t, (of.I0_FAR, of.I1_FAR)[order]["f64"]) / size.sqrt()


def modified_first(order: int, is_scaled: bool) -> Callable[[Lanes], Lanes]:
    """I(x), or exp(-|x|) I(x)."""

    @in_double
    def rule(x: Lanes) -> Lanes:
        size = x.abs()
        near, far = first_near(order, size), first_far(order, size)
        if is_scaled:
            near = near * exp(-size.at_most(MOST))
        else:
            far = with_exponential(far, size) + size * 0  # of infinity it is NaN, as SciPy's
        result = select(size < MOST, near, far)
        return signed(result, x) if order else result

    return rule


# -- modified, of the second kind -----------------------------------------------------------


def modified_second(order: int, is_scaled: bool) -> Callable[[Lanes], Lanes]:
    """K(x), or exp(x) K(x); infinity where x < 0, as TensorFlow has it."""

    @in_double
    def rule(x: Lanes) -> Lanes:
        series = polynomial(x * x, (of.K0_NEAR, of.K1_NEAR)[order]["f64"])
        if order:
            near = fma(log_but_zero(x), first_near(1, x), fma(x, series, 1 / x.abs()))
        else:
            near = fma(-log(x), first_near(0, x), series)
        t = 1 - 2 / (x + 1)
        far = polynomial(t, (of.K0_FAR, of.K1_FAR)[order]["f64"]) / x.sqrt()
        if is_scaled:
            near = near * exp(x.at_most(SECOND_MOST))
        else:
            far = with_exponential(far, -x)
        return choose(x < 0, float("inf"), select(x > SECOND_MOST, far, near))

    return rule


def log_but_zero(x: Lanes) -> Lanes:
    """log(x), finite at 0, where a factor is 0."""
    return log(x).at_least(-EXP_MOST)


# -- of the first and second kind -----------------------------------------------------------


def centred(size: Lanes) -> Lanes:
    """x^2 / 32 - 1, between -1 and 1 for |x| <= 8."""
    return fma(size * size, 2 / MOST**2, -1)


def oscillating(order: int, size: Lanes) -> tuple[Lanes, Lanes]:
    """J(x) and Y(x) for x >= 8: P along the angle x - (2 order + 1) pi / 4, Q across it."""
    inverse = MOST / size
    square = inverse * inverse
    along = polynomial(square, (of.BESSEL_P0, of.BESSEL_P1)[order]["f64"])
    across = inverse * polynomial(square, (of.BESSEL_Q0, of.BESSEL_Q1)[order]["f64"])
    r, n = angles.reduced(size)
    sine, cosine = angles.sine_and_cosine(r)
    odd = (n & 1).ne(0)
    sine, cosine = select(odd, cosine, sine), select(odd, sine, cosine)
    sine, cosine = angles.signed_by(sine, n), angles.signed_by(cosine, n + 1)
    plus, minus = sine + cosine, sine - cosine
    if order:
        plus, minus = minus, -plus
    root = size.sqrt() * sqrt(pi)
    first = fma(along, plus, -(across * minus)) / root
    return first, fma(along, minus, across * plus) / root


def first(order: int) -> Callable[[Lanes], Lanes]:
    """J(x)."""

    @in_double
    def rule(x: Lanes) -> Lanes:
        size = x.abs()
        near = horner(centred(size), (of.J0_NEAR, of.J1_NEAR)[order]["f64"])
        far, _ = oscillating(order, size)
        if order:
            near, far = x * near, signed(far, x)
        return select(size < MOST, near, far)

    return rule


def second(order: int) -> Callable[[Lanes], Lanes]:
    """Y(x); -infinity where x < 0, as TensorFlow has it."""

    @in_double
    def rule(x: Lanes) -> Lanes:
        t = centred(x)
        regular = horner(t, (of.J0_NEAR, of.J1_NEAR)[order]["f64"])
        series = horner(t, (of.Y0_NEAR, of.Y1_NEAR)[order]["f64"])
        if order:
            part = fma(log_but_zero(x), x * regular, -1 / x.abs())
            near = fma(part, 2 / pi, x * series)
        else:
            near = fma(log(x) * (2 / pi), regular, series)
        _, far = oscillating(order, x)
        return choose(x < 0, -float("inf"), select(x >= MOST, far, near))

    return rule


def signed(y: Lanes, x: Lanes) -> Lanes:
    """y, or -y where x < 0."""
    return select(x < 0, -y, y)


bessel_i0 = modified_first(0, False)
bessel_i0e = modified_first(0, True)
bessel_i1 = modified_first(1, False)
bessel_i1e = modified_first(1, True)
bessel_j0 = first(0)
bessel_j1 = first(1)
bessel_k0 = modified_second(0, False)
bessel_k0e = modified_second(0, True)
bessel_k1 = modified_second(1, False)
bessel_k1e = modified_second(1, True)
bessel_y0 = second(0)
bessel_y1 = second(1)
