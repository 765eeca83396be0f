"""How the C library treats the memory of arrays that were freed."""

from __future__ import annotations

import ctypes
import functools
import os
import platform

# <malloc.h>
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

#: What glibc's own adaptation goes up to, once a program has freed an array of 32 MiB.
_MMAP, _TRIM = 32 << 20, 64 << 20


@functools.cache
def keep_freed() -> None:
    """Has glibc keep freed memory for the next arrays instead of giving it back at once.

    Memory that is new from the system costs a page fault for each 4 KiB, more than many an op
    takes to fill it: a third of the time of a training step. Settings of the user's stand.
    """
    settings = os.environ
    own = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"} & set(settings)
    if own or platform.libc_ver()[0] != "glibc":
        return
    library = ctypes.CDLL(None)
    library.mallopt(_MMAP_THRESHOLD, _MMAP)
    library.mallopt(_TRIM_THRESHOLD, _TRIM)
