"""Digamma and the exponential integral, branch-free, and computed in float64."""

from __future__ import annotations

from math import nan, pi

from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.angles import tan
from graphwright.compile.llvm.functions.bessel_functions import with_exponential
from graphwright.compile.llvm.functions.lanes import Lanes, choose, in_double, polynomial, select
from graphwright.compile.llvm.functions.logarithms import log

#: Steps upwards to arguments for which digamma's asymptotic series is exact.
_STEPS = 8
#: The limit above which the exponential integral is infinite.
_EI_MOST = 720.0


@in_double
def digamma(x: Lanes) -> Lanes:
    """The slope of log gamma: of x < 0 by reflection; NaN at the poles, 0 among them."""
    size = select(x < 0, 1 - x, x)
    result = select(size < 2, digamma_near(size), digamma_far(size))
    turned = result - pi / tan((x - x.rounded("rint")) * pi)
    pole = (x <= 0) & x.rounded("floor").eq(x)
    return choose(pole, nan, select(x < 0, turned, result))


def digamma_near(x: Lanes) -> Lanes:
    """Digamma of 0 < x < 2: on [1, 2] with its root as a factor, below that by one step."""
    below = x < 1
    place = select(below, x + 1, x)
    root, rest = of.DIGAMMA_ROOT["f64"]
    value = ((place - root) - rest) * polynomial(place - 1.5, of.DIGAMMA["f64"])
    return select(below, value - 1 / x, value)


def digamma_far(x: Lanes) -> Lanes:
    """Digamma of x >= 2, by its asymptotic series from 8 on; the steps to there are one
    fraction."""
    least = x.at_most(float(_STEPS))
    above, below = x.constant(1), least
    for step in range(1, _STEPS):
        factor = least + float(step)
        above, below = above * factor + below, below * factor
    few = x < _STEPS
    place = select(few, x + float(_STEPS), x)
    inverse = _STEPS / place
    square = inverse * inverse
    series = square * polynomial(square, of.DIGAMMA_FAR["f64"])
    value = log(place) - (inverse * (0.5 / _STEPS) + series)
    return select(few, value - above / below, value)


@in_double
def expint(x: Lanes) -> Lanes:
    """The principal value of the integral of exp(t) / t up to x."""
    inverse = 1 / x
    root, rest = of.EI_ROOT["f64"]
    small = log(x * (1 / root)) + ((x - root) - rest) * polynomial(x * (1 / 3) - 1, of.EI["f64"])
    middle = polynomial(inverse * 21 - 2.5, of.EI_6["f64"])
    large = polynomial(inverse * 52.5 - 2.75, of.EI_14["f64"])
    larger = polynomial(inverse * 60 - 1, of.EI_30["f64"])
    ratio = select(x < 14, middle, select(x < 30, large, larger))
    size = -x
    smaller = polynomial(inverse * (-8 / 3) - 5 / 3, of.E1_1["f64"])
    least = polynomial(inverse * -8 - 1, of.E1_4["f64"])
    ratio = select(x < 0, select(x < -4, least, smaller), ratio)
    far = with_exponential(ratio * inverse, x)
    above = choose(x > _EI_MOST, float("inf"), select(x < 6, small, far))
    below = select(x < -1, far, log(size) + polynomial(size, of.E1["f64"]))
    return select(x < 0, below, above)
