"""Memory in which the results of calls stand side by side, as a batch has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.data.blocks import Column, ElementBlock, Row, column
from graphwright.types.arrays import Array

#: An array of fewer bytes is copied by whoever makes the batch, many of them at once. A copy on its
#: own takes the interpreter's lock twice: with arrays of 20 kB and 16 threads that cost 25 us each.
_LEAST = 1 << 18


class ResultMemory:
    """The memory of so many results: an array for each tensor of them, made with the first result.

    A thread that made a call copies its result to its place here while that is in the cache next to
    its core. And its own memory is at once free for the next call. So whoever makes a batch has
    nothing to copy. A result of another shape than the first one stays where it is.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        #: How many places are promised to calls.
        self.promised = 0
        #: By the number of a tensor.
        self.arrays: dict[int, Array] = {}

    def promise(self) -> int:
        """The place of the next call."""
        self.promised += 1
        return self.promised - 1

    def result(self, place: int, function: Callable[[Row], Row], row: Row) -> Row:
        """What a function returns, at a place."""
        return [self.put(i, place, value) for i, value in enumerate(function(row))]

    def put(self, number: int, place: int, value: Any) -> Any:
        """A tensor of a result, at its place if it fits there."""
        if not isinstance(value, np.ndarray) or value.nbytes < _LEAST:
            return value
        whole = self.arrays.get(number)
        if whole is None:
            new = np.empty((self.count, *value.shape), value.dtype)
            whole = self.arrays.setdefault(number, new)  # another thread may be here, too
        if whole.shape[1:] != value.shape or whole.dtype != value.dtype:
            return value
        whole[place] = value
        return whole[place]

    def block(self, start: int, rows: Sequence[Row]) -> ElementBlock:
        """The rows of results from a place on: those here as a part of this memory."""
        columns: list[Column] = []
        for number, values in enumerate(zip(*rows)):
            whole = self.arrays.get(number)
            if whole is None or any(value.base is not whole for value in values):
                columns.append(column(values))
            else:
                columns.append(whole[start : start + len(rows)])
        return ElementBlock(len(rows), tuple(columns))
