"""Floats stored as quantized integers over a range, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.op.results import named
from graphwright.ops.core.joining import concatenated_dims
from graphwright.ops.math import formula_blocks
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
ROUND_MODES = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
F32 = np.float32


def rounded_away(x: Array) -> Any:
    """The nearest whole numbers, of two the one farther from 0."""
    # With a half itself, the number before it would become 1.
    return np.trunc(x + np.copysign(np.nextafter(x.dtype.type(0.5), x.dtype.type(0)), x))


class QuantizationSteps(NamedTuple):
    """The least and the greatest integer of a quantized dtype, as floats."""

    least: Any
    most: Any
    is_signed: bool

    @classmethod
    def of(cls, dtype: DType, narrow: bool = False) -> QuantizationSteps:
        """The steps of a dtype; a narrow range lacks the least."""
        least, greatest = dtype.bounds
        return cls(F32(least + narrow), F32(greatest), least < 0)

    def scale(self, low: Array, high: Array) -> Any:
        """Steps for each unit where 0 is 0 and neither end of the range is beyond the steps."""
        huge = np.finfo(F32).max
        with np.errstate(divide="ignore", invalid="ignore"):
            from_low = np.where(self.least * low > 0, self.least / low, huge)
            from_high = np.where(self.most * high > 0, self.most / high, huge)
        return np.minimum(from_low, from_high).astype(F32)

    def first_scale(self, low: Array, high: Array) -> Any:
        """The length of a step, where the least step stands at the low end."""
        return ((high - low) / (np.float64(self.most) - self.least)).astype(F32)


def to_first(x: Array, low: Array, high: Array, steps: QuantizationSteps) -> Any:
    """The places of floats on a grid whose least step is the low end, moved so that 0 is on it."""
    width = np.float64(steps.most) - np.float64(steps.least)
    scale = np.where(high == low, 0, width / (np.float64(high) - low + (high == low))).astype(F32)
    offset = rounded_away(low * scale) - steps.least
    most = min(steps.most, np.nextafter(F32(2.0**31), F32(0)))
    return np.clip(rounded_away(x * scale) - offset, steps.least, most)


def from_first(places: Array, low: Array, high: Array, steps: QuantizationSteps) -> Any:
    """The floats at places of such a grid."""
    scale = steps.first_scale(low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.where(high == low, low, rounded_away(low / scale) * scale).astype(F32)
    return places.astype(F32) * scale + (start - steps.least * scale)


class Ranged(Op, fields=False):
    """An op with a range for all elements, or one for each place of an axis."""

    axis: int

    def range_dims(self, x: TensorType, low: TensorType, high: TensorType) -> Dims:
        """The shape of the bounds; ValueError unless scalars, or vectors along the axis."""
        if self.axis < -1:
            raise ValueError(f"Axis of {self.type_name} should be at least -1, got {self.axis}")
        wanted: Dims = ()
        if self.axis != -1:
            if x.dims is not None and self.axis >= len(x.dims):
                raise ValueError(
                    f"Axis of {self.type_name} should be less than the rank {len(x.dims)}, got "
                    f"{self.axis}"
                )
            wanted = (None if x.dims is None else x.dims[self.axis],)
        for name, bound in (("min_range", low), ("max_range", high)):
            if not is_compatible(bound.dims, wanted):
                raise ValueError(
                    f"{name} of {self.type_name} must have the shape {show_dims(wanted)}, not "
                    f"{show_dims(bound.dims)}"
                )
        return wanted

    def bounds(self, x: Array, low: Array, high: Array) -> list[Any]:
        """The bounds, checked, in a shape that broadcasts with `x`."""
        sizes = [1] * np.ndim(x)
        if self.axis >= 0:
            self.range_dims(*[TensorType(dt.float32, np.shape(a)) for a in (x, low, high)])
            sizes[self.axis] = -1
        elif not np.size(low) == np.size(high) == 1:
            raise ValueError(
                f"min_range and max_range of {self.type_name} must have one number each, not the "
                f"shapes {show_dims(np.shape(low))} and {show_dims(np.shape(high))}"
            )
        return [np.reshape(bound, sizes if np.size(bound) != 1 else ()) for bound in (low, high)]


class QuantizeV2(Ranged):
    """Floats as quantized integers, and the range that these span."""

    type_name = "QuantizeV2"
    inputs = ("input: float32", "min_range: float32", "max_range: float32")
    outputs = ("output: T", "output_min: float32", "output_max: float32")
    gradient = not_differentiable

    T: DType
    mode: str = "MIN_COMBINED"
    round_mode: str = "HALF_AWAY_FROM_ZERO"
    narrow_range: bool = False
    axis: int = -1
    ensure_minimum_range: float = 0.01

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        dims = self.range_dims(x, low, high)
        return x.dims, dims, dims

    def kernel(self, x: Array, low: Array, high: Array) -> Any:
        shape = np.shape(low) if self.axis >= 0 else ()
        low, high = self.bounds(x, low, high)
        if np.any(low > high):
            raise InvalidArgumentError(
                None, None, f"input_max_range {high} must be larger than input_min_range {low}."
            )
        # Bounds of NaN count as 0.
        widest = np.fmax(F32(1), np.where(np.abs(low) < np.abs(high), np.abs(high), np.abs(low)))
        low = np.fmin(F32(0), low)
        least = low + widest * F32(self.ensure_minimum_range)
        high = np.fmax(F32(0), np.where(high < least, least, high))
        steps = QuantizationSteps.of(self.T, self.narrow_range and self.mode == "SCALED")
        if self.mode == "SCALED":
            scale = steps.scale(low, high)
            low, high = (steps.least / scale).astype(F32), (steps.most / scale).astype(F32)
            places = partial(self.scaled, low=low, high=high, scale=scale)
        elif self.mode == "MIN_FIRST":
            places = partial(to_first, low=low, high=high, steps=steps)
        else:
            places = partial(self.combined, low=low, high=high, steps=steps)
        dtype = self.T.numpy_dtype
        whole = np.ndim(low) > 0  # whose bounds are those of places on an axis
        result = places(x).astype(dtype[0]) if whole else formula_blocks.mapped(places, x, dtype[0])
        return result.view(dtype), np.reshape(low, shape), np.reshape(high, shape)

    def combined(self, x: Array, low: Array, high: Array, steps: QuantizationSteps) -> Any:
        """Places from the low end on; half a step is added where there are no negative ones."""
        width = np.float64(steps.most) - np.float64(steps.least)
        scale = (width / (high - low)).astype(F32)
        places = np.clip(x, low, high)
        places -= low
        places *= scale
        if steps.is_signed:
            places -= F32((width + 1) / 2)
            return rounded_away(places)
        places += F32(0.5)
        return np.floor(places, out=places)

    def scaled(self, x: Array, low: Array, high: Array, scale: Array) -> Any:
        """Multiples of one step, clipped to the range."""
        rounded = np.rint if self.round_mode == "HALF_TO_EVEN" else rounded_away
        return rounded(np.clip(x, low, high) * scale)


class Dequantize(Ranged):
    """The floats that quantized integers over a range stand for."""

    type_name = "Dequantize"
    inputs = ("input: T", "min_range: float32", "max_range: float32")
    outputs = ("output: dtype",)
    dtypes = {"T": dt.QUANTIZED, "dtype": frozenset({dt.bfloat16, dt.float32})}
    gradient = not_differentiable

    mode: str = "MIN_COMBINED"
    narrow_range: bool = False
    axis: int = -1
    dtype: DType = dt.float32

    def shapes(self, x: TensorType, low: TensorType, high: TensorType) -> Shapes:
        self.range_dims(x, low, high)
        return (x.dims,)

    def kernel(self, x: Array, low: Array, high: Array) -> Any:
        kind = dt.of_numpy(x.dtype)
        places = dt.plain(x).astype(F32)
        low, high = self.bounds(x, low, high)
        steps = QuantizationSteps.of(kind, self.narrow_range and self.mode == "SCALED")
        if self.mode == "SCALED":
            scale = high / steps.most
            if steps.is_signed:
                scale = np.maximum(low / steps.least, scale)
            result = places * scale
        elif self.mode == "MIN_FIRST":
            result = from_first(places, low, high, steps)
        else:
            width = np.float64(steps.most) - np.float64(steps.least)
            half = F32((width + 1) / 2 if steps.is_signed else 0)
            result = (places + half) * ((high - low) / F32(width)).astype(F32) + low
        return np.asarray(result).astype(self.dtype.numpy_dtype)


class QuantizedConcat(Op):
    """Quantized tensors one after another, all of them brought to the range of all."""

    type_name = "QuantizedConcat"
    inputs = (
        "concat_dim: int32 host",
        "values: T*",
        "input_mins: float32*",
        "input_maxes: float32*",
    )
    outputs = ("output: T", "output_min: float32", "output_max: float32")
    dtypes = {"T": dt.QUANTIZED}
    gradient = not_differentiable
    least = {"values": 2, "input_mins": 2, "input_maxes": 2}

    def shapes(self, axis: int | None, *operands: TensorType) -> Shapes:
        count = len(operands) // 3
        for bound in operands[count:]:
            if bound.rank not in (0, None):
                raise ValueError(
                    f"The ranges of QuantizedConcat must be scalars, not {show_dims(bound.dims)}"
                )
        return concatenated_dims([o.dims for o in operands[:count]], axis), (), ()

    def kernel(self, axis: int, *operands: Any) -> Any:
        count = len(operands) // 3
        values, bounds = operands[:count], operands[count:]
        lows, highs = bounds[:count], bounds[count:]
        dtype = values[0].dtype
        steps = QuantizationSteps.of(dt.of_numpy(dtype))
        low, high = F32(min(0.0, *lows)), F32(max(highs))
        if steps.is_signed:
            high = max(-low, high)
            low = -high
        parts = []
        for value, *ends in zip(map(dt.plain, values), lows, highs):
            first, last = map(F32, ends)
            if (first, last) != (low, high):
                value = to_first(from_first(value, first, last, steps), low, high, steps)
            parts.append(value.astype(dtype[0]))
        joined = np.concatenate(parts, axis)
        return joined.view(dtype), np.asarray(low), np.asarray(high)


# -- the public functions -------------------------------------------------------------------


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Converts floats to integers of a quantized dtype that spans a range.

    The range is widened to contain 0 and to have the least width that `ensure_minimum_range`
    states. In the mode "SCALED" 0 stands for 0; in the other modes the least integer stands for
    the lower bound.

    Args:
        input: A tensor of float32, of any shape.
        min_range: The lower bound as a scalar, or as a vector with one bound for each place of
            `axis`.
        max_range: The upper bound, of the shape of `min_range`.
        T: The dtype of the result: `tf.qint8`, `tf.quint8`, `tf.qint16`, `tf.quint16` or
            `tf.qint32`.
        mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" in the mode "SCALED".
        name: A name for the op.
        narrow_range: Whether "SCALED" leaves out the least integer.
        axis: The axis whose places have a range each. None means one range for all elements.
        ensure_minimum_range: The least width of the range, relative to the greatest of 1 and the
            moduli of the bounds.

    Returns:
        A named tuple of `output`, `output_min` and `output_max`. `output` has the shape of `input`
        and the dtype `T`; the range in use is float32 and has the shape of `min_range`.

    Raises:
        InvalidArgumentError: There is no such mode, the lower bound is above the upper one, or a
            bound has another shape (ValueError when traced).

    >>> import graphwright as tf
    >>> result = tf.quantization.quantize([-1.0, 0.0, 0.5, 2.0], -1.0, 1.0, tf.quint8)
    >>> tf.cast(result.output, tf.int32).numpy().tolist()
    [0, 128, 191, 255]
    """
    check_mode("QuantizeV2", mode)
    if round_mode not in ROUND_MODES:
        raise InvalidArgumentError(
            None, None, f"Value for attr 'round_mode' of \"{round_mode}\" is not in {ROUND_MODES}"
        )
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise InvalidArgumentError(
            None,
            None,
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.",
        )
    wanted = as_dtype(T)
    if wanted not in dt.QUANTIZED:
        names = ", ".join(sorted(d.name for d in dt.QUANTIZED))
        words = f"Value for attr 'T' of {wanted.name} is not in the list of allowed values: {names}"
        raise InvalidArgumentError(None, None, words)
    x, low, high = (convert(v, dt.float32) for v in (input, min_range, max_range))
    attributes = (mode, round_mode, narrow_range, placed(x, axis), float(ensure_minimum_range))
    op = QuantizeV2.of(wanted, *attributes)
    return named(QuantizeV2)(*apply(op, x, low, high, name=name))


def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dt.float32,
) -> Tensor:
    """Converts quantized integers to the floats that they stand for.

    Args:
        input: A tensor of a quantized dtype, of any shape.
        min_range: The lower bound as a scalar, or as a vector with one bound for each place of
            `axis`.
        max_range: The upper bound, of the shape of `min_range`.
        mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED", as in `tf.quantization.quantize`.
        name: A name for the op.
        axis: The axis whose places have a range each. None means one range for all elements.
        narrow_range: Whether "SCALED" leaves out the least integer.
        dtype: The dtype of the result: float32 or bfloat16.

    Returns:
        A tensor of `dtype`, of the shape of `input`.

    Raises:
        InvalidArgumentError: There is no such mode, `input` is not quantized (TypeError when
            traced), or a bound has another shape (ValueError when traced).

    >>> import graphwright as tf
    >>> result = tf.quantization.quantize([0.0, 3.0], 0.0, 3.0, tf.quint8)
    >>> tf.quantization.dequantize(result.output, 0.0, 3.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 3.], dtype=float32)>
    """
    check_mode("Dequantize", mode)
    x = convert(input)
    op = Dequantize.of(mode, narrow_range, placed(x, axis), Dequantize.dtype_for("dtype", dtype))
    return apply(op, x, *[convert(v, dt.float32) for v in (min_range, max_range)], name=name)


def quantized_concat(
    concat_dim: TensorLike,
    values: Sequence[TensorLike],
    input_mins: Sequence[TensorLike],
    input_maxes: Sequence[TensorLike],
    name: str | None = None,
) -> Any:
    """Concatenates quantized tensors along an axis and brings them to one range.

    Args:
        concat_dim: The axis, as an integer scalar.
        values: At least two tensors of one quantized dtype, whose shapes differ only along the
            axis.
        input_mins: The lower bounds of the tensors, as scalars.
        input_maxes: The upper bounds of the tensors, as scalars.
        name: A name for the op.

    Returns:
        A named tuple of `output`, of the dtype of the tensors, and of its range `output_min` and
        `output_max`, which are scalars of float32.

    Raises:
        InvalidArgumentError: There are fewer than two tensors, or the shapes do not match
            (ValueError when traced).

    >>> import graphwright as tf
    >>> values = [tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8).output] * 2
    >>> result = tf.quantization.quantized_concat(0, values, [0.0, 0.0], [1.0, 2.0])
    >>> tf.cast(result.output, tf.int32).numpy().tolist(), float(result.output_max)
    ([0, 128, 0, 255], 2.0)
    """
    tensors = [convert(v) for v in values]
    bounds = [convert(v, dt.float32) for v in (*input_mins, *input_maxes)]
    return named(QuantizedConcat)(
        *apply(QuantizedConcat.of(), concat_dim, *tensors, *bounds, name=name)
    )


def check_mode(name: str, mode: str) -> None:
    """InvalidArgumentError for an unknown mode."""
    if mode not in MODES:
        raise InvalidArgumentError(
            None, None, f"Value for attr 'mode' of \"{mode}\" is not in {MODES}; Op<name={name}>"
        )


def placed(x: TensorValue, axis: int | None) -> int:
    """An axis counted from the front; -1 for none."""
    if axis is None:
        return -1
    if axis < 0:
        if x.type.rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis += x.type.rank
    return axis
