"""Functions of square matrices: exponential, logarithm, square root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Shapes
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.joining import concat
from graphwright.ops.core.shapes import shape
from graphwright.ops.linalg import matrix_roots
from graphwright.ops.linalg.linear_systems import LAPACK, MatrixOp, adjoint, joined, split_square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType


class MatrixFunction(MatrixOp):
    """A function of square matrices that power series define."""

    ruled = True

    def shapes(self, x: TensorType) -> Shapes:
        batch, size = split_square(self.type_name, x)
        return (joined(batch, size, size),)

    def kernel(self, x: Array) -> Any:
        return self.of_matrices(x) if x.size else x

    def of_matrices(self, x: Array) -> Any:
        """The function of a batch of square matrices that is not empty."""
        raise NotImplementedError(f"{type(self).__name__} states no function of matrices")

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        # f([[a, e], [0, a]]) has the derivative of f at a in the direction e in its corner. The
        # adjoint of the derivative at a is the derivative at adjoint(a).
        a = adjoint(call.inputs[0])
        top = concat([a, g], -1)
        bottom = concat([zeros_like(a), a], -1)
        size: Any = (a.type.dims or (None,))[-1]
        size = shape(a)[-1] if size is None else size
        return (apply(self, concat([top, bottom], -2))[..., :size, size:],)


class MatrixExponential(MatrixFunction):
    """The sum of x^k / k!."""

    type_name = "MatrixExponential"

    def of_matrices(self, x: Array) -> Any:
        from scipy.linalg import expm as exponential  # here, for it takes long to import

        return exponential(x).astype(x.dtype, copy=False)


class MatrixLogarithm(MatrixFunction):
    """The principal logarithm of complex matrices."""

    type_name = "MatrixLogarithm"
    dtypes = {"T": dt.COMPLEX}

    def of_matrices(self, x: Array) -> Any:
        flat = x.reshape(-1, *x.shape[-2:])
        return matrix_roots.logarithm(flat).astype(x.dtype).reshape(x.shape)


class MatrixSquareRoot(MatrixFunction):
    """The principal square root."""

    type_name = "MatrixSquareRoot"
    dtypes = {"T": LAPACK}

    def of_matrices(self, x: Array) -> Any:
        flat = x.reshape(-1, *x.shape[-2:])
        return matrix_roots.square_root(flat).astype(x.dtype).reshape(x.shape)


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponential of square matrices, the sum of `x ** k / k!` over all k.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n].
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        ValueError: `input` is not a tensor of floats or complex numbers.

    Source:
        Al-Mohy and Higham, "A New Scaling and Squaring Algorithm for the Matrix Exponential"
        (2009), as SciPy has it.

    >>> import graphwright as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[1., 1.],
           [0., 1.]], dtype=float32)>
    """
    x = convert(input)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x.dtype}")
    return apply(MatrixExponential.of(), x, name=name)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the principal logarithm of square matrices.

    Args:
        input: A tensor of complex numbers, of shape [..., n, n]. A singular matrix gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    Source:
        Higham, "Functions of Matrices" (2008), chapter 11.

    >>> import graphwright as tf
    >>> tf.linalg.logm([[1 + 0j, 2], [0, 1]]).numpy().real.round(4).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    return apply(MatrixLogarithm.of(), convert(input), name=name)


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the principal square root of square matrices: the y of `y @ y = input`.

    Args:
        input: A tensor of floats (not bfloat16) or complex numbers, of shape [..., n, n]. A real
            matrix without a real root gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: The matrices are not square (ValueError when traced).

    Source:
        Bjoerck and Hammarling, "A Schur Method for the Square Root of a Matrix" (1983), as SciPy
        has it.

    >>> import graphwright as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[2., 0.],
           [0., 3.]], dtype=float32)>
    """
    return apply(MatrixSquareRoot.of(), convert(input), name=name)
