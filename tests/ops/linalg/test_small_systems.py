"""Inverses and solutions by machine code are LAPACK's, up to rounding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphwright as tf
from graphwright.machine import compiler
from graphwright.machine.array_layout import address
from graphwright.ops.linalg import elimination_code, small_systems

Floats = npt.NDArray[np.float64]


@pytest.fixture(autouse=True)
def _ready() -> None:
    small_systems.PREPARATION.work()


def matrices_of(kind: str, count: int, n: int, random: np.random.Generator) -> Floats:
    """Matrices that have inverses, of several kinds."""
    x: Floats = random.normal(size=(count, n, n))
    match kind:
        case "unlike":  # rows of unlike sizes
            x *= np.exp(random.normal(size=(count, n, 1)) * 2)
        case "turned":  # the greatest entries are in other rows
            x = x * 1e-3 + np.eye(n)[random.permutation(n)]
        case "triangular":
            x = np.tril(x) / n + np.eye(n)
        case "small":
            x *= 1e-30
    return x


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(["normal", "unlike", "turned", "triangular", "small"]),
    n=st.integers(1, 40) | st.sampled_from([63, 64, 65, 128, 256]),
    m=st.none() | st.integers(1, 20),
    seed=st.integers(0, 1 << 30),
)
def test_solutions_are_those_of_lapack(kind: str, n: int, m: int | None, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = matrices_of(kind, 3, n, random)
    sides = None if m is None else random.normal(size=(3, n, m))
    results = small_systems.solutions(x, sides)
    if results is None:
        assert kind != "turned"  # whose pivots are all near 1
        assert np.linalg.cond(x).max() > 1e7
        return
    expected = np.linalg.inv(x) if sides is None else np.linalg.solve(x, sides)
    condition = np.linalg.cond(x)[:, None, None]
    scale = np.abs(expected).max((1, 2), keepdims=True)
    assert (np.abs(results - expected) <= 1e-15 * n * condition * scale).all()
    rest = np.abs(x @ results - (np.eye(n) if sides is None else sides))
    assert (rest <= 2e-15 * n * (np.abs(x) @ np.abs(results)).max((1, 2), keepdims=True)).all()


@pytest.mark.parametrize("m", [None, 3])
def test_python_gives_what_machine_code_gives(m: int | None) -> None:
    random, n, count = np.random.default_rng(0), 9, 2
    x = random.normal(size=(count, n, n))
    sides = x if m is None else random.normal(size=(count, n, m))
    results = np.empty(x.shape if m is None else sides.shape)
    columns = n if m is None else m
    done = elimination_code.solve_systems(
        x.reshape(-1), sides.reshape(-1), results.reshape(-1), count, n, columns, m is None, 1e-10,
        np.empty(small_systems.room(n, columns)),
    )  # fmt: skip
    assert done == count
    by_code = small_systems.solutions(x, None if m is None else sides)
    assert by_code is not None
    np.testing.assert_allclose(results, by_code, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("n", [5, 24])
def test_quick_code_gives_the_same_bits(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(2, n, n))
    results = []
    for is_quick in (True, False):
        library = compiler.compiled(small_systems.text(), is_quick)
        result, work = np.empty(x.shape), np.empty(small_systems.room(n, n))
        solve = small_systems.KIND(library.addresses["solve_systems"])
        places = [address(each) for each in (x, x, result)]
        assert solve(*places, 2, n, n, True, 1e-10, address(work)) == 2
        results.append(result.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("n", [1, 5, 8, 17])
def test_lapack_sees_to_what_is_no_usual_matrix(wrong: float, n: int) -> None:
    x = np.random.default_rng(n).normal(size=(4, n, n))
    sides = np.ones((4, n, 2))
    for changed in (x, sides):
        before = changed[2, n // 2, -1]
        changed[2, n // 2, -1] = wrong
        assert small_systems.solutions(x, sides) is None
        changed[2, n // 2, -1] = before
    assert small_systems.solutions(x, sides) is not None
    x[3, 0] = 0.0
    assert small_systems.solutions(x, sides) is None


@pytest.mark.parametrize("n", [3, 20, 50])
def test_the_ops_refuse_what_they_refused(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(2, n, n)).astype(np.float32)
    x[1, 0] = 0.0
    for matrix in (x, np.full_like(x, np.nan)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
            tf.linalg.inv(matrix)
        with pytest.raises(tf.errors.InvalidArgumentError, match="matrix is not invertible"):
            tf.linalg.solve(matrix, matrix)
    assert small_systems.solutions(np.ones((2, n, n)), np.ones((n, n))) is None


@pytest.mark.parametrize("n", [8, 30])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_eager_results_of_all_dtypes_are_rounded_ones_of_lapack(n: int, dtype: type) -> None:
    x = np.random.default_rng(n).normal(size=(2, 3, n, n)).astype(dtype)
    sides = np.random.default_rng(1).normal(size=(2, 3, n, 4)).astype(dtype)
    for adjoint in (False, True):
        exact = (np.swapaxes(x, -1, -2) if adjoint else x).astype(np.float64)
        for result, expected in (
            (tf.linalg.inv(x, adjoint), np.linalg.inv(exact)),
            (tf.linalg.solve(x, sides, adjoint), np.linalg.solve(exact, sides.astype(np.float64))),
        ):
            assert result.dtype == dtype
            scale = np.abs(expected).max((-1, -2), keepdims=True)
            bound = max(float(np.finfo(dtype).eps), 1e-12) * scale
            assert (np.abs(result.numpy().astype(np.float64) - expected) <= bound).all()
