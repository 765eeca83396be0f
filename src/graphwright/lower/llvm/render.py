"""A program as an LLVM module: `prepare(frame)`, `run(frame)` and a function for each nest."""

from __future__ import annotations

import math
from typing import Any, Protocol

from graphwright.lower.collapse import collapse
from graphwright.lower.kinds import INTEGERS
from graphwright.lower.llvm.emitter import Emitter
from graphwright.lower.llvm.frame import Frame
from graphwright.lower.llvm.nests import lanes_of
from graphwright.lower.llvm.size_code import preparation
from graphwright.lower.llvm.statements import StatementWriter
from graphwright.lower.nest import Constant, Count, Nest, Program
from graphwright.lower.sizes import Size


class Writer(Protocol):
    """What writes a function."""

    e: Emitter

    def text(self) -> str:
        """The function."""


class Module:
    """The functions of a module, as they are written."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.frame = Frame(program)
        self.functions: list[str] = []
        self.declarations: dict[str, str] = {}

    def text(self) -> str:
        """The whole module."""
        self.add(preparation(self.program, self.frame))
        self.add(StatementWriter(self))
        return "\n".join([*self.declarations.values(), "", *self.functions])

    def expected(self, size: Size) -> int:
        """What a size is in this trace; negative where it does not say."""
        known = {s: value for (s, _, _), value in zip(self.program.symbols, self.program.expected)}
        values = [known.get(s, -1) for s in size.symbols]
        return size.factor * math.prod(values) if all(v >= 0 for v in values) else -1

    def add(self, writer: Writer) -> None:
        """Has a function written, and those that it calls before it."""
        self.functions.append(writer.text())
        self.declarations.update(writer.e.declarations)


def render(program: Program) -> tuple[str, Frame]:
    """The module's text, and the layout of its frame."""
    module = Module(program)
    return module.text(), module.frame


def skeleton(program: Program) -> Any:
    """What decides how good a program's text is, whatever sizes a trace knows: where a number
    stands for one, there is a number."""
    module = Module(program)

    def of(part: Any) -> Any:
        if not isinstance(part, tuple):
            return part
        if isinstance(part, (Constant, Count)) and part.kind in INTEGERS:
            return part.kind
        found = [type(part), *map(of, part)]
        if isinstance(part, Nest):
            found.append(lanes_of(collapse(part), module.expected(part.axes[-1])))
        return tuple(found)

    return of(program._replace(expected=(), names=()))
