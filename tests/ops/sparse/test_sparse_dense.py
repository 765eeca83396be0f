"""Products of sparse and dense matrices are NumPy's of dense ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import graphwright as tf
from graphwright.ops.sparse import sparse_dense
from graphwright.types.arrays import Array

DTYPES = ["float16", "float32", "float64", "complex64", "complex128", "int8", "int32", "int64"]


@pytest.mark.parametrize("has_extension", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("adjoint_a", [False, True])
@pytest.mark.parametrize("adjoint_b", [False, True])
def test_products_are_those_of_dense_matrices(
    dtype: npt.DTypeLike,
    adjoint_a: bool,
    adjoint_b: bool,
    has_extension: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not has_extension:
        monkeypatch.setattr(sparse_dense, "late_extension", lambda name: None)
    rng = np.random.default_rng(0)

    def whole(*shape: int) -> npt.NDArray[np.complex128]:
        imaginary = rng.integers(-3, 4, shape) * (np.dtype(dtype).kind == "c")
        return rng.integers(-3, 4, shape) + 1j * imaginary

    def narrow(x: npt.NDArray[np.complex128]) -> Array:
        return (x if np.dtype(dtype).kind == "c" else x.real).astype(dtype)

    for rows, columns, count, width in ((5, 7, 12, 3), (5, 7, 0, 3), (0, 3, 0, 2), (4, 4, 6, 0)):
        indices = np.stack([rng.integers(0, max(n, 1), count) for n in (rows, columns)], 1)
        values, right = whole(count), whole(rows if adjoint_a else columns, width)
        dense = np.zeros((rows, columns), np.complex128)
        np.add.at(dense, tuple(indices.T), values)  # entries of one place add up
        given = right.conj().T if adjoint_b else right
        result = tf.raw_ops.SparseTensorDenseMatMul(
            a_indices=indices, a_values=narrow(values), a_shape=[rows, columns],
            b=narrow(given), adjoint_a=adjoint_a, adjoint_b=adjoint_b,
        )  # fmt: skip
        assert result.dtype == dtype
        expected = (dense.conj().T if adjoint_a else dense) @ right
        np.testing.assert_array_equal(result, narrow(expected))
