"""PNG images written with zlib: 8 or 16 bits, gray, gray and alpha, RGB, RGBA."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR = {1: 0, 2: 4, 3: 2, 4: 6}  # colour types by the number of channels
_UP = 2  # the filter that stores each row less the one above


def encode(image: Any, compression: int = -1) -> bytes:
    """An image of shape [height, width, channels], uint8 or uint16, as a PNG file."""
    height, width, channels = image.shape
    rows = image.astype(image.dtype.newbyteorder(">")).reshape(height, -1).view(np.uint8)
    filtered = np.full((height, rows.shape[1] + 1), _UP, np.uint8)
    filtered[:, 1:] = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.uint8))
    bits = 8 * image.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, bits, _COLOR[channels], 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), compression)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return _SIGNATURE + b"".join(chunk(kind, body) for kind, body in chunks)


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk with its length and checksum."""
    check = zlib.crc32(body, zlib.crc32(kind))
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)
