"""Powers, exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.op.families import Binary, Unary
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import Call
from graphwright.op.scalars import Scalars
from graphwright.ops.arithmetic import conj
from graphwright.types import dtypes as dt


@dataclass(frozen=True)
class Sin(Unary):
    """Sine of an angle in radians."""

    type_name = "Sin"
    ufunc = np.sin

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        return scalars.unary("sin", x)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (g * conj(cos(call.inputs[0])),)


@dataclass(frozen=True)
class Cos(Unary):
    """Cosine of an angle in radians."""

    type_name = "Cos"
    ufunc = np.cos

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        return scalars.unary("cos", x)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (-g * conj(sin(call.inputs[0])),)


@dataclass(frozen=True)
class Tanh(Unary):
    """Hyperbolic tangent."""

    type_name = "Tanh"
    ufunc = np.tanh

    def element(self, scalars: Scalars[Any], x: Any) -> Any:
        return scalars.unary("tanh", x)

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        y = conj(call.outputs[0])
        return (g * (1 - y * y),)


SIN, COS, TANH = Sin(), Cos(), Tanh()


def sin(x: Any, name: str | None = None) -> Any:
    """Sine of `x` in radians, elementwise.

    >>> import graphwright as tf
    >>> tf.sin(0.5)
    <tf.Tensor: shape=(), dtype=float32, numpy=0.47942555>
    """
    return apply(SIN, convert(x), name=name)


def cos(x: Any, name: str | None = None) -> Any:
    """Cosine of `x` in radians, elementwise."""
    return apply(COS, convert(x), name=name)


def tanh(x: Any, name: str | None = None) -> Any:
    """Hyperbolic tangent of `x`, elementwise."""
    return apply(TANH, convert(x), name=name)
