"""How much of the cores this process uses while a reader is at work on elements."""

from __future__ import annotations

from time import perf_counter, process_time

from graphwright.machine.threads import cores

#: Cores that are in use for such a part of the time have no room for another thread.
_FULL = 0.85


class CoreUse:
    """Seconds of some spans of time, and those that all threads of the process computed in them."""

    __slots__ = ("began", "computed", "computed_before", "seconds")

    def __init__(self) -> None:
        self.seconds = self.computed = 0.0
        #: When the present span began; None outside of spans.
        self.began: float | None = None
        self.computed_before = 0.0

    def begin(self) -> None:
        """Begins a span."""
        self.began, self.computed_before = perf_counter(), process_time()

    def end(self) -> None:
        """Ends the span, if one has begun."""
        if self.began is not None:
            self.seconds += perf_counter() - self.began
            self.computed += process_time() - self.computed_before
            self.began = None

    @property
    def is_full(self) -> bool:
        """Whether no core was idle."""
        return self.computed >= _FULL * cores() * self.seconds
