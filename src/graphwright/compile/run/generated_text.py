"""Generated text as Python functions: equal texts are compiled once.

The text enters `linecache`, so tracebacks and debuggers show it. Graphs that differ only in the
objects behind their names (64 lengths of one function, say) have one text.
"""

from __future__ import annotations

import itertools
import linecache
import threading
from collections.abc import Callable
from keyword import iskeyword
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakValueDictionary, finalize

from graphwright.base.forks import held_over_forks

#: The beginning of the file names of generated code.
PREFIX = "<graphwright "

_NUMBERS = itertools.count(1)
#: File names of freed texts. CPython never frees a name that was compiled, so they serve again.
_FREE_NAMES: list[str] = []


class GeneratedText:
    """A compiled text, which lives as long as its functions."""

    __slots__ = ("__weakref__", "code")

    def __init__(self, text: str) -> None:
        filename = _FREE_NAMES.pop() if _FREE_NAMES else f"{PREFIX}{next(_NUMBERS)}>"
        module = compile(text, filename, "exec")
        self.code = next(c for c in module.co_consts if isinstance(c, CodeType))
        # Only here do debuggers find text without a file: `linecache.lazycache` needs the globals
        # of a module with a loader, which this text lacks.
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        finalize(self, _release, filename)


def _release(filename: str) -> None:
    """Frees the file name of a text.

    An entry without lines stays. `linecache.checkcache` walks over all names while collectors run,
    and fails for a missing one.
    """
    linecache.cache[filename] = (0, None, [], filename)
    _FREE_NAMES.append(filename)


_TEXTS: WeakValueDictionary[str, GeneratedText] = WeakValueDictionary()
_LOCK = held_over_forks(threading.Lock())


def make_function(text: str, bindings: dict[str, Any]) -> Callable[..., Any]:
    """The one function that a text defines, with `bindings` as its globals."""
    with _LOCK:
        compiled = _TEXTS.get(text)
        if compiled is None:
            compiled = _TEXTS[text] = GeneratedText(text)
    bindings["_text"] = compiled
    # Equal texts share their compilation: that takes 0.7 us instead of 87 with `exec`, for ten ops.
    # Each function has a copy of the code, since the interpreter adapts it to its globals.
    return FunctionType(compiled.code.replace(), bindings)


def text_of(function: FunctionType) -> GeneratedText:
    """The text of a function that `make_function` gave: one object for equal texts."""
    text: GeneratedText = function.__globals__["_text"]
    return text


def identifier(name: str) -> str:
    """A graph's name as a Python identifier."""
    cleaned = "".join([c if c.isalnum() else "_" for c in name])
    is_name = cleaned.isidentifier() and not iskeyword(cleaned)
    return cleaned if is_name else f"graph_{cleaned}"
