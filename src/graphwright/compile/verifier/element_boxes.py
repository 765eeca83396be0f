"""The elements of an access as boxes: rows of adjacent elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.nest import Linear
from graphwright.compile.verifier.quantities import Quantities


class Box(NamedTuple):
    """`length` elements from `first` on, again for each index of `rows`: (number, distance), the
    smallest distance first."""

    first: int
    length: int
    rows: tuple[tuple[int, int], ...]

    @property
    def end(self) -> int:
        """The place behind the last element."""
        return self.first + self.length + sum([(n - 1) * step for n, step in self.rows])


def box_of(place: Linear, axes: Sequence[int], sizes: Quantities) -> tuple[Box | None, bool]:
    """The box of a place without scalars and picks, None if an axis is empty.

    With it comes whether each of its elements has one index.
    """
    first, apart = 0, True
    for offset in place.offsets:
        first += sizes.of(offset)
    steps = []
    for size, count in zip(place.strides, axes):
        if count == 0:
            return None, True
        if count > 1:
            step = sizes.of(size)
            if step < 0:
                first += (count - 1) * step
                step = -step
            if step:
                steps.append((step, count))
            else:
                apart = False
    steps.sort()
    length, reach = 1, 1
    rows: list[tuple[int, int]] = []
    for step, count in steps:
        apart = apart and step >= reach
        reach += (count - 1) * step
        if not rows and step == length:
            length *= count
        elif rows and step == rows[-1][0] * rows[-1][1]:
            rows[-1] = rows[-1][0] * count, rows[-1][1]
        else:
            rows.append((count, step))
    return Box(first, length, tuple(rows)), apart


def joined(boxes: tuple[Box, ...], box: Box) -> tuple[Box, ...]:
    """Boxes with one more, in as few as `union` makes of them."""
    rest = list(boxes)
    again = True
    while again:
        again = False
        for other in rest:
            whole = union(box, other)
            if whole is not None:
                rest.remove(other)
                box, again = whole, True
                break
    return (*rest, box)


def union(a: Box, b: Box) -> Box | None:
    """One box of the elements of two, or None; some pairs that are one box give None."""
    if contains(a, b):
        return a
    if contains(b, a):
        return b
    if a.rows == b.rows:
        if a.first > b.first:
            a, b = b, a
        if b.first <= a.first + a.length:
            return closed(Box(a.first, b.first + b.length - a.first, a.rows))
    return None


def closed(box: Box) -> Box:
    """The box with adjacent rows as one row."""
    while box.rows and box.rows[0][1] <= box.length:
        (count, step), *rest = box.rows
        box = Box(box.first, box.length + (count - 1) * step, tuple(rest))
    return box


def contains(a: Box, b: Box) -> bool:
    """Whether all elements of b are in a; in some cases that are not needed False instead."""
    if a == b:
        return True
    if not a.rows:
        return a.first <= b.first and b.end <= a.first + a.length
    return a.rows == b.rows and a.first <= b.first and b.first + b.length <= a.first + a.length


def cover(boxes: Sequence[Box], count: int) -> bool:
    """Whether boxes have all of so many elements among them, whatever their rows."""
    if sum([box.length * prod([n for n, _ in box.rows]) for box in boxes]) < count:
        return False
    ranges = []
    for box in boxes:
        starts = np.array([box.first])
        for number, step in box.rows:
            starts = np.add.outer(np.arange(number) * step, starts).ravel()
        ranges.append(np.stack([starts, starts + box.length]))
    begins, ends = np.concatenate(ranges, axis=1)
    order = np.argsort(begins)
    reached = np.maximum.accumulate(ends[order])  # by all ranges up to each
    gaps = (begins[order][1:] > reached[:-1]) & (reached[:-1] < count)
    return bool(begins[order[0]] <= 0 and reached[-1] >= count and not gaps.any())


def covers(coverage: tuple[Box, ...], box: Box) -> bool:
    """Whether one of the written boxes contains a box."""
    return any(contains(a, box) for a in coverage)
