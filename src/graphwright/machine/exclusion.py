"""One thread at a time uses LLVM, and none does while the process forks or ends."""

from __future__ import annotations

import atexit
import collections
import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from graphwright.base.forks import held_over_forks
from graphwright.machine import process_settings  # noqa: F401 - its lock is made before ours

#: Held by whoever uses LLVM: a fork waits for it, and so does the end of the process.
LLVM = held_over_forks(threading.RLock())

#: What was let go of while another thread used LLVM, with what it needs till then.
_LEFT: collections.deque[tuple[Any, Any]] = collections.deque()

P = ParamSpec("P")
T = TypeVar("T")


def exclusive(function: Callable[P, T]) -> Callable[P, T]:
    """The function as one that uses LLVM; what it made and does not return goes before others
    may."""

    @functools.wraps(function)
    def exclusively(*args: P.args, **kwargs: P.kwargs) -> T:
        with LLVM:
            result = function(*args, **kwargs)
        _close_left()
        return result

    return exclusively


def keep(made: Any) -> Any:
    """Has an object of LLVM's stay until `release`: through the end of the interpreter too, which
    finalizes what is left in any order, while threads may still run the code."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made


def release(made: Any, needed: Any) -> None:
    """Closes what is kept and then lets go of what it needs: now, or when LLVM is free. (This is
    called by finalizers, which run wherever a thread happens to be and may not wait.)"""
    _LEFT.append((made, needed))
    _close_left()


def _close_left() -> None:
    while _LEFT and not End.came and LLVM.acquire(blocking=False):
        try:
            while _LEFT:
                made, needed = _LEFT.popleft()
                made.close()
                for kept in (made, needed):
                    ctypes.pythonapi.Py_DecRef(ctypes.py_object(kept))
        finally:
            LLVM.release()


class End:
    """Whether the process ends."""

    came = False


#: What is done when the process ends, the last first.
_LAST: list[Callable[[], None]] = []


def at_end(function: Callable[[], None]) -> Callable[[], None]:
    """Has a function called when the process ends, while LLVM may still be used."""
    _LAST.append(function)
    return function


@atexit.register
def _end() -> None:
    """Waits for the thread that uses LLVM and lets no other one do so any more: what LLVM needs
    is destroyed at the end of the process, while threads that nobody waits for go on."""
    while _LAST:
        _LAST.pop()()
    LLVM.acquire()
    End.came = True
