"""The instructions that nests and straight code share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.compile.nests.nest import Count, Instruction, Row, Scalar, ScalarConstant
from graphwright.op.op import Op
from graphwright.ops.core.casting import Cast

#: A function that notes a condition under which an element is refused.
Report: TypeAlias = Callable[[Reg], None]


def memory_kind(kind: str) -> str:
    """The kind in memory, where bools are bytes."""
    return "u8" if kind == "b1" else kind


def as_bool(f: FunctionWriter, x: Reg) -> Reg:
    """Bytes as bools."""
    return f.e.compare("ne", x, f.e.like(0, x))


def element(f: FunctionWriter, op: Op, operands: list[Reg], kind: str, report: Report) -> Reg:
    """The value of an op's element expression."""
    scalars = f.scalars(report)
    if isinstance(op, Cast):
        return scalars.convert(operands[0], kind)
    return op.element(scalars, *operands)  # type: ignore[attr-defined]


def scalar_instruction(f: FunctionWriter, x: Instruction, rows: dict[int, Reg]) -> Reg:
    """The value of an instruction that reads no memory but the frame."""
    if isinstance(x, ScalarConstant):
        return f.e.constant(x.kind, x.value)
    if isinstance(x, Scalar):
        return f.load(f.slot(f.frame.scalar(x.scalar)), x.kind, 1)
    if isinstance(x, Row):
        return rows[x.row]
    if isinstance(x, Count):
        return f.scalars().convert(f.size(x.size), x.kind)
    raise TypeError(f"not a scalar instruction: {x}")
