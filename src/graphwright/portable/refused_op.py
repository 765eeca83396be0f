"""What exports refuse: the ops that another format does not have."""

from __future__ import annotations

from graphwright.base.errors import Location


class NoCounterpart(Exception):
    """An op, as it stands in a graph, has no form in another format; the reason in words."""


class RefusedOp:
    """An op that has no counterpart, where it stands, and why."""

    def __init__(self, kind: str, reason: str, location: Location | None) -> None:
        self.kind = kind
        self.reason = reason
        self.location = location

    def __str__(self) -> str:
        where = f" ({self.location})" if self.location is not None else ""
        return f"  {self.kind}{where}: {self.reason}"
