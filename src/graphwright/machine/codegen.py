"""LLVM generates code for this processor: object files, and assembly for people."""

from __future__ import annotations

from typing import Any

from graphwright.machine.exclusion import exclusive
from graphwright.machine.targets import target


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
