"""Record files: byte strings one after the other, each with checksums (TFRecord).

A record is its length (8 bytes, little-endian), the masked CRC-32C of these, the data and the
masked CRC-32C of the data.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.op.late_imports import late_extension, late_module
from graphwright.types.arrays import Array

_LENGTH, _SUM = struct.Struct("<Q"), struct.Struct("<I")
_HEAD = _LENGTH.size + _SUM.size
_TURN, _CONSTANT = 15, 0xA282EAD8


def masked(data: bytes) -> int:
    """The checksum of data as record files store it.

    The mask lets data contain checksums: an unmasked one of such data is weak.

    >>> hex(masked(b"123456789"))
    '0xc78ab0e5'
    """
    return mask(crc32c().value(data))


def crc32c() -> Any:
    """What computes checksums, imported at its first use: of its package the machine code alone."""
    return late_extension("google_crc32c._crc32c") or late_module("google_crc32c")


def mask(plain: int) -> int:
    """A checksum as record files store it; see `masked`."""
    return ((plain >> _TURN | plain << 32 - _TURN) + _CONSTANT) & 0xFFFFFFFF


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = _LENGTH.pack(len(record))
    sums = _SUM.pack(masked(length)), _SUM.pack(masked(record))
    return b"".join((length, sums[0], record, sums[1]))


class SplitRecords(NamedTuple):
    """The whole records that data begin with."""

    records: list[bytes]
    #: How many bytes they have in the file.
    size: int
    #: Whether the record behind them is damaged.
    is_damaged: bool
    #: How many bytes the record behind them lacks at least.
    missing: int


def split(data: bytes) -> SplitRecords:
    """The records that data begin with, up to the first that is damaged or not all there.

    >>> split(framed(b"one") + framed(b"two")[:4])
    SplitRecords(records=[b'one'], size=19, is_damaged=False, missing=8)
    """
    starts, places, missing = [0], [], 0
    unpack, count, start = _LENGTH.unpack_from, len(data), 0
    while True:
        if count - start < _HEAD:
            missing = _HEAD - (count - start)
            starts.pop()
            break
        stop = start + _HEAD + unpack(data, start)[0] + _SUM.size
        if stop > count:  # so it is, unless its head is damaged
            missing = stop - count
            break
        places.append(slice(start + _HEAD, stop - _SUM.size))
        starts.append(stop)
        start = stop
    if not starts:
        return SplitRecords([], 0, False, missing)
    octets = np.frombuffer(data, np.uint8)
    heads = octets[np.array(starts)[:, None] + np.arange(_HEAD)]
    whole = first_false(turned(of_lengths(heads[:, :8])) == heads[:, 8:].copy().view("<u4")[:, 0])
    is_damaged = whole < len(starts)
    records = [data[place] for place in places[:whole]]
    if records:
        ends = np.array([place.stop for place in places[:whole]])
        stored = octets[ends[:, None] + np.arange(_SUM.size)].view("<u4")[:, 0]
        intact = first_false(turned(of_records(records)) == stored)
        is_damaged |= intact < len(records)
        records = records[:intact]
    size = places[len(records) - 1].stop + _SUM.size if records else 0
    return SplitRecords(records, size, is_damaged, missing)


def first_false(conditions: Array) -> int:
    """The place of the first condition that does not hold; their number where all do."""
    return len(conditions) if conditions.all() else int(conditions.argmin())


def of_records(records: Sequence[bytes]) -> Array:
    """The CRC-32C of each record."""
    return np.fromiter(map(crc32c().value, records), np.uint32, len(records))


def of_lengths(octets: Array) -> Array:
    """The CRC-32C of each row of eight bytes: what each byte adds, from tables."""
    tables = checksum_tables()
    sums: Array = tables[0][octets[:, 0]]
    for place in range(1, 8):
        sums ^= tables[place][octets[:, place]]
    return sums


@cache
def checksum_tables() -> Array:
    """What the checksum of eight bytes is, for each place the part that comes of its byte."""
    value = crc32c().value
    none = value(b"\0")
    last = np.array([value(bytes([x])) ^ none for x in range(256)], np.uint32)
    tables = np.empty((8, 256), np.uint32)
    tables[7] = last
    for place in range(6, -1, -1):  # a zero more follows
        after = tables[place + 1]
        tables[place] = last[after & 0xFF] ^ after >> np.uint32(8)
    tables[0] ^= np.uint32(value(bytes(8)))
    return tables


def turned(sums: Array) -> Array:
    """Checksums as record files store them; see `masked`."""
    constant = np.uint32(_CONSTANT)
    stored: Array = (sums >> np.uint32(_TURN) | sums << np.uint32(32 - _TURN)) + constant
    return stored
