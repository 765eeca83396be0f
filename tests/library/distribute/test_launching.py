"""`graphwright launch`: what ends it ends its ranks."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import ranks

pytest.importorskip("mpi4py")
pytestmark = [
    pytest.mark.skipif(not ranks.ARE_POSSIBLE, reason="there is no mpiexec"),
    pytest.mark.skipif(sys.platform != "linux", reason="states of other processes are Linux's"),
]

PROGRAM = """
import os, time
from support.ranks import leave
leave(__file__, os.getpid(), 0)
time.sleep(600)
"""


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits; an assertion fails if it takes too long."""
    end = time.monotonic() + ranks.HANG
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Whether there is a process, and it is more than what its parent has not asked for."""
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A program that sleeps in two ranks, and their processes."""
    running = ranks.begin(PROGRAM, 2, tmp_path)
    try:
        wait_until(lambda: len(ranks.values(tmp_path)) == 2)
        yield running, list(ranks.values(tmp_path))
    finally:
        if running.returncode is None:  # what failed did not end it
            with contextlib.suppress(subprocess.TimeoutExpired):
                ranks.end(running, hang=0)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_to_the_launcher_ends_all_ranks(
    name: str, started: tuple[subprocess.Popen[str], list[int]]
) -> None:
    running, processes = started
    os.kill(running.pid, getattr(signal, name))
    done = ranks.end(running)
    assert done.returncode != 0
    assert f"graphwright launch: {name} has ended all 2 ranks" in done.stderr
    wait_until(lambda: not any(map(is_alive, processes)))


def test_no_rank_outlives_a_program_that_is_given_up(
    started: tuple[subprocess.Popen[str], list[int]],
) -> None:
    running, processes = started
    with pytest.raises(subprocess.TimeoutExpired):
        ranks.end(running, hang=0.1)
    wait_until(lambda: not any(map(is_alive, processes)))
