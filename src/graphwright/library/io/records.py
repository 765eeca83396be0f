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
    """The checksum of data as record files store it.

    The mask lets data contain checksums: an unmasked one of such data is weak.

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
    """The error for a record file that ends within a record, or has another checksum."""


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = _LENGTH.pack(len(record))
    sums = _SUM.pack(masked(length)), _SUM.pack(masked(record))
    return b"".join((length, sums[0], record, sums[1]))


def records(file: Readable) -> Iterator[bytes]:
    """The records of an open file; raises `Damaged` where it is no such file, or ends too early."""
    offset = 0
    while head := file.read(_HEAD):
        if len(head) < _HEAD:
            raise Damaged(f"truncated record at {offset}")
        length, check = head[: _LENGTH.size], head[_LENGTH.size :]
        if _SUM.unpack(check)[0] != masked(length):
            raise Damaged(f"corrupted record at {offset}")
        size = _LENGTH.unpack(length)[0]
        body = file.read(size + _SUM.size)
        if len(body) < size + _SUM.size:
            raise Damaged(f"truncated record at {offset}")
        record = body[:size]
        if _SUM.unpack(body[size:])[0] != masked(record):
            raise Damaged(f"corrupted record at {offset}")
        offset += _HEAD + len(body)
        yield record
