"""Complex numbers from their parts, and their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call
from graphwright.op.op_families import Elementwise, no_element
from graphwright.ops.core.movement import broadcast_to
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.math.comparison import less, select
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType


class Part(Elementwise):
    """A real number of each complex one."""

    inputs = ("input: T",)
    outputs = ("output: Tout",)
    dtypes = {"T": dt.COMPLEX}
    element = no_element

    Tout: DType = dt.float32


class Real(Part):
    """The real part."""

    type_name = "Real"
    ufunc = staticmethod(lambda x: np.array(np.real(x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (complex(g, g * 0),)


class Imag(Part):
    """The imaginary part."""

    type_name = "Imag"
    ufunc = staticmethod(lambda x: np.array(np.imag(x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (complex(g * 0, g),)


class Angle(Part):
    """The argument, in (-pi, pi]."""

    type_name = "Angle"
    ufunc = staticmethod(lambda x: np.arctan2(np.imag(x), np.real(x)))

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        x = call.inputs[0]
        return (-complex(g, g * 0) / complex(imag(x), real(x)),)


class Complex(Elementwise):
    """real + imag * i."""

    type_name = "Complex"
    inputs = ("real: T", "imag: T")
    outputs = ("out: Tout",)
    dtypes = {"T": frozenset({dt.float32, dt.float64})}
    element = no_element

    Tout: DType = dt.complex64

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, re: Array, im: Array) -> Any:
        out = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), self.Tout.numpy_dtype)
        out.real = re
        out.imag = im
        return out

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return real(g), imag(g)


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Makes complex numbers of real and imaginary parts, with broadcasting.

    Args:
        real: A tensor of float32 or float64, of any shape.
        imag: A tensor of the dtype of `real`; its shape broadcasts with that of `real`.
        name: A name for the op.

    Returns:
        A tensor of complex64 for float32 and of complex128 for float64, of the broadcast shape.

    Raises:
        TypeError: The dtypes differ, or are neither float32 nor float64.

    >>> import graphwright as tf
    >>> tf.complex([1.0], [2.0])
    <tf.Tensor: shape=(1,), dtype=complex64, numpy=array([1.+2.j], dtype=complex64)>
    """
    re, im = convert(real), convert(imag)
    wide = {(dt.float32, dt.float32): dt.complex64, (dt.float64, dt.float64): dt.complex128}
    if (re.dtype, im.dtype) not in wide:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {re.dtype.name} "
            f"{im.dtype.name}. They must be consistent, and one of [tf.float32, tf.float64]"
        )
    return apply(Complex.of(wide[re.dtype, im.dtype]), re, im, name=name)


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the real part of each element; returns a real tensor as it is.

    Args:
        input: A tensor of numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape of `input`. Complex numbers give the float dtype of their parts,
        others their own dtype.

    Raises:
        TypeError: The dtype of `input` is not numeric.

    >>> import graphwright as tf
    >>> tf.math.real([1 + 2j])
    <tf.Tensor: shape=(1,), dtype=float64, numpy=array([1.])>
    """
    x = convert(input)
    if x.dtype.is_complex:
        return apply(Real.of(x.dtype.real_dtype), x, name=name)
    if x.dtype.is_numeric:
        return x
    raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x.dtype}")


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the imaginary part of each element; it is zero for a real tensor.

    Args:
        input: A tensor of numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape of `input`. Complex numbers give the float dtype of their parts,
        others their own dtype.

    Raises:
        TypeError: `input` is a tensor of strings.

    >>> import graphwright as tf
    >>> tf.math.imag([1 + 2j])
    <tf.Tensor: shape=(1,), dtype=float64, numpy=array([2.])>
    """
    x = convert(input)
    if x.dtype.is_complex:
        return apply(Imag.of(x.dtype.real_dtype), x, name=name)
    if x.dtype is dt.string:
        raise TypeError("input must be a numeric tensor, but got tensor with dtype string")
    return broadcast_to(convert(np.zeros((), x.dtype.numpy_dtype)), shape_of(x))


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the argument of each complex number in radians; 0 or pi for a real one.

    Args:
        input: A tensor of floats or complex numbers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape of `input`. Complex numbers give the float dtype of their parts,
        floats their own dtype. Its values lie in [-pi, pi].

    Raises:
        TypeError: `input` is a tensor of other elements.

    >>> import graphwright as tf
    >>> tf.math.angle([1.0, -1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 3.1415927], dtype=float32)>
    """
    x = convert(input)
    if x.dtype.is_complex:
        return apply(Angle.of(x.dtype.real_dtype), x, name=name)
    if not x.dtype.is_floating:
        raise TypeError(f"input must be a floating or complex tensor, but has dtype {x.dtype}")
    return select(less(x, 0), convert(np.asarray(np.pi, x.dtype.numpy_dtype)), 0)
