"""Small systems as machine code, entry by entry, against the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

RNG = np.random.default_rng(0)


def both(function: Any, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """The results of machine code and of kernels."""
    results = []
    for compiled in (True, False):
        f = tf.function(lambda *x: function(*x, **options) * 1.0, jit_compile=compiled)
        results.append(f(*arguments).numpy())
    return results[0], results[1]


@pytest.mark.parametrize(("size", "batch"), [(1, ()), (2, (7,)), (3, ()), (3, (2, 20)), (4, (5,))])
def test_solutions_are_those_of_kernels(size: int, batch: tuple[int, ...]) -> None:
    x = tf.constant(RNG.normal(size=(*batch, size, size)))
    for adjoint in (False, True):
        np.testing.assert_allclose(*both(tf.linalg.inv, x, adjoint=adjoint), rtol=1e-9)
        for columns in (1, 9):
            y = tf.constant(RNG.normal(size=(*batch, size, columns)))
            solved = both(tf.linalg.solve, x, y, adjoint=adjoint)
            np.testing.assert_allclose(*solved, rtol=1e-9)
    np.testing.assert_allclose(*both(tf.linalg.det, x), rtol=1e-9)


def test_rows_change_places_for_the_greatest_pivot() -> None:
    x = tf.constant([[1e-20, 1.0, 2.0], [1.0, 1e-20, 3.0], [2.0, 3.0, 1e-20]], tf.float64)
    inverse, _ = both(tf.linalg.inv, x)
    np.testing.assert_allclose(inverse @ x.numpy(), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(*both(tf.linalg.det, x), rtol=1e-12)


@pytest.mark.parametrize("bad", [[[1, 2], [2, 4]], [[0, 0], [0, 0]], [[1, np.nan], [1, 2]]])
def test_what_has_no_inverse_is_refused(bad: Any) -> None:
    x = tf.constant(np.stack([np.eye(2), bad]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.function(lambda x: tf.linalg.inv(x) * 1.0, jit_compile=True)(x)


def test_a_singular_matrix_has_a_determinant_and_no_solution() -> None:
    x = tf.constant([[1.0, 2.0], [2.0, 4.0]])
    assert both(tf.linalg.det, x) == (0.0, 0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.function(lambda x: tf.linalg.solve(x, x) * 1.0, jit_compile=True)(x)


def test_a_loop_with_inverses_is_machine_code() -> None:
    @tf.function(jit_compile=True)
    def powers(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
        y = x
        for _ in tf.range(n):
            y = tf.linalg.inv(y @ x + tf.eye(3))
        return y

    powers(tf.eye(3), 4)
    assert powers.explain().loops == ()
