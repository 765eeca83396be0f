"""Sizes as code: their definitions, the guards, and the dimensions of results."""

from __future__ import annotations

from collections import Counter

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.nests.call_statements import KERNEL, OutsideCall
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import (
    Buffer,
    Loop,
    Multiply,
    Nest,
    Program,
    Scan,
    all_statements,
)
from graphwright.compile.nests.sizes import Size, product

#: More bytes than any machine has, few enough to be counted in 64 bits.
_MEMORY = 2.0**45


def preparation(program: Program, frame: Frame) -> FunctionWriter:
    """`prepare(frame)`: it derives sizes, checks the guards and stores the results' dimensions.

    It returns the amount of work, or 0 for a call that the program cannot do.
    """
    f = FunctionWriter(frame, "define i64 @prepare(ptr %frame)")
    e = f.e
    good = Reg("true", "b1")
    for symbol, buffer in program.numbers:
        address = f.from_slot(frame.buffer(buffer), "ptr")
        number = f.load(address, program.buffers[buffer].kind, 1)
        number = f.scalars().convert(number, I64)
        f.to_slot(frame.symbol(symbol), number)
        good = e.binary("and", good, e.compare("sge", number, f.number(0)))
    for symbol, function, operands in program.derived:
        values = [inline_size(f, o) for o in operands]
        f.to_slot(frame.symbol(symbol), derive(f, function, values))
    if doubtful := doubtful_buffers(program):
        good = e.binary("and", good, fits(f, doubtful))
    for a, b in program.guards:
        same = e.compare("eq", inline_size(f, a), inline_size(f, b))
        good = e.binary("and", good, same)
    for (_, shape), slot in zip(program.results, frame.result_dims):
        for i, d in enumerate(shape):
            f.to_slot(slot + i, inline_size(f, d))
    e.line(f"ret {e.select(good, work(f, program), f.number(0))}")
    return f


def doubtful_buffers(program: Program) -> list[Buffer]:
    """The buffers that may be larger than any memory.

    Their sizes come from numbers, which may be anything, or are products of sizes that no input
    has.
    """
    if program.numbers:
        return list(program.buffers)
    of_inputs = {product(program.buffers[b].shape).symbols for b in program.inputs}
    sizes = {product(b.shape).symbols: b for b in program.buffers if b.role != "input"}
    return [b for symbols, b in sizes.items() if len(symbols) > 1 and symbols not in of_inputs]


def fits(f: FunctionWriter, buffers: list[Buffer]) -> Reg:
    """Whether buffers are no larger than any memory."""
    e = f.e
    most = e.constant("f64", 0)
    for buffer in buffers:
        size = e.constant("f64", item_size(buffer.kind))
        for d in buffer.shape:
            for factor in (
                f.number(d.factor),
                *[inline_size(f, Size(1, (s,))) for s in d.symbols],
            ):
                size = e.binary("fmul", size, e.cast("sitofp", factor, "f64"))
        most = e.binary("fadd", most, size)
    return e.compare("olt", most, e.constant("f64", _MEMORY))


def work(f: FunctionWriter, program: Program) -> Reg:
    """The amount of work, in branches too: the elements of all nests, plus one."""
    known, sizes = 1, Counter[tuple[int, ...]]()
    for statement in all_statements(program.body):
        if isinstance(statement, Multiply):
            sizes[statement.work.symbols] += statement.work.factor
        elif isinstance(statement, (Nest, Scan)):
            size = product(statement.axes)
            sizes[size.symbols] += size.factor
        elif isinstance(statement, Loop):
            known += 1 << 40
        elif isinstance(statement, OutsideCall):  # a kernel takes the lock, which must not be held
            known += 1 << 40 if statement.routine == KERNEL else 1
    total = f.number(known + sizes.pop((), 0))
    for symbols, factor in sizes.items():
        total = f.add(total, inline_size(f, Size(factor, symbols)))
    return total


def inline_size(f: FunctionWriter, size: Size) -> Reg:
    """A size, computed here and not at the entry: its symbols may just have been derived."""
    result = f.number(size.factor)
    for i in size.symbols:
        result = f.mul(result, f.from_slot(f.frame.symbol(i), I64))
    return result


def derive(f: FunctionWriter, function: str, values: list[Reg]) -> Reg:
    """A derived size."""
    x, y = values
    if function == "div":
        y = f.e.intrinsic("smax", y, f.number(1))
    names = {"add": "add", "sub": "sub", "div": "sdiv"}
    result = f.e.binary(names[function], x, y)
    return f.e.intrinsic("smax", result, f.number(0)) if function == "sub" else result
