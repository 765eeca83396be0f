"""Operators made of others: adjoints, inverses and products; triangular operators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import add, mul
from typing import Any

from graphwright.control.assertions import assert_positive
from graphwright.library.linear_operators.linear_operator import LinearOperator, with_batch
from graphwright.op.interpreter import convert
from graphwright.ops.core.joining import concat
from graphwright.ops.core.shapes import broadcast_dynamic_shape, broadcast_static_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.linalg.linear_systems import adjoint as adjoint_of
from graphwright.ops.linalg.linear_systems import triangular_solve
from graphwright.ops.linalg.matrices import band_part, diag_part
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.shape import TensorShape


def all_known(hints: Sequence[bool | None]) -> bool | None:
    """True where all hints are, else None."""
    return True if all(hints) else None


def of_one_dtype(operators: Sequence[LinearOperator]) -> list[LinearOperator]:
    """The operators as a list; ValueError if it is empty, TypeError if their dtypes differ."""
    parts = list(operators)
    if not parts:
        raise ValueError(f"Expected a non-empty list of operators. Found: {parts}")
    if len({part.dtype for part in parts}) > 1:
        kinds = [(part.name, part.dtype.name) for part in parts]
        raise TypeError(f"Expected all operators to have the same dtype.  Found {kinds}")
    return parts


class Wrapper(LinearOperator):
    """An operator made of one other."""

    def __init__(
        self, operator: LinearOperator, suffix: str, name: str | None, **hints: bool | None
    ) -> None:
        name = name or operator.name + suffix
        arguments = {"operator": operator, **hints, "name": name}
        merged = {key: getattr(operator, key) for key in hints}
        for key, value in hints.items():
            if value is not None:
                if merged[key] is not None and merged[key] != value:
                    raise ValueError(
                        f"The operator has {key}={merged[key]}, but its {suffix[1:]} was given "
                        f"{key}={value}"
                    )
                merged[key] = value
        super().__init__(operator.dtype, name=name, parameters=arguments, **merged)
        self._operator = operator

    @property
    def operator(self) -> LinearOperator:
        """The operator that this one is made of."""
        return self._operator


class LinearOperatorAdjoint(Wrapper):
    """The conjugate transpose of an operator.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operator: The operator.

    Raises:
        ValueError: A hint contradicts one of the operator.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(a).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            operator, "_adjoint", name, is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
            is_square=is_square,
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        shape = self.operator.shape
        return TensorShape([*shape[:-2], shape[-1], shape[-2]]) if shape.rank else shape

    def _shape_tensor(self) -> Any:
        dims = self.operator.shape_tensor()
        return concat([dims[:-2], dims[-1:], dims[-2:-1]], 0)

    def _to_dense(self) -> Any:
        return adjoint_of(self.operator.to_dense())

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self.operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self.operator.solve(rhs, adjoint=not adjoint)

    def _adjoint(self) -> LinearOperator:
        return self.operator

    def _determinant(self) -> Any:
        return conj(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _cond(self) -> Any:
        return self.operator.cond()


class LinearOperatorInversion(Wrapper):
    """The inverse of an operator: its product is a solution of the operator's system.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operator: The operator.

    Raises:
        ValueError: A hint contradicts one of the operator, or says that there is no inverse.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorDiag([2.0, 4.0])
    >>> tf.linalg.LinearOperatorInversion(a).matvec([1.0, 1.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if operator.is_square is False or operator.is_non_singular is False:
            raise ValueError("operator and supplied hints must have `is_non_singular=True` or None")
        super().__init__(
            operator, "_inverse", name, is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
            is_square=is_square,
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        return self.operator.shape

    def _shape_tensor(self) -> Any:
        return self.operator.shape_tensor()

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self.operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self.operator.matmul(rhs, adjoint=adjoint)

    def _inverse(self) -> LinearOperator:
        return self.operator

    def _determinant(self) -> Any:
        return 1 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self.operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1 / self.operator.eigvals()

    def _cond(self) -> Any:
        return self.operator.cond()


class LinearOperatorComposition(LinearOperator):
    """The product of operators; the last one applies first.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operators: A list of operators of one dtype, each of as many columns as the next has rows.

    Raises:
        ValueError: The list is empty, or the sizes do not go together.
        TypeError: The dtypes differ.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> b = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> tf.linalg.LinearOperatorComposition([a, b]).matvec([1.0, 1.0]).numpy()
    array([3., 2.], dtype=float32)
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parts = of_one_dtype(operators)
        for left, right in pairwise(parts):
            if None not in (left.domain_dimension, right.range_dimension) and (
                left.domain_dimension != right.range_dimension
            ):
                raise ValueError(
                    "Operators are not compatible: the columns of one must be as many as the rows "
                    f"of the next, {left.shape} and {right.shape}"
                )
        if is_non_singular is None:
            is_non_singular = all_known([part.is_non_singular for part in parts])
        name = name or "_o_".join(part.name for part in parts)
        hints = {
            "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite, "is_square": is_square,
        }  # fmt: skip
        arguments = {"operators": operators, **hints, "name": name}
        super().__init__(parts[0].dtype, name=name, parameters=arguments, **hints)
        self._operators = parts

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return list(self._operators)

    def _shape(self) -> TensorShape:
        batch = reduce(broadcast_shapes, [part.batch_shape for part in self._operators])
        if batch.rank is None:
            return batch
        first, last = self._operators[0], self._operators[-1]
        return TensorShape([*batch, first.range_dimension, last.domain_dimension])

    def _shape_tensor(self) -> Any:
        batch = reduce(
            broadcast_dynamic_shape, [part.batch_shape_tensor() for part in self._operators]
        )
        first, last = self._operators[0].shape_tensor(), self._operators[-1].shape_tensor()
        return concat([batch, first[-2:-1], last[-1:]], 0)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        for part in self._operators if adjoint else self._operators[::-1]:
            x = part.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        for part in self._operators[::-1] if adjoint else self._operators:
            rhs = part.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Any:
        return reduce(mul, [part.determinant() for part in self._operators])

    def _log_abs_determinant(self) -> Any:
        return reduce(add, [part.log_abs_determinant() for part in self._operators])


def broadcast_shapes(a: TensorShape, b: TensorShape) -> TensorShape:
    """The static shape that two batches broadcast to."""
    joint: TensorShape = broadcast_static_shape(a, b)
    return joint


class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangle of a matrix; what lies above the diagonal has no effect.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        tril: A tensor [..., N, N].

    Raises:
        ValueError: `tril` has less than two axes, or a hint says that it is not square.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 4.0]])
    >>> a.solvevec([1.0, 10.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        arguments = {
            "tril": tril, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name,
        }  # fmt: skip
        if is_square is False:
            raise ValueError(
                "Only square lower triangular operators supported at this time: is_square=False"
            )
        self._tril = convert(tril)
        if self._tril.shape.rank is not None and self._tril.shape.rank < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions: {self._tril.shape}")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._tril.dtype, None, *hints, name, arguments)

    @property
    def tril(self) -> Any:
        """The matrix that the constructor got."""
        return self._tril

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return shape_vector(self._tril)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        dense, rhs = with_batch(self.to_dense(), rhs)
        return triangular_solve(dense, rhs, lower=True, adjoint=adjoint)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _determinant(self) -> Any:
        return reduce_prod(self.diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(abs(self.diag_part())), -1)

    def _eigvals(self) -> Any:
        return self.diag_part()

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_positive(abs(self.diag_part()), message=message)
