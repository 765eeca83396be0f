"""The thread pool: every block once, whoever calls, through forks and until the end."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import graphwright as tf
from graphwright.machine import compiler, threads

pytestmark = pytest.mark.usefixtures("native_kernels")

COUNT = """
define void @count(ptr %counts, i64 %block) {
  %at = getelementptr i64, ptr %counts, i64 %block
  %before = atomicrmw add ptr %at, i64 1 monotonic
  ret void
}
"""

BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


def share(work: Callable[[int], None], parts: int) -> None:
    """Has work(0), ..., work(parts - 1) done by the pool."""
    block = BLOCK(lambda _, part: work(part))
    threads.run(ctypes.cast(block, ctypes.c_void_p).value, 0, parts)


native = pytest.mark.skipif(os.name != "posix", reason="there are no POSIX threads")


@pytest.fixture
def three() -> Iterator[None]:
    """More threads than some machines have cores."""
    tf.config.threading.set_intra_op_parallelism_threads(3)
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)


@pytest.fixture(scope="module")
def count() -> Any:
    """Counts each block of a native job; returns the counts of `times` jobs of `blocks`."""
    function = compiler.compiled(COUNT).addresses["count"]
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    parallel_for = call(threads.address())

    def run(blocks: int, times: int) -> list[int]:
        counts = (ctypes.c_int64 * blocks)()
        for _ in range(times):
            parallel_for(function, ctypes.addressof(counts), blocks)
        return list(counts)

    return run


@native
@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 1000])
def test_every_block_runs_once(blocks: int, count: Any) -> None:
    assert count(blocks, 500) == [500] * blocks


@native
@pytest.mark.usefixtures("three")
def test_many_threads_may_call_at_once(count: Any) -> None:
    results: list[list[int]] = []
    callers = [threading.Thread(target=lambda: results.append(count(5, 3000))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [[3000] * 5] * 8


@pytest.fixture
def two() -> Iterator[None]:
    """Two threads, however many cores there are."""
    tf.config.threading.set_intra_op_parallelism_threads(2)
    yield
    tf.config.threading.set_intra_op_parallelism_threads(0)


@native
@pytest.mark.usefixtures("two")
def test_a_thread_has_the_same_blocks_in_every_job() -> None:
    """The caller the first half of them, a worker the others, where both are as fast."""
    barrier, caller = threading.Barrier(2, timeout=30), threading.get_ident()
    own: list[int] = []

    def work(part: int) -> None:
        barrier.wait()
        if threading.get_ident() == caller:
            own.append(part)

    for _ in range(5):
        share(work, 8)
    assert own == [0, 1, 2, 3] * 5


@native
@pytest.mark.usefixtures("two")
def test_who_has_done_his_blocks_takes_those_of_others() -> None:
    """The caller waits in its first block until all others are done."""
    left = threading.Semaphore(0)
    done: list[int] = []

    def work(part: int) -> None:
        if part == 0:
            assert all(left.acquire(timeout=30) for _ in range(7))
        done.append(part)
        left.release()

    share(work, 8)
    assert done == [4, 5, 6, 7, 1, 2, 3, 0]


@pytest.mark.usefixtures("three")
def test_jobs_may_nest() -> None:
    result: list[tuple[int, int]] = []

    def outer(i: int) -> None:
        share(lambda j: result.append((i, j)), 4)

    share(outer, 4)
    assert sorted(result) == [(i, j) for i in range(4) for j in range(4)]


def test_one_thread_means_the_caller_alone() -> None:
    tf.config.threading.set_intra_op_parallelism_threads(1)
    try:
        idents: set[int] = set()
        share(lambda part: idents.add(threading.get_ident()), 50)
        assert idents == {threading.get_ident()}
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(0)


START = """
import ctypes, os, threading
import graphwright as tf
from graphwright.machine import threads
tf.config.threading.set_intra_op_parallelism_threads(3)
block = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
def share(work, parts):
    call = block(lambda _, part: work(part))
    threads.run(ctypes.cast(call, ctypes.c_void_p).value, 0, parts)
def used():
    barrier = threading.Barrier(2, timeout=30)
    idents = set()
    def work(part):
        idents.add(threading.get_native_id())
        barrier.wait()
    share(work, 2)
    return len(idents)
assert used() == 2
"""


def run(program: str) -> None:
    paths = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + program],
        env=os.environ | {"PYTHONPATH": paths},
        timeout=120,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@native
def test_forked_children_have_threads_of_their_own() -> None:
    run("""
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if used() == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert used() == 2
""")


@native
def test_more_threads_than_shares_do_every_block_once() -> None:
    run("""
tf.config.threading.set_intra_op_parallelism_threads(100)
for parts in (2, 65, 1000):
    found = []
    share(found.append, parts)
    assert sorted(found) == list(range(parts))
""")


@native
def test_forks_while_others_work() -> None:
    run("""
stop = False
def work():
    while not stop:
        share(lambda part: sum(range(100)), 3)
callers = [threading.Thread(target=work) for _ in range(3)]
for caller in callers:
    caller.start()
statuses = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if used() == 2 else 1)
    statuses.append(os.waitpid(child, 0)[1])
stop = True
for caller in callers:
    caller.join()
assert not any(statuses), statuses
""")


def test_the_process_ends_while_workers_wait() -> None:
    for _ in range(3):
        run("share(lambda part: None, 3)")


AT_THE_END = """
import atexit
import graphwright as tf


@tf.function(autograph=False)
def f(x):
    return tf.reduce_sum(tf.sin(x[:, None] + x))


@atexit.register
def last():
    x = tf.ones([300])
    for _ in range(200):
        f(x)
    print("whole")
"""


@pytest.mark.parametrize("native", ["", "always"])
def test_functions_run_when_no_thread_can_be_started(native: str) -> None:
    """From Python 3.12 on, that is so once the interpreter ends."""
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_END],
        env={**os.environ, "GRAPHWRIGHT_NATIVE": native},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("whole\n", "")


def test_jobs_use_the_threads_that_could_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threads._thread, "start_new_thread", refuse)
    for name, value in {"started": 1, "used": 1}.items():
        monkeypatch.setattr(threads.Workers, name, value)
    monkeypatch.setattr(threads.Limit, "threads", 4)
    limits: list[int] = []
    threads._start(threads.ThreadPool(0, None, limits.append, None, None))
    assert limits == [2]
