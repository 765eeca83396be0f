"""Many byte strings as one buffer, so that NumPy computes with the bytes of all of them at once."""

from __future__ import annotations

from collections.abc import Sequence, Sized

import numpy as np
import numpy.typing as npt


def sizes(pieces: Sequence[Sized]) -> npt.NDArray[np.int64]:
    """How long each piece is."""
    return np.fromiter(map(len, pieces), np.int64, len(pieces))


class Joined:
    """The bytes of all strings in a row, and where each string lies among them."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self.sizes = sizes(texts)
        self.stops = np.cumsum(self.sizes)
        self.starts = self.stops - self.sizes
        self._together = b"".join(texts)

    @property
    def bytes(self) -> npt.NDArray[np.uint8]:
        """The bytes of all strings."""
        return np.frombuffer(self._together, np.uint8)
