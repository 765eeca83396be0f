"""Floats as if they were stored in few bits, rounded to a grid that has 0 on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import elementwise, last_axes, last_axes_of_first
from graphwright.op.families import same_dims
from graphwright.op.functions import function_of
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.comparison import select
from graphwright.ops.creation import ones_like, zeros_like
from graphwright.types.tensor_type import TensorType


def nudged(low: Any, high: Any, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any, Any]:
    """The grid moved so that 0 is on it: least and greatest value, step, the place of 0."""
    low, high = np.float32(low), np.float32(high)
    first, last = np.float32(1 if narrow_range else 0), np.float32(2**num_bits - 1)
    step = np.asarray((high - low) / (last - first), np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        zero = np.floor(np.clip(first - low / step, first, last) + np.float32(0.5))
    return (first - zero) * step, (last - zero) * step, step, zero - first


def on_grid(x: Any, low: Any, high: Any, op: Any) -> Any:
    """`x` rounded to the grid of an op with `num_bits` and `narrow_range`; 0 for an empty range.

    Where `x` is half a step from two values, the last bit decides: as in TensorFlow, what is one
    tensor's range is divided by, and steps in a unit of constants and channels are multiplied by.
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
    return np.where(empty, np.float32(0), result).astype(np.float32)


def split_cotangent(g: Any, x: Any, low: Any, high: Any, op: Any) -> tuple[Any, Any, Any]:
    """The cotangent where `x` is in the range, below it and above it.

    What is not a number is one everywhere, as in TensorFlow, which multiplies.
    """
    least, most, _, _ = nudged(low, high, op.num_bits, op.narrow_range)
    empty = (np.float32(low) == 0) & (np.float32(high) == 0)
    inside = empty | ((x >= least) & (x <= most))
    below, above = ~empty & (x < least), ~empty & (x > most)
    return g * np.float32(inside), g * np.float32(below), g * np.float32(above)


def joined_cotangent(op: Op, call: Call, cotangents: Sequence[Any]) -> Any:
    """The transpose of `split_cotangent` and the sums: to each element comes what it went to.

    0 is always in the range, so that what is outside is below if it is negative.
    """
    g, x, *_ = call.inputs
    inside, below, above = (zeros_like(t) if c is None else c
                            for c, t in zip(cotangents, call.outputs))  # fmt: skip
    is_inside = apply(op, ones_like(g), *call.inputs[1:])[0] > 0
    return select(is_inside, inside, select(x < 0, below, above))


class Grid(Op):
    """An op on a grid of 2 ** num_bits values, or one less if it is to be narrow."""

    num_bits: int = 8
    narrow_range: bool = False


class Within(Op):
    """An op with a range between constants."""

    min: float = -6
    max: float = 6


class FakeQuantWithMinMaxArgs(Grid, Within):
    """The inputs rounded to a grid of 2 ** num_bits values between constants."""

    type_name = "FakeQuantWithMinMaxArgs"
    ruled = True
    inputs = ("inputs: float32",)
    outputs = ("outputs: float32",)
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        check_constants(self)
        return (x.dims,)

    def kernel(self, x: Any) -> Any:
        return on_grid(x, float(self.min), float(self.max), self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxArgsGradient.of(*self.values())
        return (apply(back, g, call.inputs[0]),)


class FakeQuantWithMinMaxArgsGradient(Grid, Within):
    """The cotangent where the input is in the range."""

    type_name = "FakeQuantWithMinMaxArgsGradient"
    ruled = True
    inputs = ("gradients: float32", "inputs: float32")
    outputs = ("backprops: float32",)
    batched = last_axes

    def shapes(self, g: TensorType, x: TensorType) -> Shapes:
        check_constants(self)
        return (same_dims(self, (g, x)),)

    def kernel(self, g: Any, x: Any) -> Any:
        return split_cotangent(g, x, self.min, self.max, self)[0].astype(np.float32)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return apply(self, g, call.inputs[1]), None


class FakeQuantWithMinMaxVars(Grid):
    """The inputs rounded to a grid of 2 ** num_bits values between two tensors."""

    type_name = "FakeQuantWithMinMaxVars"
    ruled = True
    inputs = ("inputs: float32", "min: float32", "max: float32")
    outputs = ("outputs: float32",)
    batched = last_axes_of_first

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_scalars(self.num_bits, low, high)
        return (x.dims,)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        return on_grid(x, low, high, self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxVarsGradient.of(*self.values())
        return tuple(apply(back, g, *call.inputs))


def check_bits(num_bits: int) -> None:
    """A grid has 4 values at least."""
    if not 2 <= num_bits <= 16:
        raise ValueError(f"num_bits must be between 2 and 16, inclusive, got {num_bits}")


def check_constants(op: FakeQuantWithMinMaxArgs | FakeQuantWithMinMaxArgsGradient) -> None:
    """The bounds of a range that are attributes, and how many bits there are for it."""
    check_bits(op.num_bits)
    if not op.min < op.max:
        raise ValueError(f"min has to be smaller than max, was: {op.min} >= {op.max}")


def check_scalars(num_bits: int, low: TensorType, high: TensorType) -> None:
    """The bounds of a range must be scalars."""
    check_bits(num_bits)
    for name, bound in (("min", low), ("max", high)):
        if bound.rank not in (0, None):
            raise ValueError(f"`{name}` must be rank 0 but is rank {bound.rank}")


class FakeQuantWithMinMaxVarsGradient(Grid):
    """The cotangents of the inputs and of both bounds."""

    type_name = "FakeQuantWithMinMaxVarsGradient"
    ruled = True
    inputs = ("gradients: float32", "inputs: float32", "min: float32", "max: float32")
    outputs = (
        "backprops_wrt_input: float32",
        "backprop_wrt_min: float32",
        "backprop_wrt_max: float32",
    )

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_scalars(self.num_bits, low, high)
        return (same_dims(self, (g, x)), (), ())

    def kernel(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        inside, below, above = split_cotangent(g, x, low, high, self)
        return inside, np.sum(below, dtype=np.float32), np.sum(above, dtype=np.float32)

    def gradient(self, call: Call, *cotangents: Any) -> Sequence[Any]:
        return joined_cotangent(self, call, cotangents), None, None, None


class FakeQuantWithMinMaxVarsPerChannel(Grid):
    """The inputs rounded to grids, one for each place of the last axis."""

    type_name = "FakeQuantWithMinMaxVarsPerChannel"
    ruled = True
    inputs = ("inputs: float32", "min: float32", "max: float32")
    outputs = ("outputs: float32",)
    batched = last_axes_of_first

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_channels(self.num_bits, x, low, high)
        return (x.dims,)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        return on_grid(x, low, high, self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxVarsPerChannelGradient.of(*self.values())
        return tuple(apply(back, g, *call.inputs))


def check_channels(num_bits: int, x: TensorType, low: TensorType, high: TensorType) -> None:
    """The bounds must be vectors of the size of the last axis."""
    check_bits(num_bits)
    for name, bound in (("min", low), ("max", high)):
        if bound.rank not in (1, None):
            raise ValueError(f"Shape must be rank 1 but is rank {bound.rank} for `{name}`")
        sizes = (x.dims[-1], bound.dims[0]) if x.dims and bound.dims else (None, None)
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(f"{name} has incorrect size, expected {sizes[0]} was {sizes[1]}")


class FakeQuantWithMinMaxVarsPerChannelGradient(Grid):
    """The cotangents of the inputs and of both vectors of bounds."""

    type_name = "FakeQuantWithMinMaxVarsPerChannelGradient"
    ruled = True
    inputs = FakeQuantWithMinMaxVarsGradient.inputs
    outputs = FakeQuantWithMinMaxVarsGradient.outputs

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_channels(self.num_bits, x, low, high)
        channels = (x.dims[-1] if x.dims else None,)
        return (same_dims(self, (g, x)), low.dims or channels, high.dims or channels)

    def kernel(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        inside, below, above = split_cotangent(g, x, low, high, self)
        axes = tuple(range(np.ndim(x) - 1))
        return inside, below.sum(axes, dtype=np.float32), above.sum(axes, dtype=np.float32)

    def gradient(self, call: Call, *cotangents: Any) -> Sequence[Any]:
        return joined_cotangent(self, call, cotangents), None, None, None


# -- the public functions -------------------------------------------------------------------

fake_quant_with_min_max_args = function_of(
    FakeQuantWithMinMaxArgs,
    "fake_quant_with_min_max_args",
    """float32 values rounded to a grid of 2 ** num_bits values between `min` and `max`.

    >>> import graphwright as tf
    >>> tf.quantization.fake_quant_with_min_max_args([0.3, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """,
)

fake_quant_with_min_max_vars = function_of(
    FakeQuantWithMinMaxVars,
    "fake_quant_with_min_max_vars",
    "float32 values rounded to a grid between two tensors, which get gradients too.",
)

fake_quant_with_min_max_vars_per_channel = function_of(
    FakeQuantWithMinMaxVarsPerChannel,
    "fake_quant_with_min_max_vars_per_channel",
    "float32 values rounded to grids, one for each place of the last axis.",
)

fake_quant_with_min_max_args_gradient = function_of(
    FakeQuantWithMinMaxArgsGradient,
    "fake_quant_with_min_max_args_gradient",
    "The gradients where the inputs are between `min` and `max`, else 0.",
)

fake_quant_with_min_max_vars_gradient = function_of(
    FakeQuantWithMinMaxVarsGradient,
    "fake_quant_with_min_max_vars_gradient",
    "The gradients of the inputs and of both bounds of `fake_quant_with_min_max_vars`.",
)

fake_quant_with_min_max_vars_per_channel_gradient = function_of(
    FakeQuantWithMinMaxVarsPerChannelGradient,
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "The gradients of the inputs and of the bounds of each channel.",
)
