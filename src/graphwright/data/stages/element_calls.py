"""Calls that threads make, and what they give."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any

from graphwright.data.stage import at_level, iterating, present_iteration, present_level


class CallResult(Future[Any]):
    """What a call will give."""

    #: Whether it is there, and no thread is about to say so: the child of a fork may take it.
    is_settled = False

    @classmethod
    def of_error(cls, error: Exception) -> CallResult:
        """What a call gives in whose place an error stands."""
        failed = cls()
        failed.set_exception(error)
        failed.is_settled = True
        return failed


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
