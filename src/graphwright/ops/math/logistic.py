"""The logistic function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import Call
from graphwright.op.op_families import Unary
from graphwright.op.scalars import UNARY, S, Scalars
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.result_gradients import SIGMOID_GRAD
from graphwright.ops.math.special import widened
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.dtypes import DType


class Sigmoid(Unary):
    """1 / (1 + exp(-x))."""

    type_name = "Sigmoid"
    ufunc = staticmethod(UNARY["sigmoid"])

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        function = UNARY["sigmoid"]
        return function if types[0].is_complex else widened(function, types[0])

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.sigmoid(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SIGMOID_GRAD, conj(call.outputs[0]), g),)


SIGMOID = Sigmoid()


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logistic function `1 / (1 + exp(-x))` of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.sigmoid([0.0, 100.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 1. ], dtype=float32)>
    """
    return apply(SIGMOID, convert(x), name=name)

one_op(sigmoid)
