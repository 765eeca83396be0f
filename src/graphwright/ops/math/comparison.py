"""Comparison, logic and selection, elementwise with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, convert_pair, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import Call, Op, Shapes, not_differentiable
from graphwright.op.op_families import Binary, Comparison, Logical, Unary
from graphwright.op.scalars import S, Scalars
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType, broadcast_all

# -- comparison -----------------------------------------------------------------------------


class Less(Comparison):
    """x < y."""

    type_name = "Less"
    ufunc = np.less
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.less(x, y)


class LessEqual(Comparison):
    """x <= y."""

    type_name = "LessEqual"
    ufunc = np.less_equal
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.less_equal(x, y)


class Greater(Comparison):
    """x > y."""

    type_name = "Greater"
    ufunc = np.greater
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.greater(x, y)


class GreaterEqual(Comparison):
    """x >= y."""

    type_name = "GreaterEqual"
    ufunc = np.greater_equal
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.greater_equal(x, y)


EQUATABLE = dt.NUMERIC | dt.BOOL | dt.STRING


class Equal(Comparison):
    """x == y; with `incompatible_shape_error=False`, False for shapes that do not broadcast."""

    type_name = "Equal"
    dtypes = {"T": EQUATABLE}
    ufunc = np.equal
    gradient = not_differentiable

    incompatible_shape_error: bool = True

    def shapes(self, *operands: TensorType) -> Shapes:
        return compared_shapes(self, *operands)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return comparison_kernel(np.equal, False, self.incompatible_shape_error, types)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.equal(x, y)


class NotEqual(Comparison):
    """x != y; with `incompatible_shape_error=False`, True for shapes that do not broadcast."""

    type_name = "NotEqual"
    dtypes = {"T": EQUATABLE}
    ufunc = np.not_equal
    gradient = not_differentiable

    incompatible_shape_error: bool = True

    def shapes(self, *operands: TensorType) -> Shapes:
        return compared_shapes(self, *operands)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return comparison_kernel(np.not_equal, True, self.incompatible_shape_error, types)

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.not_equal(x, y)


def compared_shapes(op: Equal | NotEqual, x: TensorType, y: TensorType) -> Shapes:
    """The broadcast shape; () where the op takes shapes that do not broadcast."""
    if op.incompatible_shape_error:
        return Comparison.shapes(op, x, y)
    try:
        return (broadcast_all((x.dims, y.dims)),)
    except ValueError:
        return ((),)


def comparison_kernel(
    ufunc: np.ufunc, otherwise: bool, strict: bool, types: Sequence[DType]
) -> Callable[..., Any]:
    """A comparison whose result is bool for strings too, and lenient where not `strict`."""
    if types[0] is dt.string:
        compare: Callable[..., Any] = lambda x, y: ufunc(x, y).astype(np.bool_)  # noqa: E731
    else:
        compare = ufunc
    if strict:
        return compare

    def lenient(x: Array, y: Array) -> Any:
        try:
            return compare(x, y)
        except ValueError:
            return np.bool_(otherwise)

    return lenient


# -- logic ----------------------------------------------------------------------------------


class LogicalAnd(Logical):
    """x and y."""

    type_name = "LogicalAnd"
    ufunc = np.logical_and
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.logical_and(x, y)


class LogicalOr(Logical):
    """x or y."""

    type_name = "LogicalOr"
    ufunc = np.logical_or
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.logical_or(x, y)


class LogicalNot(Unary):
    """not x."""

    type_name = "LogicalNot"
    inputs = ("x: bool",)
    outputs = ("y: bool",)
    ufunc = np.logical_not
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.logical_not(x)


# -- selection ------------------------------------------------------------------------------


class SelectV2(Binary):
    """t where the condition holds, else e; all three broadcast."""

    type_name = "SelectV2"
    inputs = ("condition: bool", "t: T", "e: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY}
    computes = False
    ufunc = np.where

    def known(self, *args: Any) -> Any:
        """The chosen host value, where the condition is known and the same for all entries."""
        rows = [x if isinstance(x, tuple) else (x,) for x in args]
        if args[0] is None or any(isinstance(x, tuple) for row in rows for x in row):
            return None
        if None in rows[0] or len(set(rows[0])) != 1:
            return None
        length = max(len(row) for row in rows)
        chosen = rows[1 if rows[0][0] else 2]
        if not any(isinstance(x, tuple) for x in args):
            return chosen[0]
        return chosen * length if len(chosen) == 1 else chosen

    def element(self, scalars: Scalars[S], condition: S, t: S, e: S) -> S:
        return scalars.select(condition, t, e)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (None, *choose(call.inputs[0], g))


def choose(first: TensorValue, g: Cotangent) -> tuple[Any, Any]:
    """The cotangent where `first` holds, and the cotangent where it does not."""
    zero = convert(0, g.dtype)
    return apply(SELECT, first, g, zero), apply(SELECT, first, zero, g)


LESS: Op
LESS_EQUAL: Op
GREATER: Op
GREATER_EQUAL: Op
LESS, LESS_EQUAL, GREATER, GREATER_EQUAL = Less(), LessEqual(), Greater(), GreaterEqual()
EQUAL, NOT_EQUAL = Equal(), NotEqual()
LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT = LogicalAnd(), LogicalOr(), LogicalNot()
SELECT = SelectV2()


# -- the public functions -------------------------------------------------------------------


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether `x < y`, elementwise with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.less([1, 2, 3], 2)
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False, False])>
    """
    return apply(LESS, *convert_pair(x, y), name=name)


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether `x <= y`, elementwise with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.less_equal([1, 2, 3], 2)
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True,  True, False])>
    """
    return apply(LESS_EQUAL, *convert_pair(x, y), name=name)


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether `x > y`, elementwise with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.greater([1, 2, 3], 2)
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False, False,  True])>
    """
    return apply(GREATER, *convert_pair(x, y), name=name)


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether `x >= y`, elementwise with broadcasting.

    Args:
        x: A tensor of integers or floats, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.greater_equal([1, 2, 3], 2)
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False,  True,  True])>
    """
    return apply(GREATER_EQUAL, *convert_pair(x, y), name=name)


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether elements are equal, with broadcasting.

    Args:
        x: A tensor of numbers, bools or strings, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    Raises:
        InvalidArgumentError: The shapes do not broadcast (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.equal(["a", "b"], "b")
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
    """
    return apply(EQUAL, *convert_pair(x, y), name=name)


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Tests whether elements differ, with broadcasting.

    Args:
        x: A tensor of numbers, bools or strings, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    Raises:
        InvalidArgumentError: The shapes do not broadcast (ValueError when traced).

    >>> import graphwright as tf
    >>> tf.not_equal(["a", "b"], "b")
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
    """
    return apply(NOT_EQUAL, *convert_pair(x, y), name=name)


def boolean(value: TensorLike) -> Any:
    """A tensor of bool; a tensor of another dtype stays, and the op refuses it."""
    return convert(value) if is_tensor(value) else convert(value, dt.bool_)


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x and y` of bools, elementwise with broadcasting.

    Args:
        x: A tensor of bools, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.logical_and([True, True, False], [True, False, False])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False, False])>
    """
    return apply(LOGICAL_AND, boolean(x), boolean(y), name=name)


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes `x or y` of bools, elementwise with broadcasting.

    Args:
        x: A tensor of bools, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.logical_or([True, True, False], [True, False, False])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True,  True, False])>
    """
    return apply(LOGICAL_OR, boolean(x), boolean(y), name=name)


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `not x` of each bool.

    Args:
        x: A tensor of bools, of any shape.
        name: A name for the op.

    Returns:
        A tensor of bools, of the shape of `x`.

    >>> import graphwright as tf
    >>> tf.logical_not([True, False])
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
    """
    return apply(LOGICAL_NOT, boolean(x), name=name)


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Tests whether exactly one of two bools is true, elementwise with broadcasting.

    Args:
        x: A tensor of bools, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of bools, of the broadcast shape of the operands.

    >>> import graphwright as tf
    >>> tf.math.logical_xor([True, True, False], [True, False, False])
    <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False,  True, False])>
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


def select(condition: TensorLike, x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """x where the bool condition holds, else y; all three broadcast."""
    return apply(SELECT, convert(condition, dt.bool_), *convert_pair(x, y), name=name)


def tensor_equals(x: TensorLike, y: TensorLike) -> Any:
    """The operator `==`: elementwise, and False where the shapes do not broadcast."""
    return apply(Equal.of(False), *convert_pair(x, y), name="Equal")


def tensor_not_equals(x: TensorLike, y: TensorLike) -> Any:
    """The operator `!=`: elementwise, and True where the shapes do not broadcast."""
    return apply(NotEqual.of(False), *convert_pair(x, y), name="NotEqual")


one_op(less, less_equal, greater, greater_equal, equal, not_equal, tensors=2, takes_numbers=True)
one_op(logical_and, logical_or, tensors=2)
one_op(logical_not)
