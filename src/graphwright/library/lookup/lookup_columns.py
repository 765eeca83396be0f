"""The keys and the values of a table as two variables, which checkpoints save."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.values.variable import Variable

_NAMES = "table-keys", "table-values"


class Columns:
    """Both columns of a table, which changes when both are restored."""

    def __init__(self, cell: Table) -> None:
        self.cell = cell
        self.by_name = {name: Column(self, part) for part, name in enumerate(_NAMES)}
        self._restored: dict[int, Array] = {}

    def read(self, part: int) -> Any:
        """The keys (0) or the values (1)."""
        return self.cell.export()[part]

    def write(self, part: int, array: Array) -> None:
        """Restores the table, once both columns are there."""
        self._restored[part] = array
        if len(self._restored) == len(_NAMES):
            keys, values = self._restored[0], self._restored[1]
            self._restored = {}
            self.cell.replace(keys, values)


class ColumnStorage(Storage):
    """The storage of a column as a variable; strings are bytes, behind their lengths."""

    __slots__ = ("columns", "part", "words")

    def __init__(self, columns: Columns, part: int) -> None:
        cell = columns.cell
        dtype = (cell.key_dtype, cell.value_dtype)[part]
        shape = ((), cell.value_shape)[part]
        self.words = dtype is dt.string
        self.columns, self.part = columns, part
        stored = dt.uint8 if self.words else dtype
        super().__init__(None, stored, (None,) if self.words else (None, *shape), _NAMES[part])

    def read(self) -> Any:
        """The column as an array."""
        array = self.columns.read(self.part)
        return packed(array) if self.words else array

    def write(self, array: Array) -> None:
        """Restores the column."""
        shape = ((), self.columns.cell.value_shape)[self.part]
        column = unpacked(array).reshape(-1, *shape) if self.words else np.asarray(array)
        self.columns.write(self.part, column)


class Column(Variable):
    """A column of a table, as a variable that checkpoints save."""

    def __init__(self, columns: Columns, part: int) -> None:
        self._name = _NAMES[part]
        self._trainable = False
        self._storage = ColumnStorage(columns, part)


def packed(words: Array) -> Array:
    """Byte strings as one array of bytes: their number, their lengths, then all of them."""
    texts = words.reshape(-1).tolist()
    head = np.array([len(texts), *map(len, texts)], "<i8").tobytes()
    return np.frombuffer(head + b"".join(texts), np.uint8)


def unpacked(data: Array) -> Array:
    """The byte strings in an array that `packed` made."""
    raw = data.tobytes()
    count = int(np.frombuffer(raw, "<i8", 1)[0])
    lengths = np.frombuffer(raw, "<i8", count, 8)
    ends = 8 * (count + 1) + np.cumsum(lengths)
    words = np.empty(count, object)
    words[:] = [raw[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist())]
    return words
