"""Scalars that nobody reads from memory are not written there.

A value of one element is a scalar, in a register; whether a loop, a branch or a list also reads
it where it would lie in memory is known only when all statements are.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.lower.arena import accessed
from graphwright.lower.nest import (
    Choice,
    Load,
    Loop,
    Program,
    Statement,
    Straight,
    all_statements,
)


def without_dead_stores(program: Program) -> Program:
    """The program without the stores of scalars to temporaries that nothing reads."""
    found = {b for s in all_statements(program.body) for b in read(s)}
    found.update(i for i, b in enumerate(program.buffers) if b.role != "temporary")
    return program._replace(body=cleaned(program.body, found))


def read(statement: Statement) -> Iterator[int]:
    """The buffers that a statement itself may read: all that it accesses, but for what straight
    code writes."""
    if isinstance(statement, Straight):
        yield from (x.buffer for x in statement.instructions if isinstance(x, Load))
    elif isinstance(statement, Loop):
        yield from (buffer for pair in statement.buffers for buffer in pair)
    else:
        yield from accessed(statement)


def cleaned(body: tuple[Statement, ...], found: set[int]) -> tuple[Statement, ...]:
    """Statements whose stores go to buffers in `found` alone."""
    result: list[Statement] = []
    for s in body:
        if isinstance(s, Straight):
            s = s._replace(stores=tuple([x for x in s.stores if x.buffer in found]))
        elif isinstance(s, Loop):
            s = s._replace(condition=cleaned(s.condition, found), body=cleaned(s.body, found))
        elif isinstance(s, Choice):
            s = s._replace(then=cleaned(s.then, found), otherwise=cleaned(s.otherwise, found))
        result.append(s)
    return tuple(result)
