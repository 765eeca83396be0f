"""A window of an image at random that shows enough of the objects in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsFloat

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.ops.random.single_numbers import Numbers


class Window(NamedTuple):
    """A part of an image, in pixels; the ends are not in it."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        """The number of pixels."""
        return max(self.bottom - self.top, 0) * max(self.right - self.left, 0)

    def shared(self, other: Window) -> int:
        """The number of pixels that are in both."""
        firsts = map(max, self[:2], other[:2])
        return Window(*firsts, *map(min, self[2:], other[2:])).area


class Wanted(NamedTuple):
    """What a window must be like: ranges of width over height and of its part of the area."""

    aspects: tuple[float, float]
    areas: tuple[float, float]
    covered: float
    attempts: int


def sample(
    height: int, width: int, objects: Sequence[Window], wanted: Wanted, numbers: Numbers
) -> Window:
    """A window as wanted that shows enough of some object; the whole image if no draw is one."""
    f32 = np.float32
    low, high = f32(wanted.aspects[0]), f32(wanted.aspects[1])
    for _ in range(wanted.attempts):
        aspect = f32(numbers.unit() * (high - low) + low)
        window = drawn(height, width, aspect, wanted.areas, numbers)
        if window is not None and shows(window, objects, wanted.covered):
            return window
    return Window(0, 0, height, width)


def shows(window: Window, objects: Sequence[Window], covered: float) -> bool:
    """Whether a window has enough of some object in it."""
    if window.area < 1:
        return False
    return any(o.area >= 1 and np.float32(o.shared(window) / o.area) >= covered for o in objects)


def drawn(
    height: int, width: int, aspect: np.float32, areas: tuple[float, float], numbers: Numbers
) -> Window | None:
    """A window of a shape; None where rounding leaves none whose area is in the range."""
    f32 = np.float32
    least, most = (f32(f32(area) * f32(width) * f32(height)) for area in areas)
    if height <= 0 or width <= 0:
        return None
    rows, limit = (rounded(np.sqrt(f32(area / aspect))) for area in (least, most))
    if rounded(f32(limit) * aspect) > width:
        limit = int((width + 0.5 - 1e-7) / float(aspect))
        limit -= rounded(f32(limit) * aspect) > width
    limit = min(limit, height)
    rows = min(rows, limit)
    if rows < limit:
        rows += numbers.below(limit - rows + 1)
    columns = rounded(f32(rows) * aspect)
    for step, wrong in ((1, rows * columns < least), (-1, rows * columns > most)):
        if wrong:
            rows += step
            columns = rounded(f32(rows) * aspect)
    fits = least <= rows * columns <= most and 0 < columns <= width and 0 < rows <= height
    if not fits:
        return None
    top = numbers.below(height - rows) if rows < height else 0
    left = numbers.below(width - columns) if columns < width else 0
    return Window(top, left, top + rows, left + columns)


def rounded(value: SupportsFloat) -> int:
    """The nearest integer, the even one of two."""
    return round(float(value)) if math.isfinite(value) else 0
