"""Diagonals and bands of matrices in expansions: places that follow from rows and columns.

So sizes need not be known.
"""

from __future__ import annotations

from typing import Any

from graphwright.op.expansion import GraphTensor
from graphwright.ops.core.movement import expand_dims
from graphwright.ops.core.rule_words import moved
from graphwright.ops.core.sequences import range as steps
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import select
from graphwright.types.arguments import TensorLike


class StoredBand:
    """Where the diagonals lower, ..., upper of a matrix are stored: see `matrices`."""

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
        return select(left, 0, self.longest - length)

    def stored(self, diagonal: GraphTensor, otherwise: GraphTensor) -> Any:
        """A matrix with what is stored, and something else beside it."""
        rows, columns = expand_dims(steps(self.rows), 1), steps(self.columns)
        offset = columns - rows
        inside = (offset >= self.lower) & (offset <= self.upper)
        place = columns - maximum(offset, 0) + self.shift(offset)
        places = [select(inside, self.upper - offset, 0)] if self.lower != self.upper else []
        places.append(select(inside, place, 0))
        return select(inside, at_places(diagonal, places), otherwise)

    def taken(self, x: GraphTensor, padding: TensorLike) -> Any:
        """What is to be stored of a matrix."""
        if self.lower == self.upper:
            along = steps(self.longest)
            return at_places(x, [along + max(-self.lower, 0), along + max(self.lower, 0)])
        offset = expand_dims(self.upper - steps(self.upper - self.lower + 1), 1)
        step = steps(self.longest) - self.shift(offset)
        row, column = step + maximum(-offset, 0), step + maximum(offset, 0)
        valid = (step >= 0) & (row < self.rows) & (column < self.columns)
        values = at_places(x, [select(valid, row, 0), select(valid, column, 0)])
        return select(valid, values, padding)


def at_places(x: GraphTensor, places: list[Any]) -> Any:
    """The elements at places along the last axes."""
    first = x.shape.rank - len(places)
    return moved(x, first, places)


def is_inside(bounds: tuple[int, int], x: GraphTensor) -> bool:
    """Whether a matrix is known to have these diagonals; kernels refuse those outside."""
    return bounds == (0, 0) or None not in x.shape[-2:]
