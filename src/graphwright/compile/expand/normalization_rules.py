"""Rules of normalizations over batches, and of adding to channels."""

from __future__ import annotations

import math
from typing import Any

from graphwright.op.op import Op
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import zeros
from graphwright.ops.core.movement import reshape
from graphwright.ops.core.rule_words import Rule, along, extent, padded, rounded_once, widened
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import pow, sqrt
from graphwright.ops.nn.batch_norm import FusedBatchNormGradV3, FusedBatchNormV3
from graphwright.ops.nn.bias import BiasAdd, BiasAddGrad, channel_axis, other_axes
from graphwright.ops.nn.normalization import LRN, LRNGrad
from graphwright.types import dtypes as dt


class Channels:
    """Data with channels: vectors of them in its shape, and reductions to them."""

    def __init__(self, x: Any, data_format: str) -> None:
        self.rank = x.shape.rank
        self.last = channel_axis(data_format) == -1
        self.axes = other_axes(self.rank, data_format)
        self.sizes = [extent(x, i) for i in self.axes]

    def spread(self, vector: Any) -> Any:
        """A vector over the channels, to broadcast against the data."""
        return vector if self.last else reshape(vector, [-1, *[1] * (self.rank - 2)])

    def count(self) -> Any:
        """How many elements a channel has, as a float; at least one, as the kernels count."""
        if all(isinstance(size, int) for size in self.sizes):
            return float(max(math.prod(self.sizes), 1))
        total: Any = 1
        for size in self.sizes:
            total = size * total
        return maximum(cast(total, dt.float32), 1.0)


def bias_add(op: Any, value: Any, bias: Any) -> Any:
    """value + bias, along the channels"""
    return value + Channels(value, op.data_format).spread(bias)


def bias_add_gradient(op: Any, g: Any) -> Any:
    """The sum over all axes but that of the channels"""
    return cast(reduce_sum(widened(g), Channels(g, op.data_format).axes), g.dtype)


def batch_norm(op: Any, x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
    """The formula of the kernel, in float32"""
    if scale.dtype is not dt.float32:
        return None
    channels = Channels(x, op.data_format)
    wide, spread = widened(x), channels.spread
    used, spreading, outer = mean, variance, (mean, variance)
    if op.is_training:
        count = channels.count()
        used = reduce_sum(wide, channels.axes) / count
    centred = wide - spread(used)
    if op.is_training:
        spreading = reduce_sum(centred * centred, channels.axes) / count
        rest = max(count - 1.0, 1.0) if isinstance(count, float) else maximum(count - 1.0, 1.0)
        outer = op.averaged(used, spreading * (count / rest), mean, variance)
    factor = scale / sqrt(spreading + op.epsilon)
    y = cast(centred * spread(factor) + spread(offset), x.dtype)
    return y, *outer, used, spreading, zeros([0])


def batch_norm_gradient(
    op: Any, g: Any, x: Any, scale: Any, mean: Any, variance: Any, _: Any
) -> Any:
    """The formula of the kernel, in float32"""
    channels = Channels(x, op.data_format)
    wide, cotangent, spread = widened(x), widened(g), channels.spread
    deviation = 1.0 / sqrt(variance + op.epsilon)
    normal = (wide - spread(mean)) * spread(deviation)
    g_offset = reduce_sum(cotangent, channels.axes)
    g_scale = reduce_sum(cotangent * normal, channels.axes)
    if op.is_training:
        count = channels.count()
        cotangent = cotangent - spread(g_offset / count) - normal * spread(g_scale / count)
    gx = cast(cotangent * spread(scale * deviation), x.dtype)
    return gx, g_scale, g_offset, zeros([0]), zeros([0])


#: Elements on each side of one that are added to it; more take a loop of their own.
_NEAR = 8


def around(x: Any, radius: int) -> Any:
    """Sums of the elements at most so far away along the last axis; None for too many."""
    size = x.shape[-1]
    reach = radius if size is None else min(radius, size - 1)
    if not 0 <= reach <= _NEAR:
        return None
    if not reach:
        return x
    rank = x.shape.rank
    wide = padded(x, [*[(0, 0)] * (rank - 1), (reach, reach)], cast(0, x.dtype))
    parts = [
        wide[along(rank, rank - 1, slice(i, i - 2 * reach or None))] for i in range(2 * reach + 1)
    ]
    return sum(parts[1:], parts[0])


def local_response(op: Any, x: Any) -> Any:
    """x * (bias + alpha * sums of squares of near channels) ** -beta"""
    squares = around(x * x, op.depth_radius)
    if squares is None:
        return None
    return x * pow(op.bias + op.alpha * squares, -op.beta)


def local_response_gradient(op: Any, g: Any, x: Any, y: Any) -> Any:
    """The formula of the kernel"""
    squares = around(x * x, op.depth_radius)
    if squares is None:
        return None
    norm = op.bias + op.alpha * squares
    direct = g * pow(norm, -op.beta)
    return direct - 2 * op.alpha * op.beta * x * around(g * y / norm, op.depth_radius)


RULES: dict[type[Op], Rule] = {
    BiasAdd: bias_add,
    BiasAddGrad: bias_add_gradient,
    FusedBatchNormGradV3: batch_norm_gradient,
    FusedBatchNormV3: batch_norm,
    LRN: rounded_once(local_response),
    LRNGrad: rounded_once(local_response_gradient),
}
