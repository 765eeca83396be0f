"""Files as sequences of records: lines, TFRecord's records, records of one length.

A file is read in large pieces, each of which is split at once. What comes before damage is given
out; then the error names the file and the offset, and nothing behind it is read.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from graphwright.base.errors import (
    DataLossError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
)
from graphwright.library.io.plain_bytes import InflatedBytes, PlainBytes
from graphwright.op.late_imports import late_module
from graphwright.ops.io.file_system import failed, opened

#: How many bytes are read at once where the program does not say it.
SIZE = 1 << 18
#: The most bytes of the first read. Each of the next ones may be four times as long as the last, so
#: that the first records come before many others are looked at.
FIRST = 1 << 15
#: The most bytes of one record of a compressed file: a small file may inflate to any number.
MOST = 1 << 30


class Pieces(ABC):
    """The records of a file, many at a time; `compression` is "", "GZIP" or "ZLIB"."""

    def __init__(self, path: str, compression: str = "", size: int = 0) -> None:
        if compression not in ("", "GZIP", "ZLIB"):
            raise InvalidArgumentError(None, None, "Unsupported compression_type.")
        self.path = path
        self.size = size if size > 0 else SIZE
        self.step = min(self.size, FIRST)
        file = opened(path, "rb")
        self.source = InflatedBytes(file) if compression else PlainBytes(file)
        #: Where the records that come next begin, in plain bytes.
        self.offset = 0
        #: What was read of them.
        self.rest = b""
        self.error: Exception | None = None
        self.is_over = False

    @abstractmethod
    def split(self) -> list[bytes]:
        """The next records; none at the end."""

    def next(self) -> list[bytes]:
        """The next records, none at the end; an error once, and then none."""
        error, self.error = self.error, None
        if error is None and not self.is_over:
            try:
                records = self.split()
                self.is_over = not records
                return records
            except OpError as raised:
                error = raised
        self.is_over = True
        self.close()
        if error is not None:
            raise error
        return []

    def go_to(self, offset: int) -> None:
        """Goes to where records begin; before any is read."""
        self.source.skip(offset)
        self.offset = offset

    def read(self, least: int, held: int) -> bytes:
        """The next bytes, as many at once as are worth it; fewer than `least` only at the end.

        `held` is how many bytes of the present record there are already.
        """
        parts, count = [], 0
        while count < least:
            if self.source.is_compressed and held + count > MOST:
                raise ResourceExhaustedError(
                    None, None,
                    f"{self.path}: the record at {self.offset} of a compressed file has more than "
                    f"{MOST} bytes",
                )  # fmt: skip
            piece = self.read_piece(min(max(self.step, least - count), 1 << 24))
            self.step = min(self.size, 4 * self.step)
            if not piece:
                break
            parts.append(piece)
            count += len(piece)
        return b"".join(parts)

    def read_piece(self, size: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        try:
            return self.source.read(size)
        except zlib.error as error:
            raise self.damage(f"{error} (behind {self.offset + len(self.rest)})") from error
        except OSError as error:
            raise failed(error, self.path) from error

    def damage(self, what: str) -> DataLossError:
        """The error for data that are not what was written."""
        return DataLossError(None, None, f"{self.path}: {what}")

    def close(self) -> None:
        """Closes the file."""
        self.source.close()


class LinePieces(Pieces):
    """The lines of a file, without their ends and without any carriage return."""

    def __init__(self, path: str, compression: str = "", size: int = 0) -> None:
        if size < 0:
            message = "`buffer_size` must be >= 0 (0 == default)"
            raise InvalidArgumentError(None, None, message)
        super().__init__(path, compression, size)

    def split(self) -> list[bytes]:
        parts, held, piece = [self.rest], len(self.rest), b" "
        while piece and b"\n" not in piece:
            piece = self.read(1, held)
            parts.append(piece)
            held += len(piece)
        data = b"".join(parts)
        stop = len(data) if not piece else data.rfind(b"\n") + 1
        lines = data[:stop]
        self.offset, self.rest = self.offset + stop, data[stop:]
        if not lines:
            return []
        if b"\r" in lines:
            lines = lines.replace(b"\r", b"")
        return (lines[:-1] if lines.endswith(b"\n") else lines).split(b"\n")


class RecordPieces(Pieces):
    """The records of a TFRecord file, both of whose checksums are verified."""

    def split(self) -> list[bytes]:
        framing: Any = late_module("graphwright.library.io.records")  # lines have no checksums
        missing = 1
        while True:
            try:
                piece = self.read(missing, len(self.rest))
            except DataLossError as error:
                if self.rest:
                    raise self.damage(f"truncated record at {self.offset}: {error}") from error
                raise
            if not piece:
                if self.rest:
                    raise self.damage(f"truncated record at {self.offset}")
                return []
            self.rest += piece
            records, size, is_damaged, missing = framing.split(self.rest)
            if records:
                self.offset, self.rest = self.offset + size, self.rest[size:]
            if is_damaged:
                damage = self.damage(f"corrupted record at {self.offset}")
                if not records:
                    raise damage
                self.error = damage
            if records:
                return records


class FixedPieces(Pieces):
    """Records of one length, between a header and a footer that are left out."""

    def __init__(
        self, path: str, compression: str, size: int, length: int, header: int, footer: int
    ) -> None:
        for name, number, least in (
            ("record_bytes", length, 1), ("header_bytes", header, 0),
            ("footer_bytes", footer, 0), ("buffer_size", size, 0),
        ):  # fmt: skip
            if number < least:
                bound = f">{'=' * (least == 0)} 0"
                raise InvalidArgumentError(None, None, f"`{name}` must be {bound}")
        super().__init__(path, compression, size)
        self.length, self.header, self.footer = length, header, footer
        if not compression:
            self.check(self.source.size() - header - footer)

    def check(self, size: int) -> None:
        """An error unless the body of the file, of this size, is made of whole records."""
        if size >= 0 and size % self.length == 0:
            return
        self.close()
        kind = DataLossError if self.source.is_compressed else InvalidArgumentError
        raise kind(
            None, None,
            f"Excluding the header ({self.header} bytes) and footer ({self.footer} bytes), input "
            f'file "{self.path}" has body length {size} bytes, which is not an exact multiple of '
            f"the record length ({self.length} bytes).",
        )  # fmt: skip

    def split(self) -> list[bytes]:
        if self.offset < self.header:
            self.rest = self.read(self.header, 0)
            if len(self.rest) < self.header:
                self.check(len(self.rest) - self.header - self.footer)
            self.offset, self.rest = self.header, self.rest[self.header :]
        held = len(self.rest)
        self.rest += self.read(max(1, self.length + self.footer - held), held)
        count = max(0, len(self.rest) - self.footer) // self.length
        if not count:
            self.check(self.offset - self.header + len(self.rest) - self.footer)
            return []
        stop = count * self.length
        records: list[bytes] = np.frombuffer(self.rest[:stop], f"V{self.length}").tolist()
        self.offset, self.rest = self.offset + stop, self.rest[stop:]
        return records
