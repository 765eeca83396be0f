"""The rows that a database gives for a query."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError, UnknownError
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, State
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

#: What a column may be made of, in TensorFlow's order.
KINDS = (
    dt.string, dt.int8, dt.int16, dt.int32, dt.int64, dt.uint8, dt.uint16, dt.bool_, dt.float64,
)  # fmt: skip


class SqlStage(DatasetStage):
    """The rows of a query's result."""

    type_name = "SqlDatasetV2"

    def __init__(self, element: ElementType, driver: Array, source: Array, query: Array) -> None:
        super().__init__(element)
        name, path, text = [bytes(part[()]) for part in (driver, source, query)]
        if name != b"sqlite":
            raise InvalidArgumentError(
                None, None,
                f"The database type, {name.decode()}, is not supported by SqlDataset. The "
                "set of supported databases is: {'sqlite'}.",
            )  # fmt: skip
        self.dtypes = [type_.dtype for type_ in element.types]
        if any(dtype not in KINDS for dtype in self.dtypes):
            names = ", ".join([dtype.name for dtype in KINDS])
            raise InvalidArgumentError(
                None, None, f"Each element of `output_types_` must be one of: {names}"
            )
        self.source, self.query = os.fsdecode(path), text.decode()

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return SqlCursor(self)


class SqlCursor(Cursor):
    """A place in the rows of a query, which is asked when the first row is."""

    def __init__(self, stage: SqlStage) -> None:
        self.stage = stage
        self.rows: sqlite3.Cursor | None = None
        self.base: sqlite3.Connection | None = None
        self.count = self.process = 0
        self.is_over = False

    def pull(self, limit: int) -> ElementBlock | None:
        if self.is_over:
            return None
        self.is_over = True  # behind an error
        records = self.attempt(lambda: self.asked().fetchmany(limit))
        if not records:
            return None
        columns = zip(*records)
        parts = [self.column(dtype, values) for dtype, values in zip(self.stage.dtypes, columns)]
        self.is_over = False
        self.count += len(records)
        return ElementBlock(len(records), tuple(parts))

    def attempt(self, call: Callable[[], Any]) -> Any:
        """What a call gives; UnknownError for what the database refuses."""
        try:
            return call()
        except (sqlite3.Error, sqlite3.Warning) as error:
            message = f"{self.stage.source}: {error}: {self.stage.query}"
            raise UnknownError(None, None, message) from error

    def asked(self) -> sqlite3.Cursor:
        """The rows of the query from the present place on; in a fork's child of a new query."""
        if self.rows is not None and self.process == os.getpid():
            return self.rows
        self.process = os.getpid()
        # Threads take turns with it, as each cursor has one reader at a time.
        try:
            base = sqlite3.connect(self.stage.source, check_same_thread=False)
        except sqlite3.Error as error:
            message = f"{self.stage.source} cannot be opened: {error}"
            raise InvalidArgumentError(None, None, message) from error
        base.text_factory = bytes
        weakref.finalize(self, base.close)
        self.base, self.rows = base, base.execute(self.stage.query)
        width = len(self.rows.description or ())
        if width != len(self.stage.dtypes):
            raise InvalidArgumentError(
                None, None,
                f"The number of columns in query ({width}) must match the number of elements in "
                f"output_types_ ({len(self.stage.dtypes)}).",
            )  # fmt: skip
        if self.count:
            self.rows.fetchmany(self.count)
        return self.rows

    def column(self, dtype: DType, values: tuple[Any, ...]) -> Array:
        """The values of a column as SQLite converts them."""
        kind, name, empty = _CASTS.get(dtype, (int, "INTEGER", 0))
        plain = [v if type(v) is kind else self.cast(v, name, empty) for v in values]
        if kind is int:
            wide = np.array(plain, np.int64)
            return wide != 0 if dtype is dt.bool_ else wide.astype(dtype.numpy_dtype)
        column = np.empty(len(plain), dtype.numpy_dtype)
        column[:] = plain
        return column

    def cast(self, value: object, name: str, empty: object) -> Any:
        """A value as one of another type; `empty` for NULL."""
        if value is None:
            return empty
        assert self.base is not None
        ((result,),) = self.base.execute(f"SELECT CAST(? AS {name})", (value,))
        return result

    def save(self) -> State:
        return [self.count, self.is_over]

    def restore(self, state: State) -> None:
        self.close()
        self.rows = None
        self.count, self.is_over = state

    def close(self) -> None:
        if self.base is not None:
            self.base.close()


_CASTS: dict[DType, tuple[type, str, object]] = {
    dt.string: (bytes, "TEXT", b""),
    dt.float64: (float, "REAL", 0.0),
}
