"""The BLAS and LAPACK that SciPy brings: their routines by address.

Native code calls a routine by its address with Fortran's conventions: every argument by pointer,
matrices by columns, sizes as 32-bit integers.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from importlib.machinery import PathFinder

from graphwright.machine.process_settings import ThreadBound, bound

#: SciPy's modules of routines: of BLAS, whose library has those of LAPACK too, and of LAPACK.
_WRAPPER, _WRAPPERS = "scipy.linalg.cython_blas", ("cython_blas", "cython_lapack")


@functools.cache
def address(name: str) -> int:
    """The address of a routine such as `sgemm`, `dgemm`, `sgemv` or `spotrf`.

    ValueError if BLAS has none of that name.
    """
    place = _exported(name) or _wrapped(name)
    if place is None:
        raise ValueError(f"BLAS has no routine {name!r}")
    bound(ThreadBound.threads)  # the look-up may have loaded SciPy's BLAS
    return place


def _exported(name: str) -> int | None:
    """The address of a routine of the BLAS in SciPy's wheels; None where SciPy has another BLAS.

    The extension module that wraps it is loaded as a library. To import it would take 0.15 s, for
    all of `scipy.linalg` comes first.
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
    """The address of a routine that SciPy offers to other extension modules; None for no such."""
    modules = [importlib.import_module(f"scipy.linalg.{wrapper}") for wrapper in _WRAPPERS]
    routines = {**modules[1].__pyx_capi__, **modules[0].__pyx_capi__}
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
