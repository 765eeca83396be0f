"""Triangular factors by machine code: those that NumPy's whole arrays give, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.linalg import small_factors, small_matrices

#: Entries of which many are equal, so that pivots depend on rounding; and those without an order.
PLAIN = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 1 / 3, 0.1, 7.0]
ODD = [np.nan, np.inf, -np.inf, 1e-45, 3e38]


@pytest.fixture(autouse=True)
def _ready():
    small_factors.TRIANGLE_PREPARATION.work()


@settings(max_examples=300, deadline=None)
@given(
    dtype=st.sampled_from([np.float32, np.float64]),
    lead=st.sampled_from([(), (1,), (3,), (2, 2)]),
    n=st.integers(1, 48),
    kind=st.sampled_from(["normal", "plain", "odd"]),
    seed=st.integers(0, 1 << 30),
)
def test_factors_are_those_of_whole_arrays(dtype, lead, n, kind, seed):
    random = np.random.default_rng(seed)
    shape = (*lead, n, n)
    x = random.normal(size=shape) * np.exp(random.normal(size=(n, 1)) * 3)
    if kind != "normal":
        x = random.choice(PLAIN + (ODD if kind == "odd" else []), size=shape)
    x = x.astype(dtype)
    with np.errstate(all="ignore"):
        expected, order = small_matrices.lu(x)
    own = small_factors.triangular(x)
    is_singular = (np.diagonal(expected, axis1=-2, axis2=-1) == 0).any()
    is_refused = is_singular or np.isnan(expected[..., 0, 0]).any()
    assert (own is None) == is_refused
    if own is None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            tf.linalg.lu(x)
        return
    assert own[0].dtype == dtype
    np.testing.assert_array_equal(own[0], expected)
    np.testing.assert_array_equal(own[1], order)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 16, 17, 48, 49, 64, 65])
def test_factors_multiply_to_the_matrix(n, dtype):
    eps = 2.5e-7 if dtype == np.float32 else 1e-15
    x = np.random.default_rng(n).normal(size=(40, n, n)).astype(dtype)
    packed, order = (part.numpy() for part in tf.linalg.lu(x))
    product = (np.tril(packed, -1) + np.eye(n)) @ np.triu(packed)
    for matrix, rows, own in zip(x, order, product):
        np.testing.assert_allclose(own, matrix[rows], atol=n * eps)


def test_others_are_for_numpy_and_lapack():
    for n, dtype in ((65, "d"), (49, "f"), (3, "complex64"), (3, "float16")):
        assert small_factors.triangular(np.eye(n, dtype=dtype)) is None
