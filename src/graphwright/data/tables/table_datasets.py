"""Datasets of rows: `tf.data.experimental.CsvDataset` and `SqlDataset`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue, int64, make
from graphwright.data.element_type import ElementType
from graphwright.data.file_datasets import STRING
from graphwright.data.stage import DatasetStage
from graphwright.data.stages.file_stages import FilesStage
from graphwright.data.stages.source_stages import SlicesStage
from graphwright.data.tables.csv_stages import CsvFormat
from graphwright.library.io.pieces import SIZE
from graphwright.op.late_imports import late_module
from graphwright.ops.core.movement import reshape
from graphwright.ops.strings.csv_records import KINDS
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType, as_dtype
from graphwright.types.specs import TensorSpec
from graphwright.values.convert import convert
from graphwright.values.tensor import Tensor


class RowDataset(Dataset):
    """A dataset of rows of a table."""

    def _become(self, made: DatasetValue) -> None:
        """Becomes a dataset that was made."""
        self._variant, self._type, self._name = made._variant, made._type, made._name

    def __repr__(self) -> str:
        return f"<{self._name} element_spec={self.element_spec!r}>"


def default_tensors(record_defaults: Sequence[Any]) -> list[Tensor]:
    """The defaults of columns as tensors; a dtype stands for none."""
    defaults: list[Any] = []
    for default in record_defaults:
        is_dtype = isinstance(default, (DType, type)) and as_dtype(default) in KINDS
        defaults.append(convert([], as_dtype(default)) if is_dtype else convert(default))
    if not defaults:
        raise InvalidArgumentError(None, None, "there must be at least one column")
    return defaults


def csv_dataset(
    names: DatasetValue, defaults: Sequence[Tensor], parallel: int | None, options: Sequence[Any]
) -> Any:
    """The records of CSV files; from several files in turn where `parallel` says so."""
    compression, size, header, delimiter, quotes, na_value, chosen, excluded = options
    numbers = [
        convert("" if compression is None else compression, dt.string),
        int64(SIZE if size is None else size),
        convert(header, dt.bool_),
        convert(delimiter, dt.string),
        convert(quotes, dt.bool_),
        convert(na_value, dt.string),
        *[convert([] if n is None else n, dt.int64) for n in (chosen, excluded)],
        *defaults,
    ]
    element = ElementType(tuple([TensorSpec([], default.dtype) for default in defaults]))
    kind: type[DatasetStage] | str = FilesStage
    if parallel is not None:
        kind = "files_in_turn_stages:FilesInTurnStage"
        numbers.insert(0, int64(parallel))
    return make(kind, element, [names], numbers, name=CsvFormat.type_name, form=CsvFormat)


class CsvDataset(RowDataset):
    """The records of CSV files, one file after another: tuples of scalars, one for each column.

    Files are as RFC 4180 has them. Numbers may have spaces around. A bad record is an error that
    names the file and the line; the next element is the record behind it.

    Args:
        filenames: A string tensor: a name or a vector of names.
        record_defaults: A list with an entry for each column. It is a dtype where each record must
            have a value: float32, float64, int32, int64 or string. Otherwise it is a tensor of
            such a dtype: the value of empty fields, or an empty tensor for none.
        compression_type: A scalar of string: "", "GZIP" or "ZLIB".
        buffer_size: An int64 scalar: the most bytes that are read at once.
        header: A bool scalar: whether the first record of each file is left out.
        field_delim: A scalar of string: the one character between fields.
        use_quote_delim: A bool scalar: whether fields may stand in double quotes.
        na_value: A scalar of string: a text that counts as an empty field.
        select_cols: An int64 vector: the fields that are columns, in order; None for all.
        exclude_cols: An int64 vector: the fields that are no columns, in order.

    Raises:
        InvalidArgumentError: An argument is refused. While elements are taken: a record is bad.
        NotFoundError: While elements are taken: there is no such file.
        DataLossError: While elements are taken: a compressed file is damaged.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    >>> tf.io.write_file(path, "1,one\\n2,\\n")
    >>> dataset = tf.data.experimental.CsvDataset(path, [tf.int32, "none"])
    >>> [(int(number), word.numpy()) for number, word in dataset]
    [(1, b'one'), (2, b'none')]
    """

    def __init__(
        self,
        filenames: TensorLike,
        record_defaults: Sequence[TensorLike | DTypeLike],
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        header: TensorLike = False,
        field_delim: TensorLike = ",",
        use_quote_delim: TensorLike = True,
        na_value: TensorLike = "",
        select_cols: TensorLike | None = None,
        exclude_cols: TensorLike | None = None,
    ) -> None:
        if isinstance(filenames, DatasetValue):
            raise ValueError(f"filenames must be a tensor of strings, not {filenames!r}")
        paths: Any = convert([] if filenames is None else filenames, dt.string)
        if paths.type.rank not in (0, 1, None):
            raise InvalidArgumentError(None, None, "`filenames` must be a scalar or a vector.")
        names = make(SlicesStage, STRING, [], [reshape(paths, [-1])])
        options = (
            compression_type, buffer_size, header, field_delim, use_quote_delim, na_value,
            select_cols, exclude_cols,
        )  # fmt: skip
        self._become(csv_dataset(names, default_tensors(record_defaults), None, options))


class SqlDataset(RowDataset):
    """The rows that a database gives for a query: tuples of scalars.

    Values of other types are converted as SQLite's CAST does; NULL becomes 0 or "".

    Args:
        driver_name: A scalar of string: "sqlite".
        data_source_name: A scalar of string: the path of the database.
        query: A scalar of string: what is asked, in SQL.
        output_types: A structure of dtypes, one for each column: string, float64, bool, an int of
            up to 64 bits, uint8 or uint16.

    Raises:
        InvalidArgumentError: There is no such driver, or a dtype is refused. While elements are
            taken: the result has another number of columns.
        UnknownError: While elements are taken: the database refuses the query.

    >>> import os, sqlite3, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "people.db")
    >>> base = sqlite3.connect(path)
    >>> with base:
    ...     _ = base.execute("CREATE TABLE people (name TEXT, age INTEGER)")
    ...     _ = base.execute("INSERT INTO people VALUES ('Ann', 31)")
    >>> base.close()
    >>> query = "SELECT name, age FROM people"
    >>> dataset = tf.data.experimental.SqlDataset("sqlite", path, query, (tf.string, tf.int32))
    >>> [(name.numpy(), int(age)) for name, age in dataset]
    [(b'Ann', 31)]
    """

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: object,
    ) -> None:
        texts = [convert(text, dt.string) for text in (driver_name, data_source_name, query)]
        if isinstance(output_types, list):
            raise TypeError(f"output_types must be a tuple of dtypes, not a list: {output_types!r}")
        specs = tree.map_structure(lambda dtype: TensorSpec([], as_dtype(dtype)), output_types)
        stages: Any = late_module("graphwright.data.tables.sql_stages")
        self._become(make(stages.SqlStage, ElementType(specs), [], texts))
