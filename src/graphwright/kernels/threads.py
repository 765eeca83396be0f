"""Work shared out between threads."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from graphwright.kernels import blas

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class Limit:
    """How many threads one op may use; 0 means one for each core."""

    threads = 0


def bound(threads: int) -> None:
    """Lets one op use this many threads, BLAS included; 0 sets no bound."""
    Limit.threads = threads
    blas.bound(threads)


def available() -> int:
    """How many threads one op may use."""
    return Limit.threads or cores()


@functools.cache
def cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(cores(), "graphwright")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of the threads


def share(work: Callable[[int], None], parts: int) -> None:
    """Runs work(0), ..., work(parts - 1) at once; the caller does the first part."""
    others = [_pool().submit(work, part) for part in range(1, parts)]
    try:
        work(0)
    finally:
        for other in others:
            other.result()
