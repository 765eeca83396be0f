"""Calls that threads make, and what they give."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any

from graphwright.data.stage import at_level, iterating, present_iteration, present_level
from graphwright.data.threads.held_work import Forks, HeldWork


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

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[object, ...], level: int
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.iteration, self.level = present_iteration(), level
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


class CallQueue(HeldWork):
    """Calls that wait for threads, and those that threads make just now."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[ElementCall | None] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        #: When the present call of a thread began.
        self.began: dict[threading.Thread, float] = {}
        self.changed = threading.Condition()
        #: Whether a fork waits for the present calls, and no other one may begin.
        self.is_held = False
        #: Whether nobody wants the results any more.
        self.is_over = False
        #: Whether this is the child of a fork, where nobody makes the calls that were not over.
        self.is_torn = False
        super().__init__()

    def add(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> CallResult:
        """Has a call wait. What it waits for, in turn, is one level further."""
        self.level = max(self.level, present_level())
        call = ElementCall(function, arguments, self.level + 1)
        self.waiting.put(call)
        return call.future

    def start_thread(self) -> None:
        """Starts another thread."""
        name = f"dataset_{len(self.threads)}"
        thread = threading.Thread(target=self.work, daemon=True, name=name)
        self.threads.append(thread)
        thread.start()

    def work(self) -> None:
        """Makes one call after another: the work of a thread."""
        thread = threading.current_thread()
        while (call := self.waiting.get()) is not None:
            self.note_begin(thread)
            call.run()
            del call  # it has an element
            self.note_end(thread)

    def note_begin(self, thread: threading.Thread) -> None:
        """Notes that a thread begins a call, once no fork waits."""
        with self.changed:
            while self.is_held:
                self.changed.wait()
            self.began[thread] = perf_counter()

    def note_end(self, thread: threading.Thread) -> None:
        """Notes that the call of a thread is over."""
        with self.changed:
            del self.began[thread]
            if self.is_held:
                self.changed.notify_all()

    def end(self) -> None:
        """Cancels the calls that wait, and ends each thread after its present one."""
        self.is_over = True
        if self.is_torn:
            return
        try:
            while True:
                call = self.waiting.get_nowait()
                if call is not None:
                    call.future.cancel()
        except Empty:
            pass
        for _ in self.threads:
            self.waiting.put(None)

    def hold(self, until: float) -> None:
        with self.changed:
            self.is_held = True
            self.changed.wait_for(self.may_fork, max(0.0, until - perf_counter()))

    def may_fork(self) -> bool:
        """Whether no call is left that forks wait for."""
        return self.is_over or all(
            thread in Forks.forking or began <= Forks.in_vain
            for thread, began in self.began.items()
        )

    def look_again(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def release(self) -> None:
        with self.changed:
            self.is_held = False
            self.changed.notify_all()

    def renew(self, is_held: bool) -> None:
        self.changed = threading.Condition()
        self.is_held, self.is_torn = False, True
