"""The first keys and values of tables: tensors, or the lines of a text file."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.files import PathLike
from graphwright.library.io.gfile import opened
from graphwright.op.interpreter import convert, host_array
from graphwright.ops.state.tables import Table
from graphwright.trace.scopes import init_scope
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.values.tensor import EagerTensor


class NewTable(Protocol):
    """A table that is to be filled."""

    @property
    def resource_handle(self) -> EagerTensor: ...


class TableInitializer(Protocol):
    """Fills a new table."""

    @property
    def key_dtype(self) -> DType: ...

    @property
    def value_dtype(self) -> DType: ...

    def initialize(self, table: NewTable) -> None:
        """Fills a table."""


def fill(table: NewTable, keys: Array, values: Array) -> None:
    """Inserts keys and values in a new table."""
    cell: Table = table.resource_handle._array
    cell.insert(keys, values, once=True)


class KeyValueTensorInitializer:
    """Fills a table with tensors of keys and of values, of one shape.

    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        with init_scope():
            self._keys: Any = convert(keys, None if key_dtype is None else as_dtype(key_dtype))
            self._values: Any = convert(
                values, None if value_dtype is None else as_dtype(value_dtype)
            )

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        dtype: DType = self._keys.dtype
        return dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        dtype: DType = self._values.dtype
        return dtype

    def initialize(self, table: NewTable) -> None:
        """Fills a table.

        FailedPreconditionError if a key has two values.
        """
        fill(table, self._keys._array, self._values._array)


class TextFileIndex:
    """What `TextFileInitializer` may read besides a column: a line, or its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    """Fills a table with the lines of a text file: keys and values are columns, counted from 0.

    `tf.lookup.TextFileIndex` stands for the whole line or its number. `vocab_size` limits the
    number of lines; `value_index_offset` is added to line numbers.
    """

    def __init__(
        self,
        filename: PathLike | TensorValue,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not filename and not hasattr(filename, "dtype"):
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        self.key_dtype = as_dtype(key_dtype)
        self.value_dtype = as_dtype(value_dtype)
        check_column("key", key_index, self.key_dtype)
        check_column("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}.")
        with init_scope():
            path = os.fspath(filename) if isinstance(filename, os.PathLike) else filename
            self._path = host_array(path, dt.string).decode()
        self._columns = key_index, value_index
        self._count = vocab_size
        self._delimiter = delimiter.encode()
        self._offset = value_index_offset

    def initialize(self, table: NewTable) -> None:
        """Fills a table; NotFoundError or InvalidArgumentError says what is wrong with the file."""
        with opened(self._path, "rb") as file:
            lines = [line.rstrip(b"\r\n") for line in itertools.islice(file, self._count)]
        if self._count is not None and len(lines) < self._count:
            raise InvalidArgumentError(
                None,
                None,
                f"Invalid vocab_size in {self._path}: expected {self._count} but got {len(lines)}",
            )
        keys = self._column(lines, self._columns[0], self.key_dtype)
        fill(table, keys, self._column(lines, self._columns[1], self.value_dtype))

    def _column(self, lines: list[bytes], index: int, dtype: DType) -> Any:
        """A column of all lines, as an array."""
        if index == TextFileIndex.LINE_NUMBER:
            return self._offset + np.arange(len(lines), dtype=np.int64)
        plain = list(lines if index == TextFileIndex.WHOLE_LINE else self._cells(lines, index))
        if dtype is dt.string:
            return np.array([*plain, None], object)[:-1]
        try:
            return np.array(plain, bytes).astype(dtype.numpy_dtype)
        except ValueError as error:
            raise InvalidArgumentError(
                None, None, f"{self._path}: column {index} is not all of {dtype.name}: {error}"
            ) from None

    def _cells(self, lines: list[bytes], index: int) -> Iterator[bytes]:
        for number, line in enumerate(lines):
            cells = line.split(self._delimiter)
            if index >= len(cells):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Invalid number of columns in {self._path} line {number} "
                    f"({line.decode(errors='replace')}) : expected at least {index + 1} got "
                    f"{len(cells)}",
                )
            yield cells[index]


def check_column(what: str, index: int, dtype: DType) -> None:
    """Raises ValueError for an index of no column, or one that the dtype does not fit."""
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not dt.int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 if `{what}_index` is -1, received: {dtype!r}"
        )
    if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype is dt.string):
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` -2, received: "
            f"{dtype!r}"
        )
