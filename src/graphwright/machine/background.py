"""One thread that compiles while the program goes on."""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Callable
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.machine.exclusion import at_end
from graphwright.machine.process_settings import quick_turns


class Ending(BaseException):
    """Ends the job of a process that ends."""


class Worker:
    """A queue of jobs, and the thread that does them."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.pending = 0
        self.idle = threading.Condition(self.lock)
        self.stopped = False

    def submit(self, job: Callable[[], None]) -> bool:
        """Puts a job into the queue; False if nothing is done any more.

        The job is a method, and is left out if its object no longer exists then.
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
                except RuntimeError:  # the system has no more threads, or the interpreter ends
                    return False
                self.thread = thread
            self.jobs.put(weakref.WeakMethod(job))
            self.pending += 1
            return True

    def work(self) -> None:
        """Does job after job, in the worker's thread."""
        while True:
            reference = self.jobs.get()
            job = reference() if reference is not None else None
            if reference is not None and job is not None and not self.stopped:
                try:
                    with quick_turns():
                        job()
                except Ending:
                    pass
                except BaseException:  # noqa: BLE001 - a program must not end for want of speed
                    get_logger().exception("a trace could not be compiled; it runs as before")
            del job
            with self.lock:
                self.pending -= 1
                if self.pending == 0:
                    self.idle.notify_all()
                if reference is None:
                    return

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the queue is empty; False after `timeout` seconds."""
        with self.lock:
            return self.idle.wait_for(lambda: self.pending == 0, timeout)

    def stop(self) -> None:
        """Ends the current job where it asks whether to go on, and leaves the others."""
        with self.lock:
            self.stopped = True
            thread = self.thread
            if thread is not None:
                self.pending += 1
                self.jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()


_WORKER = Worker()


def worker() -> Worker:
    """The worker of this process."""
    return _WORKER


def is_worker() -> bool:
    """Whether the present thread is the one that does the work."""
    return threading.current_thread() is _WORKER.thread


def go_on() -> None:
    """Returns, unless this is the worker of a process that ends: the job ends here then.

    The end of the process waits for the job, which is long for a large trace. So what takes long
    asks before each part.
    """
    if _WORKER.stopped and is_worker():
        raise Ending


def submit(job: Callable[[], None]) -> bool:
    """Does a method's work in the background; False if the process ends.

    The method's object is held weakly.
    """
    return _WORKER.submit(job)


def wait(timeout: float | None = None) -> bool:
    """Waits until all submitted work is done; False after `timeout` seconds."""
    return _WORKER.wait(timeout)


def _renew() -> None:
    """Gives a child process a worker, since it has no thread of its parent."""
    global _WORKER
    _WORKER = Worker()


at_end(lambda: _WORKER.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
