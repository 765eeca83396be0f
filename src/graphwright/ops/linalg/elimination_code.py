"""Systems of linear equations with real matrices, as plain Python for machine code.

Gaussian elimination with partial pivoting, eight columns at once: a block's multiples are found in
these columns alone, and then each row below is changed by eight rows in one pass. A matrix and its
right-hand sides stand side by side, in rows whose parts are multiples of eight numbers. The matrix
goes on with a unit matrix up to there, the right-hand sides with zeros.

Source: Golub and Van Loan, "Matrix Computations" (2013), chapter 3.
"""

from __future__ import annotations

from graphwright.base.scalar_code import Reals
from graphwright.ops.linalg.row_steps import exchange


def row_length(width: int) -> int:
    """The distance of rows of so many numbers: an odd multiple of eight, since the numbers of a
    column shall lie in unlike places of the cache."""
    return width // 16 * 16 + 8


def fold(x: Reals, y: Reals, step: int, f: Reals, n: int) -> None:
    """x becomes x - f[0] * y[0] - ... - f[7] * y[7], whose rows are a step apart."""
    for t in range(8):
        for i in range(n):
            x[i] = x[i] - f[t] * y[t * step + i]


def eliminate(w: Reals, count: int, step: int, column: int, u: Reals, inverse: float) -> None:
    """Eight columns of rows become those less a multiple of u, and one of them the multiples."""
    for i in range(count):
        row = w[i * step :]
        share = row[column] * inverse
        for j in range(8):
            row[j] = row[j] - share * u[j]
        row[column] = share


def _reduce(w: Reals, rows: int, width: int, step: int, u: Reals, least: float) -> bool:
    """Makes w upper triangular; whether all pivots are greater than `least`.

    Below the diagonal are multiples, and numbers without a meaning.
    """
    for k in range(0, rows, 8):
        for column in range(k, k + 8):
            place = column
            size = abs(w[column * step + column])
            for i in range(column + 1, rows):
                if abs(w[i * step + column]) > size:
                    place = i
                    size = abs(w[i * step + column])
            if not size > least:
                return False
            if place != column:
                exchange(w[column * step + k :], w[place * step + k :], width - k)
            row = w[column * step + k :]
            for j in range(8):
                u[j] = row[j] if j > column - k else 0.0
            inverse = 1.0 / row[column - k]
            eliminate(row[step:], rows - column - 1, step, column - k, u, inverse)
        block = w[k * step + k + 8 :]
        rest = width - k - 8
        for i in range(1, 8):
            for j in range(8):
                u[j] = w[(k + i) * step + k + j] if j < i else 0.0
            fold(block[i * step :], block, step, u, rest)
        for i in range(8, rows - k):
            fold(block[i * step :], block, step, w[(k + i) * step + k :], rest)
    return True


def _substitute(w: Reals, rows: int, width: int, step: int, u: Reals) -> None:
    """Makes the right-hand sides behind an upper triangular matrix solutions."""
    count = width - rows
    for k in range(rows - 8, -1, -8):
        sides = w[k * step + rows :]
        for i in range(7, -1, -1):
            row = w[(k + i) * step + k :]
            for j in range(8):
                u[j] = row[j] if j > i else 0.0
            side = sides[i * step :]
            fold(side, sides, step, u, count)
            inverse = 1.0 / row[i]
            for j in range(count):
                side[j] = side[j] * inverse
        for i in range(k):
            fold(w[i * step + rows :], sides, step, w[i * step + k :], count)


def padded_row(row: Reals, numbers: Reals, n: int, padded: int, most: float) -> float:
    """A row of n numbers and zeros; the greatest absolute value, also of `most`. It may be NaN."""
    for j in range(n):
        size = abs(numbers[j])
        most = size if size != size else max(most, size)
        row[j] = numbers[j]
    for j in range(n, padded):
        row[j] = 0.0
    return most


def solve_systems(
    matrices: Reals, sides: Reals, results: Reals, count: int, n: int, m: int, is_inverse: bool,
    share: float, work: Reals,
) -> int:  # fmt: skip
    """The solutions of systems; how many are done. The next one is for LAPACK.

    Args:
        matrices: [count, n, n].
        sides: [count, n, m], the right-hand sides; anything if `is_inverse` is true.
        results: [count, n, m].
        count: How many systems there are.
        n: Their rows.
        m: Their right-hand sides.
        is_inverse: Whether the right-hand sides are unit matrices.
        share: The least pivots, relative to the greatest entry.
        work: Room, as `small_systems.room` says.
    """
    rows = (n + 7) // 8 * 8
    width = rows + (m + 7) // 8 * 8
    step = row_length(width)
    u = work[0:]
    w = work[8:]
    for system in range(count):
        most = 0.0
        most_of_sides = 0.0
        for i in range(rows):
            row = w[i * step :]
            side = row[rows:]
            place = system * n + i
            if i < n:
                most = padded_row(row, matrices[place * n :], n, rows, most)
            else:
                padded_row(row, row, 0, rows, 0.0)
                row[i] = 1.0
            if i < n and not is_inverse:
                most_of_sides = padded_row(
                    side, sides[place * m :], m, width - rows, most_of_sides
                )
            else:
                padded_row(side, side, 0, width - rows, 0.0)
                if i < n:
                    side[i] = 1.0
        if not (1e-100 < most < 1e100 and most_of_sides < 1e100):
            return system
        if not _reduce(w, rows, width, step, u, share * most):
            return system
        _substitute(w, rows, width, step, u)
        for i in range(n):
            side = w[i * step + rows :]
            result = results[(system * n + i) * m :]
            for j in range(m):
                result[j] = side[j]
    return count


#: All functions; each calls those before it.
FUNCTIONS = (
    row_length, exchange, fold, eliminate, _reduce, _substitute, padded_row, solve_systems,
)  # fmt: skip
