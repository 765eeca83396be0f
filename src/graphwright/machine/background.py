"""One thread that compiles while the program goes on."""

from __future__ import annotations

import os
import queue
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.machine.exclusion import at_end

#: The length of a thread's turn while something is compiled, in seconds; usually it is 5 ms. With
#: 0.1 ms two busy threads took 40% more of the processor's time, to hand the lock to one another.
_TURN = 1e-3


class Worker:
    """A queue of jobs, and the thread that works on it while there are any."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.pending = 0
        self.idle = threading.Condition(self.lock)
        self.stopped = False

    def submit(self, job: Callable[[], None]) -> bool:
        """Does `job` later, unless what it belongs to is gone by then; False if there is no later.
        """
        with self.lock:
            if self.stopped:
                return False
            if self.thread is None:
                thread = threading.Thread(
                    target=self.work, name="graphwright-compiler", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError:  # there can be no more, or the interpreter ends
                    return False
                self.thread = thread
            self.jobs.put(weakref.WeakMethod(job))
            self.pending += 1
            return True

    def work(self) -> None:
        """Job after job."""
        while True:
            found = self.jobs.get()
            job = found() if found is not None else None
            if found is not None and job is not None and not self.stopped:
                try:
                    with quick_turns():
                        job()
                except BaseException:  # noqa: BLE001 - a program must not end for want of speed
                    get_logger().exception("a trace could not be compiled; it runs as it did")
            del job
            with self.lock:
                self.pending -= 1
                if self.pending == 0:
                    self.idle.notify_all()
                if found is None:
                    return

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until nothing is left to do; False if it took longer."""
        with self.lock:
            return self.idle.wait_for(lambda: self.pending == 0, timeout)

    def stop(self) -> None:
        """Finishes the job that is running and leaves the others."""
        with self.lock:
            self.stopped = True
            thread = self.thread
            if thread is not None:
                self.pending += 1
                self.jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()


@contextmanager
def quick_turns() -> Iterator[None]:
    """Has threads take turns more often: LLVM is called and files are read without the
    interpreter's lock, and each time to get it back from a busy thread takes as long as a turn."""
    Turns.usual = sys.getswitchinterval()
    sys.setswitchinterval(min(Turns.usual, _TURN))
    try:
        yield
    finally:
        Turns.end()


class Turns:
    """What the length of a thread's turn was, while it is another."""

    usual: float | None = None

    @classmethod
    def end(cls) -> None:
        """Has turns take as long as they did, unless somebody else has set that meanwhile."""
        if cls.usual is not None and sys.getswitchinterval() <= _TURN * 1.01:
            sys.setswitchinterval(cls.usual)
        cls.usual = None


_WORKER = Worker()


def worker() -> Worker:
    """The one of this process."""
    return _WORKER


def submit(job: Callable[[], None]) -> bool:
    """Does a method's work later, in the background; the method's object is held weakly. False if
    the process ends."""
    return _WORKER.submit(job)


def wait(timeout: float | None = None) -> bool:
    """Waits until everything that was submitted is done; False after `timeout` seconds."""
    return _WORKER.wait(timeout)


def _renew() -> None:
    """A child process has no thread of its parent's."""
    global _WORKER
    _WORKER = Worker()
    Turns.end()


at_end(lambda: _WORKER.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
