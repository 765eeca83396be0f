"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from graphwright.data.stage import AUTOTUNE, Epoch, iterating, present_iteration

T = TypeVar("T")

#: So many seconds of work are worth a thread of their own.
_WORTH = 0.001
#: Threads must take at most such a part of the time of one; if not, they are tried again each so
#: many blocks.
_GAIN = 0.9
_AGAIN = 64
#: Tracing and compiling make single blocks slow. So a time grows by such a factor at most.
_GROWTH = 1.25


class WorkDivision:
    """Among how many threads the elements of a block are divided, by the times that were measured.

    Args:
        calls: How many threads the program allows, or AUTOTUNE: as many as are of use.
    """

    def __init__(self, calls: int) -> None:
        self.is_free = calls == AUTOTUNE
        self.threads = processors() if self.is_free else calls
        #: Seconds that an element takes in one thread, and when threads have parts of a block.
        self.alone = self.divided = 0.0
        self.parts = 1
        self.blocks = self.measured = 0

    def choose(self, count: int) -> int:
        """The number of parts for a block of so many elements."""
        self.blocks += 1
        parts = min(self.threads, count, int(self.alone * count / _WORTH))
        is_vain = self.is_free and self.divided > _GAIN * self.alone and self.blocks % _AGAIN
        self.parts = 1 if parts < 2 or is_vain else parts
        return self.parts

    def measure(self, parts: int, count: int, seconds: float) -> None:
        """Notes how long a block took."""
        self.measured += 1
        if self.is_free and self.measured == 1:
            return
        if parts > 1:
            self.divided = seconds / count
            if not self.is_free:
                self.alone = self.divided * parts  # nobody asks whether one would be quicker
        else:
            taken = seconds / count
            self.alone = min(taken, _GROWTH * self.alone) if self.alone else taken

    @property
    def words(self) -> str:
        """What was chosen, and why; nothing where nothing was measured."""
        if not self.alone:
            return ""
        time = duration(self.divided if self.parts > 1 else self.alone)
        if self.parts > 1:
            return f"{self.parts} threads: each element takes {time}"
        others = f", and {duration(self.divided)} in several" if self.divided else ""
        return f"1 thread: each element takes {time}{others}"


def duration(seconds: float) -> str:
    """A time with a unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


class CallingThreads:
    """A pool of `count` threads, which start with the first job."""

    def __init__(self, count: int) -> None:
        self.count = processors() if count == AUTOTUNE else count
        self.process = 0
        self.pool: ThreadPoolExecutor | None = None

    def submit(self, job: Callable[..., T], *arguments: object) -> Future[T]:
        """Hands a job to a thread. After a fork, the child starts new threads."""
        if self.pool is None or self.process != os.getpid():
            self.process = os.getpid()
            self.pool = ThreadPoolExecutor(self.count, "dataset")
        return self.pool.submit(within, present_iteration(), job, *arguments)

    def close(self) -> None:
        """Ends each thread after its present job."""
        if self.pool is not None and self.process == os.getpid():
            self.pool.shutdown(wait=False, cancel_futures=True)
        self.pool = None


def within(iteration: Epoch | None, job: Callable[..., T], *arguments: object) -> T:
    """What a job gives, which is done for an iteration."""
    with iterating(iteration):
        return job(*arguments)


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
