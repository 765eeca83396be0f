"""Adding a vector along the channels of data, and the sum that is its adjoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.creation import ones
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import broadcast_to, reshape
from graphwright.ops.core.rule_words import extent, widened
from graphwright.ops.core.shapes import rank, shape_of
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import ADD_UP, along, reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, merge_dims, show_dims


def channel_axis(data_format: str) -> int:
    """Where the channels are: axis 1 if the format begins with NC, else the last."""
    return 1 if data_format.startswith("NC") else -1


def along_channels(vector: Array, ndim: int, data_format: str) -> Array:
    """A vector over the channels in a shape that broadcasts against data of rank `ndim`."""
    if channel_axis(data_format) == -1:
        return vector
    return vector.reshape(vector.shape + (1,) * (ndim - 2))


def other_axes(ndim: int, data_format: str) -> tuple[int, ...]:
    """All axes but that of the channels."""
    channels = channel_axis(data_format) % ndim
    return tuple(i for i in range(ndim) if i != channels)


class Channels:
    """Data with channels in an expansion: vectors of them in its shape, and reductions to them."""

    def __init__(self, x: GraphTensor, data_format: str) -> None:
        self.rank = x.shape.rank
        self.last = channel_axis(data_format) == -1
        self.axes = other_axes(self.rank, data_format)
        self.sizes = [extent(x, i) for i in self.axes]

    def spread(self, vector: GraphTensor) -> Any:
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


class BiasAdd(Op):
    """Adds a vector along the axis of the channels."""

    type_name = "BiasAdd"
    inputs = ("value: T", "bias: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC}

    data_format: str = "NHWC"

    def shapes(self, value: TensorType, bias: TensorType) -> Shapes:
        if bias.rank not in (1, None):
            raise ValueError(f"Biases must be 1D: {show_dims(bias.dims)}")
        if value.rank is not None and value.rank < 2:
            raise ValueError(f"Input tensor must be at least 2D: {show_dims(value.dims)}")
        if value.dims is None or bias.dims is None:
            return (value.dims,)
        dims = list(value.dims)
        channels = channel_axis(self.data_format)
        try:
            (dims[channels],) = merge_dims((dims[channels],), bias.dims) or (None,)
        except ValueError:
            raise ValueError(
                "Must provide as many biases as the last dimension of the input tensor: "
                f"{show_dims(bias.dims)} vs. {show_dims(value.dims)}"
            ) from None
        return (tuple(dims),)

    def kernel(self, value: Array, bias: Array) -> Any:
        channels = channel_axis(self.data_format)
        if value.ndim < 2 or bias.ndim != 1 or value.shape[channels] != bias.shape[0]:
            self.shapes(*(TensorType(dt.of_numpy(x.dtype), x.shape) for x in (value, bias)))
        return np.add(value, along_channels(bias, value.ndim, self.data_format))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, apply(BiasAddGrad.of(self.data_format), g)

    def expand(self, value: GraphTensor, bias: GraphTensor) -> Any:
        return value + Channels(value, self.data_format).spread(bias)

    def batched(self, each: Each) -> Any:
        if not each.stacked[1]:
            return each.split(apply(self, each.merged(0), each.inputs[1]), 0)
        rank = each.rank(0)
        axis = channel_axis(self.data_format) % rank
        shape = [-1 if i == axis else 1 for i in range(rank)]
        return each.full(0) + reshape(each.inputs[1], each.longer(tuple(shape)))


def check_backprop(dims: Dims) -> None:
    """ValueError unless data has a batch beside its channels."""
    if len(dims) < 2:
        raise ValueError(f"Input tensor must be at least 2D: {show_dims(dims)}")


class BiasAddGrad(Op):
    """Sums over all axes but that of the channels."""

    type_name = "BiasAddGrad"
    inputs = ("out_backprop: T",)
    outputs = ("output: T",)
    dtypes = {"T": dt.NUMERIC}

    data_format: str = "NHWC"

    def shapes(self, out_backprop: TensorType) -> Shapes:
        if out_backprop.dims is None:
            return ((None,),)
        check_backprop(out_backprop.dims)
        return ((out_backprop.dims[channel_axis(self.data_format)],),)

    def kernel(self, g: Array) -> Any:
        check_backprop(g.shape)
        axes = other_axes(g.ndim, self.data_format)
        if g.dtype.itemsize == 2 and g.dtype.kind not in "iu":
            return along(ADD_UP, False, dtype=np.float32)(g, axes).astype(g.dtype)
        return along(ADD_UP, False, dtype=g.dtype)(g, axes)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        if channel_axis(self.data_format) == -1:
            return (broadcast_to(g, shape_of(x)),)
        beside = rank(x) - 2 if x.type.rank is None else x.type.rank - 2
        column = reshape(g, concat([[-1], ones([beside], dt.int32)], 0))
        return (broadcast_to(column, shape_of(x)),)

    def expand(self, g: GraphTensor) -> Any:
        return cast(reduce_sum(widened(g), Channels(g, self.data_format).axes), g.dtype)

    def batched(self, each: Each) -> Any:
        rank = each.rank(0)
        axes = [i + 1 for i in range(rank) if i != channel_axis(self.data_format) % rank]
        return reduce_sum(each.inputs[0], axes)


def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a bias to each channel.

    Args:
        value: A tensor of numbers, of rank 2 or more.
        bias: A vector of the dtype of `value`, as long as its channel axis.
        data_format: "NC..." has the channels at axis 1, "N...C" at the last. None means the last.
        name: A name for the op.

    Returns:
        A tensor like `value`.

    Raises:
        ValueError: `data_format` is of neither form.
        InvalidArgumentError: `bias` does not fit the channels, or the rank of `value` is below 2.

    >>> import graphwright as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0])
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[11., 22.]], dtype=float32)>
    """
    first = data_format is not None and data_format.startswith("NC")
    if data_format is not None and not first and not data_format.startswith("N"):
        raise ValueError(
            f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format}"
        )
    value = convert(value)
    return apply(
        BiasAdd.of("NCHW" if first else "NHWC"), value, convert(bias, value.dtype), name=name
    )
