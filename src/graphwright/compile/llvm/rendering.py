"""What machine code and Python hand each other: a program's text and table, words of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.element_kinds import DTYPES
from graphwright.compile.select.kernel_calls import MOST_AXES

#: The first of the two words of a table that have the addresses of the program's functions.
ADDRESSES = 2

#: The words that describe an array to `gw_kernel`: NumPy's number of the dtype, the rank, flags,
#: the address, and the dimensions, which have room for the most that there are.
ARRAY_WORDS = 4 + MOST_AXES


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
