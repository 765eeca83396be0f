"""Inverses, determinants and solutions of linear systems, of batches of matrices."""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.process_settings import OneThread
from graphwright.op.batching import Each, Same, last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import concat, stack, zeros_for_none
from graphwright.ops.core.movement import sum_to, transpose
from graphwright.ops.core.rule_words import required, routine
from graphwright.ops.core.sequences import range
from graphwright.ops.core.shapes import rank_of
from graphwright.ops.linalg import small_systems
from graphwright.ops.linalg.contraction import adjoint_array, matmul
from graphwright.ops.linalg.lapack_routines import blas
from graphwright.ops.linalg.matrices import band_part
from graphwright.ops.linalg.unrolled import (
    MOST_PIVOTS,
    Elimination,
    entries,
    matrices,
    rows_of,
    substituted,
)
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import equal, not_equal, select
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, broadcast_dims, merge_dims, show_dims

LAPACK = dt.INEXACT - {dt.bfloat16}


def split_matrix(op: str, x: TensorType) -> tuple[Dims | None, int | None, int | None]:
    """The batch dimensions, rows and columns of an operand; ValueError below rank 2."""
    if x.dims is None:
        return None, None, None
    if len(x.dims) < 2:
        raise ValueError(f"Input tensor of {op} must have rank >= 2, got {show_dims(x.dims)}")
    return x.dims[:-2], x.dims[-2], x.dims[-1]


def split_square(op: str, x: TensorType) -> tuple[Dims | None, int | None]:
    """The batch dimensions and the size of a square operand; ValueError if it is not square."""
    batch, rows, columns = split_matrix(op, x)
    if None not in (rows, columns) and rows != columns:
        raise ValueError(f"Input matrix of {op} must be square, got {show_dims(x.dims)}")
    return batch, rows if columns is None else columns


def joined(batch: Dims | None, *dims: int | None) -> Dims | None:
    """Batch dimensions followed by others; None of unknown rank."""
    return None if batch is None else (*batch, *dims)


#: Rows or columns of matrices for which BLAS's threads wait longer than they compute. Smaller
#: matrices have one thread anyway, and larger ones have work for several.
SPINNING = builtins.range(26, 800)


class MatrixOp(Op):
    """An op on batches of matrices that LAPACK computes; float16 in float32.

    `kernel` gets operands of rank 2 or more, in a dtype that LAPACK knows.
    """

    inputs: ClassVar[tuple[str, ...]] = ("input: T",)
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": LAPACK}

    #: TensorFlow's error where LAPACK has no solution.
    failure: ClassVar[str] = "The decomposition did not converge."

    def by_machine_code(self, *matrices: Array) -> Any:
        """What `kernel` gives, if machine code gives it; else None. No thread of BLAS waits."""
        return None

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        by_code, compute, failure = self.by_machine_code, self.kernel, self.failure
        narrow = types[0] is dt.float16

        def guarded(*arrays: Any) -> Any:
            if arrays[0].ndim < 2:
                raise ValueError(
                    f"Input tensor of {self.type_name} must have rank >= 2, got "
                    f"{show_dims(arrays[0].shape)}"
                )
            if narrow:
                arrays = tuple([a.astype(np.float32) if hasattr(a, "dtype") else a for a in arrays])
            result = by_code(*arrays)
            if result is None:
                try:
                    with OneThread() if max(arrays[0].shape[-2:]) in SPINNING else nullcontext():
                        result = compute(*arrays)
                except np.linalg.LinAlgError as error:
                    if "square" in str(error):
                        raise
                    raise InvalidArgumentError(None, None, failure) from None
            if isinstance(result, tuple):
                return tuple([lowered(r, narrow) for r in result])
            return lowered(result, narrow)

        return guarded

    def batched(self, each: Each) -> Any:
        results = last_axes(self, each)
        if not isinstance(results, tuple):
            return results
        # A result that is not computed is one empty vector, however many matrices there are.
        types = zip(results, each.results)
        return tuple([Same(x) if type_.dims == (0,) else x for x, type_ in types])


def lowered(array: Array, narrow: bool) -> Array:
    """The result in float16 where the operand was."""
    narrow = narrow and array.dtype.kind == "f"
    return np.asarray(array.astype(np.float16) if narrow else array)


def check_numbers(matrix: Array) -> None:
    """LinAlgError where a matrix has NaN, of which no pivot is greater than 0."""
    if np.isnan(matrix).any():
        raise np.linalg.LinAlgError


class MatrixInverse(MatrixOp):
    """The inverse, or its adjoint."""

    type_name = "MatrixInverse"
    failure = "Input is not invertible."

    adjoint: bool = False

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return (joined(batch, size, size),)

    def by_machine_code(self, *matrices: Array) -> Any:
        (x,) = matrices
        return small_systems.solutions(adjoint_array(x) if self.adjoint else x, None)

    def kernel(self, x: Array) -> Any:
        check_numbers(x)
        return np.linalg.inv(adjoint_array(x) if self.adjoint else x)

    def expand(self, x: GraphTensor) -> Any:
        """The inverses of small matrices without NaN; of others by LAPACK."""
        size = rows_of(x, MOST_PIVOTS)
        if size is None:
            return routine("inverse", x, flags=[self.adjoint])
        rows = entries(x, size, size, self.adjoint)
        require_numbers(rows)
        unit = [
            [cast(int(i == j), x.dtype) for j in builtins.range(size)] for i in builtins.range(size)
        ]
        return matrices(solved(rows, unit))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y = call.outputs[0]
        if self.adjoint:
            return (-matmul(y, matmul(g, y, adjoint_a=True)),)
        return (-matmul(y, matmul(g, y, adjoint_b=True), adjoint_a=True),)


class MatrixDeterminant(MatrixOp):
    """The determinant."""

    type_name = "MatrixDeterminant"

    def shapes(self, x: TensorType) -> Shapes:
        return (split_square(self.type_name, x)[0],)

    def kernel(self, x: Array) -> Any:
        return np.linalg.det(x)

    def expand(self, x: GraphTensor) -> Any:
        """The determinants of small matrices that are not singular."""
        size = rows_of(x, MOST_PIVOTS)
        if size is None:
            return None
        done = Elimination(entries(x, size, size), [[] for _ in builtins.range(size)])
        pivots = [required(p, not_equal(p, cast(0, x.dtype))) for p in done.pivots]
        signs = [where(e, cast(-1, x.dtype), cast(1, x.dtype)) for e in done.exchanges]
        return functools.reduce(operator.mul, [*pivots, *signs])

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        factor = g * conj(call.outputs[0])
        return (factor[..., None, None] * inv(call.inputs[0], adjoint=True),)


class LogMatrixDeterminant(MatrixOp):
    """The sign and the logarithm of the absolute value of the determinant."""

    type_name = "LogMatrixDeterminant"
    outputs = ("sign: T", "log_abs_determinant: T")

    def shapes(self, x: TensorType) -> Shapes:
        batch, _ = split_square(self.type_name, x)
        return batch, batch

    def kernel(self, x: Array) -> Any:
        sign, logarithm = map(np.asarray, np.linalg.slogdet(x))
        sign = np.where(np.isnan(logarithm), logarithm, sign)
        return sign.astype(x.dtype), logarithm.astype(x.dtype)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        _, g = zeros_for_none(call, cotangents)
        return (g[..., None, None] * inv(call.inputs[0], adjoint=True),)


class MatrixSolve(MatrixOp):
    """The x of matrix @ x = rhs, or of adjoint(matrix) @ x = rhs."""

    type_name = "MatrixSolve"
    inputs = ("matrix: T", "rhs: T")
    batched = last_axes
    failure = "Input matrix is not invertible."

    adjoint: bool = False

    def shapes(self, matrix: TensorType, rhs: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, matrix)
        batch_rhs, rows, columns = split_matrix(self.type_name, rhs)
        check_rows(self.type_name, matrix, rhs, size, rows)
        return (joined(merge_dims(batch, batch_rhs), size if rows is None else rows, columns),)

    def by_machine_code(self, *matrices: Array) -> Any:
        x, rhs = matrices
        return small_systems.solutions(adjoint_array(x) if self.adjoint else x, rhs)

    def kernel(self, matrix: Array, rhs: Array) -> Any:
        if rhs.ndim != matrix.ndim or rhs.shape[:-2] != matrix.shape[:-2]:
            raise ValueError(
                f"Batch dimensions of matrix {show_dims(matrix.shape)} and rhs "
                f"{show_dims(rhs.shape)} must be equal"
            )
        check_numbers(matrix)
        return np.linalg.solve(adjoint_array(matrix) if self.adjoint else matrix, rhs)

    def expand(self, matrix: GraphTensor, rhs: GraphTensor) -> Any:
        """The solutions of small systems: numbers where there are few, else rows.

        LAPACK solves larger ones.
        """
        size = rows_of(matrix, MOST_PIVOTS)
        if size is None:
            return routine("solve", matrix, rhs, flags=[self.adjoint])
        if rhs.shape[-2] != size or rhs.shape[:-2] != matrix.shape[:-2]:
            return None
        count = rhs.shape[-1]
        if count is not None and 0 < count <= MOST_PIVOTS:
            rows = entries(matrix, size, size, self.adjoint)
            require_numbers(rows)
            return matrices(solved(rows, entries(rhs, size, count)))
        rows = entries(matrix, size, size, self.adjoint, None)
        require_numbers(rows)
        sides = [[rhs[..., i, :]] for i in builtins.range(size)]
        return stack([row for (row,) in solved(rows, sides)], -2)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        matrix, x = call.inputs[0], call.outputs[0]
        g_rhs = solve(matrix, g, adjoint=not self.adjoint)
        first, second = (x, g_rhs) if self.adjoint else (g_rhs, x)
        return -matmul(first, second, adjoint_b=True), g_rhs


def require_numbers(rows: list[list[Any]]) -> None:
    """Has kernels see to a matrix in which there is NaN."""
    total = functools.reduce(operator.add, [number for row in rows for number in row])
    rows[0][0] = required(rows[0][0], equal(total, total))


def solved(rows: list[list[Any]], sides: list[list[Any]]) -> list[list[Any]]:
    """The solutions of systems that are not singular."""
    done = Elimination(rows, sides)
    for i, pivot in enumerate(done.pivots):
        done.rows[i][i] = required(pivot, not_equal(pivot, cast(0, pivot.dtype)))
    return done.solutions()


def check_rows(
    op: str, matrix: TensorType, rhs: TensorType, size: int | None, rows: int | None
) -> None:
    """ValueError unless a matrix and its right-hand side have the same number of rows."""
    if None not in (size, rows) and size != rows:
        raise ValueError(
            f"Input matrix and rhs of {op} are incompatible: {show_dims(matrix.dims)} and "
            f"{show_dims(rhs.dims)}"
        )


class MatrixTriangularSolve(MatrixOp):
    """The x of matrix @ x = rhs, reading only one triangle; batch dimensions broadcast."""

    type_name = "MatrixTriangularSolve"
    inputs = ("matrix: T", "rhs: T")
    dtypes = {"T": dt.INEXACT}
    batched = last_axes

    lower: bool = True
    adjoint: bool = False

    def shapes(self, matrix: TensorType, rhs: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, matrix)
        batch_rhs, rows, columns = split_matrix(self.type_name, rhs)
        check_rows(self.type_name, matrix, rhs, size, rows)
        try:
            common = broadcast_dims(batch, batch_rhs)
        except ValueError:
            raise ValueError(
                f"Batch dimensions of matrix {show_dims(matrix.dims)} and rhs "
                f"{show_dims(rhs.dims)} do not broadcast"
            ) from None
        return (joined(common, size if rows is None else rows, columns),)

    def kernel(self, matrix: Array, rhs: Array) -> Any:
        size = matrix.shape[-1]
        if matrix.shape[-2] != size or rhs.shape[-2] != size:
            raise ValueError(
                f"matrix {show_dims(matrix.shape)} and rhs {show_dims(rhs.shape)} do not fit"
            )
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
        return self.substituted(
            np.broadcast_to(matrix, (*batch, size, size)),
            np.broadcast_to(rhs, (*batch, size, rhs.shape[-1])),
        )

    def expand(self, matrix: GraphTensor, rhs: GraphTensor) -> Any:
        """The solutions of small systems, row by row; of others by BLAS."""
        size = rows_of(matrix)
        if size is None:
            return routine("triangular", matrix, rhs, flags=[self.lower, self.adjoint])
        if rhs.shape[-2] != size:
            return None
        return substituted(matrix, rhs, size, self.lower, self.adjoint)

    def substituted(self, matrices: Array, sides: Array) -> Array:
        """The solutions; a zero on the diagonal gives infinities."""
        size = matrices.shape[-1]
        if math.prod(sides.shape[:-2]) >= 4 * size:
            return self.row_by_row(matrices, sides)
        narrow = sides.dtype.itemsize == 2
        work: npt.DTypeLike = np.float32 if narrow else sides.dtype
        trsm = blas("trsm", work)
        result: Array = np.empty(sides.shape, work)
        if result.size:
            for i in np.ndindex(sides.shape[:-2]):
                matrix, side = matrices[i].astype(work), sides[i].astype(work)
                result[i] = trsm(
                    1.0, matrix, side, lower=self.lower, trans_a=2 if self.adjoint else 0
                )
        return result.astype(sides.dtype, copy=False)

    def row_by_row(self, matrices: Array, sides: Array) -> Array:
        """The solutions of many small systems, one row of all of them at a time."""
        work: npt.DTypeLike = np.float32 if sides.dtype.itemsize == 2 else sides.dtype
        matrices, result = matrices.astype(work, copy=False), sides.astype(work)
        if self.adjoint:
            matrices = np.conj(np.swapaxes(matrices, -1, -2))
        size, forwards = matrices.shape[-1], self.lower != self.adjoint
        rows = builtins.range(size)
        for i in rows if forwards else reversed(rows):
            done = slice(0, i) if forwards else slice(i + 1, size)
            solved = np.matmul(matrices[..., i, None, done], result[..., done, :])[..., 0, :]
            result[..., i, :] = (result[..., i, :] - solved) / matrices[..., i, i, None]
        return result.astype(sides.dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        matrix, rhs = call.inputs
        x = call.outputs[0]
        g_rhs = triangular_solve(matrix, g, self.lower, not self.adjoint)
        first, second = (x, g_rhs) if self.adjoint else (g_rhs, x)
        full = -matmul(first, second, adjoint_b=True)
        triangle = band_part(full, -1, 0) if self.lower else band_part(full, 0, -1)
        return sum_to(triangle, matrix), sum_to(g_rhs, rhs)


class MatrixSolveLs(MatrixOp):
    """The x of least |matrix @ x - rhs|^2 + l2_regularizer * |x|^2, of least norm among equals."""

    type_name = "MatrixSolveLs"
    inputs = ("matrix: T", "rhs: T", "l2_regularizer: float64 host")
    ranks = {"l2_regularizer": 0}
    failure = (
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a "
        "larger l2_regularizer > 0."
    )
    batched = last_axes

    fast: bool = True

    def shapes(self, matrix: TensorType, rhs: TensorType, regularizer: float | None) -> Shapes:
        if regularizer is not None and not regularizer >= 0:
            raise ValueError(f"l2_regularizer must be >= 0, got {regularizer}")
        batch, rows, columns = split_matrix(self.type_name, matrix)
        batch_rhs, rows_rhs, targets = split_matrix(self.type_name, rhs)
        check_rows(self.type_name, matrix, rhs, rows, rows_rhs)
        return (joined(merge_dims(batch, batch_rhs), columns, targets),)

    def kernel(self, matrix: Array, rhs: Array, regularizer: float) -> Any:
        if not (self.fast or regularizer):
            finite: Any = np.isfinite(matrix).all((-2, -1), keepdims=True)
            inverse = np.linalg.pinv(np.where(finite, matrix, 0))  # LAPACK never ends at infinities
            return np.where(finite, np.matmul(inverse, rhs), 0)
        flipped = adjoint_array(matrix)
        wide = matrix.shape[-2] < matrix.shape[-1]
        gram = np.matmul(matrix, flipped) if wide else np.matmul(flipped, matrix)
        ridge = np.asarray(regularizer, matrix.dtype)
        gram = gram + ridge * np.eye(gram.shape[-1], dtype=matrix.dtype)
        np.linalg.cholesky(gram)  # fails where the matrix lacks full rank
        if wide:
            return np.matmul(flipped, np.linalg.solve(gram, rhs))
        return np.linalg.solve(gram, np.matmul(flipped, rhs))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        matrix, rhs, regularizer = call.inputs
        rows, columns = (matrix.type.dims or (None, None))[-2:]
        if rows is None or columns is None:
            return self.unsized_gradient(call, g)
        x = call.outputs[0]
        if rows >= columns:
            z = solve_gram(matrix, g, regularizer, wide=False)
            product = matmul(x, z, adjoint_b=True)
            symmetric = product + adjoint(product)
            g_matrix = matmul(rhs, z, adjoint_b=True) - matmul(matrix, symmetric)
            return g_matrix, matmul(matrix, z), None
        w = solve_gram(matrix, matmul(matrix, g), regularizer, wide=True)
        t = solve_gram(matrix, rhs, regularizer, wide=True)
        rest = g - matmul(matrix, w, adjoint_a=True)
        return matmul(t, rest, adjoint_b=True) - matmul(w, x, adjoint_b=True), w, None

    def unsized_gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """The cotangents where it is not known which side of the matrix is longer.

        With p the (regularized) pseudo-inverse, p(adjoint(matrix)) = adjoint(p(matrix)).
        """
        matrix, rhs, regularizer = call.inputs
        x, flipped = call.outputs[0], adjoint(matrix)

        def solved(a: TensorValue, b: TensorValue) -> Any:
            return apply(self, a, b, regularizer)

        to_rhs = solved(flipped, g)
        rest, bend = rhs - matmul(matrix, x), g - matmul(flipped, to_rhs)
        ridge = cast(convert(regularizer), matrix.dtype)
        plain = equal(ridge, 0)
        exact = matmul(rest, solved(matrix, to_rhs), adjoint_b=True)
        exact += matmul(solved(flipped, x), bend, adjoint_b=True)
        damped = matmul(rest, bend, adjoint_b=True) / select(plain, 1, ridge)
        direct = matmul(to_rhs, x, adjoint_b=True)
        return select(plain, exact, damped) - direct, to_rhs, None


def solve_gram(matrix: TensorValue, rhs: TensorValue, regularizer: TensorLike, wide: bool) -> Any:
    """The solution of (matrix's Gram matrix + regularizer * identity) @ x = rhs."""
    gram = matmul(matrix, matrix, adjoint_a=not wide, adjoint_b=wide)
    ridge = cast(convert(regularizer), matrix.dtype) * identity_like(gram)
    return solve(gram + ridge, rhs)


def identity_like(x: TensorValue) -> Any:
    """Identity matrices of the shape of square `x`."""
    return band_part(ones_like(x), 0, 0)


# -- the public functions -------------------------------------------------------------------


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Transposes and conjugates matrices.

    Args:
        matrix: A tensor of shape [..., m, n].
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `matrix`, of shape [..., n, m].

    Raises:
        ValueError: `matrix` has fewer than two axes.

    >>> import graphwright as tf
    >>> tf.linalg.adjoint([[1j, 2.0]])
    <tf.Tensor: shape=(2, 1), dtype=complex128, numpy=
    array([[0.-1.j],
           [2.-0.j]])>
    """
    return matrix_transpose(matrix, conjugate=True)


def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Transposes matrices.

    Args:
        a: A tensor of shape [..., m, n].
        name: A name, which has no effect.
        conjugate: Whether to conjugate the elements too.

    Returns:
        A tensor of the dtype of `a`, of shape [..., n, m].

    Raises:
        ValueError: `a` has fewer than two axes.

    >>> import graphwright as tf
    >>> tf.linalg.matrix_transpose([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)>
    """
    a = convert(a)
    ndims = a.type.rank
    if ndims is None:
        count = rank_of(a)
        order: Any = concat([range(count - 2), [count - 1, count - 2]], 0)
    elif ndims < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = "
            f"{a} with shape: {a.shape}"
        )
    else:
        order = (*builtins.range(ndims - 2), ndims - 1, ndims - 2)
    return transpose(a, order, conjugate=conjugate)


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Computes the inverse of square matrices, or the adjoint of the inverse.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        adjoint: Whether to conjugate and transpose the inverse.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: A matrix is singular, or not square (which is a ValueError when
            traced).

    >>> import graphwright as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)>
    """
    return apply(MatrixInverse.of(adjoint), convert(input), name=name)


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the determinant of each square matrix.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `input`, of shape [...].

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.det([[2.0, 1.0], [0.0, 4.0]])
    <tf.Tensor: shape=(), dtype=float32, numpy=8.0>
    """
    return apply(MatrixDeterminant.of(), convert(input), name=name)


class LogDeterminant(NamedTuple):
    """The result of `slogdet`."""

    sign: Tensor
    log_abs_determinant: Tensor


LogDeterminant.__name__ = LogDeterminant.__qualname__ = "LogMatrixDeterminant"


def slogdet(input: TensorLike, name: str | None = None) -> LogDeterminant:
    """Computes the sign of each determinant and the logarithm of its modulus.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        name: A name for the op.

    Returns:
        A named tuple of `sign`, 0 for a singular matrix, and `log_abs_determinant`, both of the
        dtype of `input` and of shape [...].

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> sign, logarithm = tf.linalg.slogdet([[-1.0, 3.0], [0.0, 1.0]])
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    return LogDeterminant(*apply(LogMatrixDeterminant.of(), convert(input), name=name))


def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves `matrix @ x = rhs`, or `adjoint(matrix) @ x = rhs`.

    Args:
        matrix: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        rhs: A tensor of the dtype of `matrix`, of shape [..., n, k].
        adjoint: Whether to solve with the conjugate transpose of the matrix.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `rhs`.

    Raises:
        InvalidArgumentError: A matrix is singular, or the shapes do not match (which is a
            ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [8.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[1.],
           [2.]], dtype=float32)>
    """
    return apply(MatrixSolve.of(adjoint), *convert_pair(matrix, rhs), name=name)


def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solves `matrix @ x = rhs` for triangular matrices.

    Args:
        matrix: A tensor of floats or complex numbers, of shape [..., n, n], of which one triangle
            is read. A zero on the diagonal divides by zero.
        rhs: A tensor of the dtype of `matrix`, of shape [..., n, k].
        lower: Whether the lower triangle is read; else the upper one.
        adjoint: Whether to solve with the conjugate transpose of the matrix.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `matrix`, of shape [..., n, k]; the other axes broadcast.

    Raises:
        InvalidArgumentError: The shapes do not match (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 4.0]], [[2.0], [5.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[1.],
           [1.]], dtype=float32)>
    """
    op = MatrixTriangularSolve.of(lower, adjoint)
    return apply(op, *convert_pair(matrix, rhs), name=name)


def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Computes the x that minimises `norm(matrix @ x - rhs) ** 2 + l2_regularizer * norm(x) ** 2`.

    Args:
        matrix: A tensor of floats but bfloat16, or of complex numbers, of shape [..., m, n].
        rhs: A tensor of the dtype of `matrix`, of shape [..., m, k].
        l2_regularizer: A number that is not negative.
        fast: Whether to solve the normal equations. Else, without a regularizer, matrices of any
            rank have the solution of least norm.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `matrix`, of shape [..., n, k].

    Raises:
        InvalidArgumentError: With `fast` a matrix lacks full rank, or the shapes do not match
            (which is a ValueError when traced).

    >>> import graphwright as tf
    >>> x = tf.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [[1.0], [3.0], [5.0]])
    >>> tf.round(10 * x)
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[10.],
           [20.]], dtype=float32)>
    """
    matrix, rhs = convert_pair(matrix, rhs)
    return apply(MatrixSolveLs.of(bool(fast)), matrix, rhs, l2_regularizer, name=name)
