"""Fits the polynomials of the native elementary functions and writes them as a module.

    python tools/fit_polynomials.py

Each is fitted by weighted least squares at Chebyshev nodes in 60 digits, the weight being what
an error of the polynomial is in the function's relative error. Coefficients are rounded to
their format one by one, the lowest first, and the rest fitted anew: the later ones make up for
the rounding of the earlier. Writes `src/graphwright/compile/llvm/functions/polynomials.py`, with
the error that each polynomial leaves, and prints the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

mp.mp.dps = 60
TARGET = Path(__file__).parents[1] / "src/graphwright/compile/llvm/functions/polynomials.py"
TITLE = "Coefficients of polynomials, lowest power first; by `tools/fit_polynomials.py`."
ROUND: dict[str, Callable[[float], float]] = {
    "f32": lambda c: float(np.float32(c)),
    "f64": float,
    "wide": float,  # as exact as float32 needs, but in float64
}


class Fit(NamedTuple):
    """What is approximated: `function` on `interval`, by a polynomial of `degrees` per kind."""

    name: str
    meaning: str
    function: Callable[[Any], Any]
    weight: Callable[[Any], Any]
    interval: tuple[Any, Any]
    degrees: dict[str, int]


def odd_tail(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """(f(x) - x) / x^3 as a function of z = x^2."""
    return lambda z: (function(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3


def odd_weight(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The weight of an odd function's tail: x^3 / f(x)."""
    return lambda z: mp.sqrt(z) ** 3 / function(mp.sqrt(z))


def odd(name: str, function: Callable[[Any], Any], end: Any, degrees: dict[str, int]) -> Fit:
    """The tail of an odd function on [-end, end]."""
    meaning = f"({name.lower()}(x) - x) / x^3 in x^2, |x| <= {mp.nstr(mp.mpf(end), 4)}"
    interval = (mp.mpf(0), mp.mpf(end) ** 2)
    return Fit(name, meaning, odd_tail(function), odd_weight(function), interval, degrees)


HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.001")
QUARTER_TURN = mp.pi / 4 * mp.mpf("1.005")
ROOT = mp.sqrt(2) * mp.mpf("1.0000005")


def scaled_erfc(t: Any) -> Any:
    """(1 + 2x) exp(x^2) erfc(x) where t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


ERFC_MIDDLE = scaled_erfc(mp.mpf(0))


def constant(t: Any) -> Any:
    """The weight of an constant error."""
    return mp.mpf(1)


def bessel_fits(order: int) -> tuple[Fit, ...]:
    """What the Bessel functions of an order are made of, near zero and far from it."""
    functions = (mp.besselj, mp.bessely, mp.besseli, mp.besselk)
    first, second, grown, shrunk = (partial(function, order) for function in functions)

    def divided(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Of an odd function f the even one, f(x) / x."""
        return lambda x: function(x) / x**order

    def pole(x: Any) -> Any:
        return order / x

    def regular(x: Any) -> Any:
        """What is left of K without its logarithm and pole."""
        sign = (-1) ** order
        return shrunk(x) + sign * mp.log(x) * grown(x) - pole(x)

    def regular_second(x: Any) -> Any:
        """The same of Y."""
        return second(x) - 2 / mp.pi * (mp.log(x) * first(x) - pole(x))

    @cache
    def grown_far(t: Any) -> Any:
        x = 16 / (t + 1)
        return mp.sqrt(x) * mp.exp(-x) * grown(x)

    @cache
    def shrunk_far(t: Any) -> Any:
        x = (1 + t) / (1 - t)
        return mp.sqrt(x) * mp.exp(x) * shrunk(x)

    def amplitude(is_along: bool) -> Callable[[Any], Any]:
        """P or Q / w^(1/2) of w = 64 / x^2."""

        def value(w: Any) -> Any:
            x = 8 / mp.sqrt(w)
            angle = x - (2 * order + 1) * mp.pi / 4
            j, y = (mp.sqrt(mp.pi * x / 2) * f(x) for f in (first, second))
            if is_along:
                return j * mp.cos(angle) + y * mp.sin(angle)
            return (y * mp.cos(angle) - j * mp.sin(angle)) * x / 8

        return value

    def centred(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda t: divided(function)(mp.sqrt(32 * (1 + t)))

    def relative(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda t: 1 / function(t)

    unit, both = (mp.mpf(0), mp.mpf(1)), (mp.mpf(-1), mp.mpf(1))

    @cache
    def grown_near(z: Any) -> Any:
        return divided(grown)(8 * mp.sqrt(z))

    over = " / x" * order
    return (
        Fit(f"I{order}_NEAR", f"I{order}(x){over} in (x / 8)^2, |x| <= 8",
            grown_near, relative(grown_near), unit, {"f64": 15}),
        Fit(f"I{order}_FAR", f"sqrt(x) exp(-x) I{order}(x) in 16 / x - 1, x >= 8",
            grown_far, relative(grown_far), both, {"f64": 23}),
        Fit(f"K{order}_NEAR", f"(K{order}(x) {'-+'[order == 0]} log(x) I{order}(x)"
            f"{' - 1 / x' * order}){over} in x^2, x <= 1",
            lambda z: divided(regular)(mp.sqrt(z)), constant, unit, {"f64": 7}),
        Fit(f"K{order}_FAR", f"sqrt(x) exp(x) K{order}(x) in (x - 1) / (x + 1), x >= 1",
            shrunk_far, relative(shrunk_far), (mp.mpf(0), mp.mpf("0.999")), {"f64": 21}),
        Fit(f"J{order}_NEAR", f"J{order}(x){over} in x^2 / 32 - 1, |x| <= 8",
            centred(first), constant, both, {"f64": 15}),
        Fit(f"Y{order}_NEAR", f"(Y{order}(x) - 2 / pi (log(x) J{order}(x)"
            f"{' - 1 / x' * order})){over} in x^2 / 32 - 1, x <= 8",
            centred(regular_second), constant, both, {"f64": 15}),
        Fit(f"BESSEL_P{order}", f"what J{order} and Y{order} are along the angle, in (8 / x)^2, "
            "x >= 8", amplitude(True), constant, unit, {"f64": 12}),
        Fit(f"BESSEL_Q{order}", "and across it, times x / 8, in (8 / x)^2, x >= 8",
            amplitude(False), constant, unit, {"f64": 12}),
    )  # fmt: skip


DIGAMMA_ROOT = mp.findroot(mp.digamma, 1.46)
EI_ROOT = mp.findroot(mp.ei, 0.37)


def digamma_far(w: Any) -> Any:
    """What digamma's logarithm and first term leave, over w = 64 / x^2."""
    x = 8 / mp.sqrt(w)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / w


def ei_near(t: Any) -> Any:
    """Ei(x) less log(x / EI_ROOT), over x - EI_ROOT, where t = x / 3 - 1."""
    x = 3 * (1 + t)
    return (mp.ei(x) - mp.log(x / EI_ROOT)) / (x - EI_ROOT)


def ei_between(low: int, high: Any) -> Callable[[Any], Any]:
    """x exp(-x) Ei(x) between two places, in t that is linear in 1 / x and -1 at the higher one."""
    step = (1 / mp.mpf(low) - 1 / mp.mpf(high)) / 2
    return lambda t: ei_scaled(1 / (1 / mp.mpf(high) + (1 + t) * step))


def ei_scaled(x: Any) -> Any:
    """x exp(-x) Ei(x)."""
    return x * mp.exp(-x) * mp.ei(x)


FITS = (
    Fit("EXP", "(exp(r) - 1 - r) / r^2, |r| <= log(2) / 2",
        lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / mp.expm1(r),
        (-HALF_LN2, HALF_LN2), {"f32": 4, "f64": 9}),
    Fit("LOG", "(log(1 + f) - f + f^2 / 2) / f^3, sqrt(1/2) <= 1 + f <= sqrt(2)",
        lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, lambda f: f**3 / mp.log1p(f),
        (1 / ROOT - 1, ROOT - 1), {"f32": 7}),
    Fit("ATANH_LOG", "(2 atanh(s) - 2 s) / s^3 in s^2, where 1 + f = (1 + s) / (1 - s)",
        lambda z: 2 * odd_tail(mp.atanh)(z), odd_weight(mp.atanh),
        (mp.mpf(0), ((ROOT - 1) / (ROOT + 1)) ** 2), {"f64": 6}),
    Fit("ATANH_LOG_5", "(2 atanh(s) - 2 s - 2 s^3 / 3) / s^5 in s^2, as above",
        lambda z: 2 * (mp.atanh(mp.sqrt(z)) - mp.sqrt(z) - mp.sqrt(z) ** 3 / 3)
        / mp.sqrt(z) ** 5,
        lambda z: mp.sqrt(z) ** 5 / mp.atanh(mp.sqrt(z)),
        (mp.mpf(0), ((ROOT - 1) / (ROOT + 1)) ** 2), {"f64": 7}),
    Fit("LOG2", "log2((1 + s) / (1 - s)) / s in s^2, as above",
        lambda z: 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) / mp.log(2),
        lambda z: mp.sqrt(z) / mp.atanh(mp.sqrt(z)),
        (mp.mpf(0), ((ROOT - 1) / (ROOT + 1)) ** 2), {"wide": 4}),
    Fit("EXP2", "2^r, |r| <= 1/2",
        lambda r: mp.mpf(2) ** r, lambda r: mp.mpf(2) ** -r,
        (-mp.mpf("0.5"), mp.mpf("0.5")), {"wide": 6}),
    odd("SIN", mp.sin, QUARTER_TURN, {"f32": 2, "f64": 5}),
    Fit("COS", "(cos(x) - 1 + x^2 / 2) / x^4 in x^2, |x| <= pi / 4",
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2,
        (mp.mpf(0), QUARTER_TURN**2), {"f32": 2, "f64": 5}),
    odd("ASIN", mp.asin, "0.5", {"f32": 4, "f64": 11}),
    odd("ATAN", mp.atan, mp.sqrt(2) - 1, {"f32": 4, "f64": 10}),
    odd("SINH", mp.sinh, "1", {"f32": 3, "f64": 7}),
    odd("TANH", mp.tanh, "0.5625", {"f32": 4, "f64": 10}),
    odd("ASINH", mp.asinh, "0.5", {"f32": 4, "f64": 11}),
    odd("ATANH", mp.atanh, "0.5", {"f32": 6, "f64": 13}),
    Fit("ERF", "(erf(x) - x) / x in x^2, |x| <= 1",
        lambda z: (mp.erf(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z),
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)),
        (mp.mpf(0), mp.mpf(1)), {"f32": 6, "f64": 11}),
    Fit("LOG_ERFC", "log(erfc(x)), 1 <= x <= 6",
        lambda x: mp.log(mp.erfc(x)), lambda x: mp.erfc(x), (mp.mpf("0.99"), mp.mpf(6)),
        {"f32": 6, "f64": 17}),
    Fit("ERFC", "((1 + 2x) exp(x^2) erfc(x) - ERFC_MIDDLE) / t, t = (x - 4) / (x + 4), x <= 28",
        lambda t: (scaled_erfc(t) - ERFC_MIDDLE) / t, lambda t: t / scaled_erfc(t),
        (mp.mpf(-1), mp.mpf("0.76")), {"f32": 11, "f64": 23}),
    Fit("DIGAMMA", "digamma(x) / (x - DIGAMMA_ROOT) in x - 3 / 2, 1 <= x <= 2",
        lambda t: mp.digamma(t + mp.mpf("1.5")) / (t + mp.mpf("1.5") - DIGAMMA_ROOT),
        constant, (mp.mpf("-0.5"), mp.mpf("0.5")), {"f64": 21}),
    Fit("DIGAMMA_FAR", "(log(x) - 1 / (2 x) - digamma(x)) / w in w = (8 / x)^2, x >= 8",
        digamma_far, constant, (mp.mpf(0), mp.mpf(1)), {"f64": 6}),
    Fit("EI", "(Ei(x) - log(x / EI_ROOT)) / (x - EI_ROOT) in x / 3 - 1, x <= 6",
        ei_near, constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 20}),
    Fit("EI_6", "x exp(-x) Ei(x) in 21 / x - 5 / 2, 6 <= x <= 14",
        ei_between(6, 14), constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 22}),
    Fit("EI_14", "x exp(-x) Ei(x) in 105 / (2 x) - 11 / 4, 14 <= x <= 30",
        ei_between(14, 30), constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 18}),
    Fit("EI_30", "x exp(-x) Ei(x) in 60 / x - 1, x >= 30",
        ei_between(30, mp.inf), constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 16}),
    Fit("E1", "-log(x) - E1(x), x <= 1",
        lambda x: -mp.log(x) - mp.e1(x), constant, (mp.mpf(0), mp.mpf(1)), {"f64": 13}),
    Fit("E1_1", "x exp(x) E1(x) in 8 / (3 x) - 5 / 3, 1 <= x <= 4",
        ei_between(-1, -4), constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 23}),
    Fit("E1_4", "x exp(x) E1(x) in 8 / x - 1, x >= 4",
        ei_between(-4, -mp.inf), constant, (mp.mpf(-1), mp.mpf(1)), {"f64": 24}),
    *bessel_fits(0),
    *bessel_fits(1),
)  # fmt: skip


def parts(value: Any, kind: str, count: int) -> tuple[float, ...]:
    """A constant as a sum of numbers of one format, each the nearest to what is left."""
    result: list[float] = []
    for _ in range(count):
        result.append(ROUND[kind](value))
        value -= mp.mpf(result[-1])
    return tuple(result)


#: Constants that are needed to more places than one number has: value, number of parts.
CONSTANTS = {
    "DIGAMMA_ROOT": (DIGAMMA_ROOT, 2),
    "EI_ROOT": (EI_ROOT, 2),
    "ERFC_MIDDLE": (ERFC_MIDDLE, 2),
    "HALF_PI": (mp.pi / 2, 3),
    "LN2": (mp.log(2), 2),
    "LOG2E": (1 / mp.log(2), 1),
    "TWO_THIRDS": (mp.mpf(2) / 3, 2),
}


def digits_of_two_over_pi() -> tuple[int, ...]:
    """The binary digits of 2 / pi, 64 a word, after a word of zeros."""
    with mp.workprec(2000):
        value = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (64 * 21)))
    return (0, *(value >> (64 * place) & (2**64 - 1) for place in reversed(range(21))))


def nodes(interval: tuple[Any, Any], count: int) -> list[Any]:
    """Chebyshev nodes: their crowding at the ends makes least squares nearly minimax."""
    low, high = interval
    middle, half = (low + high) / 2, (high - low) / 2
    return [middle + half * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / count) for k in range(count)]


def least_squares(columns: Sequence[Sequence[Any]], products: Any, values: Sequence[Any]) -> Any:
    """The factors of columns, whose products with each other are given, that leave the least sum of
    squares of what they add up to and the values."""
    right = mp.matrix([mp.fdot(column, values) for column in columns])
    return mp.lu_solve(products, right)


def rounded_fit(fit: Fit, kind: str) -> tuple[float, ...]:
    """Coefficients, lowest power first, each rounded before the later ones are fitted."""
    degree = fit.degrees[kind]
    xs = nodes(fit.interval, 5 * degree + 30)
    values, weights = [fit.function(x) for x in xs], [fit.weight(x) for x in xs]
    columns = [[w * x**power for x, w in zip(xs, weights)] for power in range(degree + 1)]
    products = mp.matrix([[mp.fdot(a, b) for b in columns] for a in columns])
    result: list[float] = []
    for power in range(degree + 1):
        left = [w * v for w, v in zip(weights, values)]
        best = least_squares(columns[power:], products[power:, power:], left)[0]
        result.append(ROUND[kind](best))
        values = [v - mp.mpf(result[-1]) * x**power for x, v in zip(xs, values)]
    return tuple(result)


def error(fit: Fit, coefficients: Sequence[float]) -> float:
    """The greatest weighted error, as a power of two."""
    low, high = fit.interval
    points = [low + (high - low) * (k + mp.mpf(1) / 2) / 400 for k in range(400)]
    exact = [mp.mpf(c) for c in reversed(coefficients)]
    worst = max(abs(fit.weight(x) * (fit.function(x) - mp.polyval(exact, x))) for x in points)
    return float(mp.log(worst, 2))


def main() -> None:
    """Fits all, and writes the module."""
    lines = [f'"""{TITLE}"""', "", "from __future__ import annotations"]
    for name, (value, count) in CONSTANTS.items():
        lines += ["", f"{name} = {{"]
        lines += [f'    "{kind}": {parts(value, kind, count)!r},' for kind in ("f32", "f64")]
        lines.append("}")
    lines += ["", "#: Binary digits, 64 a word, after a word of zeros.", "TWO_OVER_PI = ("]
    lines += [*(f"    0x{word:016X}," for word in digits_of_two_over_pi()), ")"]
    for fit in FITS:
        lines += ["", f"#: {fit.meaning}.", f"{fit.name} = {{"]
        for kind in fit.degrees:
            coefficients = rounded_fit(fit, kind)
            left = error(fit, coefficients)
            print(f"{fit.name:12} {kind} degree {fit.degrees[kind]:2}  error 2^{left:.1f}")
            lines.append(f'    "{kind}": (  # error 2^{left:.1f}')
            lines += [f"        {c!r}," for c in coefficients]
            lines.append("    ),")
        lines.append("}")
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
