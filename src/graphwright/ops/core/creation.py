"""Tensors from nothing: constants, parameters of graphs, fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.op.batching import Each, elementwise
from graphwright.op.cotangents import Cotangent
from graphwright.op.interpreter import apply, convert, is_staged, makes_tensor
from graphwright.op.op import Call, Op, Shapes, host_value, not_differentiable
from graphwright.ops.core.shapes import shape_of
from graphwright.ops.math.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, HostValue, ShapeLike, Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType, show_dims


class Literal:
    """An array that is an attribute of an op: compared and hashed by dtype, shape and bytes."""

    __slots__ = ("_hash", "array", "type")

    def __init__(self, array: Array, type: TensorType) -> None:
        self.array = array
        self.type = type
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Literal) or self.type is not other.type:
            return False
        if self.array.dtype == object:
            return bool(self.array.tolist() == other.array.tolist())
        return bool(self.array.tobytes() == other.array.tobytes())

    def __hash__(self) -> int:
        if self._hash is None:
            data = str(self.array.tolist()) if self.array.dtype == object else self.array.tobytes()
            self._hash = hash((self.type, data))
        return self._hash

    def __repr__(self) -> str:
        return f"Literal({self.array.tolist()!r}, {self.type!r})"


class Const(Op):
    """A constant."""

    type_name = "Const"
    outputs = ("output: dtype",)
    gradient = not_differentiable

    value: Literal

    @property
    def dtype(self) -> DType:
        """The constant's dtype."""
        return self.value.type.dtype

    def shapes(self) -> Shapes:
        return (self.value.type.dims,)

    def kernel(self) -> Any:
        return self.value.array

    def known(self) -> Any:
        array = self.value.array
        is_plain = array.dtype != object or self.dtype is dt.string
        return host_value(array) if array.size <= 1024 and is_plain else None


class Placeholder(Op):
    """A parameter of a graph: its value arrives with the call."""

    type_name = "Placeholder"
    outputs = ("output: dtype",)
    gradient = not_differentiable

    dtype: DType
    shape: Dims | None

    def shapes(self) -> Shapes:
        return (self.shape,)


class Fill(Op):
    """A tensor of the given shape filled with one value."""

    type_name = "Fill"
    inputs = ("dims: index_type host", "value: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "index_type": dt.INDEX}
    computes = False

    def shapes(self, dims: HostValue, value: TensorType) -> Shapes:
        if value.rank not in (0, None):
            raise ValueError(f"Shape must be rank 0 but is rank {value.rank}: value of Fill")
        return (checked_dims(dims, "dims"),)

    def kernel(self, dims: tuple[int, ...], value: Array) -> Any:
        if value.shape not in ((), (1,)):
            raise ValueError(f"value must represent a scalar, got shape {show_dims(value.shape)}")
        try:
            result = np.empty(dims, value.dtype)
            result[...] = value.reshape(())
            return result
        except TypeError:
            checked_dims(dims, "dims")
            raise

    def known(self, dims: HostValue, value: HostValue) -> Any:
        if isinstance(dims, tuple) and len(dims) == 1 and isinstance(dims[0], int):
            return (value,) * dims[0] if dims[0] <= 1024 else None
        return None

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return None, reduce_sum(g)

    def batched(self, each: Each) -> Any:
        return each.broadcast(1, each.same(0))


def checked_dims(dims: Any, name: str) -> Dims | None:
    """A known shape operand as dims; ValueError if it is not a vector of sizes >= 0."""
    if dims is None:
        return None
    if not isinstance(dims, tuple) or any(isinstance(d, tuple) for d in dims):
        advice = f"\n    {name}=[{dims}] fits" if isinstance(dims, int) else ""
        raise ValueError(
            f"{name} must represent a vector, got shape {show_dims(np.shape(dims))}{advice}"
        )
    for d in dims:
        if isinstance(d, float):
            raise ValueError(f"{name} must be of int32 or int64, got {d}")
        if d is not None and d < 0:
            raise ValueError(f"Dimension {d} must be >= 0")
    return dims


class ZerosLike(Op):
    """Zeros (empty strings, False) of the tensor's shape and dtype."""

    type_name = "ZerosLike"
    node_name = "zeros_like"
    filling = 0
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": dt.ANY}
    computes = False
    gradient = not_differentiable
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        x = np.asarray(x)
        return np.full(x.shape, b"", object) if x.dtype == object else np.zeros(x.shape, x.dtype)


class OnesLike(Op):
    """Ones (True) of the tensor's shape and dtype."""

    type_name = "OnesLike"
    node_name = "ones_like"
    filling = 1
    inputs = ("x: T",)
    outputs = ("y: T",)
    dtypes = {"T": dt.NUMERIC | dt.BOOL}
    computes = False
    gradient = not_differentiable
    batched = elementwise

    def shapes(self, x: TensorType) -> Shapes:
        return (x.dims,)

    def kernel(self, x: Array) -> Any:
        x = np.asarray(x)
        return np.ones(x.shape, x.dtype) if x.ndim else x.dtype.type(1)  # in a third of the time


ZEROS_LIKE, ONES_LIKE = ZerosLike(), OnesLike()


def fill(
    dims: ShapeLike, value: TensorLike, name: str | None = None, layout: object = None
) -> Tensor:
    """Fills a tensor of a shape with one value.

    Args:
        dims: The shape: an int, a list of ints, or a vector of int32 or int64.
        value: A scalar of any dtype.
        name: A name for the op.
        layout: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of shape `dims` and the dtype of `value`.

    Raises:
        InvalidArgumentError: `value` is no scalar, or a size in `dims` is negative.

    >>> import graphwright as tf
    >>> tf.fill([2, 2], 7)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[7, 7],
           [7, 7]], dtype=int32)>
    """
    return apply(FILL, (dims,) if isinstance(dims, int) else dims, convert(value), name=name)


def zeros(
    shape: ShapeLike, dtype: DTypeLike = dt.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """Fills a tensor of a shape with zeros: False for bools, empty text for strings.

    Args:
        shape: The shape: a list of ints, a `tf.TensorShape`, or a vector of int32 or int64.
        dtype: Any dtype, or its name.
        name: A name for the op.
        layout: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of `shape` and `dtype`.

    Raises:
        TypeError: A size in `shape` is a float.
        InvalidArgumentError: A size in `shape` is negative.

    >>> import graphwright as tf
    >>> tf.zeros([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    return filled(shape, as_dtype(dtype), 0, name or "zeros")


def ones(
    shape: ShapeLike, dtype: DTypeLike = dt.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """Fills a tensor of a shape with ones: True for bools.

    Args:
        shape: The shape: a list of ints, a `tf.TensorShape`, or a vector of int32 or int64.
        dtype: A dtype of numbers or bools, or its name.
        name: A name for the op.
        layout: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of `shape` and `dtype`.

    Raises:
        TypeError: A size in `shape` is a float, or `dtype` is of strings.
        InvalidArgumentError: A size in `shape` is negative.

    >>> import graphwright as tf
    >>> tf.ones([2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
    """
    return filled(shape, as_dtype(dtype), 1, name or "ones")


def filled(shape: ShapeLike, dtype: DType, value: int, name: str | None = None) -> Any:
    """0 or 1 in every place, as False and True or the empty string where these are meant."""
    floats = _FLOATS if is_staged() else _FLOATS | _NARROW  # these a graph casts
    if isinstance(shape, (list, tuple)) and not floats.isdisjoint(map(type, shape)):
        raise TypeError(f"Cannot convert {shape} to EagerTensor of dtype int32")
    if isinstance(shape, (list, tuple)) and is_staged():
        shape = [int(size) if isinstance(size, np.bool_) else size for size in shape]
    if makes_tensor(shape):
        sizes: Any = convert(shape)
        if sizes.type.rank == 0:  # a float is refused, which a list would cast
            shape = (sizes,) if sizes.dtype in dt.INDEX else sizes[None]
        else:
            shape = sizes
    scalar: Any = value
    if dtype is dt.bool_:
        scalar = bool(value)
    elif dtype is dt.string and not value:
        scalar = b""
    return fill(shape, convert(scalar, dtype), name)


def zeros_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns zeros of the shape of a tensor: False for bools, empty text for strings.

    Args:
        input: A tensor of any dtype and shape.
        dtype: The dtype of the result. None means that of `input`.
        name: A name for the op.
        layout: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of the shape of `input`.

    >>> import graphwright as tf
    >>> tf.zeros_like([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
    """
    x = convert(input)
    if dtype is None or x.dtype is as_dtype(dtype):
        op = ZEROS_LIKE if x.dtype is not dt.variant else ZerosLike.for_operands([x]).of()
        return apply(op, x, name=name)
    return zeros(shape_of(x), dtype, name)


def ones_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: object = None,
) -> Tensor:
    """Returns ones of the shape of a tensor: True for bools.

    Args:
        input: A tensor of numbers or bools, or of any dtype where `dtype` is given.
        dtype: The dtype of the result. None means that of `input`.
        name: A name for the op.
        layout: Accepted for TensorFlow's signature and not used.

    Returns:
        A tensor of the shape of `input`.

    >>> import graphwright as tf
    >>> tf.ones_like([1, 2], tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
    >>> tf.ones_like(["a", "b"], tf.int32).numpy().tolist()
    [1, 1]
    """
    x = convert(input)
    if dtype is None or x.dtype is as_dtype(dtype):
        return apply(ONES_LIKE, x, name=name)
    return ones(shape_of(x), dtype, name)


FILL = Fill()
_FLOATS = frozenset({float, np.float64})
_NARROW = frozenset({np.float16, np.float32})
