"""Normalizations: by moments, to unit length, and by the local response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import batches, images
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes
from graphwright.ops.core.rule_words import along, padded, rounded_once
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import pow, rsqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, merge_dims


def window_sums(x: Array, radius: int) -> Any:
    """Sums of the elements at most `radius` away along the last axis."""
    size = x.shape[-1]
    total = np.zeros_like(x)
    for offset in range(-min(radius, size - 1), min(radius, size - 1) + 1):
        low, high = max(offset, 0), size + min(offset, 0)
        total[..., low - offset : high - offset] += x[..., low:high]
    return total


class LocalResponse(Op):
    """The attributes of the local response normalization and of its gradient."""

    many_passes = True
    ruled = True
    outputs: ClassVar[tuple[str, ...]] = ("output: T",)
    dtypes = {"T": dt.FLOATING - {dt.float64}}

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5

    def shapes(self, *images: TensorType) -> Shapes:
        if self.depth_radius < 0:
            raise ValueError(f"depth_radius = {self.depth_radius} needs to be >= 0")
        dims: Dims | None = (None,) * 4
        for image in images:
            dims = merge_dims(dims, image.dims)
        return (dims,)

    def norm(self, x: Array) -> Any:
        """bias + alpha * s."""
        return np.float32(self.bias) + np.float32(self.alpha) * window_sums(
            x * x, self.depth_radius
        )


#: Elements on each side of one that are added to it; more take a loop of their own.
NEAR = 8


def near_sums(x: GraphTensor, radius: int) -> Any:
    """Sums of the elements at most so far away along the last axis, in an expansion; None for
    too many."""
    size = x.shape[-1]
    reach = radius if size is None else min(radius, size - 1)
    if not 0 <= reach <= NEAR:
        return None
    if not reach:
        return x
    rank = x.shape.rank
    wide = padded(x, [*[(0, 0)] * (rank - 1), (reach, reach)], cast(0, x.dtype))
    parts = [
        wide[along(rank, rank - 1, slice(i, i - 2 * reach or None))] for i in range(2 * reach + 1)
    ]
    return sum(parts[1:], parts[0])


class LRN(LocalResponse):
    """x / (bias + alpha * s) ** beta: s sums the squares of the channels around each one."""

    type_name = "LRN"
    inputs = ("input: T",)
    batched = images

    def kernel(self, x: Array) -> Any:
        wide = x.astype(np.float32, copy=False)
        return (wide * self.norm(wide) ** np.float32(-self.beta)).astype(x.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        op = LRNGrad.of(self.depth_radius, self.bias, self.alpha, self.beta)
        return (apply(op, g, call.inputs[0], call.outputs[0]),)

    @rounded_once
    def expand(self, x: GraphTensor) -> Any:
        squares = near_sums(x * x, self.depth_radius)
        if squares is None:
            return None
        return x * pow(self.bias + self.alpha * squares, -self.beta)


class LRNGrad(LocalResponse):
    """The cotangent of the image of a local response normalization."""

    type_name = "LRNGrad"
    inputs = ("input_grads: T", "input_image: T", "output_image: T")
    batched = batches

    def kernel(self, g: Array, x: Array, y: Array) -> Any:
        cotangent, image, output = (v.astype(np.float32, copy=False) for v in (g, x, y))
        norm = self.norm(image)
        direct = cotangent * norm ** np.float32(-self.beta)
        around = window_sums(cotangent * output / norm, self.depth_radius)
        return (direct - np.float32(2 * self.alpha * self.beta) * image * around).astype(x.dtype)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """The cotangents of all operands, where that of the output is part of the image's.

        Let s be the norm and W the sums over windows. Then the op is
        g0 s^-b - 2ab x W(g0 x s^(-b-1)), since the output is x s^-b.
        """
        cotangent, x, _ = call.inputs
        factor = 2 * self.alpha * self.beta
        norm = self.bias + self.alpha * self.around(x * x)
        power = norm**-self.beta
        steeper = power / norm
        near, far = self.around(g * x), self.around(cotangent * x * steeper)
        to_norm = g * cotangent * steeper
        bent = near * cotangent * x * steeper / norm * (2 * self.alpha * (self.beta + 1))
        to_x = x * self.around(to_norm - bent) + g * far + near * cotangent * steeper
        return g * power - factor * x * steeper * near, -factor * to_x, None

    @rounded_once
    def expand(self, g: GraphTensor, x: GraphTensor, y: GraphTensor) -> Any:
        squares = near_sums(x * x, self.depth_radius)
        if squares is None:
            return None
        norm = self.bias + self.alpha * squares
        direct = g * pow(norm, -self.beta)
        slope = 2 * self.alpha * self.beta * x
        return direct - slope * near_sums(g * y / norm, self.depth_radius)

    def around(self, x: TensorValue) -> Any:
        """Sums over the windows of channels."""
        places = range_of(axis_sizes(x, 4)[3])
        is_near = abs(places[:, None] - places[None, :]) <= self.depth_radius
        return matmul(x, cast(is_near, x.dtype))


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each element by a power of the sum of squares in the channels near it.

    The result is `input / (bias + alpha * sum) ** beta`.

    Args:
        input: A tensor of bfloat16, float16 or float32, of rank 4; its last axis is the channels.
        depth_radius: How many channels on either side are near, an int. None means 5.
        bias: A number. None means 1.
        alpha: A number. None means 1.
        beta: A number. None means 0.5.
        name: A name for the op.

    Returns:
        A tensor like `input`.

    Raises:
        InvalidArgumentError: `depth_radius` is negative, or the rank is not 4.

    Source:
        Krizhevsky, Sutskever and Hinton, ImageNet Classification with Deep Convolutional Neural
        Networks (2012).

    >>> import graphwright as tf
    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 3]), 1).numpy()[0, 0, 0]
    array([0.57735026, 0.5       , 0.57735026], dtype=float32)
    """
    op = LRN.of(depth_radius, bias, alpha, beta)
    return apply(op, convert(input, None, dt.float32), name=name)


def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Normalizes a tensor by a mean and a variance, then scales and shifts it.

    The result is `(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`.

    Args:
        x: A tensor of floats.
        mean: A tensor of floats that broadcasts to `x`.
        variance: A tensor of floats that broadcasts to `x`.
        offset: A tensor that broadcasts to `x`. None adds nothing.
        scale: A tensor that broadcasts to `x`. None does not scale.
        variance_epsilon: A small number that keeps the divisor above 0.
        name: A name for the op.

    Returns:
        A tensor like `x`.

    Source:
        Ioffe and Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
        Internal Covariate Shift, arXiv:1502.03167.

    >>> import graphwright as tf
    >>> x = tf.constant([1.0, 3.0])
    >>> tf.nn.batch_normalization(x, 2.0, 1.0, offset=0.5, scale=10.0, variance_epsilon=0.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-9.5, 10.5], dtype=float32)>
    """
    x = convert(x)
    inverse = rsqrt(convert(variance) + variance_epsilon)
    if scale is not None:
        inverse = inverse * scale
    middle: Any = mean
    shift = -middle * inverse if offset is None else offset - middle * inverse
    return x * cast(inverse, x.dtype) + cast(shift, x.dtype)


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: TensorLike,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Normalizes a tensor by a mean and a variance, then shifts it, and may scale it.

    Args:
        input: A tensor of floats.
        mean: A tensor of floats that broadcasts to `input`.
        variance: A tensor of floats that broadcasts to `input`.
        beta: A tensor that broadcasts to `input`: the offset.
        gamma: A tensor that broadcasts to `input`: the scale.
        variance_epsilon: A small number that keeps the divisor above 0.
        scale_after_normalization: Whether `gamma` is used.
        name: A name for the op.

    Returns:
        A tensor like `input`.

    Source:
        Ioffe and Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
        Internal Covariate Shift, arXiv:1502.03167.

    >>> import graphwright as tf
    >>> x = tf.constant([1.0, 3.0])
    >>> tf.nn.batch_norm_with_global_normalization(x, 2.0, 1.0, 0.5, 10.0, 0.0, False)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-0.5,  1.5], dtype=float32)>
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


def l2_normalize(
    x: TensorLike,
    axis: TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: TensorLike | None = None,
) -> Tensor:
    """Divides a tensor by its 2-norm along axes; a norm counts as at least sqrt(epsilon).

    Args:
        x: A tensor of floats or complex numbers.
        axis: The axes of one norm, as an int or a list of ints. None means all axes.
        epsilon: A small number that keeps the divisor above 0.
        name: A name for the op.
        dim: An earlier name of `axis`.

    Returns:
        A tensor like `x`.

    Raises:
        ValueError: Both `axis` and `dim` are given.
        TypeError: `x` is of integers.

    >>> import graphwright as tf
    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'dim' and 'axis'.")
    x = convert(x)
    axis = dim if axis is None else axis
    if x.dtype.is_complex:
        squares = reduce_sum(square(abs(x)), axis, keepdims=True)
        return x * cast(rsqrt(maximum(squares, epsilon)), x.dtype)
    squares = reduce_sum(square(x), axis, keepdims=True)
    return x * rsqrt(maximum(squares, convert(epsilon, x.dtype)))
