"""The static type of a tensor: a dtype and a partially known shape, interned.

`dims` is None for an unknown rank, else a tuple whose unknown entries are None. Types
are interned, so equality is identity and a type is a cheap dictionary key.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from graphwright.base.forks import held_over_forks
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType

Dims: TypeAlias = tuple["int | None", ...]


class TensorType:
    """What is known of a tensor before it has a value."""

    __slots__ = ("__weakref__", "dims", "dtype")
    dtype: DType
    dims: Dims | None

    def __new__(cls, dtype: DType, dims: Dims | None) -> TensorType:
        reference = dtype.interned.get(dims)
        existing: TensorType | None = None if reference is None else reference()
        return _intern(super().__new__(cls), dtype, dims) if existing is None else existing

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self.dims is None else len(self.dims)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is known."""
        return self.dims is not None and None not in self.dims

    @property
    def size(self) -> int | None:
        """The number of elements, or None where a dimension is unknown."""
        return num_elements(self.dims)

    def with_dims(self, dims: Dims | None) -> TensorType:
        """The same dtype with another shape."""
        return TensorType(self.dtype, dims)

    def with_dtype(self, dtype: DType) -> TensorType:
        """The same shape with another dtype."""
        return TensorType(dtype, self.dims)

    def is_subtype_of(self, other: TensorType) -> bool:
        """Whether every tensor of this type is one of `other`."""
        return self is other or (self.dtype is other.dtype and is_subshape(self.dims, other.dims))

    def join(self, other: TensorType) -> TensorType | None:
        """The most specific type of both, or None where the dtypes differ."""
        if self is other:
            return self
        if self.dtype is not other.dtype:
            return None
        return TensorType(self.dtype, join_dims(self.dims, other.dims))

    def __reduce__(self) -> tuple[Any, tuple[DType, Dims | None]]:
        return TensorType, (self.dtype, self.dims)

    def __repr__(self) -> str:
        return f"{self.dtype.name}{show_dims(self.dims)}"


class _Reference(weakref.ref[TensorType]):
    """A weak reference to a type, with the place that it is interned in.

    A WeakValueDictionary does the same, but runs Python code for each look-up.
    """

    __slots__ = ("dims", "interned")
    dims: Dims | None
    interned: dict[Dims | None, Any]


_INTERNING = held_over_forks(threading.RLock())
#: Types used lately, so that one that is asked for again and again is not made each time.
_LATELY: deque[TensorType] = deque(maxlen=1024)


def _intern(new: TensorType, dtype: DType, dims: Dims | None) -> TensorType:
    """The type that is interned with this dtype and shape: `new`, unless there is one by now."""
    with _INTERNING:
        reference = dtype.interned.get(dims)
        existing: TensorType | None = None if reference is None else reference()
        if existing is not None:
            return existing
        new.dtype, new.dims = dtype, dims
        reference = _Reference(new, _forget)
        reference.interned, reference.dims = dtype.interned, dims
        dtype.interned[dims] = reference
        _LATELY.append(new)
        return new


def _forget(reference: _Reference, interning: AbstractContextManager[object] = _INTERNING) -> None:
    """Drops the entry of a type that is gone, unless another has taken its place."""
    with interning:  # an argument, since globals go before the last types do
        if reference.interned.get(reference.dims) is reference:
            del reference.interned[reference.dims]


def show_dims(dims: Dims | None) -> str:
    """`[2,?]`, as messages of ops write shapes; `<unknown>` for an unknown rank."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def num_elements(dims: Dims | None) -> int | None:
    """The product of the dimensions, or None where one is unknown."""
    if dims is None:
        return None
    size = 1
    for d in dims:
        if d is None:
            return None
        size *= d
    return size


def is_subshape(dims: Dims | None, of: Dims | None) -> bool:
    """Whether every shape that `dims` admits is admitted by `of`."""
    if of is None:
        return True
    if dims is None or len(dims) != len(of):
        return False
    return all(b is None or a == b for a, b in zip(dims, of))


def is_compatible(a: Dims | None, b: Dims | None) -> bool:
    """Whether some shape is admitted by both."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b))


def join_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """The most specific dims that admit all that `a` or `b` admits."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b))


def merge_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """What is known when both hold; ValueError if they contradict each other."""
    if a is None or b is None:
        return b if a is None else a
    if not is_compatible(a, b):
        raise ValueError(f"Shapes {show_dims(a)} and {show_dims(b)} are not compatible")
    return tuple(y if x is None else x for x, y in zip(a, b))


def broadcast_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """The shape of an elementwise op on `a` and `b`; ValueError if they do not broadcast.

    An unknown dimension against 1 stays unknown, against n > 1 must be n (or 1).
    """
    if a is b:
        return a
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a = (1,) * (len(b) - len(a)) + a
    elif len(b) < len(a):
        b = (1,) * (len(a) - len(b)) + b
    return tuple([_broadcast_dim(x, y) for x, y in zip(a, b)])


def _broadcast_dim(x: int | None, y: int | None) -> int | None:
    if x == y or y == 1:
        return x
    if x == 1:
        return y
    if x is None or y is None:
        return y if x is None else x
    raise ValueError(f"dimensions {x} and {y} must be equal, or one of them 1")


def broadcast_all(shapes: Iterable[Dims | None]) -> Dims | None:
    """The common broadcast shape of several operands."""
    result: Dims | None = ()
    for dims in shapes:
        result = broadcast_dims(result, dims)
    return result


def normalize_axis(axis: int, rank: int) -> int:
    """A non-negative axis; ValueError outside [-rank, rank)."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range [-{rank}, {rank})")
    return axis + rank if axis < 0 else axis


def entries(value: object) -> tuple[Any, ...]:
    """The numbers in a host value of any rank, one after the other."""
    if not isinstance(value, (tuple, list)):
        return (value,)
    numbers: list[Any] = []
    for part in value:
        if isinstance(part, (tuple, list)):
            numbers += entries(part)
        else:
            numbers.append(part)
    return tuple(numbers)


def single(value: object, name: str) -> Any:
    """The one number in a host value of any rank; ValueError if it has not one."""
    numbers = entries(value)
    if len(numbers) != 1:
        raise ValueError(f"'{name}' must be a tensor with a single value")
    return numbers[0]


def normalize_axes(axes: object, rank: int) -> tuple[int, ...]:
    """All axes for None, else each made non-negative; ValueError outside the range.

    Axes are a number, or a list of them that may be nested.
    """
    if axes is None:
        return tuple(range(rank))
    return tuple([normalize_axis(int(a), rank) for a in entries(axes)])


class VariantValue:
    """The base of Python objects that are values of tensors: scalars of dtype variant."""

    dtype = dt.variant
    shape = ()
    tensor_type = TensorType(dt.variant, ())
