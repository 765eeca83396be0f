"""Eigenvalues of tridiagonal matrices against those of the dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphwright as tf

RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("select", "interval"), [("a", None), ("i", (1, 3)), ("v", (-1.0, 1.5)), ("v", (9.0, 10.0))]
)
def test_eigenvalues_are_those_of_the_dense_matrix(dtype: str, select: str, interval: Any) -> None:
    alpha = RANDOM.normal(size=6)
    beta = RANDOM.normal(size=5) + (1j * RANDOM.normal(size=5) if dtype == "complex128" else 0)
    dense = np.diag(alpha).astype(dtype) + np.diag(beta, 1) + np.diag(beta.conj(), -1)
    wanted = np.linalg.eigvalsh(dense)
    if select == "i":
        wanted = wanted[interval[0] : interval[1] + 1]
    elif select == "v":
        wanted = wanted[(wanted > interval[0]) & (wanted <= interval[1])]
    arguments = (alpha.astype(dtype), beta)
    values, vectors = tf.linalg.eigh_tridiagonal(
        *arguments, eigvals_only=False, select=select, select_range=interval
    )
    np.testing.assert_allclose(values.numpy(), wanted, rtol=1e-12, atol=1e-12)
    found = vectors.numpy()
    np.testing.assert_allclose(dense @ found, found * wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("options", [{"select": "x"}, {"select": "i"}])
def test_a_wrong_selection_is_refused(options: Any) -> None:
    with pytest.raises(ValueError, match="select"):
        tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], **options)
