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
    at_level,
    iterating,
    present_iteration,
    present_level,
)


class CallResult(Future[Any]):
    """What a call will give."""

    #: Whether it is there, and no thread is about to say so: the child of a fork may take it.
    is_settled = False


class ElementCall:
    """A call that a thread makes for an iteration, and what it returns."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        self.function = function
        self.arguments = arguments
        self.iteration, self.level = present_iteration(), present_level()
        self.future = CallResult()

    def run(self) -> None:
        """Makes the call, unless it is cancelled."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            with iterating(self.iteration), at_level(self.level):
                result = self.function(*self.arguments)
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
            self.future.set_exception(error)
            self.future.is_settled = True
            del self  # the error has this frame in its traceback, and would keep itself alive
        else:
            self.future.set_result(result)
            self.future.is_settled = True


#: Calls that wait; None ends a thread.
WaitingCalls = SimpleQueue["ElementCall | None"]


class CallingThreads:
    """A pool of `count` threads, which start with the first jobs.

    A process that ends does not wait for them, as it would for those of an executor: what they call
    may never return.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.process = 0
        self.jobs: WaitingCalls | None = None
        self.threads: list[threading.Thread] = []

    def submit(self, function: Callable[..., Any], *arguments: object) -> CallResult:
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
