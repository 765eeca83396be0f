"""Cotangents of functions whose slope follows from their result: one op each, as in TensorFlow.

The operands for y = f(x) are y and the cotangent of y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import last_axes
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply
from graphwright.op.op import Call, Shapes
from graphwright.op.op_families import Binary
from graphwright.op.scalars import S, Scalars
from graphwright.ops.math.arithmetic import conj
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, show_dims


class ResultGradient(Binary):
    """dy * f'(x), where f'(x) follows from y; it has the shape of y, and dy as many elements."""

    inputs = ("y: T", "dy: T")
    dtypes = {"T": dt.INEXACT}
    broadcasts = False
    batched = last_axes

    def shapes(self, y: TensorType, dy: TensorType) -> Shapes:  # type: ignore[override]
        if None not in (y.size, dy.size) and y.size != dy.size:
            raise ValueError(
                f"y and dy must have as many elements, got {show_dims(y.dims)} vs. "
                f"{show_dims(dy.dims)}"
            )
        return (y.dims,)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, *arrays: Any) -> Any:
        y, dy = arrays
        return type(self).ufunc(y, dy if dy.shape == y.shape else dy.reshape(y.shape))


def tanh_slope(y: Array, dy: Array) -> Any:
    return np.multiply(dy, 1 - np.square(y))


def sigmoid_slope(y: Array, dy: Array) -> Any:
    return np.multiply(dy, y * (1 - y))


def guarded(dy: Array, slope: Array) -> Any:
    """`slope`, but 0 where `dy` is, even if the slope is infinite: as in TensorFlow's kernels."""
    return np.where(dy == 0, dy.dtype.type(0), slope)


def guarded_element(scalars: Scalars[S], dy: S, slope: S) -> S:
    """`guarded` for one element."""
    zero = scalars.constant(0, dy)
    return scalars.select(scalars.equal(dy, zero), zero, slope)


def sqrt_slope(y: Array, dy: Array) -> Any:
    return guarded(dy, np.divide(np.multiply(dy, y.dtype.type(0.5)), y))


def rsqrt_slope(y: Array, dy: Array) -> Any:
    return guarded(dy, np.multiply(dy, y.dtype.type(-0.5) * (y * y * y)))


def reciprocal_slope(y: Array, dy: Array) -> Any:
    return guarded(dy, np.multiply(np.negative(dy), np.square(y)))


class TanhGrad(ResultGradient):
    """dy * (1 - y^2)."""

    type_name = "TanhGrad"
    ufunc = staticmethod(tanh_slope)

    def element(self, scalars: Scalars[S], y: S, dy: S) -> S:
        return scalars.mul(dy, scalars.sub(scalars.constant(1, y), scalars.mul(y, y)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, dy = (conj(x) for x in call.inputs)
        return g * -2 * dy * y, apply(TANH_GRAD, y, g)


class SigmoidGrad(ResultGradient):
    """dy * y * (1 - y)."""

    type_name = "SigmoidGrad"
    ufunc = staticmethod(sigmoid_slope)

    def element(self, scalars: Scalars[S], y: S, dy: S) -> S:
        rest = scalars.sub(scalars.constant(1, y), y)
        return scalars.mul(dy, scalars.mul(y, rest))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, dy = (conj(x) for x in call.inputs)
        return g * dy * (1 - 2 * y), apply(SIGMOID_GRAD, y, g)


class SqrtGrad(ResultGradient):
    """dy * 0.5 / y; 0 where dy is."""

    type_name = "SqrtGrad"
    ufunc = staticmethod(sqrt_slope)

    def element(self, scalars: Scalars[S], y: S, dy: S) -> S:
        slope = scalars.div(scalars.mul(dy, scalars.constant(0.5, y)), y)
        return guarded_element(scalars, dy, slope)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y = conj(call.inputs[0])
        half = g / y
        return -half * conj(call.outputs[0]), 0.5 * half


class RsqrtGrad(ResultGradient):
    """dy * -0.5 * y^3; 0 where dy is."""

    type_name = "RsqrtGrad"
    ufunc = staticmethod(rsqrt_slope)

    def element(self, scalars: Scalars[S], y: S, dy: S) -> S:
        cube = scalars.mul(scalars.mul(y, y), y)
        slope = scalars.mul(dy, scalars.mul(scalars.constant(-0.5, y), cube))
        return guarded_element(scalars, dy, slope)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, dy = (conj(x) for x in call.inputs)
        return -1.5 * g * dy * (y * y), apply(RSQRT_GRAD, y, g)


class ReciprocalGrad(ResultGradient):
    """-dy * y^2; 0 where dy is."""

    type_name = "ReciprocalGrad"
    ufunc = staticmethod(reciprocal_slope)

    def element(self, scalars: Scalars[S], y: S, dy: S) -> S:
        return guarded_element(scalars, dy, scalars.mul(scalars.neg(dy), scalars.mul(y, y)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, dy = (conj(x) for x in call.inputs)
        return g * -2 * dy * y, apply(RECIPROCAL_GRAD, y, g)


class InvGrad(ReciprocalGrad):
    """-dy * y^2, by its old name."""

    type_name = "InvGrad"


TANH_GRAD, SIGMOID_GRAD = TanhGrad(), SigmoidGrad()
SQRT_GRAD, RSQRT_GRAD, RECIPROCAL_GRAD = SqrtGrad(), RsqrtGrad(), ReciprocalGrad()
