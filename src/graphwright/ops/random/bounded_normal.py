"""Normal numbers between bounds, from a seed, and how they move with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.batching import one_by_one
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.movement import sum_to
from graphwright.ops.random import truncated_normal
from graphwright.ops.random.stateless_random import of_seed, parameterized_shape, samples_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import ShapeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType


class StatelessParameterizedTruncatedNormal(Op):
    """Normal numbers between bounds."""

    type_name = "StatelessParameterizedTruncatedNormal"
    inputs = (
        "shape: S host", "seed: Tseed", "means: dtype", "stddevs: dtype", "minvals: dtype",
        "maxvals: dtype",
    )  # fmt: skip
    outputs = ("output: dtype",)
    dtypes = {"dtype": dt.FLOATING - {dt.bfloat16}, "S": dt.INDEX, "Tseed": dt.INDEX}
    batched = one_by_one

    def shapes(self, shape: Dims | None, seed: TensorType, *parameters: TensorType) -> Shapes:
        return parameterized_shape(shape, *parameters)

    def kernel(self, shape: tuple[int, ...], seed: Array, *parameters: Array) -> Array:
        samples, (means, deviations, lows, highs) = samples_of(shape, *parameters)
        drawn = truncated_normal.truncated_normal(
            *of_seed(seed), means, deviations, lows, highs, samples
        )
        return drawn.reshape(shape)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """Of mean + deviation * z for the z that was drawn; the bounds only choose among them."""
        _, _, mean, deviation, *_ = call.inputs
        z = (call.outputs[0] - mean) / deviation
        return None, None, sum_to(g, mean), sum_to(g * z, deviation), None, None


BOUNDED_NORMAL = StatelessParameterizedTruncatedNormal()


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers between bounds that a seed determines.

    Args:
        shape: The shape of the result, as ints or a 1-D tensor of int32 or int64. It ends with the
            broadcast shape of the parameters.
        seed: A tensor of int32 or int64 of shape [2].
        means: A tensor of float16, float32 or float64: the means before truncation.
        stddevs: A tensor of the dtype of `means`: the standard deviations before truncation.
        minvals: A tensor of the dtype of `means`: the lower bounds.
        maxvals: A tensor of the dtype of `means`: the upper bounds.
        name: A name for the op.

    Returns:
        A tensor of the dtype of `means` of shape `shape`.

    Raises:
        InvalidArgumentError: `shape` does not end with the broadcast shape of the parameters.

    >>> import graphwright as tf
    >>> draw = tf.random.stateless_parameterized_truncated_normal
    >>> draw([2], seed=[1, 2], minvals=0.0, maxvals=1.0).numpy().round(3).tolist()
    [0.843999981880188, 0.19200000166893005]
    """
    parameters = [convert(p) for p in (means, stddevs, minvals, maxvals)]
    return apply(BOUNDED_NORMAL, shape, convert(seed), *parameters, name=name)
