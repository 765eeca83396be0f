"""What can be measured of a program, whichever library it is written for.

A sample is one number in the workload's unit. The module imports no library: it runs in the
interpreter of the peer that is measured.
"""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import tempfile
import time
import timeit
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import OURS, Program, library_of, module_of


@dataclass(frozen=True)
class Bar:
    """What we must reach beside a peer: `times` its speed, or at most `above` its figure."""

    times: float
    #: The peer; None is the best of them.
    peer: str | None = None
    above: float | None = None


@dataclass(frozen=True)
class Workload(ABC):
    """A named measurement: a program for each peer, and what ours may cost."""

    name: str
    title: str
    unit: str
    goal: float | None
    programs: Mapping[str, Program]
    bar: Bar | None = None
    #: How far the sums of two peers' results may differ, relatively; None where they are random.
    tolerance: float | None = 1e-6

    #: Whether every sample needs a process of its own.
    fresh = True

    @abstractmethod
    def prepare(self, peer: str) -> Callable[[], float]:
        """Everything that is not measured, done; what takes a sample."""

    def program(self, peer: str) -> Callable[[], object]:
        return self.programs[peer](module_of(peer))


@dataclass(frozen=True)
class Repeated(Workload):
    """The time of one of many calls, after the first: of five blocks of 20 ms the best.

    What slows a block (another process, the clock of the processor) is not the program's.
    """

    fresh = False

    def prepare(self, peer: str) -> Callable[[], float]:
        call = self.program(peer)
        timer = timeit.Timer(call)
        call()
        number, taken = timer.autorange()  # until a block takes 0.2 s
        block = max(1, round(number * 0.02 / taken))
        return lambda: min(timer.repeat(5, block)) / block * 1e6


@dataclass(frozen=True)
class Cold(Workload):
    """The time of the first call, a part of it where the program does something `parts` times.

    A call may return a function, which then looks whether all is as it should be.
    """

    parts: int = 1

    def prepare(self, peer: str) -> Callable[[], float]:
        call = self.program(peer)
        scale = 1e6 if self.unit == "µs" else 1e3

        def sample() -> float:
            start = time.perf_counter()
            check = call()
            taken = time.perf_counter() - start
            if callable(check):
                check()
            return taken * scale / self.parts

        return sample


@dataclass(frozen=True)
class Uncached(Cold):
    """The same in a process that finds no code of earlier ones."""

    def prepare(self, peer: str) -> Callable[[], float]:
        # the compiler may still write when the sample is over
        directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        os.environ["GRAPHWRIGHT_CACHE_DIR"] = os.path.join(directory.name, "code")
        self.precede(peer)
        sample = super().prepare(peer)

        def sample_and_clean() -> float:
            with directory:
                return sample()

        return sample_and_clean

    def precede(self, peer: str) -> None:
        """What happens before with the same cache."""


@dataclass(frozen=True)
class Restart(Uncached):
    """The same in a process for which an earlier one has kept its code; of `-cold` in that one."""

    def precede(self, peer: str) -> None:
        if peer == OURS:
            load = "from benchmarks.programs import WORKLOADS"
            earlier = f"{load}; WORKLOADS[{self.name!r}].program({peer!r})()"
            subprocess.run([sys.executable, "-c", earlier], check=True)


@dataclass(frozen=True)
class Import(Workload):
    """The time of the import."""

    def prepare(self, peer: str) -> Callable[[], float]:
        def sample() -> float:
            start = time.perf_counter()
            importlib.import_module(library_of(peer))
            return (time.perf_counter() - start) * 1e3

        return sample


@dataclass(frozen=True)
class Footprint(Workload):
    """The memory that the import takes above NumPy's."""

    def prepare(self, peer: str) -> Callable[[], float]:
        importlib.import_module("numpy")

        def sample() -> float:
            before = resident_mib()
            importlib.import_module(library_of(peer))
            return resident_mib() - before

        return sample


@dataclass(frozen=True)
class Growth(Workload):
    """The memory that a run of the program leaves, after two others.

    They fill the caches, and machine code made in the background is ready after them.
    """

    def prepare(self, peer: str) -> Callable[[], float]:
        call = self.program(peer)

        def sample() -> float:
            call()
            call()
            gc.collect()
            before = resident_mib()
            call()
            gc.collect()
            return resident_mib() - before

        return sample


def resident_mib() -> float:
    """The memory of this process in MiB: now on Linux, its highest so far elsewhere."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        pages = int(statm.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    if sys.platform == "win32":
        raise NotImplementedError("memory is measured on Linux and macOS only")
    import resource

    unit = 1 if sys.platform == "darwin" else 2**10  # of ru_maxrss, in bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def highest_mib() -> float:
    """The highest memory of this process in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    return resident_mib()  # elsewhere the highest so far
