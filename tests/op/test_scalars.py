"""The functions of elements that NumPy has no function for, against what they are by definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.op import scalars
from graphwright.types import dtypes as dt

WHOLE = [-7, -6, -1, 0, 1, 6, 7]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.float64])
def test_quotients(dtype: Any) -> None:
    for x in WHOLE:
        for y in (-3, -2, -1, 1, 2, 3):
            a, b = np.array([x], dtype), np.array([y], dtype)
            for function, wanted in (
                (scalars.floor_quotient, math.floor(x / y)),
                (scalars.truncated_quotient, math.trunc(x / y)),
            ):
                result = function(a, b)
                assert (result.dtype, result.tolist()) == (dtype, [wanted])
            exact = x / y if np.dtype(dtype).kind == "f" else math.trunc(x / y)
            assert scalars.quotient_of_c(a, b)[0] == dtype(exact)


def test_shifts_stay_in_the_width_of_the_dtype() -> None:
    left, right = scalars.shift(np.left_shift), scalars.shift(np.right_shift)
    x = np.array([-128, -1, 1, 127], np.int8)
    for distance in (-5, 0, 1, 7, 8, 100):
        inside = min(max(distance, 0), 7)
        y = np.full(4, distance, np.int8)
        assert left(x, y).tolist() == np.left_shift(x, np.int8(inside)).tolist()
        assert right(x, y).tolist() == [int(v) >> inside for v in x]


def test_digamma_has_poles() -> None:
    x = np.array([0.0, -1.0, -2.0, 1.0, 0.5, -0.5], np.float64)
    result = scalars.psi(x)
    assert np.isnan(result[:3]).all()
    euler = 0.5772156649015329
    wanted = [-euler, -euler - 2 * math.log(2), -euler - 2 * math.log(2) + 2]
    np.testing.assert_allclose(result[3:], wanted)
    assert scalars.psi(np.array([0.5, 1.0, 2.0], np.float32)).dtype == np.float32


def test_logistic_of_complex_numbers_is_that_of_real_ones() -> None:
    x = np.array([-2.0, 0.0, 3.0])
    np.testing.assert_allclose(scalars.logistic(x), 1 / (1 + np.exp(-x)))
    np.testing.assert_allclose(scalars.logistic(x.astype(np.complex128)), scalars.logistic(x))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_bits_are_counted(dtype: Any) -> None:
    low = np.iinfo(dtype).min
    values = np.array([0, 1, 5, 127, low, np.iinfo(dtype).max], dtype)
    bits = values.dtype.itemsize * 8
    wanted = [(int(v) % (1 << bits)).bit_count() for v in values]
    assert scalars.count_of_bits(values).tolist() == wanted


def test_casts_go_through_no_narrower_dtype() -> None:
    def cast(values: Any, source: Any, target: Any) -> Any:
        with np.errstate(invalid="ignore"):
            make = scalars.caster(np.dtype(source), np.dtype(target))
            return make(np.array(values, source)).tolist()

    large = 2**53 - 1
    assert cast([large, -large], np.float64, np.int64) == [large, -large]
    assert cast([2**62 + 1], np.int64, np.uint64) == [2**62 + 1]
    assert cast([1 / 3], np.float64, np.float64) == [1 / 3]
    assert cast([-1.0, 2.0**32 + 5], np.float64, np.uint32) == [2**32 - 1, 5]
    assert cast([2.0**64, 2.0**63, 7.9], np.float64, np.uint64) == [2**63, 2**63, 7]
    narrow = dt.int4.numpy_dtype
    assert cast([7, -8], narrow, np.int64) == [7, -8]
    assert cast([-1.0, 3.0], np.float64, narrow) == [-1, 3]
    assert cast([-8, 7], narrow, narrow) == [-8, 7]


def test_the_logarithm_of_gamma_at_infinities_is_that_of_c() -> None:
    for x in (-math.inf, math.inf, -2.5):
        assert tf.math.lgamma(tf.constant(x, tf.float64)).numpy() == pytest.approx(math.lgamma(x))
