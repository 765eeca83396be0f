"""Rules of ops on diagonals and bands of matrices.

Which element is on which diagonal follows from ranges of rows and columns, so that sizes need not
be known.
"""

from __future__ import annotations

import math
from typing import Any

from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.identity import identity
from graphwright.ops.core.indexing import where
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.rule_words import Rule, dims_of, extent, host, moved
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.linalg.matrices import (
    MatrixBandPart,
    MatrixDiagPartV3,
    MatrixDiagV3,
    MatrixSetDiagV3,
    bounds_of,
    matrix_sizes,
)
from graphwright.ops.linalg.tensor_diagonals import Diag, DiagPart
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.types import dtypes as dt


def band_part(op: Op, x: Any, lower: Any, upper: Any) -> Any:
    """x near the diagonal, else 0"""
    bounds = host(lower), host(upper)
    if None in bounds:
        return None
    rows, columns = [steps(extent(x, i)) for i in (-2, -1)]
    distance = columns - expand_dims(rows, 1)
    for i, (bound, side) in enumerate(zip(bounds, (-distance, distance))):
        if bound > 0 and x.shape[i - 2] is None:  # the kernel refuses one beyond the matrix
            return None
        if bound >= 0:
            x = where(side <= cast(bound, dt.int32), x, zeros_like(x))
    return identity(x)


class StoredBand:
    """Where the diagonals lower, ..., upper of a matrix are stored: see `ops.linalg.matrices`."""

    def __init__(self, rows: Any, columns: Any, bounds: tuple[int, int], align: str) -> None:
        self.rows, self.columns = rows, columns
        self.lower, self.upper = bounds
        self.above, self.below = [side == "LEFT" for side in align.split("_")]
        self.longest = minimum(rows + min(self.upper, 0), columns - max(self.lower, 0))

    def shift(self, offset: Any) -> Any:
        """How far a diagonal is moved to the right."""
        if (self.above and self.below) or self.lower == self.upper:
            return 0
        length = minimum(self.rows + minimum(offset, 0), self.columns - maximum(offset, 0))
        left = offset >= 0 if self.above else offset <= 0
        if self.above == self.below:
            return self.longest - length
        return where(left, 0, self.longest - length)

    def stored(self, diagonal: Any, otherwise: Any) -> Any:
        """A matrix with what is stored, and something else beside it."""
        rows, columns = expand_dims(steps(self.rows), 1), steps(self.columns)
        offset = columns - rows
        inside = (offset >= self.lower) & (offset <= self.upper)
        place = columns - maximum(offset, 0) + self.shift(offset)
        places = [where(inside, self.upper - offset, 0)] if self.lower != self.upper else []
        places.append(where(inside, place, 0))
        return where(inside, picked(diagonal, places), otherwise)

    def taken(self, x: Any, padding: Any) -> Any:
        """What is to be stored of a matrix."""
        if self.lower == self.upper:
            along = steps(self.longest)
            return picked(x, [along + max(-self.lower, 0), along + max(self.lower, 0)])
        offset = expand_dims(self.upper - steps(self.upper - self.lower + 1), 1)
        step = steps(self.longest) - self.shift(offset)
        row, column = step + maximum(-offset, 0), step + maximum(offset, 0)
        valid = (step >= 0) & (row < self.rows) & (column < self.columns)
        found = picked(x, [where(valid, row, 0), where(valid, column, 0)])
        return where(valid, found, padding)


def picked(x: Any, places: list[Any]) -> Any:
    """The elements at places along the last axes."""
    first = x.shape.rank - len(places)
    return moved(x, first, places)


def diagonal_matrix(op: Any, diagonal: Any, k: Any, rows: Any, columns: Any, value: Any) -> Any:
    """What is stored in the diagonals, and the value beside them"""
    bounds, wanted = bounds_of(host(k)), [host(rows), host(columns)]
    if bounds is None or None in wanted:
        return None
    size = extent(diagonal, -1)
    if wanted == [-1, -1]:
        sizes = [size + max(-bounds[1], bounds[0], 0)] * 2
    elif isinstance(size, int):
        sizes = matrix_sizes(size, *bounds, *wanted)
    else:
        return None
    return StoredBand(sizes[0], sizes[1], bounds, op.align).stored(diagonal, value)


def diagonal_part(op: Any, x: Any, k: Any, padding: Any) -> Any:
    """The diagonals of matrices, padded to one length"""
    bounds = bounds_of(host(k))
    if bounds is None or not is_inside(bounds, x):
        return None
    return StoredBand(extent(x, -2), extent(x, -1), bounds, op.align).taken(x, padding)


def other_diagonal(op: Any, x: Any, diagonal: Any, k: Any) -> Any:
    """The matrix with what is stored in its diagonals"""
    bounds = bounds_of(host(k))
    if bounds is None or not is_inside(bounds, x):
        return None
    band = StoredBand(extent(x, -2), extent(x, -1), bounds, op.align)
    if None in (diagonal.shape[-1], *x.shape[-2:]):  # it must be as long as it is to be
        diagonal = reshape(diagonal, [*dims_of(diagonal)[:-1], band.longest])
    return band.stored(diagonal, x)


def is_inside(bounds: tuple[int, int], x: Any) -> bool:
    """Whether a matrix is known to have these diagonals; kernels refuse those outside."""
    return bounds == (0, 0) or None not in x.shape[-2:]


def tensor_diagonal(op: Op, diagonal: Any) -> Any:
    """The matrix of all elements in a row, as a tensor of twice the rank"""
    dims = dims_of(diagonal)
    row = reshape(diagonal, [-1])
    size = extent(row, 0)
    zero = cast(0, diagonal.dtype)
    return reshape(StoredBand(size, size, (0, 0), "LEFT_LEFT").stored(row, zero), dims * 2)


def tensor_diagonal_part(op: Op, x: Any) -> Any:
    """The diagonal of the tensor as a matrix, in half of its shape"""
    half = dims_of(x)[: x.shape.rank // 2]
    if not half or None in x.shape:
        return None
    size = math.prod(half)
    row = StoredBand(size, size, (0, 0), "LEFT_LEFT").taken(reshape(x, [size, size]), None)
    return reshape(row, half)


RULES: dict[type[Op], Rule] = {
    Diag: tensor_diagonal,
    DiagPart: tensor_diagonal_part,
    MatrixBandPart: band_part,
    MatrixDiagPartV3: diagonal_part,
    MatrixDiagV3: diagonal_matrix,
    MatrixSetDiagV3: other_diagonal,
}
