"""Threads that compute elements at the same time, in the order of the elements."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphwright.op.late_imports import late_module

if TYPE_CHECKING:
    from graphwright.data.threads.element_calls import CallQueue, CallResult


class CallingThreads:
    """A pool of `count` threads, which start with the first calls.

    A process that ends does not wait for them, as it would for those of an executor: what they call
    may never return.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.queue: CallQueue | None = None

    def submit(self, function: Callable[..., Any], *arguments: object) -> CallResult:
        """Hands a call to a thread. After a fork, the child starts new threads."""
        if self.queue is None or self.queue.is_torn:
            calls: Any = late_module("graphwright.data.threads.element_calls")
            self.queue = calls.CallQueue()
            weakref.finalize(self, self.queue.end)
        result = self.queue.add(function, arguments)
        if len(self.queue.threads) < self.count:
            self.queue.start_thread()
        return result

    @property
    def are_gone(self) -> bool:
        """Whether the process is the child of a fork, without the threads and their results."""
        return self.queue is not None and self.queue.is_torn

    def close(self) -> None:
        """Ends each thread after its present call."""
        if self.queue is not None:
            self.queue.end()
        self.queue = None
