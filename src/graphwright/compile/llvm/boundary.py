"""The boundary with Python, itself machine code: a C function that takes NumPy arrays.

`boundary_code` writes it. It is compiled once, with Python's and NumPy's functions under their
names. Each program has a Python function of it, whose `self` describes the program. It relies on
the layout of objects that `machine.array_layout` knows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from graphwright.base.machine_loops import MachineLoops, ended, looked
from graphwright.compile.llvm import runtime
from graphwright.compile.llvm.rendering import ADDRESSES, Rendering
from graphwright.compile.select import kernel_calls
from graphwright.machine import large_arrays
from graphwright.machine.array_layout import BYTES
from graphwright.machine.drafts import follow
from graphwright.machine.exclusion import LLVM
from graphwright.machine.kept_texts import kept_text
from graphwright.machine.linking import Library

_NEW_ARRAY, _ARRAY_TYPE = 93, 2  # indices of NumPy's table of functions

_API = (
    "Py_IncRef",
    "Py_DecRef",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyErr_CheckSignals",
    "PyErr_Fetch",
    "PyErr_Restore",
    "PyLong_AsLong",
    "PyLong_FromLongLong",
    "PyLong_FromLong",
    "PyObject_VectorcallDict",
)


def peek(address: int, kind: type[ctypes.c_int64]) -> int:
    """A number in memory."""
    return int(kind.from_address(address).value)


def symbols() -> dict[str, int]:
    """Python's and NumPy's functions by name."""
    addresses = {
        name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        for name in _API
    }
    table = large_arrays.table()
    addresses["gw_new_array"] = peek(table + 8 * _NEW_ARRAY, ctypes.c_int64)
    addresses["gw_array_type"] = peek(table + 8 * _ARRAY_TYPE, ctypes.c_int64)
    addresses["gw_none"] = id(None)
    addresses["gw_called"] = id(kernel_calls.called)
    addresses["gw_watched"] = ctypes.addressof(MachineLoops.watched)
    addresses["gw_looked"], addresses["gw_ended"] = id(looked), id(ended)
    allocator = large_arrays.allocator()
    if allocator is not None:
        addresses["gw_change_allocator"] = large_arrays.change()
        addresses["gw_allocator"] = id(allocator)
    return addresses


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL = 0x80


def keeps_large() -> bool:
    """Whether large arrays have their own allocator."""
    return large_arrays.allocator() is not None


def text() -> str:
    """The text of the C function, and of those beside it."""
    with LLVM:  # few processes write it; a fork waits for the import
        from graphwright.compile.llvm.boundary_code import Boundary

    return Boundary(keeps_large()).text()


@cache
def boundary() -> tuple[Library, MethodDef]:
    """The compiled C function, and its description for Python."""
    addresses = symbols()
    for name, address in addresses.items():
        runtime.define(name, address)
    method = MethodDef(b"native", None, _FASTCALL, None)

    def direct(library: Library) -> None:
        for name in ("poll", "rounds", "kernel"):
            runtime.define(f"gw_{name}", library.addresses[name])
        method.function = library.addresses["call"]

    library = runtime.link(kept_text("boundary", text, keeps_large()), is_quick=True)
    direct(library)
    follow(library, direct)
    return library, method


def native_function(
    rendering: Rendering, names: tuple[str, ...], library: Library
) -> Callable[..., Any]:
    """The Python function of a program: arrays -> a tuple of arrays, or None.

    Its library stands in for the module of a C function, to which such a function holds a
    reference. So the code stays while a call is in it.
    """

    def addresses(library: Library) -> tuple[int, int]:
        prepare, run = [library.addresses[name] for name in names]
        return prepare, run

    description = rendering.table(addresses(library))

    def direct(library: Library) -> None:
        """Has calls that begin from now on run another library's functions."""
        place = id(description) + BYTES + 8 * ADDRESSES
        (ctypes.c_int64 * 2).from_address(place)[:] = [*addresses(library)]

    follow(library, direct)
    make = ctypes.pythonapi.PyCMethod_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object, ctypes.c_void_p]
    _, method = boundary()
    function: Callable[..., Any] = make(ctypes.addressof(method), description, library, None)
    return function
