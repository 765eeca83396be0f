"""The triangular factors of small real matrices, as plain Python for machine code.

They are what `small_matrices.lu` gives, bit for bit: products and sums are rounded to the matrices'
dtype, so that pivots are the same.
"""

from __future__ import annotations

import numpy as np

from graphwright.base.scalar_code import Integers, Reals
from graphwright.ops.linalg.row_steps import add, exchange


def single(x: float) -> float:
    """The nearest number of 32 bits."""
    return float(np.float32(x))


def _add_single(x: Reals, y: Reals, factor: float, n: int) -> None:
    """x becomes x + factor * y, with the roundings of 32 bits."""
    for i in range(n):
        x[i] = single(x[i] + single(factor * y[i]))


def triangular_factors(
    matrices: Reals, orders: Integers, count: int, n: int, is_single: bool
) -> int:
    """Makes matrices L below and U above their diagonals, and says which row each row was.

    A pivot is the first of the greatest absolute values, but NaN only where it comes first. The
    result says how many are done: the next one has a zero on the diagonal of U, or NaN first.

    Args:
        matrices: [count, n, n], which are changed.
        orders: [count, n], for the numbers of rows.
        count: How many matrices there are.
        n: Their rows.
        is_single: Whether they are of float32.
    """
    for matrix in range(count):
        a = matrices[matrix * n * n :]
        order = orders[matrix * n :]
        for i in range(n):
            order[i] = i
        for k in range(n):
            row = a[k * n :]
            pivot = k
            size = abs(row[k])
            for i in range(k + 1, n):
                if abs(a[i * n + k]) > size:
                    pivot = i
                    size = abs(a[i * n + k])
            if pivot != k:
                exchange(row, a[pivot * n :], n)
                number = order[k]
                order[k] = order[pivot]
                order[pivot] = number
            if size == 0.0 or (k == 0 and size != size):
                return matrix
            for i in range(k + 1, n):
                other = a[i * n :]
                share = other[k] / row[k]
                if is_single:
                    share = single(share)
                    _add_single(other[k + 1 :], row[k + 1 :], -share, n - k - 1)
                else:
                    add(other[k + 1 :], row[k + 1 :], -share, n - k - 1)
                other[k] = share
    return count


#: All functions; each calls those before it.
FUNCTIONS = (exchange, add, _add_single, triangular_factors)
