"""LLVM's linker, for object files that `linking` does not know: those of macOS and Windows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from graphwright.machine.codegen import target_machine
from graphwright.machine.exclusion import keep, release
from graphwright.machine.linking import Library

#: The number of libraries for one linker.
_LIBRARIES_EACH = 64


class Linkers:
    """The linker in use.

    It keeps a little of every library that it ever linked, so after some another replaces it. It is
    gone with the last of its libraries.
    """

    current: Any = None
    numbers = itertools.count()


def link(
    data: bytes,
    names: Iterable[str],
    needed: Iterable[str],
    resolve: Callable[[str], int | None],
) -> Library:
    """The functions of an object file; `resolve` gives the addresses of names."""
    from llvmlite import binding

    number = next(Linkers.numbers)
    if number % _LIBRARIES_EACH == 0:
        Linkers.current = binding.create_lljit_compiler(target_machine())
    builder = binding.JITLibraryBuilder().add_object_img(data).add_current_process()
    for name in names:
        builder.export_symbol(name)
    for name in needed:
        address = resolve(name)
        if address is not None:
            builder.import_symbol(name, address)
    linker = Linkers.current
    tracker = builder.link(linker, f"library{number}")
    # Kept, since a collector of cycles would close them in any order, while LLVM may work for
    # another thread.
    return Library({n: tracker[n] for n in names}, release, keep(tracker), keep(linker))
