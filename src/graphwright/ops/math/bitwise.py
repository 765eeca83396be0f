"""Bitwise logic and shifts of integers, and the operators `& | ^ ~` of ints and bools."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert, convert_pair
from graphwright.op.op import not_differentiable
from graphwright.op.op_families import Binary, Elementwise, Unary
from graphwright.op.scalars import BINARY, UNARY, S, Scalars
from graphwright.ops.math.comparison import logical_and, logical_not, logical_or, logical_xor
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike


class BitwiseAnd(Binary):
    """x & y."""

    type_name = "BitwiseAnd"
    dtypes = {"T": dt.INTEGER}
    ufunc = np.bitwise_and
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.bitand(x, y)


class BitwiseOr(Binary):
    """x | y."""

    type_name = "BitwiseOr"
    dtypes = {"T": dt.INTEGER}
    ufunc = np.bitwise_or
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.bitor(x, y)


class BitwiseXor(Binary):
    """x ^ y."""

    type_name = "BitwiseXor"
    dtypes = {"T": dt.INTEGER}
    ufunc = np.bitwise_xor
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.bitxor(x, y)


class Invert(Unary):
    """~x."""

    type_name = "Invert"
    dtypes = {"T": dt.INTEGER}
    ufunc = np.invert
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.invert(x)


class LeftShift(Binary):
    """x times 2 ** y; a distance outside the width of the dtype counts as the nearest inside."""

    type_name = "LeftShift"
    dtypes = {"T": dt.INTEGER}
    ufunc = staticmethod(BINARY["shiftleft"])
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.shiftleft(x, y)


class RightShift(Binary):
    """x over 2 ** y, rounded down; a distance outside the width counts as the nearest inside."""

    type_name = "RightShift"
    dtypes = {"T": dt.INTEGER}
    ufunc = staticmethod(BINARY["shiftright"])
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S, y: S) -> S:
        return scalars.shiftright(x, y)


class PopulationCount(Elementwise):
    """The number of bits that are set in x; negative numbers are in two's complement."""

    type_name = "PopulationCount"
    inputs = ("x: T",)
    outputs = ("y: uint8",)
    dtypes = {"T": dt.INTEGER}
    ufunc = staticmethod(UNARY["popcount"])
    gradient = not_differentiable

    def element(self, scalars: Scalars[S], x: S) -> S:
        return scalars.popcount(x)


AND, OR, XOR, INVERT = BitwiseAnd(), BitwiseOr(), BitwiseXor(), Invert()
LEFT_SHIFT, RIGHT_SHIFT = LeftShift(), RightShift()


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the bitwise and of integers, with broadcasting.

    Args:
        x: A tensor of integers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.bitwise.bitwise_and([12, 10], 6)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 2], dtype=int32)>
    """
    return apply(AND, *convert_pair(x, y), name=name)


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the bitwise or of integers, with broadcasting.

    Args:
        x: A tensor of integers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.bitwise.bitwise_or([12, 10], 6)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([14, 14], dtype=int32)>
    """
    return apply(OR, *convert_pair(x, y), name=name)


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes the bitwise exclusive or of integers, with broadcasting.

    Args:
        x: A tensor of integers, of any shape.
        y: A tensor of the dtype of `x`; its shape broadcasts with that of `x`.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.bitwise.bitwise_xor([12, 10], 6)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([10, 12], dtype=int32)>
    """
    return apply(XOR, *convert_pair(x, y), name=name)


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Flips all bits of each integer.

    Args:
        x: A tensor of integers, of any shape.
        name: A name for the op.

    Returns:
        A tensor of the shape and dtype of `x`.

    >>> import graphwright as tf
    >>> tf.bitwise.invert([0, 5])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([-1, -6], dtype=int32)>
    """
    return apply(INVERT, convert(x), name=name)


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Shifts the bits of `x` to the left by `y` places, with broadcasting.

    Args:
        x: A tensor of integers, of any shape.
        y: A tensor of the dtype of `x`, whose shape broadcasts. A distance outside the width of
            the dtype counts as the nearest one inside.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.bitwise.left_shift([1, 3], [4, 1])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([16,  6], dtype=int32)>
    """
    return apply(LEFT_SHIFT, *convert_pair(x, y), name=name)


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Shifts the bits of `x` to the right by `y` places, with broadcasting; signs stay.

    Args:
        x: A tensor of integers, of any shape.
        y: A tensor of the dtype of `x`, whose shape broadcasts. A distance outside the width of
            the dtype counts as the nearest one inside.
        name: A name for the op.

    Returns:
        A tensor of the dtype of the operands, of their broadcast shape.

    >>> import graphwright as tf
    >>> tf.bitwise.right_shift([16, -8], [2, 1])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 4, -4], dtype=int32)>
    """
    return apply(RIGHT_SHIFT, *convert_pair(x, y), name=name)


def and_operator(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """The operator `&`: logical on bools, bitwise on integers."""
    x, y = convert_pair(x, y)
    return logical_and(x, y, name) if x.dtype is dt.bool_ else bitwise_and(x, y, name)


def or_operator(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """The operator `|`: logical on bools, bitwise on integers."""
    x, y = convert_pair(x, y)
    return logical_or(x, y, name) if x.dtype is dt.bool_ else bitwise_or(x, y, name)


def xor_operator(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """The operator `^`: logical on bools, bitwise on integers."""
    x, y = convert_pair(x, y)
    return logical_xor(x, y, name or "xor") if x.dtype is dt.bool_ else bitwise_xor(x, y, name)


def invert_operator(x: TensorLike, name: str | None = None) -> Any:
    """The operator `~`: logical on bools, bitwise on integers."""
    x = convert(x)
    return logical_not(x, name) if x.dtype is dt.bool_ else invert(x, name)
