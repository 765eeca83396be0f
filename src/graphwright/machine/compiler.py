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
from graphwright.machine.exclusion import LLVM, exclusive, keep
from graphwright.machine.targets import description, target

if TYPE_CHECKING:
    from graphwright.machine.linking import Library

#: The address of a name that a module refers to; None if there is none.
Resolve: TypeAlias = Callable[[str], int | None]


class NotStoredError(Exception):
    """Code is not on the disk, and nobody waits for it to be generated."""


class Recall:
    """Whether the thread that uses LLVM takes code from the disk alone."""

    is_on = False


def recalled(make: Callable[[], object]) -> bool | None:
    """Calls what makes functions if their code is on the disk; whether it is.

    It generates no code, and does not wait for a thread that does: meanwhile nobody knows (None).
    """
    if not LLVM.acquire(blocking=False):
        return None
    outer, Recall.is_on = Recall.is_on, True
    try:
        make()
    except NotStoredError:
        return False
    finally:
        Recall.is_on = outer
        LLVM.release()
    return True


@exclusive
def link(text: str, resolve: Resolve) -> Library:
    """The functions of a module, in memory: linked here, or by LLVM where that is impossible."""
    return _linked(text, resolve, is_quick=False)


@exclusive
def quick_link(
    text: str, resolve: Resolve, resolve_quickly: Resolve | None = None
) -> tuple[Library, bool]:
    """The functions of a module, and whether their code is quick: see `codegen.generate`.

    Both kinds go to the disk: a short process may end before it has the better one. Quick code gets
    its addresses from `resolve_quickly`, if that is there.
    """
    library = _recalled(text, resolve)
    if library is not None:
        return library, False
    return _linked(text, resolve_quickly or resolve, is_quick=True), True


@exclusive
def compiled(text: str, is_quick: bool = False) -> Library:
    """The functions of a module that refers to the C library alone; they are never freed.

    Quick code is for what takes no time, and stays.
    """
    from graphwright.machine.linking import c_function

    process_settings.keep_freed()
    return keep(_linked(text, c_function, is_quick))


def _linked(text: str, resolve: Resolve, is_quick: bool) -> Library:
    """The functions of a module, whose code is on the disk or generated now."""
    return _recalled(text, resolve, is_quick) or _made(text, resolve, is_quick)


def _key(text: str, is_quick: bool) -> str:
    return key_of(text, *circumstances(), *(["quick"] if is_quick else []))


def _recalled(text: str, resolve: Resolve, is_quick: bool = False) -> Library | None:
    """The functions of a module whose code is on the disk."""
    from graphwright.machine.elf import Unlinkable

    cache = disk_cache()
    if cache is None:
        return None
    key = _key(text, is_quick)
    data = cache.get(key)
    if data is None:
        return None
    try:
        return _loaded(data, text, resolve)
    except Unlinkable as error:
        cache.remove(key, f"cannot be linked: {error}")
        return None


def _made(text: str, resolve: Resolve, is_quick: bool) -> Library:
    """The functions of a module whose code is generated now."""
    from graphwright.machine.elf import Unlinkable

    if Recall.is_on:
        raise NotStoredError
    data = codegen.generate(text, is_quick)
    cache = disk_cache()
    if cache is not None:
        cache.put(_key(text, is_quick), data)
    try:
        return _loaded(data, text, resolve)
    except Unlinkable:
        return _linked_by_llvm(data, text, resolve)


def _loaded(data: bytes, text: str, resolve: Resolve) -> Library:
    """The functions of an object file, linked here if that is possible; else `Unlinkable`."""
    from graphwright.machine import linking

    if linking.is_known():
        module = linking.prepared(data, defined(text), resolve)
        try:
            return linking.load(module)
        except OSError:  # the system forbids to execute such memory; LLVM may know a way
            pass
    return _linked_by_llvm(data, text, resolve)


def _linked_by_llvm(data: bytes, text: str, resolve: Resolve) -> Library:
    from graphwright.machine import llvm_linking

    return llvm_linking.link(data, defined(text), declared(text), resolve)


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
