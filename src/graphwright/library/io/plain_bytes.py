"""The plain bytes of files, which may be compressed, in pieces of bounded size."""

from __future__ import annotations

import zlib
from typing import IO

#: What zlib adds to the number of window bits for files with gzip's head.
GZIP = 16
_CHUNK = 1 << 18


class PlainBytes:
    """The bytes of an open file as they are."""

    is_compressed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def read(self, size: int) -> bytes:
        """The next bytes, at least one and at most `size`; none at the end."""
        return self.file.read(size)

    def size(self) -> int:
        """How many bytes the file has, before any is read."""
        size = self.file.seek(0, 2)
        self.file.seek(0)
        return size

    def skip(self, count: int) -> None:
        """Leaves out bytes from the start of the file."""
        self.file.seek(count)

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


class InflatedBytes(PlainBytes):
    """The bytes that were compressed, with gzip's head or zlib's; zlib.error where they are broken.

    However much the file inflates to, only a piece of it is in memory.
    """

    is_compressed = True

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)
        self.input = b""
        self.is_gzip = False
        self.has_begun = False
        self.begin()

    def begin(self) -> None:
        """Expects a head; whichever it is."""
        self.inflate = zlib.decompressobj(zlib.MAX_WBITS | 2 * GZIP)

    def read(self, size: int) -> bytes:
        while True:
            if self.inflate.eof:
                self.input = self.inflate.unused_data or self.file.read(_CHUNK)
                if not self.input or not self.is_gzip:
                    return b""
                self.begin()  # files of gzip may follow each other
            if not self.input:
                self.input = self.file.read(_CHUNK)
            is_last = not self.input
            if not self.has_begun:
                self.is_gzip = self.input[:1] == b"\x1f"
                self.has_begun = not is_last
            piece = self.inflate.decompress(self.input, size)
            self.input = self.inflate.unconsumed_tail
            if piece:
                return piece
            if is_last and not self.inflate.eof:
                if self.has_begun:
                    raise zlib.error("the compressed data end too early")
                return b""

    def skip(self, count: int) -> None:
        while count > 0 and (piece := self.read(min(count, _CHUNK))):
            count -= len(piece)
