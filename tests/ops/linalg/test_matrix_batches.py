"""Batches of matrices against one matrix after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf

DTYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 7))
SEEDS = st.integers(0, 2**32 - 1)


def normal(seed: int, dtype: str, *shape: int) -> Any:
    """Numbers of a dtype."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return (numbers if np.dtype(dtype).kind == "c" else numbers.real).astype(dtype)


def definite(seed: int, dtype: str, *shape: int) -> Any:
    """Positive definite matrices."""
    x = normal(seed, dtype, *shape)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(dtype)


def one_by_one(function: Callable[..., Any], *operands: Any) -> Any:
    """The results for each of the matrices."""
    results = [tf.nest.flatten(function(*matrices)) for matrices in zip(*operands)]
    return [np.stack(parts) for parts in zip(*results)]


def assert_batched(function: Callable[..., Any], *operands: Any, factor: float = 1e3) -> None:
    """The function of a batch is that of each matrix."""
    alone = one_by_one(function, *operands)
    tolerance = factor * np.finfo(operands[0].dtype).eps
    for found, wanted in zip(tf.nest.flatten(function(*operands)), alone):
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1)
        np.testing.assert_allclose(found.numpy(), wanted, tolerance, tolerance * scale)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=25)
@given(shape=SHAPES, seed=SEEDS)
def test_cholesky_factors(dtype: str, shape: tuple[int, int], seed: int) -> None:
    count, size = shape
    x = definite(seed, dtype, count, size, size)
    factors = tf.linalg.cholesky(x).numpy()
    np.testing.assert_allclose(
        factors @ np.conj(np.swapaxes(factors, -1, -2)), x, 1e-4, 1e-4 * np.abs(x).max()
    )
    x[::3, 0, 0] = np.where(np.arange(len(x[::3])) % 2, -1, np.nan)
    found = tf.linalg.cholesky(x).numpy()
    np.testing.assert_array_equal(np.isnan(found[::3]), np.tile(np.tri(size), (len(x[::3]), 1, 1)))
    kept = np.arange(count) % 3 > 0
    np.testing.assert_allclose(found[kept], factors[kept], 1e-5, 1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("count", "size"), [(3, 20), (40, 20), (200, 20)])
def test_larger_matrices_of_which_one_is_not_definite(dtype: str, count: int, size: int) -> None:
    x = definite(1, dtype, count, size, size)
    x[1] *= -1
    found = tf.linalg.cholesky(x).numpy()
    np.testing.assert_array_equal(np.isnan(found[1]), np.tri(size))
    kept = np.arange(count) != 1
    np.testing.assert_allclose(found[kept], np.linalg.cholesky(x[kept]), 1e-4, 1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=25)
@given(shape=SHAPES, seed=SEEDS)
def test_lu_factors(dtype: str, shape: tuple[int, int], seed: int) -> None:
    count, size = shape
    x = normal(seed, dtype, count, size, size)
    packed, order = (part.numpy() for part in tf.linalg.lu(x))
    lower, upper = np.tril(packed, -1) + np.eye(size), np.triu(packed)
    rows = np.take_along_axis(x, order[..., None], 1)
    np.testing.assert_allclose(lower @ upper, rows, 1e-4, 1e-4 * np.abs(x).max())
    assert (np.abs(np.tril(packed, -1)) <= 1 + 1e-6).all()  # what is greatest was taken
    assert_batched(tf.linalg.lu, x, factor=1e6)


@pytest.mark.parametrize(("count", "size"), [(1, 3), (30, 3), (2, 30)])
def test_lu_passes_what_is_not_finite_on(count: int, size: int) -> None:
    x = normal(2, "float64", count, size, size)
    x[-1, 0, 1] = np.nan
    x[0, 0, 0] = np.inf
    packed, order = (part.numpy() for part in tf.linalg.lu(x))
    assert order[0, 0] == 0
    assert packed[0, 0, 0] == np.inf
    assert np.isnan(packed[-1]).any()
    x[0, 0, 0] = np.nan
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.lu(x)


def test_the_pivot_is_the_greatest_complex_number() -> None:
    x = np.array([[3 + 3j, 1], [5, 2]], np.complex64)  # TensorFlow's
    assert tf.linalg.lu(x).p.numpy().tolist() == [1, 0]


def systems(seed: int, dtype: str, count: int, size: int, sides: int) -> tuple[Any, Any]:
    """Three diagonals, of which the middle one is not small, and right-hand sides."""
    bands = normal(seed, dtype, count, 3, size)
    bands[:, 1] += 4 * np.sign(bands[:, 1].real)
    return bands, normal(seed + 1, dtype, count, size, sides)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=25)
@given(shape=SHAPES, sides=st.integers(1, 3), seed=SEEDS, odd=st.sampled_from([0, np.nan, np.inf]))
def test_tridiagonal_systems(
    dtype: str, shape: tuple[int, int], sides: int, seed: int, odd: float
) -> None:
    bands, rhs = systems(seed, dtype, *shape, sides)
    assert_batched(tf.linalg.tridiagonal_solve, bands, rhs)
    bands[len(bands) // 2] = 0  # a singular one
    rhs[len(bands) // 3, -1] = odd
    bands[0, :, 0] = odd
    assert_batched(tf.linalg.tridiagonal_solve, bands, rhs)
    assert np.isnan(tf.linalg.tridiagonal_solve(bands, rhs).numpy()[len(bands) // 2]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@settings(max_examples=8)
@given(shape=SHAPES, sides=st.integers(1, 3), seed=SEEDS, odd=st.sampled_from([0, np.nan, np.inf]))
def test_banded_systems(
    dtype: str, lower: bool, adjoint: bool, shape: tuple[int, int], sides: int, seed: int, odd: Any
) -> None:
    count, size = shape
    rng = np.random.default_rng(seed)
    bands = normal(seed, dtype, count, rng.integers(1, size + 1), size)
    main = bands[:, 0 if lower else -1]
    main += 4 * np.sign(main.real)
    rhs = normal(seed + 1, dtype, count, size, sides)

    def solve(bands: Any, rhs: Any) -> Any:
        return tf.linalg.banded_triangular_solve(bands, rhs, lower, adjoint)

    assert_batched(solve, bands, rhs)
    assert_batched(lambda x: solve(bands[0], x), rhs)
    rhs[count // 2, -1] = odd
    bands[0, 1:-1] = odd
    assert_batched(solve, bands, rhs)


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=25)
@given(shape=st.tuples(st.integers(1, 40), st.integers(1, 7)), seed=SEEDS)
def test_square_roots(dtype: str, shape: tuple[int, int], seed: int) -> None:
    count, size = shape
    x = normal(seed, dtype, count, size, size)
    x += 0 if np.dtype(dtype).kind == "c" else 6 * np.eye(size, dtype=dtype) * size
    roots = tf.linalg.sqrtm(x).numpy()
    scale = np.abs(roots).max(initial=0) ** 2
    np.testing.assert_allclose(roots @ roots, x, 1e-4, 1e3 * np.finfo(dtype).eps * scale)
    x[::3, 0, 0] = np.inf
    found = tf.linalg.sqrtm(x).numpy()
    assert np.isnan(found[::3]).all()
    kept = np.arange(count) % 3 > 0
    np.testing.assert_allclose(found[kept], roots[kept], 1e-5, 1e-5 * np.sqrt(scale))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@settings(max_examples=25)
@given(shape=st.tuples(st.integers(1, 40), st.integers(1, 7)), seed=SEEDS)
def test_logarithms(dtype: str, shape: tuple[int, int], seed: int) -> None:
    count, size = shape
    x = normal(seed, dtype, count, size, size)
    logarithms = tf.linalg.logm(x).numpy()
    error = 1e5 * np.finfo(dtype).eps * np.abs(x).max()
    np.testing.assert_allclose(tf.linalg.expm(logarithms).numpy(), x, 0, error)
    assert (np.abs(np.linalg.eigvals(logarithms).imag) < np.pi + 1e-3).all()  # the principal one
    x[::3] = 0
    found = tf.linalg.logm(x).numpy()
    assert np.isnan(found[::3]).all()
    kept = np.arange(count) % 3 > 0
    scale = np.abs(logarithms).max()
    np.testing.assert_allclose(found[kept], logarithms[kept], 1e-4, 1e-4 * scale)


@pytest.mark.parametrize("count", [1, 30])
@pytest.mark.parametrize("size", [2, 3, 4, 8, 20])
def test_functions_of_defective_and_repeated_matrices(count: int, size: int) -> None:
    shift = np.eye(size, k=1)
    rotated = np.linalg.qr(normal(3, "complex128", size, size))[0]
    for x in (np.eye(size) + shift, np.eye(size) * 4, np.diag(np.arange(size) + 1.0) + shift * 9):
        many = np.broadcast_to(rotated @ x @ rotated.conj().T, (count, size, size))
        roots, logarithms = tf.linalg.sqrtm(many).numpy(), tf.linalg.logm(many).numpy()
        scale = np.abs(roots).max() ** 2
        np.testing.assert_allclose(roots @ roots, many, 1e-11, 1e-12 * scale)
        np.testing.assert_allclose(logarithms, np.broadcast_to(logarithms[:1], many.shape))
        back = tf.linalg.expm(logarithms).numpy()
        np.testing.assert_allclose(back, many, 1e-8, 1e-8 * np.abs(many).max())


def test_few_large_matrices() -> None:
    x = normal(4, "float64", 2, 40, 40) + 30 * np.eye(40)
    roots = tf.linalg.sqrtm(x).numpy()
    np.testing.assert_allclose(roots @ roots, x, 1e-9, 1e-9)
    logarithms = tf.linalg.logm(x.astype(np.complex128)).numpy()
    np.testing.assert_allclose(tf.linalg.expm(logarithms).numpy(), x, 1e-9, 1e-9)
    x[1] = 0
    assert np.isnan(tf.linalg.logm(x.astype(np.complex128)).numpy()[1]).all()
    x[1] = -np.eye(40)
    assert np.isnan(tf.linalg.sqrtm(x).numpy()).all((1, 2)).tolist() == [False, True]


def test_matrices_without_rows() -> None:
    assert tf.linalg.lu(tf.zeros([2, 0, 0])).p.shape == (2, 0)
    assert tf.linalg.lu(tf.zeros([0, 3, 3])).lu.shape == (0, 3, 3)
    assert tf.linalg.cholesky(tf.zeros([2, 0, 0])).shape == (2, 0, 0)
    assert tf.linalg.tridiagonal_solve(tf.zeros([2, 3, 0]), tf.zeros([2, 0, 1])).shape == (2, 0, 1)
    assert tf.linalg.tridiagonal_solve(tf.ones([2, 3, 4]), tf.zeros([2, 4, 0])).shape == (2, 4, 0)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("staged", [False, True])
def test_least_squares_of_float16_are_computed_in_float32(fast: bool, staged: bool) -> None:
    matrix, rhs = normal(3, "float16", 4, 3), normal(4, "float16", 4, 2)

    def solve(matrix: Any, rhs: Any) -> Any:
        return tf.linalg.lstsq(matrix, rhs, fast=fast)

    found = (tf.function(solve) if staged else solve)(matrix, rhs)
    expected = np.linalg.lstsq(matrix.astype(np.float64), rhs.astype(np.float64), rcond=None)[0]
    assert found.dtype == tf.float16
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-4)
