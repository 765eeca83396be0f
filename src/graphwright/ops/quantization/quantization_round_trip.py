"""Floats rounded to a grid of few values that spans their range, or one that is stated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.op.op_families import same_dims
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class QuantizeAndDequantizeV4(Op):
    """The input rounded to a grid of 2 ** num_bits values that spans its range or the bounds."""

    type_name = "QuantizeAndDequantizeV4"
    ruled = True
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
        if not 0 < self.num_bits < (62 if self.signed_input else 63):
            raise ValueError(
                f"num_bits is out of range: {self.num_bits} with signed_input {self.signed_input}"
            )
        if self.round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
            raise ValueError(
                f"Value for attr 'round_mode' of \"{self.round_mode}\" is not in the list of "
                'allowed values: "HALF_TO_EVEN", "HALF_UP"'
            )
        check_axis(self.axis, x)
        return (x.dims,)

    def kernel(self, x: Array, low: Array, high: Array) -> Any:
        x = np.asarray(x)
        if self.range_given:
            low, high = (self.beside(bound, x) for bound in (low, high))
            if np.any(low > high):
                raise ValueError(f"Invalid range: input_min {low} > input_max {high}")
        else:
            axes = tuple(a for a in range(x.ndim) if a != self.axis)
            none = x.dtype.type(0)
            low = np.fmin.reduce(x, axes, keepdims=True) if x.size else none
            high = np.fmax.reduce(x, axes, keepdims=True) if x.size else none
        return self.rounded(x, low, high)

    def beside(self, bound: Array, x: Array) -> Array:
        """A bound (one for each place of the axis) in a shape that broadcasts with `x`."""
        if self.axis == -1:
            return np.reshape(bound, ())
        sizes = [1] * x.ndim
        sizes[self.axis] = -1
        return np.reshape(bound, sizes)

    def rounded(self, x: Array, low: Array, high: Array) -> Any:
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

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return tuple(apply(QuantizeAndDequantizeV4Grad.of(self.axis), g, *call.inputs))


def check_axis(axis: int, x: TensorType) -> None:
    """ValueError unless `axis` is an axis of `x`, or -1 for all of them."""
    if axis < -1 or (x.dims is not None and axis >= len(x.dims)):
        most = "" if x.dims is None else f" and at most {len(x.dims) - 1}"
        raise ValueError(f"axis must be at least -1{most}, got {axis}")


class QuantizeAndDequantizeV4Grad(Op):
    """The cotangent of the input where it is in the range; TensorFlow gives the bounds zeros."""

    type_name = "QuantizeAndDequantizeV4Grad"
    ruled = True
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
        check_axis(self.axis, x)
        bounds: Dims = () if self.axis == -1 else (None,)
        for name, bound in (("input_min", low), ("input_max", high)):
            if bound.rank not in (len(bounds), None):
                raise ValueError(
                    f"{name} must be {'a vector' if bounds else 'a scalar'} where axis is "
                    f"{self.axis}, got shape {show_dims(bound.dims)}"
                )
        return (same_dims(self, (g, x)), low.dims or bounds, high.dims or bounds)

    def kernel(self, g: Array, x: Array, low: Array, high: Array) -> Any:
        g, x, low, high = (np.asarray(a) for a in (g, x, low, high))
        spread = QuantizeAndDequantizeV4(axis=self.axis)
        inside = (x >= spread.beside(low, x)) & (x <= spread.beside(high, x))
        return g * inside.astype(g.dtype), np.zeros_like(low), np.zeros_like(high)

    def gradient(self, call: Call, g: Cotangent, *bounds: Cotangent) -> Sequence[Any]:
        return None if g is None else apply(self, g, *call.inputs[1:])[0], None, None, None


class QuantizeAndDequantizeV2(QuantizeAndDequantizeV4):
    """As QuantizeAndDequantizeV4, the cotangent passing straight through."""

    type_name = "QuantizeAndDequantizeV2"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, None, None


# -- the public functions -------------------------------------------------------------------


def round_trip(kind: type[QuantizeAndDequantizeV4], function: str, summary: str) -> Any:
    """The public function of either op."""

    def rounded(
        input: TensorLike,
        input_min: TensorLike,
        input_max: TensorLike,
        signed_input: bool = True,
        num_bits: int = 8,
        range_given: bool = False,
        round_mode: str = "HALF_TO_EVEN",
        name: str | None = None,
        narrow_range: bool = False,
        axis: int | None = None,
    ) -> Any:
        x, place = convert(input), -1 if axis is None else axis
        if axis is not None and axis < 0:
            if x.type.rank is None:
                raise ValueError("input should have known rank to use negative axis.")
            place += x.type.rank
        op = kind.of(signed_input, num_bits, range_given, round_mode, narrow_range, place)
        low, high = convert(input_min, x.dtype), convert(input_max, x.dtype)
        return apply(op, x, low, high, name=name)

    rounded.__name__ = rounded.__qualname__ = function
    rounded.__doc__ = summary + _DETAILS.replace("FUNCTION", function)
    return rounded


_DETAILS = """

    Args:
        input: A tensor of floats, of any shape.
        input_min: The lower bound: a scalar of the dtype of `input`, or a vector with one bound
            for each place of `axis`.
        input_max: The upper bound, of the shape of `input_min`.
        signed_input: Whether the grid is signed, with about half of its values negative.
        num_bits: The number of bits of the grid, from 1 to 61, or to 62 for an unsigned one.
        range_given: Whether to use the bounds; else the range is that of the elements.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        name: A name for the op.
        narrow_range: Whether the least value of a signed grid is left out.
        axis: The axis whose places have a range each. None means one range for all elements.

    Returns:
        A tensor of the shape and dtype of `input`.

    Raises:
        InvalidArgumentError: `num_bits` or `axis` is out of range (ValueError when traced), or the
            lower bound is above the upper one.

    >>> import graphwright as tf
    >>> tf.quantization.FUNCTION([0.1, 1.0], 0.0, 1.0, num_bits=3).numpy().tolist()
    [0.0, 1.0]
    """

quantize_and_dequantize_v2 = round_trip(
    QuantizeAndDequantizeV4,
    "quantize_and_dequantize_v2",
    """Rounds floats to a grid of `2 ** num_bits` values that spans their range or two bounds.

    Gradients pass where the element is between the bounds, and are 0 elsewhere.""",
)
quantize_and_dequantize = round_trip(
    QuantizeAndDequantizeV2,
    "quantize_and_dequantize",
    "Rounds floats to a grid, as `quantize_and_dequantize_v2` does; gradients pass everywhere.",
)
