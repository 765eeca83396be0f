"""The scalars that are defined at a statement, with their kinds and limits."""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.nest import Linear
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require


class KnownScalar(NamedTuple):
    """A scalar: its kind, and its limit; it is less than that and at least 0. None if unknown."""

    kind: str
    limit: int | None = None


class KnownScalars:
    """The scalars of a block and of the blocks around it."""

    def __init__(self) -> None:
        self._known: dict[int, KnownScalar] = {}
        self._slots: set[int] = set()

    def inner(self) -> KnownScalars:
        """The scalars at the beginning of a block inside this one."""
        result = KnownScalars()
        result._known, result._slots = dict(self._known), self._slots
        return result

    def define(self, scalar: int, kind: str, limit: int | None = None) -> None:
        """Defines a scalar from here on."""
        self._known[scalar] = KnownScalar(kind, limit)

    def read(self, scalar: int, kind: str) -> KnownScalar:
        """A scalar, which must be defined and of this kind."""
        known = self._known.get(scalar)
        if known is None:
            refuse(PlanRule.SCALARS, f"%{scalar} is read where nothing defines it")
        if known.kind != kind:
            refuse(PlanRule.SCALARS, f"%{scalar} is read as {kind}, and is {known.kind}")
        return known

    def read_place(self, place: Linear) -> None:
        """Reads the scalars of a place."""
        for scalar, _ in place.scalars:
            self.read(scalar, "i64")

    def read_lengths(self, lengths: Iterable[Size | int]) -> None:
        """Reads lengths and indices of lists, which are sizes or scalars."""
        for length in lengths:
            if not isinstance(length, Size):
                self.read(length, "i32")

    def note(self, slot: int) -> None:
        """Notes a slot that says from here on whether a list was written."""
        self._slots.add(slot)

    def noted(self, slot: int) -> None:
        """Requires that a slot was noted."""
        require(slot in self._slots, PlanRule.LISTS, f"nothing says yet what list %{slot} has had")
