"""The statements of lists. Items are adjacent and of one shape; lengths are scalars or sizes."""

from __future__ import annotations

from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.sizes import ONE, Size


class Reserve(NamedTuple):
    """Room for a list of `length` items, which must not be negative; items not written are zeros.

    `written` are slots of scalars that say whether a list was written. They are its own slot, and
    that of the list that it is made like (or -1).
    """

    buffer: int
    capacity: int
    length: Size | int
    item: Size  # elements
    kind: str
    written: tuple[int, int] = (-1, -1)


class Extend(NamedTuple):
    """Gives a list room for one more item, up to the item `place`, or `exactly` a number of items.

    Items are new zeros in the last two cases; the one more is written next. `result` is the new
    length. A list that gets more room may move: views of it are then wrong.
    """

    buffer: int
    capacity: int
    length: Size | int
    result: int
    item: Size
    kind: str
    place: int = -1
    exactly: Size | int = -1


class Shorten(NamedTuple):
    """`result` is the length of a list without its last `by` items, which must exist."""

    length: Size | int
    result: int
    by: Size | int = ONE


class Locate(NamedTuple):
    """`view` is the memory of an item of a list; an index outside the list is not native."""

    view: int
    buffer: int
    place: int
    length: Size | int
    item: Size
    kind: str


class Transfer(NamedTuple):
    """Copies `number` items of one list, from `start` on, to `place` of another."""

    source: int
    start: Size | int
    target: int
    place: Size | int
    number: int
    item: Size
    kind: str


class Agree(NamedTuple):
    """Refuses two lengths that differ."""

    one: Size | int
    other: Size | int


class Mark(NamedTuple):
    """Notes that a list was written."""

    written: int


class Require(NamedTuple):
    """Leaves the call to the kernels if a list was never written, unless it is empty."""

    written: int
    length: Size | int


class Deliver(NamedTuple):
    """Gives a late buffer, result number `result`, the memory of a list, or a copy of it."""

    buffer: int
    late: int
    result: int
    length: Size | int
    item: Size
    kind: str
    copy: bool


ListStatement: TypeAlias = (
    Reserve | Extend | Shorten | Locate | Transfer | Agree | Mark | Require | Deliver
)
