"""What a fork may find half done."""

from __future__ import annotations

import inspect
import itertools
import os
import re
import threading
import time
from pathlib import Path

import pytest
from support.forking import in_child, shared_locks

import graphwright
import graphwright as tf
from graphwright.base.forks import HELD, cached_property
from graphwright.compile.select.kernel_calls import KernelTable
from graphwright.data.diagnosis.stage_watch import Measure, StageWatcher
from graphwright.data.random_words import SeedGenerator
from graphwright.data.reader import Reader
from graphwright.data.stages.cache_stages import CacheMemory
from graphwright.data.tuning.pipeline_budget import MemoryBudget
from graphwright.library.objects.critical_section import Mutex
from graphwright.machine.disk_cache import DiskCache
from graphwright.ops.random.seeds import Stream
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Held
from graphwright.portable.travelling_functions import ArrivedFunctions


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
        result = []
        mine = threading.Thread(target=lambda: result.append(Thing(lambda: 3).value))
        mine.start()
        mine.join(60)
        assert result == [3]
    finally:
        go_on.set()
        thread.join()


# -- locks ----------------------------------------------------------------------------------


SHARED = shared_locks()


def is_free(lock):
    """Whether a lock can be taken by the thread that asks."""
    if lock.acquire(timeout=2):
        lock.release()
        return True
    return False


def fork_while_held(lock, question):
    """The answer in a child that is forked while another thread has the lock."""
    held, forking = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            forking.wait(60)
            time.sleep(0.03)  # a fork that does not wait for the lock has come by then

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    forking.set()
    try:
        return in_child(question)
    finally:
        thread.join()


forked = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
quietly = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_all_locks_of_the_package_are_known():
    names = {f"{getattr(owner, '__name__', owner)}.{name}" for owner, name in SHARED}
    assert {"ThreadBound.lock", "Workers.lock", "graphwright.function.polymorphic.TRACING"} <= names
    assert {id(lock) for lock in HELD} <= {id(getattr(*place)) for place in shared_locks()}


@forked
@quietly
@pytest.mark.parametrize("place", SHARED, ids=lambda p: f"{p[0].__name__}.{p[1]}")
def test_no_child_finds_a_shared_lock_held(place):
    assert fork_while_held(getattr(*place), lambda: is_free(getattr(*place)))


def with_locks_of_their_own(tmp_path):
    """Of each class whose objects have locks, one."""
    stage = tf.data.Dataset.range(1)._stage
    return [
        tf.Variable(1.0)._storage,
        Table(tf.string, tf.int64),
        Mutex("m"),
        Stream(1, 2),
        DiskCache(tmp_path),
        CacheMemory(),
        MemoryBudget(),
        Measure(stage),
        StageWatcher(),
        Reader(stage),
        SeedGenerator(1, 2, is_fixed=False),
        KernelTable(),
        ArrivedFunctions(),
        tf.compat.v1.train.Coordinator(),
    ]


@forked
@quietly
def test_no_child_finds_the_lock_of_an_object_held(tmp_path):
    for owner in with_locks_of_their_own(tmp_path):
        assert fork_while_held(owner.lock, lambda: is_free(owner.lock)), owner  # noqa: B023
        assert is_free(owner.lock)


def test_each_class_whose_objects_have_locks_has_one_that_children_renew(tmp_path):
    """A new class with a lock stands in `with_locks_of_their_own`."""
    sources = Path(graphwright.__file__).parent.rglob("*.py")
    made = [p.name for p in sources for _ in re.findall(r"= own_lock\(self\)", p.read_text())]
    kinds = {type(owner) for owner in with_locks_of_their_own(tmp_path)}
    files = [Path(inspect.getfile(kind)).name for kind in kinds]
    assert sorted(made) == sorted(files)
    plain = [
        p.name
        for p in Path(graphwright.__file__).parent.rglob("*.py")
        if re.search(r"self\.\w+ = threading\.R?Lock\(", p.read_text())
    ]
    # Whose threads, and locks with them, a child makes anew; and a lock that is one of a module.
    assert sorted(plain) == ["background.py", "borrowed_lock.py", "buffer_stages.py"]


@forked
@quietly
def test_a_child_that_is_forked_during_a_trace_can_trace():
    began, forking = threading.Event(), threading.Event()

    @tf.function
    def slow(x):
        began.set()
        forking.wait(60)
        time.sleep(0.03)
        return x + 1.0

    thread = threading.Thread(target=lambda: slow(tf.constant(1.0)))
    thread.start()
    assert began.wait(60)
    forking.set()
    try:
        assert in_child(lambda: tf.function(lambda x: x * 2.0)(tf.constant(2.0)) == 4.0)
    finally:
        thread.join()


@forked
@quietly
def test_a_child_updates_a_variable_that_another_thread_was_updating():
    v = tf.Variable(1.0)

    def update():
        v.assign_add(1.0)
        return v.numpy() == 2.0

    assert fork_while_held(v._storage.lock, update)


# -- variables ------------------------------------------------------------------------------


def test_locks_of_variables_are_taken_in_one_order_whatever_that_of_the_arguments():
    cells = [tf.Variable(float(i))._storage for i in range(4)]
    orders = [Held(order).in_order() for order in itertools.permutations(cells)]
    assert all(order == orders[0] for order in orders)
    assert Held([cells[1], cells[0], cells[1]]).in_order() == Held(cells[:2]).in_order()


def test_a_cell_that_comes_twice_is_locked_once():
    cell = tf.Variable(1.0)._storage
    with Held([cell, cell]):
        assert cell.lock.locked()
    assert is_free(cell.lock)


def test_a_lock_that_is_not_free_is_waited_for_with_no_other_one_held():
    first, second = sorted([tf.Variable(float(i))._storage for i in range(2)], key=id)
    second.lock.acquire()
    done = threading.Event()

    def update():
        with Held([first, second]):
            done.set()

    thread = threading.Thread(target=update)
    thread.start()
    assert not done.wait(0.05)
    second.lock.release()
    assert done.wait(10)
    thread.join()
    assert is_free(first.lock)
    assert is_free(second.lock)


def test_locks_that_were_taken_are_given_back_where_the_next_is_not():
    class Refusing:
        def acquire(self, blocking=True):
            raise KeyboardInterrupt

    first, second = [tf.Variable(1.0)._storage for _ in range(2)]
    second.lock = Refusing()
    with pytest.raises(KeyboardInterrupt), Held([first, second]):
        pass
    assert is_free(first.lock)
