"""Work that the program waits for: traces, machine code that a call needs, loops that run long."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, Protocol


def unseen(kind: str, name: str) -> AbstractContextManager[object]:
    """A context that does nothing."""
    return nullcontext()


class LoopView(Protocol):
    """Who looks at a loop that runs."""

    def show(self, done: int, left: int | None) -> None:
        """Shows how many iterations are done, and how many are left if that is known."""

    def end(self) -> None:
        """Takes away what is shown, as the loop ends or goes on elsewhere."""


class Waits:
    """Who looks at such work: nobody, unless a command or a notebook asked for it."""

    #: Gives the context around work of a kind ("tracing", "compiling") on a function of a name.
    around: ClassVar[Callable[[str, str], AbstractContextManager[object]]] = staticmethod(unseen)
    #: Gives the view of a loop in a function of a name, if anybody looks at it.
    loop: ClassVar[Callable[[str], LoopView | None] | None] = None
