"""What a loop counts by, for those who look at loops that run long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphwright.compile.nests.nest import (
    Element,
    Instruction,
    Load,
    Loop,
    Scalar,
    ScalarConstant,
    Straight,
    all_statements,
)
from graphwright.ops.math.arithmetic import AddV2
from graphwright.ops.math.comparison import Less, LogicalAnd


class Counting(NamedTuple):
    """The variable of a loop that counts, and what it is less than as long as the loop goes on."""

    variable: int
    limit: ScalarConstant | Scalar | Load


def counting(loop: Loop) -> Counting | None:
    """What a loop counts by; None if it does not count up to a number that it leaves alone."""
    nexts = {variable: following for variable, _, following, _ in loop.scalars}
    blocks = [s for s in (*loop.condition, *loop.body) if isinstance(s, Straight)]
    inside = {s for x in all_statements((*loop.condition, *loop.body)) for s in defined(x)}
    made = {scalar: (b.instructions, i) for b in blocks for i, scalar, _ in b.scalars}
    again = nexts.get(loop.again, loop.again)
    if again not in made:
        return None
    for code, test in conjuncts(*made[again]):
        first, second = [code[i] for i in test.operands]
        if isinstance(first, Element) and isinstance(first.op, AddV2):  # the next value is tested
            first = next((code[i] for i in first.operands if isinstance(code[i], Scalar)), first)
        counts = isinstance(first, Scalar) and first.scalar in nexts and first.kind in _KINDS
        if not counts or not isinstance(second, (ScalarConstant, Scalar, Load)):
            continue
        is_changed = isinstance(second, Scalar) and second.scalar in {*nexts, *inside}
        is_placed = isinstance(second, Load) and (second.picks or second.place.scalars)
        if not is_changed and not is_placed:
            assert isinstance(first, Scalar)
            return Counting(first.scalar, second)
    return None


_KINDS = ("i32", "i64")


def defined(statement: object) -> Iterator[int]:
    """The scalars that a statement defines."""
    for _, scalar, _ in statement.scalars if isinstance(statement, Straight) else ():
        yield scalar


def conjuncts(
    code: tuple[Instruction, ...], place: int
) -> Iterator[tuple[tuple[Instruction, ...], Element]]:
    """The comparisons that hold together where an instruction is true, with their code."""
    test = code[place]
    if isinstance(test, Element) and isinstance(test.op, LogicalAnd):
        for operand in test.operands:
            yield from conjuncts(code, operand)
    elif isinstance(test, Element) and isinstance(test.op, Less):
        yield code, test
