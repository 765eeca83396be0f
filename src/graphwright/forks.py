"""Locks and the children of forks.

A child has the thread that forked it and no other: a lock that another one held stays locked in
it for ever, and what that lock guards may be half done.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

Lock = TypeVar("Lock", bound=Any)


def held_over_forks(lock: Lock) -> Lock:
    """The lock, for which forks wait from now on.

    Of two such locks the one that was made last is waited for first. That is the one of the
    higher layer, which a thread takes first too.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
    return lock
