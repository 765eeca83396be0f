"""Variables as ops: the storage a handle refers to, reads, assignments, sparse updates."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.errors import FailedPreconditionError
from graphwright.op.batching import Each
from graphwright.op.interpreter import apply, convert, rows_of
from graphwright.op.op import Call, Effect, Op, Shapes, not_differentiable
from graphwright.ops.joining import concat
from graphwright.ops.movement import reshape
from graphwright.ops.shape import shape as shape_of
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

HANDLE = TensorType(dt.resource, ())


class Storage:
    """The mutable cell behind a variable: the one place that an assignment changes.

    Its array is replaced, never written into, so that what was read stays as it was.
    `dtype` says to the eager interpreter what kind of operand this is.
    """

    __slots__ = ("__weakref__", "array", "dims", "dtype", "lock", "name", "owner", "value_dtype")
    dtype: DType
    tensor_type: TensorType = HANDLE

    def __init__(self, array: Any, value_dtype: DType, dims: Dims | None, name: str) -> None:
        self.array = array
        self.value_dtype = value_dtype
        self.dims = dims
        self.name = name
        self.dtype = dt.resource
        self.lock = threading.Lock()
        self.owner: Callable[[], Any] | None = None  # a weak reference to the variable

    @property
    def value_type(self) -> TensorType:
        """The type of what is stored."""
        return TensorType(self.value_dtype, self.dims)

    def read(self) -> Any:
        """The current array."""
        if self.array is None:
            raise FailedPreconditionError(
                None, None, f"Could not find variable {self.name}: it was never initialized."
            )
        return self.array

    def write(self, array: Any) -> None:
        """Replaces the array by one of the declared dtype and shape."""
        array = np.asarray(array)
        if array.shape != self.dims and not is_compatible(array.shape, self.dims):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {show_dims(self.dims)}, and the assigned value shape "
                f"{show_dims(array.shape)} are incompatible."
            )
        self.array = array

    def update(self, change: Callable[[Any], Any]) -> None:
        """Replaces the array by a function of it, atomically."""
        with self.lock:
            self.write(change(self.read()))

    def __repr__(self) -> str:
        return f"<Resource {self.name!r}: {self.value_type!r}>"


class Held:
    """While it is entered, nobody else updates these cells. All take their locks in one order."""

    __slots__ = ("taken", "wanted")

    def __init__(self, cells: Sequence[Storage]) -> None:
        self.wanted = [cell.lock for cell in sorted(set(cells), key=id)]
        self.taken: list[threading.Lock] = []

    def __enter__(self) -> None:
        try:
            for lock in self.wanted:
                lock.acquire()
                self.taken.append(lock)
        except BaseException:  # a signal, while another thread is waited for
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        for lock in self.taken:
            lock.release()


class ReadVariableOp(Op):
    """The value of a variable now."""

    type_name = "ReadVariableOp"
    inputs = ("resource: resource",)
    outputs = ("value: dtype",)
    effect = Effect.READ
    private = frozenset({"shape"})

    dtype: DType
    shape: Dims | None = None

    def shapes(self, resource: TensorType) -> Shapes:
        return (self.shape,)

    def kernel(self, storage: Any) -> Any:
        return storage.read()

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        return (g,)


class Assignment(Op):
    """Changes a variable by a value of its dtype; has no result."""

    inputs = ("resource: resource", "value: dtype")
    effect = Effect.WRITE
    gradient = not_differentiable

    dtype: DType

    def shapes(self, resource: TensorType, value: TensorType) -> Shapes:
        return ()


class AssignVariableOp(Assignment):
    """variable = value."""

    type_name = "AssignVariableOp"

    def kernel(self, storage: Any, value: Any) -> None:
        storage.write(value)


class AssignAddVariableOp(Assignment):
    """variable += value."""

    type_name = "AssignAddVariableOp"

    def kernel(self, storage: Any, value: Any) -> None:
        storage.update(lambda array: np.add(array, same_shape(storage, array, value)))


class AssignSubVariableOp(Assignment):
    """variable -= value."""

    type_name = "AssignSubVariableOp"

    def kernel(self, storage: Any, value: Any) -> None:
        storage.update(lambda array: np.subtract(array, same_shape(storage, array, value)))


def same_shape(storage: Storage, array: Any, value: Any) -> Any:
    """The value, checked to have the variable's shape."""
    if np.shape(value) != np.shape(array):
        raise ValueError(
            f"Cannot update variable '{storage.name}' with shape {show_dims(np.shape(array))} "
            f"using a Tensor with shape {show_dims(np.shape(value))}, shapes must be equal."
        )
    return value


class ResourceGather(Op):
    """Rows of a variable: `params[indices]`, without reading the rest."""

    type_name = "ResourceGather"
    inputs = ("resource: resource", "indices: Tindices")
    outputs = ("output: dtype",)
    dtypes = {"Tindices": dt.INDEX}
    effect = Effect.READ
    private = frozenset({"shape"})

    dtype: DType
    shape: Dims | None = None

    def shapes(self, resource: TensorType, indices: TensorType) -> Shapes:
        if self.shape is None or indices.dims is None:
            return (None,)
        return (indices.dims + self.shape[1:],)

    def kernel(self, storage: Any, indices: Any) -> Any:
        array = storage.read()
        return array[checked_rows(indices, array)]

    def gradient(self, call: Call, g: Any) -> Sequence[Any]:
        handle, indices = call.inputs
        if self.shape is None or None in self.shape:
            whole = shape_of(read_variable(handle, self.dtype, self.shape))
        else:
            whole = convert(self.shape, dt.int32)
        places = reshape(indices, [-1])
        values = reshape(g, concat([shape_of(places), whole[1:]], 0))
        return rows_of(values, places, whole), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.same(0), each.inputs[1])


def checked_rows(indices: Any, array: Any) -> Any:
    """Indices into the first axis, each of them in range."""
    bad = np.less(indices, 0) | np.greater_equal(indices, len(array))
    if np.any(bad):
        where = np.argwhere(np.atleast_1d(bad))[0]
        value = np.atleast_1d(indices)[tuple(where)]
        raise IndexError(
            f"indices[{','.join(map(str, where))}] = {value} is not in [0, {len(array)})"
        )
    return indices


class ResourceScatter(Op):
    """Combines rows of a variable with updates; has no result."""

    inputs = ("resource: resource", "indices: Tindices", "updates: dtype")
    dtypes = {"Tindices": dt.INDEX}
    effect = Effect.WRITE
    gradient = not_differentiable

    dtype: DType

    def shapes(self, resource: TensorType, indices: TensorType, updates: TensorType) -> Shapes:
        return ()

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        """Changes `array` (a fresh copy) in place."""
        raise NotImplementedError

    def kernel(self, storage: Any, indices: Any, updates: Any) -> None:
        def change(array: Any) -> Any:
            fresh = array.copy()
            self.combine(fresh, checked_rows(indices, array), updates)
            return fresh

        storage.update(change)


class ResourceScatterUpdate(ResourceScatter):
    """variable[indices] = updates; the last one of equal indices wins."""

    type_name = "ResourceScatterUpdate"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        array[indices] = updates


class ResourceScatterAdd(ResourceScatter):
    """variable[indices] += updates; equal indices add up."""

    type_name = "ResourceScatterAdd"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.add.at(array, indices, updates)


class ResourceScatterSub(ResourceScatter):
    """variable[indices] -= updates; equal indices add up."""

    type_name = "ResourceScatterSub"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.subtract.at(array, indices, updates)


class ResourceScatterMul(ResourceScatter):
    """variable[indices] *= updates."""

    type_name = "ResourceScatterMul"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.multiply.at(array, indices, updates)


class ResourceScatterDiv(ResourceScatter):
    """variable[indices] /= updates."""

    type_name = "ResourceScatterDiv"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.divide.at(array, indices, updates)


class ResourceScatterMax(ResourceScatter):
    """variable[indices] = max(variable[indices], updates)."""

    type_name = "ResourceScatterMax"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.maximum.at(array, indices, updates)


class ResourceScatterMin(ResourceScatter):
    """variable[indices] = min(variable[indices], updates)."""

    type_name = "ResourceScatterMin"

    def combine(self, array: Any, indices: Any, updates: Any) -> None:
        np.minimum.at(array, indices, updates)


def read_variable(handle: Any, dtype: DType, shape: Dims | None) -> Any:
    """The value of the variable behind `handle`."""
    return apply(ReadVariableOp.of(dtype, shape), handle)
