"""The grids that floats are rounded to: between constants, and between tensors in expansions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from graphwright.op.expansion import GraphTensor
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import equal, logical_and, select
from graphwright.ops.math.rounding import floor
from graphwright.types.arrays import Array

#: A bound of a range: a constant, or an array of them.
Bound: TypeAlias = float | Array


def nudged(low: Bound, high: Bound, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any, Any]:
    """The grid moved so that 0 is on it: least and greatest value, step, the place of 0."""
    least, most = np.float32(low), np.float32(high)
    first, last = np.float32(1 if narrow_range else 0), np.float32(2**num_bits - 1)
    step = np.asarray((most - least) / (last - first), np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        zero = np.floor(np.clip(first - least / step, first, last) + np.float32(0.5))
    return (first - zero) * step, (last - zero) * step, step, zero - first


class ConstantGrid:
    """A grid between constants."""

    least: Any  # they are floats here, and tensors in a grid between tensors
    most: Any
    step: Any
    zero: Any
    factor: Any

    def __init__(self, op: Any) -> None:
        low, high = float(op.min), float(op.max)
        grid = nudged(low, high, op.num_bits, op.narrow_range)
        self.least, self.most, self.step, self.zero = map(float, grid)
        width = np.float32(high) - np.float32(low)
        self.factor = float(np.float32(2**op.num_bits - 1 - op.narrow_range) / width)
        self.empty: Any = None  # such a range is refused

    def places(self, shifted: GraphTensor) -> Any:
        """The distance from the least value in steps."""
        return shifted * self.factor


class TensorGrid(ConstantGrid):
    """A grid between tensors, moved so that 0 is on it."""

    def __init__(self, op: Any, low: GraphTensor, high: GraphTensor) -> None:
        first, last = float(op.narrow_range), float(2**op.num_bits - 1)
        self.step = (high - low) / (last - first)
        zero = floor(minimum(maximum(first - low / self.step, first), last) + 0.5)
        self.least, self.most = (first - zero) * self.step, (last - zero) * self.step
        self.zero = zero - first
        self.empty = logical_and(equal(low, 0.0), equal(high, 0.0))
        self.factor = (last - first) / (high - low)
        self.is_one = low.shape.rank == 0

    def places(self, shifted: GraphTensor) -> Any:
        """The distance from the least value in steps."""
        return shifted / self.step if self.is_one else shifted * self.factor


def rounded_to(grid: ConstantGrid, x: GraphTensor) -> Any:
    """The nearest value of a grid; 0 for an empty range."""
    shifted = minimum(maximum(x, grid.least), grid.most) - grid.least
    result = floor(grid.places(shifted) - grid.zero + 0.5) * grid.step
    return result if grid.empty is None else select(grid.empty, zeros_like(result), result)
