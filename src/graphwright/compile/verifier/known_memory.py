"""The state of memory at a point of a plan: how much of each value lies in its memory.

That is all of it, some boxes, or all but an item. A value that is not in a state is not in memory.
On some path nothing has written it, or another value was written over it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box, cover, covers, joined
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require
from graphwright.compile.verifier.plan_steps import (
    Extended,
    Gone,
    Located,
    Packed,
    Packing,
    Read,
    Renamed,
    Repetition,
    Step,
    Written,
)


class Whole(Enum):
    """All of a value."""

    WHOLE = "whole"


WHOLE: Final = Whole.WHOLE


class AllBut(NamedTuple):
    """All items of a list but one, of which boxes are written; `length` counts it, too."""

    place: Size | int
    length: int
    written: tuple[Box, ...] = ()


#: The part of a value that is in memory.
Extent: TypeAlias = tuple[Box, ...] | AllBut | Packing | Whole

State: TypeAlias = dict[int, Extent]


class Memory:
    """The effects of steps on states."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.packed: dict[int, set[int]] = {}  # by value: the buffers where it is packed

    def run(self, step: Step, state: State) -> None:
        """Applies a step to a state; refuses a read of a value that is not in memory."""
        for read in step.reads:
            self.read(read, state)
        for effect in step.effects:
            self.APPLY[type(effect)](self, effect, state)

    def read(self, read: Read, state: State) -> None:
        """Refuses a read of elements that are not in memory."""
        value, part = read
        extent = state.get(value, ())
        if isinstance(part, Packing):
            words = f"b{value} does not hold what b{part.source} is now, packed"
            require(extent == part, PlanRule.VALUES, words)
            return
        if extent is WHOLE or self.layout.is_empty(value):
            return
        boxes = () if isinstance(extent, (AllBut, Packing)) else extent
        if part is None or not covers(boxes, part):
            role = self.layout.buffers[value].role
            state_of = "not all of it is" if extent else "on some path it is not"
            refuse(PlanRule.VALUES, f"b{value} ({role}) is read, and {state_of} in its memory")

    def is_whole(self, value: int, state: State) -> bool:
        """Whether all of a value is in memory."""
        return state.get(value, ()) is WHOLE or self.layout.is_empty(value)

    def written(self, effect: Written, state: State) -> None:
        """Writes elements of a value, and over the other values there."""
        value, box, updates = effect
        lists = self.layout.lists
        owner = lists.get(value)
        for other in self.layout.rivals(value):
            if other != owner and other in state:
                if other in lists:
                    state[other] = ()  # the view still has an item, which may have changed
                else:
                    del state[other]
        if owner is not None:
            self.item_written(value, owner, box, state)
            return
        before = state.get(value, ())
        if before is not WHOLE and not updates:
            self.add(value, box, state)
        self.forget_packed(value, state)

    def item_written(self, view: int, owner: int, box: Box | None, state: State) -> None:
        """Writes an item of a list, which is whole again if it lacked this item."""
        require(view in state, PlanRule.LISTS, f"b{view} is written, and is no item yet")
        lacking = state[view]
        if isinstance(lacking, AllBut):
            boxes = self.joined(view, lacking.written, box)
            extent = boxes if boxes is WHOLE else lacking._replace(written=boxes)
            state[view] = state[owner] = extent
        elif lacking is not WHOLE:
            self.add(view, box, state)
        self.forget_packed(owner, state)
        self.forget_packed(view, state)

    def add(self, value: int, box: Box | None, state: State) -> None:
        """Adds a box to the part of a value that is in memory."""
        before = state.get(value, ())
        boxes = () if isinstance(before, (AllBut, Packing, Whole)) else before
        state[value] = self.joined(value, boxes, box)

    def joined(
        self, value: int, boxes: tuple[Box, ...], box: Box | None
    ) -> tuple[Box, ...] | Whole:
        """Boxes of a value with one more, or all of it."""
        if box is None:
            return WHOLE
        boxes, count = joined(boxes, box), self.layout.counts[value]
        return WHOLE if covers(boxes, Box(0, count, ())) or cover(boxes, count) else boxes

    def renamed(self, effect: Renamed, state: State) -> None:
        """Makes elements of one value those of another, too."""
        source, target, box = effect
        if state.get(source, ()) is WHOLE:
            if state.get(target, ()) is not WHOLE:
                self.add(target, box, state)
        else:
            state.pop(target, None)
        self.forget_packed(target, state)

    def gone(self, effect: Gone, state: State) -> None:
        """Takes away a value's memory, and with it the values that lie there."""
        for value in (effect.value, *self.layout.rivals(effect.value)):
            state.pop(value, None)

    def extended(self, effect: Extended, state: State) -> None:
        """Gives a list one more item, or more zeros; the list may move."""
        s = effect.statement
        for other in self.layout.rivals(s.buffer):
            state.pop(other, None)
        state[s.buffer] = WHOLE if effect.zeros else AllBut(s.length, s.result)

    def located(self, effect: Located, state: State) -> None:
        """Makes a view that of an item in memory, or of one that is written next."""
        s = effect.statement
        extent = state.get(effect.source, ())
        if self.is_whole(effect.source, state):
            state[s.view] = WHOLE
        elif not isinstance(extent, AllBut):
            refuse(PlanRule.VALUES, f"an item of b{s.buffer} is looked for, and it is not there")
        elif s.place == extent.place:
            state[s.view] = extent
        else:  # if the length counts the item that is not written, this may be it
            state[s.view] = () if s.length == extent.length else WHOLE
        self.forget_packed(s.view, state)

    def pack(self, effect: Packed, state: State) -> None:
        """Makes a buffer hold a value, packed, as it is now."""
        state[effect.value] = effect.packing
        self.packed.setdefault(effect.packing.source, set()).add(effect.value)

    def forget_packed(self, value: int, state: State) -> None:
        """Takes away the packed forms of a value, which has changed."""
        for packed in self.packed.get(value, ()):
            state.pop(packed, None)

    def exchange(self, loop: Repetition, state: State) -> None:
        """Gives the variables of a loop their next values, while memory changes places."""
        memory, moves, before = self.layout.memory, loop.moves, dict(state)
        for value in before:
            if self.layout.base(value) in moves:
                del state[value]
        for _, following in loop.pairs:
            state.pop(following, None)
        for variable, following in loop.pairs:
            source = moves.get(memory(variable), memory(variable))
            if source == memory(following) and following in before:
                state[variable] = before[following]
            else:
                state.pop(variable, None)
            self.forget_packed(variable, state)

    APPLY: dict[type, Callable[[Memory, Any, State], None]] = {
        Written: written,
        Renamed: renamed,
        Gone: gone,
        Extended: extended,
        Located: located,
        Packed: pack,
    }


def meet(one: State, other: State) -> State:
    """The state that holds on both of two paths."""
    if one == other:
        return one
    result: State = {}
    for value, extent in one.items():
        if value in other:
            result[value] = common(extent, other[value])
    return result


def common(one: Extent, other: Extent) -> Extent:
    """The part of a value that is in memory on both of two paths."""
    if one == other or other is WHOLE:
        return one
    if one is WHOLE:
        return other
    if isinstance(one, (AllBut, Packing)) or isinstance(other, (AllBut, Packing)):
        return ()
    return tuple([box for box in one if covers(other, box)])
