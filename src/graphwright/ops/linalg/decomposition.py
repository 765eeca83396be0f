"""Decompositions of matrices: Cholesky, QR, SVD, eigenvalues, LU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_size
from graphwright.ops.core.indicators import one_hot
from graphwright.ops.core.joining import concat, zeros_for_none
from graphwright.ops.core.rule_words import routine
from graphwright.ops.linalg import small_factors, small_matrices
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.lapack_routines import lapack
from graphwright.ops.linalg.linear_systems import (
    LAPACK,
    MatrixOp,
    adjoint,
    check_numbers,
    identity_like,
    joined,
    solve,
    split_matrix,
    split_square,
    triangular_solve,
)
from graphwright.ops.linalg.matrices import band_part, diag, diag_part
from graphwright.ops.linalg.unrolled import factor, rows_of
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import equal, select
from graphwright.ops.math.complex_parts import real
from graphwright.ops.math.transcendental import reciprocal
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


def with_half_diagonal(x: TensorValue) -> Any:
    """The lower triangle with half of the diagonal."""
    return band_part(x, -1, 0) - band_part(x, 0, 0) * 0.5


def differences(values: TensorValue) -> Any:
    """1 / (values[j] - values[i]), but 0 where they are equal."""
    gaps = values[..., None, :] - values[..., :, None]
    none = equal(gaps, 0)
    return select(none, 0, reciprocal(select(none, 1, gaps)))


#: Matrices of so few rows, and so many of them, take less time together than LAPACK for each.
_SMALL, _MANY = 8, 1 << 10


class Cholesky(MatrixOp):
    """The lower triangular L of L @ adjoint(L) = x; NaN where x is not positive definite."""

    type_name = "Cholesky"
    ruled = True

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return (joined(batch, size, size),)

    def kernel(self, x: Array) -> Any:
        size, count = x.shape[-1], math.prod(x.shape[:-2])
        if size <= _SMALL and count >= _MANY:
            return small_matrices.cholesky(x)
        try:
            return np.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            if count == 1:
                return np.tril(np.full_like(x, np.nan))
            if count > size:
                return small_matrices.cholesky(x)
            return np.reshape([self.kernel(m) for m in x.reshape(-1, size, size)], x.shape)

    def expand(self, x: GraphTensor) -> Any:
        """The factor of small matrices, entry by entry; of others by LAPACK."""
        size = rows_of(x)
        return routine("cholesky", x) if size is None else factor(x, size)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        lower = call.outputs[0]
        inverse = triangular_solve(lower, identity_like(lower))
        middle = with_half_diagonal(matmul(lower, g, adjoint_a=True))
        full = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
        return ((full + adjoint(full)) * 0.5,)


class Qr(MatrixOp):
    """The orthonormal q and the upper triangular r of q @ r = x."""

    type_name = "Qr"
    outputs = ("q: T", "r: T")

    full_matrices: bool = False

    def shapes(self, x: TensorType) -> Shapes:
        batch, rows, columns = split_matrix(self.type_name, x)
        inner = rows if self.full_matrices else smaller(rows, columns)
        return joined(batch, rows, inner), joined(batch, inner, columns)

    def kernel(self, x: Array) -> Any:
        return tuple(np.linalg.qr(x, mode="complete" if self.full_matrices else "reduced"))

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        g_q, g_r = zeros_for_none(call, cotangents)
        x, (q, r) = call.inputs[0], call.outputs
        rows, columns = (x.type.dims or (None, None))[-2:]
        if rows is None or columns is None:
            raise NotImplementedError("QrGrad not implemented with dynamic shapes.")
        if rows > columns and self.full_matrices:
            raise NotImplementedError(
                "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
                f"r.shape={r.shape} with nrows={rows} and ncols={columns}."
            )
        if rows >= columns:
            return (square_qr_gradient(q, r, g_q, g_r),)
        rest, g_rest = x[..., rows:], g_r[..., rows:]
        left = square_qr_gradient(
            q, r[..., :rows], g_q + matmul(rest, g_rest, adjoint_b=True), g_r[..., :rows]
        )
        return (concat([left, matmul(q, g_rest)], -1),)


def square_qr_gradient(q: TensorValue, r: TensorValue, g_q: Cotangent, g_r: Cotangent) -> Any:
    """The cotangent of a matrix with at least as many rows as columns."""
    from_q, from_r = matmul(q, g_q, adjoint_a=True), matmul(r, g_r, adjoint_b=True)
    skew = (from_q - adjoint(from_q)) + (from_r - adjoint(from_r))
    result = matmul(q, g_r + over_adjoint(band_part(skew, -1, 0), r))
    result += over_adjoint(g_q - matmul(q, from_q), r)
    if q.dtype.is_complex:
        diagonal = band_part(from_r - adjoint(from_q), 0, 0)
        imaginary = diagonal - cast(real(diagonal), q.dtype)
        result += over_adjoint(matmul(q, adjoint(imaginary)), r)
    return result


def over_adjoint(x: TensorValue, r: TensorValue) -> Any:
    """x @ inverse(adjoint(r)) of an upper triangular r."""
    return adjoint(triangular_solve(r, adjoint(x), lower=False))


def smaller(rows: int | None, columns: int | None) -> int | None:
    """The lesser of two dimensions, or None where one is unknown."""
    return None if rows is None or columns is None else min(rows, columns)


class Svd(MatrixOp):
    """The singular values s in descending order, and u and v of u @ diag(s) @ adjoint(v) = x."""

    type_name = "Svd"
    outputs = ("s: T", "u: T", "v: T")

    compute_uv: bool = True
    full_matrices: bool = False

    def shapes(self, x: TensorType) -> Shapes:
        batch, rows, columns = split_matrix(self.type_name, x)
        inner = smaller(rows, columns)
        if not self.compute_uv:
            return joined(batch, inner), (0,), (0,)
        u = joined(batch, rows, rows if self.full_matrices else inner)
        v = joined(batch, columns, columns if self.full_matrices else inner)
        return joined(batch, inner), u, v

    def by_machine_code(self, *matrices: Array) -> Any:
        return small_factors.singular(matrices[0], self.compute_uv)

    def kernel(self, x: Array) -> Any:
        finite: Any = np.isfinite(x).all((-2, -1), keepdims=True)
        if not finite.all():  # LAPACK refuses these
            parts = self.kernel(np.where(finite, x, 0))
            holes = (finite[..., 0], finite, finite)
            return tuple([np.where(f, p, np.nan) if p.size else p for p, f in zip(parts, holes)])
        if not self.compute_uv:
            empty = np.zeros(0, x.dtype)
            return np.linalg.svd(x, compute_uv=False).astype(x.dtype), empty, empty
        u, s, vh = np.linalg.svd(x, full_matrices=self.full_matrices)
        v = np.swapaxes(vh, -1, -2)
        return s.astype(x.dtype), u, np.conj(v) if v.dtype.kind == "c" else v

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        g_s, g_u, g_v = zeros_for_none(call, cotangents)
        x = call.inputs[0]
        if x.dtype.is_complex:
            g_s = cast(real(g_s), x.dtype)  # singular values are real in spite of their dtype
        if not self.compute_uv:
            _, u, v = apply(Svd.of(True, False), x)
            return (matmul(matmul(u, diag(g_s)), v, adjoint_b=True),)
        rows, columns = (x.type.dims or (None, None))[-2:]
        if self.full_matrices and (rows is None or rows != columns):
            raise NotImplementedError(
                "svd gradient is not implemented for full_matrices=True unless the matrix is "
                f"square, got m={rows} and n={columns}"
            )
        s, u, v = call.outputs
        return (svd_gradient(s, u, v, g_s, g_u, g_v),)


def svd_gradient(
    s: TensorValue,
    u: TensorValue,
    v: TensorValue,
    g_s: Cotangent,
    g_u: Cotangent,
    g_v: Cotangent,
) -> Any:
    """The cotangent of a matrix from those of its thin decomposition."""
    gaps = differences(s * s)
    from_u, from_v = matmul(u, g_u, adjoint_a=True), matmul(v, g_v, adjoint_a=True)
    row, column = s[..., None, :], s[..., :, None]
    middle = diag(g_s) + gaps * (from_u - adjoint(from_u)) * row
    middle += column * gaps * (from_v - adjoint(from_v))
    zero = equal(s, 0)
    inverse = select(zero, 0, reciprocal(select(zero, 1, s)))[..., None, :]
    if s.dtype.is_complex:
        twist = band_part(from_v, 0, 0)
        middle += 0.5 * inverse * (conj(twist) - twist)
    result = matmul(matmul(u, middle), v, adjoint_b=True)
    rest_u = (g_u - matmul(u, from_u)) * inverse
    rest_v = (g_v - matmul(v, from_v)) * inverse
    return result + matmul(rest_u, v, adjoint_b=True) + matmul(u, rest_v, adjoint_b=True)


class SelfAdjointEigV2(MatrixOp):
    """The eigenvalues in ascending order and eigenvectors; only the lower triangle is read."""

    type_name = "SelfAdjointEigV2"
    outputs = ("e: T", "v: T")

    failure = "Self-adjoint eigen decomposition was not successful. The input might not be valid."

    compute_v: bool = True

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return joined(batch, size), joined(batch, size, size) if self.compute_v else (0,)

    def by_machine_code(self, *matrices: Array) -> Any:
        return small_factors.self_adjoint(matrices[0], self.compute_v)

    def kernel(self, x: Array) -> Any:
        check_numbers(np.tril(x))
        if not self.compute_v:
            return np.linalg.eigvalsh(x).astype(x.dtype), np.zeros(0, x.dtype)
        values, vectors = small_factors.self_adjoint_by_lapack(x)
        return values.astype(x.dtype), vectors

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        g_e, g_v = zeros_for_none(call, cotangents)
        if self.compute_v:
            e, v = call.outputs
            middle = diag(g_e) + differences(e) * matmul(v, g_v, adjoint_a=True)
        else:
            _, v = apply(SelfAdjointEigV2.of(True), call.inputs[0])
            middle = diag(g_e)
        full = matmul(v, matmul(middle, v, adjoint_b=True))
        return (with_half_diagonal(full + adjoint(full)),)


class Eig(MatrixOp):
    """The eigenvalues and right eigenvectors of any square matrix, complex."""

    type_name = "Eig"
    outputs = ("e: Tout", "v: Tout")
    dtypes = {"T": LAPACK - {dt.float16}}

    compute_v: bool = True
    Tout: DType = dt.complex64

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return joined(batch, size), joined(batch, size, size) if self.compute_v else (0,)

    def kernel(self, x: Array) -> Any:
        dtype = self.Tout.numpy_dtype
        if not self.compute_v:
            return np.linalg.eigvals(x).astype(dtype), np.zeros(0, dtype)
        values, vectors = np.linalg.eig(x)
        return values.astype(dtype), vectors.astype(dtype)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        g_e, g_v = zeros_for_none(call, cotangents)
        x = call.inputs[0]
        if self.compute_v:
            e, v = call.outputs
            product = matmul(v, g_v, adjoint_a=True)
            norms = diag(cast(real(diag_part(product)), e.dtype))
            change = product - matmul(matmul(v, v, adjoint_a=True), norms)
            middle = diag(g_e) + conj(differences(e)) * change
        else:
            _, v = apply(Eig.of(True, self.Tout), x)
            middle = diag(g_e)
        vh = adjoint(v)
        full = solve(vh, matmul(middle, vh))
        return (full if x.dtype.is_complex else cast(real(full), x.dtype),)


class Lu(MatrixOp):
    """L below and U above the diagonal of one matrix, and p: (L + I) @ U = x[p]."""

    type_name = "Lu"
    outputs = ("lu: T", "p: output_idx_type")
    dtypes = MatrixOp.dtypes | {"output_idx_type": dt.INDEX}
    failure = "Input is not invertible."
    ruled = True

    output_idx_type: DType = dt.int32

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return joined(batch, size, size), joined(batch, size)

    def by_machine_code(self, *matrices: Array) -> Any:
        factors = small_factors.triangular(matrices[0])
        return factors and (factors[0], factors[1].astype(self.output_idx_type.numpy_dtype))

    def kernel(self, x: Array) -> Any:
        packed, order = self.factors(x)
        diagonals = np.diagonal(packed, axis1=-2, axis2=-1)
        if (diagonals == 0).any() or np.isnan(diagonals[..., :1]).any():
            raise np.linalg.LinAlgError
        return packed, order.astype(self.output_idx_type.numpy_dtype)

    def factors(self, x: Array) -> tuple[Array, Array]:
        """The packed factors and the order of rows of any matrices."""
        *lead, size, _ = x.shape
        # LAPACK's pivot is the complex number with the greatest |real| + |imaginary|.
        few = x.dtype.kind == "c" and size <= small_matrices.SMALL
        if not x.size or few or small_matrices.side_by_side(math.prod(lead), size):
            return small_matrices.lu(x)
        getrf, laswp = lapack("getrf", x.dtype), lapack("laswp", x.dtype)
        packed, order = np.empty_like(x), np.empty(x.shape[:-1], np.int64)
        rows = np.arange(size, dtype=x.dtype)[:, None]
        finite: Any = np.isfinite(x).all((-2, -1))
        for i in np.ndindex(*lead):
            if finite[i]:
                packed[i], exchanges, _ = getrf(x[i])
                order[i] = laswp(rows, exchanges)[:, 0].real
        if not finite.all():
            packed[~finite], order[~finite] = small_matrices.lu(x[~finite])
        return packed, order

    def gradient(self, call: Call, g: Cotangent, _: Cotangent) -> Sequence[Any]:
        packed, p = call.outputs
        lower, upper = unit_lower(packed), band_part(packed, 0, -1)
        from_lower = matmul(lower, strictly_lower(g), adjoint_a=True)
        from_upper = matmul(band_part(g, 0, -1), upper, adjoint_b=True)
        middle = strictly_lower(from_lower) + band_part(from_upper, 0, -1)
        left = triangular_solve(lower, middle, lower=True, adjoint=True)
        full = over_adjoint(left, upper)
        return (matmul(permutation_rows(p, packed), full, adjoint_a=True),)


def strictly_lower(x: TensorValue) -> Any:
    """The triangle below the diagonal."""
    return band_part(x, -1, 0) - band_part(x, 0, 0)


# -- the public functions -------------------------------------------------------------------


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the lower triangular L of `L @ adjoint(L) = input` for each matrix.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n]:
            self-adjoint positive definite matrices, whose lower triangle is read. Another matrix
            gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[2., 0.],
           [1., 1.]], dtype=float32)>
    """
    return apply(Cholesky.of(), convert(input), name=name)


class QrResult(NamedTuple):
    """The result of `qr`."""

    q: Tensor
    r: Tensor


QrResult.__name__ = QrResult.__qualname__ = "Qr"


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> QrResult:
    """Computes the QR decomposition of each matrix: `q @ r = input`.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., m, n].
        full_matrices: Whether `q` is square; else it has min(m, n) columns.
        name: A name for the op.

    Returns:
        A named tuple of `q`, matrices with orthonormal columns, and `r`, upper triangular
        matrices, both of the dtype of `input`.

    >>> import graphwright as tf
    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> tf.round(10 * q @ r)
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[30., 10.],
           [40., 20.]], dtype=float32)>
    """
    return QrResult(*apply(Qr.of(full_matrices), convert(input), name=name))


@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    *,
    compute_uv: Literal[False],
    name: str | None = None,
) -> Tensor: ...
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Computes the singular value decomposition of each matrix: `tensor = u @ diag(s) @
    adjoint(v)`.

    Args:
        tensor: A tensor of floats (not bfloat16) or complex numbers, of shape [..., m, n].
        full_matrices: Whether `u` and `v` are square; else they have min(m, n) columns.
        compute_uv: Whether to compute `u` and `v`.
        name: A name for the op.

    Returns:
        The tuple (s, u, v), or `s` alone without `compute_uv`. The singular values `s` have shape
        [..., min(m, n)], the float dtype of the matrices' real parts, and descend.

    >>> import graphwright as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([4., 3.], dtype=float32)>
    """
    x = convert(tensor)
    s, u, v = apply(Svd.of(compute_uv, full_matrices), x, name=name)
    s = real(s) if x.dtype.is_complex else s
    return (s, u, v) if compute_uv else s


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        tensor: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n], of
            which the lower triangle is read.
        name: A name for the op.

    Returns:
        The eigenvalues of shape [..., n], in ascending order, and the eigenvectors as columns of
        shape [..., n, n], both of the dtype of `tensor`.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> values, vectors = tf.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> [round(float(e), 4) for e in values]
    [1.0, 3.0]
    """
    e, v = apply(SelfAdjointEigV2.of(True), convert(tensor), name=name)
    return e, v


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Computes the eigenvalues of self-adjoint matrices.

    Args:
        tensor: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n], of
            which the lower triangle is read.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `tensor`, of shape [..., n], in ascending order.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> [round(float(e), 4) for e in tf.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]])]
    [1.0, 3.0]
    """
    return apply(SelfAdjointEigV2.of(False), convert(tensor), name=name)[0]


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the eigenvalues and right eigenvectors of square matrices.

    Args:
        tensor: A tensor of float32, float64 or complex numbers, of shape [..., n, n].
        name: A name for the op.

    Returns:
        The eigenvalues of shape [..., n] and the eigenvectors as columns of shape [..., n, n].
        Both are complex64, or complex128 for float64 and complex128.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> values
    <tf.Tensor: shape=(2,), dtype=complex64, numpy=array([2.+0.j, 1.+0.j], dtype=complex64)>
    """
    x = convert(tensor)
    e, v = apply(Eig.of(True, complex_dtype(x)), x, name=name)
    return e, v


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Computes the eigenvalues of square matrices.

    Args:
        tensor: A tensor of float32, float64 or complex numbers, of shape [..., n, n].
        name: A name for the op.

    Returns:
        A tensor of shape [..., n], of complex64, or of complex128 for float64 and complex128.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]])
    <tf.Tensor: shape=(2,), dtype=complex64, numpy=array([2.+0.j, 1.+0.j], dtype=complex64)>
    """
    x = convert(tensor)
    return apply(Eig.of(False, complex_dtype(x)), x, name=name)[0]


def complex_dtype(x: TensorValue) -> DType:
    """The complex dtype of the same precision."""
    return dt.complex128 if x.dtype in (dt.float64, dt.complex128) else dt.complex64


class LuResult(NamedTuple):
    """The result of `lu`."""

    lu: Tensor
    p: Tensor


LuResult.__name__ = LuResult.__qualname__ = "Lu"


def lu(
    input: TensorLike, output_idx_type: DTypeLike = dt.int32, name: str | None = None
) -> LuResult:
    """Computes the LU decomposition of each matrix with row exchanges: `(L + I) @ U = input[p]`.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        output_idx_type: The dtype of `p`: int32 or int64.
        name: A name for the op.

    Returns:
        A named tuple of `lu` and `p`. `lu` has the shape and dtype of `input` and holds the
        strictly lower triangular L and the upper triangular U. `p`, of shape [..., n], is the new
        order of the rows.

    Raises:
        InvalidArgumentError: A matrix is singular, or not square (which is a ValueError when
            traced).

    >>> import graphwright as tf
    >>> lu, p = tf.linalg.lu([[0.0, 2.0], [4.0, 1.0]])
    >>> lu.numpy().tolist(), p.numpy().tolist()
    ([[4.0, 1.0], [0.0, 2.0]], [1, 0])
    """
    op = Lu.of(Lu.dtype_for("output_idx_type", output_idx_type))
    return LuResult(*apply(op, convert(input), name=name))


def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solves `matrix @ x = rhs` with the LU decomposition of the matrix.

    Args:
        lower_upper: The `lu` of `tf.linalg.lu`, of shape [..., n, n].
        perm: The `p` of `tf.linalg.lu`, of shape [..., n].
        rhs: A tensor of the dtype of `lower_upper`, of shape [..., n, k].
        validate_args: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of the shape and dtype of `rhs`.

    >>> import graphwright as tf
    >>> tf.linalg.lu_solve(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]]), [[2.0], [8.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[1.],
           [2.]], dtype=float32)>
    """
    packed = convert(lower_upper)
    permuted = matmul(permutation_rows(perm, packed), convert(rhs, packed.dtype))
    half = triangular_solve(unit_lower(packed), permuted)
    return triangular_solve(packed, half, lower=False)


def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes the matrix of an LU decomposition.

    Args:
        lower_upper: The `lu` of `tf.linalg.lu`, of shape [..., n, n].
        perm: The `p` of `tf.linalg.lu`, of shape [..., n].
        validate_args: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of the shape and dtype of `lower_upper`.

    >>> import graphwright as tf
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[0.0, 2.0], [4.0, 1.0]]))
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[0., 2.],
           [4., 1.]], dtype=float32)>
    """
    packed = convert(lower_upper)
    product = matmul(unit_lower(packed), band_part(packed, 0, -1))
    return matmul(permutation_rows(perm, packed), product, transpose_a=True)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes the inverse of a matrix from its LU decomposition.

    Args:
        lower_upper: The `lu` of `tf.linalg.lu`, of shape [..., n, n].
        perm: The `p` of `tf.linalg.lu`, of shape [..., n].
        validate_args: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of the shape and dtype of `lower_upper`.

    >>> import graphwright as tf
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]]))
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[0.  , 0.25],
           [0.5 , 0.  ]], dtype=float32)>
    """
    packed = convert(lower_upper)
    return lu_solve(packed, perm, identity_like(packed))


def unit_lower(packed: TensorValue) -> Any:
    """The lower factor of a packed decomposition, with ones on its diagonal."""
    return band_part(packed, -1, 0) - band_part(packed, 0, 0) + identity_like(packed)


def permutation_rows(perm: TensorLike, packed: TensorValue) -> Any:
    """The matrices that bring rows into the order `perm`."""
    return one_hot(perm, axis_size(packed, -1), dtype=packed.dtype)
