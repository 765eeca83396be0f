"""Places are inside of their buffers: counters of loops, constants, checked indices."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.nest import Count, Element, Instruction, Linear, Load, Scalar
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, refuse
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.own_ops import PickIndex

Picks = tuple[tuple[int, Size], ...]


class Bounds:
    """What is known of numbers that say where something is."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.sizes = layout, layout.sizes
        self._limits: dict[int, int | None] = {}  # of the elements of values

    def limit(
        self, instructions: Sequence[Instruction], i: int, scalars: KnownScalars
    ) -> int | None:
        """What an instruction's result is less than, if something has checked that."""
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
        """Notes what elements of a value are less than."""
        if value in self._limits:
            known = self._limits[value]
            limit = None if known is None or limit is None else max(known, limit)
        self._limits[value] = limit

    def verify(
        self,
        value: int,
        box: Box,
        at: Linear,
        picks: Picks,
        instructions: Sequence[Instruction],
        scalars: KnownScalars,
    ) -> None:
        """Refuses a place that is not all inside of a value."""
        if self.layout.buffers[value].role in ("owned", "late"):
            return  # a list has as many items as it has
        low, high = box.first, box.end - 1
        indices = [(scalars.read(s, "i64").limit, stride) for s, stride in at.scalars]
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
    """Whether a number that follows from data is known to be below a limit.

    The only checks that a plan has are those of `PickIndex`. An index that something else computes,
    a remainder say, is taken to be right.
    """
    return limit is not None
