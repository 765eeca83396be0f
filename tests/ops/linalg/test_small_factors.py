"""Eigenvectors and singular vectors by machine code are LAPACK's, up to rounding."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.base.scalar_code import module_text
from graphwright.ops.linalg import rotation_code, small_factors
from graphwright.types.arrays import Array

SIZES = [1, 2, 3, 4, 5, 8, 13, 16, 25]


@pytest.fixture(autouse=True)
def _ready() -> None:
    small_factors.PREPARATION.work()


def matrices_of(n: int, count: int) -> Array:
    """Matrices of several kinds."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(count, n, n))
    x[::5] *= np.exp(rng.normal(size=(n, 1)) * 5)  # rows of unlike sizes
    x[1::5] *= 10.0 ** rng.integers(-20, 20)
    x[2::7] = np.triu(x[2::7])
    return x


#: Matrices whose factors rounding does not change, or hardly.
PLAIN = [
    np.zeros((3, 3)), np.eye(4), -np.eye(3), np.diag([3.0, -1.0, 2.0]), np.ones((2, 2)),
    np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[2.0, 1.0], [1.0, 2.0]]),
    np.array([[0.0, 2.0], [-3.0, 0.0]]), np.diag([1e-30, 1.0, 1e30]),
    np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 5.0]]),
    np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1),
]  # fmt: skip


@pytest.mark.parametrize("n", [*SIZES, 26, 33, 64])
def test_eigenvectors_and_their_signs_are_those_of_lapack(n: int) -> None:
    x = matrices_of(n, 60)
    results = small_factors.self_adjoint(x, True)
    assert results is not None
    values, vectors = results
    symmetric = np.tril(x) + np.swapaxes(np.tril(x, -1), 1, 2)
    expected, expected_vectors = small_factors.self_adjoint_by_lapack(x)
    scale = np.abs(expected).max(-1, keepdims=True)
    np.testing.assert_allclose(expected / scale, np.linalg.eigvalsh(x) / scale, atol=1e-14 * n)
    assert (np.abs(values - expected) <= 1e-14 * n * scale).all()
    rest = symmetric @ vectors - vectors * values[:, None]
    assert (np.abs(rest) <= 1e-14 * n * scale[..., None]).all()
    assert np.abs(np.swapaxes(vectors, 1, 2) @ vectors - np.eye(n)).max() < 1e-14 * n
    gaps = np.abs(np.diff(expected, axis=-1)).min(-1, initial=np.inf) / scale[:, 0]
    clear = gaps > 1e-6
    assert clear.any()
    assert (np.abs(vectors - expected_vectors).max((1, 2)) < 1e-6)[clear].mean() > 0.97
    alone = small_factors.self_adjoint(x, False)
    assert alone is not None
    assert (np.abs(alone[0] - expected) <= 1e-14 * n * scale).all()


@settings(max_examples=40)
@given(
    n=st.integers(2, 70),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_vectors_keep_their_signs_once_the_code_is_there(n: int, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spectrum = np.arange(n) + rng.uniform(-0.2, 0.2, (3, n))
    axes, _ = np.linalg.qr(rng.normal(size=(3, n, n)))
    x = ((axes * spectrum[:, None]) @ np.swapaxes(axes, 1, 2)).astype(dtype)
    values, vectors = [each.numpy() for each in tf.linalg.eigh(x)]
    tolerance = 30 * n * np.finfo(dtype).eps
    np.testing.assert_allclose(values, spectrum, atol=n * tolerance)
    signs = np.sign((axes * vectors).sum(1, keepdims=True))
    np.testing.assert_allclose(vectors * signs, axes, atol=n * tolerance)
    before = small_factors.self_adjoint_by_lapack(x)
    np.testing.assert_allclose(before[0], values, atol=n * tolerance)
    np.testing.assert_allclose(before[1], vectors, atol=n * tolerance)


@pytest.mark.parametrize("n", SIZES[1:])
def test_singular_vectors_and_their_signs_are_those_of_lapack(n: int) -> None:
    x = matrices_of(n, 60)
    results = small_factors.singular(x, True)
    assert results is not None
    values, left, right = results
    expected_left, expected, expected_right = np.linalg.svd(x)
    scale = expected[:, :1]
    assert (np.abs(values - expected) <= 1e-14 * n * scale).all()
    assert (values >= 0).all()
    rest = (left * values[:, None]) @ np.swapaxes(right, 1, 2) - x
    assert (np.abs(rest) <= 1e-14 * n * scale[..., None]).all()
    for vectors in (left, right):
        assert np.abs(np.swapaxes(vectors, 1, 2) @ vectors - np.eye(n)).max() < 1e-14 * n
    gaps = np.abs(np.diff(expected, axis=-1, append=0)).min(-1) / scale[:, 0]
    clear = gaps > 1e-6
    assert clear.any()
    for mine, theirs in ((left, expected_left), (right, np.swapaxes(expected_right, 1, 2))):
        assert (np.abs(mine - theirs).max((1, 2)) < 1e-6)[clear].mean() > 0.97
    alone = small_factors.singular(x, False)
    assert alone is not None
    assert (np.abs(alone[0] - expected) <= 1e-14 * n * scale).all()


@pytest.mark.parametrize("place", range(len(PLAIN)))
def test_plain_matrices(place: int) -> None:
    x = PLAIN[place][None]
    decomposed, values = small_factors.singular(x, True), np.linalg.svd(x, compute_uv=False)
    assert decomposed is not None
    np.testing.assert_allclose(decomposed[0], values, rtol=1e-14, atol=1e-15)
    s, u, v = decomposed
    np.testing.assert_allclose((u * s[:, None]) @ np.swapaxes(v, 1, 2), x, rtol=1e-14, atol=1e-15)
    if (x == np.swapaxes(x, 1, 2)).all():
        both = small_factors.self_adjoint(x, True)
        assert both is not None
        for mine, theirs in zip(both, np.linalg.eigh(x)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-14, atol=1e-15)


def test_small_singular_values_are_as_exact_as_they_were() -> None:
    rng = np.random.default_rng(3)
    for n in (2, 3, 6):
        x = rng.normal(size=(n, n)) * np.logspace(0, -8, n)
        results = small_factors.singular(x[None], False)
        assert results is not None
        with mpmath.workdps(60):
            exact = np.array([float(s) for s in mpmath.svd_r(mpmath.matrix(x.tolist()))[1]])
        exact.sort()
        np.testing.assert_allclose(results[0][0], exact[::-1], atol=1e-15, rtol=1e-12)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf, 1e200])
def test_what_lapack_must_scale_or_refuse_goes_to_it(entry: float) -> None:
    x = np.stack([np.eye(3)] * 3)
    x[1, 2, 0] = entry
    assert small_factors.self_adjoint(x, True) is None
    assert small_factors.singular(x, True) is None
    if np.isfinite(entry):
        np.testing.assert_allclose(tf.linalg.svd(x, compute_uv=False)[1][0], entry)
    else:
        assert np.isnan(tf.linalg.svd(x, compute_uv=False)[1]).all()
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.eigh(x)


def test_what_is_above_the_diagonal_is_not_read() -> None:
    x = np.array([[[2.0, np.nan], [1.0, 2.0]]])
    values, _ = tf.linalg.eigh(x)
    np.testing.assert_allclose(values, [[1.0, 3.0]])


def test_python_runs_the_functions_too() -> None:
    x = matrices_of(4, 10)
    n = 4
    values, left, right, work = (
        np.empty((10, n)).reshape(-1), np.empty(160), np.empty(160), np.empty(3 * n * n + 5 * n),
    )  # fmt: skip
    rotation_code.singular(
        x.reshape(-1), values, left, right, 10, n, True, small_factors._EPS, small_factors._TOL,
        small_factors._LEAST, work,
    )  # fmt: skip
    by_code = small_factors.singular(x, True)
    assert by_code is not None
    np.testing.assert_allclose(values.reshape(10, n), by_code[0], rtol=1e-12)
    np.testing.assert_allclose(left.reshape(x.shape), by_code[1], atol=1e-6)


def test_vectors_of_four_give_what_single_numbers_give() -> None:
    from graphwright.machine import compiler
    from graphwright.machine.linking import c_function

    text = module_text(rotation_code.FUNCTIONS)  # with no text of a row's loop
    compiler.link(text, c_function)


def test_eager_and_traced_results_of_all_dtypes() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        x = np.random.default_rng(0).normal(size=(2, 3, 4, 4)).astype(dtype)
        for function in (tf.linalg.svd, tf.linalg.eigh):
            for result, traced in zip(function(x), tf.function(function)(x)):
                assert result.dtype == dtype
                assert result.numpy().tobytes() == traced.numpy().tobytes()
