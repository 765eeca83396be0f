"""Which operands each result of an op depends on: sets of numbers, as the bits of integers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from graphwright.base.named_tuples import NamedTuple


class Needs(NamedTuple):
    """The operands that an op needs, as bits."""

    effects: int  # to run at all
    results: tuple[int, ...]  # the further ones that each result needs
    slopes: tuple[int, ...]  # those that a gradient flows to from each result


def union(sets: Iterable[int]) -> int:
    """The union of sets."""
    return reduce(or_, sets, 0)


def members(numbers: int) -> list[int]:
    """The members of a set, in order."""
    return [i for i in range(numbers.bit_length()) if numbers >> i & 1]
