"""Powers, roots, exponentials and logarithms, elementwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.one_op import one_op
from graphwright.op.op import Call
from graphwright.op.op_families import Binary, Unary
from graphwright.op.scalars import S, Scalars
from graphwright.ops.math import complex_functions
from graphwright.ops.math.arithmetic import conj, subtract
from graphwright.ops.math.comparison import greater, not_equal, select
from graphwright.ops.math.result_gradients import RECIPROCAL_GRAD, RSQRT_GRAD, SQRT_GRAD
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

# -- squares, roots --------------------------------------------------------


class Square(Unary):
    """x * x."""

    type_name = "Square"
    dtypes = {"T": dt.NUMERIC}
    ufunc = np.square

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.mul(x, x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * (conj(call.inputs[0]) * 2),)


class SquaredDifference(Binary):
    """(x - y) * conj(x - y)."""

    type_name = "SquaredDifference"
    dtypes = {"T": dt.INEXACT | dt.INDEX}
    ufunc = staticmethod(lambda x, y: np.square(np.subtract(x, y)))

    def bind(self, types: Sequence[DType]) -> Any:
        return self.kernel if types[0].is_complex else type(self).ufunc

    def kernel(self, x: Array, y: Array) -> Any:
        d = np.subtract(x, y)
        return np.multiply(d, np.conj(d))

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        d = scalars.sub(x, y)
        return scalars.mul(d, scalars.conj(d))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        gx = g * 2 * subtract(*call.inputs)
        return gx, -gx


class InParts(Unary):
    """A function that many complex64 numbers take from real functions of their parts."""

    of_many: ClassVar[Callable[..., Any]]

    def bind(self, types: Sequence[DType]) -> Any:
        return type(self).of_many if types[0] is dt.complex64 else type(self).ufunc


class Sqrt(InParts):
    """The square root; NaN of a negative number."""

    type_name = "Sqrt"
    ufunc = np.sqrt
    of_many = staticmethod(complex_functions.sqrt)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.sqrt(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(SQRT_GRAD, conj(call.outputs[0]), g),)


class Rsqrt(InParts):
    """1 / sqrt(x)."""

    type_name = "Rsqrt"
    ufunc = staticmethod(complex_functions.reciprocal_root)
    of_many = staticmethod(complex_functions.rsqrt)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.div(scalars.constant(1, x), scalars.sqrt(x))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(RSQRT_GRAD, conj(call.outputs[0]), g),)


def inverse(x: Array) -> Any:
    """1 / x; NumPy gives real numbers that are complex an imaginary part of -0."""
    return np.reciprocal(x) + 0 if x.dtype.kind == "c" else np.reciprocal(x)


class Reciprocal(Unary):
    """1 / x."""

    type_name = "Reciprocal"
    ufunc = staticmethod(inverse)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.div(scalars.constant(1, x), x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (apply(RECIPROCAL_GRAD, conj(call.outputs[0]), g),)


# -- powers, exponentials, logarithms -------------------------------------------------------


def integer_power(x: Array, y: Array) -> Any:
    """x ** y of integers, wrapping around; y must not be negative."""
    if np.any(np.less(y, 0)):
        raise InvalidArgumentError(
            None, None, "Integers to negative integer powers are not allowed"
        )
    return np.power(x, y)


class Pow(Binary):
    """x to the power of y."""

    type_name = "Pow"
    dtypes = {"T": dt.INEXACT | dt.SIGNED}
    ufunc = np.power

    def bind(self, types: Sequence[DType]) -> Any:
        return integer_power if types[0].is_integer else np.power

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.pow(x, y)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x, y = conj(call.inputs[0]), conj(call.inputs[1])
        z = conj(call.outputs[0])
        has_log = not_equal(x, 0) if x.dtype.is_complex else greater(x, 0)
        return g * y * pow(x, y - 1), g * z * log(select(has_log, x, 1))


class Exp(InParts):
    """e to the power of x."""

    type_name = "Exp"
    ufunc = np.exp
    of_many = staticmethod(complex_functions.exp)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.exp(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * conj(call.outputs[0]),)


class Expm1(Unary):
    """exp(x) - 1, exact for small x."""

    type_name = "Expm1"
    ufunc = np.expm1

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.expm1(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * exp(conj(call.inputs[0])),)


class Log(InParts):
    """The natural logarithm."""

    type_name = "Log"
    ufunc = np.log
    of_many = staticmethod(complex_functions.log)

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.log(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * reciprocal(conj(call.inputs[0])),)


class Log1p(Unary):
    """log(1 + x), exact for small x."""

    type_name = "Log1p"
    ufunc = np.log1p

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.log1p(x)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g * reciprocal(1 + conj(call.inputs[0])),)


POW: Pow
SQUARE, SQUARED_DIFFERENCE = Square(), SquaredDifference()
SQRT, RSQRT, RECIPROCAL, POW = Sqrt(), Rsqrt(), Reciprocal(), Pow()
EXP, EXPM1, LOG, LOG1P = Exp(), Expm1(), Log(), Log1p()


# -- the public functions -------------------------------------------------------------------


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the square of each element.

    Args:
        x: A tensor of numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.square([-2, 3])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 9], dtype=int32)>
    """
    return apply(SQUARE, convert(x), name=name)


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `(x - y) * conj(x - y)` for each pair of elements, with broadcasting.

    Args:
        x: A tensor of floats, complex numbers, int32 or int64, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.squared_difference([1.0, 5.0], 3.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([4., 4.], dtype=float32)>
    """
    return apply(SQUARED_DIFFERENCE, *convert_pair(x, y), name=name)


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the square root of each element; a negative real number gives NaN.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.sqrt([4.0, 9.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """
    return apply(SQRT, convert(x), name=name)


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the reciprocal of the square root of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.rsqrt([4.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, inf], dtype=float32)>
    """
    return apply(RSQRT, convert(x), name=name)


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the reciprocal of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.reciprocal([4.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.25,  inf], dtype=float32)>
    """
    return apply(RECIPROCAL, convert(x), name=name)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Raises each element of `x` to the power of the element of `y`, with broadcasting.

    Args:
        x: A tensor of floats, signed integers or complex numbers, of any shape: the bases.
        y: A tensor of the dtype of `x`, the exponents; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    Raises:
        InvalidArgumentError: An integer is raised to a negative power.

    >>> import graphwright as tf
    >>> tf.pow([2, 3], [3, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([8, 9], dtype=int32)>
    """
    return apply(POW, *convert_pair(x, y), name=name)


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponential of each element.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.exp([0.0, float("-inf")])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>
    """
    return apply(EXP, convert(x), name=name)


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `exp(x) - 1` for each element, accurately for small `x` too.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.expm1([0.0, 1e-10])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.e+00, 1.e-10], dtype=float32)>
    """
    return apply(EXPM1, convert(x), name=name)


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the natural logarithm of each element; a negative real number gives NaN.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.log([1.0, 0.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([  0., -inf], dtype=float32)>
    """
    return apply(LOG, convert(x), name=name)


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `log(1 + x)` for each element, accurately for small `x` too.

    Args:
        x: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.log1p([0.0, 1e-10])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.e+00, 1.e-10], dtype=float32)>
    """
    return apply(LOG1P, convert(x), name=name)


one_op(square, sqrt, rsqrt, reciprocal, exp, expm1, log, log1p)
one_op(squared_difference, pow, tensors=2, takes_numbers=True)
