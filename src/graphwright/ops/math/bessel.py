"""Bessel functions, and the integrals of Dawson, Fresnel and Spence, elementwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any

from graphwright.op import special_functions
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call
from graphwright.ops.math.comparison import equal, select
from graphwright.ops.math.magnitude import sign
from graphwright.ops.math.special import Special, Worded
from graphwright.ops.math.transcendental import exp, log, square
from graphwright.ops.math.trigonometric import cos, sin
from graphwright.types.arguments import Tensor, TensorLike, TensorValue

# -- modified, of the first kind ------------------------------------------------------------


class BesselI0(Worded):
    """I0(x)."""

    type_name = "BesselI0"
    word = "bessel_i0"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * bessel_i1(call.inputs[0]),)


class BesselI0e(Worded):
    """exp(-|x|) I0(x)."""

    type_name = "BesselI0e"
    word = "bessel_i0e"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * (bessel_i1e(x) - sign(x) * y),)


class BesselI1(Worded):
    """I1(x)."""

    type_name = "BesselI1"
    word = "bessel_i1"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * away_from_zero(x, 0.5, lambda z: bessel_i0(x) - y / z),)


class BesselI1e(Worded):
    """exp(-|x|) I1(x)."""

    type_name = "BesselI1e"
    word = "bessel_i1e"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * away_from_zero(x, 0.5, lambda z: bessel_i0e(x) - y * (sign(x) + 1 / z)),)


def away_from_zero(
    x: TensorValue, at_zero: float, slope: Callable[[TensorValue], TensorValue]
) -> Any:
    """`slope(x)`, but `at_zero` where x is 0 and the formula would divide by it."""
    zero = equal(x, 0)
    return select(zero, convert(at_zero, x.dtype), slope(select(zero, 1, x)))


# -- modified, of the second kind -----------------------------------------------------------


class BesselK0(Worded):
    """K0(x)."""

    type_name = "BesselK0"
    word = "bessel_k0"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g * bessel_k1(call.inputs[0]),)


class BesselK0e(Worded):
    """exp(x) K0(x)."""

    type_name = "BesselK0e"
    word = "bessel_k0e"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (call.outputs[0] - bessel_k1e(call.inputs[0])),)


class BesselK1(Worded):
    """K1(x)."""

    type_name = "BesselK1"
    word = "bessel_k1"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * (-bessel_k0(x) - y / x),)


class BesselK1e(Worded):
    """exp(x) K1(x)."""

    type_name = "BesselK1e"
    word = "bessel_k1e"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * (y * (1 - 1 / x) - bessel_k0e(x)),)


# -- of the first and second kind -----------------------------------------------------------


class BesselJ0(Worded):
    """J0(x)."""

    type_name = "BesselJ0"
    word = "bessel_j0"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g * bessel_j1(call.inputs[0]),)


class BesselJ1(Worded):
    """J1(x)."""

    type_name = "BesselJ1"
    word = "bessel_j1"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * away_from_zero(x, 0.5, lambda z: bessel_j0(x) - y / z),)


class BesselY0(Worded):
    """Y0(x)."""

    type_name = "BesselY0"
    word = "bessel_y0"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (-g * bessel_y1(call.inputs[0]),)


class BesselY1(Worded):
    """Y1(x)."""

    type_name = "BesselY1"
    word = "bessel_y1"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = call.inputs[0], call.outputs[0]
        return (g * (bessel_y0(x) - y / x),)


# -- integrals ------------------------------------------------------------------------------


class Dawsn(Special):
    """Dawson's integral: exp(-x ** 2) times the integral of exp(t ** 2) from 0 to x."""

    type_name = "Dawsn"
    ufunc = special_functions.dawsn

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (1 - 2 * call.inputs[0] * call.outputs[0]),)


class Expint(Worded):
    """The exponential integral Ei(x)."""

    type_name = "Expint"
    word = "expint"

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        return (g * exp(x) / x,)


class FresnelCos(Special):
    """The integral of cos(pi t ** 2 / 2) from 0 to x."""

    type_name = "FresnelCos"
    ufunc = staticmethod(lambda x: special_functions.fresnel(x)[1])

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * cos(square(call.inputs[0]) * (pi / 2)),)


class FresnelSin(Special):
    """The integral of sin(pi t ** 2 / 2) from 0 to x."""

    type_name = "FresnelSin"
    ufunc = staticmethod(lambda x: special_functions.fresnel(x)[0])

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * sin(square(call.inputs[0]) * (pi / 2)),)


class Spence(Special):
    """Spence's integral: of log(t) / (1 - t) from 1 to x."""

    type_name = "Spence"
    ufunc = special_functions.spence

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        one = equal(x, 1)
        safe = select(one, 2, x)
        return (g * select(one, -1, log(safe) / (1 - safe)),)


I0, I0E, I1, I1E = BesselI0(), BesselI0e(), BesselI1(), BesselI1e()
K0, K0E, K1, K1E = BesselK0(), BesselK0e(), BesselK1(), BesselK1e()
J0, J1, Y0, Y1 = BesselJ0(), BesselJ1(), BesselY0(), BesselY1()
DAWSN, EXPINT, FRESNEL_COS, FRESNEL_SIN = Dawsn(), Expint(), FresnelCos(), FresnelSin()
SPENCE = Spence()


# -- the public functions -------------------------------------------------------------------


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 0 for each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.bessel_i0(1.0)), 4)
    1.2661
    """
    return apply(I0, convert(x), name=name)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `exp(-abs(x)) * bessel_i0(x)` for each element, without overflow for large `x`.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.bessel_i0e(1000.0)), 4)
    0.0126
    """
    return apply(I0E, convert(x), name=name)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 1 for each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.bessel_i1(1.0)), 4)
    0.5652
    """
    return apply(I1, convert(x), name=name)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `exp(-abs(x)) * bessel_i1(x)` for each element, without overflow for large `x`.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.bessel_i1e(1000.0)), 4)
    0.0126
    """
    return apply(I1E, convert(x), name=name)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 0 for each element.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_k0(1.0)), 4)
    0.421
    """
    return apply(K0, convert(x), name=name)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `exp(x) * bessel_k0(x)` for each element, without underflow for large `x`.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_k0e(1000.0)), 4)
    0.0396
    """
    return apply(K0E, convert(x), name=name)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 1 for each element.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_k1(1.0)), 4)
    0.6019
    """
    return apply(K1, convert(x), name=name)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `exp(x) * bessel_k1(x)` for each element, without underflow for large `x`.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_k1e(1000.0)), 4)
    0.0396
    """
    return apply(K1E, convert(x), name=name)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 0 for each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_j0(1.0)), 4)
    0.7652
    """
    return apply(J0, convert(x), name=name)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 1 for each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_j1(1.0)), 4)
    0.4401
    """
    return apply(J1, convert(x), name=name)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 0 for each element.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give -infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_y0(1.0)), 4)
    0.0883
    """
    return apply(Y0, convert(x), name=name)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 1 for each element.

    Args:
        x: A tensor of floats, of any shape. Zero and negative numbers give -infinity.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.bessel_y1(1.0)), 4)
    -0.7812
    """
    return apply(Y1, convert(x), name=name)


def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Dawson's integral: `exp(-x ** 2)` times the integral of `exp(t ** 2)` from 0 to x.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.dawsn(1.0)), 4)
    0.5381
    """
    return apply(DAWSN, convert(x), name=name)


def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponential integral Ei of each element.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.expint(1.0)), 4)
    1.8951
    """
    return apply(EXPINT, convert(x), name=name)


def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Fresnel's cosine integral: the integral of `cos(pi * t ** 2 / 2)` from 0 to `x`.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.fresnel_cos(1.0)), 4)
    0.7799
    """
    return apply(FRESNEL_COS, convert(x), name=name)


def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Fresnel's sine integral: the integral of `sin(pi * t ** 2 / 2)` from 0 to `x`.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.fresnel_sin(1.0)), 4)
    0.4383
    """
    return apply(FRESNEL_SIN, convert(x), name=name)


def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Spence's integral: the integral of `log(t) / (1 - t)` from 1 to `x`.

    Args:
        x: A tensor of floats, of any shape. A negative number gives NaN.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> round(float(tf.math.special.spence(2.0)), 4)
    -0.8225
    """
    return apply(SPENCE, convert(x), name=name)
