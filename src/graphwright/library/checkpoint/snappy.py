"""Snappy's block format, of which tables may be made: text with copies of what came before.

Source: the format description of Google's Snappy, `format_description.txt`.
"""

from __future__ import annotations


def decompressed(data: bytes, limit: int) -> bytes:
    """The bytes that a block stands for; ValueError where it is damaged or longer than `limit`."""
    length, place = varint(data, 0)
    if length > limit:
        raise ValueError(f"a compressed block claims {length} bytes, more than {limit}")
    result = bytearray()
    while place < len(data):
        tag = data[place]
        place += 1
        if tag & 3 == 0:
            place = _literal(data, place, tag >> 2, result)
        else:
            place = _copy(data, place, tag, result)
        if len(result) > length:
            raise ValueError(f"a compressed block holds more than the {length} bytes it claims")
    if len(result) != length:
        raise ValueError(f"a compressed block holds {len(result)} bytes of {length}")
    return bytes(result)


def varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it; ValueError where it does not end."""
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise ValueError("a number does not end")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7


def written_varint(value: int) -> bytes:
    """A number of seven bits a byte, as bytes."""
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _literal(data: bytes, place: int, code: int, result: bytearray) -> int:
    """Adds bytes that stand here, and returns the place behind them."""
    count = code + 1
    if code >= 60:
        width = code - 59
        count = int.from_bytes(data[place : place + width], "little") + 1
        place += width
    if place + count > len(data):
        raise ValueError("a compressed block ends in a literal")
    result += data[place : place + count]
    return place + count


def _copy(data: bytes, place: int, tag: int, result: bytearray) -> int:
    """Adds bytes that the result has already, and returns the place behind the copy's element."""
    width = {1: 1, 2: 2, 3: 4}[tag & 3]
    if place + width > len(data):
        raise ValueError("a compressed block ends in a copy")
    offset = int.from_bytes(data[place : place + width], "little")
    count = (tag >> 2) + 1
    if tag & 3 == 1:
        offset |= tag >> 5 << 8
        count = (tag >> 2 & 7) + 4
    if not 0 < offset <= len(result):
        raise ValueError(f"a copy begins {offset} bytes back, of {len(result)}")
    start = len(result) - offset
    for source in range(start, start + count):  # it may overlap what it makes
        result.append(result[source])
    return place + width
