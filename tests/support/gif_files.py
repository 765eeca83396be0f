"""GIF files, byte by byte: what no writer of images would write, too."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple


class Frame(NamedTuple):
    """A frame: its place and size, the numbers of its colours, of 4, and how it is laid down."""

    place: tuple[int, int]
    size: tuple[int, int]
    numbers: Sequence[int]
    clear: int | None = None
    disposal: int = 0
    own_colours: bool = False


def gif_file(size: tuple[int, int], frames: Sequence[Frame], colours: bool = True) -> bytes:
    """A file of a size with frames, and a table of 4 colours for those that have none."""
    data = b"GIF89a" + struct.pack("<HHBBB", *size, 0x81 if colours else 0, 0, 0)
    data += bytes(range(10, 22)) if colours else b""
    for frame in frames:
        if frame.clear is not None or frame.disposal:
            flags = frame.disposal << 2 | (frame.clear is not None)
            data += b"\x21\xf9\x04" + bytes([flags, 0, 0, frame.clear or 0, 0])
        data += b"," + struct.pack("<4HB", *frame.place, *frame.size, 0x81 * frame.own_colours)
        data += bytes(range(100, 112)) if frame.own_colours else b""
        data += b"\2" + blocks_of(codes_of(frame.numbers))
    return data + b";"


def codes_of(numbers: Sequence[int]) -> bytes:
    """The numbers as codes of 3 bits, which are cleared before they grow."""
    codes: list[int] = []
    for place, number in enumerate(numbers):
        codes += [4, number] if place % 2 == 0 else [number]
    bits = sum(code << 3 * place for place, code in enumerate([*codes, 5]))
    return bits.to_bytes((3 * len(codes) + 3 + 7) // 8, "little")


def blocks_of(data: bytes) -> bytes:
    """The bytes in blocks, and the empty one that ends them."""
    blocks = [data[i : i + 255] for i in range(0, len(data), 255)]
    return b"".join([bytes([len(block)]) + block for block in blocks]) + b"\0"


WHOLE = Frame((0, 0), (2, 2), [0, 1, 2, 3])
NINE = Frame((0, 0), (3, 3), [0, 1, 2, 3, 0, 1, 2, 3, 0])
CORNER = Frame((1, 1), (2, 2), [3, 1, 3, 1])
FILES = [
    gif_file((2, 2), [WHOLE]),
    gif_file((8, 8), [WHOLE]),
    gif_file((8, 8), [WHOLE._replace(place=(3, 3))]),
    gif_file((3, 3), [NINE, CORNER._replace(own_colours=True)]),
    gif_file((3, 3), [NINE._replace(clear=1), CORNER._replace(clear=1, own_colours=True)]),
    gif_file((3, 3), [NINE._replace(clear=1, disposal=2), CORNER._replace(clear=3, disposal=2),
                      Frame((0, 0), (1, 1), [2], None, 3)]),
    gif_file((3, 3), [Frame((0, 0), (1, 1), [1]), CORNER._replace(clear=1, disposal=2),
                      Frame((2, 2), (2, 2), [1, 1, 1, 1], None, 3)]),
    gif_file((2, 2), [WHOLE], colours=False),
    gif_file((2, 2), [WHOLE._replace(own_colours=True)], colours=False),
    gif_file((2, 2), []),
    gif_file((2, 2), [WHOLE._replace(numbers=[0, 1, 2])]),
    gif_file((2, 2), [WHOLE._replace(size=(9000, 9000))]),
    gif_file((2, 2), [WHOLE])[:-1],
    gif_file((2, 2), [WHOLE])[:-4],
    gif_file((2, 2), [WHOLE, WHOLE])[:-4],
    gif_file((8000, 8000), [Frame((0, 0), (1, 1), [1])] * 18),
    gif_file((2, 2), [WHOLE._replace(size=(0, 2), numbers=[])]),
]  # fmt: skip
