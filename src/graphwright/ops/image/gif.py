"""The frames of a GIF file: their places, their colours, and what shines through.

A frame is decoded by Pillow, as a file of its own. Frames are laid on each other as TensorFlow does
it. They are as large as the largest one, whatever the file says, and nothing is taken away between
them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from graphwright.types.arrays import Array

#: A code of at most 12 bits stands for at most 4096 pixels.
_PIXELS_PER_BYTE = 4096 * 8 // 12 + 1
_EXTENSION, _IMAGE, _TRAILER, _CONTROL = 0x21, 0x2C, 0x3B, 0xF9


class GifFrame(NamedTuple):
    """A frame: its place, the number of its transparent colour or None, and a file of it alone."""

    left: int
    top: int
    width: int
    height: int
    clear: int | None
    file: bytes


def frames_of(data: bytes) -> list[GifFrame]:
    """The frames of a file, of which the end may be missing; ValueError where it is damaged."""
    frames: list[GifFrame] = []
    try:
        _Reader(data).read(frames)
    except IndexError:
        if not frames:
            words = "the image cannot be decoded: the GIF file ends too early"
            raise ValueError(words) from None
    return frames


class _Reader:
    """Reads the blocks of a file one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 13

    def read(self, frames: list[GifFrame]) -> None:
        """Adds all frames up to the trailer to a list."""
        header = self.data[:6]
        colours = self.table(self.data[10])
        clear = None
        while (kind := self.byte()) != _TRAILER:
            if kind == _EXTENSION:
                is_control = self.byte() == _CONTROL
                blocks = self.blocks()
                if is_control and len(blocks) > 4:
                    clear = blocks[4] if blocks[1] & 1 else None
            elif kind == _IMAGE:
                frames.append(self.frame(header, colours, clear))
                clear = None
            else:
                raise ValueError(f"the image cannot be decoded: a GIF file has no block {kind:#x}")

    def frame(self, header: bytes, colours: bytes, clear: int | None) -> GifFrame:
        """The frame whose descriptor comes next."""
        start = self.place
        left, top, width, height = [self.word(start + 2 * i) for i in range(4)]
        flags = self.data[start + 8]
        self.place = start + 9
        local_table = self.table(flags)
        table = local_table or colours
        if not table:
            raise ValueError("the image cannot be decoded: a frame of the GIF file has no colours")
        begin = self.place
        self.place += 1
        self.blocks()
        size = self.data[start + 4 : start + 8]
        bits = 0x80 | (len(table) // 3).bit_length() - 2
        screen = header + size + bytes([bits, 0, 0]) + table
        descriptor = bytes([_IMAGE, 0, 0, 0, 0]) + size + bytes([flags & 0x40])
        body = self.data[begin : self.place]
        if width * height > _PIXELS_PER_BYTE * len(body):
            raise ValueError(
                f"the image cannot be decoded: {len(body)} bytes of the GIF file hold no frame of "
                f"{width} by {height} pixels"
            )
        file = screen + descriptor + body + bytes([_TRAILER])
        return GifFrame(left, top, width, height, clear, file)

    def byte(self) -> int:
        """The next byte."""
        self.place += 1
        return self.data[self.place - 1]

    def word(self, place: int) -> int:
        """Two bytes as a number."""
        return self.data[place] + 256 * self.data[place + 1]

    def table(self, flags: int) -> bytes:
        """The table of colours that comes next; empty where the flags tell of none."""
        if not flags & 0x80:
            return b""
        size = 3 << (flags & 7) + 1
        self.place += size
        if self.place > len(self.data):
            raise IndexError
        return self.data[self.place - size : self.place]

    def blocks(self) -> bytes:
        """The bytes of the blocks up to an empty one, with the length of the first before them."""
        start = self.place
        while length := self.byte():
            self.place += length
        return self.data[start : self.place]


def composed(
    frames: list[GifFrame],
    decode: Callable[[bytes], tuple[Array, Array]],
    check: Callable[..., None],
) -> Array:
    """The frames laid on each other, as [frames, height, width, 3].

    `decode` gives the numbers of colours and the colours of a file of one frame.
    """
    if not frames:
        raise ValueError("the image cannot be decoded: the GIF file has no frames")
    width, height = max(f.width for f in frames), max(f.height for f in frames)
    check(width, height, len(frames))
    result = np.zeros((len(frames), height, width, 3), np.uint8)
    for i, frame in enumerate(frames):
        numbers, colours = decode(frame.file)
        right, bottom = min(frame.left + frame.width, width), min(frame.top + frame.height, height)
        if i:
            result[i] = result[i - 1]
        if right > frame.left and bottom > frame.top:
            rows, columns = bottom - frame.top, right - frame.left
            shown = numbers[:rows, :columns, None] != (-1 if frame.clear is None else frame.clear)
            under = result[i, frame.top : bottom, frame.left : right]
            np.copyto(under, colours[:rows, :columns], where=shown)
    return result
