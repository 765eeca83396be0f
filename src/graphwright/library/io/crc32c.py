"""CRC-32C (Castagnoli), the checksum of record files.

The register is linear over GF(2) in what it has read, so that a long text is cut into lanes
whose checksums are computed side by side, and combined by the matrix that moves a register past
so many zero bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

_POLYNOMIAL = 0x82F63B78  # reflected
#: Texts up to this length are read byte by byte.
_SHORT = 1024


@cache
def table() -> Any:
    """What each byte does to the register."""
    register = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        odd = (register & 1).astype(bool)
        register = np.where(odd, (register >> 1) ^ np.uint32(_POLYNOMIAL), register >> 1)
    return register


@cache
def steps() -> tuple[int, ...]:
    """The table as Python numbers, which are faster one at a time."""
    return tuple(table().tolist())


def crc32c(data: bytes) -> int:
    """The checksum of some bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    return advance(0xFFFFFFFF, data) ^ 0xFFFFFFFF


def advance(register: int, data: bytes) -> int:
    """The register after it has read some bytes."""
    if len(data) > _SHORT:
        register, data = advance_lanes(register, data)
    of = steps()
    for byte in data:
        register = of[(register ^ byte) & 0xFF] ^ (register >> 8)
    return register


def advance_lanes(register: int, data: bytes) -> tuple[int, bytes]:
    """The register after as many whole lanes as there are, and the bytes that are left."""
    width = 1 << (len(data).bit_length() // 2)  # about as many lanes as bytes in each
    count = len(data) // width
    lanes = np.frombuffer(data, np.uint8, count * width).reshape(count, width)
    each, of = np.zeros(count, np.uint32), table()
    for column in np.ascontiguousarray(lanes.T):
        each = of[(each ^ column) & 0xFF] ^ (each >> 8)
    move = skipping(width)
    for own in each.tolist():
        register = applied(move, register) ^ own
    return register, data[count * width :]


@cache
def skipping(width: int) -> tuple[int, ...]:
    """What each bit of the register becomes past `width` (a power of two) zero bytes."""
    of = steps()
    images = [of[(1 << bit) & 0xFF] ^ ((1 << bit) >> 8) for bit in range(32)]
    while width > 1:
        images = [applied(images, image) for image in images]
        width >>= 1
    return tuple(images)


def applied(images: Sequence[int], register: int) -> int:
    """A linear map of the register."""
    result = 0
    for bit, image in enumerate(images):
        if register >> bit & 1:
            result ^= image
    return result


def masked(data: bytes) -> int:
    """The checksum as record files store it, so that one of checksums is not a special case."""
    plain = crc32c(data)
    return ((plain >> 15 | plain << 17) + 0xA282EAD8) & 0xFFFFFFFF
