"""The BLAS that SciPy brings: its routines by address, and how many threads it may use.

Native code calls a routine by its address with Fortran's conventions: every argument by pointer,
matrices by columns, sizes as 32-bit integers.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import sys
import threading
from importlib.machinery import PathFinder

from graphwright.base.forks import held_over_forks

#: SciPy's module of BLAS's routines.
_WRAPPER = "scipy.linalg.cython_blas"


@functools.cache
def address(name: str) -> int:
    """Where a routine such as `sgemm`, `dgemm` or `sgemv` lies.

    ValueError if BLAS has none of that name.
    """
    found = _exported(name) or _wrapped(name)
    if found is None:
        raise ValueError(f"BLAS has no routine {name!r}")
    bound(ThreadBound.threads)  # SciPy's BLAS may have been loaded just now
    return found


def _exported(name: str) -> int | None:
    """A routine of the BLAS in SciPy's wheels, under the name that it has there.

    It comes with the extension module that wraps it, which is loaded as a library: to import it
    takes 0.15 s, for the whole of `scipy.linalg` comes first. None where SciPy has another BLAS.
    """
    package = PathFinder.find_spec("scipy")
    if os.name != "posix" or package is None:
        return None
    folders = package.submodule_search_locations or []
    wrapper = PathFinder.find_spec(_WRAPPER, [os.path.join(f, "linalg") for f in folders])
    if wrapper is None or wrapper.origin is None:
        return None
    try:
        routine = ctypes.CDLL(wrapper.origin)[f"scipy_{name}_"]
    except (OSError, AttributeError):
        return None
    return ctypes.cast(routine, ctypes.c_void_p).value


def _wrapped(name: str) -> int | None:
    """A routine as SciPy offers it to other extension modules."""
    routines = importlib.import_module(_WRAPPER).__pyx_capi__
    if name not in routines:
        return None
    capsule = ctypes.py_object(routines[name])
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer: int = pointer_of(capsule, name_of(capsule))
    return pointer


class ThreadBound:
    """How many threads BLAS may use: 0 means as many as it chose when it was loaded."""

    threads = 0
    holds: set[int] = set()  # who has it use one, whatever that says
    chosen: dict[str, int] = {}  # by the file of each BLAS that was bound
    lock = held_over_forks(threading.RLock())  # the collector may end a `Hold` anywhere


def bound(threads: int) -> None:
    """Bounds the threads of every BLAS that is loaded, NumPy's and SciPy's own; 0 frees them."""
    with ThreadBound.lock:
        ThreadBound.threads = threads
        _apply()


class Hold:
    """Has BLAS use one thread until it is released, or gone: its own look for work for long after
    each call, and take the cores from whoever else has something to do."""

    def __init__(self) -> None:
        with ThreadBound.lock:
            ThreadBound.holds.add(id(self))
            _apply()

    def release(self) -> None:
        """Ends it."""
        with ThreadBound.lock:
            if id(self) in ThreadBound.holds:
                ThreadBound.holds.remove(id(self))
                _apply()

    __del__ = release


def _apply() -> None:
    threads = 1 if ThreadBound.holds else ThreadBound.threads
    if (not threads and not ThreadBound.chosen) or sys.is_finalizing():
        return
    from threadpoolctl import ThreadpoolController

    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        before = ThreadBound.chosen.setdefault(library.filepath, library.num_threads)
        # From its version 3.7 on, threadpoolctl heeds only the thread that was the first to set a
        # number. Here one thread holds BLAS and another ends that.
        free = getattr(library, "clear_controlling_thread", None)
        if free is not None:
            free(force=True)
        library.set_num_threads(threads or before)
        if free is not None:
            free(force=True)


def _forget() -> None:
    """The child of a fork has none of the threads that hold BLAS."""
    if ThreadBound.holds:
        ThreadBound.holds.clear()
        _apply()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
