"""Machine code in this process: linking object files, with what they call."""

from __future__ import annotations

import ctypes
import sys
import weakref
from functools import cache
from typing import Any

import numpy as np

from graphwright.kernels import blas, threads
from graphwright.kernels.exclusion import LLVM, exclusive, keep, release
from graphwright.kernels.machine import object_of, target_machine

#: How many libraries a linker gets.
_LIBRARIES_EACH = 64


class Machine:
    """The linker that holds what was compiled, and what its code may refer to."""

    def __init__(self) -> None:
        from llvmlite import binding

        self.binding = binding
        self.symbols: dict[str, int] = {}
        self._renew()

    def _renew(self) -> None:
        """A new linker. It keeps a little of every library that it ever linked, so after some it
        is replaced; it is gone when the last of its libraries is."""
        self.linker = self.binding.create_lljit_compiler(target_machine())
        self.linked = 0

    def define(self, name: str, address: int) -> None:
        """Something that native code may call or refer to."""
        self.symbols[name] = address

    @exclusive
    def link(self, text: str, names: tuple[str, ...]) -> Library:
        """The machine code of a module, in this process; `names` are its functions."""
        data = object_of(text)
        if self.linked == _LIBRARIES_EACH:
            self._renew()
        self.linked += 1
        builder = self.binding.JITLibraryBuilder().add_object_img(data)
        for name in names:
            builder.export_symbol(name)
        for name, address in self.symbols.items():
            builder.import_symbol(name, address)
        for name in OUTSIDE:
            if name in text:
                builder.import_symbol(name, outside(name))
        return Library(self.linker, builder.link(self.linker, f"library{self.linked}"), names)


class Library:
    """Machine code in this process: it lives as long as this."""

    def __init__(self, linker: Any, tracker: Any, names: tuple[str, ...]) -> None:
        self.addresses = {name: tracker[name] for name in names}
        # Not attributes: a collector of cycles would close them in any order, in the midst of
        # whatever LLVM does for another thread.
        weakref.finalize(self, release, keep(tracker), keep(linker)).atexit = False


def machine() -> Machine:
    """The one of this process."""
    with LLVM:
        return _machine()


_machine = cache(Machine)


@cache
def outside(name: str) -> int:
    """Where what native code calls lies: the C library's memory functions, BLAS, our threads."""
    if name in ("gw_sgemm", "gw_dgemm"):
        return blas.address(name.removeprefix("gw_"))
    if name in PRODUCTS:
        from graphwright.kernels import products

        functions = products.kernels(np.dtype(np.float32 if name[3] == "s" else np.float64))
        function = functions.pack if name.endswith("pack") else functions.multiply
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if name == "gw_parallel_for":
        return threads.address()
    address = ctypes.cast(getattr(c_library(), name), ctypes.c_void_p).value
    assert address
    return address


def c_library() -> ctypes.CDLL:
    """The C library that this process uses."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    return ctypes.CDLL(None)


PRODUCTS = ("gw_spack", "gw_dpack", "gw_smultiply", "gw_dmultiply")
OUTSIDE = (
    *("malloc", "calloc", "realloc", "free", "memcpy", "memset"),
    *("gw_sgemm", "gw_dgemm", "gw_parallel_for", *PRODUCTS),
)
