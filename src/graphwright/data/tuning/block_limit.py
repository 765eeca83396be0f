"""How many elements are worth taking at once: blocks that take two milliseconds, or are large."""

from __future__ import annotations

from graphwright.data.blocks import ElementBlock

#: Blocks grow until one takes this many seconds, or has this many bytes or elements.
_LONG = 0.002
_BYTES = 1 << 22
_MOST = 1 << 14


class BlockLimit:
    """The most elements of the next block, by the time and the size of those before."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 1

    def note(self, block: ElementBlock, seconds: float) -> None:
        """Notes how long a block took, and chooses the size of the next."""
        size = sum([c.nbytes for c in block.columns if not isinstance(c, list)])
        share = max(seconds / _LONG, size / _BYTES)
        if share > 2:
            self.number = max(1, self.number // 2)
        elif share < 1 and block.count == self.number < _MOST:
            times = 16 if share < 1 / 16 else 4 if share < 1 / 4 else 2
            self.number = min(_MOST, self.number * times)
