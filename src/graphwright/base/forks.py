"""Locks and the children of forks.

A child has only the thread that forked it. A lock that another thread held stays locked there for
ever, and what it guards may be half done.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, overload

Lock = TypeVar("Lock", bound=Any)
T = TypeVar("T")


#: The locks that forks wait for, in the order in which they were made.
HELD: list[Any] = []


def held_over_forks(lock: Lock) -> Lock:
    """The lock, for which forks wait from now on.

    Of two such locks, a fork takes first the one that was made last. It belongs to the higher
    layer, and threads too take it first.
    """
    HELD.append(lock)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
    return lock


class LockOwner(Protocol):
    """What has a lock of its own."""

    lock: threading.Lock


#: Owners of locks that are too many, or held for too long, for a fork to wait for.
_OWNERS: weakref.WeakSet[LockOwner] = weakref.WeakSet()


def own_lock(owner: LockOwner) -> threading.Lock:
    """A lock for `owner.lock`, in place of which the child of a fork gets a new one.

    The thread that held the old one is not in the child. So what the lock guards must be whole
    whenever threads switch, or may be lost.
    """
    _OWNERS.add(owner)
    return threading.Lock()


def _renew_locks() -> None:
    for owner in list(_OWNERS):
        owner.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class cached_property(Generic[T]):
    """The one of functools since Python 3.12: two threads may both compute a value.

    Before 3.12 they take a lock that all instances share, and no fork waits for it.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value
