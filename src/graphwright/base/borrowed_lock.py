"""A lock that threads may share which act one after the other for the thread that holds it.

The threads of replicas do so: the thread that started them waits meanwhile, perhaps with the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Acting(threading.local):
    """The thread for which each thread acts, or None."""

    owner: int | None = None


_ACTING = Acting()


def actor() -> int:
    """The number of the thread for which this one acts: its own, as a rule."""
    return threading.get_ident() if _ACTING.owner is None else _ACTING.owner


@contextmanager
def acting_for(owner: int) -> Iterator[None]:
    """Lets the thread act for another one, which waits."""
    before = _ACTING.owner
    _ACTING.owner = owner
    try:
        yield
    finally:
        _ACTING.owner = before


class BorrowedLock:
    """A reentrant lock that belongs to a thread and to those that act for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Takes the lock, once it is free.

        Args:
            blocking: Whether to wait for it.
            timeout: So many seconds at most; -1 waits as long as it takes.

        Returns:
            Whether the lock is taken.
        """
        me = actor()
        if self._owner != me:
            if not self._lock.acquire(blocking, timeout):
                return False
            self._owner = me
        self._depth += 1
        return True

    def release(self) -> None:
        """Gives the lock back, once each time it was taken."""
        if self._owner != actor():
            raise RuntimeError("cannot release a lock that another thread has")
        self._depth -= 1
        if not self._depth:
            self._owner = None
            self._lock.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: Any) -> None:
        self.release()
