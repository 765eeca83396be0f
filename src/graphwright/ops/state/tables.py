"""Tables from keys to values as ops: the table a handle refers to, lookups and changes."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.base.errors import (
    AbortedError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from graphwright.base.forks import own_lock
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.op import Effect, Op, Shapes, not_differentiable
from graphwright.ops.state.variable_ops import HANDLE
from graphwright.ops.strings import key_code
from graphwright.ops.strings.key_code import PlacedKeys
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

#: The dtypes of keys that are numbers of 64 bits with a sign, or fewer.
_NUMBERS = dt.INTEGER - {dt.uint64}

CONTENT = dt.ANY - {dt.resource, dt.variant}


#: So many keys are looked up together at least; and a table of whole numbers has a list of rows for
#: all numbers from its least key to its greatest, if these are at most so many times its keys.
_MANY, _SPARSE = 64, 8

#: The share of missing keys from which on they are passed over and not made one by one.
_OFTEN = 0.05


class Rows(dict[Any, int]):
    """The row of each key, and -1 of every other."""

    def __missing__(self, key: object) -> int:
        return -1


class NumberedRows(NamedTuple):
    """The rows of whole numbers from the least on, -1 where there is no such key; -1 at the end.

    They are none where the keys lie far apart.
    """

    least: int
    rows: npt.NDArray[np.int64]


def numbered_rows(rows: Mapping[int, int]) -> NumberedRows:
    """The rows of a table whose keys are whole numbers."""
    least, greatest = min(rows, default=0), max(rows, default=0)
    if greatest - least >= max(_SPARSE * len(rows), 1 << 10):
        return NumberedRows(0, np.zeros(0, np.int64))
    table = np.full(greatest - least + 2, -1, np.int64)
    places = np.fromiter(rows, np.int64, len(rows)) - least
    table[places] = np.fromiter(rows.values(), np.int64, len(rows))
    return NumberedRows(least, table)


class Table:
    """The mutable cell behind a table: where each key's value is among the rows of an array.

    `reserved` has the names of the keys that may not be used. A fixed table is a HashTable, which
    is filled once, and of no use before that.
    """

    dtype: DType = dt.resource
    shape: Dims = ()
    tensor_type: TensorType = HANDLE

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...] = (),
        reserved: Mapping[object, str] | None = None,
        is_fixed: bool = False,
    ) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.reserved = reserved or {}
        self.is_fixed = is_fixed
        self.is_filled = not is_fixed
        self.source: object = None  # the text file that filled it, as a program described it
        self.lock = own_lock(self)
        self.clear()

    def clear(self) -> None:
        """Forgets all keys."""
        self.rows = Rows()
        # Both are made by a lookup, and last until keys come or go.
        self.numbered: NumberedRows | None = None
        self.placed: PlacedKeys | None = None
        self.misses = 0.0  # the share of the last keys that the table had not
        self.values = np.zeros((8, *self.value_shape), self.value_dtype.numpy_dtype)
        self.free: list[int] = []

    def keys_of(self, array: Array) -> list[Any]:
        """The keys in an array; InvalidArgumentError for reserved ones, or for another dtype."""
        check_dtype("key", np.asarray(array), self.key_dtype)
        keys: list[Any] = np.asarray(array, self.key_dtype.numpy_dtype).reshape(-1).tolist()
        for reserved, what in self.reserved.items():
            if reserved in keys:
                raise InvalidArgumentError(
                    None, None, f"Using the {what} as a table key is not allowed"
                )
        return keys

    def find(self, keys: Array, default: Array) -> Any:
        """The values of keys; of others `default`, which is one value or one for each key."""
        if not self.is_filled:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        shape = np.shape(keys)
        row_shape = self.value_shape
        if np.shape(default) not in (row_shape, (*shape, *row_shape)):
            raise InvalidArgumentError(
                None,
                None,
                f"Expected shape {list(row_shape)} or {[*shape, *row_shape]} for default value, "
                f"got {list(np.shape(default))}",
            )
        check_dtype("default value", np.asarray(default), self.value_dtype)
        with self.lock:
            rows = self.rows_of_many(keys)
            if rows is None:
                rows = self.rows_of(self.keys_of(keys))
            rows = rows.reshape(shape)
            values = self.values[rows]
        missing = (rows < 0).reshape(shape + (1,) * len(row_shape))
        result = np.where(missing, default, values)
        return result.astype(self.value_dtype.numpy_dtype, copy=False)

    def rows_of_many(self, keys: Array) -> npt.NDArray[np.int64] | None:
        """The rows of as many keys as are worth more than a dictionary; None of fewer."""
        size = np.size(keys)
        is_made = self.numbered is not None or self.placed is not None
        if (
            size < _MANY
            or self.reserved
            or keys.dtype != self.key_dtype.numpy_dtype
            or not (is_made or self.is_fixed or 4 * size >= len(self.rows))
        ):
            return None
        if self.key_dtype in _NUMBERS:
            return self.rows_of_numbers(keys)
        if self.key_dtype is not dt.string or not key_code.is_ready_for(size):
            return None
        if self.placed is None:
            self.placed = PlacedKeys(self.rows)
        return self.placed.rows_of(keys)

    def rows_of(self, keys: list[Any]) -> npt.NDArray[np.int64]:
        """The rows of keys; -1 for those that the table has not."""
        if self.misses < _OFTEN:
            places = map(self.rows.__getitem__, keys)
        else:
            places = map(self.rows.get, keys, itertools.repeat(-1))
        rows = np.fromiter(places, np.int64, len(keys))
        if len(keys) >= _MANY:
            self.misses = np.count_nonzero(rows < 0) / len(keys)
        return rows

    def rows_of_numbers(self, keys: Array) -> npt.NDArray[np.int64]:
        """The same for whole numbers."""
        if self.numbered is None:
            self.numbered = numbered_rows(self.rows)
        least, rows = self.numbered
        if not rows.size:
            return self.rows_of(keys.reshape(-1).tolist())
        # A key below the least one becomes a great number, so one comparison is enough.
        distances = (keys.reshape(-1).astype(np.int64) - least).view(np.uint64)
        return rows.take(np.minimum(distances, np.uint64(len(rows) - 1)).view(np.int64))

    def insert(self, keys: Array, values: Array, once: bool = False) -> None:
        """Sets the values of keys; with `once` a key may not have another value already."""
        values = np.asarray(values)
        check_dtype("value", values, self.value_dtype)
        expected = (*np.shape(keys), *self.value_shape)
        if values.shape != expected:
            raise InvalidArgumentError(
                None, None, f"Expected shape {list(expected)} for value, got {list(values.shape)}"
            )
        entries = self.keys_of(keys)
        with self.lock:
            if once:
                self._refuse_changes(entries, values.reshape(-1).tolist())
            places = [self._place(key) for key in entries]
            self.values[places] = values.reshape(-1, *self.value_shape)
            self.numbered = self.placed = None
            self.is_filled = True

    def _refuse_changes(self, keys: list[object], values: list[object]) -> None:
        """FailedPreconditionError where a key comes again with another value."""
        seen: dict[Any, Any] = {}
        for key, value in zip(keys, values):
            if seen.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {text(key)} has "
                    f"{text(seen[key])} and trying to add value {text(value)}",
                )

    def _place(self, key: Hashable) -> int:
        """The row of a key, a new one if it has none."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = self.free.pop() if self.free else len(self.rows)
            if row >= len(self.values):
                self.values = np.concatenate([self.values, np.zeros_like(self.values)])
        return row

    def remove(self, keys: Array) -> None:
        """Forgets keys; those that the table has not count for nothing."""
        with self.lock:
            self.numbered = self.placed = None
            for key in self.keys_of(keys):
                row = self.rows.pop(key, None)
                if row is not None:
                    self.free.append(row)

    def export(self) -> tuple[Any, Any]:
        """All keys, and their values in the same order."""
        with self.lock:
            keys = np.empty(len(self.rows), self.key_dtype.numpy_dtype)
            keys[:] = list(self.rows)
            return keys, self.values[list(self.rows.values())]

    def replace(self, keys: Array, values: Array) -> None:
        """Replaces all keys and values by these."""
        with self.lock:
            self.clear()
        self.insert(keys, values)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} keys, {self.key_dtype.name} to {self.value_dtype.name}>"


def check_dtype(what: str, array: Array, dtype: DType) -> None:
    """InvalidArgumentError for keys or values that a table does not hold."""
    if array.dtype != dtype.numpy_dtype:
        got = dt.of_numpy(array.dtype).name
        raise InvalidArgumentError(
            None, None, f"Expected dtype {dtype.name} for {what} of a table, got {got}"
        )


def text(value: object) -> str:
    """A key or value as messages show it."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


class LookupTableFindV2(Op):
    """The values of keys."""

    type_name = "LookupTableFindV2"
    inputs = ("table_handle: resource", "keys: Tin", "default_value: Tout")
    outputs = ("values: Tout",)
    dtypes = {"Tin": CONTENT, "Tout": CONTENT}
    behind = Table
    effect = Effect.READ
    gradient = not_differentiable
    private = frozenset({"shape"})

    shape: Dims | None = ()

    def shapes(self, table: TensorType, keys: TensorType, default: TensorType) -> Shapes:
        if keys.dims is None or self.shape is None:
            return (None,)
        return (keys.dims + self.shape,)

    def kernel(self, table: Table, keys: Array, default: Array) -> Any:
        return table.find(keys, default)


class TableChange(Op):
    """Changes a table; has no result."""

    behind = Table
    effect = Effect.WRITE
    gradient = not_differentiable

    def shapes(self, table: TensorType, *operands: TensorType) -> Shapes:
        return ()


class LookupTableInsertV2(TableChange):
    """Sets the values of keys."""

    type_name = "LookupTableInsertV2"
    inputs = ("table_handle: resource", "keys: Tin", "values: Tout")
    dtypes = {"Tin": CONTENT, "Tout": CONTENT}

    def kernel(self, table: Table, keys: Array, values: Array) -> None:
        table.insert(keys, values)


class LookupTableImportV2(TableChange):
    """Replaces all keys and values of a table by these."""

    type_name = "LookupTableImportV2"
    inputs = ("table_handle: resource", "keys: Tin", "values: Tout")
    dtypes = {"Tin": CONTENT, "Tout": CONTENT}

    def kernel(self, table: Table, keys: Array, values: Array) -> None:
        table.replace(keys, values)


class LookupTableRemoveV2(TableChange):
    """Forgets keys."""

    type_name = "LookupTableRemoveV2"
    inputs = ("table_handle: resource", "keys: Tin")
    dtypes = {"Tin": CONTENT}

    def kernel(self, table: Table, keys: Array) -> None:
        table.remove(keys)


class LookupTableSizeV2(Op):
    """The number of keys."""

    type_name = "LookupTableSizeV2"
    inputs = ("table_handle: resource",)
    outputs = ("size: int64",)
    behind = Table
    effect = Effect.READ
    gradient = not_differentiable

    def shapes(self, table: TensorType) -> Shapes:
        return ((),)

    def kernel(self, table: Table) -> Any:
        return np.int64(len(table))


class LookupTableExportV2(Op):
    """All keys and their values."""

    type_name = "LookupTableExportV2"
    inputs = ("table_handle: resource",)
    outputs = ("keys: Tkeys", "values: Tvalues")
    dtypes = {"Tkeys": CONTENT, "Tvalues": CONTENT}
    behind = Table
    effect = Effect.READ
    gradient = not_differentiable
    private = frozenset({"shape"})

    Tkeys: DType
    Tvalues: DType
    shape: Dims | None = None

    def shapes(self, table: TensorType) -> Shapes:
        return (None,), None if self.shape is None else (None, *self.shape)

    def kernel(self, table: Table) -> Any:
        if not table.is_filled:
            raise AbortedError(None, None, "HashTable is not initialized.")
        return table.export()


INSERT, REMOVE, SIZE = LookupTableInsertV2(), LookupTableRemoveV2(), LookupTableSizeV2()
