"""Generated text as Python functions: texts that are alike are compiled once.

The text enters `linecache`, so tracebacks and debuggers show it. Graphs that differ only in
what their names stand for (64 lengths of one function, say) have one text.
"""

from __future__ import annotations

import itertools
import linecache
import threading
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakValueDictionary, finalize

from graphwright.base.forks import held_over_forks

#: What the file names of generated code begin with.
PREFIX = "<graphwright "

_NUMBERS = itertools.count(1)
#: File names of texts that are gone. CPython never frees a name that was compiled, so they are
#: used again.
_FREE_NAMES: list[str] = []


class GeneratedText:
    """A compiled text, which lives as long as a function that was made of it."""

    __slots__ = ("__weakref__", "code")

    def __init__(self, text: str) -> None:
        filename = _FREE_NAMES.pop() if _FREE_NAMES else f"{PREFIX}{next(_NUMBERS)}>"
        module = compile(text, filename, "exec")
        self.code = next(c for c in module.co_consts if isinstance(c, CodeType))
        # Debuggers find text that is in no file here alone; `linecache.lazycache` asks a loader for
        # it, by the globals of a module, which this text does not have.
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        finalize(self, _release, filename)


def _release(filename: str) -> None:
    """The text of a file name is gone.

    An entry without lines stays: `linecache.checkcache` goes through all names, collectors run
    meanwhile, and it fails for one that is no longer there.
    """
    linecache.cache[filename] = (0, None, [], filename)
    _FREE_NAMES.append(filename)


_TEXTS: WeakValueDictionary[str, GeneratedText] = WeakValueDictionary()
_LOCK = held_over_forks(threading.Lock())


def make_function(text: str, bindings: dict[str, Any]) -> Callable[..., Any]:
    """The one function that a text defines, with `bindings` as its global names."""
    with _LOCK:
        found = _TEXTS.get(text)
        if found is None:
            found = _TEXTS[text] = GeneratedText(text)
    bindings["_text"] = found
    # Texts that are alike share what was compiled: 0.7 us for 87 with `exec`, of ten ops. It is a
    # copy of the code, since the interpreter adapts it to the names it finds.
    return FunctionType(found.code.replace(), bindings)


def text_of(function: Callable[..., Any]) -> GeneratedText:
    """The text that a function was made of: the same object for equal texts."""
    found: GeneratedText = function.__globals__["_text"]
    return found


def identifier(name: str) -> str:
    """A graph's name as a Python identifier."""
    cleaned = "".join([c if c.isalnum() else "_" for c in name])
    return cleaned if cleaned.isidentifier() else f"graph_{cleaned}"
