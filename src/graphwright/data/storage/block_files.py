"""Files of blocks of elements: records with checksums, as TFRecord has them, behind a head.

The head names the run that wrote the file. Each record is a block: its number and columns, as
`state_coding` has them, plain or deflated, and a tail that says which. Records are padded, so the
columns of a plain block lie at multiples of 64 bytes.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import IO, Any

import numpy as np

from graphwright.base.errors import DataLossError, ResourceExhaustedError
from graphwright.base.file_paths import file_path
from graphwright.base.files import PathLike
from graphwright.data.blocks import ElementBlock
from graphwright.data.state_coding import decode, encode
from graphwright.library.io.records import framed, masked
from graphwright.ops.io.file_system import opened, system_errors
from graphwright.types.arrays import Array

#: The bytes before the first record, with which the content of records begins at a multiple of 64.
HEAD = 52
_MAGIC = b"graphwright elements 1 "
_ALIGNED = 64
#: Before a record's content: its length, and the checksum of this.
_LENGTH, _SUM = struct.Struct("<QI"), struct.Struct("<I")
#: How many bytes of the content are the block's, and how many it inflates to; 0 for a plain one.
_TAIL = struct.Struct("<QQ32x")
#: The most bytes that a deflated block inflates to: a small file may claim any number.
MOST = 1 << 30
#: zlib's levels, by the name of a compression; blocks of others are plain.
_LEVELS = {"GZIP": 6, "SNAPPY": 1}


def head(run: str) -> bytes:
    """The head of the files of a run."""
    return (_MAGIC + run.encode()).ljust(HEAD)


def record(block: ElementBlock, number: int, compression: str) -> bytes:
    """A block of elements as a record; UnimplementedError where an element has no such form."""
    data = encode([number, *block.saved()])
    size = 0
    if compression in _LEVELS and len(data) <= MOST:
        size = len(data)
        data = zlib.compress(data, _LEVELS[compression])
    tail = _TAIL.pack(len(data), size)
    return framed(b"".join([data, bytes(-len(data) % _ALIGNED), tail]))


class BlockFile:
    """The blocks of a file of so many bytes, of which each is verified when it is read."""

    def __init__(self, path: PathLike, run: str, size: int) -> None:
        self.path, self.size = file_path(path), size
        self.process = os.getpid()
        self.file: IO[bytes] = opened(path, "rb")
        try:
            if self.bytes_at(0, HEAD).tobytes() != head(run):
                raise self.damage("another head than that of its run", 0)
        except BaseException:
            self.close()
            raise

    def block_at(self, offset: int, number: int) -> tuple[ElementBlock, int]:
        """The block that begins at an offset and has this number, and where the next one begins.

        DataLossError where there is no such block.
        """
        length, total = _LENGTH.unpack(self.bytes_at(offset, _LENGTH.size))
        content = offset + _LENGTH.size
        if total != masked(length.to_bytes(8, "little")) or length < _TAIL.size:
            raise self.damage("corrupted record", offset)
        data = self.bytes_at(content, length + _SUM.size)
        data, stored = data[:length], data[length:]
        data.flags.writeable = False
        if _SUM.unpack(stored)[0] != masked(data):
            raise self.damage("corrupted record", offset)
        block = self.block_of(self.content(data, offset), number, offset)
        return block, content + length + _SUM.size

    def content(self, data: Array, offset: int) -> bytes | Array:
        """The bytes of the block in a record, inflated."""
        used, size = _TAIL.unpack(data[-_TAIL.size :].data)
        data = data[:used]
        if not size:
            return data
        if size > MOST:
            raise ResourceExhaustedError(
                None, None, f"{self.path}: the block at {offset} claims to inflate to {size} bytes"
            )
        inflate = zlib.decompressobj()
        try:
            inflated = inflate.decompress(data.data, size)
        except zlib.error as error:
            raise self.damage(f"{error}: corrupted block", offset) from error
        if len(inflated) != size or not inflate.eof:
            raise self.damage(f"a block that does not inflate to {size} bytes", offset)
        return inflated

    def block_of(self, data: bytes | Array, number: int, offset: int) -> ElementBlock:
        """The block that bytes stand for."""
        try:
            place, count, columns = decode(data)
            is_whole = (place, {len(c) for c in columns} - {count}) == (number, set())
            block = ElementBlock(count, tuple(columns))
        except (DataLossError, TypeError, ValueError) as error:
            raise self.damage(f"no block of elements ({error})", offset) from error
        if not is_whole:
            raise self.damage(f"another block than number {number}", offset)
        return block

    def bytes_at(self, offset: int, count: int) -> Any:
        """So many bytes from an offset on; they are the caller's own."""
        if offset + count > self.size:
            raise self.damage("truncated record", offset)
        data = np.empty(count, np.uint8)
        done = 0
        with system_errors(self.path):
            while done < count and (size := self.read_into(data[done:], offset + done)):
                done += size
        if done < count:
            raise self.damage("truncated record", offset)
        return data

    def read_into(self, data: Array, offset: int) -> int:
        """Reads bytes from an offset on; says how many, which is 0 at the end of the file."""
        # The child of a fork shares the position in a file with its parent.
        if not self.path.is_remote and hasattr(os, "preadv"):
            return os.preadv(self.file.fileno(), [data.data], offset)
        if self.process != os.getpid():
            self.file, self.process = opened(self.path, "rb"), os.getpid()
        self.file.seek(offset)
        return self.file.readinto(data.data)  # type: ignore[attr-defined]

    def damage(self, what: str, offset: int) -> DataLossError:
        """The error for bytes that are not what was written."""
        return DataLossError(None, None, f"{self.path}: {what} at {offset}")

    def close(self) -> None:
        """Closes the file."""
        self.file.close()
