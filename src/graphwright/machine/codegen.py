"""Code that LLVM generates for this processor: object files, and assembly for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.machine.background import go_on
from graphwright.machine.exclusion import exclusive
from graphwright.machine.llvm_library import MachineOptions, llvm_library
from graphwright.machine.targets import target

if TYPE_CHECKING:
    from llvmlite.binding import ModuleRef, TargetMachine

#: LLVM's levels of code generation. Quick code takes a fifth of the time to make, and 1.2 to 1.7
#: times as long to run.
_QUICK, _SETTLED = 0, 1


@exclusive
def target_machine(level: int = _SETTLED) -> TargetMachine:
    """LLVM's generator of code: a new one, since a linker owns its own."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple, processor, features = target()
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=",".join(sorted(features)), opt=level, jit=True
    )


@exclusive
def generate(text: str, is_quick: bool = False) -> bytes:
    """The object file of a module, generated without optimization passes.

    Quick code gives the same results, bit for bit: no instruction lets LLVM round otherwise.
    """
    go_on()
    level = _QUICK if is_quick else _SETTLED
    library = llvm_library()
    if library is not None:
        triple, processor, features = target()
        options = MachineOptions(triple, processor, ",".join(sorted(features)), level)
        return library.object_file(text, options)
    emitter = target_machine(level)
    code: bytes = emitter.emit_object(module_for(emitter, text))
    return code


@exclusive
def relocatable(text: str) -> bytes:
    """The object file of a module for a linker that makes libraries: its code may lie anywhere.

    It is for the target that is aimed at, which need not be this processor.
    """
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    triple, processor, features = target()
    emitter = binding.Target.from_triple(triple).create_target_machine(
        cpu=processor,
        features=",".join(sorted(features)),
        opt=_SETTLED,
        reloc="pic",
        codemodel="default",
    )
    code: bytes = emitter.emit_object(module_for(emitter, text))
    return code


@exclusive
def assembly(text: str) -> str:
    """The same code as text of an assembler."""
    emitter = target_machine()
    return str(emitter.emit_assembly(module_for(emitter, text)))


def module_for(emitter: TargetMachine, text: str) -> ModuleRef:
    """A module parsed from its text, for a target machine."""
    from llvmlite import binding

    module = binding.parse_assembly(text)
    module.triple = emitter.triple
    module.data_layout = str(emitter.target_data)
    return module
