"""How gamma variates move with their shape parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import undefined
from graphwright.op.op_families import Binary, no_element
from graphwright.op.special_functions import gammaln
from graphwright.ops.core.casting import cast
from graphwright.ops.core.movement import sum_to
from graphwright.ops.math.special import slope_of_lower_gamma
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array


def slope_of_variate(alpha: Array, sample: Array) -> Array:
    """d sample / d alpha at a fixed quantile: implicit differentiation of the distribution."""
    a, x = np.asarray(alpha, np.float64), np.asarray(sample, np.float64)
    density = np.exp((a - 1) * np.log(x) - x - gammaln(a))
    slope: Array = -slope_of_lower_gamma(a, x) / density
    return slope.astype(np.asarray(alpha).dtype)


class RandomGammaGrad(Binary):
    """The slope of a gamma variate in its shape parameter."""

    type_name = "RandomGammaGrad"
    inputs = ("alpha: T", "sample: T")
    outputs = ("output: T",)
    dtypes = {"T": frozenset({dt.float32, dt.float64})}
    ufunc = staticmethod(slope_of_variate)
    element = no_element
    gradient = undefined("the derivative of a sample by its shape has none itself")


RANDOM_GAMMA_GRAD = RandomGammaGrad()


def gamma_gradient(alpha: TensorValue, sample: TensorValue, g: Cotangent) -> Any:
    """The cotangent of `alpha`, whose shape is the end of that of `sample`."""
    narrow = alpha.dtype is dt.float16
    parameter, drawn = (cast(x, dt.float32) if narrow else x for x in (alpha, sample))
    slope = cast(apply(RANDOM_GAMMA_GRAD, parameter, drawn), alpha.dtype)
    return sum_to(g * slope, alpha)
