"""One thread that compiles while the program goes on."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.machine.exclusion import at_end
from graphwright.machine.process_settings import quick_turns, rarely_collected


class Ending(BaseException):
    """Ends the job of a process that ends."""


#: Seconds after an urgent job in which no other begins, and after the first job that is not urgent:
#: a program that begins has more of them.
PATIENCE = 0.25


class Worker:
    """Two queues of jobs, and the thread that does them: first those that somebody waits for."""

    def __init__(self) -> None:
        self.urgent: deque[Any] = deque()
        self.others: deque[Any] = deque()
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.pending = 0  # jobs that are not done
        self.awaited = 0  # those of them that are urgent
        self.waiting = 0  # threads that wait for all of them
        self.latest = 0.0  # when the latest urgent job was done, or the first other job came
        self.arrived = threading.Condition(self.lock)
        self.idle = threading.Condition(self.lock)
        self.stopped = False

    def submit(self, job: Callable[[], None], is_urgent: bool = True) -> bool:
        """Puts a job into its queue; False if nothing is done any more.

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
            (self.urgent if is_urgent else self.others).append(weakref.WeakMethod(job))
            if not (is_urgent or self.latest):
                self.latest = time.monotonic()
            self.pending += 1
            self.awaited += is_urgent
            self.arrived.notify()
            return True

    def work(self) -> None:
        """Does job after job, in the worker's thread."""
        while True:
            with self.lock:
                self.arrived.wait_for(lambda: self.stopped or self.urgent or self.others)
                self.be_patient()
                is_urgent = bool(self.urgent)
                queue = self.urgent or self.others
                job = queue.popleft()() if queue else None
                if self.stopped:
                    self.pending = self.awaited = 0
                    self.idle.notify_all()
                    return
            if job is not None:
                try:
                    with quick_turns(), rarely_collected():
                        job()
                except Ending:
                    pass
                except BaseException:  # noqa: BLE001 - a program must not end for want of speed
                    get_logger().exception("a trace could not be compiled; it runs as before")
            del job
            with self.lock:
                self.pending -= 1
                if is_urgent:
                    self.awaited -= 1
                    self.latest = time.monotonic()
                if is_urgent or not self.awaited:
                    self.idle.notify_all()

    def be_patient(self) -> None:
        """Returns when a job may begin; the lock is held, but for the time between."""
        while not (self.stopped or self.urgent or self.waiting):
            rest = self.latest + PATIENCE - time.monotonic()
            if rest <= 0.0:
                return
            self.arrived.wait(rest)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until all jobs are done; False after `timeout` seconds."""
        with self.lock:
            self.waiting += 1
            self.arrived.notify()
            try:
                return self.idle.wait_for(lambda: not self.pending, timeout)
            finally:
                self.waiting -= 1

    def wait_for(self, is_there: Callable[[], bool], timeout: float | None = None) -> bool:
        """Waits until an urgent job has made something, or all are done; False if it is late."""
        with self.lock:
            return self.idle.wait_for(lambda: not self.awaited or is_there(), timeout)

    def stop(self) -> None:
        """Ends the current job where it asks whether to go on, and leaves the others."""
        with self.lock:
            self.stopped = True
            thread = self.thread
            self.arrived.notify()
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


def submit(job: Callable[[], None], is_urgent: bool = True) -> bool:
    """Does a method's work in the background, behind what is urgent; False if the process ends.

    The method's object is held weakly.
    """
    return _WORKER.submit(job, is_urgent)


def wait(timeout: float | None = None) -> bool:
    """Waits until all submitted work is done; False after `timeout` seconds."""
    return _WORKER.wait(timeout)


def wait_for(is_there: Callable[[], bool], timeout: float | None = None) -> bool:
    """Waits until an urgent job has made something, or all are done; False if it is late."""
    return _WORKER.wait_for(is_there, timeout)


def _renew() -> None:
    """Gives a child process a worker, since it has no thread of its parent."""
    global _WORKER
    _WORKER = Worker()


at_end(lambda: _WORKER.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
