"""LLVM's linker as a program, from the wheel of Zig: it needs no compiler of C.

`machine.linking` links code into this process; this makes files for others.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence

#: The package that has the linker, and the extra that installs it.
_PACKAGE, _EXTRA = "ziglang", "compile"


class LinkerMissing(ImportError):
    """No linker is installed."""


class LinkerFailure(RuntimeError):
    """The linker refuses its input; this has its words."""


def is_there() -> bool:
    """Whether the linker is installed."""
    return importlib.util.find_spec(_PACKAGE) is not None


def link_files(flavor: str, arguments: Sequence[str], folder: str) -> None:
    """Runs the linker of a flavor (`ld.lld`, `wasm-ld`) in a folder."""
    if not is_there():
        raise LinkerMissing(
            f"A library is linked by LLVM's linker, which the package {_PACKAGE} has: "
            f"pip install 'graphwright[{_EXTRA}]'"
        )
    command = [sys.executable, "-m", _PACKAGE, flavor, *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode:
        words = (result.stderr or result.stdout).strip()
        raise LinkerFailure(f"{flavor} ended with {result.returncode}: {words}")
