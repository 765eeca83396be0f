"""LevelDB's table format: keys in order with their values, in blocks with checksums.

A file ends in a footer that says where the index is. The index is a block, whose values say where
the blocks of data are. Keys leave out what they share with the key before.

Source: LevelDB's `doc/table_format.md`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from graphwright.library.io.records import masked
from graphwright.portable.snappy import decompressed, varint

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
#: The type of a block, and its masked CRC-32C.
_TRAILER = 5
#: A compressed block stands for at most so many times its bytes.
_MOST_COMPRESSED = 64


def entries_of(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table, in order; ValueError where it is damaged."""
    if len(data) < _FOOTER:
        raise ValueError(f"{len(data)} bytes are too few for a table")
    if struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise ValueError("it is no table: the number at its end is another")
    footer = data[-_FOOTER:]
    _, _, place = _handle(footer, 0)
    offset, size, _ = _handle(footer, place)
    last, end = None, 0
    for _, value in _entries(_block(data, offset, size)):
        offset, size, _ = _handle(value, 0)
        if offset < end:
            raise ValueError(f"blocks overlap at byte {offset}")
        end = offset + size
        for key, content in _entries(_block(data, offset, size)):
            if last is not None and key <= last:
                raise ValueError(f"the key {key!r} is out of order")
            last = key
            yield key, content


def _handle(data: bytes, place: int) -> tuple[int, int, int]:
    """Where a block is and how long, and the place behind these numbers."""
    offset, place = varint(data, place)
    size, place = varint(data, place)
    return offset, size, place


def _block(data: bytes, offset: int, size: int) -> bytes:
    """The content of a block whose checksum is right."""
    end = offset + size
    if end + _TRAILER > len(data) - _FOOTER:
        raise ValueError(f"a block ends at byte {end}, behind the end of the file")
    (checksum,) = struct.unpack_from("<I", data, end + 1)
    if masked(data[offset : end + 1]) != checksum:
        raise ValueError(f"the checksum of the block at byte {offset} is wrong")
    content = data[offset:end]
    if data[end] == 0:
        return content
    if data[end] == 1:
        return decompressed(content, _MOST_COMPRESSED * (size + 1))
    raise ValueError(f"the block at byte {offset} is compressed in an unknown way: {data[end]}")


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a block."""
    if len(block) < 4:
        raise ValueError("a block has no end")
    (restarts,) = struct.unpack("<I", block[-4:])
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise ValueError(f"a block of {len(block)} bytes claims {restarts} places to start from")
    key, place = b"", 0
    while place < end:
        shared, place = varint(block, place)
        own, place = varint(block, place)
        length, place = varint(block, place)
        if shared > len(key) or place + own + length > end:
            raise ValueError("an entry of a block leaves it")
        key = key[:shared] + block[place : place + own]
        place += own
        yield key, block[place : place + length]
        place += length
