"""Machine code for this processor, from LLVM text.

LLVM is loaded at the first use, which takes some tens of milliseconds; `import graphwright` does
not pay for it.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
from typing import Any, NamedTuple

import numpy as np

from graphwright.kernels import memory
from graphwright.kernels.disk_cache import disk_cache, key_of


class Lock:
    """Held while LLVM compiles."""

    held = threading.Lock()

    @classmethod
    def renew(cls) -> None:
        """What the child of a fork does: another thread may have held it."""
        cls.held = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Lock.renew)


class Vectors(NamedTuple):
    """What the processor computes with: bits of a vector, how many, multiply-add in one step."""

    bits: int
    registers: int
    fused: bool

    @property
    def attributes(self) -> str:
        """Function attributes that keep LLVM from splitting vectors of this size."""
        widths = f'"min-legal-vector-width"="{self.bits}" "prefer-vector-width"="{self.bits}"'
        return f"nounwind {widths}"


@functools.cache
def _processor() -> tuple[str, str]:
    """LLVM's name of the processor and its features."""
    from llvmlite import binding

    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


def vectors() -> Vectors:
    """The vectors of this processor."""
    from llvmlite import binding

    features = set(_processor()[1].split(","))
    if "+avx512f" in features and "+avx512vl" in features:
        return Vectors(512, 32, True)
    if "+avx2" in features:
        return Vectors(256, 16, "+fma" in features)
    arm = binding.get_process_triple().startswith(("aarch64", "arm64"))
    return Vectors(128, 32 if arm else 16, arm)


def target_machine() -> Any:
    """What generates code for this processor: a new one, since an engine owns its own."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    processor, features = _processor()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=processor, features=features, opt=1, jit=True
    )


@functools.cache
def _circumstances() -> tuple[str, ...]:
    """What machine code depends on beside its text."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    return (version, binding.get_process_triple(), *_processor(), sys.version, np.__version__)


def object_of(text: str) -> bytes:
    """The object file of a module, from the disk if it was made before."""
    kept = disk_cache()
    if kept is None:
        return generate(text)
    key = key_of(text, *_circumstances())
    data = kept.get(key)
    if data is None:
        data = generate(text)
        kept.put(key, data)
    return data


def generate(text: str) -> bytes:
    """The object file of a module: the text is emitted as it is, without optimization passes."""
    target = target_machine()
    code: bytes = target.emit_object(module_for(target, text))
    return code


def assembly(text: str) -> str:
    """The same code for people to read."""
    target = target_machine()
    return str(target.emit_assembly(module_for(target, text)))


def module_for(target: Any, text: str) -> Any:
    """A module's text parsed, to be emitted by a target machine."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    return module


def compiled(text: str) -> Any:
    """The engine that holds the functions of a module; it is never freed."""
    from llvmlite import binding

    memory.keep_freed()
    with Lock.held:
        data = object_of(text)
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
        engine.add_object_file(binding.ObjectFileRef.from_data(data))
        engine.finalize_object()
        # Threads may run the code until the process ends, after this interpreter has.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
        return engine
