"""The buffers that statements read and write, by number.

A view is an item of a list, in another buffer's memory: an access to it is one to that buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.list_statements import Deliver, Locate, Transfer
from graphwright.compile.nests.nest import (
    Clear,
    Copy,
    Load,
    Multiply,
    Nest,
    PackRight,
    Scan,
    Statement,
    Store,
    Straight,
)


def read_by(statement: Statement) -> Iterator[int]:
    """The buffers that a statement itself reads, or whose address it takes."""
    if isinstance(statement, Nest):
        for stage in statement.stages:
            yield from (x.buffer for x in stage.instructions if isinstance(x, Load))
    elif isinstance(statement, Straight):
        yield from (x.buffer for x in statement.instructions if isinstance(x, Load))
    elif isinstance(statement, Multiply):
        yield from (statement.a, statement.b)
    elif isinstance(statement, PackRight):
        yield statement.product.b
    elif isinstance(statement, (Locate, Deliver)):
        yield statement.buffer
    elif isinstance(statement, (Copy, Scan, Transfer)):
        yield statement.source
    elif isinstance(statement, OutsideCall):
        yield from statement.sources


def written_by(statement: Statement) -> Iterator[int]:
    """The buffers that a statement itself writes, except lists that it makes or extends."""
    if isinstance(statement, Nest):
        for stage in statement.stages:
            yield from (x.buffer for x in stage.effects if isinstance(x, Store))
    elif isinstance(statement, Straight):
        yield from (x.buffer for x in statement.stores)
    elif isinstance(statement, Clear):
        yield statement.buffer
    elif isinstance(statement, Multiply):
        yield statement.c
    elif isinstance(statement, (Copy, Scan, Transfer)):
        yield statement.target
    elif isinstance(statement, OutsideCall):
        yield from statement.targets


def accessed(statement: Statement) -> Iterator[int]:
    """The buffers that a statement itself reads or writes."""
    yield from read_by(statement)
    yield from written_by(statement)


def viewed(statements: Iterable[Statement]) -> dict[int, int]:
    """view -> the buffer of its list, for the views that these statements themselves make."""
    return {s.view: s.buffer for s in statements if isinstance(s, Locate)}
