"""Loops in machine code that somebody looks at: they say how far they are when they let signals in.

Machine code calls `looked` with the number that a loop counts and its limit, and `ended` after the
call that it belongs to. Where nobody looks, it reads one number instead.
"""

from __future__ import annotations

import ctypes
from typing import ClassVar, Protocol


class MachineLoopView(Protocol):
    """Who looks at loops of machine code."""

    def show(self, present: int, limit: int) -> bool:
        """Shows where a loop is that counts up to a limit; gives whether it asks for the end."""

    def end(self) -> None:
        """Takes away what is shown, if the call that ends is the one that is shown."""


class MachineLoops:
    """The one who looks, if there is one, and what machine code reads about it."""

    view: ClassVar[MachineLoopView | None] = None
    #: 0 if nobody looks, 1 if somebody does, and 2 if a call's end is asked for, too.
    watched: ClassVar[ctypes.c_int64] = ctypes.c_int64(0)


def watch(view: MachineLoopView | None) -> None:
    """Has a view see all loops in machine code from now on; None ends that."""
    MachineLoops.view = view
    MachineLoops.watched.value = int(view is not None)


def looked(present: int, limit: int) -> None:
    """What machine code calls in a loop; both are equal where it counts up to no limit."""
    view = MachineLoops.view
    if view is not None and view.show(present, limit):
        MachineLoops.watched.value = 2


def ended() -> None:
    """What machine code calls after a call whose end is asked for."""
    view = MachineLoops.view
    if view is not None:
        view.end()
