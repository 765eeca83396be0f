"""An LLVM module under construction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from graphwright.compile.llvm.emitter import Emitter
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.launch import shared_weights
from graphwright.compile.llvm.shared_functions import SharedCallee, SharedFunctions
from graphwright.compile.nests.collapse import collapse
from graphwright.compile.nests.nest import Nest, Program
from graphwright.compile.nests.short_nests import ShortNest, short_nest
from graphwright.compile.nests.short_rows import ShortRows, short_rows
from graphwright.compile.nests.sizes import Size
from graphwright.compile.run.options import OPTIONS
from graphwright.machine.exclusion import LLVM
from graphwright.machine.targets import target

if TYPE_CHECKING:
    from graphwright.compile.llvm.sanitizer import Sanitizer


def sanitizer_of(program: Program) -> Sanitizer | None:
    """The instrumentation of a program's code in the mode `sanitize`, which alone loads it."""
    if OPTIONS.get("native") != "sanitize":
        return None
    with LLVM:  # a fork waits for the import
        from graphwright.compile.llvm.sanitizer import Sanitizer

    return Sanitizer(program)


class FunctionText(Protocol):
    """A writer of a function."""

    e: Emitter

    def text(self) -> str:
        """The text of the function."""


class LlvmModule:
    """The functions of a module."""

    def __init__(self, program: Program, is_watched: bool = True) -> None:
        self.program = program
        self.frame = Frame(program, sanitizer_of(program) if is_watched else None)
        self.functions: list[str] = []
        self.shared = SharedFunctions(self.functions)
        self.declarations: dict[str, str] = {}
        #: What an element of each nest costs, where that decides whether threads share it; by id.
        self.weights = shared_weights(program)

    def text(self) -> str:
        """The text so far: declarations, then functions."""
        return "\n".join([*self.declarations.values(), "", *self.functions])

    def expected(self, size: Size) -> int:
        """The value of a size in this trace; negative if it is unknown."""
        known = {s: value for (s, _, _), value in zip(self.program.symbols, self.program.expected)}
        values = [known.get(s, -1) for s in size.symbols]
        return size.factor * math.prod(values) if all(v >= 0 for v in values) else -1

    def forms(self, nest: Nest) -> list[ShortRows]:
        """The forms of a nest: for rows of the expected lengths, if that pays, and for any."""
        nest = collapse(nest)
        general = ShortRows(nest, ())
        if not target().separates_components:
            return [general]
        short = short_rows(nest, self.program.buffers, self.expected)
        return [general] if short is None else [short, general]

    def short(self, nest: Nest) -> ShortNest | None:
        """The code of a nest of a few elements, if that pays in a loop."""
        return short_nest(nest, self.program.buffers, self.expected)

    def add(self, writer: FunctionText) -> None:
        """Adds a function and its declarations."""
        self.functions.append(writer.text())
        self.declarations.update(writer.e.declarations)

    def share(self, writer: FunctionText) -> SharedCallee:
        """Adds a function of the frame, unless there is one that differs in slots alone."""
        callee = self.shared.add(writer.text())
        self.declarations.update(writer.e.declarations)
        return callee
