"""The ops that functions of pipelines call, by NumPy, as a namespace that stands for `tf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np


class Fault(Exception):
    """An op fails; `name` is the class of its error."""

    def __init__(self, name: str = "InvalidArgumentError") -> None:
        super().__init__(name)
        self.name = name


class Spec(NamedTuple):
    """The dtype of an element that a generator yields."""

    shape: Any
    dtype: Any


class Ragged:
    """Rows of different lengths."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> Any:
        return self.rows[i]

    def to_tensor(self) -> Any:
        """Rows that are padded."""
        return padded(self.rows, None, None)

    def row_lengths(self) -> Any:
        """How long rows are."""
        return np.array([len(r) for r in self.rows], np.int64)


def mapped(function: Callable[..., Any], *structures: Any) -> Any:
    """A structure of results for the leaves of structures of one form."""
    one = structures[0]
    if type(one) is tuple:
        return tuple(mapped(function, *parts) for parts in zip(*structures))
    if isinstance(one, dict):
        return {k: mapped(function, *(s[k] for s in structures)) for k in one}
    return function(*structures)


def leaves(structure: Any) -> list[Any]:
    """The values in a structure; a dict's are in the order of its keys."""
    if type(structure) is tuple:
        return [leaf for part in structure for leaf in leaves(part)]
    if isinstance(structure, dict):
        return [leaf for k in sorted(structure) for leaf in leaves(structure[k])]
    return [structure]


def as_element(structure: Any) -> Any:
    """A structure with arrays in the place of Python's numbers and lists."""
    return mapped(as_array, structure)


def as_array(value: Any) -> Any:
    """An array; int32 and float32 are the dtypes of Python's numbers."""
    if isinstance(value, (np.ndarray, np.generic, bytes, Ragged)) or hasattr(value, "read"):
        return value
    array = np.asarray(value)
    if array.dtype.kind == "U":
        return np.array(np.char.encode(array).tolist(), object)[()]
    if array.dtype.kind == "i":
        return array.astype(np.int32)[()]
    return array.astype(np.float32)[()] if array.dtype.kind == "f" else array[()]


def stacked(*values: Any) -> Any:
    """Values along a new axis."""
    if isinstance(values[0], bytes):
        return np.array(values, object)
    if len({np.shape(v) for v in values}) > 1:
        raise Fault
    return np.stack(values)


def joined(values: Sequence[Any]) -> Any:
    """Strings after each other."""
    return b"".join(v.encode() if isinstance(v, str) else v for v in values)


def padded(values: Sequence[Any], shape: Any, filling: Any) -> Any:
    """Values along a new axis, each filled up to the greatest of their shapes or to `shape`."""
    if not np.ndim(values[0]):
        return stacked(*values)
    sizes = [max(column) for column in zip(*(np.shape(v) for v in values))]
    wanted = [s if w in (None, -1) else w for s, w in zip(sizes, shape or sizes)]
    if any(s > w for s, w in zip(sizes, wanted)):
        raise Fault("DataLossError")
    dtype = np.asarray(values[0]).dtype
    default = b"" if dtype.kind == "O" else 0
    out = np.full((len(values), *wanted), default if filling is None else filling, dtype)
    for row, value in zip(out, values):
        row[tuple(slice(n) for n in np.shape(value))] = value
    return out


def constant(value: Any, dtype: Any = None) -> Any:
    """An array of a dtype."""
    return as_array(value) if dtype is None else np.asarray(value, dtype)[()]


def cast(value: Any, dtype: Any) -> Any:
    """An array of another dtype."""
    return np.asarray(value).astype(dtype)[()]


def floordiv(a: Any, b: Any) -> Any:
    """The quotient of integers."""
    if np.any(np.asarray(b) == 0):
        raise Fault
    return a // b


def check(condition: Any, message: Any = None) -> None:
    """Fails unless all of it holds."""
    if not np.all(condition):
        raise Fault


def numpy_function(function: Callable[..., Any], operands: Sequence[Any], dtype: Any) -> Any:
    """What a Python function gives."""
    try:
        return np.asarray(function(*operands), dtype)[()]
    except ValueError:
        raise Fault from None


def length(strings: Any) -> Any:
    """How many bytes strings have."""
    if isinstance(strings, bytes):
        return np.int32(len(strings))
    return np.array([length(s) for s in strings], np.int32).reshape(np.shape(strings))


def namespace(dataset: Any) -> Any:
    """What a pipeline reads as `tf`."""
    return SimpleNamespace(
        __name__="plain",
        data=SimpleNamespace(Dataset=dataset, AUTOTUNE=-1),
        int32=np.int32,
        int64=np.int64,
        float32=np.float32,
        string=object,
        bool=np.bool_,
        TensorSpec=Spec,
        abs=np.abs,
        cast=cast,
        constant=constant,
        fill=lambda dims, value: np.full(dims, value, np.asarray(value).dtype),
        maximum=lambda a, b: np.maximum(a, np.asarray(b, np.asarray(a).dtype))[()],
        minimum=lambda a, b: np.minimum(a, np.asarray(b, np.asarray(a).dtype))[()],
        numpy_function=numpy_function,
        range=lambda n: np.arange(n, dtype=np.asarray(n).dtype),
        reduce_sum=lambda a: np.sum(a, dtype=np.asarray(a).dtype),
        reshape=lambda a, shape: np.reshape(a, shape)[()],
        shape=lambda a: np.array(np.shape(a), np.int32),
        stack=lambda values: np.stack(values),
        where=lambda c, a, b: np.where(c, a, b)[()],
        logical_not=np.logical_not,
        debugging=SimpleNamespace(Assert=check),
        math=SimpleNamespace(floordiv=floordiv),
        strings=SimpleNamespace(join=joined, length=length),
    )
