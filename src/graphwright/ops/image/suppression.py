"""Greedy suppression: of lists of candidates, best first, those stay that no better one hides.

All lists advance together, a block of their candidates at a time. What stayed before hides some of
a block. Of the others, those stay that no better one hides which stays itself. At first all of them
are taken to stay. Then the rule is applied until nothing changes, once for each link of the longest
chain in which one hides the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.types.arrays import Array

#: Of lists [m], which of their better items [m, a] hides which of the worse ones [m, b]: [m, a, b].
Hides: TypeAlias = Callable[[Array, Array, Array], Array]

_AT_A_TIME = 256
_PAIRS = 1 << 16  # compared at a time: what is computed of them stays in the processor's cache


class SuppressionCandidates(NamedTuple):
    """The items of lists [lists, items], best first, and how many of each are candidates."""

    order: Array
    counts: Array

    @classmethod
    def above(cls, scores: Array, least: float) -> SuppressionCandidates:
        """Those with scores above a bound; of equals, the first ones first."""
        above = scores > least
        # Sorted as integers: the negated score in the upper half, its place in the lower one.
        bits = (np.where(above, scores, -np.inf).astype(np.float32) + 0).view(np.int32)
        keys = np.where(bits < 0, bits & 0x7FFFFFFF, ~bits).astype(np.int64)
        keys <<= 32
        keys |= np.arange(scores.shape[1])
        keys.sort(axis=1)
        keys &= 0xFFFFFFFF
        return cls(keys, np.count_nonzero(above, axis=1))


class Boxes(NamedTuple):
    """Lists of boxes [lists, items] by their sides and areas; one without an area overlaps none."""

    sides: Array
    limit: float

    @classmethod
    def of(cls, corners: Array, limit: float) -> Boxes:
        """The boxes with corners y1, x1, y2, x2 [lists, items, 4], whichever corners they are."""
        y1, x1, y2, x2 = np.moveaxis(corners, -1, 0).astype(np.float32)
        top, left = np.minimum(y1, y2), np.minimum(x1, x2)
        bottom, right = np.maximum(y1, y2), np.maximum(x1, x2)
        area = (bottom - top) * (right - left)
        top[~(area > 0)] = np.nan
        return cls(np.stack([top, left, bottom, right, area]), limit)

    def hides(self, lists: Array, better: Array, worse: Array) -> Array:
        """Which overlap by more than the limit."""
        shares: Array = overlaps(
            self.sides[:, lists[:, None], better][..., :, None],
            self.sides[:, lists[:, None], worse][..., None, :],
        )
        return shares > self.limit


def overlaps(a: Array, b: Array) -> Array:
    """The intersections over unions of boxes by their sides and areas."""
    shared: Array = np.minimum(a[2], b[2])
    other = np.maximum(a[0], b[0])
    shared -= other
    np.maximum(shared, 0, out=shared)
    width = np.minimum(a[3], b[3])
    width -= np.maximum(a[1], b[1], out=other)
    shared *= np.maximum(width, 0, out=width)
    np.add(a[4], b[4], out=other)
    other -= shared
    shared /= other
    return shared


def select(candidates: SuppressionCandidates, count: int, hides: Hides) -> tuple[Array, Array]:
    """The items [lists, count] that stay, the rest of a row 0, and how many there are."""
    order, lengths = candidates
    chosen = np.zeros((len(order), count), np.intp)
    counts = np.zeros(len(order), np.intp)
    start = 0
    lists = np.flatnonzero(lengths) if count else counts[:0]
    while lists.size:
        width = min(math.isqrt(_PAIRS // len(lists) + 1) + 8, max(16, count + count // 4))
        block = order[lists, start : start + width]
        free = start + np.arange(block.shape[1]) < lengths[lists, None]
        step = max(1, _PAIRS // block.size)
        before = counts[lists].max()
        for first in range(0, before, step):
            known = chosen[lists, first : min(first + step, before)]
            hidden = hides(lists, known, block)
            if len(lists) > 1:
                hidden &= (first + np.arange(known.shape[1]) < counts[lists, None])[:, :, None]
            free &= ~hidden.any(1)
            if len(lists) == 1:
                block, free = block[:, free[0]], free[:, free[0]]
        stays = _undisturbed(free, hides(lists, block, block))
        place = counts[lists, None] + np.cumsum(stays, axis=1) - 1
        stays &= place < count
        rows = np.nonzero(stays)[0]
        chosen[lists[rows], place[stays]] = block[stays]
        counts[lists] += np.count_nonzero(stays, axis=1)
        start += width
        lists = lists[(counts[lists] < count) & (lengths[lists] > start)]
    return chosen, counts


def _undisturbed(free: Array, hides: Array) -> Array:
    """Which of the free ones [lists, items] none hides that comes before and stays itself."""
    size = free.shape[1]
    pairs = (hides & np.tri(size, k=-1, dtype=np.bool_).T).astype(np.float32)
    stays = free
    while True:
        left: Array = free & (np.matmul(stays[:, None].astype(np.float32), pairs)[:, 0] == 0)
        if np.array_equal(left, stays):
            return left
        stays = left


def select_soft(
    corners: Array, scores: Array, count: int, least: float, sigma: float
) -> tuple[Array, Array]:
    """The boxes [items, 4] that stay where an overlap only lowers a score, and their scores.

    A Gaussian lowers it (Bodla et al., "Soft-NMS", 2017). Scores that are not negative never rise,
    so candidates have their turn when those before them have come down to their scores.
    """
    candidates = SuppressionCandidates.above(scores[None], least)
    order = candidates.order[0, : candidates.counts[0]]
    step = _AT_A_TIME if order.size and scores[order[-1]] >= 0 else order.size
    sides = Boxes.of(corners[None], 0).sides[:, 0]

    def lowered(chosen: list[int], items: Array) -> Array:
        shares = np.fmax(overlaps(sides[:, chosen, None], sides[:, items][:, None]), 0)
        factors: Array = np.exp(shares * shares * np.float32(-0.5 / sigma))
        return factors

    items, left = order[:0], np.empty(0, np.float32)
    chosen: list[int] = []
    results: list[float] = []
    seen = 0
    while len(chosen) < count:
        following = scores[order[seen]] if seen < order.size else -np.inf
        best = int(np.argmax(np.where(left > least, left, -np.inf))) if items.size else -1
        if seen < order.size and not (items.size and left[best] > following):
            new = order[seen : seen + step]
            points = scores[new].astype(np.float32)
            points = np.multiply.reduce([points, *lowered(chosen, new)]) if chosen else points
            items, left = np.append(items, new), np.append(left, points)
            by_place = np.argsort(items)  # of equals, the first
            items, left = items[by_place], left[by_place]
            seen += step
        elif items.size and left[best] > least:
            chosen.append(int(items[best]))
            results.append(float(left[best]))
            left[best] = -np.inf
            left *= lowered(chosen[-1:], items)[0]
        else:
            break
    return np.array(chosen, np.intp), np.array(results, scores.dtype)
