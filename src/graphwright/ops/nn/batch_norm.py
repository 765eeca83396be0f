"""Batch normalization in one op, and its gradients to the second order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from graphwright.op.batching import Each, Refusal, channelwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.rule_words import widened
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import ADD_UP, along, reduce_mean, reduce_sum
from graphwright.ops.math.transcendental import rsqrt, sqrt
from graphwright.ops.nn.bias import Channels, along_channels, channel_axis, other_axes
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

Spread: TypeAlias = Callable[[Any], Any]
#: A number for each channel.
Vector = TypeVar("Vector", Array, TensorValue)

#: Adds up a batch's numbers along axes.
ADDED = along(ADD_UP, False, dtype=np.float32)


class FusedBatchNormV3(Op):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, with statistics of the batch.

    With `is_training` mean and variance are the batch's, and `exponential_avg_factor` mixes them
    into those of the operands. The variance among the results is the unbiased one.
    """

    type_name = "FusedBatchNormV3"
    expands_empty = True
    inputs = ("x: T", "scale: U", "offset: U", "mean: U", "variance: U")
    outputs = (
        "y: T",
        "batch_mean: U",
        "batch_variance: U",
        "reserve_space_1: U",
        "reserve_space_2: U",
        "reserve_space_3: U",
    )
    dtypes = {"T": dt.FLOATING - {dt.float64}, "U": frozenset({dt.float32, dt.bfloat16})}
    ruled = True

    epsilon: float = 1e-4
    exponential_avg_factor: float = 1.0
    data_format: str = "NHWC"
    is_training: bool = True

    def shapes(self, x: TensorType, *parameters: TensorType) -> Shapes:
        check_normalized(self.type_name, x, self.data_format)
        channels = None if x.dims is None else x.dims[channel_axis(self.data_format)]
        for name, parameter in zip(("scale", "offset", "mean", "variance"), parameters):
            if name in ("mean", "variance") and self.is_training and parameter.dims == (0,):
                continue
            check_channels(name, parameter, channels)
        vector: Dims = (channels,)
        return (normalized_dims(x, self.data_format), vector, vector, vector, vector, (0,))

    def kernel(self, x: Array, scale: Array, offset: Array, mean: Array, variance: Array) -> Any:
        spread: Spread = lambda v: along_channels(v, x.ndim, self.data_format)  # noqa: E731
        wide = x.astype(np.float32, copy=False)
        if self.is_training:
            axes = other_axes(x.ndim, self.data_format)
            count = max(x.size // max(scale.shape[0], 1), 1)
            used_mean = ADDED(wide, axes) / np.float32(count)
            centred = wide - spread(used_mean)
            used_variance = ADDED(centred * centred, axes) / np.float32(count)
            unbiased = used_variance * np.float32(count / max(count - 1, 1))
            outer_mean, outer_variance = self.averaged(used_mean, unbiased, mean, variance)
        else:
            used_mean, used_variance = mean, variance
            centred = wide - spread(mean)
            outer_mean, outer_variance = mean, variance
        factor = scale / np.sqrt(used_variance + np.float32(self.epsilon))
        y = (centred * spread(factor) + spread(offset)).astype(x.dtype)
        vectors = (outer_mean, outer_variance, used_mean, used_variance)
        dtype = scale.dtype
        return (y, *[v.astype(dtype) for v in vectors], np.zeros(0, dtype))

    def averaged(
        self, mean: Vector, variance: Vector, old_mean: Vector, old_variance: Vector
    ) -> tuple[Vector, Vector]:
        """The running statistics: the batch's, mixed with the old ones by the factor."""
        factor = np.float32(self.exponential_avg_factor)
        if self.exponential_avg_factor == 1.0:
            return mean, variance
        rest = np.float32(1) - factor
        return rest * old_mean + factor * mean, rest * old_variance + factor * variance

    def batched(self, each: Each) -> Any:
        return by_channels(self, each)

    def gradient(self, call: Call, g: Cotangent, *others: Cotangent) -> Sequence[Any]:
        x, scale, _, mean, variance = call.inputs
        saved = call.outputs[3:5] if self.is_training else (mean, variance)
        op = FusedBatchNormGradV3.of(self.epsilon, self.data_format, self.is_training)
        gx, g_scale, g_offset, _, _ = apply(op, g, x, scale, *saved, call.outputs[5])
        return gx, g_scale, g_offset, None, None

    def expand(
        self,
        x: GraphTensor,
        scale: GraphTensor,
        offset: GraphTensor,
        mean: GraphTensor,
        variance: GraphTensor,
    ) -> Any:
        """The formula of the kernel, in float32."""
        if scale.dtype is not dt.float32:
            return None
        channels = Channels(x, self.data_format)
        wide, spread = widened(x), channels.spread
        used: Any = mean
        spreading: Any = variance
        outer: tuple[TensorValue, TensorValue] = mean, variance
        if self.is_training:
            count = channels.count()
            used = reduce_sum(wide, channels.axes) / count
        centred = wide - spread(used)
        if self.is_training:
            spreading = reduce_sum(centred * centred, channels.axes) / count
            rest = max(count - 1.0, 1.0) if isinstance(count, float) else maximum(count - 1.0, 1.0)
            outer = self.averaged(used, spreading * (count / rest), mean, variance)
        factor = scale / sqrt(spreading + self.epsilon)
        y = cast(centred * spread(factor) + spread(offset), x.dtype)
        return y, *outer, used, spreading, zeros([0])


def by_channels(op: FusedBatchNormV3 | FusedBatchNormGradV3, each: Each) -> Any:
    """The results of many rows at once: rows become channels, each normalized for itself."""
    if channel_axis(op.data_format) != -1:
        raise Refusal("the channels are not its last axis")
    return channelwise(op, each)


def check_normalized(name: str, x: TensorType, data_format: str) -> None:
    """ValueError unless the operand of a batch normalization has the rank of its data format."""
    if x.rank not in (len(data_format), None):
        raise ValueError(
            f"input must be {len(data_format)}-dimensional: x of {name} is {show_dims(x.dims)}"
        )


def check_channels(name: str, parameter: TensorType, channels: int | None) -> None:
    """ValueError unless an operand of a batch normalization has an element for each channel."""
    if not is_compatible(parameter.dims, (channels,)):
        raise ValueError(
            f"{name} must have the same number of elements as the channels of x, got "
            f"{show_dims(parameter.dims)} and {show_dims((channels,))}"
        )


def normalized_dims(x: TensorType, data_format: str) -> Dims:
    """The dims of a result, of which the data format tells the rank."""
    return x.dims or (None,) * len(data_format)


class FusedBatchNormGradV3(Op):
    """The cotangents of x, scale and offset of a batch normalization."""

    type_name = "FusedBatchNormGradV3"
    expands_empty = True
    inputs = (
        "y_backprop: T",
        "x: T",
        "scale: float32",
        "reserve_space_1: U",
        "reserve_space_2: U",
        "reserve_space_3: U",
    )
    outputs = (
        "x_backprop: T",
        "scale_backprop: U",
        "offset_backprop: U",
        "reserve_space_4: U",
        "reserve_space_5: U",
    )
    dtypes = {"T": dt.FLOATING - {dt.float64}, "U": frozenset({dt.float32})}
    ruled = True

    epsilon: float = 1e-4
    data_format: str = "NHWC"
    is_training: bool = True

    def shapes(self, g: TensorType, x: TensorType, *saved: TensorType) -> Shapes:
        check_normalized(self.type_name, x, self.data_format)
        channels = None if x.dims is None else x.dims[channel_axis(self.data_format)]
        if not is_compatible(g.dims, x.dims):
            raise ValueError(
                f"y_backprop must have the shape of x, got {show_dims(g.dims)} and "
                f"{show_dims(x.dims)}"
            )
        for name, parameter in zip(("scale", "reserve_space_1", "reserve_space_2"), saved):
            check_channels(name, parameter, channels)
        return normalized_dims(x, self.data_format), (channels,), (channels,), (0,), (0,)

    def kernel(
        self, g: Array, x: Array, scale: Array, mean: Array, variance: Array, _: Array
    ) -> Any:
        spread: Spread = lambda v: along_channels(v, x.ndim, self.data_format)  # noqa: E731
        axes = other_axes(x.ndim, self.data_format)
        wide, cotangent = (v.astype(np.float32, copy=False) for v in (x, g))
        deviation = 1 / np.sqrt(variance + np.float32(self.epsilon))
        normal = (wide - spread(mean)) * spread(deviation)
        g_offset = ADDED(cotangent, axes)
        g_scale = ADDED(cotangent * normal, axes)
        if self.is_training:
            count = np.float32(max(x.size // max(scale.shape[0], 1), 1))
            cotangent = cotangent - spread(g_offset / count) - normal * spread(g_scale / count)
        gx = cotangent * spread(scale * deviation)
        empty = np.zeros(0, np.float32)
        return gx.astype(x.dtype), g_scale, g_offset, empty, empty

    def batched(self, each: Each) -> Any:
        return by_channels(self, each)

    def gradient(self, call: Call, *cotangents: Cotangent) -> Sequence[Any]:
        if self.is_training:
            return training_second_order(self, call, *cotangents)
        return inference_second_order(self, call, *cotangents)

    def expand(
        self,
        g: GraphTensor,
        x: GraphTensor,
        scale: GraphTensor,
        mean: GraphTensor,
        variance: GraphTensor,
        unused: GraphTensor,
    ) -> Any:
        """The formula of the kernel, in float32."""
        channels = Channels(x, self.data_format)
        wide, cotangent, spread = widened(x), widened(g), channels.spread
        deviation = 1.0 / sqrt(variance + self.epsilon)
        normal = (wide - spread(mean)) * spread(deviation)
        g_offset = reduce_sum(cotangent, channels.axes)
        g_scale = reduce_sum(cotangent * normal, channels.axes)
        if self.is_training:
            count = channels.count()
            cotangent = cotangent - spread(g_offset / count) - normal * spread(g_scale / count)
        gx = cast(cotangent * spread(scale * deviation), x.dtype)
        return gx, g_scale, g_offset, zeros([0]), zeros([0])


def statistics(op: FusedBatchNormGradV3, x: TensorValue) -> tuple[tuple[int, ...], Spread]:
    """The axes of the statistics and a function that spreads a vector over the channels."""
    ndims = x.type.rank or len(op.data_format)
    axes = other_axes(ndims, op.data_format)
    if channel_axis(op.data_format) == -1:
        return axes, lambda v: v
    return axes, lambda v: reshape(v, (-1, *[1] * (ndims - 2)))


def inference_second_order(
    op: FusedBatchNormGradV3,
    call: Call,
    gx: TensorLike,
    g_scale: TensorLike,
    g_offset: TensorLike,
    *_: TensorLike,
) -> Sequence[Any]:
    """Cotangents of g, x and scale where mean and variance are constants."""
    g, x, scale, mean, variance, _reserved = call.inputs
    axes, spread = statistics(op, x)
    deviation = rsqrt(variance + op.epsilon)
    wide, cotangent, outer = (cast(v, dt.float32) for v in (x, g, gx))
    normal = (wide - spread(mean)) * spread(deviation)
    to_g = outer * spread(scale * deviation) + spread(g_offset) + normal * spread(g_scale)
    to_x = cotangent * spread(g_scale * deviation)
    to_scale = reduce_sum(outer * cotangent, axes) * deviation
    return cast(to_g, g.dtype), cast(to_x, x.dtype), to_scale, None, None, None


def training_second_order(
    op: FusedBatchNormGradV3,
    call: Call,
    gx: TensorLike,
    g_scale: TensorLike,
    g_offset: TensorLike,
    *_: TensorLike,
) -> Sequence[Any]:
    """Cotangents of g, x and scale where mean and variance depend on x.

    Let n be the normalized x, d the reciprocal deviation and <> the mean over the batch. Then
    x_backprop = scale d (g - <g> - n <g n>). Its cotangent v gives

    - g: scale d (v - <v> - n <v n>),
    - x: - scale d^2 (n (<v g> - <v><g> - 3 <v n><g n>) + <g n>(v - <v>) + <v n>(g - <g>)).
    """
    g, x, scale, mean, variance, _reserved = call.inputs
    axes, spread = statistics(op, x)
    average: Spread = lambda v: reduce_mean(v, axes, keepdims=True)  # noqa: E731
    deviation = rsqrt(variance + op.epsilon)
    wide, cotangent, v = (cast(t, dt.float32) for t in (x, g, gx))
    n = (wide - spread(mean)) * spread(deviation)
    g_mean, v_mean = average(cotangent), average(v)
    gn, vn, vg = average(cotangent * n), average(v * n), average(v * cotangent)
    d, weight = spread(deviation), spread(scale)
    to_g = weight * d * (v - v_mean - n * vn) + spread(g_offset) + n * spread(g_scale)
    bend = n * (vg - v_mean * g_mean - 3 * vn * gn) + gn * (v - v_mean) + vn * (cotangent - g_mean)
    to_x = spread(g_scale) * d * (cotangent - g_mean - n * gn) - weight * d * d * bend
    to_scale = reduce_sum(v * (cotangent - g_mean - n * gn), axes) * deviation
    return cast(to_g, g.dtype), cast(to_x, x.dtype), to_scale, None, None, None
