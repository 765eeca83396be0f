"""Native elementary functions against mpmath over the whole range of their arguments.

The accuracy that docs/elementary.md states is what is asserted here; `python
tests/lower/test_elementary.py` measures it on many more arguments and prints the table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from support.native_cases import ARRAYS, Case, Native, binary, unary

import graphwright as tf
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.functions import elementary, powers
from graphwright.compile.llvm.functions.elements import VectorScalars

PRECISION = 120
#: The greatest error in units in the last place, where it is not 2, and of float64 alone.
ULPS = {"pow": 4.0}
DOUBLE_ULPS = {"digamma": 10.0, "expint": 10.0}
INFINITY = float("inf")
NAMES = [*elementary.UNARY, *elementary.BINARY]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def bessel(letter: str, order: int, growth: int = 0) -> Callable[..., Any]:
    """A Bessel function, times exp(growth |x|); NaN outside of its domain."""
    function = getattr(mp, f"bessel{letter}")
    domain = -math.inf if letter in "ij" else 0
    return lambda x: function(order, x) * mp.exp(growth * abs(x)) if x >= domain else mp.nan


#: Functions that mpmath does not have under this name.
REFERENCES: dict[str, Callable[..., Any]] = {"sigmoid": sigmoid, "pow": mp.power, "expint": mp.ei}
for order in (0, 1):
    REFERENCES |= {f"bessel_{letter}{order}": bessel(letter, order) for letter in "ijky"}
    REFERENCES |= {f"bessel_i{order}e": bessel("i", order, -1)}
    REFERENCES |= {f"bessel_k{order}e": bessel("k", order, 1)}
BESSEL = [name for name in REFERENCES if name.startswith("bessel")]
#: Those that swing.
SWINGING = [name for name in BESSEL if name[7] in "jy"]


def scale(name: str, x: float) -> float:
    """What errors are relative to where a function of float64 is near a zero: between two numbers,
    it comes no closer than its slope allows."""
    if name in SWINGING:
        return min(1.0, 1 / math.sqrt(abs(x)))
    return 1.0 if name in DOUBLE_ULPS else 0.0


#: Where there is more to see than at arguments around 1: intervals.
CLOSE: dict[str, list[tuple[float, float]]] = {
    "acos": [(-1, 1), (0.4, 0.6)], "acosh": [(1, 1.001), (1, 2)],
    "asin": [(-1, 1), (0.4, 0.6)], "asinh": [(-1, 1)], "atan": [(0.3, 3)],
    "atanh": [(-1, 1), (0.999, 1)], "erf": [(-1.1, 1.1), (1, 6)],
    "erfc": [(-1.1, 1.1), (1, 10.5), (10, 28)], "log": [(0.5, 2), (0.999, 1.001)],
    "log1p": [(-1, 2), (-0.5, 0.5)], "cosh": [(-90, 90), (80, 90), (700, 711)],
    "exp": [(-105, -86), (80, 89), (-750, -700), (700, 710)], "sinh": [(-90, 90), (80, 90)],
    "expm1": [(-1, 1), (-40, 40), (80, 90)], "sigmoid": [(-10, 10), (-110, -80)],
    "sin": [(-7, 7), (1e4, 1e5)], "cos": [(-7, 7), (1e4, 1e5)], "tan": [(-7, 7), (1e4, 1e5)],
    "tanh": [(-1.2, 1.2), (-20, 20)], "digamma": [(-9, 9), (0, 2), (1.4, 1.5), (7, 11)],
    "expint": [(-9, 9), (0, 2), (0.3, 0.4), (5, 35), (80, 90), (-90, -80), (690, 720)],
    **{name: [(0, 1.5), (-9, 9), (0, 30), (80, 95), (650, 760)] for name in BESSEL},
}  # fmt: skip


@pytest.fixture(scope="module")
def native() -> Native:
    return compiled(16)


def compiled(lanes: int) -> Native:
    cases = [unary(f"{n}.{k}", n, k, lanes) for n in elementary.UNARY for k in ("f32", "f64")]
    cases += [binary(f"{n}.{k}", n, k, lanes) for n in elementary.BINARY for k in ("f32", "f64")]
    return Native(cases)


# -- arguments ------------------------------------------------------------------------------


def any_bits(kind: str, size: int, random: np.random.Generator) -> Any:
    """Numbers of any exponent, subnormal ones and NaN among them."""
    dtype = np.dtype(ARRAYS[kind])
    return random.integers(0, 2**63, size, np.uint64).view(dtype)[:size]


def samples(name: str, kind: str, size: int, seed: int) -> list[Any]:
    """The arguments of one function."""
    random = np.random.default_rng([seed, NAMES.index(name), len(kind)])
    if name in elementary.BINARY:
        return pairs(name, kind, size, random)
    dtype = ARRAYS[kind]
    parts = [any_bits(kind, size, random)]
    signs = random.choice([-1, 1], size)
    parts.append(signs * 2.0 ** random.uniform(-30, 10, size))
    parts += [random.uniform(low, high, size) for low, high in CLOSE[name]]
    turns = random.integers(-(10**5), 10**5, size) * (np.pi / 2)
    if name in ("sin", "cos", "tan"):
        parts += [turns, turns * 1e4]
    return [joined(parts, dtype)]


def pairs(name: str, kind: str, size: int, random: np.random.Generator) -> list[Any]:
    """The arguments of `atan2` and `pow`; powers are mostly such that they are finite."""
    dtype = ARRAYS[kind]
    first = [any_bits(kind, size, random), random.normal(0, 2, size)]
    second = [any_bits(kind, size, random), random.normal(0, 2, size)]
    if name == "pow":
        base = 2.0 ** random.uniform(-4, 4, 2 * size)
        base[:size] = 1 + random.uniform(-1e-3, 1e-3, size)
        most = 104.0 if kind == "f32" else 745.0
        first += [base, random.integers(-9, 9, size)]
        second += [random.uniform(-most, most, 2 * size) / np.log(base)]
        second += [random.integers(-40, 40, size)]
    return [joined(parts, dtype) for parts in (first, second)]


def joined(parts: list[Any], dtype: Any) -> Any:
    """The parts as one array, rounded to the dtype."""
    return np.concatenate([np.asarray(part).astype(dtype) for part in parts])


# -- what is right --------------------------------------------------------------------------


def exact(name: str, *arguments: float) -> Any:
    """The true value at finite arguments, or None where it is no real number."""
    function = REFERENCES.get(name) or getattr(mp, name)
    try:
        value = function(*map(mp.mpf, arguments))
    except (ZeroDivisionError, ValueError):
        return None
    return value if isinstance(value, mp.mpf) and mp.isfinite(value) else None


def error(found: float, true: Any, kind: str, least: float = 0.0) -> float:
    """|found - true| in units in the last place of the true value, or of `least` if it is
    smaller."""
    digits, smallest = (24, -149) if kind == "f32" else (53, -1074)
    largest = mp.mpf(2) ** (128 if kind == "f32" else 1024)
    if math.isinf(found):  # as if the numbers went on
        found = mp.mpf(largest) * (1 if found > 0 else -1)
    elif math.isnan(found):
        return INFINITY
    clipped = max(min(true, largest), -largest)
    size = max(abs(clipped), least)
    exponent = mp.frexp(size)[1] if size else smallest
    unit = mp.mpf(2) ** max(exponent - digits, smallest)
    return float(abs(mp.mpf(found) - clipped) / unit)


def worst(native: Native, name: str, kind: str, size: int, seed: int = 0) -> tuple[float, Any]:
    """The greatest error over a sample, and where it is."""
    arrays = samples(name, kind, size, seed)
    outcome = native(f"{name}.{kind}", *arrays)
    greatest: tuple[float, Any] = (0.0, None)
    with mp.workprec(PRECISION):
        for result, *arguments in zip(outcome.tolist(), *(a.tolist() for a in arrays)):
            if not all(map(math.isfinite, arguments)):
                continue
            true = true_value(name, arguments)
            if true is not None:
                least = scale(name, arguments[0]) if kind == "f64" else 0.0
                off = error(result, true, kind, least)
                greatest = (off, arguments) if off > greatest[0] else greatest
    return greatest


def true_value(name: str, arguments: list[float]) -> Any:
    """As `exact`, without computing numbers that are far out of every range."""
    if name == "pow":
        x, y = arguments
        if x == 0 or (x < 0 and y != int(y)):
            return None
        if x != 0 and abs(y * math.log(abs(x))) > 2000:
            return None  # `test_special_powers`, and the limits
    if name in ("exp", "expm1", "sinh", "cosh", "sigmoid", "tanh", "erf", "erfc", "expint"):
        arguments = [max(min(arguments[0], 2000.0), -2000.0)]
        if name == "erfc":
            arguments = [min(arguments[0], 40.0)]
    return exact(name, *arguments)


# -- tests ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", NAMES)
def test_accuracy(name: str, kind: str, native: Native) -> None:
    result, where = worst(native, name, kind, 40 if name in BESSEL else 400)  # mpmath is slow there
    assert result <= bound(name, kind), where


def bound(name: str, kind: str) -> float:
    """The greatest error allowed."""
    doubles = {**dict.fromkeys(BESSEL, 10.0), **DOUBLE_ULPS}
    return ULPS.get(name, 2.0) if kind == "f32" else doubles.get(name, ULPS.get(name, 2.0))


def reference(name: str) -> Callable[..., Any]:
    """NumPy's function, or one that has the same limits."""
    from graphwright.op.scalars import BINARY, UNARY

    return UNARY[name] if name in UNARY else BINARY[name]


SPECIAL = [0.0, -0.0, INFINITY, -INFINITY, math.nan, 1.0, -1.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", NAMES)
def test_special_values(name: str, kind: str, native: Native) -> None:
    """NaN, infinities and signed zeros as NumPy has them, and what is outside of the domain."""
    huge = 30.0 if name in SWINGING else 1e30  # SciPy reduces no huge angles
    grid = [[*SPECIAL, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, huge, -huge]]
    if name in elementary.BINARY:
        grid = [g.ravel() for g in np.meshgrid(*grid, *grid)]
    arrays = [np.array(g, ARRAYS[kind]) for g in grid]
    result = native(f"{name}.{kind}", *arrays)
    expected = reference(name)(*arrays)
    exactly = np.isnan(expected) | np.isinf(expected) | (expected == 0)
    assert np.array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(result[exactly], expected[exactly])
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(result[zero]), np.signbit(expected[zero]))
    np.testing.assert_allclose(result, expected, 1e-6 if kind == "f32" else 1e-14)


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_special_powers(kind: str, native: Native) -> None:
    """Odd and even whole powers that are huge, and powers that overflow either way."""
    dtype = ARRAYS[kind]
    digits = np.finfo(dtype).nmant
    odd, even = 2.0**digits + 1, 2.0 ** (digits + 1)
    x = np.array([-2, -2, -0.5, -0.5, -2, -0.0, -0.0, 2, 0.5, -1, -1, -2], dtype)
    y = np.array([odd, even, odd, even, -odd, -odd, -3, 1e30, 1e30, odd, even, 0.5], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(native(f"pow.{kind}", x, y), np.power(x, y))


#: Powers of float32 that are products of float64.
SHORT = (1.5, -1.5, 2.5, -2.0, -3.0, 5.0, 6.0, 7.5, -7.5, 8.0, -8.0)


def of_power(power: float, kind: str) -> Callable[[Any], Any]:
    """The native power of a known number."""

    def rule(scalars: VectorScalars, x: Reg) -> Reg:
        return scalars.pow(x, scalars.constant(power, x))

    return partial(Native([Case("f", rule, [kind], 8)]), "f")


@pytest.mark.parametrize("power", SHORT)
def test_short_powers_of_float32_are_rounded_once(power: float) -> None:
    (x,) = samples("log", "f32", 200, 5)
    x = np.concatenate([x, 2.0 ** np.linspace(-149, 127, 100)]).astype(np.float32)
    x = np.concatenate([x, -x]) if power == int(power) else x
    with mp.workprec(PRECISION):
        for base, result in zip(x.tolist(), of_power(power, "f32")(x).tolist()):
            if base and math.isfinite(base) and (base > 0 or power == int(power)):
                assert error(result, mp.power(base, power), "f32") < 0.5001, base


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("power", [*powers.SMALL_POWERS, 0.0, *SHORT, 8.5, 9.0, INFINITY])
def test_powers_that_are_constants(power: float, kind: str) -> None:
    """Some are products; they are as exact, and have the same special cases."""
    x = np.concatenate([samples("log", kind, 300, 3)[0], SPECIAL]).astype(ARRAYS[kind])
    result = of_power(power, kind)(x)
    expected = np.power(x, np.full_like(x, power))  # of a scalar 1/2 it takes the root
    assert np.array_equal(np.isnan(result), np.isnan(expected))
    result, expected = result[~np.isnan(result)], expected[~np.isnan(expected)]
    np.testing.assert_array_max_ulp(np.abs(result), np.abs(expected), 2)
    np.testing.assert_array_equal(
        np.signbit(result[result == 0]), np.signbit(expected[result == 0])
    )


@pytest.mark.parametrize("name", NAMES)
def test_one_lane_computes_what_many_do(name: str, native: Native) -> None:
    """Results do not change with the shape of what is computed."""
    rule = unary if name in elementary.UNARY else binary
    kinds = ("f64",) if name == "tanh" else ("f32", "f64")  # see `test_lone_tanh`
    one = Native([rule(kind, name, kind, 1) for kind in kinds])
    for kind in kinds:
        arrays = samples(name, kind, 40, 7)
        np.testing.assert_array_equal(one(kind, *arrays), native(f"{name}.{kind}", *arrays))


def test_lone_tanh() -> None:
    """A number alone takes a shorter way, which is as good."""
    lone = Native([unary("tanh.f32", "tanh", "f32", 1)])
    result, where = worst(lone, "tanh", "f32", 400)
    assert result <= 2.0, where


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "cos"])
def test_every_float32(name: str, native: Native) -> None:
    """All 2^32 arguments, against the C library's double precision."""
    function = getattr(np, name)
    step = 2**24
    for start in range(0, 2**32, step):
        x = np.arange(start, start + step, dtype=np.uint64).astype(np.uint32).view(np.float32)
        result = native(f"{name}.f32", x)
        with np.errstate(all="ignore"):
            true = function(x.astype(np.float64))
            nearest = true.astype(np.float32)
            unit = np.spacing(np.abs(np.where(np.isfinite(nearest), nearest, 1)))
            off = np.abs(result.astype(np.float64) - true) / unit
        assert np.array_equal(np.isnan(result), np.isnan(nearest))
        wrong = np.isfinite(result) & np.isfinite(nearest) & (off > 2)
        assert not wrong.any(), x[wrong][:5]
        ends = np.isfinite(result) != np.isfinite(nearest)
        assert not ends.any(), x[ends][:5]


SIZE = 16384


def nanoseconds(function: Callable[..., Any], arrays: list[Any]) -> float:
    """The time of one element, the best of many calls."""
    times = []
    for _ in range(30):
        start = time.perf_counter()
        function(*arrays)
        times.append(time.perf_counter() - start)
    return min(times) / SIZE * 1e9


def speeds(name: str, kind: str) -> tuple[float, float]:
    """Nanoseconds an element of ours and of NumPy's (or SciPy's), where the data is in cache."""
    rule = unary if name in elementary.UNARY else binary
    native = Native([rule("f", name, kind, 32 if kind == "f32" else 16)])
    random = np.random.default_rng(0)
    low, high = {"acosh": (1, 9), "log": (0.1, 9), "pow": (0.1, 9)}.get(name, (-0.9, 0.9))
    count = 1 if name in elementary.UNARY else 2
    arrays = [random.uniform(low, high, SIZE).astype(ARRAYS[kind]) for _ in range(count)]
    with np.errstate(all="ignore"):
        return nanoseconds(native.ready("f", *arrays), []), nanoseconds(reference(name), arrays)


def main() -> None:
    """Prints the figures of docs/elementary.md."""
    native = compiled(16)
    print(
        "| function | float32 | float64 | ns | NumPy | ns | NumPy |\n|---|---|---|---|---|---|---|"
    )
    for name in NAMES:
        errors = [worst(native, name, kind, 4000, seed=1)[0] for kind in ("f32", "f64")]
        times = [t for kind in ("f32", "f64") for t in speeds(name, kind)]
        figures = " | ".join(f"{figure:.2f}" for figure in (*errors, *times))
        print(f"| `{name}` | {figures} |", flush=True)


#: For functions that are used often, whose code is called.
STAGED: dict[str, Callable[[Any], Any]] = {
    "tanh": tf.tanh,
    "sin": tf.sin,
    "sigmoid": tf.sigmoid,
    "pow": lambda x: tf.pow(tf.abs(x), x),
}
STAGED_OPERANDS = {"a number": ((), tf.float32), "floats": ((70,), tf.float32)}
STAGED_OPERANDS |= {"doubles": ((70,), tf.float64), "halves": ((70,), tf.bfloat16)}


@pytest.mark.parametrize("operand", STAGED_OPERANDS)
@pytest.mark.parametrize("name", STAGED)
def test_calls_give_the_bits_of_code_in_place(
    name: str, operand: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, (shape, dtype) = STAGED[name], STAGED_OPERANDS[operand]
    x = tf.cast(np.random.default_rng(1).normal(size=shape) * 3, dtype)
    calls: list[str] = []
    called = elementary.called

    def noted(rule: Any, symbol: str, *lanes: Any) -> Any:
        calls.append(symbol)
        return called(rule, symbol, *lanes)

    def results() -> list[Any]:
        @tf.function(jit_compile=True)
        def many(x: Any) -> Any:
            return [function(x * (0.5 + i)) for i in range(5)]

        return [y.numpy().tobytes() for y in many(x)]

    monkeypatch.setattr(elementary, "called", noted)
    for limit in ("_IN_PLACE", "_NUMBERS_IN_PLACE"):
        monkeypatch.setattr(elementary, limit, 2)
    by_calls = results()
    assert len(calls) >= 3
    del calls[:]
    for limit in ("_IN_PLACE", "_NUMBERS_IN_PLACE"):
        monkeypatch.setattr(elementary, limit, 100)
    assert results() == by_calls
    assert not calls


if __name__ == "__main__":
    main()
