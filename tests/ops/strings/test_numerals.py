"""Numbers are printed as `printf` prints them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphwright.ops.strings import numerals, string_kernels
from graphwright.types.arrays import Array


@pytest.fixture(autouse=True)
def _ready() -> None:
    numerals.PREPARATION.work()


def many(values: list[float], dtype: str) -> Array:
    """The values, several times, so that machine code prints them."""
    with np.errstate(over="ignore"):
        row = np.array(values).astype(dtype)
    return np.tile(row, numerals.MANY // len(row) + 1)


#: Numbers that lie between two texts, or near, and those of any size.
WHOLES = st.integers(-(10**9), 10**9)
HALVES = st.builds(lambda n, k: (n + 0.5) / 10.0**k, WHOLES, st.integers(0, 9))
POWERS = st.builds(
    lambda k, d: math.nextafter(10.0**k, d), st.integers(-12, 16), st.sampled_from([0.0, 1e99])
)
DYADIC = st.builds(lambda n, k: n / 2.0**k, st.integers(-(2**40), 2**40), st.integers(0, 45))
PLAIN = st.sampled_from([0.0, -0.0, 9.9999995])
REALS = st.one_of(HALVES, POWERS, DYADIC, st.floats(), st.floats(-1e6, 1e6), PLAIN)


@given(
    st.lists(REALS, min_size=1, max_size=20),
    st.sampled_from(["float64", "float32", "float16"]),
    st.sampled_from(["f", "e", "g"]),
    st.integers(-1, 17),
)
@example([0.5, 1.5, 2.5, -0.5, 0.125, 1e15, 1e-5, 123456.5], "float64", "g", -1)
@example([0.5, 1.5, 2.5, 3.5, 1234567.5], "float64", "f", 0)
def test_floats(values: list[float], dtype: str, style: str, precision: int) -> None:
    array = many(values, dtype)
    form = f"%.{precision}{style}" if precision > -1 else f"%{style}"
    results = string_kernels.as_string(array, precision, style == "e", style == "g")
    assert results.tolist() == [(form % float(value)).encode() for value in array]


@given(st.lists(REALS, min_size=1, max_size=20), st.integers(0, 9))
def test_digits_are_those_of_exact_decimals(values: list[float], precision: int) -> None:
    values = [value for value in values if abs(value) < 1e15] or [1.0]
    results = string_kernels.as_string(many(values, "float64"), precision).tolist()
    for value, text in zip(values, results):
        exact = Decimal(value).quantize(Decimal(1).scaleb(-precision), ROUND_HALF_EVEN)
        assert Decimal(text.decode()) == exact


@given(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=20))
def test_whole_numbers(values: list[int]) -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint64, np.uint8):
        held = [value for value in values if np.iinfo(dtype).min <= value <= np.iinfo(dtype).max]
        array = np.tile(np.array([0, 7, 10, 99, *held], dtype), 9).reshape(3, -1)
        results = string_kernels.as_string(array)
        assert results.shape == array.shape
        assert results.tolist() == [[b"%d" % value for value in row] for row in array.tolist()]


def test_machine_code_prints_most() -> None:
    values = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-3, 7).repeat(100)
    for style in "feg":
        results = numerals.of_reals(values, style, -1)
        assert results is not None
        assert (results != b"").all()


def test_flags() -> None:
    np.testing.assert_array_equal(
        string_kernels.as_string(np.array([[True, False]] * 40)), [[b"true", b"false"]] * 40
    )
    assert string_kernels.as_string(np.array(True))[()] == b"true"
