"""The keys and the values of a table as two variables, which checkpoints save."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage
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
    """The storage of a column as a variable."""

    __slots__ = ("columns", "part")

    def __init__(self, columns: Columns, part: int) -> None:
        cell = columns.cell
        dtype = (cell.key_dtype, cell.value_dtype)[part]
        shape = ((), cell.value_shape)[part]
        self.columns, self.part = columns, part
        super().__init__(None, dtype, (None, *shape), _NAMES[part])

    def read(self) -> Any:
        """The column as an array."""
        return self.columns.read(self.part)

    def write(self, array: Array) -> None:
        """Restores the column."""
        self.columns.write(self.part, np.asarray(array))


class Column(Variable):
    """A column of a table, as a variable that checkpoints save."""

    def __init__(self, columns: Columns, part: int) -> None:
        self._name = _NAMES[part]
        self._trainable = False
        self._storage = ColumnStorage(columns, part)
