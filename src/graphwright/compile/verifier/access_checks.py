"""The checks that all accesses share: kinds, numbers of elements, arguments."""

from __future__ import annotations

from graphwright.compile.nests.sizes import Shape, Size, product
from graphwright.compile.verifier.bounds import Bounds
from graphwright.compile.verifier.element_boxes import Box
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, require
from graphwright.compile.verifier.plan_steps import Written


class Accesses:
    """Verifies accesses of values."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.sizes = layout, layout.sizes
        self.bounds = Bounds(layout)

    def kind(self, value: int, kind: str) -> None:
        """Requires that a value has a kind."""
        actual = self.layout.buffers[value].kind
        require(actual == kind, PlanRule.SCALARS, f"b{value}, of {actual}, is taken for {kind}")

    def item_of(self, value: int, item: Size, kind: str) -> None:
        """Requires that a buffer is a list of items of this size."""
        buffer = self.layout.buffers[value]
        words = f"b{value} is no list of items of {item} elements"
        same = self.layout.counts[value] == self.sizes.of(item)
        require(buffer.role == "owned" and same, PlanRule.LISTS, words)
        self.kind(value, kind)

    def items(self, value: int, number: Size | int, item: Size, kind: str) -> None:
        """Requires that a list or a tensor has these items, if their number is a size."""
        if self.layout.buffers[value].role == "owned":
            self.item_of(value, item, kind)
            room = self.layout.room.get(value)
            if room is not None and isinstance(number, Size):
                words = f"{number} items are asked for of b{value}, which has {room}"
                require(self.sizes.of(number) <= room, PlanRule.BOUNDED, words)
        elif isinstance(number, Size):
            self.run(value, kind, (number, item))
        self.kind(value, kind)

    def run(self, value: int, kind: str, dims: Shape) -> Box | None:
        """The box of the first elements of a value, which must have them; None for all."""
        self.kind(value, kind)
        needed, count = self.sizes.of(product(dims)), self.layout.counts[value]
        if self.layout.buffers[value].role in ("owned", "late") or needed == count:
            return None
        words = f"{needed} elements are asked for of b{value}, which has {count}"
        require(needed <= count, PlanRule.BOUNDED, words)
        return Box(0, needed, ())

    def apart_or_aligned(self, source: int, target: int) -> None:
        """Requires that two values lie apart, or begin at the same place."""
        words = f"b{target} is written over b{source}, which begins elsewhere"
        meet = self.layout.meet(source, target)
        require(not meet or self.layout.aligned(source, target), PlanRule.IN_PLACE, words)

    def written(self, value: int, box: Box | None = None) -> Written:
        """The effect that a value has new elements; refused for an argument."""
        words = f"b{value}, an argument, is written"
        require(not self.layout.is_given(value), PlanRule.ARGUMENTS, words)
        return Written(value, box)
