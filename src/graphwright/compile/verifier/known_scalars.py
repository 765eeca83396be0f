"""The scalars that are defined where a statement stands, their kinds, and what they are below."""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.nest import Linear
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require


class KnownScalar(NamedTuple):
    """A scalar: its kind, and what it is less than and not less than 0; None if nothing says."""

    kind: str
    limit: int | None = None


class KnownScalars:
    """The scalars of a block and of those around it."""

    def __init__(self) -> None:
        self._known: dict[int, KnownScalar] = {}
        self._slots: set[int] = set()

    def inner(self) -> KnownScalars:
        """Those of a block in this one."""
        result = KnownScalars()
        result._known, result._slots = dict(self._known), self._slots
        return result

    def define(self, scalar: int, kind: str, limit: int | None = None) -> None:
        """A scalar has a value from here on."""
        self._known[scalar] = KnownScalar(kind, limit)

    def read(self, scalar: int, kind: str) -> KnownScalar:
        """A scalar, which must have a value of this kind."""
        known = self._known.get(scalar)
        if known is None:
            refuse(PlanRule.SCALARS, f"%{scalar} is read where nothing defines it")
        if known.kind != kind:
            refuse(PlanRule.SCALARS, f"%{scalar} is read as {kind}, and is {known.kind}")
        return known

    def read_place(self, at: Linear) -> None:
        """Those that say where something is."""
        for scalar, _ in at.scalars:
            self.read(scalar, "i64")

    def read_lengths(self, lengths: Iterable[Size | int]) -> None:
        """Lengths and indices of lists: sizes, or scalars."""
        for length in lengths:
            if not isinstance(length, Size):
                self.read(length, "i32")

    def note(self, slot: int) -> None:
        """A slot says from here on whether something was written to a list."""
        self._slots.add(slot)

    def noted(self, slot: int) -> None:
        """A slot is asked."""
        require(slot in self._slots, PlanRule.LISTS, f"nothing says yet what list %{slot} has had")
