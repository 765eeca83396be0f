"""Shapes as values: what a tensor's shape, rank and size are, and how shapes broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import TensorType


@dataclass(frozen=True)
class Shape(Op):
    """The shape of a tensor, as a vector."""

    type_name = "Shape"
    inputs = ("input: T",)
    outputs = ("output: out_type",)
    dtypes = {"T": dt.ANY}
    known_from_types = True
    gradient = not_differentiable

    out_type: DType = dt.int32

    def shapes(self, x: TensorType) -> Shapes:
        return ((x.rank,),)

    def kernel(self, x: Any) -> Any:
        return np.array(np.shape(x), self.out_type.numpy_dtype)

    def known(self, x: TensorType) -> Any:
        return x.dims


@dataclass(frozen=True)
class ShapeN(Op):
    """The shapes of several tensors."""

    type_name = "ShapeN"
    inputs = ("input: T*",)
    outputs = ("output: out_type*",)
    dtypes = {"T": dt.ANY}
    known_from_types = True
    gradient = not_differentiable

    out_type: DType = dt.int32

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        self._bind_dtypes(types)
        return (self.out_type,) * len(types)

    def shapes(self, *operands: TensorType) -> Shapes:
        return tuple([(x.rank,) for x in operands])

    def kernel(self, *arrays: Any) -> Any:
        dtype = self.out_type.numpy_dtype
        return tuple([np.array(np.shape(x), dtype) for x in arrays])

    def known(self, *operands: TensorType) -> Any:
        return tuple([x.dims for x in operands])


@dataclass(frozen=True)
class Size(Op):
    """The number of elements of a tensor."""

    type_name = "Size"
    inputs = ("input: T",)
    outputs = ("output: out_type",)
    dtypes = {"T": dt.ANY}
    known_from_types = True
    gradient = not_differentiable

    out_type: DType = dt.int32

    def shapes(self, x: TensorType) -> Shapes:
        return ((),)

    def kernel(self, x: Any) -> Any:
        return np.array(np.size(x), self.out_type.numpy_dtype)

    def known(self, x: TensorType) -> Any:
        return x.size


@dataclass(frozen=True)
class Rank(Op):
    """The number of dimensions of a tensor."""

    type_name = "Rank"
    inputs = ("input: T",)
    outputs = ("output: int32",)
    dtypes = {"T": dt.ANY}
    known_from_types = True
    gradient = not_differentiable

    def shapes(self, x: TensorType) -> Shapes:
        return ((),)

    def kernel(self, x: Any) -> Any:
        return np.array(np.ndim(x), np.int32)

    def known(self, x: TensorType) -> Any:
        return x.rank


RANK = Rank()


def shape_of(x: Any) -> Any:
    """The shape as a host operand takes it: a tuple where it is known, else a tensor."""
    type = x.type
    return type.dims if type.is_static else apply(Shape.of(dt.int32), x)


def rank_of(x: Any) -> Any:
    """The rank: an int where it is known, else a tensor."""
    known = x.type.rank
    return apply(RANK, x) if known is None else known


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The shape of a tensor, as a vector of `out_type` (int32 by default).

    >>> import graphwright as tf
    >>> tf.shape([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """
    out = dt.int32 if out_type is None else as_dtype(out_type)
    return apply(Shape.of(out), convert(input), name=name)


def shape_n(input: Any, out_type: Any = dt.int32, name: str | None = None) -> Any:
    """The shapes of several tensors of one dtype, as a list of vectors of `out_type`."""
    return list(apply(ShapeN.of(as_dtype(out_type)), *[convert(x) for x in input], name=name))


def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The number of elements of a tensor, as a scalar of `out_type` (int32 by default)."""
    out = dt.int32 if out_type is None else as_dtype(out_type)
    return apply(Size.of(out), convert(input), name=name)


def rank(input: Any, name: str | None = None) -> Any:
    """The number of dimensions of a tensor, as an int32 scalar.

    >>> import graphwright as tf
    >>> tf.rank([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    return apply(RANK, convert(input), name=name)
