"""Absolute values and signs, elementwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.one_op import one_op
from graphwright.op.op import Call
from graphwright.op.op_families import Elementwise, Unary, no_element
from graphwright.op.scalars import S, Scalars
from graphwright.ops.core.casting import cast
from graphwright.ops.math.arithmetic import DIV_NO_NAN, conj
from graphwright.ops.math.transcendental import square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.dtypes import DType


class Abs(Unary):
    """|x| of a real number; the least integer stays itself, as its negation overflows."""

    type_name = "Abs"
    dtypes = {"T": dt.FLOATING | dt.SIGNED}
    ufunc = np.abs

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.abs(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * sign(call.inputs[0]),)


class ComplexAbs(Elementwise):
    """|x| of a complex number."""

    type_name = "ComplexAbs"
    inputs = ("x: T",)
    outputs = ("y: Tout",)
    dtypes = {"T": dt.COMPLEX}
    ufunc = np.abs
    element = no_element

    Tout: DType = dt.float32

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (apply(DIV_NO_NAN, cast(g, x.dtype), cast(y, x.dtype)) * x,)


class Sign(Unary):
    """-1, 0 or 1 as x is; x / |x| of a complex number."""

    type_name = "Sign"
    dtypes = {"T": dt.INEXACT | dt.SIGNED}
    ufunc = np.sign

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.sign(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        """None of a real number; of a complex one, x / |x| turns as x does."""
        x = call.inputs[0]
        if not x.dtype.is_complex:
            return (g * 0,)
        half = cast(0.5 / abs(x), x.dtype)
        return (half * (g - conj(g) * square(call.outputs[0])),)


ABS, SIGN = Abs(), Sign()


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the absolute value of each element, the modulus of a complex one.

    The least integer of a dtype stays itself, since its negation overflows.

    Args:
        x: A tensor of floats, signed integers or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`; for complex numbers of the float dtype of their
        parts.

    >>> import graphwright as tf
    >>> tf.abs([-2, 3])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    >>> tf.abs(3.0 + 4.0j)
    <tf.Tensor: shape=(), dtype=float64, numpy=5.0>
    """
    x = convert(x)
    if x.dtype.is_complex:
        return apply(ComplexAbs.of(x.dtype.real_dtype), x, name=name)
    return apply(ABS, x, name=name)


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the sign of each element: -1, 0 or 1, and `x / abs(x)` of a complex number.

    Args:
        x: A tensor of floats, signed integers or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.sign([-2.5, 0.0, 3.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([-1.,  0.,  1.], dtype=float32)>
    """
    return apply(SIGN, convert(x), name=name)


one_op(abs, sign)
