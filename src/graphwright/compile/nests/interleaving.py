"""Interleaved elements: places along an axis that together leave no gap, as components of rows.

Code loads and stores them as one piece of memory, of which each place has every `width`-th element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.nest import Linear, Load, Store
from graphwright.compile.nests.sizes import Size

#: A buffer, the place in it, and the indices that add to that.
Key: TypeAlias = tuple[int, Linear, tuple[tuple[int, Size], ...]]

#: The most places that are taken together.
_WIDEST = 16


def key_of(x: Load | Store) -> Key:
    """The key of the place that an instruction reads or an effect writes."""
    return x.buffer, x.place, x.picks


class Component(NamedTuple):
    """A place of a group: that of the group's first elements, and its number among them."""

    first: Key
    number: int


def distance(place: Linear) -> int:
    """The distance of elements along the innermost axis, or 0 if it is not a small number."""
    last = place.strides[-1] if place.strides else Size(0)
    return last.factor if not last.symbols and 1 < last.factor <= _WIDEST else 0


def interleaved(keys: Iterable[Key], use: Callable[[Key], object]) -> dict[Key, list[Key]]:
    """The groups of places: by the first of each, all in order.

    Places of a group have the same `use`.
    """
    candidates: dict[object, dict[int, Key]] = {}
    for key in keys:
        buffer, place, picks = key
        if distance(place) and not picks:
            start = sum(o.factor for o in place.offsets if not o.symbols)
            moving = tuple(sorted(o for o in place.offsets if o.symbols))
            group = buffer, moving, place.strides, place.scalars, use(key)
            candidates.setdefault(group, {})[start] = key
    groups = {}
    for members in candidates.values():
        starts = sorted(members)
        width = distance(members[starts[0]][1])
        if starts == list(range(starts[0], starts[0] + width)):
            ordered = [members[start] for start in starts]
            groups[ordered[0]] = ordered
    return groups
