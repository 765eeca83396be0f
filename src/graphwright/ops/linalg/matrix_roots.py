"""Square roots and logarithms of batches of matrices.

Roots are SciPy's, but machine code takes those of matrices of few rows. SciPy takes about 1 ms
for the logarithm of a small matrix. So those are computed here, for all matrices at once and
diagonal by diagonal: `Diagonals` has the main one first, each [entries, matrices]. That takes 0.01
to 0.05 of SciPy's time for 20 to 1,000 matrices of 3 to 10 rows. It takes 0.3 for one of 3 rows, or
20 of 20 rows (`python -m benchmarks.alternatives`).

Source: Higham, "Functions of Matrices" (2008), chapter 11.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphwright.ops.linalg import small_factors, small_matrices
from graphwright.ops.linalg.lapack_routines import lapack
from graphwright.types.arrays import Array

Complexes = npt.NDArray[np.complex128]
Diagonals: TypeAlias = list[Complexes]

_NODES = 7
#: The distance from 1 up to which so many nodes give a matrix's logarithm to float64's last bit.
_NEAR = 0.25
_REAL = 1e-7  # of the greatest entry; imaginary parts below it come from rounding


def square_root(matrices: Array) -> Any:
    """The principal roots of [matrices, n, n], NaN of real ones that have no real root."""
    if (by_code := small_factors.square_roots(matrices, _REAL)) is not None:
        return by_code
    from scipy.linalg import sqrtm  # here, for it takes long to import

    exact = matrices.astype(np.result_type(matrices, np.float64))
    finite: Any = np.isfinite(matrices).all((1, 2))
    roots = _one_by_one(sqrtm, exact, finite)
    if matrices.dtype.kind == "c":
        return roots
    least = np.abs(roots).max((1, 2), keepdims=True) * _REAL
    real = (np.abs(roots.imag) <= least).all((1, 2), keepdims=True)
    return np.where(real, roots.real, np.nan)


def logarithm(matrices: Array) -> Any:
    """The principal logarithms of complex [matrices, n, n], NaN of singular ones."""
    t, q = schur(matrices.astype(np.complex128))
    count, size, _ = matrices.shape
    if size <= max(small_matrices.SMALL, count):
        results = _by_diagonals(t)
    else:
        from scipy.linalg import logm  # here, for it takes long to import

        eigenvalues = np.diagonal(t, axis1=1, axis2=2)
        results = _one_by_one(logm, t, (np.isfinite(eigenvalues) & (eigenvalues != 0)).all(1))
    return q @ results @ q.conj().swapaxes(1, 2)


def _one_by_one(
    function: Callable[[Array], Array], matrices: Array, which: npt.NDArray[np.bool_]
) -> Complexes:
    """SciPy's function of some of the matrices, NaN of the others."""
    results = np.full(matrices.shape, np.nan, np.complex128)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of singular matrices and inaccurate results
        for i in np.flatnonzero(which):
            results[i] = function(matrices[i])
    return results


def schur(matrices: Complexes) -> tuple[Complexes, Complexes]:
    """The triangular t and unitary q of x = q @ t @ adjoint(q); NaN where x is not finite."""
    gees = lapack("gees", np.complex128)
    t, q = np.full((2, *matrices.shape), np.nan, np.complex128)
    finite: Any = np.isfinite(matrices).all((1, 2))
    for i in np.flatnonzero(finite):
        form, _, _, vectors, _, failed = gees(_unsorted, matrices[i])
        if not failed:
            t[i], q[i] = form, vectors
    return t, q


def _unsorted(_: complex) -> None:
    """None: LAPACK asks for each eigenvalue whether it comes first."""


def _by_diagonals(t: Complexes) -> Complexes:
    """The logarithms of triangular [matrices, n, n]."""
    size = t.shape[1]
    rows = [np.arange(size - d) for d in range(size)]
    entries = small_matrices.entries_first(t)
    diagonals = _logarithm([entries[i, i + d] for d, i in enumerate(rows)])
    results = np.zeros_like(t)
    for d, i in enumerate(rows):
        results[:, i, i + d] = diagonals[d].T
    return results


def _inner(a: Diagonals, b: Diagonals, d: int) -> Any:
    """Diagonal d of the product of two matrices, less the terms of their main diagonals."""
    count = len(a[0]) - d
    return sum(a[k][:count] * b[d - k][k : k + count] for k in range(1, d))


def _root(t: Diagonals) -> Diagonals:
    """The principal root of triangular matrices."""
    r = [np.sqrt(t[0])]
    for d in range(1, len(t)):
        both = r[0][:-d] + r[0][d:]
        rest = t[d] - _inner(r, r, d)
        nothing = (both == 0) & (rest == 0)
        both[nothing] = 1
        r.append(rest / both)
    return r


def _logarithm(t: Diagonals) -> Diagonals:
    """The principal logarithm of triangular matrices, by roots that are near to 1."""
    singular = (t[0] == 0).any(0)
    t = [np.where(singular, np.nan, diagonal) for diagonal in t]
    main = np.log(t[0])
    halvings = np.zeros(t[0].shape[1], np.int64)
    while (far := np.flatnonzero(_distance(t) > _NEAR)).size:
        for diagonal, root in zip(t, _root([diagonal[:, far] for diagonal in t])):
            diagonal[:, far] = root
        halvings[far] += 1
    scale = np.ldexp(1.0, halvings)
    x = [np.expm1(main / scale), *t[1:]]
    result = [np.zeros_like(diagonal) for diagonal in x]
    from numpy.polynomial.legendre import leggauss  # here, for it takes long to import

    nodes, weights = leggauss(_NODES)
    for node, weight in zip((1 + nodes) / 2, weights / 2):
        for total, part in zip(result, _fraction(x, node)):
            total += weight * part
    return [main, *[diagonal * scale for diagonal in result[1:]]]


def _distance(t: Diagonals) -> Any:
    """At least the norm of the triangular matrices less one."""
    return np.abs(t[0] - 1).max(0) + sum(np.abs(diagonal).max(0) for diagonal in t[1:])


def _fraction(x: Diagonals, node: float) -> Diagonals:
    """y of (1 + node * x) @ y = x for triangular matrices."""
    scaled = [node * diagonal for diagonal in x]
    pivots = 1 + scaled[0]
    y = [x[0] / pivots]
    for d in range(1, len(x)):
        rest = x[d] - _inner(scaled, y, d) - scaled[d] * y[0][d:]
        y.append(rest / pivots[:-d])
    return y
