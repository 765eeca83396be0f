"""Circulant operators: a Fourier transform over one, two or three axes makes them diagonal."""

from __future__ import annotations

from typing import Any, ClassVar

from graphwright.control.assertions import assert_equal, assert_positive
from graphwright.library.linear_operators.diagonal_operators import arguments_of
from graphwright.library.linear_operators.linear_operator import LinearOperator
from graphwright.op.interpreter import convert
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.linalg.linear_systems import matrix_transpose
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.complex_parts import imag, real
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import (
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from graphwright.ops.math.transcendental import log
from graphwright.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.dtypes import as_dtype
from graphwright.types.shape import TensorShape


class Circulant(LinearOperator):
    """An operator whose eigenvalues, the spectrum, have `depth` axes."""

    depth: ClassVar[int] = 1
    forward: ClassVar[Any]  # functions of tensors
    backward: ClassVar[Any]

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dt.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        values = arguments_of(locals())
        self._spectrum = convert(spectrum)
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self.depth:
            raise ValueError(
                f"Argument spectrum must have at least {self.depth} dimensions.  Found: "
                f"{self._spectrum}"
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(as_dtype(input_output_dtype), None, *hints, name, values)

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, [..., N1, ...]."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of axes of the transform."""
        return self.depth

    @property
    def block_shape(self) -> TensorShape:
        """The static sizes of the axes of the transform."""
        return self._spectrum.shape[-self.depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes of the axes of the transform as a vector."""
        return shape_vector(self._spectrum)[-self.depth :]

    def _shape(self) -> TensorShape:
        dims = self._spectrum.shape
        if dims.rank is None:
            return TensorShape(None)
        size = self.block_shape.num_elements()
        return TensorShape([*dims[: -self.depth], size, size])

    def _shape_tensor(self) -> Any:
        size = reduce_prod(self.block_shape_tensor())
        batch = shape_vector(self._spectrum)[: -self.depth]
        return concat([batch, [size], [size]], 0)

    def _complex(self) -> Any:
        wide = self._spectrum.dtype in (dt.float64, dt.complex128)
        return cast(self._spectrum, dt.complex128 if wide else dt.complex64)

    def _filtered(self, x: TensorValue, spectrum: TensorValue) -> Any:
        """The columns of x, multiplied by the spectrum between the transform and its inverse."""
        rows = matrix_transpose(cast(x, spectrum.dtype))
        lead = shape_vector(rows)[:-1]
        blocks = reshape(rows, concat([lead, self.block_shape_tensor()], 0))
        batch = shape_vector(spectrum)[: -self.depth]
        spectrum = reshape(spectrum, concat([batch, [1], self.block_shape_tensor()], 0))
        blocks = type(self).backward(spectrum * type(self).forward(blocks))
        result = reshape(blocks, concat([shape_vector(blocks)[: -self.depth], [-1]], 0))
        return cast(matrix_transpose(result), self.dtype)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        spectrum = self._complex()
        return self._filtered(x, conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        spectrum = self._complex()
        return self._filtered(rhs, 1 / (conj(spectrum) if adjoint else spectrum))

    def _axes(self) -> list[int]:
        return list(range(-self.depth, 0))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Returns the first column of the matrix.

        Args:
            name: A name for the op.

        Returns:
            A tensor of the shape of the spectrum.
        """
        return cast(type(self).backward(self._complex()), self.dtype)

    def _diag_part(self) -> Any:
        mean = reduce_mean(cast(self._spectrum, self.dtype), self._axes())
        return mean[..., None] * ones([self.domain_dimension_tensor()], self.dtype)

    def _eigvals(self) -> Any:
        batch = shape_vector(self._spectrum)[: -self.depth]
        return reshape(self._spectrum, concat([batch, [-1]], 0))

    def _determinant(self) -> Any:
        return reduce_prod(cast(self._spectrum, self.dtype), self._axes())

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(abs(self._spectrum)), self._axes()), self.dtype)

    def _cond(self) -> Any:
        sizes = abs(self._spectrum)
        return reduce_max(sizes, self._axes()) / reduce_min(sizes, self._axes())

    def _adjoint(self) -> LinearOperator:
        return type(self)(conj(self._spectrum), self.dtype, *self._hints)

    def _inverse(self) -> LinearOperator:
        return type(self)(1 / self._spectrum, self.dtype, *self._hints)

    def _assert_non_singular(self) -> Any:
        return assert_positive(abs(self._spectrum), message="Singular operator")

    def _assert_positive_definite(self) -> Any:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> Any:
        # An operator with real eigenvalues is self-adjoint.
        parts = imag(self._spectrum)
        message = "Spectrum was not real: the operator is not self-adjoint."
        return assert_equal(parts, parts * 0, message=message)


class LinearOperatorCirculant(Circulant):
    """A circulant matrix of a spectrum: its product is a convolution with its first column.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        spectrum: A tensor [..., N]: the eigenvalues, which are the Fourier transform of the column.
        input_output_dtype: The dtype of the operands and results.

    Raises:
        ValueError: `spectrum` has too few axes, or a hint is wrong of it.

    >>> import graphwright as tf
    >>> column = tf.constant([1.0, 2.0, 3.0])
    >>> spectrum = tf.signal.fft(tf.cast(column, tf.complex64))
    >>> a = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
    >>> tf.round(a.to_dense()).numpy().tolist()
    [[1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]
    """

    depth, forward, backward = 1, staticmethod(fft), staticmethod(ifft)


class LinearOperatorCirculant2D(Circulant):
    """A block circulant matrix of circulant blocks, with a spectrum of two axes.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        spectrum: A tensor [..., N1, N2]: the eigenvalues.
        input_output_dtype: The dtype of the operands and results.

    Raises:
        ValueError: `spectrum` has too few axes, or a hint is wrong of it.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorCirculant2D(tf.ones([2, 3]), input_output_dtype=tf.float32)
    >>> a.shape, a.determinant().numpy()
    (TensorShape([6, 6]), np.float32(1.0))
    """

    depth, forward, backward = 2, staticmethod(fft2d), staticmethod(ifft2d)


class LinearOperatorCirculant3D(Circulant):
    """A nested block circulant matrix, with a spectrum of three axes.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        spectrum: A tensor [..., N1, N2, N3]: the eigenvalues.
        input_output_dtype: The dtype of the operands and results.

    Raises:
        ValueError: `spectrum` has too few axes, or a hint is wrong of it.

    >>> import graphwright as tf
    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 3, 2])).shape
    TensorShape([12, 12])
    """

    depth, forward, backward = 3, staticmethod(fft3d), staticmethod(ifft3d)
