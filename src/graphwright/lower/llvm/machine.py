"""Machine code from LLVM text: parse, generate, link into this process."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
import weakref
from functools import cache
from typing import Any

import numpy as np

from graphwright.kernels import blas, threads
from graphwright.lower import background
from graphwright.lower.disk_cache import disk_cache, key_of

_LOCK = threading.Lock()

#: How many libraries a linker gets.
_LIBRARIES_EACH = 64


class Machine:
    """The target of this process, and the linker that holds what was compiled."""

    def __init__(self) -> None:
        from llvmlite import binding

        self.binding = binding
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        target = binding.Target.from_default_triple()
        self.target = self._machine(target)
        self.symbols = dict(outside())
        self.circumstances = (
            ".".join(map(str, binding.llvm_version_info)),
            binding.get_default_triple(),
            binding.get_host_cpu_name(),
            binding.get_host_cpu_features().flatten(),
            sys.version,
            np.__version__,
        )
        self._renew()

    def _renew(self) -> None:
        """A new linker. It keeps a little of every library that it ever linked, so after some it
        is replaced; it is gone when the last of its libraries is."""
        target = self.binding.Target.from_default_triple()
        self.linker = self.binding.create_lljit_compiler(self._machine(target))
        self.linked = 0

    def _machine(self, target: Any) -> Any:
        """What generates code for this processor."""
        return target.create_target_machine(
            cpu=self.binding.get_host_cpu_name(),
            features=self.binding.get_host_cpu_features().flatten(),
            opt=1,
            jit=True,
        )

    def define(self, name: str, address: int) -> None:
        """Something that native code may call or refer to."""
        self.symbols[name] = address

    def object_of(self, text: str) -> bytes:
        """The object file of a module, from the disk if it was made before."""
        kept = disk_cache()
        if kept is None:
            return self.generate(text)
        key = key_of(text, *self.circumstances)
        data = kept.get(key)
        if data is None:
            data = self.generate(text)
            kept.put(key, data)
        return data

    def generate(self, text: str) -> bytes:
        """The object file of a module."""
        module = self.binding.parse_assembly(text)
        module.triple = self.target.triple
        module.data_layout = str(self.target.target_data)
        return self.target.emit_object(module)  # type: ignore[no-any-return]

    def link(self, data: bytes, names: tuple[str, ...]) -> Library:
        """Puts an object file into this process."""
        if self.linked == _LIBRARIES_EACH:
            self._renew()
        self.linked += 1
        builder = self.binding.JITLibraryBuilder().add_object_img(data)
        for name in names:
            builder.export_symbol(name)
        for name, address in self.symbols.items():
            builder.import_symbol(name, address)
        return Library(self.linker, builder.link(self.linker, f"library{self.linked}"), names)


class Library:
    """Machine code in this process: it lives as long as this."""

    def __init__(self, linker: Any, tracker: Any, names: tuple[str, ...]) -> None:
        self._tracker = tracker  # released before its linker
        self._linker = linker
        self.addresses = {name: tracker[name] for name in names}
        _LIBRARIES.add(self)
        if background.is_stopped():
            self.let_go()

    def let_go(self) -> None:
        """Leaves the code to the end of the process: llvmlite's own parts may go before it."""
        self._tracker.detach()


_LIBRARIES: weakref.WeakSet[Library] = weakref.WeakSet()


@atexit.register
def _let_go() -> None:
    for library in list(_LIBRARIES):
        library.let_go()


@cache
def machine() -> Machine:
    """The one of this process."""
    with _LOCK:
        return Machine()


@cache
def outside() -> dict[str, int]:
    """What native code calls: the C library's memory functions, BLAS."""
    c = ctypes.CDLL(None)
    names = ("malloc", "free", "memcpy", "memset")
    found = {name: ctypes.cast(getattr(c, name), ctypes.c_void_p).value or 0 for name in names}
    for name in ("sgemm", "dgemm"):
        found[f"gw_{name}"] = blas.address(name)
    found["gw_parallel_for"] = threads.address()
    return found
