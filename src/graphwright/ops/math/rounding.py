"""Rounding, neighbours, and tests for NaN and infinity, elementwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_default, convert_pair, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Shapes, not_differentiable
from graphwright.op.op_families import Binary, Comparison, Predicate, Unary, no_element
from graphwright.op.scalars import S, Scalars
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, is_compatible, merge_dims, show_dims


class Floor(Unary):
    """The greatest whole number that is not above x."""

    type_name = "Floor"
    dtypes = {"T": dt.FLOATING}
    ufunc = np.floor
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.floor(x)


class Ceil(Unary):
    """The least whole number that is not below x."""

    type_name = "Ceil"
    dtypes = {"T": dt.FLOATING}
    ufunc = np.ceil
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.ceil(x)


class Rint(Unary):
    """The nearest whole number, the even one of two."""

    type_name = "Rint"
    dtypes = {"T": dt.FLOATING}
    ufunc = np.rint
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.rint(x)


class Round(Unary):
    """The nearest whole number, the even one of two; integers as they are."""

    type_name = "Round"
    dtypes = {"T": dt.INEXACT | dt.SIGNED}
    ufunc = np.rint
    gradient = not_differentiable

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return np.positive if types[0].is_integer else np.rint

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.rint(x)


class NextAfter(Binary):
    """The float next to x1 in the direction of x2."""

    type_name = "NextAfter"
    inputs = ("x1: T", "x2: T")
    outputs = ("output: T",)
    dtypes = {"T": frozenset({dt.float32, dt.float64})}
    ufunc = np.nextafter

    def element(self, scalars: Scalars[S], x1: S, x2: S) -> S:
        return scalars.nextafter(x1, x2)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return g, None


class IsNan(Predicate):
    """Whether x is not a number."""

    type_name = "IsNan"
    ufunc = np.isnan
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.isnan(x)


class IsInf(Predicate):
    """Whether x is infinite."""

    type_name = "IsInf"
    ufunc = np.isinf
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.isinf(x)


class IsFinite(Predicate):
    """Whether x is neither infinite nor NaN."""

    type_name = "IsFinite"
    ufunc = np.isfinite
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.isfinite(x)


class ApproximateEqual(Comparison):
    """|x - y| < tolerance."""

    type_name = "ApproximateEqual"
    dtypes = {"T": dt.NUMERIC}
    element = no_element
    gradient = not_differentiable

    tolerance: float = 1e-5

    def shapes(self, *operands: TensorType) -> Shapes:
        x, y = operands
        if not is_compatible(x.dims, y.dims):
            raise ValueError(
                f"x and y of {self.type_name} must be of one shape: {show_dims(x.dims)} vs. "
                f"{show_dims(y.dims)}"
            )
        return (merge_dims(x.dims, y.dims),)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return self.kernel

    def kernel(self, x: Array, y: Array) -> Any:
        if np.shape(x) != np.shape(y):
            raise ValueError("x and y must be of one shape")
        return np.less(np.abs(np.subtract(x, y)), self.tolerance)

    def batched(self, each: Each) -> Any:
        return apply(self, each.full(0), each.full(1))


FLOOR, CEIL, RINT, ROUND, NEXT_AFTER = Floor(), Ceil(), Rint(), Round(), NextAfter()
IS_NAN, IS_INF, IS_FINITE = IsNan(), IsInf(), IsFinite()


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds each element down to a whole number.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.floor([1.7, -1.2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 1., -2.], dtype=float32)>
    """
    return apply(FLOOR, convert(x), name=name)


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds each element up to a whole number.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.ceil([1.2, -1.7])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 2., -1.], dtype=float32)>
    """
    return apply(CEIL, convert(x), name=name)


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds each float to the nearest whole number; of two equally near to the even one.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.math.rint([0.5, 1.5, -2.7])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 0.,  2., -3.], dtype=float32)>
    """
    return apply(RINT, convert(x), name=name)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds each element to the nearest whole number; of two equally near to the even one.

    Args:
        x: A tensor of numbers, of any shape. A tensor of integers is returned as it is.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.round([0.5, 1.5, -2.7])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 0.,  2., -3.], dtype=float32)>
    """
    x = convert(x)
    return x if x.dtype.is_integer else apply(ROUND, x, name=name)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """Computes the float next to `x1` in the direction of `x2`, elementwise with broadcasting.

    Args:
        x1: A tensor of float32 or float64, of any shape. Where neither operand is a tensor, both
            become float32.
        x2: A tensor of the dtype of `x1`; its shape broadcasts with that of `x1`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.math.nextafter(1, 2)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0000001192092896>
    """
    if not (is_tensor(x1) or is_tensor(x2)):
        x1, x2 = (convert_default(x, dt.float32) for x in (x1, x2))
    return apply(NEXT_AFTER, *convert_pair(x1, x2), name=name)


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether each element is NaN.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.math.is_nan([1.0, float("nan"), float("inf")])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False,  True, False])>
    """
    return apply(IS_NAN, convert(x), name=name)


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether each element is infinite.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.math.is_inf([1.0, float("nan"), float("-inf")])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False, False,  True])>
    """
    return apply(IS_INF, convert(x), name=name)


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether each element is neither infinite nor NaN.

    Args:
        x: A tensor of floats, of any shape.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.math.is_finite([1.0, float("nan"), float("inf")])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False, False])>
    """
    return apply(IS_FINITE, convert(x), name=name)


one_op(floor, ceil, round, rint, is_finite, is_inf, is_nan)
