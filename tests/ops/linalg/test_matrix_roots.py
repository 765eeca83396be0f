"""Square roots of small matrices by machine code are those of SciPy and mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.ops.linalg import matrix_roots, root_code, small_factors
from graphwright.types.arrays import Array


@pytest.fixture(autouse=True)
def _ready() -> None:
    small_factors.ROOT_PREPARATION.work()


def rooted(kind: str, n: int, count: int) -> Array:
    """Matrices that have real principal roots."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(count, n, n))
    match kind:
        case "definite":
            return x @ np.swapaxes(x, 1, 2) + 0.1 * np.eye(n)
        case "squares":  # of matrices whose eigenvalues have positive real parts
            x += 3 * np.sqrt(n) * np.eye(n)
            return x @ x
        case "defective":
            return np.triu(x, 1) + 2 * np.eye(n)
    return np.exp(rng.normal(size=(count, n, 1)) * 4) * np.eye(n) + 1e-3 * np.abs(x)


@pytest.mark.parametrize("kind", ["definite", "squares", "defective", "unlike"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12])
def test_roots_are_those_of_scipy(kind: str, n: int) -> None:
    x = rooted(kind, n, 30)
    results = small_factors.square_roots(x, 1e-7)
    assert results is not None
    expected = np.array([scipy.linalg.sqrtm(each) for each in x])
    scale = np.abs(expected).max((1, 2), keepdims=True)
    condition = np.linalg.cond(expected)[:, None, None]
    assert (np.abs(results - expected) <= 2e-14 * n * scale * condition).all()
    size = np.abs(x).max((1, 2), keepdims=True)
    assert (np.abs(results @ results - x) <= 1e-14 * n * size * condition).all()


@settings(max_examples=60)
@given(
    n=st.integers(1, 70),
    pairs=st.integers(0, 2),
    is_symmetric=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_root_of_a_square_is_what_was_squared(
    n: int, pairs: int, is_symmetric: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    core = np.zeros((3, n, n))
    core[:, range(n), range(n)] = rng.uniform(0.5, 4.0, (3, n))
    for i in range(0, 2 * min(pairs, n // 2), 2):  # complex eigenvalues
        core[:, i + 1, i + 1] = core[:, i, i]
        core[:, i, i + 1] = rng.uniform(0.1, 0.4, 3)
        core[:, i + 1, i] = -core[:, i, i + 1]
    axes = np.linalg.qr(rng.normal(size=(3, n, n)))[0]
    if not is_symmetric:
        axes += 0.1 * rng.normal(size=(3, n, n)) / np.sqrt(n)
    roots = axes @ core @ np.linalg.inv(axes)
    results = tf.linalg.sqrtm(roots @ roots)
    np.testing.assert_allclose(results, roots, atol=1e-11)
    by_code = small_factors.square_roots(roots @ roots, 1e-7)
    if n <= small_factors.MOST_OF_COMPLEX_ROOTS or (n <= 64 and is_symmetric and not pairs):
        assert by_code is not None
    elif pairs or n > 64:
        assert by_code is None  # SciPy's take less time


@settings(max_examples=60)
@given(
    n=st.integers(1, 64),
    form=st.sampled_from(["full", "hermitian", "triangular", "sparse", "real"]),
    dtype=st.sampled_from([np.complex64, np.complex128]),
    seed=st.integers(0, 2**32 - 1),
)
def test_complex_roots_are_what_was_squared(
    n: int, form: str, dtype: npt.DTypeLike, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2, n, n)) + 1j * rng.normal(size=(2, n, n))
    match form:
        case "hermitian":
            x += np.conj(np.swapaxes(x, 1, 2))
        case "triangular":
            x = np.triu(x)
        case "sparse":  # rows that need no rotation
            x *= rng.random(x.shape) < 0.2
        case "real":
            x = x.real + 0j
    x += 8 * np.sqrt(n) * np.eye(n) * np.exp(1j * rng.uniform(-0.5, 0.5))
    squares = (x @ x).astype(dtype)
    results = small_factors.square_roots(squares, 1e-7)
    assert results is not None
    exact = 1e-12 if dtype == np.complex128 else 1e-5
    np.testing.assert_allclose(results, x, atol=exact * np.abs(x).max())
    np.testing.assert_array_equal(tf.linalg.sqrtm(squares), results.astype(dtype))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_complex_roots_are_those_of_exact_numbers(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(3, n, n)) + 1j * rng.normal(size=(3, n, n))
    results = small_factors.square_roots(x, 1e-7)
    assert results is not None
    for matrix, root in zip(x, results):
        with mpmath.workdps(40):
            exact = np.array(mpmath.sqrtm(mpmath.matrix(matrix.tolist())).tolist(), complex)
        np.testing.assert_allclose(root, exact, atol=1e-12 * np.abs(exact).max())


def test_roots_are_those_of_exact_numbers() -> None:
    for kind in ("definite", "squares", "defective"):
        x = rooted(kind, 3, 3)
        results = small_factors.square_roots(x, 1e-7)
        assert results is not None
        for matrix, root in zip(x, results):
            with mpmath.workdps(40):
                exact = np.array(mpmath.sqrtm(mpmath.matrix(matrix.tolist())).tolist(), complex)
            np.testing.assert_allclose(root, exact, atol=1e-12 * np.abs(exact).max())


@pytest.mark.parametrize("n", [3, 6])
def test_python_runs_the_functions_too(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(4, n, n)) + 1j * rng.normal(size=(4, n, n))
    roots, work = np.empty_like(x), np.empty(6 * n * n + 3 * n)
    done = root_code.square_roots(
        x.view(np.float64).reshape(-1), roots.view(np.float64).reshape(-1), 4, n, 2, 1e-16, 1e-7,
        n, work,
    )  # fmt: skip
    assert done == 4
    by_code = small_factors.square_roots(x, 1e-7)
    assert by_code is not None
    np.testing.assert_allclose(roots, by_code, atol=1e-12)


def test_what_has_no_real_root_is_nan() -> None:
    x = np.array([[[-1.0, 0.0], [0.0, 4.0]], [[4.0, 0.0], [0.0, 9.0]], [[0.0, -1.0], [1.0, 0.0]]])
    assert small_factors.square_roots(x, 1e-7) is not None
    results = tf.linalg.sqrtm(x).numpy()
    assert np.isnan(results[0]).all()
    np.testing.assert_allclose(results[1], [[2.0, 0.0], [0.0, 3.0]])
    np.testing.assert_allclose(results[2] @ results[2], x[2], atol=1e-15)


@pytest.mark.parametrize("entry", [np.nan, complex(0, np.nan), complex(0, -np.inf), 1e200j])
def test_what_is_not_usual_in_complex_matrices_goes_to_scipy(entry: complex) -> None:
    x = np.stack([np.eye(3, dtype=np.complex128)] * 3)
    x[1, 2, 0] = entry
    assert small_factors.square_roots(x, 1e-7) is None
    results = matrix_roots.square_root(x)
    np.testing.assert_array_equal(results[[0, 2]], x[[0, 2]])
    expected = x[1] / 2 + np.eye(3) / 2 if np.isfinite(entry) else np.full((3, 3), np.nan)
    np.testing.assert_array_equal(results[1], expected)


@pytest.mark.parametrize("entry", [np.nan, np.inf, 1e200])
def test_what_is_not_usual_goes_to_scipy(entry: float) -> None:
    x = np.stack([np.eye(3)] * 3)
    x[1, 2, 2] = entry
    assert small_factors.square_roots(x, 1e-7) is None
    results = matrix_roots.square_root(x)
    np.testing.assert_allclose(results[0], np.eye(3))
    assert np.isnan(results[1]).all() or results[1, 2, 2] == np.sqrt(entry)


def test_a_singular_matrix_without_a_root_goes_to_scipy() -> None:
    assert small_factors.square_roots(np.array([[[0.0, 1.0], [0.0, 0.0]]]), 1e-7) is None
    assert small_factors.square_roots(np.zeros((1, 2, 2)), 1e-7) is None
    np.testing.assert_array_equal(tf.linalg.sqrtm(np.zeros((2, 2))), np.zeros((2, 2)))
