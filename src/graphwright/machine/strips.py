"""Plans: what is done strip by strip, as native steps that threads share.

What is done with which memory follows from sizes alone, so a plan is made once and kept.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

from graphwright.machine import products, threads
from graphwright.machine.array_layout import address
from graphwright.machine.products import Table
from graphwright.machine.strip_code import WORDS

Array = npt.NDArray[Any]

#: The memory of a call by number: what is given to it, and the work space that it makes. All parts
#: read the same panels; a frame and panels of its own a part has while it is done.
SOURCE, OTHER, RESULT, PANELS, FRAME, OWN = range(6)

_LINE = 64  # bytes of a line of the cache


class StripPlan:
    """Steps of several parts, after those that all parts need."""

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self.steps: list[tuple[int, ...]] = []
        self.starts: list[int] = [0]
        self.kept: list[Table] = []  # whose addresses the steps have
        self.sizes = [0, 0, 0]  # the bytes of the work space

    def add(self, kind: int, *words: int | Table) -> None:
        """The next step."""
        numbers = [kind]
        for word in words:
            if isinstance(word, np.ndarray):
                self.kept.append(word)
                word = address(word)
            numbers.append(word)
        self.steps.append((*numbers, *[0] * (WORDS - len(numbers))))

    def end_part(self) -> None:
        """What comes now belongs to the next part; the first one is what all need."""
        self.starts.append(len(self.steps))

    def need(self, base: int, size: int) -> None:
        """Work space of at least so many bytes."""
        at = base - PANELS
        self.sizes[at] = max(self.sizes[at], -(-size // _LINE) * _LINE)

    def finish(self) -> StripPlan:
        """The steps as native code reads them."""
        self.table = np.array(self.steps, np.int64).reshape(-1, WORDS)
        self.places = np.array(self.starts, np.int64)
        self.addresses = address(self.table), address(self.places)
        return self

    def perform(
        self,
        dtype: np.dtype[Any],
        source: Array,
        other: Array,
        result: Array,
        apart: bool = False,
        keep: float = 1.0,
        scale: float = 1.0,
    ) -> None:
        """Does all steps on this memory; `apart` gives each part its own first item of `result`,
        `keep` and `scale` are the factors of what was there and of products."""
        native = products.kernels(dtype)
        shared, frame, own = self.sizes
        rooms = min(self.parts, threads.available())
        room = np.empty(shared + rooms * (frame + own) + _LINE, np.uint8)
        start = address(room)
        start += -start % _LINE
        flags = array("q", [0] * rooms)
        factors = array(dtype.char, (keep, scale, 1.0, scale))
        context = array(
            "q",
            (
                *(*self.addresses, address(source), address(other), address(result), start),
                *(result.strides[0] if apart else 0, start + shared, flags.buffer_info()[0]),
                *(frame + own, frame, rooms, factors.buffer_info()[0], 2 * dtype.itemsize),
            ),
        )
        at = context.buffer_info()[0]
        if self.starts[1]:
            native.perform.run(at, 1)
        context[1] += self.places.itemsize
        native.perform.run(at, self.parts)
