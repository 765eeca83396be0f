"""How much memory repeated work leaves."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

from graphwright.machine import background


def check_growth(work: Callable[[], object], times: int, warm_up: int, limit: int) -> None:
    """Fails if `times` repetitions leave `limit` bytes, after `warm_up` ones that are not measured.

    One of three measurements has to be less: a table that happens to be enlarged meanwhile is no
    leak, and a leak shows in each.
    """
    for _ in range(warm_up):
        work()
    background.wait()  # what is compiled meanwhile is no leak either
    left: list[int] = []
    while not left or left[-1] >= limit:
        assert len(left) < 3, f"{times} repetitions leave {left} bytes"
        left.append(_left(work, times))


def _left(work: Callable[[], object], times: int) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(times):
            work()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before
