"""Variables as ops: the storage a handle refers to, reads, assignments, sparse updates."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from sys import getrefcount
from threading import get_ident
from typing import Any, ClassVar

import numpy as np

from graphwright.base.errors import FailedPreconditionError
from graphwright.base.forks import own_lock
from graphwright.op.batching import Each
from graphwright.op.cotangents import Cotangent
from graphwright.op.expansion import GraphTensor
from graphwright.op.interpreter import apply, convert, rows_of
from graphwright.op.op import Call, Effect, Op, Shapes, not_differentiable
from graphwright.ops.core.gathering import GatherV2
from graphwright.ops.core.joining import concat
from graphwright.ops.core.movement import expand_dims, reshape
from graphwright.ops.core.scattering import (
    TensorScatter,
    TensorScatterAdd,
    TensorScatterSub,
    TensorScatterUpdate,
)
from graphwright.ops.core.segment_kernels import combine_at
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType, is_compatible, show_dims

HANDLE: TensorType = TensorType(dt.resource, ())


class Storage:
    """The mutable cell behind a variable: the one place that an assignment changes.

    What was read stays as it was: its array is replaced, or written into where nobody else has
    it (`Loan`). `dtype` says to the eager interpreter what kind of operand this is.
    """

    __slots__ = (
        "__weakref__", "array", "dims", "dtype", "late", "lock", "name", "owner", "value_dtype"
    )  # fmt: skip
    dtype: DType
    shape: ClassVar[Dims] = ()
    tensor_type: TensorType = HANDLE

    def __init__(
        self, array: Array | None, value_dtype: DType, dims: Dims | None, name: str
    ) -> None:
        self.array: Any = array
        self.value_dtype = value_dtype
        self.dims = dims
        self.name = name
        self.dtype = dt.resource
        self.late: Callable[[], Any] | None = None  # gives the array when it is first read
        self.lock = own_lock(self)
        self.owner: Callable[[], Any] | None = None  # a weak reference to the variable

    @property
    def value_type(self) -> TensorType:
        """The type of what is stored."""
        return TensorType(self.value_dtype, self.dims)

    @property
    def is_set(self) -> bool:
        """Whether there is an array, lent or not, or one will be when it is read."""
        return self.array is not None or self in LENT or self.late is not None

    def read(self) -> Any:
        """The current array."""
        array = self.array
        return self._settled() if array is None else array

    def held(self) -> Any:
        """The current array, for a caller that has the lock."""
        if self.array is None:
            loan = LENT.pop(self, None)
            if loan is None:
                raise FailedPreconditionError(
                    None, None, f"Could not find variable {self.name}: it was never initialized."
                )
            self.array = loan.array  # a signal has kept it from being brought back
        return self.array

    def _settled(self) -> Any:
        """The array, once nobody writes into it."""
        loan = LENT.get(self)
        if loan is not None and loan.thread == get_ident():  # a signal's handler asks
            return loan.array.copy()
        self.decide()
        with self.lock:
            return self.held()

    def decide(self) -> None:
        """Computes an array that is late now. No lock may be held, since that looks at other
        variables."""
        late = self.late
        if late is not None:
            array = late()
            with self.lock:
                if self.late is late:
                    self.write(array)

    def copied(self) -> Storage:
        """Another cell that holds the same."""
        self.decide()
        with self.lock:
            array = self.held().copy() if self.is_set else None
        return Storage(array, self.value_dtype, self.dims, self.name)

    def assign(self, array: Array) -> None:
        """Replaces the array, once nobody else has the lock."""
        with self.lock:
            self.write(array)

    def check_dtype(self, array: Array) -> None:
        """ValueError for an array that has not the declared dtype."""
        dtype = self.value_dtype.numpy_dtype
        if array.dtype is not dtype and array.dtype != dtype:
            raise ValueError(
                f"Trying to change variable '{self.name}' with wrong dtype. Expected "
                f"{self.value_dtype.name} got {array.dtype.name}"
            )

    def write(self, array: Array) -> None:
        """Replaces the array by one of the declared dtype and shape."""
        if (
            type(array) is np.ndarray
            and array.dtype is self.value_dtype.numpy_dtype
            and array.shape == self.dims
        ):
            self.array, self.late = array, None
            return
        if self.value_dtype is dt.variant:  # an object, as a position in a dataset is
            self.array, self.late = array, None
            return
        array = np.asarray(array)
        self.check_dtype(array)
        if array.shape != self.dims and not is_compatible(array.shape, self.dims):
            raise ValueError(
                f"Trying to assign to variable '{self.name}' with tensor with wrong shape. "
                f"Expected {show_dims(self.dims)} got {show_dims(array.shape)}"
            )
        self.array, self.late = array, None

    def update(self, change: Callable[[Array], Array]) -> None:
        """Replaces the array by a function of it, atomically."""
        self.decide()
        with self.lock:
            self.write(change(self.held()))

    def revise(self, change: Callable[[Array, Array | None], Array]) -> None:
        """Replaces the array by a function of it and of an array for the result.

        The latter is the array itself where that may be written into, else None. The function
        refuses before it writes.
        """
        self.decide()
        with self.lock, Loan(self) as loan:
            if loan.array is None:
                self.write(change(self.held(), None))
            else:
                change(loan.array, loan.array)

    def __repr__(self) -> str:
        return f"<Resource {self.name!r}: {self.value_type!r}>"


#: The loans that are out.
LENT: dict[Storage, Loan] = {}

#: Arrays with fewer bytes are replaced: that costs less than to ask who else has them.
WORTH = 1 << 14


class Loan:
    """While it is entered, the array of a storage is out of it, to be written into.

    `array` is None where that cannot be. An array is lent if only the storage has it, so that no
    tensor, view or buffer sees it change. Readers wait meanwhile. The borrower has the storage's
    lock, and finishes what it does with the array.
    """

    __slots__ = ("array", "storage", "thread")

    #: Whether a fork is near, in whose child what is half written would stay so.
    paused: ClassVar[bool] = False

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.array: Any = None
        self.thread = get_ident()

    def __enter__(self) -> Loan:
        if self.storage.array is not None and self.storage.array.nbytes >= WORTH:
            try:
                references = self.take()
                if references != _ALONE or Loan.paused or not is_plain(self.array):
                    self.__exit__()
            except BaseException:  # a signal
                self.__exit__()
                raise
        return self

    def take(self) -> int:
        """Takes the array and returns the number of references to it. From here on readers wait,
        and earlier readers hold a reference."""
        self.array = self.storage.array
        LENT[self.storage] = self
        self.storage.array = None
        return getrefcount(self.array)

    def __exit__(self, *error: object) -> None:
        if self.array is not None:
            self.storage.array = self.array
            LENT.pop(self.storage, None)
            self.array = None


def references_of_one() -> int:
    """The number of references to an array that only a storage had."""
    loan = Loan(Storage(np.zeros(1), dt.float64, (1,), ""))
    references = loan.take()
    loan.__exit__()
    return references


#: No count says that where threads run without the interpreter's lock.
_ALONE = references_of_one() if getattr(sys, "_is_gil_enabled", lambda: True)() else -1


def is_plain(array: Array) -> bool:
    """Whether an array's memory is its own, and anything may be written there."""
    flags = array.flags
    return bool(
        type(array) is np.ndarray
        and flags.owndata
        and flags.c_contiguous
        and flags.writeable
        and not array.dtype.hasobject
        and not weakref.getweakrefcount(array)
    )


def wait_for_loans() -> None:
    """Before a fork: nothing is being written into, and nothing will be."""
    Loan.paused = True
    for storage, loan in list(LENT.items()):
        if loan.thread != get_ident():
            with storage.lock:
                storage.held()


def resume_loans() -> None:
    """After a fork."""
    Loan.paused = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=wait_for_loans, after_in_parent=resume_loans, after_in_child=resume_loans
    )


class Held:
    """While it is entered, nobody else updates these cells.

    Free locks are taken as the cells come. If one is not free, all are taken in one order.
    """

    __slots__ = ("cells", "taken")

    def __init__(self, cells: Sequence[Storage]) -> None:
        for cell in cells:
            if cell.late is not None:
                cell.decide()
        self.cells = cells
        self.taken: list[threading.Lock] = []

    def __enter__(self) -> None:
        taken = self.taken
        try:
            for cell in self.cells:
                if not cell.lock.acquire(False):  # it may be one that came before
                    self.wait()
                    return
                taken.append(cell.lock)
        except BaseException:  # a signal, while another thread is waited for
            self.__exit__()
            raise

    def wait(self) -> None:
        """Takes the locks in the order that all threads have."""
        self.__exit__()
        for lock in self.in_order():
            lock.acquire()
            self.taken.append(lock)

    def in_order(self) -> list[threading.Lock]:
        """The locks in the order in which they are waited for."""
        return [cell.lock for cell in sorted(set(self.cells), key=id)]

    def __exit__(self, *error: object) -> None:
        while self.taken:
            self.taken.pop().release()


class ReadVariableOp(Op):
    """The value of a variable now."""

    type_name = "ReadVariableOp"
    passes_rows = True
    inputs = ("resource: resource",)
    outputs = ("value: dtype",)
    behind = Storage
    effect = Effect.READ
    private = frozenset({"shape"})

    dtype: DType
    shape: Dims | None = None

    def shapes(self, resource: TensorType) -> Shapes:
        return (self.shape,)

    def kernel(self, storage: Storage) -> Any:
        if storage.value_dtype is not self.dtype:
            raise ValueError(
                f"Trying to read variable '{storage.name}' with wrong dtype. Expected "
                f"{storage.value_dtype.name} got {self.dtype.name}"
            )
        return storage.read()

    def on_value(self, value: TensorValue) -> Any:
        return value

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        return (g,)


class Assignment(Op):
    """Changes a variable by a value of its dtype; has no result."""

    inputs = ("resource: resource", "value: dtype")
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable

    dtype: DType

    def shapes(self, resource: TensorType, value: TensorType) -> Shapes:
        return ()


class AssignVariableOp(Assignment):
    """variable = value."""

    type_name = "AssignVariableOp"

    def kernel(self, storage: Storage, value: Array) -> None:
        storage.assign(value)

    def on_value(self, value: TensorValue, new: TensorValue) -> Any:
        return new if new.type is value.type else None


class AssignAddVariableOp(Assignment):
    """variable += value."""

    type_name = "AssignAddVariableOp"

    def kernel(self, storage: Storage, value: Array) -> None:
        storage.revise(lambda array, out: np.add(array, same_shape(storage, array, value), out=out))

    def on_value(self, value: GraphTensor, added: GraphTensor) -> Any:
        return value + added if added.type is value.type else None


class AssignSubVariableOp(Assignment):
    """variable -= value."""

    type_name = "AssignSubVariableOp"

    def kernel(self, storage: Storage, value: Array) -> None:
        storage.revise(
            lambda array, out: np.subtract(array, same_shape(storage, array, value), out=out)
        )

    def on_value(self, value: GraphTensor, subtracted: GraphTensor) -> Any:
        return value - subtracted if subtracted.type is value.type else None


def same_shape(storage: Storage, array: Array, value: Array) -> Any:
    """The value, checked to have the variable's shape and dtype."""
    storage.check_dtype(value)
    if np.shape(value) != np.shape(array):
        raise ValueError(
            f"Cannot update variable '{storage.name}' with shape {show_dims(np.shape(array))} "
            f"using a Tensor with shape {show_dims(np.shape(value))}, shapes must be equal."
        )
    return value


class VariableGather(Op):
    """Parts of a variable at indices, without reading the rest."""

    inputs = ("resource: resource", "indices: Tindices")
    outputs = ("output: dtype",)
    dtypes = {"Tindices": dt.INDEX}
    behind = Storage
    effect = Effect.READ
    private = frozenset({"shape"})

    dtype: DType
    shape: Dims | None = None


class ResourceGather(VariableGather):
    """Rows of a variable: `params[indices]`."""

    type_name = "ResourceGather"

    def shapes(self, resource: TensorType, indices: TensorType) -> Shapes:
        if self.shape is None or indices.dims is None:
            return (None,)
        return (indices.dims + self.shape[1:],)

    def kernel(self, storage: Storage, indices: Array) -> Any:
        array = storage.read()
        return array.take(checked_rows(indices, array), 0)

    def on_value(self, value: TensorValue, indices: TensorValue) -> Any:
        return apply(GatherV2.of(), value, indices, 0)

    def gradient(self, call: Call, g: Cotangent) -> Sequence[Any]:
        handle, indices = call.inputs
        dims: Any = self.shape
        if dims is None or None in dims:
            whole = shape_of(read_variable(handle, self.dtype, dims))
        else:
            whole = convert(dims, dt.int32)
        places = reshape(indices, [-1])
        values = reshape(g, concat([shape_of(places), whole[1:]], 0))
        return rows_of(values, places, whole), None

    def batched(self, each: Each) -> Any:
        return apply(self, each.same(0), each.inputs[1])


def checked_rows(indices: Array, array: Array) -> Any:
    """Indices into the first axis, each of them in range."""
    if indices.size and not are_in_range(indices, len(array)):
        bad = np.less(indices, 0) | np.greater_equal(indices, len(array))
        where = np.argwhere(np.atleast_1d(bad))[0]
        value = np.atleast_1d(indices)[tuple(where)]
        raise IndexError(
            f"indices[{','.join(map(str, where))}] = {value} is not in [0, {len(array)})"
        )
    return indices


def are_in_range(indices: Array, size: int) -> bool:
    """Whether indices are at least 0 and below a size: without a sign, negative ones are large."""
    return bool(np.maximum.reduce(indices.view(f"u{indices.itemsize}"), None) < size)


class VarHandleOp(Op):
    """The handle of a variable without a value: a new one, or the one of a shared name."""

    type_name = "VarHandleOp"
    outputs = ("resource: resource",)
    effect = Effect.WRITE
    gradient = not_differentiable

    dtype: DType
    shape: Dims | None
    container: str = ""
    shared_name: str = ""
    debug_name: str = ""
    allowed_devices: tuple[str, ...] = ()

    def shapes(self) -> Shapes:
        return ((),)

    def kernel(self) -> Any:
        made = Storage(None, self.dtype, self.shape, self.shared_name or self.debug_name)
        if self.shared_name in ("", ANONYMOUS):
            return made
        return SHARED.setdefault((self.container, self.shared_name), made)


#: The shared name of variables that are not shared.
ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
#: Variables by container and shared name.
SHARED: dict[tuple[str, str], Storage] = {}


class VarIsInitializedOp(Op):
    """Whether a variable has a value."""

    type_name = "VarIsInitializedOp"
    inputs = ("resource: resource",)
    outputs = ("is_initialized: bool",)
    effect = Effect.READ
    gradient = not_differentiable

    def shapes(self, resource: TensorType) -> Shapes:
        return ((),)

    def kernel(self, storage: object) -> Any:
        return np.array(bool(getattr(storage, "is_set", False)))


class VariableShape(Op):
    """The shape of the value of a variable."""

    type_name = "VariableShape"
    inputs = ("input: resource",)
    outputs = ("output: out_type",)
    behind = Storage
    effect = Effect.READ
    gradient = not_differentiable

    out_type: DType = dt.int32

    def shapes(self, resource: TensorType) -> Shapes:
        return ((None,),)

    def kernel(self, storage: Storage) -> Any:
        return np.array(np.shape(storage.read()), self.out_type.numpy_dtype)


class ResourceScatter(Op):
    """Combines rows of a variable with updates by a ufunc; has no result."""

    ufunc: ClassVar[np.ufunc]
    #: The op that does the same to a tensor, at index vectors.
    on_tensor: ClassVar[type[TensorScatter] | None] = None

    inputs = ("resource: resource", "indices: Tindices", "updates: dtype")
    dtypes = {"Tindices": dt.INDEX}
    behind = Storage
    effect = Effect.WRITE
    gradient = not_differentiable
    ruled = True

    dtype: DType

    def shapes(self, resource: TensorType, indices: TensorType, updates: TensorType) -> Shapes:
        if updates.dims and indices.dims is not None and indices.size != 0:
            first = updates.dims[: len(indices.dims)]
            if not is_compatible(first, indices.dims):
                raise ValueError(
                    f"updates must be a scalar or begin with the shape of indices, "
                    f"{show_dims(indices.dims)}, got shape {show_dims(updates.dims)}"
                )
        return ()

    def on_value(self, value: TensorValue, indices: TensorValue, updates: TensorValue) -> Any:
        rank, outer = value.type.rank, indices.type.rank
        if self.on_tensor is None or rank is None or outer is None:
            return None
        if updates.type.rank != outer + rank - 1:
            return None
        return apply(self.on_tensor.of(), value, expand_dims(indices, -1), updates)

    def combine(self, array: Array, indices: Array, updates: Array) -> None:
        """Changes `array` in place; there are updates for each index."""
        if array.ndim < 2:
            self.ufunc.at(array, indices, updates)
        else:
            combine_at(self.ufunc, array, indices, updates)

    def kernel(self, storage: Storage, indices: Array, updates: Array) -> None:
        def change(array: Array, out: Array | None) -> Any:
            storage.check_dtype(updates)
            rows = checked_rows(indices, array)
            if not rows.size:
                return array
            shape = (*np.shape(rows), *array.shape[1:])
            values = updates if updates.shape == shape else np.broadcast_to(updates, shape)
            result = array.copy() if out is None else out
            self.combine(result, rows, values)
            return result

        storage.revise(change)


class ResourceScatterUpdate(ResourceScatter):
    """variable[indices] = updates; the last one of equal indices wins."""

    type_name = "ResourceScatterUpdate"
    on_tensor = TensorScatterUpdate

    def combine(self, array: Array, indices: Array, updates: Array) -> None:
        array[indices] = updates


class ResourceScatterAdd(ResourceScatter):
    """variable[indices] += updates; equal indices add up."""

    type_name = "ResourceScatterAdd"
    on_tensor = TensorScatterAdd
    ufunc = np.add


class ResourceScatterSub(ResourceScatter):
    """variable[indices] -= updates; equal indices add up."""

    type_name = "ResourceScatterSub"
    on_tensor = TensorScatterSub
    ufunc = np.subtract


class ResourceScatterMul(ResourceScatter):
    """variable[indices] *= updates."""

    type_name = "ResourceScatterMul"
    ufunc = np.multiply


class ResourceScatterDiv(ResourceScatter):
    """variable[indices] /= updates."""

    type_name = "ResourceScatterDiv"
    ufunc = np.divide


class ResourceScatterMax(ResourceScatter):
    """variable[indices] = max(variable[indices], updates)."""

    type_name = "ResourceScatterMax"
    ufunc = np.maximum


class ResourceScatterMin(ResourceScatter):
    """variable[indices] = min(variable[indices], updates)."""

    type_name = "ResourceScatterMin"
    ufunc = np.minimum


def read_variable(handle: TensorValue, dtype: DType, shape: Dims | None) -> Any:
    """The value of the variable behind `handle`."""
    return apply(ReadVariableOp.of(dtype, shape), handle)
