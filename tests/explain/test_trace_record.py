"""Counts of traces and calls of a family of functions."""

from __future__ import annotations

import threading

from graphwright.explain.trace_record import FunctionFamily


class Interrupted(int):
    """A number of calls whose first comparison lets another thread note a trace."""

    def __new__(cls, family):
        number = super().__new__(cls, 0)
        number.other = threading.Thread(target=family.frequency)
        return number

    def __gt__(self, least):
        if self.other.ident is None:
            self.other.start()
            self.other.join(0.2)
        return False


def test_threads_may_note_traces_at_once():
    family = FunctionFamily()
    number = Interrupted(family)
    family.counted.extend([(0, number), (1, 0)])
    assert family.frequency() == (1, 1)
    number.other.join()
    assert family.traces == 2
    assert len(family.counted) == 4
