"""Factors and solutions of small matrices, entry by entry, for expansions.

A program in a loop then has no call, and an entry of one matrix is a number in a register.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from graphwright.op.expansion import GraphTensor
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.math.comparison import greater, logical_or
from graphwright.ops.math.magnitude import abs as absolute
from graphwright.ops.math.transcendental import sqrt
from graphwright.types import dtypes as dt

#: Matrices of more rows than this are left to the kernels: code grows with the cube of them, and
#: faster where rows change places.
MOST_ROWS, MOST_PIVOTS = 6, 4


def rows_of(x: GraphTensor, most: int = MOST_ROWS) -> int | None:
    """The number of rows of square matrices, if they are small enough; else None."""
    rows, columns = x.shape[-2], x.shape[-1]
    fits = rows is not None and rows == columns and 0 < rows <= most
    return rows if fits and x.dtype in (dt.float32, dt.float64) else None


def factor(x: GraphTensor, size: int) -> Any:
    """The lower triangular factor of positive definite matrices; NaN for others."""
    lower: list[list[Any]] = []
    failed: Any = None  # a NaN is no failure: it spreads by itself, as in LAPACK
    for i in range(size):
        row: list[Any] = []
        for j in range(i + 1):
            rest = less_products(x[(Ellipsis, i, j)], row[:j], lower[j][:j] if j < i else row)
            if j < i:
                row.append(rest / lower[j][j])
                continue
            is_low = rest <= cast(0, x.dtype)
            failed = is_low if failed is None else logical_or(failed, is_low)
            row.append(sqrt(rest))
        lower.append(row)
    nan, zero = cast(math.nan, x.dtype), zeros_like(lower[0][0])
    rows = [
        stack([*[where(failed, nan, y) for y in row], *[zero] * (size - len(row))], -1)
        for row in lower
    ]
    return stack(rows, -2)


def substituted(
    matrix: GraphTensor, rhs: GraphTensor, size: int, is_lower: bool, is_adjoint: bool
) -> Any:
    """The solutions of triangular systems, row by row."""
    solved: dict[int, Any] = {}
    order = range(size)
    for i in order if is_lower != is_adjoint else reversed(order):
        places = {j: (Ellipsis, *((j, i) if is_adjoint else (i, j)), None) for j in (*solved, i)}
        factors = [matrix[places[j]] for j in solved]
        rest = less_products(rhs[(Ellipsis, i, slice(None))], factors, list(solved.values()))
        solved[i] = rest / matrix[places[i]]
    return stack([solved[i] for i in order], -2)


def less_products(x: Any, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """x without the products of the numbers of two lists."""
    for a, b in zip(left, right):
        x = x - a * b
    return x


class Elimination:
    """Gaussian elimination with the greatest pivot of each column, on rows of numbers.

    `sides` are the right-hand sides of each row. A pivot of 0 divides by it.
    """

    def __init__(self, rows: Sequence[list[Any]], sides: Sequence[list[Any]]) -> None:
        self.rows, self.sides = list(rows), list(sides)
        #: Of each two rows that may change places, whether they do.
        self.exchanges: list[Any] = []
        size = len(self.rows)
        for k in range(size):
            for i in range(k + 1, size):
                self.order(k, i)
            for i in range(k + 1, size):
                self.reduce(k, i)

    @property
    def pivots(self) -> list[Any]:
        """The pivots."""
        return [row[i] for i, row in enumerate(self.rows)]

    def order(self, k: int, i: int) -> None:
        """Has row `k` be the one with the greater pivot."""
        is_greater = greater(absolute(self.rows[i][k]), absolute(self.rows[k][k]))
        for table in (self.rows, self.sides):
            pairs = list(zip(table[k], table[i]))
            table[k] = [where(is_greater, y, x) for x, y in pairs]
            table[i] = [where(is_greater, x, y) for x, y in pairs]
        self.exchanges.append(is_greater)

    def reduce(self, k: int, i: int) -> None:
        """Subtracts from row `i` what removes its entry in column `k`."""
        factor = self.rows[i][k] / self.rows[k][k]
        for table in (self.rows, self.sides):
            table[i] = [y - factor * x for x, y in zip(table[k], table[i])]

    def solutions(self) -> list[list[Any]]:
        """The solutions of each row."""
        solved: dict[int, list[Any]] = {}
        for i in reversed(range(len(self.rows))):
            row = self.rows[i]
            known = list(solved.items())
            solved[i] = [
                less_products(side, [row[j] for j, _ in known], [x[c] for _, x in known]) / row[i]
                for c, side in enumerate(self.sides[i])
            ]
        return [solved[i] for i in range(len(self.rows))]


def entries(
    x: GraphTensor, rows: int, columns: int, is_adjoint: bool = False, *further: None
) -> list[list[Any]]:
    """The numbers of real matrices, with further axes of one element."""

    def entry(i: int, j: int) -> Any:
        place = (Ellipsis, j, i, *further) if is_adjoint else (Ellipsis, i, j, *further)
        return x[place]

    return [[entry(i, j) for j in range(columns)] for i in range(rows)]


def matrices(rows: Sequence[Sequence[Any]]) -> Any:
    """Matrices of these numbers."""
    return stack([stack(row, -1) for row in rows], -2)
