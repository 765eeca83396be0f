"""Steps: the reads of a statement, then its effects on values, in order."""

from __future__ import annotations

from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.list_statements import Extend, Locate
from graphwright.compile.nests.nest import Statement
from graphwright.compile.nests.sizes import Size
from graphwright.compile.verifier.element_boxes import Box


class Packing(NamedTuple):
    """A right operand in the packed form that products read."""

    source: int
    k: Size
    n: Size
    transposed: bool


class Read(NamedTuple):
    """A read of a value: of the elements in a box, of all, or of another value's packed form."""

    value: int
    part: Box | Packing | None


class Written(NamedTuple):
    """A value has new elements, in a box or all, and other values there are lost.

    A write that only `updates` a value changes some of its elements, and reads it for that.
    """

    value: int
    box: Box | None = None
    updates: bool = False


class Renamed(NamedTuple):
    """Elements of one value are from here on those of another, too; nothing moves."""

    source: int
    target: int
    box: Box | None = None


class Gone(NamedTuple):
    """A value has no memory any more."""

    value: int


class Extended(NamedTuple):
    """A list has more items: zeros, or one that is not written yet."""

    statement: Extend
    zeros: bool


class Located(NamedTuple):
    """A view is of another item."""

    statement: Locate
    source: int


class Packed(NamedTuple):
    """A buffer holds the packed form of a value as it is now."""

    value: int
    packing: Packing


Effect: TypeAlias = Written | Renamed | Gone | Extended | Located | Packed


class Step(NamedTuple):
    """A statement without others inside."""

    statement: Statement
    reads: tuple[Read, ...]
    effects: tuple[Effect, ...]


class Repetition(NamedTuple):
    """A loop as items."""

    condition: tuple[Item, ...]
    body: tuple[Item, ...]
    pairs: tuple[tuple[int, int], ...]  # (variable, its next value), as values
    moves: dict[int, int]  # buffer of the plan -> the one whose memory it gets


class Branch(NamedTuple):
    """A branch as items."""

    sides: tuple[tuple[Item, ...], tuple[Item, ...]]


Item: TypeAlias = Step | Repetition | Branch
