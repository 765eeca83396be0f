"""The BLAS that SciPy brings: its routines by address, and how many threads it may use.

Native code calls a routine by its address with Fortran's conventions: every argument by pointer,
matrices by columns, sizes as 32-bit integers.
"""

from __future__ import annotations

import ctypes
import functools
import importlib


@functools.cache
def address(name: str) -> int:
    """Where a routine such as `sgemm`, `dgemm` or `sgemv` lies.

    ValueError if BLAS has none of that name.
    """
    routines = importlib.import_module("scipy.linalg.cython_blas").__pyx_capi__
    if name not in routines:
        raise ValueError(f"BLAS has no routine {name!r}")
    capsule = ctypes.py_object(routines[name])
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer: int = pointer_of(capsule, name_of(capsule))
    bound(Bound.threads)  # SciPy's BLAS may have been loaded just now
    return pointer


class Bound:
    """How many threads BLAS may use: 0 means as many as it chose when it was loaded."""

    threads = 0
    chosen: dict[str, int] = {}  # by the file of each BLAS that was bound


def bound(threads: int) -> None:
    """Bounds the threads of every BLAS that is loaded, NumPy's and SciPy's own; 0 frees them."""
    if threads == Bound.threads == 0:
        return
    from threadpoolctl import ThreadpoolController

    Bound.threads = threads
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        before = Bound.chosen.setdefault(library.filepath, library.num_threads)
        library.set_num_threads(threads or before)
