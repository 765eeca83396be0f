"""Floats rounded to a grid of few values that has 0 on it, as if they were stored in few bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import elementwise, last_axes, last_axes_of_first
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.op_families import same_dims
from graphwright.op.op_functions import function_of
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones_like, zeros_like
from graphwright.ops.math.comparison import logical_and, logical_not, logical_or, select
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.quantization.rounding_grids import (
    Bound,
    ConstantGrid,
    TensorGrid,
    nudged,
    rounded_to,
)
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType


def on_grid(x: Array, low: Bound, high: Bound, op: Grid) -> Array:
    """`x` rounded to the grid of an op with `num_bits` and `narrow_range`; 0 for an empty range.

    Where `x` is half a step from two values, the last bit decides. As in TensorFlow, a range from
    scalar tensors divides by the step; constants and channels multiply by the steps in a unit.
    """
    least, most, step, zero = nudged(low, high, op.num_bits, op.narrow_range)
    shifted = np.clip(x, least, most) - least
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(low, float) or np.ndim(low):
            count = 2**op.num_bits - 1 - op.narrow_range
            places = shifted * (np.float32(count) / (np.float32(high) - np.float32(low)))
        else:
            places = shifted / step
    result = np.floor(places - zero + np.float32(0.5)) * step
    empty = (np.float32(low) == 0) & (np.float32(high) == 0)
    rounded: Array = np.where(empty, np.float32(0), result)
    return rounded.astype(np.float32)


def split_cotangent(
    g: Array, x: Array, low: Bound, high: Bound, op: Grid
) -> tuple[Array, Array, Array]:
    """The cotangent where `x` is in the range, below it and above it.

    A cotangent of NaN is NaN in all three, as in TensorFlow, which multiplies.
    """
    least, most, _, _ = nudged(low, high, op.num_bits, op.narrow_range)
    empty = (np.float32(low) == 0) & (np.float32(high) == 0)
    inside = empty | ((x >= least) & (x <= most))
    below, above = ~empty & (x < least), ~empty & (x > most)
    return g * np.float32(inside), g * np.float32(below), g * np.float32(above)


def joined_cotangent(op: Op, call: Call, cotangents: Sequence[Cotangent | None]) -> Any:
    """The transpose of `split_cotangent` and the sums.

    0 is always in the range, so an element outside is below it if it is negative.
    """
    g, x, *_ = call.inputs
    inside, below, above = (zeros_like(t) if c is None else c
                            for c, t in zip(cotangents, call.outputs))  # fmt: skip
    is_inside = apply(op, ones_like(g), *call.inputs[1:])[0] > 0
    return select(is_inside, inside, select(x < 0, below, above))


class Grid(Op):
    """An op on a grid of 2 ** num_bits values, or one less for a narrow range."""

    num_bits: int = 8
    narrow_range: bool = False


class Within(Op):
    """An op with a range of constants."""

    min: float = -6
    max: float = 6


class BetweenConstants(Grid, Within):
    """An op on a grid between constants."""

    ruled = True

    def check(self) -> None:
        """ValueError for an empty range, or for bits that no grid has."""
        check_bits(self.num_bits)
        if not self.min < self.max:
            raise ValueError(f"min has to be smaller than max, was: {self.min} >= {self.max}")


class FakeQuantWithMinMaxArgs(BetweenConstants):
    """The inputs rounded to a grid of 2 ** num_bits values between constants."""

    type_name = "FakeQuantWithMinMaxArgs"
    many_passes = True
    inputs = ("inputs: float32",)
    outputs = ("outputs: float32",)
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        self.check()
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        return on_grid(x, float(self.min), float(self.max), self)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = FakeQuantWithMinMaxArgsGradient.of(*self.values())
        return (apply(back, g, call.inputs[0]),)

    def expand(self, x: GraphTensor) -> Any:
        return rounded_to(ConstantGrid(self), x)


class FakeQuantWithMinMaxArgsGradient(BetweenConstants):
    """The cotangent where the input is in the range."""

    type_name = "FakeQuantWithMinMaxArgsGradient"
    inputs = ("gradients: float32", "inputs: float32")
    outputs = ("backprops: float32",)
    batched = last_axes

    def shapes(self, g: TensorType, x: TensorType) -> Shapes:
        self.check()
        return (same_dims(self, (g, x)),)

    def kernel(self, g: Array, x: Array) -> Any:
        return split_cotangent(g, x, self.min, self.max, self)[0].astype(np.float32)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return apply(self, g, call.inputs[1]), None

    def expand(self, g: GraphTensor, x: GraphTensor) -> Any:
        grid = ConstantGrid(self)
        return g * cast(logical_and(x >= grid.least, x <= grid.most), dt.float32)


class Between(Grid):
    """An op on a grid between two tensors, scalars here."""

    ruled = True

    def check(self, x: TensorType, low: TensorType, high: TensorType) -> None:
        """ValueError for bounds of another rank, or for bits that no grid has."""
        check_bits(self.num_bits)
        for name, bound in (("min", low), ("max", high)):
            if bound.rank not in (0, None):
                raise ValueError(f"`{name}` must be rank 0 but is rank {bound.rank}")

    def bound_dims(self, x: TensorType) -> Dims:
        """The shape of a bound."""
        return ()

    def total(self, cotangents: Array) -> Any:
        """The cotangent of a bound, from those of the elements beyond it."""
        return np.sum(cotangents, dtype=np.float32)


class BetweenVectors(Between):
    """An op with a grid for each place of the last axis."""

    def check(self, x: TensorType, low: TensorType, high: TensorType) -> None:
        check_bits(self.num_bits)
        for name, bound in (("min", low), ("max", high)):
            if bound.rank not in (1, None):
                raise ValueError(f"Shape must be rank 1 but is rank {bound.rank} for `{name}`")
            sizes = (x.dims[-1], bound.dims[0]) if x.dims and bound.dims else (None, None)
            if None not in sizes and sizes[0] != sizes[1]:
                raise ValueError(f"{name} has incorrect size, expected {sizes[0]} was {sizes[1]}")

    def bound_dims(self, x: TensorType) -> Dims:
        return (x.dims[-1] if x.dims else None,)

    def total(self, cotangents: Array) -> Any:
        return cotangents.sum(tuple(range(np.ndim(cotangents) - 1)), dtype=np.float32)


class Rounding(Between):
    """The inputs rounded to their grid."""

    many_passes = True
    inputs = ("inputs: float32", "min: float32", "max: float32")
    outputs = ("outputs: float32",)
    batched = last_axes_of_first

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        self.check(x, low, high)
        return (x.dims,)

    def kernel(self, x: Array, low: Array, high: Array) -> Any:
        return on_grid(x, low, high, self)

    def expand(self, x: GraphTensor, low: GraphTensor, high: GraphTensor) -> Any:
        return rounded_to(TensorGrid(self, low, high), x)


class RoundingGradient(Between):
    """The cotangents of the inputs and of both bounds."""

    inputs = ("gradients: float32", "inputs: float32", "min: float32", "max: float32")
    outputs = (
        "backprops_wrt_input: float32",
        "backprop_wrt_min: float32",
        "backprop_wrt_max: float32",
    )

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        self.check(x, low, high)
        dims = self.bound_dims(x)
        return (same_dims(self, (g, x)), low.dims or dims, high.dims or dims)

    def kernel(self, g: Array, x: Array, low: Array, high: Array) -> Any:
        inside, below, above = split_cotangent(g, x, low, high, self)
        return inside, self.total(below), self.total(above)

    def gradient(self, call: Call, *cotangents: Cotangent | None) -> Sequence[Any]:
        return joined_cotangent(self, call, cotangents), None, None, None

    def expand(self, g: GraphTensor, x: GraphTensor, low: GraphTensor, high: GraphTensor) -> Any:
        grid = TensorGrid(self, low, high)
        within = logical_or(grid.empty, logical_and(x >= grid.least, x <= grid.most))
        there = logical_not(grid.empty)
        sides = (logical_and(there, x < grid.least), logical_and(there, x > grid.most))
        axes = list(range(x.shape.rank - low.shape.rank))
        below, above = [reduce_sum(g * cast(side, dt.float32), axes) for side in sides]
        return g * cast(within, dt.float32), below, above


class FakeQuantWithMinMaxVars(Rounding):
    """The inputs rounded to a grid of 2 ** num_bits values between two tensors."""

    type_name = "FakeQuantWithMinMaxVars"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return tuple(apply(FakeQuantWithMinMaxVarsGradient.of(*self.values()), g, *call.inputs))


class FakeQuantWithMinMaxVarsPerChannel(BetweenVectors, Rounding):
    """The inputs rounded to grids, one for each place of the last axis."""

    type_name = "FakeQuantWithMinMaxVarsPerChannel"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        back = FakeQuantWithMinMaxVarsPerChannelGradient.of(*self.values())
        return tuple(apply(back, g, *call.inputs))


class FakeQuantWithMinMaxVarsGradient(RoundingGradient):
    """The cotangents of the inputs and of both bounds."""

    type_name = "FakeQuantWithMinMaxVarsGradient"


class FakeQuantWithMinMaxVarsPerChannelGradient(BetweenVectors, RoundingGradient):
    """The cotangents of the inputs and of both vectors of bounds."""

    type_name = "FakeQuantWithMinMaxVarsPerChannelGradient"


def check_bits(num_bits: int) -> None:
    """ValueError for bits that no grid has."""
    if not 2 <= num_bits <= 16:
        raise ValueError(f"num_bits must be between 2 and 16, inclusive, got {num_bits}")


# -- the public functions -------------------------------------------------------------------

fake_quant_with_min_max_args = function_of(
    FakeQuantWithMinMaxArgs,
    "fake_quant_with_min_max_args",
    """Rounds floats to a grid of `2 ** num_bits` values between two constants.

    The grid is moved so that 0 is on it.

    Args:
        inputs: A tensor of float32, of any shape.
        min: The lower bound.
        max: The upper bound.
        num_bits: The number of bits of the grid, from 2 to 16.
        narrow_range: Whether the grid has one value less.
        name: A name for the op.

    Returns:
        A tensor of float32, of the shape of `inputs`.

    Raises:
        InvalidArgumentError: `min` is not below `max`, or `num_bits` is out of range (ValueError
            when traced).

    >>> import graphwright as tf
    >>> tf.quantization.fake_quant_with_min_max_args([0.3, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """,
)

fake_quant_with_min_max_vars = function_of(
    FakeQuantWithMinMaxVars,
    "fake_quant_with_min_max_vars",
    """Rounds floats to a grid between two tensors, which receive gradients too.

    The grid has `2 ** num_bits` values and is moved so that 0 is on it.

    Args:
        inputs: A tensor of float32, of any shape.
        min: The lower bound, a scalar of float32.
        max: The upper bound, a scalar of float32.
        num_bits: The number of bits of the grid, from 2 to 16.
        narrow_range: Whether the grid has one value less.
        name: A name for the op.

    Returns:
        A tensor of float32, of the shape of `inputs`.

    Raises:
        InvalidArgumentError: A bound is not a scalar, or `num_bits` is out of range (ValueError
            when traced).

    >>> import graphwright as tf
    >>> tf.quantization.fake_quant_with_min_max_vars([0.3, 9.0], 0.0, 3.0, num_bits=2)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 3.], dtype=float32)>
    """,
)

fake_quant_with_min_max_vars_per_channel = function_of(
    FakeQuantWithMinMaxVarsPerChannel,
    "fake_quant_with_min_max_vars_per_channel",
    """Rounds floats to grids between vectors: one grid for each place of the last axis.

    A grid has `2 ** num_bits` values and is moved so that 0 is on it.

    Args:
        inputs: A tensor of float32, of shape [..., n].
        min: The lower bounds, a vector of float32 of n elements.
        max: The upper bounds, a vector of float32 of n elements.
        num_bits: The number of bits of a grid, from 2 to 16.
        narrow_range: Whether a grid has one value less.
        name: A name for the op.

    Returns:
        A tensor of float32, of the shape of `inputs`.

    Raises:
        InvalidArgumentError: The bounds are not vectors of n elements, or `num_bits` is out of
            range (ValueError when traced).

    >>> import graphwright as tf
    >>> quantize = tf.quantization.fake_quant_with_min_max_vars_per_channel
    >>> quantize([[0.3, 9.0]], [0.0, 0.0], [3.0, 12.0], num_bits=2)
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[0., 8.]], dtype=float32)>
    """,
)

fake_quant_with_min_max_args_gradient = function_of(
    FakeQuantWithMinMaxArgsGradient,
    "fake_quant_with_min_max_args_gradient",
    """Passes gradients where the inputs are between `min` and `max`; they are 0 elsewhere.

    Args:
        gradients: A tensor of float32: the gradients of the rounded values.
        inputs: A tensor of float32, of the shape of `gradients`.
        min: The lower bound.
        max: The upper bound.
        num_bits: The number of bits of the grid, from 2 to 16.
        narrow_range: Whether the grid has one value less.
        name: A name for the op.

    Returns:
        A tensor of float32, of the shape of `inputs`.

    Raises:
        InvalidArgumentError: The shapes differ, `min` is not below `max`, or `num_bits` is out of
            range (ValueError when traced).

    >>> import graphwright as tf
    >>> gradient = tf.quantization.fake_quant_with_min_max_args_gradient
    >>> gradient([1.0, 1.0], [0.3, 9.0], 0, 3, num_bits=2)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>
    """,
)

fake_quant_with_min_max_vars_gradient = function_of(
    FakeQuantWithMinMaxVarsGradient,
    "fake_quant_with_min_max_vars_gradient",
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars`.

    Args:
        gradients: A tensor of float32: the gradients of the rounded values.
        inputs: A tensor of float32, of the shape of `gradients`.
        min: The lower bound, a scalar of float32.
        max: The upper bound, a scalar of float32.
        num_bits: The number of bits of the grid, from 2 to 16.
        narrow_range: Whether the grid has one value less.
        name: A name for the op.

    Returns:
        A named tuple of the gradients of `inputs`, `min` and `max`, each of their shape: those of
        elements between the bounds, and the sums of those below and above them.

    Raises:
        InvalidArgumentError: The shapes differ, a bound is not a scalar, or `num_bits` is out of
            range (ValueError when traced).

    >>> import graphwright as tf
    >>> gradient = tf.quantization.fake_quant_with_min_max_vars_gradient
    >>> [g.numpy().tolist() for g in gradient([1.0, 1.0], [0.3, 9.0], 0.0, 3.0, num_bits=2)]
    [[1.0, 0.0], 0.0, 1.0]
    """,
)

fake_quant_with_min_max_vars_per_channel_gradient = function_of(
    FakeQuantWithMinMaxVarsPerChannelGradient,
    "fake_quant_with_min_max_vars_per_channel_gradient",
    """Computes the gradients of `tf.quantization.fake_quant_with_min_max_vars_per_channel`.

    Args:
        gradients: A tensor of float32: the gradients of the rounded values.
        inputs: A tensor of float32, of the shape [..., n] of `gradients`.
        min: The lower bounds, a vector of float32 of n elements.
        max: The upper bounds, a vector of float32 of n elements.
        num_bits: The number of bits of a grid, from 2 to 16.
        narrow_range: Whether a grid has one value less.
        name: A name for the op.

    Returns:
        A named tuple of the gradients of `inputs`, `min` and `max`, each of their shape: those of
        elements between the bounds, and the sums of those below and above them.

    Raises:
        InvalidArgumentError: The shapes differ, the bounds are not vectors of n elements, or
            `num_bits` is out of range (ValueError when traced).

    >>> import graphwright as tf
    >>> gradient = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> result = gradient([[1.0, 1.0]], [[0.3, 19.0]], [0.0, 0.0], [3.0, 12.0], num_bits=2)
    >>> [g.numpy().tolist() for g in result]
    [[[1.0, 0.0]], [0.0, 0.0], [0.0, 1.0]]
    """,
)
