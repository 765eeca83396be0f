"""Rules of rounding to grids: the formulas of their kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros_like
from graphwright.ops.core.indexing import where
from graphwright.ops.core.rule_words import Rule
from graphwright.ops.math.arithmetic import maximum, minimum
from graphwright.ops.math.comparison import equal, logical_and, logical_not, logical_or
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.rounding import floor
from graphwright.ops.quantization.fake_quantization import (
    FakeQuantWithMinMaxArgs,
    FakeQuantWithMinMaxArgsGradient,
    FakeQuantWithMinMaxVars,
    FakeQuantWithMinMaxVarsGradient,
    FakeQuantWithMinMaxVarsPerChannel,
    FakeQuantWithMinMaxVarsPerChannelGradient,
    nudged,
)
from graphwright.types import dtypes as dt


class Constants:
    """A grid between constants."""

    def __init__(self, op: Any) -> None:
        low, high = float(op.min), float(op.max)
        grid = nudged(low, high, op.num_bits, op.narrow_range)
        self.least, self.most, self.step, self.zero = map(float, grid)
        width = np.float32(high) - np.float32(low)
        self.factor = float(np.float32(2**op.num_bits - 1 - op.narrow_range) / width)
        self.empty: Any = None  # such a range is refused

    def places(self, shifted: Any) -> Any:
        """The distance from the least value in steps."""
        return shifted * self.factor


class TensorGrid(Constants):
    """A grid between tensors, moved so that 0 is on it."""

    def __init__(self, op: Any, low: Any, high: Any) -> None:
        first, last = float(op.narrow_range), float(2**op.num_bits - 1)
        self.step = (high - low) / (last - first)
        zero = floor(minimum(maximum(first - low / self.step, first), last) + 0.5)
        self.least, self.most = (first - zero) * self.step, (last - zero) * self.step
        self.zero = zero - first
        self.empty = logical_and(equal(low, 0.0), equal(high, 0.0))
        self.factor = (last - first) / (high - low)
        self.is_one = low.shape.rank == 0

    def places(self, shifted: Any) -> Any:
        """The distance from the least value in steps."""
        return shifted / self.step if self.is_one else shifted * self.factor


def on_grid(op: Op, x: Any, *bounds: Any) -> Any:
    """The nearest value of the grid; 0 for an empty range"""
    grid = TensorGrid(op, *bounds) if bounds else Constants(op)
    shifted = minimum(maximum(x, grid.least), grid.most) - grid.least
    result = floor(grid.places(shifted) - grid.zero + 0.5) * grid.step
    return result if grid.empty is None else where(grid.empty, zeros_like(result), result)


def inside(op: Op, g: Any, x: Any) -> Any:
    """The cotangent where `x` is in the range"""
    grid = Constants(op)
    return g * cast(logical_and(x >= grid.least, x <= grid.most), dt.float32)


def split(op: Op, g: Any, x: Any, low: Any, high: Any) -> Any:
    """The cotangent where `x` is in the range, and the sums of it below and above"""
    grid = TensorGrid(op, low, high)
    within = logical_or(grid.empty, logical_and(x >= grid.least, x <= grid.most))
    there = logical_not(grid.empty)
    sides = (logical_and(there, x < grid.least), logical_and(there, x > grid.most))
    axes = list(range(x.shape.rank - low.shape.rank))
    below, above = [reduce_sum(g * cast(side, dt.float32), axes) for side in sides]
    return g * cast(within, dt.float32), below, above


RULES: dict[type[Op], Rule] = {
    FakeQuantWithMinMaxArgs: on_grid,
    FakeQuantWithMinMaxArgsGradient: inside,
    FakeQuantWithMinMaxVars: on_grid,
    FakeQuantWithMinMaxVarsGradient: split,
    FakeQuantWithMinMaxVarsPerChannel: on_grid,
    FakeQuantWithMinMaxVarsPerChannelGradient: split,
}
