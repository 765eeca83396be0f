"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from graphwright.data.stage import AUTOTUNE, Epoch, iterating, present_iteration

T = TypeVar("T")


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

    @property
    def are_gone(self) -> bool:
        """Whether a fork has left the threads behind, with what they did."""
        return self.pool is not None and self.process != os.getpid()

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
