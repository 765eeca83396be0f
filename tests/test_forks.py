"""What a fork may find half done."""

from __future__ import annotations

import threading

from graphwright.forks import cached_property


class Thing:
    def __init__(self, compute):
        self.compute = compute

    @cached_property
    def value(self):
        """What was computed."""
        return self.compute()


def test_a_cached_property_is_computed_once():
    calls = []
    thing = Thing(lambda: calls.append(1) or len(calls))
    assert (thing.value, thing.value, len(calls)) == (1, 1, 1)
    assert Thing.value.__doc__ == "What was computed."


def test_no_cached_property_waits_for_that_of_another_instance():
    began, go_on = threading.Event(), threading.Event()
    other = Thing(lambda: began.set() or go_on.wait())
    thread = threading.Thread(target=lambda: other.value)
    thread.start()
    try:
        assert began.wait(60)
        found = []
        mine = threading.Thread(target=lambda: found.append(Thing(lambda: 3).value))
        mine.start()
        mine.join(60)
        assert found == [3]
    finally:
        go_on.set()
        thread.join()
