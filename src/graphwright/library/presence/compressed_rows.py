"""What Keras takes of TensorFlow's matrices of compressed rows: the product of two sparse ones.

A matrix stays the parts of a sparse tensor here, since the product takes them as they are.
"""

from __future__ import annotations

from graphwright.op.interpreter import convert
from graphwright.ops.sparse.sparse_products import SparseParts, multiply
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike


def sparse_tensor_to_csr_sparse_matrix(
    indices: TensorLike, values: TensorLike, dense_shape: TensorLike
) -> SparseParts:
    """The matrix, or the batch of matrices, of a sparse tensor with these parts."""
    return SparseParts(convert(indices, dt.int64), convert(values), convert(dense_shape, dt.int64))


def sparse_matrix_sparse_mat_mul(a: SparseParts, b: SparseParts, type: DTypeLike) -> SparseParts:
    """The product of two matrices, or of each two in batches, whose values are of a dtype."""
    for matrix in (a, b):
        if matrix.values.dtype != dt.as_dtype(type):
            raise ValueError(f"Expected values of {dt.as_dtype(type)}, got {matrix.values.dtype}")
    return multiply(a, b)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: SparseParts, type: DTypeLike) -> SparseParts:
    """The parts of the sparse tensor that a matrix is."""
    return sparse_matrix
