"""An end for programs that do not come to theirs."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """A program takes longer than it may; programs that catch errors do not catch this."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises `TooLong` where what is inside takes more than that, in the main thread of POSIX."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    # Again and again: Python ignores what is raised in the callback of a weak reference.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
