"""Work shared out between threads: a native pool, bounded by `tf.config.threading`.

Native code calls `parallel_for(function, context, blocks)` at `address()`, Python code calls `run`.
The function gets the context and the number of a block. Without POSIX threads the caller does all
blocks alone.

Workers are Python's threads that wait in native code, without the interpreter's lock, for all their
life. So the interpreter knows the thread of a block that calls Python. Unknown threads might hold a
lock of the interpreter during a fork, and the child would wait for it forever.

A child of a fork has no workers until it calls `run` or `address`.
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
#: A caller's looks: blocks are short, and a thread that sleeps on a busy machine wakes late.
_PATIENCE = 25 * _SPINS
_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


class Limit:
    """The number of threads that one op may use; 0 means one for each core."""

    threads = 0


def bound(threads: int) -> None:
    """Lets one op use at most so many threads, BLAS included; 0 sets no bound."""
    Limit.threads = threads
    process_settings.bound(threads)
    if Workers.pool:
        _start(Workers.pool)


def available() -> int:
    """The number of threads that one op may use."""
    return Limit.threads or cores()


@functools.cache
def cores() -> int:
    """The number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def are_possible() -> bool:
    """Whether code may share work between threads; how it does so has no other result."""
    return os.name == "posix"


def address() -> int:
    """The address of the native `parallel_for`; 0 without POSIX threads."""
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
    """The pool, once it is compiled, and the number of its threads."""

    pool: ThreadPool | None = None
    started = 0
    used = 1  # threads of a job, its caller included
    lock = threading.Lock()


def _start(pool: ThreadPool) -> None:
    """Starts the missing workers, and lets jobs use as many as the bound allows.

    From Python 3.12 on none can start while the interpreter ends: jobs use those that exist.
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
    """Forgets the workers in the child of a fork: they are the parent's."""
    Workers.started, Workers.used, Workers.lock = 0, 1, threading.Lock()
    if Workers.pool:
        Workers.pool.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _pool() -> ThreadPool | None:
    """The native pool, compiled at the first call; None where there are no POSIX threads."""
    if Workers.pool is None and are_possible():
        with LLVM:  # not the workers' lock: a user of LLVM starts workers, too
            Workers.pool = Workers.pool or _compiled()
    return Workers.pool


def _compiled() -> ThreadPool:
    from graphwright.machine import compiler, targets, thread_pool_code

    pause = thread_pool_code.PAUSES.get(targets.target().family, "")
    library = compiler.compiled(
        thread_pool_code.text(pause, _SPINS, _PATIENCE, int(signal.SIG_BLOCK)), is_quick=True
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
