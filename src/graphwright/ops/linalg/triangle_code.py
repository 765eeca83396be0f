"""The triangular factors of small real matrices, as plain Python for machine code.

They are what `small_matrices.lu` gives, bit for bit: products and differences are rounded to the
matrices' dtype, so that pivots are the same.
"""

from __future__ import annotations

import numpy as np

from graphwright.base.scalar_code import Integers, Reals
from graphwright.ops.linalg.row_steps import exchange


def single(x: float) -> float:
    """The nearest number of 32 bits."""
    return float(np.float32(x))


def triangular_factors(
    matrices: Reals, orders: Integers, count: int, n: int, is_single: bool
) -> None:
    """Makes matrices L below and U above their diagonals, and says which row each row was.

    A pivot is the first of the greatest absolute values, but NaN only where it comes first.

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
        for k in range(n - 1):
            pivot = k
            size = abs(a[k * n + k])
            for i in range(k + 1, n):
                if abs(a[i * n + k]) > size:
                    pivot = i
                    size = abs(a[i * n + k])
            if pivot != k:
                exchange(a[k * n :], a[pivot * n :], n)
                number = order[k]
                order[k] = order[pivot]
                order[pivot] = number
            row = a[k * n :]
            for i in range(k + 1, n):
                other = a[i * n :]
                share = other[k] / row[k]
                if is_single:
                    share = single(share)
                    for j in range(k + 1, n):
                        other[j] = single(other[j] - single(share * row[j]))
                else:
                    for j in range(k + 1, n):
                        other[j] = other[j] - share * row[j]
                other[k] = share


#: All functions; each calls those before it.
FUNCTIONS = (exchange, triangular_factors)
