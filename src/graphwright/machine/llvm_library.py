"""LLVM's generator of code, without the modules of llvmlite that nothing here needs.

A process that generates code once waits for it. `llvmlite.binding` is 55 modules: to import them
takes as long as to make the code of a small program. Three of its functions would do, and they are
few lines over the C functions of its library. Those are llvmlite's own, and may change with any
release. So only releases whose C functions are known here are used directly.

A module has a context of its own. So a program may use llvmlite (Numba does) at the same time.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.exclusion import exclusive

#: The releases of llvmlite whose C functions are as `_SIGNATURES` says.
KNOWN = ("0.50",)

_PLACE, _TEXT, _INT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t

#: The C functions: the type of the result, and those of the arguments.
_SIGNATURES: dict[str, tuple[type | None, ...]] = {
    "GetVersionInfo": (ctypes.c_uint,),
    "DisposeString": (None, _PLACE),
    "GetProcessTriple": (None, _PLACE),
    "GetHostCPUName": (None, _PLACE),
    "GetHostCPUFeatures": (_INT, _PLACE),
    "ContextCreate": (_PLACE,),
    "ContextDispose": (None, _PLACE),
    "ParseAssembly": (_PLACE, _PLACE, _TEXT, _PLACE),
    "DisposeModule": (None, _PLACE),
    "SetTarget": (None, _PLACE, _TEXT),
    "SetDataLayout": (None, _PLACE, _TEXT),
    "GetTargetFromTriple": (_PLACE, _TEXT, _PLACE),
    "CreateTargetMachine": (
        _PLACE, _PLACE, _TEXT, _TEXT, _TEXT, _INT, _TEXT, _TEXT, _INT, _INT, _TEXT,
    ),
    "DisposeTargetMachine": (None, _PLACE),
    "CreateTargetMachineData": (_PLACE, _PLACE),
    "CopyStringRepOfTargetData": (None, _PLACE, _PLACE),
    "DisposeTargetData": (None, _PLACE),
    "TargetMachineEmitToMemory": (_PLACE, _PLACE, _PLACE, _INT, _PLACE),
    "GetBufferStart": (_PLACE, _PLACE),
    "GetBufferSize": (_SIZE, _PLACE),
    "DisposeMemoryBuffer": (None, _PLACE),
}  # fmt: skip


class MachineOptions(NamedTuple):
    """What code is made for, and how well."""

    triple: str
    processor: str
    features: str
    level: int


class LLVMLibrary:
    """The C functions of llvmlite's library."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(os.fspath(path))
        for name, (result, *arguments) in _SIGNATURES.items():
            function = getattr(self.library, f"LLVMPY_{name}")
            function.restype, function.argtypes = result, arguments
        # These hold the interpreter's lock: llvmlite's modules, which another thread may import,
        # can begin to do the same before or after, and not meanwhile.
        holding = ctypes.PyDLL(os.fspath(path))
        with _turn():
            holding.LLVMPY_InitializeNativeTarget()
            holding.LLVMPY_InitializeNativeAsmPrinter()

    def version(self) -> str:
        """LLVM's version."""
        number = self.library.LLVMPY_GetVersionInfo()
        parts = number.to_bytes(4, "big").lstrip(b"\0")
        return ".".join(map(str, parts))

    def host(self) -> tuple[str, str, list[str]]:
        """This processor: the triple of its system, its name, and its features."""
        with self.text() as triple, self.text() as name, self.text() as features:
            with _turn():
                self.library.LLVMPY_GetProcessTriple(ctypes.byref(triple))
                self.library.LLVMPY_GetHostCPUName(ctypes.byref(name))
                self.library.LLVMPY_GetHostCPUFeatures(ctypes.byref(features))
            known = [feature for feature in read(features).split(",") if feature]
            return read(triple), read(name), known

    def object_file(self, text: str, options: MachineOptions) -> bytes:
        """The object file of a module; RuntimeError where LLVM refuses it."""
        with _turn():
            context = self.library.LLVMPY_ContextCreate()
            try:
                return self._emitted(context, text, options)
            finally:
                self.library.LLVMPY_ContextDispose(context)

    def _emitted(self, context: int, text: str, options: MachineOptions) -> bytes:
        llvm = self.library
        with self.text() as message:
            module = llvm.LLVMPY_ParseAssembly(context, text.encode(), ctypes.byref(message))
            try:
                if not module or message:
                    raise RuntimeError(f"LLVM does not read a text: {read(message)}")
                with self.machine(options) as machine:
                    self._aim(module, machine, options.triple)
                    buffer = llvm.LLVMPY_TargetMachineEmitToMemory(
                        machine, module, 1, ctypes.byref(message)
                    )
                    if not buffer:
                        raise RuntimeError(f"LLVM makes no code: {read(message)}")
                    try:
                        size: int = llvm.LLVMPY_GetBufferSize(buffer)
                        return ctypes.string_at(llvm.LLVMPY_GetBufferStart(buffer), size)
                    finally:
                        llvm.LLVMPY_DisposeMemoryBuffer(buffer)
            finally:
                if module:
                    llvm.LLVMPY_DisposeModule(module)

    @contextmanager
    def machine(self, options: MachineOptions) -> Iterator[int]:
        """A context with a generator of code."""
        llvm, triple = self.library, options.triple.encode()
        with self.text() as message:
            target = llvm.LLVMPY_GetTargetFromTriple(triple, ctypes.byref(message))
            if not target:
                raise RuntimeError(f"LLVM knows no such target: {read(message)}")
        # "jitdefault": code may lie anywhere in memory, far from what it calls
        machine = llvm.LLVMPY_CreateTargetMachine(
            target, triple, options.processor.encode(), options.features.encode(),
            options.level, b"default", b"jitdefault", 0, 1, b"",
        )  # fmt: skip
        if not machine:
            raise RuntimeError(f"LLVM makes no code for {options.triple}")
        try:
            yield machine
        finally:
            llvm.LLVMPY_DisposeTargetMachine(machine)

    def _aim(self, module: int, machine: int, triple: str) -> None:
        """Tells a module the target of its machine, and how data lie in memory there."""
        llvm = self.library
        data = llvm.LLVMPY_CreateTargetMachineData(machine)
        try:
            with self.text() as layout:
                llvm.LLVMPY_CopyStringRepOfTargetData(data, ctypes.byref(layout))
                llvm.LLVMPY_SetDataLayout(module, layout.value)
        finally:
            llvm.LLVMPY_DisposeTargetData(data)
        llvm.LLVMPY_SetTarget(module, triple.encode())

    @contextmanager
    def text(self) -> Iterator[ctypes.c_char_p]:
        """A context with a place for a text of LLVM's, which it may fill."""
        place = ctypes.c_char_p()
        try:
            yield place
        finally:
            if place:
                self.library.LLVMPY_DisposeString(place)


def read(text: ctypes.c_char_p) -> str:
    """A text of LLVM's; "" for none."""
    return (text.value or b"").decode()


def _turn() -> AbstractContextManager[object]:
    """A context in which nobody else is in LLVM by way of llvmlite, if it is loaded."""
    module = sys.modules.get("llvmlite.binding.ffi")
    return nullcontext() if module is None else module.lib._lock


def place() -> Path | None:
    """Where llvmlite has its library; None where it has none."""
    package = importlib.util.find_spec("llvmlite")
    if package is None or package.origin is None:
        return None
    name = "libllvmlite.dylib" if sys.platform == "darwin" else "libllvmlite.so"
    return Path(package.origin).parent / "binding" / name


@functools.cache
@exclusive
def llvm_library() -> LLVMLibrary | None:
    """The library; None where llvmlite's modules must do, as for a release that is not known."""
    path = place()
    if os.name != "posix" or path is None:
        return None
    import llvmlite

    if llvmlite.__version__.rpartition(".")[0] not in KNOWN or not path.is_file():
        return None
    return LLVMLibrary(path)
