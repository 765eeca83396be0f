"""Locks are taken in one order, so that no threads wait for each other in a circle."""

from __future__ import annotations

import itertools
import sys
import threading
from typing import Any

import numpy as np
import pytest
from support.forking import shared_locks

import graphwright as tf
from graphwright.base.forks import HELD, own_lock
from graphwright.compile.llvm import sanitizer  # noqa: F401 - its lock is one of the package's
from graphwright.compile.run.options import OPTIONS
from graphwright.data.threads.held_work import Forks
from graphwright.library.objects.critical_section import Mutex
from graphwright.machine import background, compiler
from graphwright.machine.disk_cache import DiskCache
from graphwright.ops.random.seeds import Stream
from graphwright.ops.state.tables import Table
from graphwright.ops.state.variable_ops import Storage

Lock = Any


class Record:
    """Which locks were taken, and which of them while others were held."""

    def __init__(self) -> None:
        self.mine = threading.local()
        self.taken: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.cells: set[tuple[bool, ...]] = set()  # whether a cell's lock came in the order

    def held(self) -> list[Recorded]:
        """What this thread holds, in the order in which it was taken."""
        if not hasattr(self.mine, "held"):
            self.mine.held = []
        result: list[Recorded] = self.mine.held
        return result

    def takes(self, lock: Recorded) -> None:
        """A thread waits for a lock."""
        held = self.held()
        if lock not in held:
            self.taken.add(lock.name)
            self.pairs |= {(other.name, lock.name) for other in held if other.name != lock.name}
            cells = [other.place for other in held if other.name == lock.name]
            if cells:
                self.cells.add((max(cells) < lock.place,))


class Recorded:
    """A lock whose use is recorded."""

    def __init__(self, name: str, lock: Lock, record: Record, place: int = 0) -> None:
        self.name, self.lock, self.record, self.place = name, lock, record, place

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Waits for it; who does not wait closes no circle."""
        if blocking:
            self.record.takes(self)
        taken: bool = self.lock.acquire(blocking, timeout)
        if taken:
            self.record.held().append(self)
        return taken

    def release(self) -> None:
        """Gives it back, perhaps from another thread."""
        held = self.record.held()
        if self in held:
            held.reverse()
            held.remove(self)
            held.reverse()
        self.lock.release()

    def locked(self) -> bool:
        """Whether anybody has it."""
        return bool(self.lock.locked())

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


def modules() -> list[Any]:
    """The modules of the package that are loaded."""
    return [m for name, m in sorted(sys.modules.items()) if name.startswith("graphwright")]


def recording(patch: pytest.MonkeyPatch) -> Record:
    """Has every lock of the package recorded, wherever it is called by a name."""
    record = Record()
    made = {}
    for owner, attribute in shared_locks():
        lock = getattr(owner, attribute)
        made[id(lock)] = Recorded(f"{owner.__name__}.{attribute}", lock, record)

    def own(owner: Any) -> Any:
        return Recorded(type(owner).__name__, own_lock(owner), record, id(owner))

    for module in modules():
        classes = [v for v in vars(module).values() if isinstance(v, type)]
        for owner in (module, *classes):
            for attribute, value in list(vars(owner).items()):
                if id(value) in made:
                    patch.setattr(owner, attribute, made[id(value)])
                elif value is own_lock:
                    patch.setattr(owner, attribute, own)
    return record


def circle(pairs: set[tuple[str, str]]) -> list[str]:
    """Locks each of which is taken while the one before it is held; empty if there are none."""

    def along(path: list[str]) -> list[str]:
        for after in sorted(b for a, b in pairs if a == path[-1]):
            if after in path:
                return [*path[path.index(after) :], after]
            if after not in done and (result := along([*path, after])):
                return result
        done.add(path[-1])
        return []

    done: set[str] = set()
    result = (along([first]) for first in sorted({a for a, _ in pairs}))
    return next(filter(None, result), [])


def test_a_circle_is_noticed():
    assert circle({("a", "b"), ("b", "c"), ("a", "c")}) == []
    assert circle({("a", "b"), ("b", "c"), ("c", "a")}) == ["a", "b", "c", "a"]


# -- what threads do ---------------------------------------------------------------------------


def traces() -> None:
    inner = tf.function(lambda x: x * 2.0)
    outer = tf.function(lambda x: inner(x) + 1.0)
    for n in range(1, 8):  # often enough for a warning
        outer(tf.ones([n]))
    str(outer.explain())


def gradients() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(tf.cond(x > 0.0, lambda: v * v * x, lambda: v))

    with tf.GradientTape() as tape:
        result = loss(tf.constant(2.0))
    tape.gradient(result, v)


def families() -> None:
    def alike(x: Any) -> Any:
        return tf.exp(x) * 2.0 + 1.0

    for n in range(2, 6):
        function = tf.function(alike)
        for _ in range(5):
            function(tf.ones([n]))


def compiled() -> None:
    v = tf.Variable(np.ones(8, np.float32))

    @tf.function(jit_compile=True)
    def step(x: Any) -> Any:
        v.assign_add(x)
        return tf.linalg.matvec(tf.ones([8, 8]), v.read_value()) + tf.random.normal([8])

    step(tf.ones([8]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(OPTIONS, "native", "sanitize")
        tf.function(lambda x: x + 3.0)(tf.ones([4]))


def products() -> None:
    x = tf.ones([256, 256])
    tf.matmul(x, x)
    tf.nn.conv2d(tf.ones([2, 16, 16, 8]), tf.ones([3, 3, 8, 16]), 1, "SAME")
    tf.random.shuffle(tf.range(100))


def lists() -> None:
    @tf.function
    def collected(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i)
        return array.stack()

    collected(tf.constant(3))


def objects() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    section = tf.CriticalSection(name="section")
    v = tf.Variable(0)
    section.execute(lambda: v.assign_add(1))
    table.insert(["a"], tf.constant([1], tf.int64))
    tf.random.Generator.from_seed(1).normal([2])


class Model(tf.Module):
    """What functions know by who it is."""

    @tf.function
    def call(self, x: Any) -> Any:
        return x + 1.0


def methods() -> None:
    for _ in range(3):
        Model().call(tf.constant(1.0))


def several(cells: list[tf.Variable], order: tuple[int, ...], jit_compile: bool) -> None:
    """Updates several variables at once: captured in some order, and as arguments."""
    a, b, c = (cells[i] for i in order)

    @tf.function(jit_compile=jit_compile)
    def captured() -> None:
        update(a, b, c)

    given = tf.function(update, jit_compile=jit_compile)
    for _ in range(3):
        captured()
        given(a, b, c)


def update(a: Any, b: Any, c: Any) -> None:
    a.assign_add(b * 0.5)
    b.assign_sub(c * 0.5)
    c.assign(a * 0.5)


def held_up(cells: list[tf.Variable], order: tuple[int, ...], jit_compile: bool) -> None:
    """The same, begun while somebody has the last variable's lock."""
    lock = cells[order[-1]]._storage.lock.lock  # what is recorded is the other thread's order
    lock.acquire()
    timer = threading.Timer(0.05, lock.release)
    timer.start()
    several(cells, order, jit_compile)
    timer.join()


def forks() -> None:
    """Waits for threads as a fork does."""
    Forks.hold()
    Forks.release()


WORK = [traces, gradients, families, compiled, products, lists, objects, methods, forks]


def together(*works: Any) -> None:
    """Does several things at once."""
    failures: list[BaseException] = []

    def watched(work: Any) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised below
            failures.append(error)

    threads = [threading.Thread(target=watched, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive()
    for failure in failures:
        raise failure


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What was recorded while threads did all that takes locks."""
    folder = tmp_path_factory.mktemp("code")
    with pytest.MonkeyPatch.context() as patch:
        record = recording(patch)
        patch.setattr(compiler, "disk_cache", lambda: DiskCache(folder))
        for work in WORK:
            work()
        together(*WORK)
        cells = [tf.Variable(np.ones(4, np.float32)) for _ in range(3)]
        orders = list(itertools.permutations(range(3)))
        for compiles in (False, True):
            together(*[lambda o=o, c=compiles: several(cells, o, c) for o in orders])
            for order in orders:
                held_up(cells, order, compiles)
        background.wait(60)
    return record


#: Taken for what a process does once, which another test may have done.
FIRST = {"ThreadBound.lock", "Workers.lock"}


@pytest.mark.skipif("native" in OPTIONS, reason="in one tier, not all locks are taken")
def test_every_lock_of_the_package_is_taken(recorded):
    shared = {f"{owner.__name__}.{name}" for owner, name in shared_locks()}
    owned = {kind.__name__ for kind in (Storage, Table, Mutex, Stream, DiskCache)}
    assert recorded.taken | FIRST == shared | owned


def test_no_locks_are_taken_in_a_circle(recorded):
    tracing = "graphwright.function.polymorphic.TRACING"
    adding = "graphwright.base.identities._ADDING"
    assert (tracing, adding) in recorded.pairs
    assert circle(recorded.pairs) == []


def test_locks_are_taken_in_the_order_in_which_a_fork_takes_them(recorded):
    places = {
        f"{owner.__name__}.{name}": next(i for i, k in enumerate(HELD) if k is getattr(owner, name))
        for owner, name in shared_locks()
        if any(k is getattr(owner, name) for k in HELD)
    }
    known = {(a, b) for a, b in recorded.pairs if a in places and b in places}
    assert known
    assert {(a, b) for a, b in known if places[a] < places[b]} == set()


def test_locks_of_variables_are_taken_in_one_order(recorded):
    assert recorded.cells == {(True,)}
