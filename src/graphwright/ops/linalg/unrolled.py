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
from graphwright.ops.math.comparison import logical_or
from graphwright.ops.math.transcendental import sqrt
from graphwright.types import dtypes as dt

#: Matrices of more rows than this are left to the kernels: code grows with the cube of them.
MOST_ROWS = 6


def rows_of(x: GraphTensor) -> int | None:
    """The number of rows of square matrices, if they are small enough; else None."""
    rows, columns = x.shape[-2], x.shape[-1]
    fits = rows is not None and rows == columns and 0 < rows <= MOST_ROWS
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
