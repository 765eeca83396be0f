"""What one pass through a pipeline may use: threads, and memory for elements that wait."""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path

from graphwright.base.forks import own_lock
from graphwright.data.dataset_options import Options
from graphwright.machine.threads import cores

#: A number that a program leaves to us.
AUTOTUNE = -1

#: Such a part of the memory that is free may be used, if a program does not say how much.
_PART = 0.5
#: As much is taken to be free where the system does not say.
_UNKNOWN = 1 << 30
#: Where Linux says how many bytes a container may use, and does use.
_CONTAINER = Path("/sys/fs/cgroup")


class MemoryBudget:
    """The bytes of elements that wait in buffers whose sizes are chosen.

    Args:
        most: How many there may be in all; None for a part of the memory that is free.
    """

    def __init__(self, most: int | None = None) -> None:
        self.given = most
        #: What each buffer may hold.
        self.claims: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        self.lock = own_lock(self)

    @property
    def most(self) -> int:
        """How many bytes there may be in all."""
        if self.given is None:
            self.given = int(_PART * free_memory())
        return self.given

    def room(self, buffer: object, wanted: int, size: int) -> int:
        """How many elements a buffer may hold, of so many wanted; one fits always.

        Args:
            buffer: Who asks. What it may hold counts until it asks again, or is gone.
            wanted: The number of elements that it would hold.
            size: The bytes of an element; 0 if none was seen.
        """
        if not size:
            return wanted
        with self.lock:
            others = sum([claim for key, claim in self.claims.items() if key is not buffer])
            room = max(1, min(wanted, (self.most - others) // size))
            self.claims[buffer] = room * size
            return room

    def leave(self, buffer: object) -> None:
        """Gives back what a buffer may hold."""
        with self.lock:
            self.claims.pop(buffer, None)


class PipelineBudget:
    """What one pass through a pipeline may use, as options say.

    Args:
        options: The options of the pipeline.
    """

    def __init__(self, options: Options | None = None) -> None:
        options = Options() if options is None else options
        #: Whether numbers are chosen that a program leaves to us; if not, they stay as they begin.
        self.is_tuned = options.autotune.enabled is not False
        self.memory = MemoryBudget(options.autotune.ram_budget or None)
        self.cores: int = options.autotune.cpu_budget or 0
        self.pool: int = options.threading.private_threadpool_size or 0

    def threads(self, calls: int, each: float = 1.0, more: int = 0) -> int:
        """How many threads may call a function, where a program says `calls` or AUTOTUNE.

        With AUTOTUNE there are `each` for each processor, as many as keep one busy, and some more.
        """
        free = self.cores or max(self.pool, 0) or int(each * cores()) + more
        most = free if calls == AUTOTUNE else calls
        return min(most, self.pool) if self.pool > 0 else most


def free_memory() -> int:
    """The bytes of memory that nobody uses, for all that the system and a container say."""
    free = _UNKNOWN
    with suppress(AttributeError, ValueError, OSError):
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(ValueError, OSError):
        limit, used = [int((_CONTAINER / f"memory.{x}").read_text()) for x in ("max", "current")]
        free = min(free, max(0, limit - used))
    return free
