"""Records of comma-separated values: `tf.io.decode_csv`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.op.batching import last_axes_of_first
from graphwright.op.interpreter import apply, convert
from graphwright.op.op import Op, Shapes, not_differentiable
from graphwright.ops.strings import csv_records
from graphwright.ops.strings.csv_records import KINDS, TableForm, table
from graphwright.ops.strings.text_operands import refused, string, texts
from graphwright.types import dtypes as dt
from graphwright.types.arguments import Tensor, TensorLike
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


class DecodeCSV(Op):
    """The columns of records, each of the dtype of its default."""

    type_name = "DecodeCSV"
    inputs = ("records: string", "record_defaults: OUT_TYPE...")
    outputs = ("output: OUT_TYPE...",)
    returns_tuple = True
    gradient = not_differentiable
    batched = last_axes_of_first
    least = {"record_defaults": 1}

    OUT_TYPE: tuple[DType, ...]
    field_delim: str = ","
    use_quote_delim: bool = True
    na_value: str = ""
    select_cols: tuple[int, ...] = ()

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        self._bind_dtypes(types)
        return self.OUT_TYPE

    def shapes(self, records: TensorType, *defaults: TensorType) -> Shapes:
        for default in defaults:
            if default.rank is not None and default.rank > 1:
                raise ValueError("Each record default should be at most rank 1")
        return (records.dims,) * len(self.OUT_TYPE)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        if len(self.field_delim) != 1:
            raise refused("field_delim should be only 1 char")
        if any(place < 0 for place in self.select_cols):
            raise refused("select_cols should be non-negative indices")
        for kind in self.OUT_TYPE:
            if kind not in KINDS:
                raise refused(f"a column cannot be of {kind.name}")
        return self.kernel

    def kernel(self, records: Array, *defaults: Array) -> tuple[Array, ...]:
        array = texts(records)
        for i, default in enumerate(defaults):
            if np.ndim(default) > 1:
                raise ValueError("Each record default should be at most rank 1")
            if np.size(default) > 1:
                raise ValueError(
                    f"There should only be 1 default per field but field {i} has {np.size(default)}"
                )
        columns = self.plain_columns(array.reshape(-1).tolist(), defaults)
        if columns is not None:
            return tuple([column.reshape(array.shape) for column in columns])
        rows = [self.row(record, i) for i, record in enumerate(array.flat)]
        return tuple(
            [
                self.column([row[i] for row in rows], i, default).reshape(array.shape)
                for i, default in enumerate(defaults)
            ]
        )

    def plain_columns(
        self, records: Sequence[bytes], defaults: Sequence[Array]
    ) -> Sequence[Array] | None:
        """The columns of records that are one line each, all of them right; None for others."""
        data = b"\n".join(records)
        if b"\r" in data or data.count(b"\n") != len(records) - 1:
            return None
        form = TableForm(
            self.OUT_TYPE,
            tuple([np.ravel(d)[0] if np.size(d) else None for d in defaults]),
            self.field_delim.encode(),
            self.use_quote_delim,
            self.na_value.encode(),
            self.select_cols,
        )
        if self.select_cols and b"" in records:
            return None  # no field, where a whole record has one
        parsed = table(data, form, is_last=True)
        is_right = len(parsed.places) - 1 == len(records) and not parsed.faults
        return parsed.columns if is_right else None

    def row(self, record: bytes, number: int) -> list[bytes]:
        """The fields of a record that are asked for."""
        values = fields(record, self.field_delim.encode(), self.use_quote_delim)
        expected = len(self.OUT_TYPE)
        if self.select_cols:
            values = [values[i] for i in self.select_cols if i < len(values)]
        if len(values) != expected:
            raise InvalidArgumentError(
                None, None, f"Expect {expected} fields but have {len(values)} in record {number}"
            )
        return values

    def column(self, values: list[bytes], place: int, default: Array) -> Array:
        """The values of a field in all records, with the default for those that are missing."""
        dtype = self.OUT_TYPE[place]
        result = np.empty(len(values), dtype.numpy_dtype)
        missing = [value in (b"", self.na_value.encode()) for value in values]
        if any(missing):
            if not np.size(default):
                raise InvalidArgumentError(
                    None, None,
                    f"Field {place} is required but missing in record {missing.index(True)}!",
                )  # fmt: skip
            result[missing] = np.ravel(default)[0]
        for i, value in enumerate(values):
            if not missing[i]:
                result[i] = value if dtype is dt.string else number_in(value, dtype, place, i)
        return result


def number_in(text: bytes, dtype: DType, place: int, record: int) -> Any:
    """The number that a field shows; InvalidArgumentError where it shows none."""
    try:
        return csv_records.number_in(text, dtype)
    except ValueError:
        raise InvalidArgumentError(
            None, None,
            f"Field {place} in record {record} is not a valid {dtype.name}: {text.decode()}",
        ) from None  # fmt: skip


def fields(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of a record as RFC 4180 has them; InvalidArgumentError where quotes are odd."""
    values = []
    place, end = 0, len(record)
    while place < end:
        if record[place : place + 1] in (b"\n", b"\r"):
            place += 1
            continue
        if quotes and record[place : place + 1] == b'"':
            value, place = quoted(record, place + 1, delimiter)
        else:
            stop = record.find(delimiter, place)
            stop = end if stop < 0 else stop
            value, place = record[place:stop], stop + 1
            if b"\n" in value or b"\r" in value or (quotes and b'"' in value):
                raise refused("Unquoted fields cannot have quotes/CRLFs inside")
        values.append(value)
    if record.endswith(delimiter):
        values.append(b"")
    return values


def quoted(record: bytes, place: int, delimiter: bytes) -> tuple[bytes, int]:
    """A field in quotes, in which two of them stand for one, and where the next one begins."""
    value = b""
    while True:
        stop = record.find(b'"', place)
        if stop < 0:
            raise refused("Quoted field has to end with quote followed by delim, CRLF, or EOF")
        value += record[place:stop]
        place = stop + 1
        following = record[place : place + 1]
        if following == b'"':
            value, place = value + b'"', place + 1
        elif following in (delimiter, b"", b"\n", b"\r"):
            return value, place + 1
        else:
            raise refused("Quote inside a string has to be escaped by another quote")


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Parses records of comma-separated values into one tensor for each field.

    Args:
        records: A tensor of strings, of any shape: one record each.
        record_defaults: A list with a scalar or a vector of at most one entry for each field. Its
            dtype is that of the field: float32, float64, int32, int64 or string. Its entry stands
            for values that are empty or `na_value`; a vector without an entry allows no such
            values.
        field_delim: The separator, one character.
        use_quote_delim: Whether values may stand in double quotes.
        na_value: A text that counts as an empty value.
        select_cols: The fields to parse, as increasing ints. None means all.
        name: A name for the op.

    Returns:
        A list of tensors of the shape of `records`, one for each field.

    Raises:
        ValueError: `select_cols` does not increase, or its length is not that of `record_defaults`.
        InvalidArgumentError: A record has another number of fields, or a value is missing or of
            another dtype.

    >>> import graphwright as tf
    >>> tf.io.decode_csv(["1,a", "2,"], [[0], ["none"]])[1].numpy().tolist()
    [b'a', b'none']
    """
    chosen = tuple(int(i) for i in select_cols or ())
    if any(b <= a for a, b in itertools.pairwise(chosen)):
        raise ValueError("select_cols is not strictly increasing.")
    if chosen and chosen[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if chosen and len(chosen) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    defaults = [convert(default) for default in record_defaults]
    kinds = tuple([d.dtype for d in defaults])
    op = DecodeCSV.of(kinds, field_delim, use_quote_delim, na_value, chosen)
    return list(apply(op, string(records), *defaults, name=name))
