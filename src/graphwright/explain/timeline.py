"""When functions were called, traced and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graphwright.explain.trace_record import History
from graphwright.explain.wording import show_place

_CALLS = 20_000  # calls at most: the first ones


@dataclass
class Timeline:
    """The calls of a program's functions, as (function, began, seconds)."""

    began: float
    calls: list[tuple[History, float, float]] = field(default_factory=list)
    left_out: int = 0

    def call(self, history: History, began: float, ended: float) -> None:
        """Notes a call that has ended."""
        if len(self.calls) < _CALLS:
            self.calls.append((history, began, ended - began))
        else:
            self.left_out += 1

    def to_dict(self, histories: Sequence[History]) -> dict[str, Any]:
        """The lanes and events, with times in seconds from the beginning."""
        lanes = {history: i for i, history in enumerate(histories)}
        events = [
            [lanes[history], "call", began - self.began, seconds, f"call of {history.name}"]
            for history, began, seconds in self.calls
            if history in lanes
        ]
        for history, lane in lanes.items():
            for number, record in enumerate(history.records):
                text = f"trace {number} of {history.name} ({show_place(record.caller)})"
                events.append([lane, "trace", record.began - self.began, record.seconds, text])
                for tier, began, seconds in record.compilations:
                    text = f"{tier} code of trace {number} of {history.name}"
                    events.append([lane, "compile", began - self.began, seconds, text])
        return {
            "lanes": [history.name for history in histories],
            "events": events,
            "left_out": self.left_out,
        }
