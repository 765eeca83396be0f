"""Operators as blocks of a lower triangular matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from graphwright.library.linear_operators.blockwise import Blockwise, joined, level
from graphwright.library.linear_operators.derived_operators import all_known, broadcast_shapes
from graphwright.library.linear_operators.diagonal_operators import arguments_of
from graphwright.library.linear_operators.linear_operator import LinearOperator
from graphwright.ops.core.joining import concat, split
from graphwright.ops.core.shapes import broadcast_dynamic_shape
from graphwright.types.arguments import TensorValue
from graphwright.types.shape import TensorShape


class LinearOperatorBlockLowerTriangular(Blockwise):
    """Operators as blocks on and below the diagonal, and zeros above.

    The hints and the name are those of `tf.linalg.LinearOperator`.

    Args:
        operators: A list of rows, each a list of operators: row i has i + 1 blocks, the last one
            square.

    Raises:
        ValueError: The blocks make no such triangle, or the hint says that it is not square.
        TypeError: The dtypes differ.

    >>> import graphwright as tf
    >>> full = tf.linalg.LinearOperatorFullMatrix
    >>> a, b, c = full([[2.0, 1.0], [0.0, 3.0]]), full([[1.0, 1.0]]), full([[4.0]])
    >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[a], [b, c]])
    >>> operator.to_dense().numpy().tolist()
    [[2.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 4.0]]
    """

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        values = arguments_of(locals())
        self._operators = [list(row) for row in operators]
        check_blocks(self._operators)
        if is_non_singular is None:
            is_non_singular = all_known([part.is_non_singular for part in self._diagonal])
        if is_square is False:
            raise ValueError("`is_square` must be True or None: a triangular operator is square.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._diagonal[0].dtype, None, *hints, name, values)

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The blocks, row by row."""
        return [list(row) for row in self._operators]

    @property
    def _diagonal(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    def _block_sizes(self, side: str) -> list[Any]:
        sizes = [(part, part.domain_dimension) for part in self._diagonal]
        return [part.domain_dimension_tensor() if size is None else size for part, size in sizes]

    def _shape(self) -> TensorShape:
        every = [part for row in self._operators for part in row]
        batch = reduce(broadcast_shapes, [part.batch_shape for part in every])
        sizes = [part.domain_dimension for part in self._diagonal]
        size = None if None in sizes else sum(n for n in sizes if n is not None)
        return batch if batch.rank is None else TensorShape([*batch, size, size])

    def _shape_tensor(self) -> Any:
        batches = [part.batch_shape_tensor() for row in self._operators for part in row]
        size = reduce(add, self._block_sizes("domain"))
        return concat([reduce(broadcast_dynamic_shape, batches), [size], [size]], 0)

    def _pieces(self, x: TensorValue) -> list[Any]:
        pieces: list[Any] = split(x, self._block_sizes("domain"), axis=-2)
        return pieces

    def _matmul(self, x: TensorValue, adjoint: bool) -> Any:
        pieces, count = self._pieces(x), len(self._operators)
        results = []
        for i in range(count):
            others = range(i, count) if adjoint else range(i + 1)
            terms = [
                (self._operators[j][i] if adjoint else self._operators[i][j]).matmul(
                    pieces[j], adjoint
                )
                for j in others
            ]
            results.append(reduce(add, terms))
        return concat(level(results), -2)

    def _solve(self, rhs: TensorValue, adjoint: bool) -> Any:
        """The solution, block by block: `rhs` less what the blocks so far make, solved."""
        pieces, count = self._pieces(rhs), len(self._operators)
        solution: dict[int, Any] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = pieces[i]
            for j, block in solution.items():
                part = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - part.matmul(block, adjoint)
            solution[i] = self._operators[i][-1].solve(rest, adjoint)
        return concat(level([solution[i] for i in range(count)]), -2)

    def _diag_part(self) -> Any:
        return joined([part.diag_part() for part in self._diagonal])

    def _eigvals(self) -> Any:
        return joined([part.eigvals() for part in self._diagonal])

    def _determinant(self) -> Any:
        return reduce(mul, [part.determinant() for part in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        return reduce(add, [part.log_abs_determinant() for part in self._diagonal])


def check_blocks(rows: list[list[LinearOperator]]) -> None:
    """Raises ValueError unless the blocks make a lower triangle, with squares on its diagonal."""
    if not rows:
        raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {rows}.")
    for i, row in enumerate(rows):
        if len(row) != i + 1:
            raise ValueError(
                f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} "
                "blocks."
            )
        if row[-1].is_square is False:
            raise ValueError(
                "Matrices on the diagonal (the final elements of each row-partition in the "
                f"`operators` list) must be square. Expected argument `operators[{i}][-1]"
                f".is_square` to be True. Received: {row[-1].is_square}."
            )
        for j, part in enumerate(row):
            sides = [("domain", rows[j][j], f"[{j}][{j}]"), ("range", row[-1], f"[{i}][{i}]")]
            for side, other, place in sides:
                size, expected = part_size(part, side), part_size(other, side)
                if None not in (size, expected) and size != expected:
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].{side}_dimension` ({size}) must be the "
                        f"same as `operators{place}.{side}_dimension` ({expected})."
                    )
    kinds = {part.dtype for row in rows for part in row}
    if len(kinds) > 1:
        names = sorted(kind.name for kind in kinds)
        raise TypeError(f"Expected all operators to have the same dtype. Found {names}")


def part_size(part: LinearOperator, side: str) -> int | None:
    """The columns (`side` "domain") or rows ("range") of a block, or None."""
    return part.domain_dimension if side == "domain" else part.range_dimension
