"""`tf.data.experimental.make_csv_dataset`: batches of named columns of CSV files."""

from __future__ import annotations

import csv
import gzip
import io
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, TypeAlias

import numpy as np

from graphwright.base.files import TextPath
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import make
from graphwright.data.file_datasets import STRING
from graphwright.data.stages.source_stages import SlicesStage
from graphwright.data.tables.table_datasets import csv_dataset, default_tensors
from graphwright.data.tuning.pipeline_budget import AUTOTUNE
from graphwright.library.io.gfile import glob
from graphwright.ops.io.file_system import opened
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, TensorLike
from graphwright.types.dtypes import DType
from graphwright.values.convert import convert

#: The dtypes of columns whose texts are read, from the narrowest to the widest.
KINDS: tuple[DType, ...] = (dt.int32, dt.int64, dt.float32, dt.float64, dt.string)

Rows: TypeAlias = Callable[[str], Iterator[list[str]]]


def make_csv_dataset(
    file_pattern: TextPath | list[TextPath],
    batch_size: TensorLike,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[TensorLike | DTypeLike] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[int | str] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: TensorLike | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Returns batches of the records of CSV files, by the names of columns.

    Args:
        file_pattern: A pattern of files' names, or a list of patterns.
        batch_size: An int64 scalar: how many records are in a batch.
        column_names: The names of all columns; None for those in the first record of each file.
        column_defaults: What `tf.data.experimental.CsvDataset` takes as `record_defaults`, for each
            chosen column; None for the narrowest dtypes that the first records fit, and 0 or "".
        label_name: The column that stands beside the others, not among them.
        select_columns: The names or numbers of the chosen columns; None for all.
        field_delim: The character between fields.
        use_quote_delim: Whether fields may stand in double quotes.
        na_value: A text that counts as an empty field.
        header: Whether the first record of each file is left out.
        num_epochs: How often the records come; None for no end.
        shuffle: Whether files and records come in random order.
        shuffle_buffer_size: An int64 scalar: how many records wait to be drawn.
        shuffle_seed: An int, with which the order is that of TensorFlow.
        prefetch_buffer_size: An int64 scalar: how many batches are read ahead.
        num_parallel_reads: From how many files records come in turn; None for 1.
        sloppy: Accepted for TensorFlow's signature: the order is always fixed.
        num_rows_for_inference: How many records are read to choose dtypes; None for all.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: Whether bad records are left out.
        encoding: The encoding of names and of records that are read to choose dtypes.

    Returns:
        A dataset of ordered dicts from names to vectors, or of pairs of such a dict and the label.

    Raises:
        ValueError: No file matches, or an argument or a header is refused.
        InvalidArgumentError: While elements are taken: a record is bad.

    >>> import os, tempfile, graphwright as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    >>> tf.io.write_file(path, "n,word\\n1,one\\n2,two\\n")
    >>> dataset = tf.data.experimental.make_csv_dataset(
    ...     path, 2, label_name="word", num_epochs=1, shuffle=False)
    >>> for features, label in dataset:
    ...     print(features["n"].numpy(), label.numpy())
    [1 2] [b'one' b'two']
    """
    paths = file_names(file_pattern)
    names: Any = make(SlicesStage, STRING, [], [convert(paths, dt.string)])
    if shuffle:
        names = names.shuffle(len(paths), shuffle_seed)
    rows: Rows = lambda path: read_rows(  # noqa: E731 - it has no other name
        path, field_delim, use_quote_delim, compression_type, encoding
    )
    if column_names is None or column_defaults is None:
        check_compression(compression_type)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = names_in_headers(paths, rows)
    columns = list(column_names)
    twice = {name for name in columns if columns.count(name) > 1}
    if twice:
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    chosen = None if select_columns is None else numbers_of(select_columns, columns)
    if column_defaults is None:
        taken = range(len(columns)) if chosen is None else chosen
        records = records_of(paths, rows, len(columns), header)
        column_defaults = defaults_for(
            islice(records, num_rows_for_inference), list(taken), na_value
        )
    defaults = default_tensors(column_defaults)
    if chosen is not None:
        if len(defaults) != len(chosen):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: "
                f"`column_defaults` has length {len(defaults)}, `select_columns` has length "
                f"{len(chosen)}."
            )
        columns = [columns[number] for number in chosen]
    if label_name is not None and label_name not in columns:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}."
        )
    parallel = None if num_parallel_reads in (None, 1, AUTOTUNE) else num_parallel_reads
    options = (
        compression_type, None, header, field_delim, use_quote_delim, na_value, chosen, None,
    )  # fmt: skip
    dataset = csv_dataset(names, defaults, parallel, options)
    if ignore_errors:
        dataset = dataset.ignore_errors()
    dataset = mixed(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)

    def named(*values: Any) -> Any:
        features = OrderedDict(zip(columns, values))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    size = AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    result: Dataset = dataset.map(named).prefetch(size)
    return result


def mixed(
    dataset: Any, epochs: int | None, shuffle: bool, size: TensorLike, seed: TensorLike | None
) -> Any:
    """The elements in random order, and as often as they are to come."""
    if shuffle:
        dataset = dataset.shuffle(size, seed)
    return dataset if epochs == 1 else dataset.repeat(epochs)


def file_names(pattern: TextPath | list[TextPath]) -> list[str]:
    """The names of the files that match, in order; ValueError where there is none."""
    if isinstance(pattern, list) and not pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    names = sorted(glob(pattern))
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return names


def check_compression(compression: str | None) -> None:
    """ValueError where files of a compression cannot be read before the dataset is made."""
    if compression == "ZLIB":
        raise ValueError(f"`compression_type` {compression} is not supported for probing columns.")
    if compression not in (None, "", "GZIP"):
        raise ValueError(
            f"Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or  (empty "
            "string)."
        )


def read_rows(
    path: str, delimiter: str, quotes: bool, compression: str | None, encoding: str
) -> Iterator[list[str]]:
    """The records of a file as Python reads them."""
    quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    with opened(path, "rb") as file:
        plain: IO[bytes] = gzip.GzipFile(fileobj=file) if compression == "GZIP" else file  # type: ignore[assignment]  # typeshed's GzipFile is no IO
        with io.TextIOWrapper(plain, encoding, newline="") as text:
            yield from csv.reader(text, delimiter=delimiter, quoting=quoting)


def names_in_headers(paths: Sequence[str], rows: Rows) -> list[str]:
    """The names of columns, which all files have in their first record."""
    first: list[str] | None = None
    for path in paths:
        names = next(rows(path), None)
        if names is None:
            raise ValueError(f"Failed when reading the header line of {path}. Is it an empty file?")
        if first is not None and names != first:
            raise ValueError(
                "All input CSV files should have the same column names in the header row. File "
                f"{path} has different column names."
            )
        first = names
    return first or []


def numbers_of(chosen: Sequence[int | str], names: Sequence[str]) -> list[int]:
    """The numbers of chosen columns, in order."""
    numbers = []
    for column in chosen:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be >= 0 and < "
                    f"{len(names)}, which is the number of columns."
                )
            numbers.append(column)
        elif column in names:
            numbers.append(names.index(column))
        else:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: "
                f"{list(names)}."
            )
    twice = {number for number in numbers if numbers.count(number) > 1}
    if twice:
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(numbers)


def records_of(paths: Sequence[str], rows: Rows, width: int, header: bool) -> Iterator[list[str]]:
    """The records of files, without headers; ValueError where one has another width."""
    for path in paths:
        for number, row in enumerate(rows(path), 1):
            if header and number == 1:
                continue
            if len(row) != width:
                raise ValueError(
                    f"Problem inferring types: CSV row {number} has {len(row)} number of fields. "
                    f"Expected: {width}."
                )
            yield row


def defaults_for(
    rows: Iterator[list[str]], columns: Sequence[int], na_value: str
) -> list[TensorLike]:
    """For each column 0 or an empty text, of the narrowest dtype that all its texts fit."""
    widest = [-1] * len(columns)
    for row in rows:
        for place, column in enumerate(columns):
            text = row[column]
            if text not in ("", na_value):
                kinds = range(max(widest[place], 0), len(KINDS))
                widest[place] = next(kind for kind in kinds if fits(text, KINDS[kind]))
    kinds_of = [KINDS[kind] for kind in widest]  # -1 is the last one: a text
    return [convert(["" if kind is dt.string else 0], kind) for kind in kinds_of]


def fits(text: str, dtype: DType) -> bool:
    """Whether a text shows a value of a dtype, as Python reads it."""
    if dtype is dt.string:
        return True
    try:
        if dtype.is_integer:
            bits = 8 * dtype.size - 1
            return -(1 << bits) <= int(text) < 1 << bits
        with np.errstate(over="ignore"):
            return bool(np.array(float(text)).astype(dtype.numpy_dtype) < np.inf)
    except ValueError:
        return False
