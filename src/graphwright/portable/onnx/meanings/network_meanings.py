"""Layers of networks."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import gather_nd
from graphwright.ops.core.indexing import where
from graphwright.ops.core.joining import stack
from graphwright.ops.core.movement import expand_dims, reshape, transpose
from graphwright.ops.core.padding import pad
from graphwright.ops.core.shapes import shape
from graphwright.ops.math.arithmetic import divide_no_nan, floormod, maximum, minimum
from graphwright.ops.math.comparison import logical_and
from graphwright.ops.math.magnitude import abs
from graphwright.ops.math.reduction import reduce_mean, reduce_prod, reduce_sum, reduce_variance
from graphwright.ops.math.rounding import floor, rint
from graphwright.ops.math.sums import add_n
from graphwright.ops.math.transcendental import pow, sqrt, square
from graphwright.ops.nn.softmax import log_softmax, softmax
from graphwright.ops.random.stateful_random import categorical
from graphwright.ops.random.stateful_random import normal as random_normal
from graphwright.ops.random.stateful_random import uniform as random_uniform
from graphwright.portable.onnx.meaning import OnnxNode, meaning, rank_of
from graphwright.portable.onnx.onnx_reading import dtype_of_number
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.values.convert import convert


def rows_from(n: OnnxNode, x: TensorValue, axis: int) -> Any:
    """A matrix of the axes before one and of those after it, as ops before opset 13 see tensors."""
    sizes = shape(x, dt.int64)
    axis = axis % rank_of(x)
    return reshape(x, stack([reduce_prod(sizes[:axis]), reduce_prod(sizes[axis:])]))


@meaning("Softmax")
def softmax_of(n: OnnxNode, x: TensorValue) -> Any:
    """Probabilities along an axis."""
    if n.opset >= 13:
        return softmax(x, int(n.get("axis", -1)))
    return reshape(softmax(rows_from(n, x, int(n.get("axis", 1)))), shape(x))


@meaning("LogSoftmax")
def log_softmax_of(n: OnnxNode, x: TensorValue) -> Any:
    """The logarithms of probabilities along an axis."""
    if n.opset >= 13:
        return log_softmax(x, int(n.get("axis", -1)))
    return reshape(log_softmax(rows_from(n, x, int(n.get("axis", 1)))), shape(x))


def channel_vector(x: TensorValue, vector: TensorValue) -> Any:
    """A vector of channels against images with channels second."""
    return reshape(vector, [-1, *[1] * (rank_of(x) - 2)]) if rank_of(x) > 1 else vector


@meaning("BatchNormalization")
def batch_normalized(
    n: OnnxNode,
    x: TensorValue,
    scale: TensorValue,
    offset: TensorValue,
    mean: TensorValue,
    variance: TensorValue,
) -> Any:
    """Each channel with mean and variance that are given, or in training the batch's own."""
    epsilon = n.get("epsilon", 1e-5)
    if not n.get("training_mode"):
        parts = [cast(channel_vector(x, v), x.dtype) for v in (scale, offset, mean, variance)]
        return (x - parts[2]) * (parts[0] / sqrt(parts[3] + epsilon)) + parts[1]
    axes = [0, *builtins.range(2, rank_of(x))]
    momentum = n.get("momentum", 0.9)
    mean_here, spread = reduce_mean(x, axes), reduce_variance(x, axes)
    centered = x - channel_vector(x, mean_here)
    factor = channel_vector(x, scale) / sqrt(channel_vector(x, spread) + epsilon)
    y = centered * factor + channel_vector(x, offset)
    running = [
        old * momentum + new * (1 - momentum)
        for old, new in ((mean, mean_here), (variance, spread))
    ]
    return [y, *running]


@meaning("InstanceNormalization")
def instance_normalized(
    n: OnnxNode, x: TensorValue, scale: TensorValue, offset: TensorValue
) -> Any:
    """Each channel of each image with its own mean and variance."""
    axes = list(builtins.range(2, rank_of(x)))
    mean, variance = reduce_mean(x, axes, True), reduce_variance(x, axes, True)
    normal = (x - mean) / sqrt(variance + n.get("epsilon", 1e-5))
    return normal * channel_vector(x, scale) + channel_vector(x, offset)


@meaning("LpNormalization")
def lp_normalized(n: OnnxNode, x: TensorValue) -> Any:
    """Over the norm along an axis; 0 where that is 0."""
    axis = int(n.get("axis", -1))
    if int(n.get("p", 2)) == 1:
        norm = reduce_sum(abs(x), axis, True)
    else:
        norm = sqrt(reduce_sum(square(x), axis, True))
    return divide_no_nan(x, norm)


@meaning("LRN")
def local_response(n: OnnxNode, x: TensorValue) -> Any:
    """Each element over what is near among channels."""
    count = int(n.get("size"))
    before = (count - 1) // 2
    sides = [[0, 0] for _ in builtins.range(rank_of(x))]
    sides[1] = [before, count - 1 - before]
    squares = pad(square(x), sides)
    channels = shape(x, dt.int64)[1]
    total = add_n([squares[:, i : channels + i] for i in builtins.range(count)])
    scaled = n.get("bias", 1.0) + n.get("alpha", 1e-4) / count * total
    return x / pow(scaled, cast(convert(n.get("beta", 0.75)), x.dtype))


def drawn(n: OnnxNode, like: TensorValue | None, sizes: Any) -> Any:
    """The dtype and the shape of random numbers."""
    number = n.get("dtype")
    default = dt.float32 if like is None else like.dtype
    dtype = dtype_of_number(int(number), n.name) if number else default
    if sizes is not None:
        return dtype, [int(size) for size in sizes]
    assert like is not None
    return dtype, shape(like)


@meaning("RandomUniform", "RandomUniformLike", note="other numbers of the same distribution")
def uniform_numbers(n: OnnxNode, like: TensorValue | None = None) -> Any:
    """Random numbers between two."""
    dtype, sizes = drawn(n, like, n.get("shape"))
    return random_uniform(sizes, n.get("low", 0.0), n.get("high", 1.0), dtype)


@meaning("RandomNormal", "RandomNormalLike", note="other numbers of the same distribution")
def normal_numbers(n: OnnxNode, like: TensorValue | None = None) -> Any:
    """Random numbers of a normal distribution."""
    dtype, sizes = drawn(n, like, n.get("shape"))
    return random_normal(sizes, n.get("mean", 0.0), n.get("scale", 1.0), dtype)


@meaning("Multinomial", note="other numbers of the same distribution")
def sampled(n: OnnxNode, x: TensorValue) -> Any:
    """Random classes by the logarithms of their probabilities."""
    dtype = dtype_of_number(int(n.get("dtype", 6)), n.name)
    return categorical(x, int(n.get("sample_size", 1)), dtype)


@meaning("GridSample", note="of images, by nearest pixels and straight lines")
def grid_sampled(n: OnnxNode, x: TensorValue, grid: TensorValue) -> Any:
    """The pixels at places between -1 and 1."""
    if rank_of(x) != 4 or x.type.dims is None:
        raise n.unread("it is not of images")
    mode, around = n.text("mode", "linear"), n.text("padding_mode", "zeros")
    if mode not in ("linear", "bilinear", "nearest"):
        raise n.unread(f"the mode is {mode}")
    sizes = [cast(shape(x)[axis], x.dtype) for axis in (3, 2)]
    corners = bool(n.get("align_corners"))
    places = []
    for axis, count in enumerate(sizes):
        line = cast(grid, x.dtype)[..., axis]
        place = (line + 1) / 2 * (count - 1) if corners else ((line + 1) * count - 1) / 2
        places.append(confined(place, count, around, corners))
    images = transpose(x, [0, 2, 3, 1])
    if mode == "nearest":
        return transpose(pixels(images, rint(places[0]), rint(places[1]), around), [0, 3, 1, 2])
    low = [floor(place) for place in places]
    total: Any = None
    for right in (0, 1):
        for below in (0, 1):
            column, row = low[0] + right, low[1] + below
            across = places[0] - low[0] if right else 1 - (places[0] - low[0])
            down = places[1] - low[1] if below else 1 - (places[1] - low[1])
            part = pixels(images, column, row, around) * expand_dims(across * down, -1)
            total = part if total is None else total + part
    return transpose(total, [0, 3, 1, 2])


def confined(place: TensorValue, count: TensorValue, around: str, corners: bool) -> Any:
    """Places as the padding has them: at the border, mirrored, or as they are."""
    if around == "border":
        return minimum(maximum(place, 0), count - 1)
    if around == "reflection":
        low, span = (0.0, count - 1) if corners else (-0.5, count)
        far = floormod(abs(place - low), 2 * span)
        inside = minimum(far, 2 * span - far) + low
        return minimum(maximum(inside, 0), count - 1)
    return place


def pixels(images: TensorValue, column: TensorValue, row: TensorValue, around: str) -> Any:
    """The pixels at whole places; 0 outside."""
    sizes = shape(images)
    x, y = cast(column, dt.int32), cast(row, dt.int32)
    inside = logical_and(logical_and(x >= 0, x < sizes[2]), logical_and(y >= 0, y < sizes[1]))
    x, y = minimum(maximum(x, 0), sizes[2] - 1), minimum(maximum(y, 0), sizes[1] - 1)
    chosen = gather_nd(images, stack([y, x], axis=-1), batch_dims=1)
    zero = cast(convert(np.float32(0)), images.dtype)
    return where(expand_dims(inside, -1), chosen, zero)
