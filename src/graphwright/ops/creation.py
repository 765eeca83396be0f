"""Tensors from nothing: constants, parameters of graphs, fills, ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Call, Op, Shapes, host_value, not_differentiable
from graphwright.ops.reduction import reduce_sum
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.tensor_type import Dims, TensorType


class Literal:
    """An array that is an attribute of an op: compared and hashed by dtype, shape and bytes."""

    __slots__ = ("_hash", "array", "type")

    def __init__(self, array: Any, type: TensorType) -> None:
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


@dataclass(frozen=True)
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
        return host_value(array) if array.size <= 1024 and array.dtype != object else None


@dataclass(frozen=True)
class Placeholder(Op):
    """A parameter of a graph: its value arrives with the call."""

    type_name = "Placeholder"
    outputs = ("output: dtype",)
    gradient = not_differentiable

    dtype: DType
    shape: Dims | None

    def shapes(self) -> Shapes:
        return (self.shape,)


@dataclass(frozen=True)
class Fill(Op):
    """A tensor of the given shape filled with one value."""

    type_name = "Fill"
    inputs = ("dims: index_type host", "value: T")
    outputs = ("output: T",)
    dtypes = {"T": dt.ANY, "index_type": dt.INDEX}

    def shapes(self, dims: Any, value: TensorType) -> Shapes:
        if value.rank not in (0, None):
            raise ValueError(f"Shape must be rank 0 but is rank {value.rank}: value of Fill")
        return (checked_dims(dims, "dims"),)

    def kernel(self, dims: Any, value: Any) -> Any:
        return np.full(dims, value, np.asarray(value).dtype)

    def known(self, dims: Any, value: Any) -> Any:
        if isinstance(dims, tuple) and len(dims) == 1 and isinstance(dims[0], int):
            return (value,) * dims[0] if dims[0] <= 1024 else None
        return None

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return None, reduce_sum(g)


def checked_dims(dims: Any, name: str) -> Dims | None:
    """A known shape operand as dims; ValueError if it is not a vector of sizes >= 0."""
    if dims is None:
        return None
    if not isinstance(dims, tuple):
        raise ValueError(f"{name} must be a vector of int32 or int64, got the scalar {dims}")
    for d in dims:
        if d is not None and (not isinstance(d, int) or d < 0):
            raise ValueError(f"Dimension {d} must be >= 0 in {name} {list(dims)}")
    return dims


def range_size(start: Any, limit: Any, delta: Any) -> int:
    """How many steps of `delta` lead from `start` up to but not including `limit`."""
    if isinstance(delta, float) or isinstance(start, float) or isinstance(limit, float):
        return int(np.ceil(abs((limit - start) / delta)))
    return len(range(start, limit, delta))


@dataclass(frozen=True)
class Range(Op):
    """start, start + delta, ... below limit."""

    type_name = "Range"
    inputs = ("start: Tidx host", "limit: Tidx host", "delta: Tidx host")
    outputs = ("output: Tidx",)
    dtypes = {"Tidx": dt.REAL}
    gradient = not_differentiable

    Tidx: DType

    def shapes(self, start: Any, limit: Any, delta: Any) -> Shapes:
        for name, value in (("start", start), ("limit", limit), ("delta", delta)):
            if isinstance(value, tuple):
                raise ValueError(f"{name} must be a scalar, not shape [{len(value)}]")
        if None in (start, limit, delta):
            return ((None,),)
        if delta == 0:
            raise ValueError("Requires delta != 0: 0")
        if (limit - start) * delta < 0:
            relation, sign = ("<=", ">") if delta > 0 else (">=", "<")
            raise ValueError(
                f"Requires start {relation} limit when delta {sign} 0: {start}/{limit}"
            )
        return ((range_size(start, limit, delta),),)

    def kernel(self, start: Any, limit: Any, delta: Any) -> Any:
        (size,) = self.shapes(start, limit, delta)[0] or (0,)
        dtype = self.Tidx.numpy_dtype
        if self.Tidx.is_floating:
            return (start + np.arange(size, dtype=np.float64) * delta).astype(dtype)
        return np.arange(start, limit, delta, dtype=dtype)

    def known(self, start: Any, limit: Any, delta: Any) -> Any:
        if None in (start, limit, delta) or not self.Tidx.is_integer:
            return None
        return tuple(range(start, limit, delta))


def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """A tensor of shape `dims` filled with the scalar `value`.

    >>> import graphwright as tf
    >>> tf.fill([2, 2], 7)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[7, 7],
           [7, 7]], dtype=int32)>
    """
    return apply(Fill.of(), dims, convert(value), name=name)


def zeros(shape: Any, dtype: Any = dt.float32, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of zeros (empty strings, False) of the given shape."""
    return filled(shape, as_dtype(dtype), 0, name)


def ones(shape: Any, dtype: Any = dt.float32, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of ones (True) of the given shape."""
    return filled(shape, as_dtype(dtype), 1, name)


def filled(shape: Any, dtype: DType, value: int, name: str | None = None) -> Any:
    """`value` in every place: a constant where the shape is known and small."""
    scalar: Any = b"" if dtype is dt.string else dtype.numpy_dtype.type(value)
    return apply(Fill.of(), shape, convert(scalar, dtype), name=name)
