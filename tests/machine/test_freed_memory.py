"""Freed memory stays with the process, unless the user has settings of their own."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from graphwright.machine import freed_memory
freed_memory.keep_freed()
def step():
    arrays = [np.empty(1 << 20, np.float32) for _ in range(4)]
    for array in arrays:
        array[:] = 1
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**settings: str) -> int:
    """Page faults of ten steps that allocate 16 MiB each."""
    paths = os.pathsep.join(p for p in sys.path if p)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment | {"PYTHONPATH": paths, "NUMPY_MADVISE_HUGEPAGE": "0"} | settings,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_memory_is_kept() -> None:
    assert faults() < 1000
    assert faults(MALLOC_MMAP_THRESHOLD_="65536") > 10_000
