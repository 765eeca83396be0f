"""How many elements wait in buffers: as many as a program says, or as measured times ask for."""

from __future__ import annotations

import numpy as np

from graphwright.data.blocks import Column, ElementBlock
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.tuning.pipeline_budget import AUTOTUNE, PipelineBudget
from graphwright.data.tuning.thread_counts import duration
from graphwright.types.arrays import Array

#: The size to begin with, and the largest, of a buffer whose size is chosen.
_FIRST, _LARGEST = 2, 512
#: So many values without a fixed size are looked at in a block.
_LOOKED_AT = 16


class BufferSize:
    """The most elements that may wait in each buffer of a stage.

    A chosen size doubles when a reader waits at a buffer that had been full. The elements come in
    bursts then, or handing on so few costs more than it saves. Where computing is slower than the
    reader, a buffer is never full, and a larger one would not help.

    Args:
        size: What the program says; AUTOTUNE lets it be chosen.
        first: What a chosen one begins with.
    """

    def __init__(self, size: int, first: int = _FIRST) -> None:
        self.is_free = size == AUTOTUNE
        self.number = first if self.is_free else size
        self.first = self.number
        #: Whether a thread has taken elements for any of the buffers.
        self.has_thread = False
        #: The bytes of the largest element so far.
        self.bytes = 0
        #: How long readers waited before it grew.
        self.waited = 0.0
        #: The size that the memory had room for, where that was less.
        self.room: int | None = None

    def joined(self, other: BufferSize) -> BufferSize:
        """The size of one buffer in the place of two in a row."""
        if self.is_free or other.is_free:
            return BufferSize(AUTOTUNE, self.number + other.number)
        return BufferSize(self.number + other.number)

    def limit(self, buffer: object, budget: PipelineBudget) -> int:
        """How many elements a buffer may have just now."""
        if not self.is_free:
            return self.number
        room = budget.memory.room(buffer, self.number, self.bytes)
        self.room = room if room < self.number else None
        return room

    def grow(self, seconds: float, budget: PipelineBudget) -> None:
        """Notes that a reader waited so long at a buffer which had been full."""
        if self.is_free and budget.is_tuned and self.number < _LARGEST and self.room is None:
            self.number *= 2
            self.waited += seconds

    def note(self, block: ElementBlock) -> None:
        """Notes the size of elements."""
        if self.is_free and block.count:
            self.bytes = max(self.bytes, bytes_of(block) // block.count)

    @property
    def words(self) -> str:
        """How many elements wait at most, and why so many."""
        if not self.is_free:
            return f"a thread takes at most {self.number} ahead"
        if self.room is not None:
            return f"a thread takes at most {self.room} ahead: the memory has room for no more"
        if not self.has_thread:
            return f"a thread takes at most {self.number} ahead: the reader takes each as quickly"
        if self.number == self.first:
            return f"a thread takes at most {self.number} ahead: more was not needed"
        return (
            f"a thread takes at most {self.number} ahead: with fewer, the reader waited "
            f"{duration(self.waited)}"
        )


def bytes_of(block: ElementBlock) -> int:
    """The bytes of the elements of a block; for texts and the like, an estimate."""
    return sum([bytes_of_column(column) for column in block.columns])


def bytes_of_column(values: Column) -> int:
    """The bytes of the values of one tensor."""
    if isinstance(values, np.ndarray):
        return bytes_of_array(values)
    if isinstance(values, RaggedColumn):
        return bytes_of_array(values.flat)
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    return sum([bytes_of_array(array) for array in arrays])


def bytes_of_array(array: Array) -> int:
    """The bytes of an array; of texts, of some of them."""
    if array.dtype != object or not array.size:
        return array.nbytes
    some = array.ravel()[:_LOOKED_AT].tolist()
    mean = sum([len(text) for text in some if isinstance(text, bytes)]) // len(some)
    return array.nbytes + array.size * mean
