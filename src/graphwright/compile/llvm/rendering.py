"""What a program's text and its table for the boundary are: plain data that may be kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.element_kinds import DTYPES

#: The first of the two words of a table that have the addresses of the program's functions.
ADDRESSES = 2


class Rendering(NamedTuple):
    """A program as an LLVM module, and what the boundary needs for a call of it."""

    text: str
    slots: int  # of the frame
    inputs: tuple[tuple[str, int, int], ...]  # kind, rank, slot
    symbols: tuple[tuple[int, int, int, int], ...]  # slot, input, axis, expected size or -1
    #: Kind, rank, slots of the dimensions and the address, is late, input whose memory it may have.
    results: tuple[tuple[str, int, int, int, bool, int], ...]
    reuses: tuple[tuple[int, int], ...]  # result, input
    sanitizer: Any = None

    def table(self, addresses: tuple[int, int]) -> bytes:
        """The description of the program for the boundary, with its functions' addresses."""
        words = [self.slots, len(self.inputs), *addresses]
        words += [len(self.results), len(self.symbols)]
        for kind, rank, slot in self.inputs:
            words += [id(DTYPES[kind].numpy_dtype), rank, slot]
        for entry in self.symbols:
            words += entry
        for kind, rank, dims, slot, is_late, reused in self.results:
            words += [DTYPES[kind].numpy_dtype.num, rank, dims, slot, is_late, reused]
        return np.array(words, np.int64).tobytes()
