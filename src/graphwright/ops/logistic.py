"""The logistic function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.kernels.special import expit
from graphwright.op.families import Unary
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call
from graphwright.op.scalars import Scalars
from graphwright.ops.arithmetic import conj
from graphwright.ops.special import widened
from graphwright.types.dtypes import DType


class Sigmoid(Unary):
    """1 / (1 + exp(-x))."""

    type_name = "Sigmoid"
    ufunc = expit

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if types[0].is_complex:
            return lambda x: np.reciprocal(1 + np.exp(np.negative(x)))
        return widened(expit, types[0])

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        one = scalars.constant(1, x)
        return scalars.div(one, scalars.add(one, scalars.unary("exp", scalars.neg(x))))

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        y = conj(call.outputs[0])
        return (g * y * (1 - y),)


SIGMOID = Sigmoid()


def sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)), elementwise, of floating or complex `x`.

    >>> import graphwright as tf
    >>> tf.sigmoid([0.0, 100.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 1. ], dtype=float32)>
    """
    return apply(SIGMOID, convert(x), name=name)
