"""Systems of many banded matrices, solved by one call of LAPACK.

Matrices with few diagonals, one after the other, are the blocks of a single matrix with as many
diagonals, which are zero between the blocks. Only a number that is not finite spoils other blocks,
since zero times infinity is NaN. Such matrices, and singular ones, are solved on their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.ops.linalg.lapack_routines import lapack
from graphwright.types.arrays import Array


def tridiagonal(diagonals: Array, sides: Array) -> Array:
    """The x [..., n, k] of systems with diagonals [..., 3, n]: above, main and below.

    The last entry above and the first one below are not read. NaN of a singular matrix.
    """
    gtsv = lapack("gtsv", sides.dtype)

    def solve(diagonals: Array, sides: Array) -> Array | None:
        above, main, below = (diagonals[:, i].flatten() for i in range(3))  # copies
        if len(main) == 1:
            return sides / main if main[0] else None
        over = {f"overwrite_{name}": True for name in ("dl", "d", "du")}
        *_, x, info = gtsv(below[1:], main, above[:-1], sides.reshape(len(main), -1), **over)
        return None if info else x.reshape(sides.shape)

    bands = diagonals.copy()
    bands[..., 0, -1:] = bands[..., 2, :1] = 0
    return _solved(solve, bands, sides)


def triangular(bands: Array, sides: Array, lower: bool, adjoint: bool) -> Array:
    """The x [..., n, k] of triangular systems with diagonals [..., d, n], none zero on the main.

    Diagonals are stored as in LAPACK, each entry in its column. Those of upper matrices begin with
    the highest, those of lower ones with the main one. What lies outside is not read.
    """
    tbtrs = lapack("tbtrs", sides.dtype)
    *_, count, size = bands.shape
    rows, columns = np.indices((count, size))
    outside = rows + columns >= size if lower else columns < count - 1 - rows
    flags = {"uplo": "L" if lower else "U", "trans": "C" if adjoint else "N"}

    def solve(bands: Array, sides: Array) -> Array:
        joined = bands.swapaxes(0, 1).reshape(count, -1)
        x, *_ = tbtrs(joined, sides.reshape(joined.shape[1], -1), **flags)
        return np.reshape(x, sides.shape)

    return _solved(solve, np.where(outside, 0, bands), sides)


def _solved(solve: Callable[[Array, Array], Array | None], bands: Array, sides: Array) -> Array:
    """The x of all systems; batch dimensions of bands and sides broadcast.

    `solve` takes several systems at once, and returns None if one of them is singular.
    """
    lead = np.broadcast_shapes(bands.shape[:-2], sides.shape[:-2])
    bands, sides = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (bands, sides))
    shape = sides.shape
    if not sides.size:
        return np.empty(shape, sides.dtype)
    bands, sides = (a.reshape(-1, *a.shape[-2:]) for a in (bands, sides))
    alone = ~_finite(bands) | ~_finite(sides)
    some = slice(None) if not alone.any() else ~alone
    together = solve(bands[some], sides[some]) if not alone.all() else None
    result = np.full(sides.shape, np.nan, sides.dtype)
    if together is not None:
        result[some] = together
    for i in np.flatnonzero(~_finite(result)):
        x = solve(bands[i : i + 1], sides[i : i + 1])
        result[i] = np.nan if x is None else x[0]
    return result.reshape(shape)


def _finite(matrices: Array) -> Any:
    """Whether all entries of each matrix are finite."""
    return np.isfinite(matrices).all((-2, -1))
