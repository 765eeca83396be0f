"""Choices as selections from both sides, where that is cheaper than a branch.

Processors mispredict every third choice that depends on data, which costs as much as a dozen
operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.nests.nest import (
    Choice,
    Element,
    Instruction,
    Scalar,
    ScalarConstant,
    Straight,
)

#: The most operations of both sides together.
_MOST = 8

_COMPARISONS = {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}
_BITS = {"LogicalAnd", "LogicalOr", "LogicalNot", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}
_ARITHMETIC = {"AddV2", "Sub", "Mul", "Neg", "Maximum", "Minimum", "SelectV2", "Identity"}
_SIMPLE = _COMPARISONS | _BITS | _ARITHMETIC
#: Ops that end the program for some divisors.
_DIVISIONS = {"FloorDiv", "FloorMod"}


def takes_both(choice: Choice) -> bool:
    """Whether both sides are computed and one is selected: they are short, cannot fail, and do not
    touch memory."""
    operations = 0
    for statement in (*choice.then, *choice.otherwise):
        if not isinstance(statement, Straight) or statement.stores:
            return False
        instructions = statement.instructions
        if not all(is_simple(x, instructions) for x in instructions):
            return False
        operations += sum(isinstance(x, Element) for x in instructions)
    return operations <= _MOST


def is_simple(x: Instruction, others: Sequence[Instruction]) -> bool:
    """Whether an instruction takes few cycles and never fails."""
    if not isinstance(x, Element):
        return isinstance(x, (ScalarConstant, Scalar))
    if x.op.type_name in _DIVISIONS:
        divisor = others[x.operands[1]]
        return (
            isinstance(divisor, ScalarConstant)
            and isinstance(divisor.value, int)
            and divisor.value > 0
        )
    return x.op.type_name in _SIMPLE
