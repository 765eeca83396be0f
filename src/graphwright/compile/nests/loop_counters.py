"""What a loop counts by, for those who look at loops that run long."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.nest import (
    Element,
    Instruction,
    Load,
    Loop,
    Scalar,
    ScalarConstant,
    Statement,
    Straight,
    all_statements,
)
from graphwright.ops.math.arithmetic import AddV2
from graphwright.ops.math.comparison import LogicalAnd


class Counting(NamedTuple):
    """The variable of a loop that counts, and the number at which the loop ends."""

    variable: int
    limit: ScalarConstant | Scalar | Load


#: The instructions of a straight block.
_Code: TypeAlias = tuple[Instruction, ...]
_KINDS = ("i32", "i64")


def counting(loop: Loop) -> Counting | None:
    """What a loop counts by; None if it does not count up to a number that it leaves alone."""
    inside = (*loop.condition, *loop.body)
    made = {
        scalar: (block.instructions, place)
        for block in inside
        if isinstance(block, Straight)
        for place, scalar, _ in block.scalars
    }
    nexts = {variable: following for variable, _, following, _ in loop.scalars}
    changed = {*nexts, *made, *[s for x in all_statements(inside) for s in defined(x)]}
    counters = {
        variable
        for variable, following in nexts.items()
        if following in made and added_to(*made[following], changed) == variable
    }
    again = nexts.get(loop.again, loop.again)
    for code, test in comparisons(*made[again]) if again in made else ():
        first, limit = test.operands
        variable = counter(code, first, changed)
        if variable in counters and is_constant(code[limit], changed):
            x = code[limit]
            assert isinstance(x, (ScalarConstant, Scalar, Load))
            return Counting(variable, x)
    return None


def defined(statement: Statement) -> Iterator[int]:
    """The scalars that a statement defines."""
    for _, scalar, _ in statement.scalars if isinstance(statement, Straight) else ():
        yield scalar


def is_constant(x: Instruction, changed: Collection[int]) -> bool:
    """Whether an instruction gives the same number in each step."""
    if isinstance(x, Load):
        return x.kind in _KINDS and not x.picks and not x.place.scalars
    if isinstance(x, Scalar):
        return x.kind in _KINDS and x.scalar not in changed
    return isinstance(x, ScalarConstant) and x.kind in _KINDS


def counter(code: _Code, place: int, changed: Collection[int]) -> int:
    """The scalar that an instruction gives, perhaps after a step of its; -1 if there is none."""
    x = code[place]
    if isinstance(x, Scalar):
        return x.scalar if x.kind in _KINDS else -1
    return added_to(code, place, changed)


def added_to(code: _Code, place: int, changed: Collection[int]) -> int:
    """The scalar to which an instruction adds a constant; -1 for other instructions."""
    x = code[place]
    if isinstance(x, Element) and isinstance(x.op, AddV2) and x.kind in _KINDS:
        first, second = [code[i] for i in x.operands]
        if isinstance(first, Scalar) and is_constant(second, changed):
            return first.scalar
    return -1


def comparisons(code: _Code, place: int) -> Iterator[tuple[_Code, Element]]:
    """The comparisons of two numbers that hold together where an instruction is true."""
    test = code[place]
    if not isinstance(test, Element) or len(test.operands) != 2:
        return
    if isinstance(test.op, LogicalAnd):
        for operand in test.operands:
            yield from comparisons(code, operand)
    elif test.kind == "b1":
        yield code, test
