"""Operators made of several: Kronecker products, blocks on the diagonal, low-rank updates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar

from graphwright.base.errors import InvalidArgumentError
from graphwright.library.linear_operators.blockwise import Blockwise, joined, level
from graphwright.library.linear_operators.derived_operators import (
    all_known,
    broadcast_shapes,
    of_one_dtype,
)
from graphwright.library.linear_operators.diagonal_operators import (
    HINTS,
    LinearOperatorDiag,
    arguments_of,
    hints_of,
)
from graphwright.library.linear_operators.linear_operator import LinearOperator, with_batch
from graphwright.op.interpreter import convert
from graphwright.ops.core.joining import concat, split
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.ops.core.shapes import shape as shape_vector
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.linalg.linear_systems import det, slogdet, solve
from graphwright.ops.linalg.matrices import diag, eye
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_prod, reduce_sum
from graphwright.ops.math.transcendental import log
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.shape import TensorShape


class CompoundOperator(LinearOperator):
    """An operator that is made of a list of others: its hints and its shape."""

    #: The size of two parts together, from the size of each.
    joint_size: ClassVar[Any]

    def __init__(self, values: Mapping[str, Any], name: str, separator: str) -> None:
        parts = of_one_dtype(values["operators"])
        hints = list(hints_of(values))
        for i, hint in enumerate(HINTS):
            if hints[i] is None:
                hints[i] = all_known([getattr(part, hint) for part in parts])
        self._operators = parts
        name = name or separator.join(part.name for part in parts)
        non_singular, self_adjoint, definite, square = hints
        super().__init__(
            parts[0].dtype, None, non_singular, self_adjoint, definite, square, name, values
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The parts."""
        return list(self._operators)

    def _batch_dims(self) -> TensorShape:
        batches: list[TensorShape] = [part.batch_shape for part in self._operators]
        return reduce(broadcast_shapes, batches)

    def _batch_vector(self) -> Any:
        batches = [part.batch_shape_tensor() for part in self._operators]
        return reduce(broadcast_dynamic_shape, batches)

    def _shape(self) -> TensorShape:
        batch = self._batch_dims()
        if batch.rank is None:
            return batch
        whole = [
            None if None in sizes else reduce(self.joint_size, sizes)
            for sizes in (
                [part.range_dimension for part in self._operators],
                [part.domain_dimension for part in self._operators],
            )
        ]
        return TensorShape([*batch, *whole])

    def _shape_tensor(self) -> Any:
        sizes = [reduce(self.joint_size, self._sizes(side)) for side in ("range", "domain")]
        return concat([self._batch_vector(), *[[size] for size in sizes]], 0)

    def _sizes(self, side: str) -> list[Any]:
        """The rows (`side` "range") or columns ("domain") of each part: ints where static."""
        sizes = []
        for part in self._operators:
            static = getattr(part, f"{side}_dimension")
            sizes.append(getattr(part, f"{side}_dimension_tensor")() if static is None else static)
        return sizes


class LinearOperatorKronecker(CompoundOperator):
    """The Kronecker product of operators.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operators: A list of operators of one dtype.

    Raises:
        ValueError: The list is empty.
        TypeError: The dtypes differ.

    >>> import graphwright as tf
    >>> a, b = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorDiag([3.0, 5.0])
    >>> tf.linalg.LinearOperatorKronecker([a, b]).diag_part().numpy()
    array([ 3.,  5.,  6., 10.], dtype=float32)
    """

    joint_size = staticmethod(mul)

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(arguments_of(locals()), name or "", "_x_")

    def _each(self, x: TensorValue, method: str, adjoint: bool) -> Any:
        """The product or solution: each part applies to its own axis of the rows."""
        forward = (method == "solve") == adjoint
        before = self._sizes("domain" if forward else "range")
        for i, part in enumerate(self._operators):
            # The axes before and behind this part's are batches of its product. Those before
            # have the sizes that the parts so far made.
            outer = reduce(mul, self._sizes("range" if forward else "domain")[:i], 1)
            lead, columns = shape_vector(x)[:-2], shape_vector(x)[-1:]
            cube = reshape(x, concat([lead, [outer], [before[i]], [-1]], 0))
            operand = part.to_dense()[..., None, :, :]
            if method == "solve":
                dense, cube = with_batch(operand, cube)
                result = solve(dense, cube, adjoint=adjoint)
            else:
                result = matmul(operand, cube, adjoint_a=adjoint)
            lead = shape_vector(result)[:-3]
            x = reshape(result, concat([lead, [-1], columns], 0))
        return x

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self._each(x, "matmul", adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self._each(rhs, "solve", adjoint)

    def _spread(self, vectors: Sequence[TensorValue]) -> Any:
        """The products of one entry of each vector; that of the last vector changes fastest."""

        def pair(a: TensorValue, b: TensorValue) -> Any:
            table = a[..., :, None] * b[..., None, :]
            return reshape(table, concat([shape_vector(table)[:-2], [-1]], 0))

        return reduce(pair, vectors)

    def _diag_part(self) -> Any:
        return self._spread([part.diag_part() for part in self._operators])

    def _eigvals(self) -> Any:
        return self._spread([part.eigvals() for part in self._operators])

    def _powers(self) -> list[Any]:
        """The power of each part's determinant in the whole: the product of the other sizes."""
        sizes = self._sizes("domain")
        whole = reduce(mul, sizes)
        return [whole // size for size in sizes]

    def _determinant(self) -> Any:
        factors = [
            part.determinant() ** convert(power, self.dtype)
            for part, power in zip(self._operators, self._powers())
        ]
        return reduce(mul, factors)

    def _log_abs_determinant(self) -> Any:
        terms = [
            part.log_abs_determinant() * convert(power, part.dtype.real_dtype)
            for part, power in zip(self._operators, self._powers())
        ]
        return reduce(add, terms)

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([part.inverse() for part in self._operators], *self._hints)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([part.adjoint() for part in self._operators], *self._hints)

    def _cholesky(self) -> LinearOperator:
        parts = [part.cholesky() for part in self._operators]
        return LinearOperatorKronecker(parts, True, None, None, True)

    def _assert_non_singular(self) -> Any:
        if not all(part.is_square for part in self._operators):
            raise InvalidArgumentError(
                None, None, "All Kronecker factors must be square for the product to be invertible."
            )
        return [part.assert_non_singular() for part in self._operators][-1]


class LinearOperatorBlockDiag(CompoundOperator, Blockwise):
    """Operators as blocks along the diagonal, and zeros elsewhere.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operators: A list of operators of one dtype.

    Raises:
        ValueError: The list is empty.
        TypeError: The dtypes differ.

    >>> import graphwright as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> b = tf.linalg.LinearOperatorDiag([5.0])
    >>> tf.linalg.LinearOperatorBlockDiag([a, b]).to_dense().numpy().tolist()
    [[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 5.0]]
    """

    joint_size = staticmethod(add)

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        super().__init__(arguments_of(locals()), name or "", "_ds_")

    def _block_sizes(self, side: str) -> list[Any]:
        return self._sizes(side)

    def _blocks(self, x: TensorValue, method: str, adjoint: bool) -> Any:
        """The product or solution: each part applies to its block of rows."""
        takes_rows = (method == "solve") == (not adjoint)
        pieces = split(x, self._sizes("range" if takes_rows else "domain"), axis=-2)
        results = [
            getattr(part, method)(piece, adjoint=adjoint)
            for part, piece in zip(self._operators, pieces)
        ]
        return concat(level(results), -2)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        return self._blocks(x, "matmul", adjoint)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        return self._blocks(rhs, "solve", adjoint)

    def _diag_part(self) -> Any:
        return joined([part.diag_part() for part in self._operators])

    def _eigvals(self) -> Any:
        return joined([part.eigvals() for part in self._operators])

    def _determinant(self) -> Any:
        return reduce(mul, [part.determinant() for part in self._operators])

    def _log_abs_determinant(self) -> Any:
        return reduce(add, [part.log_abs_determinant() for part in self._operators])

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([part.inverse() for part in self._operators], *self._hints)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([part.adjoint() for part in self._operators], *self._hints)

    def _cholesky(self) -> LinearOperator:
        parts = [part.cholesky() for part in self._operators]
        return LinearOperatorBlockDiag(parts, True, None, None, True)


class LinearOperatorLowRankUpdate(LinearOperator):
    """L + U D V^H for an operator L, with few columns in U and V.

    By the Woodbury formula it solves with L, and a dense system of the size of D. The hints and the
    name are those of `tf.linalg.LinearOperator`.

    Args:
        base_operator: L, an operator of shape [..., M, N].
        u: U, a tensor [..., M, K].
        diag_update: The diagonal of D, a tensor [..., K]. None means that D is the identity.
        v: V, a tensor [..., N, K]. None means U.
        is_diag_update_positive: A bool or None: the hint that the entries of D are positive.

    Source:
        Woodbury, "Inverting modified matrices" (1950).

    >>> import graphwright as tf
    >>> base = tf.linalg.LinearOperatorIdentity(2)
    >>> a = tf.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [2.0]])
    >>> a.to_dense().numpy().tolist()
    [[2.0, 2.0], [2.0, 5.0]]
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: TensorLike,
        diag_update: TensorLike | None = None,
        v: TensorLike | None = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        values = arguments_of(locals())
        self._base = base_operator
        self._u = convert(u, None, base_operator.dtype)
        self._v = self._u if v is None else convert(v, None, base_operator.dtype)
        self._d = None if diag_update is None else convert(diag_update, None, base_operator.dtype)
        symmetric = v is None and base_operator.is_self_adjoint
        positive = symmetric and base_operator.is_positive_definite
        if is_self_adjoint is None and symmetric:
            is_self_adjoint = True
        if (
            is_positive_definite is None
            and positive
            and (diag_update is None or is_diag_update_positive)
        ):
            is_positive_definite = True
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(base_operator.dtype, None, *hints, name, values)

    @property
    def base_operator(self) -> LinearOperator:
        """The operator L."""
        return self._base

    @property
    def u(self) -> Any:
        """The tensor U."""
        return self._u

    @property
    def v(self) -> Any:
        """The tensor V."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, or None where D is the identity."""
        return self._d

    @property
    def diag_operator(self) -> LinearOperator | None:
        """D, or None where it is the identity."""
        return None if self._d is None else LinearOperatorDiag(self._d)

    def _shape(self) -> TensorShape:
        batch = broadcast_shapes(self._base.batch_shape, self._u.shape[:-2])
        return batch if batch.rank is None else TensorShape([*batch, *self._base.shape[-2:]])

    def _shape_tensor(self) -> Any:
        base = self._base.shape_tensor()
        batch = broadcast_dynamic_shape(base[:-2], shape_vector(self._u)[:-2])
        return concat([batch, base[-2:]], 0)

    def _scaled(self, x: TensorValue, adjoint: bool = False) -> Any:
        """D @ x."""
        if self._d is None:
            return x
        return LinearOperatorDiag(self._d).matmul(x, adjoint=adjoint)

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        update = matmul(u, self._scaled(matmul(v, x, adjoint_a=True), adjoint))
        return self._base.matmul(x, adjoint=adjoint) + update

    def _capacitance(self) -> Any:
        """D^-1 + V^H L^-1 U."""
        inner = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        if self._d is None:
            return inner + eye(shape_vector(inner)[-1], dtype=self.dtype)
        return inner + diag(1 / self._d)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        first = self._base.solve(rhs, adjoint=adjoint)
        capacitance, small = with_batch(self._capacitance(), matmul(v, first, adjoint_a=True))
        inner = solve(capacitance, small, adjoint=adjoint)
        return first - self._base.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        # The matrix determinant lemma.
        product = det(self._capacitance()) * self._base.determinant()
        return product if self._d is None else product * reduce_prod(self._d, -1)

    def _log_abs_determinant(self) -> Any:
        total = slogdet(self._capacitance()).log_abs_determinant
        total += self._base.log_abs_determinant()
        return total if self._d is None else total + reduce_sum(log(abs(self._d)), -1)

    def _diag_part(self) -> Any:
        update = reduce_sum(self._u * self._scaled_columns(), -1)
        return self._base.diag_part() + update

    def _scaled_columns(self) -> Any:
        """conj(V) D: the rows times those of U sum to the diagonal of the update."""
        v = conj(self._v)
        return v if self._d is None else v * self._d[..., None, :]
