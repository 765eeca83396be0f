"""Loops that go on as machine code after a few iterations, whatever time they take."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch
from weakref import ref

from graphwright.compile.run.loop_heads import LoopHead, Visit

#: More iterations than any loop has.
_NEVER = 1 << 62


class Departures:
    """What happened while loops were made to go on as machine code."""

    def __init__(self, seed: int, most: int) -> None:
        self.random = random.Random(seed)
        self.most = most
        self.left: list[LoopHead] = []  # the heads whose code ran
        self.then: Callable[[], object] = bool  # called before it runs

    def look(self, head: LoopHead, visit: Visit | None) -> Visit:
        """A look that lets a loop go on as machine code in its turn, which is drawn."""
        if visit is None:
            visit = Visit(0.0)
            visit.turns = self.random.randint(0, self.most)
            if visit.turns:
                return visit
        if head.code is None and not head.is_refused:
            head.visitor, head.answered = ref(visit), threading.Event()
            head.make()
        visit.turns = _NEVER if head.code is None else 0
        if not visit.turns:
            self.left.append(head)
            self.then()
        return visit


@contextmanager
def departing(seed: int = 0, most: int = 3) -> Iterator[Departures]:
    """All loops of generated Python go on as machine code after at most so many iterations."""
    departures = Departures(seed, most)

    def look(head: LoopHead, visit: Visit | None) -> Visit:
        return departures.look(head, visit)

    with patch.object(LoopHead, "look", look):
        yield departures
