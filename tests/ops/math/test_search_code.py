"""Machine code finds values in rows where Python's `bisect` does, which takes the same steps."""

from __future__ import annotations

import bisect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.math import search_code
from graphwright.ops.math.search_code import PASSES, TYPES
from graphwright.types.arrays import Array

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-40, 3e38]


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    search_code.PREPARATION.work()


def numbers(random: np.random.Generator, shape: tuple[int, int], kind: str) -> Array:
    """Numbers of which some are equal, and special ones."""
    if np.dtype(kind).kind == "i":
        x = random.integers(-20, 20, shape)
        x[random.random(shape) < 0.1] = np.iinfo(kind).min
        return x.astype(kind)
    y = random.integers(-20, 20, shape) / 4
    spots = random.random(shape) < 0.1
    y[spots] = random.choice(SPECIAL, int(spots.sum()))
    return y.astype(kind)


@settings(max_examples=200)
@given(
    kind=st.sampled_from(sorted(TYPES)),
    side=st.sampled_from(sorted(PASSES)),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 70), st.integers(1, 40)),
    is_sorted=st.booleans(),
    seed=st.integers(0, 1 << 30),
)
def test_places_are_those_of_bisect(
    kind: str, side: str, sizes: tuple[int, int, int], is_sorted: bool, seed: int
) -> None:
    count, length, width = sizes
    random = np.random.default_rng(seed)
    rows, values = numbers(random, (count, length), kind), numbers(random, (count, width), kind)
    if is_sorted:
        rows.sort(-1)
    result = search_code.places(rows, values, side)
    assert result is not None
    find = {"left": bisect.bisect_left, "right": bisect.bisect_right}[side]
    pairs = zip(rows.tolist(), values.tolist())
    assert result.tolist() == [[find(row, value) for value in line] for row, line in pairs]


def test_arrays_in_other_orders_and_dtypes() -> None:
    rows, values = np.arange(12).reshape(3, 4).T, np.array([[5], [0], [9], [4]])
    result = search_code.places(rows, values, "left")
    assert result is not None
    assert result.tolist() == [[2], [0], [2], [1]]
    for dtype in (tf.int32, tf.int64):
        found = tf.searchsorted(tf.range(100.0), tf.range(50.0, 150.0), out_type=dtype)
        assert found.dtype == dtype
        assert found.numpy().tolist() == [*range(50, 100), *[100] * 50]
    assert search_code.places(rows.astype(np.int8), values.astype(np.int8), "left") is None
    assert search_code.places(np.zeros((2, 0)), np.zeros((2, 3)), "left") is None
