"""What of the process a test must leave as it found it."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from graphwright.autograph import settings, status
from graphwright.explain.trace_record import Debug
from graphwright.function.polymorphic import Eagerly
from graphwright.library.summary.profiler_session import ProfilerSession
from graphwright.machine import background, preparation, process_settings, targets
from graphwright.op.interpreter import STATE
from graphwright.ops.state.variable_ops import LENT, Loan
from graphwright.values.variable import CREATORS

#: Threads that stay: the one that compiles, and the tests' own.
STAYING = ("graphwright-compiler",)
#: Threads that end once nobody has their datasets any more.
ENDING = ("prefetch", "dataset")
#: What threads of gRPC open and close at any time, once a library that has it is loaded.
OF_GRPC = ("anon_inode:", "socket:")
WITH_GRPC = {"grpc", "ray"}


def threads() -> frozenset[int | None]:
    """The threads that run Python."""
    return frozenset([t.ident for t in threading.enumerate() if t.name not in STAYING])


def stands_for_tensorflow() -> bool:
    """Whether `import tensorflow` gives this package."""
    return any(type(f).__module__.startswith("graphwright.") for f in sys.meta_path)


def open_files() -> frozenset[str]:
    """The descriptors of open files; none where the system does not say it."""
    own = os.open(os.devnull, os.O_RDONLY)  # what the look at them will have
    os.close(own)
    try:
        return frozenset(os.listdir("/proc/self/fd")) - {str(own)}
    except OSError:
        return frozenset()


def named(descriptors: frozenset[str]) -> list[str]:
    """The files behind descriptors, without those that other libraries keep open: fonts of
    matplotlib, and what gRPC's threads wait for."""
    result = []
    others = () if WITH_GRPC.isdisjoint(sys.modules) else OF_GRPC
    for descriptor in sorted(descriptors):
        try:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:  # another thread has closed it
            continue
        if not path.endswith(".ttf") and not path.startswith(others):
            result.append(path)
    return result


#: What is the same before and after a test, unless the test leaves something behind.
PARTS: dict[str, Callable[[], Any]] = {
    "active interpreters (tapes, tracers, recorders)": lambda: STATE.active,
    "functions that make variables": CREATORS.get,
    "features of AutoGraph": settings._features.get,
    "statuses of AutoGraph": status._entered.get,
    "loans of variables": lambda: (len(LENT), Loan.paused),
    "the profile that is taken": lambda: ProfilerSession.timer,
    "debug mode": lambda: Debug.on,
    "functions that run eagerly": lambda: Eagerly.on,
    "whether all wait for kernels": lambda: preparation.Waiting.always,
    "the bound of BLAS": lambda: process_settings.ThreadBound.threads,
    "the target of machine code": lambda: targets._AIM.target,
    "the collector of cycles": gc.isenabled,
    "the profile function": sys.getprofile,
    "the trace function": sys.gettrace,
    "the working directory": os.getcwd,
    "whether this package stands for tensorflow": stands_for_tensorflow,
    "threads": threads,
}

#: What may differ while something is compiled in the background, which a test need not wait for.
BUSY: dict[str, Callable[[], Any]] = {
    "the length of threads' turns": sys.getswitchinterval,
    "who has BLAS use one thread": lambda: frozenset(process_settings.ThreadBound.holds),
}


def state() -> list[Any]:
    """The parts of the process's state now, then its open files."""
    return [*[part() for part in PARTS.values()], open_files()]


def left_behind(before: list[Any]) -> list[str]:
    """What differs from an earlier state; what only cycles hold is gone first."""
    if state() == before and is_idle():
        return []
    background.wait(60)
    if state() == before and is_idle():
        return []  # to collect cycles takes longer than most tests
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith(ENDING):
            thread.join(10)
    background.wait(60)  # for what these threads have asked for
    after = state()
    names = zip(PARTS, before, after)
    result = [f"{name}: {was!r} became {now!r}" for name, was, now in names if was != now]
    usual = (0.005, frozenset())
    names = zip(BUSY, usual, [part() for part in BUSY.values()])
    result += [f"{name}: {now!r}" for name, was, now in names if was != now]
    return result + [f"the open file {path}" for path in named(after[-1] - before[-1])]


def is_idle() -> bool:
    """Whether nothing is compiled, or nothing of that is to be seen."""
    return sys.getswitchinterval() == 0.005 and not process_settings.ThreadBound.holds
