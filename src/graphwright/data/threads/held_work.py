"""What a fork does with threads that compute elements.

The child has none of them. What they were about would be half done there, and what they have taken
would be gone. So a fork waits until each has finished what it began, and nothing else begins
meanwhile. It does so within a bound of patience.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from abc import ABC, abstractmethod
from time import perf_counter
from typing import ClassVar

from graphwright.data.stage import present_level

#: A fork waits for threads so long, in seconds.
_PATIENCE = 1.0


class HeldWork(ABC):
    """The work of some threads, which forks hold.

    Its other parts are made before: a fork may come at once.
    """

    def __init__(self) -> None:
        #: How many other ones may wait for this one, each for the next.
        self.level = present_level()
        _WORKS[id(self)] = self

    @abstractmethod
    def hold(self, until: float) -> None:
        """Before a fork: lets nothing begin, and what has begun end, up to some time."""

    @abstractmethod
    def release(self) -> None:
        """Behind a fork, in the parent: lets threads go on, though `hold` was interrupted."""

    @abstractmethod
    def renew(self, is_held: bool) -> None:
        """Behind a fork, in the child: makes new locks. Nobody held it where two forks met."""

    def look_again(self) -> None:  # noqa: B027 - most works wait for no calls
        """Behind a change of the threads that fork: whoever holds this may have waited enough."""


#: What is held in this process, in the order in which it was made.
_WORKS: weakref.WeakValueDictionary[int, HeldWork] = weakref.WeakValueDictionary()


def held_works() -> list[HeldWork]:
    """The work of all threads of this process; what waits for another comes first."""
    refs = reversed(_WORKS.valuerefs())
    present = [work for ref in refs if (work := ref()) is not None]
    return sorted(present, key=lambda work: work.level)


class Forks:
    """The forks of the process: they hold the work of its threads in turn."""

    turn = threading.Lock()
    #: Whose turn it is.
    thread: threading.Thread | None = None
    held: ClassVar[dict[HeldWork, None]] = {}
    #: The threads that fork just now. What these are about is not waited for.
    forking: ClassVar[dict[threading.Thread, None]] = {}
    #: When the last fork began that waited in vain. What is older has had its time.
    in_vain = -math.inf

    @classmethod
    def hold(cls) -> None:
        """Lets threads finish what they began, for some time.

        A thread that waits for another one comes first: it needs what the other one does. What it
        makes meanwhile comes after it.
        """
        thread = threading.current_thread()
        cls.forking[thread] = None
        for work in held_works():
            work.look_again()
        if not cls.turn.acquire(timeout=2 * _PATIENCE):
            return
        cls.thread = thread
        began = perf_counter()
        until = began + _PATIENCE
        while perf_counter() < until:
            waiting = [work for work in held_works() if work not in cls.held]
            if not waiting:
                return
            for work in waiting:
                cls.held[work] = None
                work.hold(until)
        cls.in_vain = began

    @classmethod
    def release(cls) -> None:
        """Lets the threads of the parent go on."""
        thread = threading.current_thread()
        cls.forking.pop(thread, None)
        if cls.thread is not thread:
            return
        for work in cls.held:
            work.release()
        cls.held, cls.thread = {}, None
        cls.turn.release()

    @classmethod
    def renew(cls) -> None:
        """Makes locks for the child, where no thread is."""
        for work in held_works():
            work.renew(work in cls.held)
        cls.held, cls.forking = {}, {}
        cls.thread, cls.turn = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=Forks.hold, after_in_parent=Forks.release, after_in_child=Forks.renew
    )
