"""Repeated slices are NumPy's, and cost what the result costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf


@settings(max_examples=60, deadline=None)
@given(
    dims=st.lists(st.integers(0, 4), min_size=1, max_size=3),
    axis=st.integers(-3, 2),
    dtype=st.sampled_from(["int32", "int64"]),
    seed=st.integers(0, 1 << 30),
)
def test_slices_are_repeated_as_numpy_does(
    dims: list[int], axis: int, dtype: str, seed: int
) -> None:
    """A negative count is none, but where it is the only one."""
    axis = max(-len(dims), min(axis, len(dims) - 1))
    random, least = np.random.default_rng(seed), 0 if dims[axis] == 1 else -2
    x, counts = random.normal(size=dims), random.integers(least, 5, dims[axis]).astype(dtype)
    expected = np.repeat(x, np.maximum(counts, 0), axis)
    unknown = [tf.TensorSpec([None] * x.ndim, tf.float64), tf.TensorSpec([None], dtype)]
    for repeat in (
        lambda x, counts: tf.repeat(x, counts, axis),
        tf.function(lambda x, counts: tf.repeat(x, counts, axis), input_signature=unknown),
    ):
        np.testing.assert_array_equal(repeat(tf.constant(x), tf.constant(counts)), expected)


@pytest.mark.parametrize("is_traced", [False, True])
def test_one_slice_may_be_repeated_much_more_than_the_others(is_traced: bool) -> None:
    """As many rows as copies of one of them would be 10^10 numbers."""
    counts = np.ones(100_000, np.int32)
    counts[7] = 100_000
    repeat = tf.function(tf.repeat) if is_traced else tf.repeat
    copies = repeat(tf.range(100_000), tf.constant(counts))
    assert copies.numpy().tolist() == np.repeat(np.arange(100_000), counts).tolist()
