"""The bounds of places, which follow from counters of loops, constants and checked indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from graphwright.compile.nests.nest import Count, Element, Instruction, Linear, Load, Scalar
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, refuse
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.own_ops import PickIndex

Picks: TypeAlias = tuple[tuple[int, Size], ...]


class Bounds:
    """The limits of numbers that are indices, as far as they are known."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.sizes = layout, layout.sizes
        self._limits: dict[int, int | None] = {}  # of the elements of each value

    def limit(
        self, instructions: Sequence[Instruction], i: int, scalars: KnownScalars
    ) -> int | None:
        """The number that an instruction's result is checked to be less than, or None."""
        x = instructions[i]
        if isinstance(x, Element):
            if isinstance(x.op, PickIndex):
                size = instructions[x.operands[-1]]
                return self.sizes.of(size.size) if isinstance(size, Count) else None
            if isinstance(x.op, Cast):
                return self.limit(instructions, x.operands[0], scalars)
        elif isinstance(x, Scalar):
            return scalars.read(x.scalar, x.kind).limit
        elif isinstance(x, Load):
            return self._limits.get(x.buffer)
        return None

    def store(self, value: int, limit: int | None) -> None:
        """Notes the limit of elements that are stored to a value."""
        if value in self._limits:
            known = self._limits[value]
            limit = None if known is None or limit is None else max(known, limit)
        self._limits[value] = limit

    def verify(
        self,
        value: int,
        box: Box,
        place: Linear,
        picks: Picks,
        instructions: Sequence[Instruction],
        scalars: KnownScalars,
    ) -> None:
        """Refuses a place that is partly outside of a value."""
        if self.layout.buffers[value].role in ("owned", "late"):
            return  # a list has no fixed number of items
        low, high = box.first, box.end - 1
        indices = [(scalars.read(s, "i64").limit, stride) for s, stride in place.scalars]
        indices += [(self.limit(instructions, i, scalars), stride) for i, stride in picks]
        for limit, stride in indices:
            if not index_is_bounded(limit):
                return
            furthest = (limit - 1) * self.sizes.of(stride) if limit else 0
            low, high = low + min(furthest, 0), high + max(furthest, 0)
        count = self.layout.counts[value]
        if low < 0 or high >= count:
            refuse(
                PlanRule.BOUNDED, f"b{value}[{low}..{high}] is asked for, and b{value} has {count}"
            )


def index_is_bounded(limit: int | None) -> bool:
    """Whether a number that depends on data is known to be below a limit.

    Plans have no checks but those of `PickIndex`. An index that another op computes, a remainder
    say, is taken to be right.
    """
    return limit is not None
