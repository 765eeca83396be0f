"""An end for programs that do not come to theirs, or ask for all the memory there is."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """A program takes longer than it may; programs that catch errors do not catch this."""


#: How much longer than on an idle machine a program may take.
_BUSY = 30
#: Seconds after which `TooLong` is raised again.
_AGAIN = 0.05


def limit_memory(gigabytes: int) -> None:
    """Lets this process have no more than that, where POSIX counts it: what asks for more fails."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (gigabytes << 30, gigabytes << 30))


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises `TooLong` where what is inside computes longer than that, or waits for far longer.

    It does so in the main thread, where POSIX's timers are.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TooLong

    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, end) for number in clocks}
    try:
        # Again and again: Python ignores what is raised in the callback of a weak reference.
        signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
        signal.setitimer(signal.ITIMER_REAL, seconds * _BUSY, _AGAIN)
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])
