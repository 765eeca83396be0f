"""Norms of vectors and matrices, and what follows from singular values."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import inverse_permutation, reshape, squeeze, transpose
from graphwright.ops.core.shapes import shape
from graphwright.ops.core.static import check_whole
from graphwright.ops.linalg.contraction import matmul, other_axes, placed
from graphwright.ops.linalg.decomposition import cholesky, svd
from graphwright.ops.linalg.linear_systems import triangular_solve
from graphwright.ops.linalg.matrices import diag_part
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import select
from graphwright.ops.math.complex_parts import real
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_max, reduce_sum
from graphwright.ops.math.transcendental import log, pow, sqrt
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue

#: The order of a norm: a name or a number.
Order: TypeAlias = str | float
#: The axis of vectors, the two of matrices, or None for all.
NormAxes: TypeAlias = int | Sequence[int] | None


def check_norm(order: Order, axis: NormAxes) -> None:
    """ValueError for an order or axes that `norm` does not take."""
    check_whole(axis, "axis", error=ValueError)
    if isinstance(axis, (list, tuple)):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        supported = ["euclidean", "fro", 1, 2, np.inf]
        if order not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {order}")
    elif order != "euclidean" and (isinstance(order, str) or not (np.isreal(order) and order > 0)):
        raise ValueError(f"'ord' must be a supported vector norm, got {order}")


def norm(
    tensor: TensorLike,
    ord: Order = "euclidean",
    axis: NormAxes = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the norm of vectors along one axis, or of matrices along two.

    Args:
        tensor: A tensor of floats or complex numbers, of any shape.
        ord: The order. Of vectors: "euclidean", 1, 2, `np.inf` or any positive number; of
            matrices: "euclidean" or "fro" (Frobenius), 1 (the greatest sum of a column), 2 (the
            greatest singular value) or `np.inf` (the greatest sum of a row).
        axis: The axis of vectors as an int, or the two of matrices as a list. None means one
            vector of all elements.
        keepdims: Whether the reduced axes stay, with size 1. None means False.
        name: A name, which has no effect.

    Returns:
        A tensor of the shape of `tensor` without the reduced axes. Euclidean and Frobenius norms
        have the dtype of `tensor`, other norms of complex numbers the float dtype of their parts.

    Raises:
        ValueError: There is no such order or axis.

    >>> import graphwright as tf
    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    check_norm(ord, axis)
    x = convert(tensor)
    pair = axis if isinstance(axis, (list, tuple)) else ()
    if pair and ord == 2:
        result = spectral_norm(x, pair)
    elif isinstance(ord, str) or ord == 2:
        result = sqrt(reduce_sum(x * conj(x), axis, keepdims=True))
    elif pair:
        summed, greatest = pair if ord == 1 else (pair[1], pair[0])
        sums = reduce_sum(abs(x), summed, keepdims=True)
        result = reduce_max(sums, greatest, keepdims=True)
    elif ord == np.inf:
        result = reduce_max(abs(x), axis, keepdims=True)
    elif ord == 1:
        result = reduce_sum(abs(x), axis, keepdims=True)
    else:
        result = pow(reduce_sum(pow(abs(x), ord), axis, keepdims=True), 1.0 / ord)
    if keepdims:
        return result
    if axis is None:  # one number, whatever the rank
        return reshape(result, [])
    return squeeze(result, axis)


def spectral_norm(x: TensorValue, axis: Sequence[int]) -> Any:
    """The greatest singular value of the matrices along two axes, which stay."""
    if tuple(axis) == (-2, -1):
        return reduce_max(svd(x, compute_uv=False), -1, keepdims=True)[..., None]
    order = with_last(x, axis)
    values = svd(transpose(x, order), compute_uv=False)
    greatest = reduce_max(values, -1, keepdims=True)[..., None]
    return transpose(greatest, inverse_permutation(order))


def with_last(x: TensorValue, axes: Sequence[int]) -> Any:
    """The permutation of the axes of `x` that puts two of them behind the others."""
    count = x.type.rank
    if count is not None:
        last = [a % count for a in axes]
        return tuple([i for i in builtins.range(count) if i not in last] + last)
    pair = stack(placed(x, axes))
    return concat([other_axes(x, pair), pair], 0)


def normalize(
    tensor: TensorLike,
    ord: Order = "euclidean",
    axis: NormAxes = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Divides a tensor by its norm along `axis`.

    Args:
        tensor: A tensor of floats or complex numbers, of any shape.
        ord: The order of the norm, as in `tf.norm`.
        axis: The axis of vectors as an int, or the two of matrices as a list. None means one
            vector of all elements.
        name: A name, which has no effect.

    Returns:
        The quotient, of the shape and dtype of `tensor`, and the norm, of its dtype, with size 1
        along the reduced axes.

    Raises:
        ValueError: There is no such order or axis.

    >>> import graphwright as tf
    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    x = convert(tensor)
    length = cast(norm(x, ord, axis, keepdims=True), x.dtype)
    return x / length, length


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Adds up the main diagonal of matrices.

    Args:
        x: A tensor of numbers, of shape [..., m, n].
        name: A name for the op.

    Returns:
        A tensor of the dtype of `x`, of shape [...].

    >>> import graphwright as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]])
    <tf.Tensor: shape=(), dtype=int32, numpy=5>
    """
    return reduce_sum(diag_part(convert(x)), [-1], name=name)


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the determinant of self-adjoint positive definite matrices.

    Args:
        matrix: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n]. A
            matrix that is not positive definite gives NaN.
        name: A name, which has no effect.

    Returns:
        A tensor of shape [...]; complex numbers give the float dtype of their parts, floats their
        own dtype.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    >>> import graphwright as tf
    >>> round(float(tf.linalg.logdet([[2.0, 0.0], [0.0, 4.0]])), 4)
    2.0794
    """
    diagonal = real(diag_part(cholesky(matrix)))
    return 2.0 * reduce_sum(log(diagonal), [-1])


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solves `chol @ adjoint(chol) @ x = rhs` for the results of `tf.linalg.cholesky`.

    Args:
        chol: A tensor of floats or complex numbers, of shape [..., n, n]: lower triangular
            matrices.
        rhs: A tensor of the dtype of `chol`, of shape [..., n, k].
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `chol`, of shape [..., n, k].

    >>> import graphwright as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [1.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[1.],
           [1.]], dtype=float32)>
    """
    y = triangular_solve(chol, rhs, adjoint=False, lower=True)
    return triangular_solve(chol, y, adjoint=True, lower=True)


def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Computes the Moore-Penrose pseudo-inverse of matrices.

    Args:
        a: A tensor of floats (not bfloat16), of shape [..., m, n].
        rcond: Singular values up to `rcond` times the greatest count as 0: a number, or one for
            each matrix. None means 10 times the greater of m and n times the spacing of floats at
            1.
        validate_args: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of the dtype of `a`, of shape [..., n, m].

    Raises:
        TypeError: `a` is not a tensor of floats.

    >>> import graphwright as tf
    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)>
    """
    a = convert(a)
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if rcond is None:
        rcond = largest_side(a) * (10.0 * float(np.finfo(a.dtype.numpy_dtype).eps))
    s, u, v = svd(a, full_matrices=False)
    cutoff = convert(rcond, s.dtype) * reduce_max(s, -1)
    counts = s > cutoff[..., None]
    inverse = select(counts, 1.0 / select(counts, s, 1), 0)
    return matmul(v * cast(inverse, v.dtype)[..., None, :], u, adjoint_b=True)


def largest_side(a: TensorValue) -> Any:
    """The greater of rows and columns, as a number or a scalar of the matrix's dtype."""
    rows, columns = (a.type.dims or (None, None))[-2:]
    if rows is not None and columns is not None:
        return float(max(rows, columns))
    return cast(reduce_max(shape(a)[-2:]), a.dtype)


def matrix_rank(
    a: TensorLike,
    tol: TensorLike | None = None,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Counts the singular values of each matrix that are above a tolerance.

    Args:
        a: A tensor of floats (not bfloat16) or complex numbers, of shape [..., m, n].
        tol: The tolerance, which broadcasts with the singular values. None means the greater of m
            and n, times the spacing of floats at 1, times the greatest singular value.
        validate_args: Has no effect.
        name: A name, which has no effect.

    Returns:
        A tensor of int32, of shape [...].

    >>> import graphwright as tf
    >>> tf.linalg.matrix_rank([[2.0, 0.0], [0.0, 0.0]])
    <tf.Tensor: shape=(), dtype=int32, numpy=1>
    """
    a = convert(a, None, dt.float32)
    s = svd(a, compute_uv=False)
    if tol is None:
        eps = float(np.finfo(a.dtype.numpy_dtype).eps)
        tol = largest_side(a) * eps * reduce_max(s, -1, keepdims=True)
    return reduce_sum(cast(s > tol, dt.int32), -1)
