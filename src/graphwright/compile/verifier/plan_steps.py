"""What a statement does to values: what it reads, and what it writes, in order."""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.list_statements import Extend, Locate
from graphwright.compile.nests.nest import Statement
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box


class Packing(NamedTuple):
    """A right operand as products read it."""

    source: int
    k: Size
    n: Size
    transposed: bool


class Read(NamedTuple):
    """Elements of a value: those of a box, or any; or what is packed of another value."""

    value: int
    part: Box | Packing | None


class Written(NamedTuple):
    """A value has new elements: in a box, or all; what else lies there is gone. What only
    `updates` a value changes some of its elements, and it is read for that."""

    value: int
    box: Box | None = None
    updates: bool = False


class Renamed(NamedTuple):
    """Elements of one value are from here on also those of another, and nothing moves."""

    source: int
    target: int
    box: Box | None = None


class Gone(NamedTuple):
    """A value has no memory any more."""

    value: int


class Extended(NamedTuple):
    """A list has more room: for zeros, or for one more item, which is not written."""

    statement: Extend
    zeros: bool


class Located(NamedTuple):
    """A view is of another item."""

    statement: Locate
    source: int


class Packed(NamedTuple):
    """A buffer holds what products read of a value, as it is now."""

    value: int
    packing: Packing


Effect = Written | Renamed | Gone | Extended | Located | Packed


class Step(NamedTuple):
    """A statement without others in it."""

    statement: Statement
    reads: tuple[Read, ...]
    effects: tuple[Effect, ...]


class Repetition(NamedTuple):
    """A loop."""

    statement: Statement
    condition: tuple[Item, ...]
    body: tuple[Item, ...]
    pairs: tuple[tuple[int, int], ...]  # (variable, its next value), as values
    moves: dict[int, int]  # buffers of the plan, and whose memory each gets


class Branch(NamedTuple):
    """A choice."""

    statement: Statement
    sides: tuple[tuple[Item, ...], tuple[Item, ...]]


Item = Step | Repetition | Branch
