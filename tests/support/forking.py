"""What the child of a fork finds, and the locks that it must not find held."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from graphwright.base.borrowed_lock import BorrowedLock

#: After so many seconds a child hangs.
PATIENCE = 20


def in_child(question: Callable[[], object]) -> bool:
    """Whether a question has a true answer in the child of a fork; it has not if that hangs."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(PATIENCE)
            status = 0 if question() else 1
        except BaseException:  # noqa: BLE001 - the child must end here
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def kinds_of_locks() -> tuple[type, ...]:
    """The types of locks: those which `threading` gives out by functions, and one of ours."""
    return type(threading.Lock()), type(threading.RLock()), BorrowedLock


def shared_locks() -> list[tuple[Any, str]]:
    """Where the locks are that modules and their classes have: (owner, name)."""
    places: dict[int, tuple[Any, str]] = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("graphwright"):
            continue
        classes = [v for v in vars(module).values() if isinstance(v, type)]
        for owner in (module, *[c for c in classes if c.__module__ == name]):
            for attribute, value in list(vars(owner).items()):
                if isinstance(value, kinds_of_locks()):
                    places.setdefault(id(value), (owner, attribute))
    return list(places.values())
