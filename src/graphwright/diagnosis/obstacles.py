"""What slows graphwright down on this machine, each with what helps."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from typing import NamedTuple

from graphwright.compile.run.options import OPTIONS
from graphwright.diagnosis.installation import blas_libraries, quota
from graphwright.machine import targets, threads
from graphwright.machine.disk_cache import DiskCache, disk_cache


class Slowdown(NamedTuple):
    """Something that costs time, and the call or setting that spares it."""

    what: str
    remedy: str


def obstacles() -> Iterator[Slowdown]:
    """Everything that is known to cost time here."""
    yield from of_compilation()
    yield from of_cores()
    yield from of_python()


def of_compilation() -> Iterator[Slowdown]:
    """What keeps machine code from being made, or from being there already."""
    mode = OPTIONS.get("native")
    if mode == "off":
        yield Slowdown("GRAPHWRIGHT_NATIVE=off: no machine code is made", "unset it")
    elif mode in ("check", "sanitize"):
        yield Slowdown(f"GRAPHWRIGHT_NATIVE={mode} looks for faults in each call", "unset it")
    elif mode == "always":
        yield Slowdown("GRAPHWRIGHT_NATIVE=always compiles also what runs once", "unset it")
    cache = disk_cache()
    if cache is None:
        yield Slowdown(
            "GRAPHWRIGHT_CACHE_DIR=off: each process compiles all of its code", "unset it"
        )
    elif not can_keep(cache):
        yield Slowdown(
            f"no machine code can be kept in {cache.directory}",
            "GRAPHWRIGHT_CACHE_DIR names a folder that only you can write",
        )
    host = targets.description().host
    if host.vectors.bits < 256 and host.family == "x86_64":
        yield Slowdown(
            "the processor has no AVX2, or the virtual machine hides it",
            "a machine type of a newer generation has vectors of twice the size",
        )


def can_keep(cache: DiskCache) -> bool:
    """Whether this user can make files in a cache's folder, and nobody else can."""
    folder = cache.directory
    if folder.exists():
        return os.access(folder, os.W_OK) and cache.is_safe()
    above = next(parent for parent in folder.parents if parent.exists())
    return os.access(above, os.W_OK)


def of_cores() -> Iterator[Slowdown]:
    """What leaves graphwright fewer cores than there are, or more threads than cores."""
    cores, limit = threads.cores(), quota()
    if limit is not None and limit < cores:
        yield Slowdown(
            f"the container may use {limit:g} cores, and {cores} threads share them",
            f"`taskset -c 0-{max(1, round(limit)) - 1}` before the command lets threads match",
        )
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[0]
        if load > 1.5 * (os.cpu_count() or 1):
            yield Slowdown(
                f"{load:.1f} processes want {os.cpu_count()} cores", "wait until others are done"
            )
    for entry in blas_libraries():
        if entry["num_threads"] < cores:
            yield Slowdown(
                f"{entry['internal_api']} may use {entry['num_threads']} of {cores} cores",
                "unset OPENBLAS_NUM_THREADS, OMP_NUM_THREADS and MKL_NUM_THREADS",
            )
            break


def of_python() -> Iterator[Slowdown]:
    """What makes Python itself slow."""
    if sysconfig.get_config_var("Py_DEBUG"):
        yield Slowdown("this Python was built for debugging", "take a release build")
    if sys.gettrace() is not None:
        yield Slowdown("a debugger or a coverage tool traces each line", "run without it")
    if sys.dont_write_bytecode:
        yield Slowdown(
            "PYTHONDONTWRITEBYTECODE: imports may compile all modules anew",
            "unset it, or run `python -m compileall` over the installed packages once",
        )
