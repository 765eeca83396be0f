"""Fits the polynomials of the native elementary functions and writes them as a module.

    python tools/fit_polynomials.py

Each is fitted by weighted least squares at Chebyshev nodes in 60 digits, the weight being what
an error of the polynomial is in the function's relative error. Coefficients are rounded to
their format one by one, the lowest first, and the rest fitted anew: the later ones make up for
the rounding of the earlier. Writes `src/graphwright/lower/llvm/polynomials.py`, with the
error that each polynomial leaves, and prints the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

mp.mp.dps = 60
TARGET = Path(__file__).parents[1] / "src/graphwright/lower/llvm/polynomials.py"
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
)  # fmt: skip


def parts(value: Any, kind: str, count: int) -> tuple[float, ...]:
    """A constant as a sum of numbers of one format, each the nearest to what is left."""
    found: list[float] = []
    for _ in range(count):
        found.append(ROUND[kind](value))
        value -= mp.mpf(found[-1])
    return tuple(found)


#: Constants that are needed to more places than one number has: value, number of parts.
CONSTANTS = {
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


def least_squares(
    xs: Sequence[Any], values: Sequence[Any], weights: Sequence[Any], powers: range
) -> list[Any]:
    """The coefficients of `powers` that leave the least weighted sum of squares."""
    rows = [[w * x**p for p in powers] for x, w in zip(xs, weights)]
    size = len(powers)
    normal, right = mp.matrix(size, size), mp.matrix(size, 1)
    for i in range(size):
        right[i] = mp.fdot((row[i], w * v) for row, w, v in zip(rows, weights, values))
        for j in range(i, size):
            normal[i, j] = normal[j, i] = mp.fdot((row[i], row[j]) for row in rows)
    return list(mp.lu_solve(normal, right))


def rounded_fit(fit: Fit, kind: str) -> tuple[float, ...]:
    """Coefficients, lowest power first, each rounded before the later ones are fitted."""
    degree = fit.degrees[kind]
    xs = nodes(fit.interval, 5 * degree + 30)
    values, weights = [fit.function(x) for x in xs], [fit.weight(x) for x in xs]
    found: list[float] = []
    for power in range(degree + 1):
        best = least_squares(xs, values, weights, range(power, degree + 1))[0]
        found.append(ROUND[kind](best))
        values = [v - mp.mpf(found[-1]) * x**power for x, v in zip(xs, values)]
    return tuple(found)


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
