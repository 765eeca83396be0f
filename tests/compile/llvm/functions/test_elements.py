"""Each elementwise op's native element against its NumPy kernel, generated from the records."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from everyday import tiers
from support.native_cases import ARRAYS, KIND_OF, RECORDS, Case, Native, binary, dtypes, kinds
from support.ulps import ELEMENTS, distance

import graphwright as tf
from graphwright.compile.llvm.emitter import Emitter, Reg
from graphwright.compile.llvm.functions.elements import VectorScalars
from graphwright.op.op_families import Elementwise
from graphwright.op.scalars import NoNativeForm, caster

#: Ops whose integer operands after the first must not be zero, or not be negative.
NOT_ZERO = {"Div", "FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod"}
NOT_NEGATIVE = {"Pow"}
#: Ops of which SciPy reduces no huge angles.
SWINGING = {"BesselJ0", "BesselJ1", "BesselY0", "BesselY1"}


def element(op: Elementwise) -> Any:
    return lambda scalars, *operands: op.element(scalars, *operands)


@pytest.fixture(scope="module")
def native() -> Native:
    return Native([
        Case(f"{op.type_name}.{name}", element(op), kinds(op, name), 8) for op, name in RECORDS
    ])  # fmt: skip


def sample(kind: str, seed: int, size: int = 480) -> Any:
    """Special values, values near one, and any bits."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(ARRAYS[kind])
    if kind == "b1":
        return random.uniform(size=size) > 0.5
    bits = random.integers(0, 2**63, size, np.uint64).view(dtype)[:size]
    if kind[0] in "iu":
        info = np.iinfo(dtype)
        special = np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 1], dtype)
        small = random.integers(0, 9, size).astype(dtype)
        values = np.where(random.uniform(size=size) < 0.5, bits, small)
    else:
        nan, inf = np.nan, np.inf
        special = np.array([0, -0.0, 1, -1, nan, inf, -inf, 1e-40, -1e-310, 0.5, 6, 3e38], dtype)
        near = random.normal(0, 2, size).astype(dtype)
        bits = np.where(np.isnan(bits), dtype.type(nan), bits)  # quiet ones alone
        values = np.where(random.uniform(size=size) < 0.4, bits, near)
    chosen = np.where(random.uniform(size=size) < 0.15, random.choice(special, size), values)
    return chosen.astype(dtype)


def arguments(op: Elementwise, name: str) -> list[Any]:
    arrays = [sample(kind, seed) for seed, kind in enumerate(kinds(op, name))]
    if op.type_name in SWINGING:
        arrays = [np.where(abs(a.astype("d")) > 30, a.dtype.type(3), a) for a in arrays]
    if not tf.as_dtype(name).is_integer:
        return arrays
    if op.type_name in NOT_ZERO:
        arrays[1:] = [np.where(a == 0, a.dtype.type(5), a) for a in arrays[1:]]
    if op.type_name in NOT_NEGATIVE:
        arrays[1:] = [np.where(a < 0, ~a, a) for a in arrays[1:]]
    return arrays


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("op", "name"), RECORDS, ids=[f"{op.type_name}-{name}" for op, name in RECORDS]
)
def test_native_elements(op: Elementwise, name: str, native: Native) -> None:
    arrays = arguments(op, name)
    result, refused = native.run(f"{op.type_name}.{name}", *arrays)
    expected = np.asarray(op.bind(dtypes(op, name))(*arrays))
    assert result.dtype == expected.dtype
    assert distance(result, expected) <= ELEMENTS.get(op.type_name, 0)
    assert not refused


# -- casts ----------------------------------------------------------------------------------

PAIRS = list(itertools.permutations(KIND_OF, 2))


def cast_case(source: str, target: str) -> Case:
    rule = lambda scalars, x: scalars.cast(x, tf.as_dtype(target))  # noqa: E731
    return Case(f"{source}.{target}", rule, [KIND_OF[source]], 8)


@pytest.fixture(scope="module")
def casts() -> Native:
    return Native([cast_case(*pair) for pair in PAIRS])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_casts(source: str, target: str, casts: Native) -> None:
    x = sample(KIND_OF[source], 3)
    result = casts(f"{source}.{target}", x)
    dtype = tf.as_dtype(target).numpy_dtype
    expected = caster(x.dtype, dtype)(x)
    assert result.dtype == dtype
    assert distance(result, expected) == 0


def test_floats_that_fit_no_integer(casts: Native) -> None:
    """As the instructions of x86 have it, which NumPy shows."""
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9, 70000.9, -1.5, 300.7], np.float32)
    least, least64 = -(2**31), -(2**63)
    assert casts("float32.int32", x).tolist() == [*[least] * 6, 70000, -1, 300]
    assert casts("float32.int64", x).tolist() == [*[least64] * 5, 3000000000, 70000, -1, 300]
    assert casts("float32.int8", x).tolist() == [0] * 6 + [112, -1, 44]
    assert casts("float32.uint16", x).tolist() == [0] * 6 + [4464, 65535, 300]
    assert casts("float32.uint32", x[[5, 6, 8]]).tolist() == [3000000000, 70000, 300]
    assert casts("float32.uint64", x[[0, 1, 3, 8]]).tolist() == [2**63] * 3 + [300]
    assert casts("float32.bool", x).all()


# -- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["floordiv", "floormod", "truncdiv", "truncmod", "pow"])
@pytest.mark.parametrize("kind", ["i8", "i32", "i64", "u16", "u64"])
def test_integer_errors_are_reported(word: str, kind: str) -> None:
    """Division by zero and negative powers trap nowhere, and are told of."""
    native = Native([binary("f", word, kind, 4), binary("scalar", word, kind, 1)])
    least = np.iinfo(ARRAYS[kind]).min
    x = np.array([least, least, 5, 7, 1], ARRAYS[kind])
    fine = np.array([1, 3, 2, 1, 4], ARRAYS[kind])
    wrong = np.where(fine == 4, -1 if word == "pow" and kind[0] == "i" else 0, fine)
    reported = word != "pow" or kind[0] == "i"
    for name in ("f", "scalar"):
        assert not native.run(name, x, fine)[1]
        assert native.run(name, x, wrong.astype(ARRAYS[kind]))[1] == reported


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 16, -1, -4, -7])
@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_division_by_constants(divisor: int, kind: str) -> None:
    """A constant divisor needs no test for zero, and a power of two no division."""
    words = {"floordiv": np.floor_divide, "floormod": np.mod, "truncmod": np.fmod}

    def rule(word: str) -> Any:
        def divide(scalars: VectorScalars, x: Reg) -> Reg:
            return scalars.binary(word, x, scalars.constant(divisor, x))

        return divide

    native = Native([Case(word, rule(word), [kind], 8) for word in words])
    x = sample(kind, 5)
    for word, function in words.items():
        with np.errstate(over="ignore"):
            expected = function(x, x.dtype.type(divisor))
        result, refused = native.run(word, x)
        np.testing.assert_array_equal(result, expected)
        assert not refused


SHORT_DIVISORS = [3, 10, 255, 127.5, -7, 1000, 0.75, 2**20 - 1, 2**-40 * 719, 99991]
LONG_DIVISORS = [0.3, 58.395, 2**70, 3e-37, 16777213]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("divisor", SHORT_DIVISORS + LONG_DIVISORS)
@pytest.mark.parametrize("target", ["float32", "float64"])
def test_whole_numbers_by_constants(target: str, divisor: float) -> None:
    """Quotients of integers that became floats are rounded as the exact ones, zeros included."""

    def rule(scalars: VectorScalars, x: Reg) -> Reg:
        number = scalars.cast(x, tf.as_dtype(target))
        return scalars.div(number, scalars.constant(divisor, number))

    kinds = ("b1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
    native = Native([Case(kind, rule, [kind], 8) for kind in kinds])
    dtype = tf.as_dtype(target).as_numpy_dtype
    for kind in kinds:
        x = sample(kind, 7, 4_000)
        if kind in ("i8", "u8", "i16", "u16"):
            info = np.iinfo(ARRAYS[kind])
            x = np.arange(info.min, info.max + 1).astype(ARRAYS[kind])
        elif kind == "i64":
            x = np.concatenate([x, near_halves(divisor, np.finfo(dtype).nmant)])
        expected = x.astype(dtype) / dtype(divisor)
        assert native(kind, x).tobytes() == expected.tobytes()


def near_halves(divisor: float, digits: int) -> Any:
    """Numbers whose quotients are next to the middle of two floats with so many binary digits.

    A quotient x / c of an odd c is next to one where x * 2 ** n is 1 or -1 modulo c.
    """
    odd = int(divisor.as_integer_ratio()[0])
    while odd % 2 == 0:
        odd //= 2
    odd = abs(odd)
    inverses = [pow(2, -n, odd) for n in range(digits - 1, digits + 4)] if odd > 1 else [1]
    places = [sign * x + k * odd for x in inverses for sign in (1, -1) for k in range(64)]
    return np.array(places, np.int64)


@pytest.mark.parametrize("power", [0, 1, 2, 3, 10, 63, 64, 1000])
def test_integers_to_constant_powers(power: int) -> None:
    def rule(scalars: VectorScalars, x: Reg) -> Reg:
        return scalars.pow(x, scalars.constant(power, x))

    native = Native([Case(kind, rule, [kind], 8) for kind in ("i32", "u64")])
    for kind in ("i32", "u64"):
        x = sample(kind, 6)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(native(kind, x), np.power(x, x.dtype.type(power)))


def test_words_without_a_native_form() -> None:
    scalars = VectorScalars(Emitter())
    x = Reg("%x", "f32", 8)
    with pytest.raises(NoNativeForm, match="'bitand' of f32 has no native form"):
        scalars.bitand(x, x)
    with pytest.raises(NoNativeForm, match="'sin' of i32 has no native form"):
        scalars.sin(Reg("%x", "i32", 8))
    with pytest.raises(NoNativeForm, match="complex64 has no native form"):
        scalars.cast(x, tf.complex64)


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_remainders_of_floats_far_apart(kind: str) -> None:
    """Quotients may have a thousand digits, or be too great for a number."""
    native = Native([binary(word, word, kind, 8) for word in ("truncmod", "floormod")])
    x, y = (sample(kind, seed) for seed in (1, 2))
    info = np.finfo(ARRAYS[kind])
    x[:4], y[:4] = info.max, info.smallest_subnormal * np.array([1, 3, 5, 1e6])
    x[4:8], y[4:8] = np.pi, [info.smallest_normal, -info.tiny * 3, info.max, -np.inf]
    with np.errstate(all="ignore"):
        assert distance(native("truncmod", x, y), np.fmod(x, y)) == 0
        assert distance(native("floormod", x, y), np.mod(x, y)) == 0


ZEROS = [-0.0, 0.0, -0.0, 0.0] * 5, [0.0, -0.0, -0.0, 0.0] * 5
SECOND: dict[str, Any] = {
    "both": lambda f, x, y: f(x, y),
    "x beside 0": lambda f, x, y: f(x, 0.0),
    "x beside -0": lambda f, x, y: f(x, -0.0),
    "0 beside y": lambda f, x, y: f(tf.constant(0.0, y.dtype), y),
    "-0 beside y": lambda f, x, y: f(tf.constant(-0.0, y.dtype), y),
    "relu": lambda f, x, y: tf.nn.relu(x),
    "relu6": lambda f, x, y: tf.nn.relu6(x),
    "clip": lambda f, x, y: tf.clip_by_value(x, 0.0, 6.0),
}


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("function", [tf.maximum, tf.minimum], ids=lambda f: f.__name__)
@pytest.mark.parametrize("program", SECOND.values(), ids=SECOND)
def test_extremes_of_zeros_have_the_sign_that_kernels_give(
    program: Any, function: Any, dtype: Any
) -> None:
    for count in (1, 3, 20):
        x, y = (tf.constant(zeros[:count], dtype) for zeros in ZEROS)
        expected = program(function, x, y)
        staged = tf.function(lambda x, y: program(function, x, y), jit_compile=True)
        with tiers.native("always"):
            result = staged(x, y)
        signs = [np.signbit(r.numpy().astype(np.float32)).tolist() for r in (result, expected)]
        assert signs[0] == signs[1]
