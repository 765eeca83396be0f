"""Work shared out between threads: a native pool, bounded by `tf.config.threading`.

Native code calls `parallel_for(function, context, blocks)` at `address()`; the function gets the
context and the number of a block. Python code calls `share`. Where there are no POSIX threads,
native code does its blocks alone and Python's own threads serve `share`.

Workers are Python's threads that wait in native code, without the interpreter's lock, for all
their life: a block that calls Python finds its thread known to the interpreter. (Threads that come
and go in calls from outside may hold a lock of the interpreter while another one forks, and the
child waits for it forever.) A child of a fork has no workers until `share` or `address` is called.
"""

from __future__ import annotations

import _thread
import contextvars
import ctypes
import functools
import os
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from graphwright.kernels import blas
from graphwright.kernels.exclusion import LLVM

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_SPINS = 5000  # looks for work before a thread goes to sleep: some 100 µs, as from op to op
_PATIENCE = (
    25 * _SPINS
)  # of a caller: blocks are short, and who sleeps on a busy machine waits long
_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class Limit:
    """How many threads one op may use; 0 means one for each core."""

    threads = 0


def bound(threads: int) -> None:
    """Lets one op use this many threads, BLAS included; 0 sets no bound."""
    Limit.threads = threads
    blas.bound(threads)
    if Workers.pool:
        _start(Workers.pool)


def available() -> int:
    """How many threads one op may use."""
    return Limit.threads or cores()


@functools.cache
def cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def address() -> int:
    """Where the native `parallel_for` lies; 0 where there is none."""
    pool = _pool()
    if pool is None:
        return 0
    _start(pool)
    return pool.address


def run(function: int, context: int, blocks: int) -> None:
    """Runs a native function(context, block) at an address for each block."""
    pool = _pool()
    if pool:
        _start(pool)
        pool.parallel_for(function, context, blocks)
        return
    call = _BLOCK(function)
    for block in range(blocks):
        call(context, block)


def share(work: Callable[[int], None], parts: int) -> None:
    """Runs work(0), ..., work(parts - 1), at once if there are threads for it.

    Each runs in the caller's context; the first exception is raised when all have ended.
    """
    if parts == 1:
        work(0)
        return
    context = contextvars.copy_context()
    errors: list[BaseException] = []

    def run(_: Any, part: int) -> None:
        try:
            context.copy().run(work, part)
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was asked for
            errors.append(error)

    pool = _pool()
    if pool:
        _start(pool)
        function = _BLOCK(run)
        pool.parallel_for(ctypes.cast(function, ctypes.c_void_p), None, parts)
    else:
        for other in [_executor().submit(run, None, part) for part in range(parts)]:
            other.result()
    if errors:
        raise errors[0]


class Pool(NamedTuple):
    """The functions of the native pool."""

    address: int
    parallel_for: Any
    limit: Any
    reset: Any
    work: Any


class Workers:
    """The pool, once there is one, and the threads that were started for it."""

    pool: Pool | None = None
    started = 0
    used = 1  # by a job, its caller among them
    lock = threading.Lock()


def _start(pool: Pool) -> None:
    """Starts the workers that are missing, and has jobs use as many as the bound allows."""
    if Workers.used == available():
        return
    with Workers.lock:
        for _ in range(Workers.started, available() - 1):
            _thread.start_new_thread(pool.work, ())
            Workers.started += 1
        Workers.used = available()
        pool.limit(Workers.used)


def _forget() -> None:
    """What the child of a fork does: the workers are the parent's."""
    Workers.started, Workers.used, Workers.lock = 0, 1, threading.Lock()
    if Workers.pool:
        Workers.pool.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _pool() -> Pool | None:
    """The native pool, compiled at the first call; None where there are no POSIX threads."""
    if Workers.pool is None and os.name == "posix":
        with LLVM:  # not the workers' lock: who uses LLVM starts workers, too
            Workers.pool = Workers.pool or _compiled()
    return Workers.pool


def _compiled() -> Pool:
    from graphwright.kernels import machine, pool_code

    pause = pool_code.PAUSES.get(machine.target().family, "")
    engine = machine.compiled(pool_code.text(pause, _SPINS, _PATIENCE, int(signal.SIG_BLOCK)))
    place = engine.address("parallel_for")
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    pool = Pool(
        place,
        ctypes.CFUNCTYPE(None, pointer, pointer, number)(place),
        ctypes.CFUNCTYPE(None, number)(engine.address("limit")),
        ctypes.CFUNCTYPE(None)(engine.address("reset")),
        ctypes.CFUNCTYPE(None)(engine.address("work")),
    )
    pool.reset()
    return pool


@functools.cache
def _executor() -> ThreadPoolExecutor:
    """Python's own threads."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(cores(), "graphwright")
