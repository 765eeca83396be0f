"""Norms of vectors and matrices, and what follows from singular values."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import inverse_permutation, squeeze, transpose
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg.contraction import matmul, other_axes, placed
from graphwright.ops.linalg.decomposition import cholesky, svd
from graphwright.ops.linalg.linear_systems import triangular_solve
from graphwright.ops.linalg.matrices import diag_part
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import select
from graphwright.ops.math.complex_parts import real
from graphwright.ops.math.reduction import reduce_max, reduce_sum
from graphwright.ops.math.transcendental import abs, log, pow, sqrt
from graphwright.types import dtypes as dt

EUCLIDEAN = ("fro", "euclidean", 2, 2.0)


def check_norm(order: Any, axis: Any) -> None:
    """What `norm` refuses."""
    if isinstance(axis, (list, tuple)):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        supported = ["euclidean", "fro", 1, 2, np.inf]
        if order not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {order}")
    elif order not in ("euclidean", 1, 2, np.inf) and not (np.isreal(order) and order > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {order}")


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Any:
    """The norm of vectors along one `axis` (of all elements without), of matrices along two.

    `ord` is "euclidean", 1, 2, inf or any positive number; of matrices "euclidean", "fro", 1, 2
    or inf. ValueError for another order or axis.

    >>> import graphwright as tf
    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    if isinstance(ord, str) and not isinstance(axis, (list, tuple)) and ord != "euclidean":
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    check_norm(ord, axis)
    x = convert(tensor)
    matrix = isinstance(axis, (list, tuple))
    if matrix and ord in (2, 2.0):
        result = spectral_norm(x, axis)
    elif ord in EUCLIDEAN:
        result = sqrt(reduce_sum(x * conj(x), axis, keepdims=True))
    elif matrix:
        summed, greatest = axis if ord == 1 else (axis[1], axis[0])
        sums = reduce_sum(abs(x), summed, keepdims=True)
        result = reduce_max(sums, greatest, keepdims=True)
    elif ord == np.inf:
        result = reduce_max(abs(x), axis, keepdims=True)
    elif ord == 1:
        result = reduce_sum(abs(x), axis, keepdims=True)
    else:
        result = pow(reduce_sum(pow(abs(x), ord), axis, keepdims=True), 1.0 / ord)
    return result if keepdims else squeeze(result, axis)


def spectral_norm(x: Any, axis: Any) -> Any:
    """The greatest singular value of the matrices along two axes, which stay."""
    if tuple(axis) == (-2, -1):
        return reduce_max(svd(x, compute_uv=False), -1, keepdims=True)[..., None]
    order = with_last(x, axis)
    values = svd(transpose(x, order), compute_uv=False)
    greatest = reduce_max(values, -1, keepdims=True)[..., None]
    return transpose(greatest, inverse_permutation(order))


def with_last(x: Any, axes: Any) -> Any:
    """The permutation of the axes of `x` that brings two of them behind the others."""
    count = x.type.rank
    if count is not None:
        pair = [a % count for a in axes]
        return tuple([i for i in builtins.range(count) if i not in pair] + pair)
    pair = stack(placed(x, axes))
    return concat([other_axes(x, pair), pair], 0)


def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The tensor divided by its norm along `axis`, and the norm."""
    x = convert(tensor)
    length = cast(norm(x, ord, axis, keepdims=True), x.dtype)
    return x / length, length


def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the main diagonal of the innermost matrices."""
    return reduce_sum(diag_part(convert(x)), [-1], name=name)


def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinant of positive definite matrices."""
    diagonal = real(diag_part(cholesky(matrix)))
    return 2.0 * reduce_sum(log(diagonal), [-1])


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """The x of chol @ adjoint(chol) @ x = rhs."""
    y = triangular_solve(chol, rhs, adjoint=False, lower=True)
    return triangular_solve(chol, y, adjoint=True, lower=True)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The pseudo-inverse of matrices; singular values below rcond times the greatest count as 0."""
    a = convert(a)
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if rcond is None:
        rcond = largest_side(a) * (10.0 * float(np.finfo(a.dtype.numpy_dtype).eps))
    s, u, v = svd(a, full_matrices=False)
    cutoff = convert(rcond, s.dtype) * reduce_max(s, -1)
    kept = s > cutoff[..., None]
    inverse = select(kept, 1.0 / select(kept, s, 1), 0)
    return matmul(v * cast(inverse, v.dtype)[..., None, :], u, adjoint_b=True)


def largest_side(a: Any) -> Any:
    """The greater of rows and columns, as a number or a scalar of the matrix's dtype."""
    rows, columns = (a.type.dims or (None, None))[-2:]
    if rows is not None and columns is not None:
        return float(max(rows, columns))
    return cast(reduce_max(shape(a)[-2:]), a.dtype)


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """How many singular values are above `tol`, as int32."""
    a = convert(a, None, dt.float32)
    s = svd(a, compute_uv=False)
    if tol is None:
        eps = float(np.finfo(a.dtype.numpy_dtype).eps)
        tol = largest_side(a) * eps * reduce_max(s, -1, keepdims=True)
    return reduce_sum(cast(s > tol, dt.int32), -1)
