"""Record files: byte strings one after the other, each with checksums (TFRecord).

A record is its length (8 bytes, little-endian), the masked CRC-32C of these, the data and the
masked CRC-32C of the data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Protocol

_LENGTH, _SUM = struct.Struct("<Q"), struct.Struct("<I")
_HEAD = _LENGTH.size + _SUM.size


def masked(data: bytes) -> int:
    """The checksum as record files store it, so that one of checksums is not a special case.

    >>> hex(masked(b"123456789"))
    '0xc78ab0e5'
    """
    import google_crc32c  # few programs have records

    plain: int = google_crc32c.value(data)
    return ((plain >> 15 | plain << 17) + 0xA282EAD8) & 0xFFFFFFFF


class Readable(Protocol):
    """Bytes that are read from the front."""

    def read(self, size: int, /) -> bytes: ...


class Damaged(ValueError):
    """A record file that ends within a record or whose checksums do not agree."""


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = _LENGTH.pack(len(record))
    sums = _SUM.pack(masked(length)), _SUM.pack(masked(record))
    return b"".join((length, sums[0], record, sums[1]))


def records(file: Readable) -> Iterator[bytes]:
    """The records of an open file; `Damaged` where it is none, or ends too early."""
    place = 0
    while head := file.read(_HEAD):
        if len(head) < _HEAD:
            raise Damaged(f"truncated record at {place}")
        length, check = head[: _LENGTH.size], head[_LENGTH.size :]
        if _SUM.unpack(check)[0] != masked(length):
            raise Damaged(f"corrupted record at {place}")
        size = _LENGTH.unpack(length)[0]
        body = file.read(size + _SUM.size)
        if len(body) < size + _SUM.size:
            raise Damaged(f"truncated record at {place}")
        record = body[:size]
        if _SUM.unpack(body[size:])[0] != masked(record):
            raise Damaged(f"corrupted record at {place}")
        place += _HEAD + len(body)
        yield record
