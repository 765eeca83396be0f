"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphwright.op.late_imports import late_module

if TYPE_CHECKING:
    from graphwright.data.stages.element_calls import CallResult, ElementCall, WaitingCalls


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
        #: The module of calls, which most pools never make.
        self.calls: Any = None

    def submit(self, function: Callable[..., Any], *arguments: object) -> CallResult:
        """Hands a job to a thread. After a fork, the child starts new threads."""
        if self.calls is None:
            self.calls = late_module("graphwright.data.stages.element_calls")
        if self.jobs is None or self.are_gone:
            self.process, self.jobs, self.threads = os.getpid(), self.calls.SimpleQueue(), []
            weakref.finalize(self, self.calls.end, self.process, self.jobs, self.threads)
        job: ElementCall = self.calls.ElementCall(function, arguments)
        self.jobs.put(job)
        if len(self.threads) < self.count:
            name, work = f"dataset_{len(self.threads)}", self.calls.work
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
            self.calls.end(self.process, self.jobs, self.threads)
        self.jobs = None
