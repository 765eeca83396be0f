"""Products, systems and eigenvalues of tridiagonal matrices, and cross products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import FailedPreconditionError
from graphwright.op.batching import last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.gathering import axis_sizes
from graphwright.ops.core.indexing import boolean_mask
from graphwright.ops.core.joining import concat, stack
from graphwright.ops.core.movement import expand_dims, squeeze
from graphwright.ops.linalg import banded_kernels
from graphwright.ops.linalg.decomposition import eigh
from graphwright.ops.linalg.linear_systems import MatrixOp, matrix_transpose, split_matrix
from graphwright.ops.linalg.matrices import diag, diag_part
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.math.complex_parts import real
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType, is_compatible, merge_dims, show_dims

SOLVABLE = frozenset({dt.float32, dt.float64, dt.complex64, dt.complex128})


class Cross(Op):
    """The cross products of vectors of three elements."""

    type_name = "Cross"
    inputs = ("a: T", "b: T")
    outputs = ("product: T",)
    dtypes = {"T": dt.REAL}
    batched = last_axes

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        for x in (a, b):
            if x.rank == 0 or (x.dims and x.dims[-1] not in (3, None)):
                raise ValueError(
                    "Cross-products are only defined for 3-element vectors, got "
                    f"{show_dims(a.dims)} and {show_dims(b.dims)}"
                )
        if None not in (a.dims, b.dims) and a.rank != b.rank:
            raise ValueError(
                f"Both inputs of Cross must have one shape: {show_dims(a.dims)} vs. "
                f"{show_dims(b.dims)}"
            )
        return (merge_dims(a.dims, b.dims),)

    def kernel(self, a: Array, b: Array) -> Any:
        if a.shape != b.shape:
            raise ValueError(f"Both inputs of Cross must have one shape: {a.shape} vs. {b.shape}")
        if a.shape[-1:] != (3,):
            raise FailedPreconditionError(
                None, None, f"Cross-products are only defined for 3-element vectors: {a.shape}"
            )
        return np.cross(a, b).astype(a.dtype, copy=False)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        a, b = call.inputs
        return cross(b, g), cross(g, a)

    def expand(self, a: GraphTensor, b: GraphTensor) -> Any:
        """The differences of the products of the other two elements."""
        if a.shape[-1] != 3 or b.shape[-1] != 3:
            return None
        (u, v, w), (x, y, z) = [[t[..., i : i + 1] for i in range(3)] for t in (a, b)]
        return concat([v * z - w * y, w * x - u * z, u * y - v * x], -1)


def check_rows(op: str, name: str, diagonals: TensorType, count: int, rhs: TensorType) -> None:
    """ValueError unless diagonals [..., count, n] fit `rhs` [..., n, k]."""
    lead, _, size = split_matrix(op, diagonals)
    batch, rows, _ = split_matrix(op, rhs)
    if lead is not None and batch is not None and len(lead) != len(batch):
        raise ValueError(
            f"All input tensors of {op} must have the same rank: {name} {show_dims(diagonals.dims)}"
            f" for rhs {show_dims(rhs.dims)}"
        )
    expected = None if batch is None else (*batch, count, size if rows is None else rows)
    if not is_compatible(diagonals.dims, expected):
        raise ValueError(
            f"{name} of {op} must have shape {show_dims(expected)} for rhs of shape "
            f"{show_dims(rhs.dims)}, got {show_dims(diagonals.dims)}"
        )


class TridiagonalMatMul(Op):
    """The product of tridiagonal matrices, which are three diagonals each, and matrices."""

    type_name = "TridiagonalMatMul"
    inputs = ("superdiag: T", "maindiag: T", "subdiag: T", "rhs: T")
    outputs = ("output: T",)
    dtypes = {"T": SOLVABLE}
    ruled = True
    batched = last_axes

    def shapes(
        self, above: TensorType, main: TensorType, below: TensorType, rhs: TensorType
    ) -> Shapes:
        for name, diagonal in (("superdiag", above), ("maindiag", main), ("subdiag", below)):
            check_rows(self.type_name, name, diagonal, 1, rhs)
        return (rhs.dims,)

    def kernel(self, above: Array, main: Array, below: Array, rhs: Array) -> Any:
        above, main, below = (np.swapaxes(d, -1, -2) for d in (above, main, below))
        result = main * rhs
        result[..., :-1, :] += above[..., :-1, :] * rhs[..., 1:, :]
        result[..., 1:, :] += below[..., 1:, :] * rhs[..., :-1, :]
        return result

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        above, main, below, rhs = (conj(x) for x in call.inputs)
        up, down = moved(rhs, -1), moved(rhs, 1)
        # The transpose has the diagonals the other way round.
        to_rhs = apply(self, moved_row(below, -1), main, moved_row(above, 1), g)
        rows = [reduce_sum(g * x, -1)[..., None, :] for x in (up, rhs, down)]
        return *rows, to_rhs


def moved(x: TensorValue, by: int) -> Any:
    """The rows moved down by one, or up; zeros fill the gap."""
    zero = x[..., :1, :] * 0
    if by > 0:
        return concat([zero, x[..., :-1, :]], -2)
    return concat([x[..., 1:, :], zero], -2)


def moved_row(x: TensorValue, by: int) -> Any:
    """The columns moved right by one, or left; zeros fill the gap."""
    zero = x[..., :1] * 0
    return concat([zero, x[..., :-1]], -1) if by > 0 else concat([x[..., 1:], zero], -1)


class TridiagonalSolve(MatrixOp):
    """The solutions of systems of tridiagonal matrices [..., 3, n]: above, main and below.

    Those of a singular matrix are NaN.
    """

    type_name = "TridiagonalSolve"
    inputs = ("diagonals: T", "rhs: T")
    dtypes = {"T": SOLVABLE}
    ruled = True

    partial_pivoting: bool = True
    perturb_singular: bool = False

    def shapes(self, diagonals: TensorType, rhs: TensorType) -> Shapes:
        check_rows(self.type_name, "diagonals", diagonals, 3, rhs)
        return (rhs.dims,)

    def kernel(self, diagonals: Array, rhs: Array) -> Any:
        return banded_kernels.tridiagonal(diagonals, rhs)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        diagonals, x = conj(call.inputs[0]), conj(call.outputs[0])
        above, main, below = (diagonals[..., i, :] for i in range(3))
        flipped = stack([moved_row(below, -1), main, moved_row(above, 1)], -2)
        to_rhs = apply(self, flipped, g)
        rows = [reduce_sum(-to_rhs * other, -1) for other in (moved(x, -1), x, moved(x, 1))]
        return stack(rows, -2), to_rhs


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Computes the cross product of each pair of vectors.

    Args:
        a: A tensor of integers or floats, of shape [..., 3].
        b: A tensor of the shape and dtype of `a`.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `a`.

    Raises:
        InvalidArgumentError: The vectors do not have three elements (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 0, 1], dtype=int32)>
    """
    return apply(Cross.of(), *convert_pair(a, b), name=name)


def compact(diagonals: TensorLike, diagonals_format: str) -> Any:
    """The diagonals as [..., 3, n]: above, main and below; ValueError for another format."""
    if diagonals_format == "compact":
        return convert(diagonals)
    if diagonals_format == "sequence":
        if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (expand_dims(d, -2) for d in diagonals)
        size = axis_sizes(main)[-1]
        above = above if axis_sizes(above)[-1] == size else padded_row(above, 0, 1)
        below = below if axis_sizes(below)[-1] == size else padded_row(below, 1, 0)
        return concat([above, main, below], -2)
    if diagonals_format == "matrix":
        return diag_part(convert(diagonals), k=(-1, 1), align="LEFT_RIGHT")
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


def padded_row(x: TensorValue, before: int, after: int) -> Any:
    """A diagonal that is one too short, with a zero before or after it."""
    zero = x[..., :1] * 0
    return concat([zero] * before + [x] + [zero] * after, -1)


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves `matrix @ x = rhs` for tridiagonal matrices; a singular matrix gives NaN.

    Args:
        diagonals: The matrices, of float32, float64 or complex numbers, as `diagonals_format`
            says.
        rhs: A tensor of the dtype of `diagonals`, of shape [..., n] or [..., n, k].
        diagonals_format: "compact": a tensor of shape [..., 3, n] of the diagonals above, on and
            below the main one, whose elements have the places of their rows. "sequence": a list of
            these three diagonals. "matrix": the matrices themselves.
        transpose_rhs: Whether to transpose `rhs` first, unless it is one vector for each matrix.
        conjugate_rhs: Whether to conjugate `rhs` first.
        name: A name for the op.
        partial_pivoting: Has no effect: the solver always pivots.
        perturb_singular: Has no effect.

    Returns:
        A tensor of the dtype of `diagonals` and the shape of `rhs`, as it is after
        `transpose_rhs`.

    Raises:
        ValueError: There is no such format, or the sequence does not have three entries.

    >>> import graphwright as tf
    >>> diagonals = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
    >>> tf.linalg.tridiagonal_solve(diagonals, [3.0, 4.0, 3.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 1., 1.], dtype=float32)>
    """
    bands = compact(diagonals, diagonals_format)
    side: TensorValue = convert(rhs, bands.dtype)
    vector = side.type.rank == (bands.type.rank or 0) - 1
    if conjugate_rhs:
        side = conj(side)
    if vector:
        side = side[..., None]
    elif transpose_rhs:
        side = matrix_transpose(side)
    op = TridiagonalSolve.of(partial_pivoting, perturb_singular)
    x = apply(op, bands, side, name=name)
    return squeeze(x, [-1]) if vector else x


def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """Multiplies tridiagonal matrices by matrices.

    Args:
        diagonals: The matrices, of float32, float64 or complex numbers, as in
            `tf.linalg.tridiagonal_solve`.
        rhs: A tensor of the dtype of `diagonals`, of shape [..., n, k].
        diagonals_format: "compact", "sequence" or "matrix".
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `rhs`.

    Raises:
        ValueError: There is no such format, or the sequence does not have three entries.

    >>> import graphwright as tf
    >>> tf.linalg.tridiagonal_matmul([[1, 1, 0], [2, 2, 2], [0, 1, 1.0]], [[1.0], [1.0], [1.0]])
    <tf.Tensor: shape=(3, 1), dtype=float32, numpy=
    array([[3.],
           [4.],
           [3.]], dtype=float32)>
    """
    bands = compact(diagonals, diagonals_format)
    rows = [bands[..., i : i + 1, :] for i in range(3)]
    return apply(TridiagonalMatMul.of(), *rows, convert(rhs, bands.dtype), name=name)


def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Sequence[float] | None = None,
    tol: object = None,
    name: str | None = None,
) -> Any:
    """Computes eigenvalues, and on demand eigenvectors, of a self-adjoint tridiagonal matrix.

    Args:
        alpha: A vector of floats (not bfloat16) or complex numbers, of n elements: the main
            diagonal.
        beta: A vector of the dtype of `alpha`, of n - 1 elements: the diagonal above it.
        eigvals_only: Whether to leave out the eigenvectors.
        select: "a" for all eigenvalues, "v" for those in the interval `select_range` without its
            start, "i" for those with numbers from its start to its end.
        select_range: Two numbers, or None with "a".
        tol: Has no effect: the values are as exact as the dtype.
        name: A name, which has no effect.

    Returns:
        The eigenvalues in ascending order, of the float dtype of the real parts; without
        `eigvals_only` also the eigenvectors as columns.

    Raises:
        ValueError: There is no such `select`, or it lacks its range.

    >>> import graphwright as tf
    >>> [round(float(e), 4) for e in tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0])]
    [1.0, 3.0]
    """
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select' must have a value in ('a', 'i', 'v'). Received: {select!r}")
    ends = () if select_range is None else select_range
    if select != "a" and len(ends) != 2:
        raise ValueError(f"'select_range' must have two entries. Received: {select_range}")
    above = convert(beta)
    main = convert(alpha, above.dtype)
    values, vectors = eigh(diag(main) + diag(above, k=1) + diag(conj(above), k=-1))
    values = real(values) if values.dtype.is_complex else values
    if select == "i":
        chosen = slice(int(ends[0]), int(ends[1]) + 1)
        values, vectors = values[chosen], vectors[:, chosen]
    elif select == "v":
        low, high = (convert(bound, values.dtype) for bound in ends)
        inside = logical_and(values > low, values <= high)
        values, vectors = boolean_mask(values, inside), boolean_mask(vectors, inside, axis=1)
    return values if eigvals_only else (values, vectors)
