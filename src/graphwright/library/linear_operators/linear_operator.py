"""`tf.linalg.LinearOperator`: matrices as objects that multiply, solve and the like.

A kind of operator states its shape, and its dense matrix or its product with one. All other
methods follow from these. A kind overrides those that it computes faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.control.assertions import assert_equal, assert_less, assert_positive
from graphwright.library.linear_operators.operator_forms import OperatorForms
from graphwright.library.objects.module import Module
from graphwright.op.interpreter import convert
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.decomposition import cholesky, eigvalsh, svd
from graphwright.ops.linalg.linear_systems import adjoint as adjoint_of
from graphwright.ops.linalg.linear_systems import det, slogdet, triangular_solve
from graphwright.ops.linalg.linear_systems import solve as solve_dense
from graphwright.ops.linalg.matrices import diag_part, eye
from graphwright.ops.math.arithmetic import divide
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from graphwright.ops.math.transcendental import exp, log
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.shape import TensorShape


class LinearOperator(Module):
    """A batch of matrices of shape [..., M, N], stored or known only by a formula.

    The base of all operators. Hints state properties of the matrices. A method that a hint rules
    out raises an error, and some methods are faster by a hint. Only `assert_non_singular` and its
    like check the matrices themselves.

    Args:
        dtype: The dtype of the entries.
        graph_parents: It has no effect.
        is_non_singular: A bool or None: the hint that each matrix has an inverse, or has none.
        is_self_adjoint: A bool or None: the hint that each matrix is its own conjugate transpose.
        is_positive_definite: A bool or None: the hint that x^H A x has a positive real part for all
            x but 0.
        is_square: A bool or None: the hint that there are as many rows as columns.
        name: A string; by default the name of the class.
        parameters: A dict of the arguments that make the operator.

    Raises:
        ValueError: Two hints contradict each other.

    >>> import graphwright as tf
    >>> class Doubling(tf.linalg.LinearOperator):
    ...     def _shape(self):
    ...         return tf.TensorShape([2, 2])
    ...     def _matmul(self, x, adjoint):
    ...         return 2.0 * x
    >>> Doubling(tf.float32).to_dense().numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    _GRAPHWRIGHT_IGNORED = Module._GRAPHWRIGHT_IGNORED | {"_parameters", "_hints"}

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: object = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(None)
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for hint, kind in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if hint:
                if is_square is False:
                    raise ValueError(f"A {kind} matrix is always square.")
                is_square = True
        self._name = name or type(self).__name__
        self._dtype: DType = as_dtype(dtype)
        self._hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._parameters = dict(parameters or {})

    # -- properties ----------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the entries."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name that the constructor got, else that of the class."""
        return self._name

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor, by name."""
        return dict(self._parameters)

    @property
    def is_non_singular(self) -> bool | None:
        """Whether it has an inverse, or None if unknown."""
        return self._hints[0]

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether it is its own conjugate transpose, or None if unknown."""
        return self._hints[1]

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether the real part of x^H A x is positive for all x but 0, or None if unknown."""
        return self._hints[2]

    @property
    def is_square(self) -> bool | None:
        """Whether it has as many rows as columns, or None if unknown."""
        rows, columns = self.range_dimension, self.domain_dimension
        if rows is None or columns is None:
            return self._hints[3]
        if self._hints[3] and rows != columns:
            raise ValueError(
                f"User provided is_square hint conflicted with static shape {self.shape}."
            )
        return bool(rows == columns)

    @property
    def shape(self) -> TensorShape:
        """The static shape [..., M, N]."""
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of axes, batch and all."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> int | None:
        """N, the number of columns."""
        return None if self.shape.rank is None else self.shape[-1]

    @property
    def range_dimension(self) -> int | None:
        """M, the number of rows."""
        return None if self.shape.rank is None else self.shape[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Returns the shape; a graph computes what is not static.

        Args:
            name: A name for the op.

        Returns:
            A vector of int32.
        """
        if self.shape.is_fully_defined():
            return convert(np.array(self.shape.as_list(), np.int32))
        return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of the batch.

        Args:
            name: A name for the op.

        Returns:
            A vector of int32.
        """
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Returns the number of axes.

        Args:
            name: A name for the op.

        Returns:
            A scalar of int32.
        """
        return reshape(shape_vector(self.shape_tensor()), ())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Returns the number of columns.

        Args:
            name: A name for the op.

        Returns:
            A scalar of int32.
        """
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Returns the number of rows.

        Args:
            name: A name for the op.

        Returns:
            A scalar of int32.
        """
        return self.shape_tensor()[-2]

    # -- methods -------------------------------------------------------------------------

    def to_dense(self, name: str = "to_dense") -> Any:
        """Returns the matrices as a tensor.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [..., M, N].
        """
        return self._to_dense()

    def matmul(
        self,
        x: TensorLike | LinearOperator,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """Returns the product A @ x.

        Args:
            x: A tensor [..., N, R] of the operator's dtype, or another operator.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            adjoint_arg: A bool: whether the operand is.
            name: A name for the op.

        Returns:
            A tensor [..., M, R]; an operator if `x` is one.

        Raises:
            ValueError: The sizes do not go together.
            TypeError: `x` is of another dtype.

        >>> import graphwright as tf
        >>> a = tf.linalg.LinearOperatorDiag([2.0, 3.0])
        >>> a.matmul([[1.0], [1.0]]).numpy().tolist()
        [[2.0], [3.0]]
        >>> a.matmul(a).diag.numpy()
        array([4., 9.], dtype=float32)
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            if None not in (left.domain_dimension, right.range_dimension) and (
                left.domain_dimension != right.range_dimension
            ):
                raise ValueError(
                    "Operators are incompatible. Expected `x` to have dimension "
                    f"{left.domain_dimension} but got {right.range_dimension}."
                )
            return OperatorForms.product(left, right)
        x = self._operand(x)
        self._check_rows(x, adjoint_arg, self.range_dimension if adjoint else self.domain_dimension)
        return self._matmul(adjoint_of(x) if adjoint_arg else x, adjoint)

    def _check_rows(self, x: TensorValue, adjoint_arg: bool, size: int | None) -> None:
        """ValueError for a matrix whose rows are known not to be as many as the operator takes."""
        rows = x.shape[-1 if adjoint_arg else -2]
        if rows is not None and size is not None and rows != size:
            raise ValueError(
                f"Dimensions {size} and {rows} are not compatible: the operator has the shape "
                f"{self.shape}, the operand {x.shape}"
            )

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product A @ x of vectors.

        Args:
            x: A tensor [..., N] of the operator's dtype.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            name: A name for the op.

        Returns:
            A tensor [..., M].
        """
        return self.matmul(self._operand(x)[..., None], adjoint)[..., 0]

    def __matmul__(self, other: TensorLike | LinearOperator) -> Any:
        return self.matmul(other)

    def solve(
        self,
        rhs: TensorLike | LinearOperator,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """Returns the x of A @ x = rhs.

        Args:
            rhs: A tensor [..., M, R] of the operator's dtype, or another operator.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            adjoint_arg: A bool: whether the operand is.
            name: A name for the op.

        Returns:
            A tensor [..., N, R]; an operator if `rhs` is one.

        Raises:
            ValueError: The sizes do not go together.
            NotImplementedError: By its hints A is singular or not square.

        >>> import graphwright as tf
        >>> a = tf.linalg.LinearOperatorDiag([2.0, 4.0])
        >>> a.solve([[1.0], [1.0]]).numpy().tolist()
        [[0.5], [0.25]]
        """
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            return OperatorForms.product(left.inverse(), rhs.adjoint() if adjoint_arg else rhs)
        rhs = self._operand(rhs)
        self._check_rows(
            rhs, adjoint_arg, self.domain_dimension if adjoint else self.range_dimension
        )
        return self._solve(adjoint_of(rhs) if adjoint_arg else rhs, adjoint)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the x of A @ x = rhs, both vectors.

        Args:
            rhs: A tensor [..., M] of the operator's dtype.
            adjoint: A bool: whether A is replaced by its conjugate transpose.
            name: A name for the op.

        Returns:
            A tensor [..., N].

        Raises:
            NotImplementedError: By its hints A is singular or not square.
        """
        return self.solve(self._operand(rhs)[..., None], adjoint)[..., 0]

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """Returns the conjugate transpose.

        Args:
            name: A name for the op.

        Returns:
            An operator.
        """
        return self if self.is_self_adjoint else self._adjoint()

    H = property(adjoint)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """Returns the inverse.

        Args:
            name: A name for the op.

        Returns:
            An operator.

        Raises:
            ValueError: By its hints A is singular or not square.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._inverse()

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Returns the lower triangular L of A = L @ L^H.

        Args:
            name: A name for the op.

        Returns:
            An operator.

        Raises:
            ValueError: The hints do not say that A is self-adjoint and positive definite.

        >>> import graphwright as tf
        >>> a = tf.linalg.LinearOperatorFullMatrix(
        ...     [[4.0, 2.0], [2.0, 2.0]], is_self_adjoint=True, is_positive_definite=True
        ... )
        >>> a.cholesky().to_dense().numpy().tolist()
        [[2.0, 0.0], [1.0, 1.0]]
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint "
                "matrix."
            )
        return self._cholesky()

    def determinant(self, name: str = "det") -> Any:
        """Returns the determinant of each matrix.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [...], one for each matrix of the batch.

        Raises:
            NotImplementedError: A is not square.
        """
        self._need_square("determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """Returns the logarithm of the absolute value of each determinant.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [...], one for each matrix of the batch.

        Raises:
            NotImplementedError: A is not square.
        """
        self._need_square("determinant")
        return self._log_abs_determinant()

    def diag_part(self, name: str = "diag_part") -> Any:
        """Returns the diagonals.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [..., min(M, N)].
        """
        return self._diag_part()

    def trace(self, name: str = "trace") -> Any:
        """Returns the sums of the diagonals.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [...], one for each matrix of the batch.
        """
        return reduce_sum(self.diag_part(), -1)

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Any:
        """Returns the sum A + x.

        Args:
            x: A tensor [..., M, N] of the operator's dtype.
            name: A name for the op.

        Returns:
            A tensor [..., M, N].

        >>> import graphwright as tf
        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).add_to_tensor(tf.ones([2, 2])).numpy().tolist()
        [[2.0, 1.0], [1.0, 3.0]]
        """
        return self._add_to_tensor(self._operand(x))

    def eigvals(self, name: str = "eigvals") -> Any:
        """Returns the eigenvalues.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [..., N].

        Raises:
            NotImplementedError: A is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported for now.")
        return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """Returns the condition numbers: greatest over least singular value.

        Args:
            name: A name for the op.

        Returns:
            A tensor of shape [...], one for each matrix of the batch.
        """
        return self._cond()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Checks that no matrix is singular, up to its precision.

        Args:
            name: A name for the op.

        Returns:
            None: the check is an effect.

        Raises:
            InvalidArgumentError: A matrix is singular.
        """
        return self._assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Checks that each matrix is positive definite.

        Args:
            name: A name for the op.

        Returns:
            None: the check is an effect.

        Raises:
            InvalidArgumentError: A matrix is not positive definite.
        """
        return self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Checks that each matrix is its own conjugate transpose.

        Args:
            name: A name for the op.

        Returns:
            None: the check is an effect.

        Raises:
            InvalidArgumentError: A matrix is not.
        """
        return self._assert_self_adjoint()

    # -- methods that each kind of operator overrides -------------------------------------

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} does not state its shape")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not state its shape")

    def _to_dense(self) -> Any:
        columns = self.domain_dimension
        return self._matmul(
            eye(
                self.domain_dimension_tensor() if columns is None else columns,
                batch_shape=self._batch(),
                dtype=self.dtype,
            ),
            False,
        )

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        dense, rhs = with_batch(self.to_dense(), rhs)
        if self._can_use_cholesky():
            lower = cholesky(dense)
            return triangular_solve(lower, triangular_solve(lower, rhs), adjoint=True)
        return solve_dense(dense, rhs, adjoint=adjoint)

    def _adjoint(self) -> LinearOperator:
        return OperatorForms.adjoint(self)

    def _inverse(self) -> LinearOperator:
        return OperatorForms.inversion(self)

    def _cholesky(self) -> LinearOperator:
        lower = cholesky(self.to_dense())
        return OperatorForms.triangular(
            lower, is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return exp(self.log_abs_determinant())
        return det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = diag_part(cholesky(self.to_dense()))
            return 2 * reduce_sum(log(diagonal), -1)
        return slogdet(self.to_dense()).log_abs_determinant

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def _add_to_tensor(self, x: TensorValue) -> Any:
        return self.to_dense() + x

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = abs(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return divide(reduce_max(values, -1), reduce_min(values, -1))

    def _assert_non_singular(self) -> Any:
        eps = np.finfo(self.dtype.real_dtype.numpy_dtype).eps
        size = max([d for d in self.shape.as_list()[-2:] if d is not None], default=1)
        values = svd(self.to_dense(), compute_uv=False)
        number = divide(reduce_max(values, -1), reduce_min(values, -1))
        limit = convert(1 / (eps * max(100, size)), number.dtype)
        message = "Singular matrix up to precision epsilon."
        return assert_less(number, limit, message=message)

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        message = "Matrix was not positive definite."
        try:
            diagonal = diag_part(cholesky(self.to_dense()))
        except InvalidArgumentError as error:
            raise InvalidArgumentError(None, None, message) from error
        return assert_positive(diagonal, message=message)

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return assert_equal(
            dense, adjoint_of(dense), message="Matrix was not equal to its adjoint."
        )

    # -- helpers -------------------------------------------------------------------------

    def _operand(self, x: TensorLike) -> TensorValue:
        """`x` as a tensor; TypeError unless it has the dtype of the operator."""
        tensor = convert(x, None, self.dtype)
        if tensor.dtype is not self.dtype:
            raise TypeError(
                f"Input tensor has dtype {tensor.dtype.name}, but the operator is of "
                f"{self.dtype.name}."
            )
        return tensor

    def _batch(self) -> Any:
        """The shape of the batch: ints where it is static, else a vector."""
        static = self.batch_shape
        return static.as_list() if static.is_fully_defined() else self.batch_shape_tensor()

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _need_square(self, quantity: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{quantity.capitalize()} not implemented for an operator that is expected to not "
                "be square."
            )


def with_batch(a: TensorValue, b: TensorValue) -> tuple[Any, Any]:
    """Two stacks of matrices, their batches broadcast to one shape."""
    if a.shape.rank is not None and a.shape[:-2].as_list() == (b.shape[:-2].as_list()
            if b.shape.rank is not None else None):  # fmt: skip
        return a, b
    batch = broadcast_dynamic_shape(shape_vector(a)[:-2], shape_vector(b)[:-2])
    a, b = [broadcast_to(x, concat([batch, shape_vector(x)[-2:]], 0)) for x in (a, b)]
    return a, b
