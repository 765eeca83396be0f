"""The active profile, for those who add events to it: most programs take none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class ProfileEvents(Protocol):
    """What a profile hears of other parts of the package; `profiler.Timer` takes it."""

    events: list[dict[str, Any]]
    #: The numbers of tracks that are no threads.
    tracks: dict[str, int]
    #: Sentences about what the profile shows.
    remarks: list[Callable[[], str]]

    def note(self, name: str, begin: int, args: Mapping[str, object]) -> None:
        """Adds an event of this thread that began at `begin` (ns) and ends now."""

    def span(self, name: str, begin: int, taken: int, args: Mapping[str, object]) -> None:
        """Adds an event of this thread that began at `begin` and took so long (ns)."""

    def event(
        self, name: str, args: Mapping[str, object], track: int | None = None
    ) -> dict[str, Any]:
        """An event of this process and thread, or of another track, without its times."""
        ...


class ProfilerSession:
    """The active profile, if there is one."""

    timer: ProfileEvents | None = None
