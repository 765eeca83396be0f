"""LLVM texts that the package itself writes: a second process reads one from the disk.

Their writers are large, and a program that only runs code of an earlier process needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable

from graphwright.machine import compiler
from graphwright.machine.disk_cache import disk_cache, key_of
from graphwright.machine.source_digest import source_digest


def kept_text(name: str, write: Callable[[], str], *circumstances: object) -> str:
    """The text that `write` gives, which differs by these circumstances and the package alone."""
    cache, key = disk_cache(), source_key(name, *circumstances)
    if cache is None or not key:
        return write()
    data = cache.get(key)
    if data is not None:
        return data.decode()
    text = write()
    cache.put(key, text.encode())
    return text


def source_key(text: str, *circumstances: object) -> str:
    """The key of what the package makes of a text, which differs by these circumstances, its own
    sources, and what machine code depends on; "" where nobody knows its sources."""
    sources = source_digest()
    if sources is None:
        return ""
    return key_of(text, sources, *map(repr, circumstances), *compiler.circumstances())
