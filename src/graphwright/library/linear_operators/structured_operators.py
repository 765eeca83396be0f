"""Operators: any matrix, reflections, permutations, Toeplitz and tridiagonal matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.library.linear_operators.diagonal_operators import (
    OfDiagonal,
    arguments_of,
    hints_of,
)
from graphwright.library.linear_operators.linear_operator import LinearOperator, with_batch
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones, zeros
from graphwright.ops.core.gathering import gather
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.core.sorting import argsort
from graphwright.ops.linalg.matrices import diag
from graphwright.ops.linalg.norms import normalize
from graphwright.ops.linalg.tridiagonal import compact, tridiagonal_matmul, tridiagonal_solve
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import equal
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape


class OfMatrix(LinearOperator):
    """An operator that has the shape of its tensor."""

    _matrix: Any

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._matrix.shape
        return shape

    def _shape_tensor(self) -> Any:
        return shape_vector(self._matrix)


class LinearOperatorFullMatrix(OfMatrix):
    """A dense matrix as an operator.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        matrix: A tensor [..., M, N].

    Raises:
        ValueError: `matrix` has less than two axes.

    >>> import graphwright as tf
    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        values = arguments_of(locals())
        self._matrix = convert(matrix)
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(
                f"Argument matrix must have at least 2 dimensions.  Found: {self._matrix.shape}"
            )
        super().__init__(self._matrix.dtype, None, *hints_of(values), name, values)

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _to_dense(self) -> Any:
        return self._matrix


class LinearOperatorHouseholder(OfDiagonal):
    """A reflection in the hyperplane across an axis: I - 2 v v^H for the unit vector v along it.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        reflection_axis: A tensor [..., N]: the axis, of any length but 0.

    Raises:
        ValueError: A hint is wrong of a reflection.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorHouseholder([0.0, 2.0])
    >>> a.matvec([3.0, 4.0]).numpy()
    array([ 3., -4.], dtype=float32)
    """

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        values = arguments_of(locals())
        self._entries = convert(reflection_axis)
        for hint, kind in ((is_non_singular, "non-singular"), (is_self_adjoint, "self adjoint"),
                           (is_square, "square")):  # fmt: skip
            if hint is False:
                raise ValueError(f"A Householder operator is always {kind}.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        hints = (is_non_singular, True, False, True)
        super().__init__(self._entries.dtype, None, *hints, name, values)

    @property
    def reflection_axis(self) -> Any:
        """The axis, normal to the hyperplane."""
        return self._entries

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        unit = normalize(self._entries, axis=-1)[0][..., None]
        unit, x = with_batch(unit, x)
        return x - 2 * unit * reduce_sum(conj(unit) * x, -2, keepdims=True)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self._matmul(rhs, adjoint)

    def _flat(self) -> Any:
        return ones(self.batch_shape_tensor(), self.dtype)

    def _determinant(self) -> Any:
        return -self._flat()

    def _log_abs_determinant(self) -> Any:
        return 0 * self._flat()

    def _diag_part(self) -> Any:
        unit = normalize(self._entries, axis=-1)[0]
        return 1 - 2 * unit * conj(unit)

    def _eigvals(self) -> Any:
        flat = ones(shape_vector(self._entries), self.dtype)
        return concat([-flat[..., :1], flat[..., 1:]], -1)

    def _cond(self) -> Any:
        return self._flat()

    def _inverse(self) -> LinearOperator:
        return self


class LinearOperatorPermutation(OfDiagonal):
    """A permutation of the rows: row i of the product is row perm[i] of the operand.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        perm: A tensor [..., N] of int32 or int64.
        dtype: The dtype of the entries.

    Raises:
        TypeError: `perm` is of another dtype.
        ValueError: A hint is wrong of a permutation.

    >>> import graphwright as tf
    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([5.0, 6.0, 7.0]).numpy()
    array([7., 5., 6.], dtype=float32)
    """

    def __init__(
        self,
        perm: TensorLike,
        dtype: DTypeLike = dt.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        values = arguments_of(locals())
        self._entries = convert(perm)
        if not self._entries.dtype.is_integer:
            raise TypeError(f"perm must be integer dtype but was {self._entries.dtype.name}")
        for hint, kind in ((is_non_singular, "non-singular"), (is_square, "square")):
            if hint is False:
                raise ValueError(f"A Permutation operator is always {kind}.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(as_dtype(dtype), None, *hints, name, values)

    @property
    def perm(self) -> Any:
        """The rows of the operand, in the order of the product."""
        return self._entries

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        order = argsort(self._entries, -1) if adjoint else self._entries
        if order.shape.rank == 1:
            return gather(x, order, axis=-2)
        column, x = with_batch(order[..., None], x)
        rank = x.shape.rank
        if rank is None:
            return super()._matmul(x, adjoint)
        batch = rank - 2
        return gather(x, column[..., 0], axis=batch, batch_dims=batch)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self._matmul(rhs, not adjoint)

    def _to_dense(self) -> Any:
        columns = range_of(shape_vector(self._entries)[-1])
        places = cast(self._entries, dt.int32)[..., None]
        return cast(equal(columns, places), self.dtype)

    def _determinant(self) -> Any:
        # The sign: each pair of rows that change their order counts as -1.
        rows = self._entries[..., None] > self._entries[..., None, :]
        later = range_of(shape_vector(self._entries)[-1])
        inverted = cast(rows & (later[:, None] < later), dt.int32)
        return cast(1 - 2 * (reduce_sum(inverted, [-2, -1]) % 2), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return ones(self.batch_shape_tensor(), self.dtype)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorPermutation(argsort(self._entries, -1), self.dtype)

    _adjoint = _inverse


class LinearOperatorToeplitz(LinearOperator):
    """A matrix with constant diagonals, which its first column and its first row determine.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        col: A tensor [..., N]: the first column.
        row: A tensor [..., N]: the first row, whose first entry is that of `col`.

    Raises:
        ValueError: The hint says that the matrix is not square.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 4.0, 5.0])
    >>> a.to_dense().numpy().tolist()
    [[1.0, 4.0, 5.0], [2.0, 1.0, 4.0], [3.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        values = arguments_of(locals())
        self._col, self._row = convert(col), convert(row)
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._row.dtype, None, *hints, name, values)

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        from_row, from_col = self._row.shape, self._col.shape
        if from_row.rank is None or from_col.rank is None:
            return TensorShape(None)
        batch = np.broadcast_shapes(
            *[tuple(d or 1 for d in dims[:-1].as_list()) for dims in (from_row, from_col)]
        )
        return TensorShape([*batch, from_row[-1], from_row[-1]])

    def _shape_tensor(self) -> Any:
        dims = broadcast_dynamic_shape(shape_vector(self._row), shape_vector(self._col))
        return concat([dims, dims[-1:]], 0)

    def _to_dense(self) -> Any:
        size: Any = self._row.shape[-1]
        size = shape_vector(self._row)[-1] if size is None else size
        # Entry [i, j] is number n - 1 + j - i of the reversed column that the row follows.
        whole = broadcast_dynamic_shape(shape_vector(self._row), shape_vector(self._col))
        col, row = broadcast_to(self._col, whole), broadcast_to(self._row, whole)
        line = concat([col[..., :0:-1], row], -1)
        places = range_of(size)[None, :] - range_of(size)[:, None] + (size - 1)
        return gather(line, places, axis=-1)

    def _diag_part(self) -> Any:
        first = self._col[..., :1]
        return first * ones([self._row.shape[-1] or shape_vector(self._row)[-1]], self.dtype)


class LinearOperatorTridiag(LinearOperator):
    """A matrix with a main diagonal, one above it and one below it.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        diagonals: The diagonals above, on and below the main one: a tensor [..., 3, N] ("compact"),
            a list of three tensors ("sequence"), or the matrices ("matrix").
        diagonals_format: "compact", "sequence" or "matrix".

    Raises:
        ValueError: There is no such format, or the hint says that the matrix is not square.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorTridiag([[4.0, 4.0, 0.0], [1.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    >>> a.to_dense().numpy().tolist()
    [[1.0, 4.0, 0.0], [2.0, 1.0, 4.0], [0.0, 2.0, 1.0]]
    """

    def __init__(
        self,
        diagonals: TensorLike,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        values = arguments_of(locals())
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. Found: "
                f"{diagonals_format}"
            )
        parts: Any = diagonals
        self._diagonals: Any = (
            [convert(d) for d in parts] if diagonals_format == "sequence" else convert(diagonals)
        )
        self._rows = compact(self._diagonals, diagonals_format)
        self._format = diagonals_format
        if is_square is False:
            raise ValueError("Only square tridiagonal operators currently supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._rows.dtype, None, *hints, name, values)

    @property
    def diagonals(self) -> Any:
        """The diagonals that the constructor got."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals: "compact", "sequence" or "matrix"."""
        return self._format

    def _shape(self) -> TensorShape:
        dims = self._rows.shape
        return TensorShape([*dims[:-2], dims[-1], dims[-1]]) if dims.rank else dims

    def _shape_tensor(self) -> Any:
        dims = shape_vector(self._rows)
        return concat([dims[:-2], dims[-1:], dims[-1:]], 0)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        if adjoint:
            return self._transposed()._matmul(x, False)
        rows, x = with_batch(self._rows, x)
        return tridiagonal_matmul(rows, x)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        if adjoint:
            return self._transposed()._solve(rhs, False)
        rows, rhs = with_batch(self._rows, rhs)
        return tridiagonal_solve(rows, rhs)

    def _transposed(self) -> LinearOperatorTridiag:
        """The conjugate transpose."""
        rows = conj(self._rows)
        size = shape_vector(rows)[-1]
        above = gather(rows[..., 2, :], (range_of(size) + 1) % size, axis=-1)
        below = gather(rows[..., 0, :], (range_of(size) + size - 1) % size, axis=-1)
        parts = [above[..., None, :], rows[..., 1:2, :], below[..., None, :]]
        return LinearOperatorTridiag(concat(parts, -2))

    def _adjoint(self) -> LinearOperator:
        return self._transposed()

    def _to_dense(self) -> Any:
        return diag(self._rows, k=(-1, 1), align="LEFT_RIGHT")

    def _diag_part(self) -> Any:
        return self._rows[..., 1, :]
