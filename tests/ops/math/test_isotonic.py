"""Isotonic regressions of many rows against one row after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 12),
    st.integers(0, 12),
    st.sampled_from([0.0, 0.2]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_rows_are_fitted_each_as_on_its_own(
    columns: int, more: int, gaps: float, whole: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 5, (columns + more, columns)) if whole else None
    x = rng.normal(size=(columns + more, columns)) if rows is None else rows.astype(float)
    x[rng.random(x.shape) < gaps] = np.nan
    values, runs = (part.numpy() for part in tf.nn.isotonic_regression(x))
    for row, value, run in zip(x, values, runs):
        alone = tf.nn.isotonic_regression(row)
        np.testing.assert_allclose(value, alone[0].numpy(), 1e-12, 1e-12)
        np.testing.assert_array_equal(run, alone[1].numpy())
