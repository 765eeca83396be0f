"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any

from graphwright.data.stage import (
    AUTOTUNE,
    at_level,
    iterating,
    present_iteration,
    present_level,
)

#: So many seconds of work are worth a thread of their own.
_WORTH = 0.001
#: Threads must take at most such a part of the time of one; if not, they are tried again each so
#: many blocks.
_GAIN = 0.9
_AGAIN = 64
#: Tracing and compiling make single blocks slow. So a time grows by such a factor at most.
_GROWTH = 1.25


class WorkDivision:
    """Among how many threads the elements of a block are divided, by the times that were measured.

    Args:
        calls: How many threads the program allows, or AUTOTUNE: as many as are of use.
    """

    def __init__(self, calls: int) -> None:
        self.is_free = calls == AUTOTUNE
        self.threads = processors() if self.is_free else calls
        #: Seconds that an element takes in one thread, and when threads have parts of a block.
        self.alone = self.divided = 0.0
        self.parts = 1
        self.blocks = self.measured = 0

    def choose(self, count: int) -> int:
        """The number of parts for a block of so many elements."""
        self.blocks += 1
        parts = min(self.threads, count, int(self.alone * count / _WORTH))
        is_vain = self.is_free and self.divided > _GAIN * self.alone and self.blocks % _AGAIN
        self.parts = 1 if parts < 2 or is_vain else parts
        return self.parts

    def measure(self, parts: int, count: int, seconds: float) -> None:
        """Notes how long a block took."""
        self.measured += 1
        if self.is_free and self.measured == 1:
            return
        if parts > 1:
            self.divided = seconds / count
            if not self.is_free:
                self.alone = self.divided * parts  # nobody asks whether one would be quicker
        else:
            taken = seconds / count
            self.alone = min(taken, _GROWTH * self.alone) if self.alone else taken

    @property
    def words(self) -> str:
        """What was chosen, and why; nothing where nothing was measured."""
        if not self.alone:
            return ""
        time = duration(self.divided if self.parts > 1 else self.alone)
        if self.parts > 1:
            return f"{self.parts} threads: each element takes {time}"
        others = f", and {duration(self.divided)} in several" if self.divided else ""
        return f"1 thread: each element takes {time}{others}"


def duration(seconds: float) -> str:
    """A time with a unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


class ElementCall:
    """A call that a thread makes for an iteration, and what it returns."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        self.function = function
        self.arguments = arguments
        self.iteration, self.level = present_iteration(), present_level()
        self.future: Future[Any] = Future()

    def run(self) -> None:
        """Makes the call, unless it is cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            with iterating(self.iteration), at_level(self.level):
                result = self.function(*self.arguments)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
            self.future.set_exception(error)
            del self  # the error has this frame in its traceback, and would keep itself alive
        else:
            self.future.set_result(result)


#: Calls that wait; None ends a thread.
WaitingCalls = SimpleQueue["ElementCall | None"]


class CallingThreads:
    """A pool of `count` threads, which start with the first jobs.

    A process that ends does not wait for them, as it would for those of an executor: what they call
    may never return.
    """

    def __init__(self, count: int) -> None:
        self.count = processors() if count == AUTOTUNE else count
        self.process = 0
        self.jobs: WaitingCalls | None = None
        self.threads: list[threading.Thread] = []

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Hands a job to a thread. After a fork, the child starts new threads."""
        if self.jobs is None or self.are_gone:
            self.process, self.jobs, self.threads = os.getpid(), SimpleQueue(), []
            weakref.finalize(self, end, self.process, self.jobs, self.threads)
        job = ElementCall(function, arguments)
        self.jobs.put(job)
        if len(self.threads) < self.count:
            name = f"dataset_{len(self.threads)}"
            thread = threading.Thread(target=work, args=(self.jobs,), daemon=True, name=name)
            self.threads.append(thread)
            thread.start()
        return job.future

    @property
    def are_gone(self) -> bool:
        """Whether the process is the child of a fork, without the threads and their results."""
        return self.jobs is not None and self.process != os.getpid()

    def close(self) -> None:
        """Ends each thread after its present job."""
        if self.jobs is not None:
            end(self.process, self.jobs, self.threads)
        self.jobs = None


def work(jobs: WaitingCalls) -> None:
    """Does one job after another: the work of a thread."""
    while (job := jobs.get()) is not None:
        job.run()
        del job  # it has an element


def end(process: int, jobs: WaitingCalls, threads: list[threading.Thread]) -> None:
    """Cancels the jobs that wait, and ends the threads, if they are of this process."""
    if process != os.getpid():
        return
    try:
        while True:
            job = jobs.get_nowait()
            if job is not None:
                job.future.cancel()
    except Empty:
        pass
    for _ in threads:
        jobs.put(None)


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
