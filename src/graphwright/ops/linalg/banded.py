"""Systems of triangular matrices with few diagonals, which are stored as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Shapes
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import reshape, sum_to
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg import banded_kernels
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.linear_systems import MatrixOp, joined, split_matrix
from graphwright.ops.linalg.matrices import diag_part
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, broadcast_dims, show_dims

SOLVABLE = frozenset({dt.float32, dt.float64, dt.complex64, dt.complex128})


class BandedTriangularSolve(MatrixOp):
    """The x of matrix @ x = rhs, for triangular matrices whose diagonals are the rows of `matrix`.

    Entry [d, j] is in column j - d of row j of a lower triangular matrix. Of an upper one the main
    diagonal is the last row. Entries are in their own columns to the right of it.
    """

    type_name = "BandedTriangularSolve"
    inputs = ("matrix: T", "rhs: T")
    dtypes = {"T": SOLVABLE}
    failure = "Input matrix is not invertible."
    ruled = True

    lower: bool = True
    adjoint: bool = False

    def shapes(self, bands: TensorType, rhs: TensorType) -> Shapes:
        batch, _, size = split_matrix(self.type_name, bands)
        lead, rows, columns = split_matrix(self.type_name, rhs)
        if None not in (size, rows) and size != rows:
            raise ValueError(
                f"In[0] and In[1] of {self.type_name} differ in size: {show_dims(bands.dims)} "
                f"vs. {show_dims(rhs.dims)}"
            )
        both = None if batch is None or lead is None else broadcast_dims(batch, lead)
        return (joined(both, size if rows is None else rows, columns),)

    def kernel(self, bands: Array, rhs: Array) -> Array:
        if not bands.size or not rhs.size:
            raise ValueError(
                f"no matrix may be empty: {show_dims(bands.shape)} and {show_dims(rhs.shape)}"
            )
        main = bands[..., 0 if self.lower else -1, :]
        if not (np.abs(main) > 0).all():  # nor NaN
            raise np.linalg.LinAlgError
        return banded_kernels.triangular(self.columns(bands), rhs, self.lower, self.adjoint)

    def columns(self, bands: Array) -> Array:
        """The diagonals with each entry in its column."""
        shifted: Array = bands.copy()
        count = bands.shape[-2]
        for row in range(count):
            distance = -row if self.lower else count - 1 - row
            shifted[..., row, :] = np.roll(bands[..., row, :], distance, -1)
        return shifted

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        bands, rhs = call.inputs
        x = call.outputs[0]
        to_rhs = apply(BandedTriangularSolve.of(self.lower, not self.adjoint), bands, g)
        first, second = (x, to_rhs) if self.adjoint else (to_rhs, x)
        dense = -matmul(first, second, adjoint_b=True)
        sizes = shape(bands)[-2:]
        k = stack([1 - sizes[0], 0] if self.lower else [0, sizes[0] - 1])
        rows = diag_part(dense, k=k, align="LEFT_RIGHT")
        to_bands = reshape(rows, concat([shape(dense)[:-2], sizes], 0))  # one row has no axis
        return sum_to(to_bands, bands), sum_to(to_rhs, rhs)


def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solves `matrix @ x = rhs` for triangular matrices of few diagonals.

    The rows of `bands` are diagonals, each element in its column of the matrix. Of a lower
    triangular matrix the first row is the main diagonal, and the rows below it end in the last
    column. Of an upper one the last row is the main diagonal, and the rows above it start in the
    first column.

    Args:
        bands: A tensor of float32, float64 or complex numbers, of shape [..., diagonals, n].
        rhs: A tensor of the dtype of `bands`, of shape [..., n, k].
        lower: Whether the matrices are lower triangular; else they are upper triangular.
        adjoint: Whether to solve with the conjugate transpose of the matrix.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `bands`, of shape [..., n, k].

    >>> import graphwright as tf
    >>> x = tf.linalg.banded_triangular_solve([[2., 3., 4.], [0., 1., 1.]], [[1.], [2.], [3.]])
    >>> x.numpy().ravel().tolist()
    [0.5, 0.5, 0.625]
    """
    bands = convert(bands)
    op = BandedTriangularSolve.of(lower, adjoint)
    return apply(op, bands, convert(rhs, bands.dtype), name=name)
