"""Compiled programs: from loop nests to a Python function that runs machine code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm import runtime
from graphwright.compile.llvm.boundary import boundary, native_function
from graphwright.compile.llvm.rendering import Rendering
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.lowered_segment import LoweredSegment
from graphwright.machine import array_layout
from graphwright.machine.drafts import follow
from graphwright.machine.exclusion import exclusive
from graphwright.machine.linking import Library
from graphwright.types.arrays import Array

#: The machine code in use, by its text.
_LIBRARIES: WeakValueDictionary[str, Library] = WeakValueDictionary()


#: The functions of a program.
_NAMES = ("prepare", "run")

#: The most programs of one module.
_TOGETHER = 32


@exclusive
def library_of(text: str, is_quick: bool) -> Library:
    """The machine code of a module, compiled once in this process, or twice: first as a draft."""
    if not array_layout.is_known():
        raise NotNative("arrays lie in memory otherwise than native code expects")
    library = _LIBRARIES.get(text)
    if library is None:
        boundary()
        library = runtime.link(text, is_quick)
        _note(text, library)
        follow(library, partial(_note, text))
    return library


def _note(text: str, library: Library) -> None:
    _LIBRARIES[text] = library


class Code(NamedTuple):
    """A program's machine code, in a module of its own or with others."""

    library: Library
    names: tuple[str, ...]


class Executable:
    """A program as a function: it takes the graph's arguments as arrays, and returns a tuple.

    It returns None for a call that it cannot do: an array is not contiguous, sizes are unexpected,
    an integer is divided by zero.
    """

    def __init__(self, rendering: Rendering, constants: Sequence[Array], code: Code) -> None:
        self.constants = [np.asarray(c, order="C") for c in constants]
        self.code = code
        native = native_function(rendering, code.names, code.library)
        sanitizer = rendering.sanitizer
        self._native = native if sanitizer is None else sanitizer.watched(native)

    def function(self) -> Callable[..., Any]:
        """The function that runs it: the C function itself, unless it takes constants."""
        native, constants = self._native, self.constants
        if not constants:
            return native
        return lambda *arrays: native(*arrays, *constants)

    def lending(self) -> Callable[..., Any]:
        """The same with one more argument, the first: the bits of the results in inputs' memory."""
        native, constants = self._native, self.constants
        return lambda bits, arrays: native(*arrays, *constants, bits)


def executables(segments: Sequence[LoweredSegment], is_quick: bool = False) -> list[Executable]:
    """Programs compiled together, since LLVM spends some time on each module, however small.

    With `is_quick` their code may be drafts.
    """
    result: list[Executable] = []
    for first in range(0, len(segments), _TOGETHER):
        batch = segments[first : first + _TOGETHER]
        texts = list(dict.fromkeys([segment.rendering.text for segment in batch]))
        names = [_NAMES] if len(texts) == 1 else [numbered(i) for i in range(len(texts))]
        whole = texts[0] if len(texts) == 1 else joined(texts)
        library = library_of(whole, is_quick)
        of_text = dict(zip(texts, names))
        for segment in batch:
            code = Code(library, of_text[segment.rendering.text])
            result.append(Executable(segment.rendering, segment.constants, code))
    return result


def numbered(i: int) -> tuple[str, ...]:
    """The names of the functions of program number i in a module."""
    return tuple([f"{name}.{i}" for name in _NAMES])


def joined(texts: Sequence[str]) -> str:
    """One module from the texts of several; their functions get numbers."""
    declarations: dict[str, None] = {}
    lines: list[str] = []
    for i, text in enumerate(texts):
        defined = re.findall(r"^define [^@\n]*@([\w.]+)", text, re.MULTILINE)
        numbers = dict.fromkeys(defined, f".{i}")

        def numbered_name(match: re.Match[str], numbers: dict[str, str] = numbers) -> str:
            return match[0] + numbers.get(match[1], "")

        for line in re.sub(r"@([\w.]+)", numbered_name, text).splitlines():
            if line.startswith(("declare ", "@")):
                declarations[line] = None
            else:
                lines.append(line)
    return "\n".join([*declarations, *lines])
