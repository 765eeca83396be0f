"""Work that the program waits for: traces, and machine code that is made before a call runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar


def unseen(kind: str, name: str) -> AbstractContextManager[object]:
    """A context that does nothing."""
    return nullcontext()


class Waits:
    """Who looks at such work: nobody, unless a command or a notebook asked for it."""

    #: Gives the context around work of a kind ("tracing", "compiling") on a function of a name.
    around: ClassVar[Callable[[str, str], AbstractContextManager[object]]] = staticmethod(unseen)
