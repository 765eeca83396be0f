"""Plans: work strip by strip, as native steps that threads share.

The steps and their memory follow from sizes alone, so a plan is made once and kept.
"""

from __future__ import annotations

from array import array

import numpy as np

from graphwright.machine import products, threads
from graphwright.machine.array_layout import Array, FloatDType, address
from graphwright.machine.products import Table
from graphwright.machine.strip_code import WORDS

#: The memory of a call by number: its operands and result, and its work space. All parts read the
#: same panels; each part has a frame and panels of its own.
SOURCE, OTHER, RESULT, PANELS, FRAME, PART_PANELS = range(6)

_LINE = 64  # bytes of a line of the cache


class StripPlan:
    """The steps of several parts, after the steps that all parts need."""

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self.steps: list[tuple[int, ...]] = []
        self.starts: list[int] = [0]
        self.tables: list[Table] = []  # the steps have their addresses
        self.sizes = [0, 0, 0]  # the bytes of the work space

    def add(self, kind: int, *words: int | Table) -> None:
        """Adds a step."""
        numbers = [kind]
        for word in words:
            if isinstance(word, np.ndarray):
                self.tables.append(word)
                word = address(word)
            numbers.append(word)
        self.steps.append((*numbers, *[0] * (WORDS - len(numbers))))

    def end_part(self) -> None:
        """Ends a part; the first one has the steps that all parts need."""
        self.starts.append(len(self.steps))

    def need(self, base: int, size: int) -> None:
        """Reserves work space of at least so many bytes."""
        number = base - PANELS
        self.sizes[number] = max(self.sizes[number], -(-size // _LINE) * _LINE)

    def finish(self) -> StripPlan:
        """The plan, with its steps as native code reads them."""
        self.table = np.array(self.steps, np.int64).reshape(-1, WORDS)
        self.places = np.array(self.starts, np.int64)
        self.addresses = address(self.table), address(self.places)
        return self

    def perform(
        self,
        dtype: FloatDType,
        source: Array,
        other: Array,
        result: Array,
        apart: bool = False,
        keep: float = 1.0,
        scale: float = 1.0,
    ) -> None:
        """Does all steps on this memory.

        With `apart` each part writes its own item of `result`. `keep` and `scale` are the factors
        of the old result and of products.
        """
        native = products.kernels(dtype)
        shared, frame, own_panels = self.sizes
        rooms = min(self.parts, threads.available())
        room = np.empty(shared + rooms * (frame + own_panels) + _LINE, np.uint8)
        start = address(room)
        start += -start % _LINE
        flags = array("q", [0] * rooms)
        factors = array(dtype.char, (keep, scale, 1.0, scale))
        context = array(
            "q",
            (
                *(*self.addresses, address(source), address(other), address(result), start),
                *(result.strides[0] if apart else 0, start + shared, flags.buffer_info()[0]),
                *(frame + own_panels, frame, rooms, factors.buffer_info()[0], 2 * dtype.itemsize),
            ),
        )
        place = context.buffer_info()[0]
        if self.starts[1]:
            native.perform.run(place, 1)
        context[1] += self.places.itemsize
        native.perform.run(place, self.parts)
