"""Floats as if they were stored in few bits: rounded to a grid, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import elementwise, last_axes_of_first
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.comparison import select
from graphwright.ops.creation import ones_like, zeros_like
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType, show_dims

# -- fake quantization: a grid that has 0 on it ---------------------------------------------


def nudged(low: Any, high: Any, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any, Any]:
    """The grid moved so that 0 is on it: least and greatest value, step, the place of 0."""
    low, high = np.float32(low), np.float32(high)
    first, last = np.float32(1 if narrow_range else 0), np.float32(2**num_bits - 1)
    step = np.asarray((high - low) / (last - first), np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        zero = np.floor(np.clip(first - low / step, first, last) + np.float32(0.5))
    return (first - zero) * step, (last - zero) * step, step, zero - first


def on_grid(x: Any, low: Any, high: Any, op: Any) -> Any:
    """`x` rounded to the grid of an op with `num_bits` and `narrow_range`; 0 for an empty range."""
    least, most, step, zero = nudged(low, high, op.num_bits, op.narrow_range)
    result = (np.floor(np.clip(x, least, most) / step + zero + np.float32(0.5)) - zero) * step
    empty = (np.float32(low) == 0) & (np.float32(high) == 0)
    return np.where(empty, np.float32(0), result).astype(np.float32)


def split_cotangent(g: Any, x: Any, low: Any, high: Any, op: Any) -> tuple[Any, Any, Any]:
    """The cotangent where `x` is in the range, below it and above it."""
    least, most, _, _ = nudged(low, high, op.num_bits, op.narrow_range)
    zero = np.float32(0)
    empty = (np.float32(low) == 0) & (np.float32(high) == 0)
    inside = empty | ((x >= least) & (x <= most))
    below, above = ~empty & (x < least), ~empty & (x > most)
    return np.where(inside, g, zero), np.where(below, g, zero), np.where(above, g, zero)


def joined_cotangent(op: Op, call: Call, cotangents: Sequence[Any]) -> Any:
    """The transpose of `split_cotangent` and the sums: to each element comes what it went to.

    0 is always in the range, so that what is outside is below if it is negative.
    """
    g, x, *_ = call.inputs
    inside, below, above = (zeros_like(t) if c is None else c
                            for c, t in zip(cotangents, call.outputs))  # fmt: skip
    is_inside = apply(op, ones_like(g), *call.inputs[1:])[0] > 0
    return select(is_inside, inside, select(x < 0, below, above))


class FakeQuantWithMinMaxArgs(Op):
    """The inputs rounded to a grid of 2 ** num_bits values between constants."""

    type_name = "FakeQuantWithMinMaxArgs"
    inputs = ("inputs: float32",)
    outputs = ("outputs: float32",)
    batched = elementwise

    min: float = -6.0
    max: float = 6.0
    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)

    def kernel(self, x: Any) -> Any:
        return on_grid(x, self.min, self.max, self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxArgsGradient.of(
            self.min, self.max, self.num_bits, self.narrow_range
        )
        return (apply(back, g, call.inputs[0]),)


class FakeQuantWithMinMaxArgsGradient(Op):
    """The cotangent where the input is in the range."""

    type_name = "FakeQuantWithMinMaxArgsGradient"
    inputs = ("gradients: float32", "inputs: float32")
    outputs = ("backprops: float32",)
    batched = elementwise

    min: float = -6.0
    max: float = 6.0
    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, g: TensorType, x: TensorType) -> Shapes:
        return (x.dims,)

    def kernel(self, g: Any, x: Any) -> Any:
        return split_cotangent(g, x, self.min, self.max, self)[0].astype(np.float32)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return apply(self, g, call.inputs[1]), None


class FakeQuantWithMinMaxVars(Op):
    """The inputs rounded to a grid of 2 ** num_bits values between two tensors."""

    type_name = "FakeQuantWithMinMaxVars"
    inputs = ("inputs: float32", "min: float32", "max: float32")
    outputs = ("outputs: float32",)
    batched = last_axes_of_first

    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_scalars(low, high)
        return (x.dims,)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        check_scalars(*[TensorType(dt.float32, np.shape(bound)) for bound in (low, high)])
        return on_grid(x, low, high, self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxVarsGradient.of(self.num_bits, self.narrow_range)
        return tuple(apply(back, g, *call.inputs))


def check_scalars(low: TensorType, high: TensorType) -> None:
    """The bounds of a range must be scalars."""
    for name, bound in (("min", low), ("max", high)):
        if bound.rank not in (0, None):
            raise ValueError(f"`{name}` must be rank 0 but is rank {bound.rank}")


class FakeQuantWithMinMaxVarsGradient(Op):
    """The cotangents of the inputs and of both bounds."""

    type_name = "FakeQuantWithMinMaxVarsGradient"
    inputs = ("gradients: float32", "inputs: float32", "min: float32", "max: float32")
    outputs = (
        "backprops_wrt_input: float32",
        "backprop_wrt_min: float32",
        "backprop_wrt_max: float32",
    )

    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_scalars(low, high)
        return (x.dims, (), ())

    def kernel(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        inside, below, above = split_cotangent(g, x, low, high, self)
        return inside, np.sum(below, dtype=np.float32), np.sum(above, dtype=np.float32)

    def gradient(self, call: Call, *cotangents: Any) -> Sequence[Any]:
        return joined_cotangent(self, call, cotangents), None, None, None


class FakeQuantWithMinMaxVarsPerChannel(Op):
    """The inputs rounded to grids, one for each place of the last axis."""

    type_name = "FakeQuantWithMinMaxVarsPerChannel"
    inputs = ("inputs: float32", "min: float32", "max: float32")
    outputs = ("outputs: float32",)
    batched = last_axes_of_first

    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_channels(x, low, high)
        return (x.dims,)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        check_channels(*[TensorType(dt.float32, np.shape(a)) for a in (x, low, high)])
        return on_grid(x, low, high, self)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        back = FakeQuantWithMinMaxVarsPerChannelGradient.of(self.num_bits, self.narrow_range)
        return tuple(apply(back, g, *call.inputs))


def check_channels(x: TensorType, low: TensorType, high: TensorType) -> None:
    """The bounds must be vectors of the size of the last axis."""
    for name, bound in (("min", low), ("max", high)):
        if bound.rank not in (1, None):
            raise ValueError(f"Shape must be rank 1 but is rank {bound.rank} for `{name}`")
        sizes = (x.dims[-1], bound.dims[0]) if x.dims and bound.dims else (None, None)
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(f"{name} has incorrect size, expected {sizes[0]} was {sizes[1]}")


class FakeQuantWithMinMaxVarsPerChannelGradient(Op):
    """The cotangents of the inputs and of both vectors of bounds."""

    type_name = "FakeQuantWithMinMaxVarsPerChannelGradient"
    inputs = FakeQuantWithMinMaxVarsGradient.inputs
    outputs = FakeQuantWithMinMaxVarsGradient.outputs

    num_bits: int = 8
    narrow_range: bool = False

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        check_channels(x, low, high)
        return (x.dims, low.dims, high.dims)

    def kernel(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        inside, below, above = split_cotangent(g, x, low, high, self)
        axes = tuple(range(np.ndim(x) - 1))
        return inside, below.sum(axes, dtype=np.float32), above.sum(axes, dtype=np.float32)

    def gradient(self, call: Call, *cotangents: Any) -> Sequence[Any]:
        return joined_cotangent(self, call, cotangents), None, None, None


# -- quantization to a grid that scales the range -------------------------------------------


class QuantizeAndDequantizeV4(Op):
    """The input rounded to a grid of 2 ** num_bits values that spans its range, or a given one."""

    type_name = "QuantizeAndDequantizeV4"
    inputs = ("input: T", "input_min: T", "input_max: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.FLOATING}

    signed_input: bool = True
    num_bits: int = 8
    range_given: bool = False
    round_mode: str = "HALF_TO_EVEN"
    narrow_range: bool = False
    axis: int = -1

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        if x.dims is not None and self.axis >= len(x.dims):
            raise ValueError(f"Axis should be at most {len(x.dims) - 1}, got {self.axis}")
        return (x.dims,)

    def kernel(self, x: Any, low: Any, high: Any) -> Any:
        x = np.asarray(x)
        if self.range_given:
            low, high = (self.beside(bound, x) for bound in (low, high))
            if np.any(low > high):
                raise ValueError(f"Invalid range: input_min {low} > input_max {high}")
        else:
            axes = tuple(a for a in range(x.ndim) if a != self.axis)
            low = x.min(axes, keepdims=True) if x.size else x.dtype.type(0)
            high = x.max(axes, keepdims=True) if x.size else x.dtype.type(0)
        return self.rounded(x, low, high)

    def beside(self, bound: Any, x: Any) -> Any:
        """A bound (one for each place of the axis) in a shape that broadcasts with `x`."""
        if self.axis == -1:
            return np.reshape(bound, ())
        sizes = [1] * x.ndim
        sizes[self.axis] = -1
        return np.reshape(bound, sizes)

    def rounded(self, x: Any, low: Any, high: Any) -> Any:
        """`x` on the grid of a range."""
        kind = x.dtype.type
        if self.signed_input:
            first = -(2 ** (self.num_bits - 1)) + (1 if self.narrow_range else 0)
            last = 2 ** (self.num_bits - 1) - 1
        else:
            first, last = 0, 2**self.num_bits - 1
        huge = kind(np.finfo(np.float32).max)
        by_low = np.where(first * low > 0, kind(first) / low, huge)
        by_high = np.where(last * high > 0, kind(last) / high, huge)
        from_low = by_low < by_high
        scale = np.where(from_low, by_low, by_high)
        step = np.where(from_low, low / kind(first or 1), high / kind(last))
        least = np.where(from_low, low, kind(first) * step)
        most = np.where(from_low, kind(last) * step, high)
        x = np.clip(x, least, most) if self.range_given else x
        if self.round_mode == "HALF_TO_EVEN":
            places = np.rint(x * scale)
        else:
            places = np.floor(x * scale + kind(0.5))
        if not self.range_given:
            places = np.minimum(places, kind(last))
        return (places * step).astype(x.dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return tuple(apply(QuantizeAndDequantizeV4Grad.of(self.axis), g, *call.inputs))


class QuantizeAndDequantizeV4Grad(Op):
    """The cotangent of the input where it is in the range; TensorFlow gives the bounds zeros."""

    type_name = "QuantizeAndDequantizeV4Grad"
    inputs = ("gradients: T", "input: T", "input_min: T", "input_max: T")
    outputs = ("input_backprop: T", "input_min_backprop: T", "input_max_backprop: T")
    dtypes = {"T": dt.FLOATING}

    axis: int = -1

    def shapes(self, g: TensorType, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        if low.dims is not None and high.dims is not None and low.dims != high.dims:
            raise ValueError(
                "Input min and max must have the same shape, got "
                f"{show_dims(low.dims)} and {show_dims(high.dims)}"
            )
        return (x.dims, low.dims, high.dims)

    def kernel(self, g: Any, x: Any, low: Any, high: Any) -> Any:
        g, x, low, high = (np.asarray(a) for a in (g, x, low, high))
        spread = QuantizeAndDequantizeV4(axis=self.axis)
        inside = (x >= spread.beside(low, x)) & (x <= spread.beside(high, x))
        return np.where(inside, g, x.dtype.type(0)), np.zeros_like(low), np.zeros_like(high)

    def gradient(self, call: Call, g: Any, *bounds: Any) -> Sequence[Any]:
        return None if g is None else apply(self, g, *call.inputs[1:])[0], None, None, None


class QuantizeAndDequantizeV2(QuantizeAndDequantizeV4):
    """As QuantizeAndDequantizeV4, the cotangent passing straight through."""

    type_name = "QuantizeAndDequantizeV2"

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return g, None, None


# -- the public functions -------------------------------------------------------------------


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """float32 values rounded to a grid of 2 ** num_bits values between `min` and `max`.

    >>> import graphwright as tf
    >>> tf.quantization.fake_quant_with_min_max_args([0.3, 9.0], 0, 3, num_bits=2).numpy().tolist()
    [0.0, 3.0]
    """
    op = FakeQuantWithMinMaxArgs.of(float(min), float(max), num_bits, narrow_range)
    return apply(op, convert(inputs, dt.float32), name=name)


def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """float32 values rounded to a grid between two tensors, which get gradients too."""
    op = FakeQuantWithMinMaxVars.of(num_bits, narrow_range)
    return apply(op, *[convert(v, dt.float32) for v in (inputs, min, max)], name=name)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """float32 values rounded to grids, one for each place of the last axis."""
    op = FakeQuantWithMinMaxVarsPerChannel.of(num_bits, narrow_range)
    return apply(op, *[convert(v, dt.float32) for v in (inputs, min, max)], name=name)


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Floats rounded to a grid of 2 ** num_bits values that spans their range, or a given one.

    With `axis` there is a range for each of its places.
    """
    return _quantized(QuantizeAndDequantizeV4, locals())


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """As `quantize_and_dequantize_v2`, with gradients that pass straight through."""
    return _quantized(QuantizeAndDequantizeV2, locals())


def _quantized(kind: type[QuantizeAndDequantizeV4], given: dict[str, Any]) -> Any:
    axis = -1 if given["axis"] is None else given["axis"]
    x = convert(given["input"])
    if axis < -1:
        if x.type.rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis += x.type.rank
    op = kind.of(
        given["signed_input"],
        given["num_bits"],
        given["range_given"],
        given["round_mode"],
        given["narrow_range"],
        axis,
    )
    low, high = (convert(given[n], x.dtype) for n in ("input_min", "input_max"))
    return apply(op, x, low, high, name=given["name"])
