"""Many byte strings as one buffer, so that NumPy computes with the bytes of all of them at once."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import chain

import numpy as np
import numpy.typing as npt

_WORD = 8


def sizes(pieces: Sequence[Sized]) -> npt.NDArray[np.int64]:
    """How long each piece is."""
    return np.fromiter(map(len, pieces), np.int64, len(pieces))


class Joined:
    """The bytes of all strings in a row, and where each string lies among them."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.sizes = sizes(texts)
        self.stops = np.cumsum(self.sizes)
        self.starts = self.stops - self.sizes
        self._padded = b"".join(chain(texts, (bytes(_WORD),)))

    @property
    def bytes(self) -> npt.NDArray[np.uint8]:
        """The bytes of all strings."""
        return np.frombuffer(self._padded, np.uint8)[:-_WORD]

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The eight bytes from each byte on as a number, its lowest byte first.

        What follows the last string counts as zeros.
        """
        count = len(self._padded) - _WORD + 1
        words: npt.NDArray[np.uint64] = np.ndarray((count,), "<u8", self._padded, strides=(1,))
        return words
