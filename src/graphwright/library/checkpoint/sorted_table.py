"""LevelDB's table format, read and written: keys in order with their values, in blocks with sums.

A file ends in a footer that says where the index is. The index is a block, whose values say where
the blocks of data are. Keys leave out what they share with the key before.

Source: LevelDB's `doc/table_format.md`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence

from graphwright.library.checkpoint.snappy import decompressed, varint, written_varint
from graphwright.library.io.records import masked

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
#: The type of a block, and its masked CRC-32C.
_TRAILER = 5
#: So many bytes of entries make a block full, and so many entries share what keys begin with.
_FULL, _SHARING = 1 << 18, 16
#: A compressed block stands for at most so many times its bytes, and so do all keys.
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
    last, end, left = None, 0, _MOST_COMPRESSED * len(data)
    for _, value in _entries(_block(data, offset, size)):
        offset, size, _ = _handle(value, 0)
        if offset < end:
            raise ValueError(f"blocks overlap at byte {offset}")
        end = offset + size
        for key, content in _entries(_block(data, offset, size)):
            if last is not None and key <= last:
                raise ValueError(f"the key {key!r} is out of order")
            last = key
            left -= len(key)
            if left < 0:
                raise ValueError(f"its keys take more than {_MOST_COMPRESSED} times its bytes")
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
        rest, place = varint(block, place)
        length, place = varint(block, place)
        if shared > len(key) or place + rest + length > end:
            raise ValueError("an entry of a block leaves it")
        key = key[:shared] + block[place : place + rest]
        place += rest
        yield key, block[place : place + length]
        place += length


# -- writing ------------------------------------------------------------------------------------


def table_of(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of keys in order with their values; its blocks are not compressed."""
    data, index = bytearray(), []
    block: list[tuple[bytes, bytes]] = []
    size = 0

    def finish() -> None:
        index.append((block[-1][0], _added(data, block)))
        block.clear()

    for key, value in entries:
        block.append((key, value))
        size += len(key) + len(value)
        if size >= _FULL:
            finish()
            size = 0
    if block:
        finish()
    footer = _added(data, []) + _added(data, index)
    data += footer.ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC)
    return bytes(data)


def _added(data: bytearray, entries: Sequence[tuple[bytes, bytes]]) -> bytes:
    """The handle of a block, which is added to the data."""
    content = _block_of(entries) + b"\0"
    handle = written_varint(len(data)) + written_varint(len(content) - 1)
    data += content + struct.pack("<I", masked(content))
    return handle


def _block_of(entries: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A block: entries, and the places of those that have their whole key."""
    block, restarts, last = bytearray(), [0], b""
    for i, (key, value) in enumerate(entries):
        shared = 0
        if i % _SHARING:
            shared = next((n for n, (a, b) in enumerate(zip(key, last)) if a != b), len(last))
        elif i:
            restarts.append(len(block))
        block += written_varint(shared) + written_varint(len(key) - shared)
        block += written_varint(len(value)) + key[shared:] + value
        last = key
    return bytes(block) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))
