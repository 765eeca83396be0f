"""Machine code, for this processor, from LLVM text.

LLVM is loaded to generate code, which takes some tens of milliseconds. Neither `import graphwright`
nor code from the disk pays for it. The linker is loaded with the first code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphwright.machine import codegen, process_settings
from graphwright.machine.disk_cache import disk_cache, key_of
from graphwright.machine.exclusion import exclusive, keep
from graphwright.machine.targets import description, target

if TYPE_CHECKING:
    from graphwright.machine.linking import Library, LinkedModule

#: The address of a name that a module refers to; None if there is none.
Resolve: TypeAlias = Callable[[str], int | None]


@exclusive
def link(text: str, resolve: Resolve) -> Library:
    """The functions of a module, in memory: linked here, or by LLVM where that is impossible."""
    from graphwright.machine import linking

    data, module = _prepared(text, resolve)
    if module is not None:
        try:
            return linking.load(module)
        except OSError:  # the system forbids to execute such memory; LLVM may know a way
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
    """The object file of a module, from the disk or new, and the module that is ready to load."""
    from graphwright.machine import linking
    from graphwright.machine.elf import Unlinkable

    def module_of(data: bytes) -> LinkedModule | None:
        return linking.prepared(data, defined(text), resolve) if linking.is_known() else None

    cache = disk_cache()
    if cache is not None:
        key = key_of(text, *circumstances())
        data = cache.get(key)
        if data is not None:
            try:
                return data, module_of(data)
            except Unlinkable as error:
                cache.remove(key, f"cannot be linked: {error}")
    data = codegen.generate(text)
    if cache is not None:
        cache.put(key, data)
    try:
        return data, module_of(data)
    except Unlinkable:
        return data, None


def circumstances() -> tuple[str, ...]:
    """All that machine code depends on beside its text."""
    triple, processor, features = target()
    version = description().version
    return (version, triple, processor, *sorted(features), sys.version, np.__version__)


def defined(text: str) -> list[str]:
    """The functions of a module that others may call."""
    functions = ("\n" + text).split("\ndefine ")[1:]  # texts are long, and no pattern is as fast
    heads = [f.partition("(")[0] for f in functions if not f.startswith(("internal ", "private "))]
    return [head.rpartition("@")[2] for head in heads]


def declared(text: str) -> list[str]:
    """The names that a module refers to and does not define."""
    pattern = r"^declare [^@\n]*@(?!llvm\.)([\w.]+)|^@([\w.]+) = external "
    return [function or thing for function, thing in re.findall(pattern, text, re.MULTILINE)]
