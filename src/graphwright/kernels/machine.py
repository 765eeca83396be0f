"""Machine code for this processor, from LLVM text.

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


@functools.cache
@exclusive
def _processor() -> tuple[str, str]:
    """LLVM's name of the processor and its features."""
    from llvmlite import binding

    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@functools.cache
def features() -> frozenset[str]:
    """What this processor has (`+avx2`) and has not (`-avx2`), in LLVM's words."""
    return frozenset(_processor()[1].split(","))


@functools.cache
@exclusive
def vectors() -> Vectors:
    """The vectors of this processor."""
    from llvmlite import binding

    if {"+avx512f", "+avx512vl"} <= features():
        return Vectors(512, 32, True)
    if "+avx2" in features():
        return Vectors(256, 16, "+fma" in features())
    arm = binding.get_process_triple().startswith(("aarch64", "arm64"))
    return Vectors(128, 32 if arm else 16, arm)


@exclusive
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
@exclusive
def _circumstances() -> tuple[str, ...]:
    """What machine code depends on beside its text."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    return (version, binding.get_process_triple(), *_processor(), sys.version, np.__version__)


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
    target = target_machine()
    code: bytes = target.emit_object(module_for(target, text))
    return code


@exclusive
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
