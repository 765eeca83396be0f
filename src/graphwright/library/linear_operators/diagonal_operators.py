"""Diagonal operators: any, multiples of the identity, the identity, and zeros."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_equal, assert_positive
from graphwright.library.linear_operators.linear_operator import LinearOperator
from graphwright.op.interpreter import convert, is_tensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones, zeros
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, expand_dims
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.linalg.matrices import diag, diag_part, eye, set_diag
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.complex_parts import imag, real
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.shape import TensorShape

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def hints_of(values: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
    """The four hints among the arguments of a constructor."""
    return tuple([values[name] for name in HINTS])


def arguments_of(values: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a constructor, from its `locals()`."""
    return {k: v for k, v in values.items() if k not in ("self", "__class__")}


class OfDiagonal(LinearOperator):
    """A square operator with as many rows as a tensor has entries along its last axis."""

    _entries: Any

    def _shape(self) -> TensorShape:
        dims = self._entries.shape
        return TensorShape([*dims, dims[-1]]) if dims.rank else dims

    def _shape_tensor(self) -> Any:
        dims = shape_vector(self._entries)
        return concat([dims, dims[-1:]], 0)


class LinearOperatorDiag(OfDiagonal):
    """A diagonal matrix.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        diag: A tensor [..., N]: the diagonal.

    Raises:
        ValueError: `diag` has no axis, or a hint is wrong of a diagonal.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> a.matvec([1.0, 1.0]).numpy(), a.determinant().numpy()
    (array([2., 3.], dtype=float32), np.float32(6.0))
    """

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        values = arguments_of(locals())
        self._entries = convert(diag)
        if self._entries.shape.rank == 0:
            raise ValueError("Argument `diag` must have at least 1 dimension")
        if not self._entries.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._entries.dtype, None, *hints, name, values)

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._entries

    def _scale(self, adjoint: bool) -> Any:
        return expand_dims(conj(self._entries) if adjoint else self._entries, -1)

    def _to_dense(self) -> Any:
        return diag(self._entries)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self._scale(adjoint) * x

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return rhs / self._scale(adjoint)

    def _diag_part(self) -> Any:
        return self._entries

    def _add_to_tensor(self, x: TensorValue) -> Any:
        return set_diag(x, diag_part(x) + self._entries)

    def _determinant(self) -> Any:
        return reduce_prod(self._entries, -1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(abs(self._entries)), -1), self.dtype)

    def _eigvals(self) -> Any:
        return self._entries

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conj(self._entries), *self._hints)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1 / self._entries, *self._hints)

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(self._entries**0.5, True, True, True)

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_positive(abs(self._entries), message=message)

    def _assert_positive_definite(self) -> Any:
        message = "This diagonal operator had some diagonal entries with negative values."
        return assert_positive(real(self._entries), message=message)

    def _assert_self_adjoint(self) -> Any:
        message = (
            "This diagonal operator contained non-zero imaginary values.  Thus it was not "
            "self-adjoint."
        )
        zero = zeros([], self.dtype.real_dtype)
        return assert_equal(imag(self._entries), zero, message=message)


class SizedOperator(LinearOperator):
    """An operator that its numbers of rows and columns and its batch shape determine."""

    _sizes: tuple[TensorLike, TensorLike]
    _batches: TensorLike | None

    def _shape(self) -> TensorShape:
        batch = known_dims(self._batches)
        return batch if batch.rank is None else TensorShape([*batch, *map(static, self._sizes)])

    def _shape_tensor(self) -> Any:
        batch = convert([] if self._batches is None else self._batches, dt.int32)
        return concat([batch, *[[size] for size in self._sizes]], 0)


def static(size: TensorLike) -> int | None:
    """A size as an int, or None where only a graph computes it."""
    known: Any = size.known if is_tensor(size) else size
    return None if known is None else int(known)


def known_dims(shape: TensorLike | None) -> TensorShape:
    """The static shape that a list or a vector states, as far as it is known."""
    if shape is None:
        return TensorShape([])
    known: Any = shape.known if is_tensor(shape) else shape
    return TensorShape(None) if known is None else TensorShape(list(known))


def check_size(size: object, argument: str) -> None:
    """TypeError or ValueError unless a number of rows is one integer, not negative."""
    host: Any = size
    if is_tensor(size):
        if size.type.rank not in (0, None):
            raise ValueError(f"Argument `{argument}` must be a 0-D Tensor.  Found: {size}")
        if not size.dtype.is_integer:
            raise TypeError(f"Argument `{argument}` must be integer type.  Found: {size}")
    elif np.ndim(host):
        raise ValueError(f"Argument `{argument}` must be a 0-D Tensor.  Found: {size}")
    elif not isinstance(size, (int, np.integer)):
        raise TypeError(f"Argument `{argument}` must be integer type.  Found: {size}")
    known = static(host)
    if known is not None and known < 0:
        raise ValueError(f"Argument `{argument}` must be non-negative.  Found: {size}")


class LinearOperatorIdentity(SizedOperator):
    """The identity.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        num_rows: A scalar integer: N.
        batch_shape: A vector of integers: the shape of the batch. None means a single matrix.
        dtype: The dtype of the entries; None means tf.float32.
        assert_proper_shapes: It has no effect.

    Raises:
        ValueError: `num_rows` is negative or no scalar, or a hint is not True.
        TypeError: `num_rows` is no integer.

    >>> import graphwright as tf
    >>> tf.linalg.LinearOperatorIdentity(2).to_dense().numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        num_rows: TensorLike,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        values = arguments_of(locals())
        for argument, hint in zip(HINTS, hints_of(values)):
            if not hint:
                raise ValueError(f"An identity operator cannot have {argument}={hint}.")
        check_size(num_rows, "num_rows")
        self._sizes, self._batches = (num_rows, num_rows), batch_shape
        super().__init__(dtype or dt.float32, None, *hints_of(values), name, values)

    def _to_dense(self) -> Any:
        return eye(self._sizes[0], batch_shape=self._batches, dtype=self.dtype)

    def _spread(self, x: TensorValue) -> Any:
        """The operand, with its batch broadcast to the operator's."""
        if self._batches is None:
            return x
        batch = broadcast_dynamic_shape(self.batch_shape_tensor(), shape_vector(x)[:-2])
        return broadcast_to(x, concat([batch, shape_vector(x)[-2:]], 0))

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self._spread(x)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self._spread(rhs)

    def _ones(self, dims: TensorLike) -> Any:
        batch = [] if self._batches is None else self._batches
        return ones(concat([convert(batch, dt.int32), dims], 0), self.dtype)

    def _diag_part(self) -> Any:
        return self._ones([self._sizes[0]])

    def _eigvals(self) -> Any:
        return self._ones([self._sizes[0]])

    def _determinant(self) -> Any:
        return self._ones(convert([], dt.int32))

    def _log_abs_determinant(self) -> Any:
        return self._ones(convert([], dt.int32)) * 0

    def _cond(self) -> Any:
        return self._ones(convert([], dt.int32))

    def _add_to_tensor(self, x: TensorValue) -> Any:
        x = self._spread(x)
        return set_diag(x, diag_part(x) + 1)

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self


class LinearOperatorScaledIdentity(SizedOperator):
    """The identity times a number: one for each matrix of the batch.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        num_rows: A scalar integer: N.
        multiplier: A tensor of the shape of the batch: the numbers.
        assert_proper_shapes: It has no effect.

    Raises:
        ValueError: `num_rows` is negative or no scalar, or a hint is wrong of such matrices.
        TypeError: `num_rows` is no integer.

    >>> import graphwright as tf
    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).to_dense().numpy().tolist()
    [[3.0, 0.0], [0.0, 3.0]]
    """

    def __init__(
        self,
        num_rows: TensorLike,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        values = arguments_of(locals())
        self._multiplier = convert(multiplier)
        check_size(num_rows, "num_rows")
        self._sizes = (num_rows, num_rows)
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._multiplier.dtype, None, *hints, name, values)

    @property
    def multiplier(self) -> Any:
        """The numbers, of the shape of the batch."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        size = static(self._sizes[0])
        batch = self._multiplier.shape
        return batch if batch.rank is None else TensorShape([*batch, size, size])

    def _shape_tensor(self) -> Any:
        return concat([shape_vector(self._multiplier), *[[size] for size in self._sizes]], 0)

    def _scale(self, adjoint: bool) -> Any:
        scale = conj(self._multiplier) if adjoint else self._multiplier
        return scale[..., None, None]

    def _to_dense(self) -> Any:
        return eye(self._sizes[0], dtype=self.dtype) * self._scale(False)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return x * self._scale(adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return rhs / self._scale(adjoint)

    def _diag_part(self) -> Any:
        return self._multiplier[..., None] * ones([self._sizes[0]], self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _count(self, dtype: DTypeLike) -> Any:
        return cast(convert(self._sizes[0]), dtype)

    def _determinant(self) -> Any:
        return self._multiplier ** self._count(self.dtype)

    def _log_abs_determinant(self) -> Any:
        size = abs(self._multiplier)
        return self._count(size.dtype) * log(size)

    def _cond(self) -> Any:
        return ones(shape_vector(self._multiplier), self.dtype.real_dtype)

    def _add_to_tensor(self, x: TensorValue) -> Any:
        return set_diag(x, diag_part(x) + self._multiplier[..., None])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._sizes[0], conj(self._multiplier), *self._hints[:3]
        )

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._sizes[0], 1 / self._multiplier, *self._hints[:3])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._sizes[0], self._multiplier**0.5, True, True, True)

    def _assert_non_singular(self) -> Any:
        message = "LinearOperator was singular"
        return assert_positive(abs(self._multiplier), message=message)

    def _assert_positive_definite(self) -> Any:
        message = "LinearOperator was not positive definite."
        return assert_positive(real(self._multiplier), message=message)

    def _assert_self_adjoint(self) -> Any:
        zero = zeros([], self.dtype.real_dtype)
        message = "LinearOperator was not self-adjoint"
        return assert_equal(imag(self._multiplier), zero, message=message)


class LinearOperatorZeros(SizedOperator):
    """A matrix of zeros.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        num_rows: A scalar integer: M.
        num_columns: A scalar integer: N. None means M.
        batch_shape: A vector of integers: the shape of the batch. None means a single matrix.
        dtype: The dtype of the entries; None means tf.float32.
        assert_proper_shapes: It has no effect.

    Raises:
        ValueError: A size is negative or no scalar, or a hint is wrong of zeros.
        TypeError: A size is no integer.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorZeros(2)
    >>> a.add_to_tensor([[1.0, 2.0], [3.0, 4.0]]).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(
        self,
        num_rows: TensorLike,
        num_columns: TensorLike | None = None,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        values = arguments_of(locals())
        columns = num_rows if num_columns is None else num_columns
        check_size(num_rows, "num_rows")
        check_size(columns, "num_columns")
        if (
            is_square
            and None not in (static(num_rows), static(columns))
            and (static(num_rows) != static(columns))
        ):
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_columns="
                f"{columns!s} != num_rows={num_rows!s}"
            )
        if is_non_singular or is_positive_definite:
            raise ValueError("A matrix of zeros is singular, and not positive definite.")
        self._sizes, self._batches = (num_rows, columns), batch_shape
        super().__init__(dtype or dt.float32, None, *hints_of(values), name, values)

    def _zeros(self, dims: TensorLike) -> Any:
        batch = [] if self._batches is None else self._batches
        return zeros(concat([convert(batch, dt.int32), dims], 0), self.dtype)

    def _to_dense(self) -> Any:
        return self._zeros(list(self._sizes))

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        rows = self._sizes[1 if adjoint else 0]
        batch = broadcast_dynamic_shape(self.batch_shape_tensor(), shape_vector(x)[:-2])
        return zeros(concat([batch, [rows], shape_vector(x)[-1:]], 0), self.dtype)

    def _diag_part(self) -> Any:
        rows, columns = map(static, self._sizes)
        if rows is None or columns is None:
            return super()._diag_part()
        return self._zeros([min(rows, columns)])

    def _determinant(self) -> Any:
        return self._zeros(convert([], dt.int32))

    def _log_abs_determinant(self) -> Any:
        return log(self._zeros(convert([], dt.int32)))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _add_to_tensor(self, x: TensorValue) -> Any:
        return x + zeros(self.batch_shape_tensor(), self.dtype)[..., None, None]

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "Zeros operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Zeros operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> None:
        """Does nothing: zeros are self-adjoint where they are square."""

    def _adjoint(self) -> LinearOperator:
        rows, columns = self._sizes
        return LinearOperatorZeros(
            columns, rows, self._batches, self.dtype,
            is_square=self.is_square, is_self_adjoint=self.is_self_adjoint,
        )  # fmt: skip
