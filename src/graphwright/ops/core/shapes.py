"""Shapes as values: what a tensor's shape, rank and size are, and how shapes broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each, Same
from graphwright.op.interpreter import apply, convert, convert_pair, holds_tensor, is_tensor
from graphwright.op.one_op import one_op
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, Tensor, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.shape import Sizes, TensorShape
from graphwright.types.tensor_type import Dims, TensorType, broadcast_dims


class Shape(Op):
    """The shape of a tensor, as a vector."""

    type_name = "Shape"
    inputs = ("input: T",)
    outputs = ("output: out_type",)
    dtypes = {"T": dt.ANY, "out_type": dt.INDEX}
    computes = False
    known_from_types = True
    gradient = not_differentiable

    out_type: DType = dt.int32

    def shapes(self, x: TensorType) -> Shapes:
        return ((x.rank,),)

    def kernel(self, x: Array) -> Any:
        return np.array(np.shape(x), self.out_type.numpy_dtype)

    def known(self, x: TensorType) -> Any:
        return x.dims

    def batched(self, each: Each) -> Any:
        return Same(apply(self, each.inputs[0])[1:])


class ShapeN(Op):
    """The shapes of several tensors."""

    type_name = "ShapeN"
    inputs = ("input: T*",)
    outputs = ("output: out_type*",)
    least = {"input": 1}
    returns_tuple = True
    dtypes = {"T": dt.ANY, "out_type": dt.INDEX}
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

    def batched(self, each: Each) -> Any:
        shapes = zip(apply(self, *each.inputs), each.stacked)
        return tuple([Same(shape[1:] if stacked else shape) for shape, stacked in shapes])


class Size(Op):
    """The number of elements of a tensor."""

    type_name = "Size"
    inputs = ("input: T",)
    outputs = ("output: out_type",)
    dtypes = {"T": dt.ANY, "out_type": dt.INDEX}
    known_from_types = True
    gradient = not_differentiable

    out_type: DType = dt.int32

    def shapes(self, x: TensorType) -> Shapes:
        return ((),)

    def kernel(self, x: Array) -> Any:
        return np.array(np.size(x), self.out_type.numpy_dtype)

    def known(self, x: TensorType) -> Any:
        return x.size

    def batched(self, each: Each) -> Any:
        shape = apply(Shape.of(self.out_type), each.inputs[0])[1:]
        return Same(each.product(shape))


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

    def kernel(self, x: Array) -> Any:
        return np.array(np.ndim(x), np.int32)

    def known(self, x: TensorType) -> Any:
        return x.rank

    def batched(self, each: Each) -> Any:
        return Same(apply(self, each.inputs[0]) - 1)


class BroadcastArgs(Op):
    """The shape that two shapes broadcast to."""

    type_name = "BroadcastArgs"
    inputs = ("s0: T", "s1: T")
    outputs = ("r0: T",)
    dtypes = {"T": dt.INDEX}
    gradient = not_differentiable

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        lengths = [None if s.dims is None else s.dims[0] for s in (a, b)]
        return ((None if None in lengths else max(n for n in lengths if n is not None),),)

    def kernel(self, a: Array, b: Array) -> Any:
        return np.array(broadcast_dims(tuple(a.tolist()), tuple(b.tolist())), a.dtype)

    def known(self, a: Dims | None, b: Dims | None) -> Any:
        if not isinstance(a, tuple) or not isinstance(b, tuple):
            return None
        try:
            return broadcast_dims(a, b)
        except ValueError:
            return None


class BroadcastGradientArgs(Op):
    """The axes over which the cotangent of each of two broadcast operands is summed."""

    type_name = "BroadcastGradientArgs"
    inputs = ("s0: T", "s1: T")
    outputs = ("r0: T", "r1: T")
    dtypes = {"T": dt.INDEX}
    gradient = not_differentiable

    def shapes(self, a: TensorType, b: TensorType) -> Shapes:
        return ((None,), (None,))

    def kernel(self, a: Array, b: Array) -> Any:
        shapes = tuple(a.tolist()), tuple(b.tolist())
        whole = np.broadcast_shapes(*shapes)
        return tuple([np.array(summed_axes(s, whole), a.dtype) for s in shapes])

    def known(self, a: Any, b: Any) -> Any:
        if not isinstance(a, tuple) or not isinstance(b, tuple) or None in (*a, *b):
            return (None, None)
        whole = np.broadcast_shapes(a, b)
        return summed_axes(a, whole), summed_axes(b, whole)


def summed_axes(dims: tuple[int, ...], whole: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `whole` along which a tensor of shape `dims` is repeated."""
    extra = len(whole) - len(dims)
    repeated = [i + extra for i, d in enumerate(dims) if d == 1]
    return (*range(extra), *repeated)


RANK = Rank()


def shape_of(x: TensorValue) -> Any:
    """The shape as a host operand takes it: a tuple where it is known, else a tensor."""
    type = x.type
    return type.dims if type.is_static else apply(Shape.of(dt.int32), x)


def rank_of(x: TensorValue) -> Any:
    """The rank: an int where it is known, else a tensor."""
    known = x.type.rank
    return apply(RANK, x) if known is None else known


def broadcast_shape_of(x: TensorValue, y: TensorValue) -> Any:
    """The shape that two tensors broadcast to, as a host operand takes it."""
    try:
        dims = broadcast_dims(x.type.dims, y.type.dims)
    except ValueError:
        if not (hasattr(x, "numpy") and hasattr(y, "numpy")):
            raise
        dims = None  # BroadcastArgs refuses them as it runs
    if dims is not None and None not in dims and x.type.is_static and y.type.is_static:
        return dims
    return broadcast_dynamic_shape(shape(x), shape(y))


def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Returns the shape of a tensor as a tensor.

    Args:
        input: A tensor of any dtype and shape.
        out_type: int32 or int64. None means int32.
        name: A name for the op.

    Returns:
        A vector of `out_type`, with a size for each axis.

    Raises:
        InvalidArgumentError: `out_type` is another dtype.

    >>> import graphwright as tf
    >>> tf.shape([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """
    out = Shape.dtype_for("out_type", out_type)
    return apply(Shape.of(out), convert(input), name=name)


def shape_n(
    input: Sequence[TensorLike], out_type: DTypeLike = dt.int32, name: str | None = None
) -> list[Tensor]:
    """Returns the shapes of several tensors as tensors.

    Args:
        input: A list of tensors of one dtype, of any shapes.
        out_type: int32 or int64.
        name: A name for the op.

    Returns:
        A list of vectors of `out_type`.

    Raises:
        InvalidArgumentError: `out_type` is another dtype.

    >>> import graphwright as tf
    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    out = ShapeN.dtype_for("out_type", out_type)
    return list(apply(ShapeN.of(out), *[convert(x) for x in input], name=name))


def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Returns the number of elements of a tensor.

    Args:
        input: A tensor of any dtype and shape.
        out_type: int32 or int64. None means int32.
        name: A name for the op.

    Returns:
        A scalar of `out_type`.

    Raises:
        InvalidArgumentError: `out_type` is another dtype.

    >>> import graphwright as tf
    >>> tf.size([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    out = Size.dtype_for("out_type", out_type)
    return apply(Size.of(out), convert(input), name=name)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the number of axes of a tensor.

    Args:
        input: A tensor of any dtype and shape.
        name: A name for the op.

    Returns:
        A scalar of int32.

    >>> import graphwright as tf
    >>> tf.rank([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    return apply(RANK, convert(input), name=name)


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """Computes the shape that two shapes, given as tensors, broadcast to.

    Args:
        shape_x: A vector of int32 or int64.
        shape_y: A vector of the dtype of `shape_x`.

    Returns:
        A vector of that dtype.

    Raises:
        InvalidArgumentError: The shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    return apply(BroadcastArgs.of(), *index_pair(shape_x, shape_y))


def index_pair(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    """Makes tensors of numbers of places: of int32, unless one has a dtype of its own."""
    if any(is_tensor(v) or isinstance(v, np.ndarray) or holds_tensor(v) for v in (x, y)):
        return convert_pair(x, y)
    narrow = all(fits_int32(v) for v in (x, y))
    return convert(x, None if narrow else dt.int64, dt.int32), convert(
        y, None if narrow else dt.int64, dt.int32
    )


def fits_int32(value: TensorLike) -> bool:
    """Whether int32 holds all numbers of a Python value."""
    numbers = np.asarray(value)
    return not numbers.size or (
        numbers.dtype.kind != "i"
        or (numbers.min() >= dt.int32.min and numbers.max() <= dt.int32.max)
    )


def broadcast_static_shape(shape_x: Sizes, shape_y: Sizes) -> TensorShape:
    """Computes the shape that two static shapes broadcast to.

    Args:
        shape_x: A `tf.TensorShape`, or what converts to one.
        shape_y: A `tf.TensorShape`, or what converts to one.

    Returns:
        A `tf.TensorShape`.

    Raises:
        ValueError: The shapes do not broadcast.

    >>> import graphwright as tf
    >>> tf.broadcast_static_shape([2, 1], [3])
    TensorShape([2, 3])
    >>> tf.broadcast_static_shape([2, None], [1, 3])
    TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape.from_dims(broadcast_dims(x._dims, y._dims))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}."
        ) from None

one_op(shape, size, rank)
