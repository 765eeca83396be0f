"""Extremes of segments against a loop over the slices, in NumPy's kernels and in machine code."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphwright as tf

FUNCTIONS = {"min": tf.math.unsorted_segment_min, "max": tf.math.unsorted_segment_max}
NUMBERS = st.sampled_from([1.0, 2.0, -3.0, float("nan"), float("inf"), -float("inf")])


def one_by_one(kind: str, data: Any, ids: Any, count: int) -> Any:
    """What TensorFlow does: an element stays only where it is beyond the next one."""
    bounds = ml_dtypes.finfo(data.dtype)
    start = bounds.max if kind == "min" else bounds.min
    result = np.full((count, *data.shape[1:]), start, data.dtype)
    with np.errstate(invalid="ignore"):
        for row, i in zip(data, ids):
            if i >= 0:
                before = result[i]
                stays = before < row if kind == "min" else before > row
                result[i] = np.where(stays, before, row)
    return result


@functools.cache
def compiled(kind: str, dtype: str, rank: int) -> Any:
    """The function of five segments as machine code, for any number of rows."""
    data, ids = tf.TensorSpec([None] * rank, dtype), tf.TensorSpec([None], tf.int64)
    return tf.function(lambda x, i: FUNCTIONS[kind](x, i, 5), [data, ids], jit_compile=True)


def assert_equal(result: Any, want: Any) -> None:
    np.testing.assert_array_equal(tf.cast(result, tf.float64), want.astype(np.float64))


@pytest.mark.parametrize("kind", FUNCTIONS)
@given(
    rows=st.lists(st.tuples(st.integers(-1, 3), NUMBERS, NUMBERS), min_size=1, max_size=12),
    dtype=st.sampled_from(["float32", "float64", "float16", "bfloat16"]),
)
def test_extremes_begin_anew_after_nan(kind: str, rows: Any, dtype: str) -> None:
    ids, *columns = zip(*rows)
    for data in (np.asarray(columns[0], dtype), np.asarray(columns, dtype).T.copy()):
        want = one_by_one(kind, data, ids, 5)
        assert_equal(FUNCTIONS[kind](data, ids, 5), want)
        assert_equal(compiled(kind, dtype, data.ndim)(data, np.asarray(ids)), want)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_many_rows_have_the_extremes_of_few(kind: str) -> None:
    generator = np.random.default_rng(0)
    data = generator.choice([1.0, 2.5, -4.0, np.nan, np.inf], [2000, 6]).astype(np.float32)
    for least in (-1, 0):  # rows that are dropped are left to the kernel
        ids = generator.integers(least, 5, 2000)
        want = one_by_one(kind, data, ids, 5)
        assert_equal(FUNCTIONS[kind](data, ids, 5), want)
        assert_equal(compiled(kind, "float32", 2)(data, ids), want)
