"""Machine code, for this processor, from LLVM text.

LLVM is loaded when there is code to be made, which takes some tens of milliseconds; neither
`import graphwright` nor code that lies on the disk pays for it. The linker is loaded with the first
code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from graphwright.machine import codegen, process_settings
from graphwright.machine.disk_cache import disk_cache, key_of
from graphwright.machine.exclusion import exclusive, keep
from graphwright.machine.targets import description, target

if TYPE_CHECKING:
    from graphwright.machine.linking import Library, LinkedModule

#: Where something lies that a module refers to; None if it is not there.
Resolve = Callable[[str], int | None]


@exclusive
def link(text: str, resolve: Resolve) -> Library:
    """The functions of a module, in memory: by our linker, or where it cannot do it by LLVM's."""
    from graphwright.machine import linking

    data, module = _prepared(text, resolve)
    if module is not None:
        try:
            return linking.load(module)
        except OSError:  # the system lets nobody execute such memory, or LLVM knows how
            pass
    from graphwright.machine import llvm_linking

    return llvm_linking.link(data, defined(text), declared(text), resolve)


@exclusive
def compiled(text: str) -> Library:
    """The functions of a module that refers to the C library alone; they are never freed."""
    from graphwright.machine.linking import c_function

    process_settings.keep_freed()
    library: Library = keep(link(text, c_function))
    return library


def _prepared(text: str, resolve: Resolve) -> tuple[bytes, LinkedModule | None]:
    """The object file of a module, from the disk if it was made before, and what our linker
    makes of it."""
    from graphwright.machine import linking
    from graphwright.machine.elf import Unlinkable

    def module_of(data: bytes) -> LinkedModule | None:
        return linking.prepared(data, defined(text), resolve) if linking.is_known() else None

    kept = disk_cache()
    if kept is not None:
        key = key_of(text, *_circumstances())
        data = kept.get(key)
        if data is not None:
            try:
                return data, module_of(data)
            except Unlinkable as error:
                kept.remove(key, f"cannot be linked: {error}")
    data = codegen.generate(text)
    if kept is not None:
        kept.put(key, data)
    try:
        return data, module_of(data)
    except Unlinkable:
        return data, None


def _circumstances() -> tuple[str, ...]:
    """What machine code depends on beside its text."""
    triple, processor, features = target()
    version = description().version
    return (version, triple, processor, *sorted(features), sys.version, np.__version__)


def defined(text: str) -> list[str]:
    """The functions of a module that others may call."""
    functions = ("\n" + text).split("\ndefine ")[1:]  # texts are long, and no pattern is as fast
    heads = [f.partition("(")[0] for f in functions if not f.startswith(("internal ", "private "))]
    return [head.rpartition("@")[2] for head in heads]


def declared(text: str) -> list[str]:
    """What a module refers to and does not define."""
    found = r"^declare [^@\n]*@(?!llvm\.)([\w.]+)|^@([\w.]+) = external "
    return [function or thing for function, thing in re.findall(found, text, re.MULTILINE)]
