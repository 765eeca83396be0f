"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from graphwright.data.stage import AUTOTUNE, Iteration, iterating, present_iteration


class CallingThreads:
    """So many threads, made when there is work for them."""

    def __init__(self, count: int) -> None:
        self.count = processors() if count == AUTOTUNE else count
        self.process = 0
        self.pool: ThreadPoolExecutor | None = None

    def submit(self, job: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Has a thread do something; the child of a fork has threads of its own."""
        if self.pool is None or self.process != os.getpid():
            self.process = os.getpid()
            self.pool = ThreadPoolExecutor(self.count, "dataset")
        return self.pool.submit(within, present_iteration(), job, *arguments)

    def close(self) -> None:
        """Ends the threads once they have done what they do now."""
        if self.pool is not None and self.process == os.getpid():
            self.pool.shutdown(wait=False, cancel_futures=True)
        self.pool = None


def within(iteration: Iteration | None, job: Callable[..., Any], *arguments: object) -> Any:
    """What a job gives, which is done for an iteration."""
    with iterating(iteration):
        return job(*arguments)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
