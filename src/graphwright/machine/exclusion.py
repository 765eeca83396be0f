"""One thread at a time uses LLVM, and none does while the process forks or ends."""

from __future__ import annotations

import atexit
import collections
import ctypes
import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

from graphwright.base.forks import held_over_forks
from graphwright.machine import process_settings  # noqa: F401 - its lock is made before ours

#: The lock of the thread that uses LLVM: a fork waits for it, and so does the end of the process.
LLVM = held_over_forks(threading.RLock())

P = ParamSpec("P")
T = TypeVar("T")


class Closable(Protocol):
    """An object of LLVM that frees its memory when it is closed."""

    def close(self) -> object: ...


#: Objects released while another thread used LLVM, each with the object that it needs till then.
_LEFT: collections.deque[tuple[Closable, object]] = collections.deque()


def exclusive(function: Callable[P, T]) -> Callable[P, T]:
    """The function as one that uses LLVM: alone, until objects that it drops are gone."""

    @functools.wraps(function)
    def exclusively(*args: P.args, **kwargs: P.kwargs) -> T:
        with LLVM:
            result = function(*args, **kwargs)
        _close_left()
        return result

    return exclusively


def keep(made: T) -> T:
    """An object of LLVM that stays until `release`, even when the interpreter ends.

    The interpreter finalizes objects in any order then, while threads may still run the code.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made


def release(made: Closable, needed: object) -> None:
    """Closes a kept object and then drops the object that it needs: now, or when LLVM is free.

    Finalizers call this. They run in the midst of any thread's work and may not wait.
    """
    _LEFT.append((made, needed))
    _close_left()


def _close_left() -> None:
    while _LEFT and not End.came and LLVM.acquire(blocking=False):
        try:
            while _LEFT:
                made, needed = _LEFT.popleft()
                made.close()
                for each in (made, needed):
                    ctypes.pythonapi.Py_DecRef(ctypes.py_object(each))
        finally:
            LLVM.release()


class End:
    """Whether the process is ending."""

    came = False


#: Functions to call when the process ends, the last first.
_LAST: list[Callable[[], None]] = []


def at_end(function: Callable[[], None]) -> Callable[[], None]:
    """The function, to be called when the process ends, while LLVM may still be used."""
    _LAST.append(function)
    return function


@atexit.register
def _end() -> None:
    """Waits for the thread that uses LLVM and shuts all others out.

    The end of the process destroys what LLVM needs, while daemon threads go on.
    """
    while _LAST:
        _LAST.pop()()
    LLVM.acquire()
    End.came = True
