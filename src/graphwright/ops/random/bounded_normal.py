"""Normal numbers between bounds, from a seed, and how they move with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.op.batching import one_by_one
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes
from graphwright.ops.core.movement import sum_to
from graphwright.ops.random import truncated_normal
from graphwright.ops.random.stateless_random import of_seed, parameterized_shape, samples_of
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


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

    def shapes(self, shape: Any, seed: TensorType, *parameters: TensorType) -> Shapes:
        return parameterized_shape(shape, *parameters)

    def kernel(self, shape: Any, seed: Any, *parameters: Any) -> Any:
        samples, (means, deviations, lows, highs) = samples_of(shape, *parameters)
        drawn = truncated_normal.truncated_normal(
            *of_seed(seed), means, deviations, lows, highs, samples
        )
        return drawn.reshape(shape)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        """Of mean + deviation * z for the z that was drawn; the bounds only choose among them."""
        _, _, mean, deviation, *_ = call.inputs
        z = (call.outputs[0] - mean) / deviation
        return None, None, sum_to(g, mean), sum_to(g * z, deviation), None, None


BOUNDED_NORMAL = StatelessParameterizedTruncatedNormal()


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Normal numbers between bounds; `shape` ends with the shape of the parameters together."""
    parameters = [convert(p) for p in (means, stddevs, minvals, maxvals)]
    return apply(BOUNDED_NORMAL, shape, convert(seed), *parameters, name=name)
