"""The records of files: lines, TFRecords, records of one length."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import DataLossError
from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.element_type import ElementType
from graphwright.data.stage import UNKNOWN, Cursor, DatasetStage, State
from graphwright.data.stages.combine_stages import FlatMapStage
from graphwright.data.threads.calling_threads import CallingThreads
from graphwright.library.io.pieces import FixedPieces, LinePieces, Pieces, RecordPieces
from graphwright.types.arrays import Array

if TYPE_CHECKING:
    from concurrent.futures import Future


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

    def next_block(self, pieces: Any) -> ElementBlock | None:
        """The next records of a file; None at the end."""
        records = pieces.next()
        return ElementBlock(len(records), (string_column(records),)) if records else None


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


class FilePart(NamedTuple):
    """What was read of a file at once: records, or an error in their place."""

    block: ElementBlock | None
    error: Exception | None
    #: Where it begins in the file, and where the next part does.
    start: int
    stop: int
    is_over: bool


def next_part(form: FileFormat, pieces: Pieces) -> FilePart:
    """The next part of a file."""
    start = pieces.offset
    try:
        block = form.next_block(pieces)
    except Exception as error:  # noqa: BLE001 - whoever takes the elements gets it
        return FilePart(None, error, start, pieces.offset, pieces.is_over)
    return FilePart(block, None, start, pieces.offset, block is None)


NOTHING = ElementBlock(0, ())


class FileCursor(Cursor):
    """A position in a file, which is opened when the first record is taken."""

    def __init__(self, stage: FileStage) -> None:
        self.stage = stage
        self.pieces: Pieces | None = None
        self.is_over = False
        #: The last records read, their offset in the file, and the number of the next one.
        self.block = NOTHING
        self.offset = self.place = 0
        #: Threads that read the next part while this one is gone through, and that part. They begin
        #: behind the first part, which is short: so the first records do not wait for threads.
        self.has_begun = False
        self.workers: CallingThreads | None = None
        self.ahead: Future[FilePart] | None = None
        self.process = os.getpid()

    def pull(self, limit: int) -> ElementBlock | None:
        if not self.ready() and not self.refill():
            return None
        return self.take(min(limit, self.ready()))

    def refill(self) -> bool:
        """Reads the next records; False at the end, and after an error."""
        if self.process != os.getpid():  # the file's place and the threads are the parent's
            self.restore(self.save())
        if self.is_over:
            return False
        self.is_over = True  # where it cannot be opened
        pieces = self.opened()
        self.is_over = False
        part = next_part(self.stage.form, pieces) if self.ahead is None else self.ahead.result()
        self.ahead = None
        self.is_over = part.is_over
        if self.workers is not None and self.has_begun and not part.is_over:
            self.ahead = self.workers.submit(next_part, self.stage.form, pieces)
        self.has_begun = True
        self.offset, self.block, self.place = part.start, part.block or NOTHING, 0
        if part.error is not None:
            self.offset = part.stop
            raise part.error
        return not self.is_over

    def opened(self) -> Pieces:
        """The file, open."""
        if self.pieces is None:
            self.pieces = self.stage.form.opened(self.stage.path)
            weakref.finalize(self, self.pieces.close)
        return self.pieces

    def ready(self) -> int:
        """The number of records that can be taken without reading."""
        return self.block.count - self.place

    def take(self, count: int) -> ElementBlock:
        """The next `count` records that are ready."""
        start = self.place
        self.place += count
        return self.block.part(start, self.place)

    def save(self) -> State:
        return [self.offset, self.place, self.is_over]

    def restore(self, state: State) -> None:
        self.close()
        self.process = os.getpid()
        self.pieces = self.ahead = None
        self.block, self.place = NOTHING, 0
        self.offset, left_out, self.is_over = state
        if self.is_over or not (self.offset or left_out):
            return
        self.opened().go_to(self.offset)
        while left_out > self.block.count:
            left_out -= self.block.count
            if not self.refill():
                return
        self.place = left_out

    def close(self) -> None:
        pieces, ahead = self.pieces, self.ahead
        if pieces is None:
            return
        if ahead is None or ahead.cancel() or self.process != os.getpid():
            pieces.close()
        else:
            ahead.add_done_callback(lambda _: pieces.close())


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
