"""The elements of a stage one by one, read ahead in blocks where nobody can see it."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from graphwright.base.forks import own_lock
from graphwright.data.blocks import ElementBlock, Row
from graphwright.data.stage import DatasetStage, State, cursor_of
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: A block grows until it takes so long, in seconds, or has so many bytes or elements.
_LONG = 0.001
_BYTES = 1 << 20
_MOST = 1 << 14


class Reader:
    """An iterator's place in a dataset: a value of dtype variant, which changes."""

    dtype = dt.variant
    shape = ()
    tensor_type = TensorType(dt.variant, ())

    def __init__(self, stage: DatasetStage) -> None:
        self.stage = stage
        self.cursor = cursor_of(stage)
        self.lock = own_lock(self)
        self.limit = 1
        self.is_observable = stage.is_observable
        self.block = ElementBlock(0, ())
        self.place = 0

    def row(self) -> Row | None:
        """The arrays of the next element; None at the end."""
        with self.lock:
            if self.place == self.block.count:
                block = self.next_block()
                if block is None:
                    return None
                self.block, self.place = block, 0
            place = self.place
            self.place = place + 1
            return self.block.row(place)

    def rest(self) -> ElementBlock | None:
        """The next elements, as many as are there; None at the end."""
        with self.lock:
            if self.place < self.block.count:
                part = self.block.part(self.place, self.block.count)
                self.place = self.block.count
                return part
            return self.next_block()

    def dense_block(self) -> ElementBlock | None:
        """The next elements, with an array for each column; None at the end."""
        with self.lock:
            if self.place == self.block.count:
                block = self.next_block()
                if block is None:
                    return None
                self.block, self.place = block, 0
            start = self.place
            is_dense = all(isinstance(c, np.ndarray) for c in self.block.columns)
            self.place = self.block.count if is_dense else start + 1
            part = self.block.part(start, self.place)
        return part if is_dense else ElementBlock(1, tuple([c[0][None] for c in part.columns]))

    def next_block(self) -> ElementBlock | None:
        """The next elements, as many as are worth it."""
        if self.is_observable:
            return self.cursor.pull(1)
        began = perf_counter()
        block = self.cursor.pull(self.limit)
        if block is not None:
            self.resize(block, perf_counter() - began)
        return block

    def resize(self, block: ElementBlock, seconds: float) -> None:
        """Chooses how many elements to take next time."""
        size = sum([c.nbytes for c in block.columns if isinstance(c, np.ndarray)])
        if seconds > 2 * _LONG or size > 2 * _BYTES:
            self.limit = max(1, self.limit // 2)
        elif seconds < _LONG and size < _BYTES and block.count == self.limit < _MOST:
            self.limit *= 2

    def save(self) -> State:
        """What another reader needs to go on behind the last element taken."""
        with self.lock:
            ahead = self.block.part(self.place, self.block.count)
            return {"cursor": self.cursor.save(), "ahead": ahead.saved()}

    def restore(self, state: State) -> None:
        """Goes to where another reader was."""
        with self.lock:
            self.cursor.restore(state["cursor"])
            self.block, self.place = ElementBlock.restored(state["ahead"]), 0

    def close(self) -> None:
        """Lets go of threads and files."""
        self.cursor.close()

    def __repr__(self) -> str:
        return f"<iterator of {self.stage!r}>"
