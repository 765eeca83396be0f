"""Where temporaries lie: memory is used again once nobody needs what lay there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from graphwright.lower.kinds import item_size
from graphwright.lower.nest import (
    Agree,
    Buffer,
    Choice,
    Clear,
    Copy,
    Deliver,
    Extend,
    Load,
    Locate,
    Loop,
    Mark,
    Multiply,
    Nest,
    PackRight,
    Program,
    Require,
    Reserve,
    Scan,
    Shorten,
    Statement,
    Store,
    Straight,
    Transfer,
    all_statements,
)
from graphwright.lower.sizes import Size, product

#: Blocks of memory begin at multiples of this many bytes, and as many at least lie between them.
GRAIN = 64


def homes(program: Program) -> dict[int, int]:
    """For each temporary that is used the buffer whose memory it has: its own, that of one of the
    same size that is dead by then, or that of a result that is not begun yet."""
    result = {i: i for i, buffer in enumerate(program.buffers) if buffer.role == "temporary"}
    lives = lifetimes(program)
    if lives is None:
        return result
    result = {i: i for i in result if i in lives}
    last = len(program.body)
    lent = {program.results[result][0] for result, _ in program.reuses}
    taken: dict[int, list[tuple[int, int]]] = {}  # by home, when it is in use
    for buffer, _ in program.results:
        if program.buffers[buffer].role == "result" and buffer in lives:
            taken[buffer] = [(0 if buffer in lent else lives[buffer][0], last)]
    for buffer in sorted(result, key=lambda b: lives[b]):
        span = lives[buffer]
        size = bytes_of(program.buffers[buffer])
        for home, spans in taken.items():
            if bytes_of(program.buffers[home]) == size and all(
                apart(span, other) for other in spans
            ):
                result[buffer] = home
                break
        taken.setdefault(result[buffer], []).append(span)
    return result


def apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans have no statement in common."""
    return one[1] < other[0] or other[1] < one[0]


def offsets(sizes: Sequence[int]) -> list[int]:
    """Where blocks of these sizes begin in one piece of memory, and where it ends."""
    return list(accumulate([s + 2 * GRAIN - 1 & -GRAIN for s in sizes], initial=0))


def bytes_of(buffer: Buffer) -> Size:
    """The bytes of a buffer."""
    return product(buffer.shape) * Size(item_size(buffer.kind))


def lifetimes(program: Program) -> dict[int, tuple[int, int]] | None:
    """The first and the last statement that each buffer is accessed by; None where there are
    statements that say nothing of it."""
    lives: dict[int, tuple[int, int]] = {}
    swapped: set[int] = set()
    lists = {
        s.view: s.buffer for s in all_statements(program.body) if isinstance(s, Locate)
    }  # of the items that are views
    for at, statement in enumerate(program.body):
        for inner in all_statements((statement,)):
            if type(inner) not in _KNOWN:
                return None
            for buffer in accessed(inner):
                buffer = lists.get(buffer, buffer)
                lives[buffer] = (lives.get(buffer, (at, at))[0], at)
            if isinstance(inner, Loop):
                swapped.update(buffer for pair in inner.buffers for buffer in pair)
    for buffer in swapped:  # each is where another one was
        lives[buffer] = (0, len(program.body))
    return lives


#: Statements whose accesses are known; a branch is what is in it.
_KNOWN = frozenset(
    {
        *(Nest, Straight, Clear, Multiply, Copy, Loop, Choice, PackRight, Scan),
        *(Reserve, Extend, Shorten, Locate, Transfer, Agree, Mark, Require, Deliver),
    }
)


def accessed(statement: Statement) -> Iterator[int]:
    """The buffers that a statement itself reads or writes."""
    if isinstance(statement, Nest):
        for stage in statement.stages:
            for x in (*stage.instructions, *stage.effects):
                if isinstance(x, (Load, Store)):
                    yield x.buffer
    elif isinstance(statement, Straight):
        for x in (*statement.instructions, *statement.stores):
            if isinstance(x, (Load, Store)):
                yield x.buffer
    elif isinstance(statement, Clear):
        yield statement.buffer
    elif isinstance(statement, Multiply):
        yield from (statement.a, statement.b, statement.c)
    elif isinstance(statement, PackRight):
        yield statement.product.b
    elif isinstance(statement, (Locate, Deliver)):
        yield statement.buffer
    elif isinstance(statement, (Copy, Scan, Transfer)):
        yield from (statement.source, statement.target)
