"""PNG images written with zlib: 8 or 16 bits, gray, gray and alpha, RGB, RGBA."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arrays import Array

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR = {1: 0, 2: 4, 3: 2, 4: 6}  # colour types by the number of channels
_UP = 2  # the filter that stores each row less the one above


def encode(image: Array, compression: int = -1) -> bytes:
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


class Header(NamedTuple):
    """What the first chunk of a file says."""

    width: int
    height: int
    bits: int
    color: int
    interlaced: bool


def header_of(data: bytes) -> Header:
    """The header of a file; ValueError where there is none."""
    if len(data) < 33 or data[:8] != _SIGNATURE or data[12:16] != b"IHDR":
        raise ValueError("the image is no PNG file")
    width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    return Header(width, height, bits, color, bool(interlaced))


def decode_wide(data: bytes, header: Header) -> Array:
    """A file of 16 bits a channel as [height, width, channels] of uint16."""
    if header.interlaced:
        raise ValueError("interlaced PNG files of 16 bits are not supported")
    channels = next(c for c, color in _COLOR.items() if color == header.color)
    body, place = b"", 8
    while place + 8 <= len(data):
        size, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        body += data[place + 8 : place + 8 + size] if kind == b"IDAT" else b""
        place += 12 + size
    try:
        raw = np.frombuffer(zlib.decompress(body), np.uint8).reshape(header.height, -1)
    except zlib.error as error:
        raise ValueError(f"the image cannot be decoded: {error}") from error
    pixels = unfiltered(raw[:, 0], raw[:, 1:].reshape(header.height, header.width, 2 * channels))
    return pixels.view(">u2").astype(np.uint16)


def unfiltered(filters: Array, coded: Array) -> Array:
    """Pixels [rows, columns, bytes] from what each row's filter made of them.

    A pixel needs those at its left, above and both; so all on a line that runs up to the right
    are worked out together.
    """
    height, width, depth = coded.shape
    out = np.zeros((height + 1, width + 1, depth), np.uint8)  # a row and a column of zeros before
    for step in range(height + width - 1):
        rows = np.arange(max(0, step - width + 1), min(height, step + 1))
        columns = step - rows
        left, up, corner = out[rows + 1, columns], out[rows, columns + 1], out[rows, columns]
        a, b, c = (v.astype(np.int16) for v in (left, up, corner))
        near = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
        paeth = np.where((near[0] <= near[1]) & (near[0] <= near[2]), a, b)
        paeth = np.where((near[2] < near[0]) & (near[2] < near[1]), c, paeth)
        guesses = np.stack([np.zeros_like(a), a, b, (a + b) // 2, paeth])
        guess = guesses[filters[rows], np.arange(len(rows))]
        out[rows + 1, columns + 1] = coded[rows, columns] + guess.astype(np.uint8)
    return np.ascontiguousarray(out[1:, 1:])
