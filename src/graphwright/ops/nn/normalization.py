"""Normalizations: by given moments, to unit length, and by the local response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.op.batching import batches, images
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.casting import cast
from graphwright.ops.core.gathering import axis_sizes
from graphwright.ops.core.sequences import range as range_of
from graphwright.ops.linalg.contraction import matmul
from graphwright.ops.math.arithmetic import maximum
from graphwright.ops.math.reduction import reduce_sum
from graphwright.ops.math.transcendental import rsqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import Dims, TensorType, merge_dims


def window_sums(x: Any, radius: int) -> Any:
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

    def norm(self, x: Any) -> Any:
        """bias + alpha * s."""
        return np.float32(self.bias) + np.float32(self.alpha) * window_sums(
            x * x, self.depth_radius
        )


class LRN(LocalResponse):
    """x / (bias + alpha * s) ** beta: s sums the squares of the channels around each one."""

    type_name = "LRN"
    inputs = ("input: T",)
    batched = images

    def kernel(self, x: Any) -> Any:
        wide = x.astype(np.float32, copy=False)
        return (wide * self.norm(wide) ** np.float32(-self.beta)).astype(x.dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        op = LRNGrad.of(self.depth_radius, self.bias, self.alpha, self.beta)
        return (apply(op, g, call.inputs[0], call.outputs[0]),)


class LRNGrad(LocalResponse):
    """The cotangent of the image of a local response normalization."""

    type_name = "LRNGrad"
    inputs = ("input_grads: T", "input_image: T", "output_image: T")
    batched = batches

    def kernel(self, g: Any, x: Any, y: Any) -> Any:
        cotangent, image, output = (v.astype(np.float32, copy=False) for v in (g, x, y))
        norm = self.norm(image)
        direct = cotangent * norm ** np.float32(-self.beta)
        around = window_sums(cotangent * output / norm, self.depth_radius)
        return (direct - np.float32(2 * self.alpha * self.beta) * image * around).astype(x.dtype)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        """With s for the norm and W for the sums over windows, the op is
        g0 s^-b - 2ab x W(g0 x s^(-b-1)), in which the output y = x s^-b is no value of its own."""
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

    def around(self, x: Any) -> Any:
        """Sums over the windows of channels."""
        places = range_of(axis_sizes(x, 4)[3])
        is_near = abs(places[:, None] - places[None, :]) <= self.depth_radius
        return matmul(x, cast(is_near, x.dtype))


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """input / (bias + alpha * s) ** beta, where s sums the squares of the near channels.

    None stands for a default. InvalidArgumentError for a negative radius.
    """
    op = LRN.of(depth_radius, bias, alpha, beta)
    return apply(op, convert(input, None, dt.float32), name=name)


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset; both of them optional."""
    x = convert(x)
    inverse = rsqrt(convert(variance) + variance_epsilon)
    if scale is not None:
        inverse = inverse * scale
    shift = -mean * inverse if offset is None else offset - mean * inverse
    return x * cast(inverse, x.dtype) + cast(shift, x.dtype)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """Batch normalization whose scale `gamma` counts only if `scale_after_normalization`."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """`x` over its euclidean norm along `axis`; norms are at least sqrt(epsilon).

    `dim` is an earlier name of `axis`: ValueError where both are given.
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
