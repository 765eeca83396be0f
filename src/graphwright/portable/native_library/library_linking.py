"""Object code and weights become a file that programs load: a shared object, or a wasm module."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from graphwright.base.errors import InternalError
from graphwright.machine import elf
from graphwright.machine.linker_program import link_files
from graphwright.machine.targets import Target
from graphwright.portable.native_library.support_code import C_LIBRARY

#: The linker's names of families.
_EMULATIONS = {"x86_64": "elf_x86_64", "aarch64": "aarch64linux"}

#: The symbol of a block of weights, by the name of the file that has it.
_BLOCK, _BLOCK_SYMBOL = "weights", "_binary_weights_start"


def linked(
    code: bytes, target: Target, exports: Sequence[str], name: str, weights: bytes | bytearray
) -> bytes:
    """The file of a library that exports some functions; `weights` are inside it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "code.o").write_bytes(code)
        if target.family == "wasm32":
            arguments = wasm_arguments(exports)
            flavor = "wasm-ld"
        else:
            check(code)
            (place / "exports").write_text("{ global: " + "; ".join(exports) + "; local: *; };\n")
            arguments = elf_arguments(target, name)
            flavor = "ld.lld"
            if weights:
                (place / _BLOCK).write_bytes(weights)
                arguments += ["--format=binary", _BLOCK, "--format=default"]
                arguments += [f"--defsym=gw_weights={_BLOCK_SYMBOL}"]
        link_files(flavor, [*arguments, "-o", "linked"], folder)
        return (place / "linked").read_bytes()


def elf_arguments(target: Target, name: str) -> list[str]:
    """What the linker gets for a shared object."""
    return [
        *("-shared", "-m", _EMULATIONS[target.family], f"-soname={name}"),
        *("--version-script=exports", "--strip-all", "--build-id=sha1", "-z", "noexecstack"),
        *("-z", "relro", "-z", "now", "code.o"),
    ]


def wasm_arguments(exports: Sequence[str]) -> list[str]:
    """What the linker gets for a module of WebAssembly."""
    exported = [f"--export={name}" for name in (*exports, "malloc")]
    return ["--no-entry", "--stack-first", "-z", "stack-size=1048576", *exported, "code.o"]


def check(code: bytes) -> None:
    """InternalError if code refers to more than a few functions of the C library."""
    symbols = elf.read(code).symbols.values()
    names = {s.name for s in symbols if s.is_global and s.section == 0 and s.name}
    unknown = names - C_LIBRARY - {"gw_weights"}
    if unknown:
        raise InternalError(None, None, f"the library refers to {', '.join(sorted(unknown))}")
