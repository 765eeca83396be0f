"""Orders in which the parts of a nest may run: a plan may rely on none of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

#: A nest is cut into no more pieces than this along the axes outside its stages, and inside.
_PIECES = 24


class Order(NamedTuple):
    """Pieces of the outer indices that take all stages together, one piece after the other, and
    how a stage goes through the inner indices: by chunks, each of which loads before it stores.

    What is `late` loads only just before the effect that needs it, but for what the nest says is
    to be read first.
    """

    name: str
    turns: list[Any]
    chunks: list[Any]
    late: bool = False


def at_once(outers: int, inners: int) -> Order:
    """All indices in lockstep, as on a machine with as many lanes."""
    return Order("all at once", [np.arange(outers)], [np.arange(inners)])


def orders(outers: int, inners: int) -> Iterator[Order]:
    """Adverse orders."""
    whole, inside = [np.arange(outers)], [np.arange(inners)]
    yield Order("all at once, late", whole, inside, late=True)
    turns, chunks = pieces(outers, 1), pieces(inners, 1)
    yield Order("forward", turns, chunks)
    yield Order("forward, late", turns, chunks, late=True)
    yield Order("backward", turns[::-1], chunks[::-1])
    for width in (2, 3, 8):
        if outers > width or inners > width:
            turns, chunks = pieces(outers, width), pieces(inners, width)
            yield Order(f"by {width}", turns, chunks)
            yield Order(f"by {width} backward, late", turns[::-1], chunks[::-1], late=True)
    random = np.random.default_rng(0)
    turns, chunks = [
        np.array_split(random.permutation(n), min(n, 5) or 1) for n in (outers, inners)
    ]
    yield Order("shuffled", turns, chunks)


def in_sequence(rows: int, row: int) -> Iterator[Order]:
    """Orders of what takes rows one after the other, and the elements of each in any order."""
    steps = [np.arange(i * row, (i + 1) * row) for i in range(rows)]
    inside = [np.arange(1)]
    yield Order("rows", steps, inside)
    yield Order("rows, late", steps, inside, late=True)
    yield Order("rows, forward", [x for step in steps for x in np.split(step, row)], inside)
    backward = [x for step in steps for x in np.split(step, row)[::-1]] if row else []
    yield Order("rows, backward", backward, inside)


def pieces(count: int, width: int) -> list[Any]:
    """Indices cut into pieces of a width, or of a larger one where these would be too many."""
    width = max(width, -(-count // _PIECES))
    return np.split(np.arange(count), range(width, count, width))
