"""A program as an LLVM module: `prepare(frame)`, `run(frame)` and a function for each nest."""

from __future__ import annotations

from typing import Any

from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.llvm.nest_function import lanes_of
from graphwright.compile.llvm.rendering import Rendering
from graphwright.compile.llvm.size_code import preparation
from graphwright.compile.llvm.statement_code import StatementWriter
from graphwright.compile.nests.element_kinds import INTEGERS
from graphwright.compile.nests.nest import (
    Count,
    Loop,
    Nest,
    Program,
    ScalarConstant,
    all_statements,
)


def render(program: Program, is_watched: bool = True) -> tuple[str, Frame]:
    """The module's text, and the layout of its frame.

    Code that leaves this process is never watched by the sanitizer, which is in it.
    """
    module = LlvmModule(program, is_watched)
    module.add(preparation(program, module.frame))
    module.add(StatementWriter(module))
    if module.frame.sanitizer is not None:
        module.functions.append(module.frame.sanitizer.text())
    return module.text(), module.frame


def rendering(program: Program) -> Rendering:
    """The module's text, with what the boundary needs for a call."""
    text, frame = render(program)
    buffers = program.buffers
    inputs = [(buffers[b].kind, len(buffers[b].shape), frame.buffer(b)) for b in program.inputs]
    symbols = [
        (frame.symbol(s), i, axis, expected)
        for (s, i, axis), expected in zip(program.symbols, program.expected)
    ]
    reuses = dict(program.reuses)
    results = [
        (
            buffers[b].kind,
            len(shape),
            dims,
            frame.buffer(b),
            buffers[b].role == "late",
            reuses.get(i, 0),
        )
        for i, ((b, shape), dims) in enumerate(zip(program.results, frame.result_dims))
    ]
    return Rendering(
        text,
        frame.size,
        tuple(inputs),
        tuple(symbols),
        tuple(results),
        program.reuses,
        frame.sanitizer,
    )


def skeleton(program: Program) -> Any:
    """The parts of a program that decide how good its text is, without the sizes of a trace.

    A number may be a size, so its kind stands for it.
    """
    module = LlvmModule(program)
    loops = [s for s in all_statements(program.body) if isinstance(s, Loop)]
    repeated = {id(s) for s in all_statements(tuple(loops)) if isinstance(s, Nest)}

    def of(part: object) -> object:
        if not isinstance(part, tuple):
            return part
        if isinstance(part, (ScalarConstant, Count)) and part.kind in INTEGERS:
            return part.kind
        parts = [type(part), *map(of, part)]
        if isinstance(part, Nest):
            for nest, lengths in module.forms(part):
                parts.append((lengths, lanes_of(nest, module.expected(nest.axes[-1]))))
            if id(part) in repeated and (short := module.short(part)) is not None:
                parts.append(short.lengths)
        return tuple(parts)

    return of(program._replace(expected=(), names=(), kernels=()))
