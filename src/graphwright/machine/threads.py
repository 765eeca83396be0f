"""Work shared out between threads: a native pool, bounded by `tf.config.threading`.

Native code calls `parallel_for(function, context, blocks)` at `address()`, Python code calls `run`;
the function gets the context and the number of a block. Where there are no POSIX threads, who calls
does all blocks alone.

Workers are Python's threads that wait in native code, without the interpreter's lock, for all
their life: a block that calls Python finds its thread known to the interpreter. (Threads that come
and go in calls from outside may hold a lock of the interpreter while another one forks, and the
child waits for it forever.) A child of a fork has no workers until `run` or `address` is called.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import os
import signal
import threading
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import process_settings
from graphwright.machine.exclusion import LLVM

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
    process_settings.bound(threads)
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


class ThreadPool(NamedTuple):
    """The functions of the native pool."""

    address: int
    parallel_for: Any
    limit: Any
    reset: Any
    work: Any


class Workers:
    """The pool, once there is one, and the threads that were started for it."""

    pool: ThreadPool | None = None
    started = 0
    used = 1  # by a job, its caller among them
    lock = threading.Lock()


def _start(pool: ThreadPool) -> None:
    """Starts the workers that are missing, and has jobs use as many as the bound allows.

    From Python 3.12 on none can be once the interpreter ends: jobs use those that are there.
    """
    if Workers.used == available():
        return
    with Workers.lock:
        for _ in range(Workers.started, available() - 1):
            try:
                _thread.start_new_thread(pool.work, ())
            except RuntimeError:
                break
            Workers.started += 1
        Workers.used = min(available(), Workers.started + 1)
        pool.limit(Workers.used)


def _forget() -> None:
    """What the child of a fork does: the workers are the parent's."""
    Workers.started, Workers.used, Workers.lock = 0, 1, threading.Lock()
    if Workers.pool:
        Workers.pool.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _pool() -> ThreadPool | None:
    """The native pool, compiled at the first call; None where there are no POSIX threads."""
    if Workers.pool is None and os.name == "posix":
        with LLVM:  # not the workers' lock: who uses LLVM starts workers, too
            Workers.pool = Workers.pool or _compiled()
    return Workers.pool


def _compiled() -> ThreadPool:
    from graphwright.machine import compiler, targets, thread_pool_code

    pause = thread_pool_code.PAUSES.get(targets.target().family, "")
    library = compiler.compiled(
        thread_pool_code.text(pause, _SPINS, _PATIENCE, int(signal.SIG_BLOCK))
    )
    place = library.addresses["parallel_for"]
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    pool = ThreadPool(
        place,
        ctypes.CFUNCTYPE(None, pointer, pointer, number)(place),
        ctypes.CFUNCTYPE(None, number)(library.addresses["limit"]),
        ctypes.CFUNCTYPE(None)(library.addresses["reset"]),
        ctypes.CFUNCTYPE(None)(library.addresses["work"]),
    )
    pool.reset()
    return pool
