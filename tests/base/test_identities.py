"""Tables of what is known of objects by who they are."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import graphwright as tf
from graphwright.base.identities import IdentityTable
from graphwright.explain.trace_record import FAMILIES, family_of


class Twin:
    """Equal to all of its kind, and not hashable."""

    def __eq__(self, other):
        return isinstance(other, Twin)


def leave_behind(table, owner, value):
    """An entry of another object under the identity that an object has: that of one that is gone,
    of which the table was not told."""
    gone = Twin()
    table.entries[id(owner)] = weakref.ref(gone), value


def test_objects_are_told_apart_by_who_they_are():
    table, one, two = IdentityTable(), Twin(), Twin()
    assert (table.add(one, 1), table.add(two, 2), table.add(one, 3)) == (1, 2, 1)
    assert (table.find(one), table.find(two), table.find(Twin())) == (1, 2, None)
    assert one in table
    assert Twin() not in table
    assert table.values() == [1, 2]
    del one
    assert table.values() == [2]
    assert len(table) == 1


def test_an_entry_counts_for_nobody_else():
    table, new = IdentityTable(), Twin()
    leave_behind(table, new, "old")
    assert table.find(new) is None
    assert new not in table
    assert table.values() == []
    assert table.add(new, "new") == "new"
    assert table.find(new) == "new"
    assert len(table) == 1


def test_the_end_of_one_object_leaves_the_entry_of_the_next():
    table, old, new = IdentityTable(), Twin(), Twin()
    table.add(old, "old")
    table.entries[id(old)] = weakref.ref(new), "new"  # as if it had the same place in memory
    del old
    assert table.values() == ["new"]


def test_what_cannot_be_referred_to_weakly_is_refused():
    table = IdentityTable()
    with pytest.raises(TypeError, match="weak reference"):
        table.add(1, "one")
    assert len(table) == 0
    assert table.find(1) is None


def test_a_table_goes_without_the_collector_and_before_its_owners():
    gc.collect()
    gc.disable()
    try:
        table, owner, value = IdentityTable(), Twin(), Twin()
        table.add(owner, value)
        gone, value = weakref.ref(value), None
        del table
        assert gone() is None
        del owner  # tells a table that is no more
    finally:
        gc.enable()


def test_threads_agree_on_a_value():
    for _ in range(200):
        table, owner = IdentityTable(), Twin()
        leave_behind(table, owner, "old")
        start, found = threading.Barrier(8), []

        def add(table=table, owner=owner, start=start, found=found):
            start.wait()
            found.append(table.add(owner, object()))

        threads = [threading.Thread(target=add) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(found) == {table.find(owner)}


def test_a_method_of_an_object_that_is_gone_is_not_called_for_another():
    class Scale:
        def __init__(self, by):
            self.by = by

        @tf.function
        def step(self, x):
            return x * self.by

    one, two = Scale(2), Scale(3)
    x = tf.constant(1)
    assert one.step(x) == 2
    leave_behind(Scale.step._methods, two, one.step)
    assert two.step(x) == 3
    assert one.step(x) == 2
    assert two.step(x) == 3


def test_functions_are_not_of_the_family_of_code_that_is_gone():
    def one(x):
        return x

    def two(x):
        return x + 1

    leave_behind(FAMILIES, two.__code__, family_of(one))
    assert family_of(two) is not family_of(one)
    assert family_of(two) is family_of(two)
