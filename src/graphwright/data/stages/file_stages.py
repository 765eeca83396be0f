"""The records of files: lines, TFRecords, records of one length."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import DataLossError
from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, State
from graphwright.data.stages.interleave_stages import InterleaveCursor, InterleaveStage
from graphwright.data.stages.map_stages import FlatMapStage
from graphwright.library.io.pieces import FixedPieces, LinePieces, Pieces, RecordPieces
from graphwright.types.arrays import Array


def string_column(texts: list[bytes]) -> Array:
    """Strings as a column of scalars."""
    column = np.empty(len(texts), object)
    column[:] = texts
    return column


class FileFormat:
    """The format of files: the kind of records, and the compression."""

    #: The kind of dataset, as TensorFlow names it.
    type_name = ""

    def __init__(self, compression: Array, buffer_size: Array, *numbers: Array) -> None:
        self.compression = bytes(compression[()]).decode()
        self.buffer_size = int(buffer_size)
        self.numbers = [int(number) for number in numbers]

    def opened(self, path: str) -> Pieces:
        """The records of a file."""
        raise NotImplementedError


class LineFormat(FileFormat):
    """Lines of text."""

    type_name = "TextLineDatasetV2"

    def opened(self, path: str) -> Pieces:
        return LinePieces(path, self.compression, self.buffer_size)


class RecordFormat(FileFormat):
    """Records with checksums."""

    type_name = "TFRecordDatasetV2"

    def opened(self, path: str) -> Pieces:
        if self.compression not in ("", "GZIP", "ZLIB"):
            raise DataLossError(None, None, f"Unsupported compression_type:{self.compression}.")
        return RecordPieces(path, self.compression, self.buffer_size)


class FixedFormat(FileFormat):
    """Records of one length."""

    type_name = "FixedLengthRecordDatasetV2"

    def opened(self, path: str) -> Pieces:
        length, header, footer = self.numbers
        return FixedPieces(path, self.compression, self.buffer_size, length, header, footer)


class FileStage(DatasetStage):
    """The records of one file."""

    def __init__(self, element: ElementType, path: str, form: FileFormat) -> None:
        super().__init__(element)
        self.path, self.form = path, form
        self.type_name = form.type_name

    def cardinality(self) -> int:
        return UNKNOWN

    def start(self) -> Cursor:
        return FileCursor(self)


class FileCursor(Cursor):
    """A position in a file, which is opened when the first record is taken."""

    def __init__(self, stage: FileStage) -> None:
        self.stage = stage
        self.pieces: Pieces | None = None
        self.is_over = False
        #: The last records read, their offset in the file, and the number of the next one.
        self.records: list[bytes] = []
        self.offset = self.place = 0

    def pull(self, limit: int) -> ElementBlock | None:
        if not self.ready() and not self.refill():
            return None
        records = self.take(min(limit, self.ready()))
        return ElementBlock(len(records), (string_column(records),))

    def refill(self) -> bool:
        """Reads the next records; False at the end, and after an error."""
        if self.is_over:
            return False
        self.is_over = True
        pieces = self.opened()
        self.offset = pieces.offset
        self.records, self.place = [], 0
        self.records = pieces.next()
        self.is_over = not self.records
        return not self.is_over

    def opened(self) -> Pieces:
        """The file, open."""
        if self.pieces is None:
            self.pieces = self.stage.form.opened(self.stage.path)
            weakref.finalize(self, self.pieces.close)
        return self.pieces

    def ready(self) -> int:
        """The number of records that can be taken without reading."""
        return len(self.records) - self.place

    def take(self, count: int) -> list[bytes]:
        """The next `count` records that are ready."""
        start = self.place
        self.place += count
        return self.records[start : self.place]

    def save(self) -> State:
        return [self.offset, self.place, self.is_over]

    def restore(self, state: State) -> None:
        self.close()
        self.pieces = None
        self.records, self.place = [], 0
        self.offset, left_out, self.is_over = state
        if self.is_over or not (self.offset or left_out):
            return
        self.opened().go_to(self.offset)
        while left_out > len(self.records):
            left_out -= len(self.records)
            if not self.refill():
                return
        self.place = left_out

    def close(self) -> None:
        if self.pieces is not None:
            self.pieces.close()


class FileOpener:
    """A function of the name of a file, which returns the stage of its records."""

    has_effects = False

    def __init__(self, element: ElementType, form: FileFormat) -> None:
        self.element, self.form = element, form

    def __call__(self, arrays: Sequence[Any]) -> Row:
        (name,) = arrays
        return [FileStage(self.element, os.fsdecode(name[()]), self.form)]


class FilesStage(FlatMapStage):
    """The records of files, one file after another."""

    def __init__(
        self, element: ElementType, names: DatasetStage, *numbers: Any, form: type[FileFormat]
    ) -> None:
        super().__init__(element, names, FileOpener(element, form(*numbers)))
        self.type_name = form.type_name


class FilesInTurnStage(InterleaveStage):
    """The records of files: several are open, and give one record each in turn."""

    def __init__(
        self,
        element: ElementType,
        names: DatasetStage,
        cycle: Array,
        *numbers: Any,
        form: type[FileFormat],
    ) -> None:
        one = np.array(1)
        opener = FileOpener(element, form(*numbers))
        super().__init__(element, names, cycle, one, opener)
        self.type_name = form.type_name

    def start(self) -> Cursor:
        return FilesInTurnCursor(self)


class FilesInTurnCursor(InterleaveCursor):
    """The open files, and the turn."""

    def pull(self, limit: int) -> ElementBlock | None:
        return self.rounds(limit) or super().pull(limit)

    def rounds(self, limit: int) -> ElementBlock | None:
        """Whole rounds of records that are ready; None if there is none."""
        files = [c for c in self.cursors if isinstance(c, FileCursor)]
        if not files or (len(files) < len(self.cursors) and not self.is_over):
            return None
        ready = [file.ready() for file in files]
        width = len(files)
        count = min([limit // max(1, width), *ready])
        if not count:
            return None
        before = sum([cursor is not None for cursor in self.cursors[: self.turn]])
        column = np.empty(count * width, object)
        for place, file in enumerate(files):
            column[(place - before) % width :: width] = file.take(count)
        return ElementBlock(len(column), (column,))
