"""How much memory repeated work leaves."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

from graphwright.kernels import background


def growth(work: Callable[[], object], times: int, warm_up: int) -> int:
    """Bytes that `times` repetitions leave, after `warm_up` ones that are not measured.

    The least of three measurements: a table that happens to be enlarged meanwhile is no leak,
    and a leak shows in each.
    """
    for _ in range(warm_up):
        work()
    background.wait()  # what is compiled meanwhile is no leak either
    return min(_left(work, times) for _ in range(3))


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
