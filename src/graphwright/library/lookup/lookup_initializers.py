"""The first keys and values of tables: tensors, or the lines of a text file."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any, Protocol, cast

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.base.files import PathLike
from graphwright.function.variable_creation import lifted
from graphwright.op.interpreter import convert
from graphwright.ops.io.file_system import opened
from graphwright.ops.state.tables import Table
from graphwright.ops.strings import string_kernels
from graphwright.trace.scopes import init_scope
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import current_tracer
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, TensorLike, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType, as_dtype
from graphwright.values.tensor import EagerTensor, wrap

_DEPENDENT = (
    "What a table is made with depends on an argument of a function that is traced, which has no "
    "value yet. Create a `tf.lookup.experimental.MutableHashTable` outside of the function, and "
    "call its `insert(keys, values)` inside."
)


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


def outside(value: TensorLike, dtype: DType | None) -> EagerTensor:
    """A value as a tensor outside of all functions. What functions compute it from is run once.

    Raises:
        ValueError: It depends on an argument of a function that is traced.
    """
    is_traced = current_tracer() is not None
    if is_traced and any(isinstance(leaf, SymbolicTensor) for leaf in tree.flatten(value)):
        traced: Any = convert(value, dtype)
        tensor: EagerTensor = wrap(*lifted([traced._value], traced._graph, refusal=_DEPENDENT))
    else:
        with init_scope():
            tensor = cast(EagerTensor, convert(value, dtype))
    return tensor


class KeyValueTensorInitializer:
    """Fills a table with tensors of keys and of values.

    Args:
        keys: A tensor.
        values: A tensor of the shape of `keys`.
        key_dtype: The dtype of the keys; None takes that of `keys`.
        value_dtype: The dtype of the values; None takes that of `values`.
        name: A name, which has no effect.

    >>> import graphwright as tf
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
        self._keys = outside(keys, None if key_dtype is None else as_dtype(key_dtype))
        self._values = outside(values, None if value_dtype is None else as_dtype(value_dtype))

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

        Args:
            table: A new table of these dtypes.

        Raises:
            FailedPreconditionError: A key comes again with another value.
        """
        fill(table, self._keys._array, self._values._array)


class TextFileIndex:
    """The choices of `TextFileInitializer` besides a column: a line, or its number.

    >>> import graphwright as tf
    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    r"""Fills a table with the lines of a text file.

    Args:
        filename: The path of the file, as text, a path object or a scalar of string.
        key_dtype: The dtype of the keys.
        key_index: The column of the keys, counted from 0, or a member of `tf.lookup.TextFileIndex`.
        value_dtype: The dtype of the values.
        value_index: The column of the values, likewise.
        vocab_size: An int: how many lines are read. None means all.
        delimiter: The character between columns.
        name: A name, which has no effect.
        value_index_offset: An int that is added to line numbers.

    Raises:
        ValueError: There is no file name, an index or `vocab_size` is out of range, or a dtype does
            not go with its index.
        InvalidArgumentError: The delimiter is not one byte.

    >>> import graphwright as tf
    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> with open(path, "w") as file:
    ...     _ = file.write("emerson\nlake\npalmer\n")
    >>> index = tf.lookup.TextFileIndex
    >>> init = tf.lookup.TextFileInitializer(
    ...     path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    ... )
    >>> tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["lake", "moon"])).numpy()
    array([ 1, -1])
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
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        self.key_dtype = as_dtype(key_dtype)
        self.value_dtype = as_dtype(value_dtype)
        check_column("key", key_index, self.key_dtype)
        check_column("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}.")
        if len(delimiter.encode()) != 1:
            raise InvalidArgumentError(
                None, None, f"delimiter should be only 1 char, is {delimiter!r}"
            )
        path = os.fspath(filename) if isinstance(filename, os.PathLike) else filename
        self._path = outside(path, dt.string).numpy().decode()
        self._columns = key_index, value_index
        self._count = vocab_size
        self._delimiter = delimiter.encode()
        self._offset = value_index_offset

    def initialize(self, table: NewTable) -> None:
        """Fills a table.

        Args:
            table: A new table of these dtypes.

        Raises:
            NotFoundError: There is no such file.
            InvalidArgumentError: The file has an empty line, too few lines or columns, or another
                dtype.
        """
        with opened(self._path, "rb") as file:
            lines = [line.rstrip(b"\r\n") for line in itertools.islice(file, self._count)]
        if b"" in lines:
            raise InvalidArgumentError(
                None,
                None,
                f"Invalid content in {self._path}: empty line found: line {lines.index(b'') + 1}",
            )
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
        texts = np.array([*plain, None], object)[:-1]
        if dtype is dt.string:
            return texts
        if dtype.numpy_dtype.kind not in "iuf":
            raise InvalidArgumentError(
                None, None, f"{self._path}: data type {dtype.name} not supported for column {index}"
            )
        try:
            return string_kernels.to_number(texts, dtype.numpy_dtype)
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
