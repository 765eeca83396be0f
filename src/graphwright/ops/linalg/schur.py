"""Schur forms of batches: the unitary q and upper triangular t of x = q @ t @ adjoint(q).

LAPACK computes them one matrix after the other. Many small matrices go together, by QR steps on
Hessenberg matrices with explicit shifts (Golub, Van Loan, "Matrix Computations", 7.4). The steps go
on until the last row of every matrix has split off, then with one row less. Matrices that take
longer continue by themselves. As in `small_matrices`, their arrays have entries before matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.ops.linalg import small_matrices

Complexes = npt.NDArray[np.complex128]
Turn = tuple[Complexes, Complexes]

_TOGETHER = 5  # rows; of larger ones LAPACK is faster
_STEPS = 60  # for a row; two or three are usual


def together(count: int, size: int) -> bool:
    """Whether `count` matrices of a size are transformed together."""
    return size <= _TOGETHER and small_matrices.side_by_side(count, size)


def schur(matrices: Complexes) -> tuple[Complexes, Complexes]:
    """t and q of [matrices, n, n]; NaN for matrices that are not finite."""
    count, size, _ = matrices.shape
    finite: Any = np.isfinite(matrices).all((1, 2))
    if together(count, size):
        entries = small_matrices.entries_first(np.where(finite[:, None, None], matrices, np.nan))
        exponents = np.frexp(np.abs(entries).max((0, 1)))[1]
        t, q = _together(np.ldexp(entries.view(float), -np.repeat(exponents, 2)).view(complex))
        t = np.ldexp(t.view(float), np.repeat(exponents, 2)).view(complex)
        t, q = (small_matrices.entries_last(part, matrices.shape) for part in (t, q))
        alone = finite & ~np.isfinite(t).all((1, 2))
    else:
        t, q = np.full((2, *matrices.shape), np.nan, np.complex128)
        alone = finite
    if alone.any():
        _one_by_one(matrices, alone, t, q)
    return t, q


def _one_by_one(
    matrices: Complexes, which: npt.NDArray[np.bool_], t: Complexes, q: Complexes
) -> None:
    """LAPACK's forms of some of the matrices."""
    from scipy.linalg import get_lapack_funcs  # here, for it takes long to import

    gees = get_lapack_funcs("gees", dtype=np.complex128)
    for i in np.flatnonzero(which):
        form, _, _, vectors, _, failed = gees(_unsorted, matrices[i])
        t[i], q[i] = (np.nan, np.nan) if failed else (form, vectors)


def _unsorted(_: complex) -> None:
    """None: LAPACK asks of each eigenvalue whether it comes first."""


def _together(t: Complexes) -> tuple[Complexes, Complexes]:
    """t and q of [n, n, matrices]; NaN for matrices that do not converge."""
    size = len(t)
    q = np.zeros_like(t)
    q[np.arange(size), np.arange(size)] = 1
    for column in range(size - 2):
        for row in range(size - 2, column, -1):
            turn = _turn(t[row, column], t[row + 1, column])
            _turn_rows(t, row, turn, column)
            _turn_columns(t, row, turn)
            _turn_columns(q, row, turn)
            t[row + 1, column] = 0
    for last in range(size - 1, 0, -1):
        _split_off(t, q, last, 0)
    return t, q


def _split_off(t: Complexes, q: Complexes, last: int, step: int) -> None:
    """Steps on the rows up to the last, until all of it before its diagonal is 0."""
    while True:
        around = np.abs(t[last, last]) + np.abs(t[last - 1, last - 1])
        left = np.abs(t[last, last - 1]) > np.finfo(np.float64).eps * around
        missing = np.flatnonzero(left)
        if not missing.size or step == _STEPS:
            t[..., missing] = np.nan
            break
        if 4 * missing.size <= 3 * t.shape[2]:
            some, turned = t[..., missing], q[..., missing]
            _split_off(some, turned, last, step)
            t[..., missing], q[..., missing] = some, turned
            break
        _step(t, q, last, step)
        step += 1
    t[last, last - 1] *= 0  # but NaN


def _step(t: Complexes, q: Complexes, last: int, step: int) -> None:
    """t - shift = Q R becomes R Q + shift."""
    stuck = step % 10 == 9
    shift = t[last, last] + np.abs(t[last, last - 1]) if stuck else _shift(t, last)
    diagonal = np.arange(last + 1)
    t[diagonal, diagonal] -= shift
    turns = []
    for row in range(last):
        turns.append(_turn(t[row, row], t[row + 1, row]))
        _turn_rows(t, row, turns[-1], row)
    for row, turn in enumerate(turns):
        _turn_columns(t, row, turn, row + 2)
        _turn_columns(q, row, turn)
    t[diagonal, diagonal] += shift


def _shift(t: Complexes, last: int) -> Any:
    """The eigenvalue of the last two rows and columns that is nearer to the last entry."""
    a, b = t[last - 1, last - 1 : last + 1]
    c, d = t[last, last - 1 : last + 1]
    half, product = (a - d) / 2, b * c
    root = np.sqrt(half * half + product)
    whole = half + np.where((half.conj() * root).real < 0, -root, root)
    return d - product / np.where(whole == 0, 1, whole)


def _turn(a: Complexes, b: Complexes) -> Turn:
    """The rotation of (a, b) to (length, 0): both divided by their length."""
    length = np.sqrt(a.real**2 + a.imag**2 + b.real**2 + b.imag**2)
    none = length == 0
    share = 1 / np.where(none, 1, length)
    return np.where(none, 1, a * share), b * share


def _turn_rows(t: Complexes, row: int, turn: Turn, first: int) -> None:
    """Rotates a row and the next, from a column on."""
    a, b = turn
    upper, lower = t[row, first:], t[row + 1, first:]
    turned = a.conj() * upper + b.conj() * lower
    lower[:] = a * lower - b * upper
    upper[:] = turned


def _turn_columns(t: Complexes, column: int, turn: Turn, rows: int | None = None) -> None:
    """Applies the inverse of a rotation from the right, in the first rows."""
    a, b = turn
    left, right = t[:rows, column], t[:rows, column + 1]
    turned = a * left + b * right
    right[:] = a.conj() * right - b.conj() * left
    left[:] = turned
