"""Trigonometric and hyperbolic functions and their inverses, elementwise; angles in radians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.one_op import one_op
from graphwright.op.op import Call
from graphwright.op.op_families import Binary, Unary
from graphwright.op.scalars import S, Scalars
from graphwright.ops.math.arithmetic import conj
from graphwright.ops.math.result_gradients import TANH_GRAD
from graphwright.ops.math.transcendental import reciprocal, sqrt, square
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike

# -- of an angle ----------------------------------------------------------------------------


class Sin(Unary):
    """Sine."""

    type_name = "Sin"
    ufunc = np.sin

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.sin(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * cos(conj(call.inputs[0])),)


class Cos(Unary):
    """Cosine."""

    type_name = "Cos"
    ufunc = np.cos

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.cos(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g * sin(conj(call.inputs[0])),)


class Tan(Unary):
    """Tangent."""

    type_name = "Tan"
    ufunc = np.tan

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.tan(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * square(reciprocal(cos(conj(call.inputs[0])))),)


class Asin(Unary):
    """The angle whose sine is x; NaN outside [-1, 1]."""

    type_name = "Asin"
    ufunc = np.arcsin

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.asin(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * reciprocal(sqrt(1 - square(conj(call.inputs[0])))),)


class Acos(Unary):
    """The angle whose cosine is x; NaN outside [-1, 1]."""

    type_name = "Acos"
    ufunc = np.arccos

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.acos(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g * reciprocal(sqrt(1 - square(conj(call.inputs[0])))),)


class Atan(Unary):
    """The angle whose tangent is x, in [-pi/2, pi/2]."""

    type_name = "Atan"
    ufunc = np.arctan

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.atan(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * reciprocal(1 + square(conj(call.inputs[0]))),)


class Atan2(Binary):
    """The angle of the point (x, y), in [-pi, pi]."""

    type_name = "Atan2"
    inputs = ("y: T", "x: T")
    dtypes = {"T": dt.FLOATING}
    ufunc = np.arctan2

    def element(self, scalars: Scalars[S], y: S, x: S) -> S:
        return scalars.atan2(y, x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        y, x = call.inputs
        scaled = g / (square(x) + square(y))
        return x * scaled, -y * scaled


# -- hyperbolic -----------------------------------------------------------------------------


class Sinh(Unary):
    """Hyperbolic sine."""

    type_name = "Sinh"
    ufunc = np.sinh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.sinh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * cosh(conj(call.inputs[0])),)


class Cosh(Unary):
    """Hyperbolic cosine."""

    type_name = "Cosh"
    ufunc = np.cosh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.cosh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * sinh(conj(call.inputs[0])),)


class Tanh(Unary):
    """Hyperbolic tangent."""

    type_name = "Tanh"
    ufunc = np.tanh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.tanh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(TANH_GRAD, conj(call.outputs[0]), g),)


class Asinh(Unary):
    """Inverse hyperbolic sine."""

    type_name = "Asinh"
    ufunc = np.arcsinh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.asinh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g / cosh(conj(call.outputs[0])),)


class Acosh(Unary):
    """Inverse hyperbolic cosine; NaN below 1."""

    type_name = "Acosh"
    ufunc = np.arccosh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.acosh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g / sinh(conj(call.outputs[0])),)


class Atanh(Unary):
    """Inverse hyperbolic tangent; NaN outside [-1, 1]."""

    type_name = "Atanh"
    ufunc = np.arctanh

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.atanh(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * reciprocal(1 - square(conj(call.inputs[0]))),)


SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2 = Sin(), Cos(), Tan(), Asin(), Acos(), Atan(), Atan2()
SINH, COSH, TANH, ASINH, ACOSH, ATANH = Sinh(), Cosh(), Tanh(), Asinh(), Acosh(), Atanh()


# -- the public functions -------------------------------------------------------------------


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the sine of each element, an angle in radians.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.sin(0.5)
    <tf.Tensor: shape=(), dtype=float32, numpy=0.4794255495071411>
    """
    return apply(SIN, convert(x), name=name)


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the cosine of each element, an angle in radians.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> f"{float(tf.cos(0.5)):.4f}"
    '0.8776'
    """
    return apply(COS, convert(x), name=name)


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the tangent of each element, an angle in radians.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> f"{float(tf.tan(0.5)):.4f}"
    '0.5463'
    """
    return apply(TAN, convert(x), name=name)


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle, in radians, whose sine is the element.

    Args:
        x: A tensor of floats or complex numbers, of any shape. A real number outside [-1, 1] gives
            NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`; real angles lie in [-pi/2, pi/2].

    >>> import graphwright as tf
    >>> f"{float(tf.asin(0.5)):.4f}"
    '0.5236'
    """
    return apply(ASIN, convert(x), name=name)


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle, in radians, whose cosine is the element.

    Args:
        x: A tensor of floats or complex numbers, of any shape. A real number outside [-1, 1] gives
            NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`; real angles lie in [0, pi].

    >>> import graphwright as tf
    >>> f"{float(tf.acos(0.5)):.4f}"
    '1.0472'
    """
    return apply(ACOS, convert(x), name=name)


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle, in radians, whose tangent is the element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`; real angles lie in [-pi/2, pi/2].

    >>> import graphwright as tf
    >>> f"{float(tf.atan(1.0)):.4f}"
    '0.7854'
    """
    return apply(ATAN, convert(x), name=name)


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the angle of the point (x, y) in radians, with broadcasting.

    Args:
        y: A tensor of floats, of any shape.
        x: A tensor of the dtype of `y`; its shape broadcasts with that of `y`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape, with angles in [-pi, pi].

    >>> import graphwright as tf
    >>> f"{float(tf.atan2(1.0, -1.0)):.4f}"
    '2.3562'
    """
    return apply(ATAN2, *convert_pair(y, x), name=name)


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the hyperbolic sine of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> f"{float(tf.sinh(1.0)):.4f}"
    '1.1752'
    """
    return apply(SINH, convert(x), name=name)


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the hyperbolic cosine of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> f"{float(tf.cosh(1.0)):.4f}"
    '1.5431'
    """
    return apply(COSH, convert(x), name=name)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the hyperbolic tangent of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`; real results lie in [-1, 1].

    >>> import graphwright as tf
    >>> f"{float(tf.tanh(1.0)):.4f}"
    '0.7616'
    """
    return apply(TANH, convert(x), name=name)


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse hyperbolic sine of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> f"{float(tf.asinh(1.0)):.4f}"
    '0.8814'
    """
    return apply(ASINH, convert(x), name=name)


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse hyperbolic cosine of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape. A real number below 1 gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.acosh([1.0, 0.5])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 0., nan], dtype=float32)>
    """
    return apply(ACOSH, convert(x), name=name)


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the inverse hyperbolic tangent of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape. A real number outside [-1, 1] gives
            NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.atanh([0.0, 1.0, 2.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 0., inf, nan], dtype=float32)>
    """
    return apply(ATANH, convert(x), name=name)


one_op(sin, cos, tan, tanh)
