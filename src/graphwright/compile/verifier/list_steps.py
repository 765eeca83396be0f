"""Statements of lists become steps."""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.nests.list_statements import (
    Agree,
    Deliver,
    Extend,
    Locate,
    Mark,
    Require,
    Reserve,
    Shorten,
    Transfer,
)
from graphwright.compile.verifier.access_checks import Accesses
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.plan_rules import PlanRule, require
from graphwright.compile.verifier.plan_steps import (
    Effect,
    Extended,
    Gone,
    Located,
    Read,
    Step,
    Written,
)
from graphwright.compile.verifier.statement_pairs import Pair


class ListSteps(Accesses):
    """Makes steps of the statements of lists."""

    def reserve(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that makes a list of zeros."""
        s: Reserve = pair.lowered
        scalars.read_lengths([s.length])
        slot, like = s.written
        if like >= 0:
            scalars.noted(like)
        if slot >= 0:
            scalars.note(slot)
        self.item_of(s.buffer, s.item, s.kind)
        return Step(s, (), (Gone(s.buffer), Written(s.buffer)))

    def extend(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that extends a list, by zeros or by one item that is written next."""
        s: Extend = pair.lowered
        lengths = [s.length, *([s.place] if s.place >= 0 else [])]
        lengths += [s.exactly] if s.exactly != -1 else []
        scalars.read_lengths(lengths)
        self.item_of(s.buffer, s.item, s.kind)
        scalars.define(s.result, "i32")
        zeros = s.place >= 0 or s.exactly != -1
        return Step(s, (Read(s.buffer, None),), (Extended(s, zeros),))

    def shorten(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that computes a length without some items."""
        s: Shorten = pair.lowered
        scalars.read_lengths([s.length, s.by])
        scalars.define(s.result, "i32")
        return Step(s, (), ())

    def locate(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that makes a view of an item."""
        s: Locate = pair.lowered
        scalars.read_lengths([s.place, s.length])
        self.items(s.buffer, s.length, s.item, s.kind)
        self.kind(s.view, s.kind)
        words = f"b{s.view} is no item of b{s.buffer}"
        same = self.layout.counts[s.view] == self.sizes.of(s.item)
        require(same, PlanRule.LISTS, words)
        return Step(s, (), (Located(s, s.buffer),))

    def transfer(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that copies items from one list to another."""
        s: Transfer = pair.lowered
        scalars.read_lengths([s.start, s.place, s.number])
        self.items(s.source, s.number, s.item, s.kind)
        self.item_of(s.target, s.item, s.kind)
        meet = self.layout.meet(s.source, s.target)
        require(not meet, PlanRule.IN_PLACE, "a list is copied to itself")
        reads = Read(s.source, None), Read(s.target, None)
        return Step(s, reads, (Written(s.target, None, True),))

    def agree(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that compares two lengths."""
        s: Agree = pair.lowered
        scalars.read_lengths([s.one, s.other])
        return Step(s, (), ())

    def mark(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that notes a write."""
        scalars.noted(pair.lowered.written)
        return Step(pair.lowered, (), ())

    def demand(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that requires a write to a list that has items."""
        s: Require = pair.lowered
        scalars.noted(s.written)
        scalars.read_lengths([s.length])
        return Step(s, (), ())

    def deliver(self, pair: Pair, scalars: KnownScalars) -> Step:
        """The step that makes a list a result."""
        s: Deliver = pair.lowered
        scalars.read_lengths([s.length])
        self.items(s.buffer, s.length, s.item, s.kind)
        self.kind(s.late, s.kind)
        role, shape, _ = self.layout.buffers[s.late]
        words = f"b{s.late} is no list of items of {s.item} elements"
        same = self.sizes.product(shape[1:]) == self.sizes.of(s.item)
        require(role == "late" and same, PlanRule.LISTS, words)
        effects: list[Effect] = [Written(s.late)]
        if not s.copy:
            role = self.layout.buffers[s.buffer].role
            words = f"b{s.buffer} is given away, and is no list's own memory"
            require(role == "owned", PlanRule.LISTS, words)
            effects.append(Gone(s.buffer))
        return Step(s, (Read(s.buffer, None),), tuple(effects))

    RULES: dict[type, Callable[..., Step]] = {
        Reserve: reserve,
        Extend: extend,
        Shorten: shorten,
        Locate: locate,
        Transfer: transfer,
        Agree: agree,
        Mark: mark,
        Require: demand,
        Deliver: deliver,
    }
