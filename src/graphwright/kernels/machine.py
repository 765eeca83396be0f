"""Machine code, for this processor, from LLVM text.

LLVM is loaded at the first use, which takes some tens of milliseconds; `import graphwright` does
not pay for it.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple

import numpy as np

from graphwright.kernels import memory
from graphwright.kernels.disk_cache import disk_cache, key_of
from graphwright.kernels.exclusion import exclusive, keep


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


class Target(NamedTuple):
    """What code is made for, in LLVM's words: nothing of it is assumed."""

    triple: str
    processor: str
    features: frozenset[str]  # what it has (`+avx2`) and has not (`-avx2`)

    @property
    def family(self) -> str:
        """The processors that have the same instructions: `x86_64`, `aarch64`, ..."""
        name = self.triple.partition("-")[0]
        return {"arm64": "aarch64"}.get(name, name)

    @property
    def vectors(self) -> Vectors:
        """Its vectors."""
        if {"+avx512f", "+avx512vl"} <= self.features:
            return Vectors(512, 32, True)
        if "+avx2" in self.features:
            return Vectors(256, 16, "+fma" in self.features)
        arm = self.family == "aarch64"
        return Vectors(128, 32 if arm else 16, arm)


@functools.cache
@exclusive
def host() -> Target:
    """This processor."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return Target(
        binding.get_process_triple(), binding.get_host_cpu_name(), frozenset(features.split(","))
    )


class Aim:
    """What code is made for: this processor, unless a test has set another one."""

    target: Target | None = None


def target() -> Target:
    """What code is made for."""
    return Aim.target or host()


@functools.lru_cache(maxsize=8)
def _vectors_of(target: Target) -> Vectors:
    return target.vectors


def vectors() -> Vectors:
    """The vectors that code is made for."""
    return _vectors_of(target())


@exclusive
def target_machine() -> Any:
    """What generates code: a new one, since an engine owns its own."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple, processor, features = target()
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=",".join(sorted(features)), opt=1, jit=True
    )


@functools.cache
@exclusive
def _circumstances() -> tuple[str, ...]:
    """What machine code depends on beside its text."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    triple, processor, features = host()
    return (version, triple, processor, *sorted(features), sys.version, np.__version__)


@exclusive
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


@exclusive
def generate(text: str) -> bytes:
    """The object file of a module: the text is emitted as it is, without optimization passes."""
    emitter = target_machine()
    code: bytes = emitter.emit_object(module_for(emitter, text))
    return code


@exclusive
def assembly(text: str) -> str:
    """The same code for people to read."""
    emitter = target_machine()
    return str(emitter.emit_assembly(module_for(emitter, text)))


def module_for(emitter: Any, text: str) -> Any:
    """A module's text parsed, to be emitted by a target machine."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    module.triple = emitter.triple
    module.data_layout = str(emitter.target_data)
    return module


class Engine(NamedTuple):
    """Machine code that is loaded."""

    llvm: Any

    @exclusive
    def address(self, name: str) -> int:
        """Where a function lies."""
        found: int = self.llvm.get_function_address(name)
        return found


@exclusive
def compiled(text: str) -> Engine:
    """The functions of a module; they are never freed."""
    from llvmlite import binding

    memory.keep_freed()
    data = object_of(text)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return Engine(keep(engine))
