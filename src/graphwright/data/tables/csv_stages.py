"""The records of CSV files, in columns."""

from __future__ import annotations

from bisect import bisect
from itertools import pairwise
from typing import Any

import numpy as np

from graphwright.base.errors import InvalidArgumentError
from graphwright.data.blocks import ElementBlock
from graphwright.data.stages.file_stages import FileFormat
from graphwright.library.io.pieces import SIZE, Pieces
from graphwright.ops.io.file_system import opened
from graphwright.ops.strings.csv_records import KINDS, CsvTable, TableForm, odd_record, table
from graphwright.types import dtypes as dt
from graphwright.types.arrays import Array


class CsvPieces(Pieces):
    """The records of a CSV file; a bad one is an error that names its line, and others follow."""

    def __init__(
        self, path: str, compression: str, size: int, form: TableForm, has_header: bool
    ) -> None:
        super().__init__(path, compression, size)
        self.form, self.has_header = form, has_header
        #: The records that were read last, their text, and which comes next.
        self.table = CsvTable((), {}, np.zeros(1, np.int64))
        self.faulty: list[int] = []
        self.text, self.row = b"", 0
        self.begin = 0
        #: How many lines are before the text, where that is known.
        self.lines: int | None = 0
        self.is_last = False

    def split(self) -> list[bytes]:
        raise NotImplementedError("records of CSV come in columns")

    def go_to(self, offset: int) -> None:
        super().go_to(offset)
        self.begin, self.lines = offset, None if offset else 0

    def rows(self) -> ElementBlock | None:
        """The next records up to a bad one; None at the end."""
        if self.is_over or (self.row == self.count() and not self.load()):
            self.is_over = True
            self.close()
            return None
        row, faults = self.row, self.table.faults
        if row in faults:
            line = self.line(int(self.table.places[row]))
            self.advance(row + 1)
            raise InvalidArgumentError(None, None, f"{self.path}: line {line}: {faults[row]}")
        following = bisect(self.faulty, row)
        self.advance(self.faulty[following] if following < len(self.faulty) else self.count())
        columns = tuple([column[row : self.row] for column in self.table.columns])
        return ElementBlock(self.row - row, columns)

    def count(self) -> int:
        """How many records were read last."""
        return len(self.table.places) - 1

    def advance(self, row: int) -> None:
        """Goes to a record that was read."""
        self.row = row
        self.offset = self.begin + int(self.table.places[row])

    def load(self) -> bool:
        """Reads more records; False where there are none."""
        if self.lines is not None:
            self.lines += line_ends(self.text[: self.offset - self.begin])
        self.begin, self.text, self.row = self.offset, self.rest, 0
        self.table = CsvTable((), {}, np.zeros(1, np.int64))
        while True:
            if not self.is_last:
                least = len(self.text) + 1
                self.is_over = True  # where the file is damaged
                piece = self.read(least, len(self.text))
                self.is_over = False
                self.is_last = len(piece) < least
                self.text += piece
            self.rest = self.text
            if self.has_header and not self.offset:
                self.skip_header()
            elif self.text:
                self.table = table(self.text, self.form, self.is_last)
            end = int(self.table.places[-1])
            self.rest = self.text[end:]
            if end or self.is_last:
                self.faulty = sorted(self.table.faults)
                return end > 0

    def skip_header(self) -> None:
        """Leaves out the first record, if all of it was read."""
        if not self.text and self.is_last:
            self.is_over = True
            raise self.refusal(1, "the header of the file cannot be read, as it is empty")
        header = odd_record(self.text, 0, self.form, self.is_last) if self.text else None
        if header is None:
            return
        self.lines = line_ends(self.text[: header.stop])
        self.offset = self.begin = header.stop
        self.text = self.rest = self.text[header.stop :]
        if header.fault:
            raise self.refusal(1, header.fault)
        if self.text:
            self.table = table(self.text, self.form, self.is_last)

    def refusal(self, line: int, what: str) -> InvalidArgumentError:
        """The error for a line."""
        return InvalidArgumentError(None, None, f"{self.path}: line {line}: {what}")

    def line(self, place: int) -> int:
        """The number of the line at a place in the text."""
        if self.lines is None:
            source = type(self.source)(opened(self.path, "rb"))
            self.lines, remaining = 0, self.begin
            while remaining > 0 and (piece := source.read(min(remaining, SIZE))):
                self.lines += line_ends(piece)
                remaining -= len(piece)
            source.close()
        return self.lines + line_ends(self.text[:place]) + 1


def line_ends(text: bytes) -> int:
    """How many lines end in a text."""
    if b"\r" not in text:
        return text.count(b"\n")
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


class CsvFormat(FileFormat):
    """Records of comma-separated values."""

    type_name = "CsvDatasetV2"

    def __init__(
        self, compression: Any, buffer_size: Any, has_header: Any, delimiter: Any, quotes: Any,
        na_value: Any, chosen: Any, excluded: Any, *defaults: Any,
    ) -> None:  # fmt: skip
        super().__init__(compression, buffer_size)
        if self.compression not in ("", "GZIP", "ZLIB"):
            raise refused(f"Unsupported compression_type: {self.compression}.")
        if self.buffer_size <= 0:
            raise refused("buffer_size should be positive")
        if len(bytes(delimiter[()])) != 1:
            raise refused("field_delim should be only 1 char")
        dtypes = tuple([dt.of_numpy(default.dtype) for default in defaults])
        columns = increasing("select_cols", chosen)
        others = increasing("exclude_cols", excluded)
        if columns and others:
            raise refused("Either select_cols or exclude_cols should be empty")
        if columns and len(columns) != len(dtypes):
            raise refused("select_cols should match output size")
        self.form = TableForm(
            dtypes,
            tuple([default_in(default, n) for n, default in enumerate(defaults)]),
            bytes(delimiter[()]),
            bool(quotes),
            bytes(na_value[()]),
            columns,
            others,
        )
        self.has_header = bool(has_header)

    def opened(self, path: str) -> Pieces:
        form, size = self.form, self.buffer_size
        return CsvPieces(path, self.compression, size, form, self.has_header)

    def next_block(self, pieces: Any) -> ElementBlock | None:
        rows: ElementBlock | None = pieces.rows()
        return rows


def refused(message: str) -> InvalidArgumentError:
    """The error for arguments."""
    return InvalidArgumentError(None, None, message)


def increasing(name: str, numbers: Array) -> tuple[int, ...]:
    """Numbers of columns; InvalidArgumentError unless they increase."""
    columns = tuple(numbers.tolist())
    if any(b <= a for a, b in pairwise(columns)):
        raise refused(f"{name} should be strictly increasing indices")
    if columns and columns[0] < 0:
        raise refused(f"{name} should be non-negative indices")
    return columns


def default_in(default: Array, number: int) -> object:
    """The value of an empty field; None where there is none."""
    if dt.of_numpy(default.dtype) not in KINDS:
        raise refused(f"a column cannot be of {dt.of_numpy(default.dtype).name}")
    if default.ndim > 1:
        raise refused("Each record default should be at most rank 1")
    if default.size > 1:
        raise refused(
            f"There should only be 1 default per field but field {number} has {default.size}"
        )
    return default.reshape(-1)[0] if default.size else None
