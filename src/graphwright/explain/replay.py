"""How many traces a history would have needed: its types, changed, through real dispatch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from graphwright.explain.cause import step
from graphwright.explain.trace_record import History, ObjectNote
from graphwright.trace.argument_types import LiteralType, Structure, Weakref
from graphwright.trace.signature import FunctionType, Parameter
from graphwright.trace.trace_dispatch import DispatchTable
from graphwright.types.trace_type import TraceType

_REPLAYED = 512  # types of calls: dispatch looks at all traces for each

#: Changes the type of the argument at a path; returns it as it is where it has nothing to change.
Change = Callable[[str, Any], Any]


class Asked:
    """What calls asked for, in order, and what is known of the objects in it."""

    def __init__(
        self, types: Iterable[tuple[FunctionType, float]], notes: dict[int, ObjectNote]
    ) -> None:
        ordered = [wanted for wanted, _ in sorted(types, key=lambda pair: pair[1])]
        self.types = ordered[:_REPLAYED]
        self.left_out = len(ordered) - len(self.types)
        self.notes = notes

    @classmethod
    def of(cls, *histories: History) -> Asked:
        """What the calls of some functions asked for."""
        types = [pair for history in histories for pair in history.asked.items()]
        records = [record for history in histories for record in history.records]
        notes = {number: note for record in records for number, note in record.objects.items()}
        return cls(types, notes)

    def changed(self, change: Change) -> Asked:
        """The same calls, had their arguments been of other types."""
        return self.replaced([change_call(wanted, change) for wanted in self.types])

    def replaced(self, types: list[FunctionType]) -> Asked:
        """Calls of other types, about the same objects."""
        asked = Asked([], self.notes)
        asked.types = types
        return asked

    def with_notes(self, notes: dict[int, ObjectNote]) -> Asked:
        """The same calls, had their objects been others."""
        asked = Asked([], notes)
        asked.types = self.types
        return asked


class Remembered(TraceType):
    """Stands for an object that may be gone: as equal to others as it was in its time."""

    __slots__ = ("note",)

    def __init__(self, note: ObjectNote) -> None:
        self.note = note

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Any) -> Remembered | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Remembered):
            return False
        together = self.note.died > other.note.born and other.note.died > self.note.born
        return together and self.note.equals(other.note)

    def __hash__(self) -> int:
        return hash(self.note.kind)


def count(asked: Asked, reduce_retracing: bool) -> int:
    """The number of traces that these calls need."""
    table: DispatchTable[FunctionType] = DispatchTable()
    for wanted in asked.changed(remember(asked.notes)).types:
        if table.find(wanted, always) is None:
            target = table.generalize(wanted) if reduce_retracing else wanted
            table.add(target, target)
    return len(table)


def always(made: object) -> bool:
    """Every trace can be used in a replay."""
    return True


def remember(notes: dict[int, ObjectNote]) -> Change:
    """Puts what was noted of objects in the place of what may be dead references."""

    def change(path: str, type_: Any) -> Any:
        note = notes.get(id(type_)) if isinstance(type_, Weakref) else None
        return type_ if note is None else Remembered(note)

    return change


def change_call(wanted: FunctionType, change: Change) -> FunctionType:
    """The type of a call with some of its arguments' types changed."""
    return FunctionType(
        [Parameter(name, kind, False, walk(type_, name, change))
         for name, kind, type_ in wanted.typed()]
    )  # fmt: skip


def walk(type_: Any, path: str, change: Change) -> Any:
    """A type changed: as a whole, else in its parts."""
    changed = change(path, type_)
    if changed is not type_ or not isinstance(type_, Structure):
        return changed
    parts = [walk(c, path + step(type_, i), change) for i, c in enumerate(type_.children)]
    return Structure(type_.kind, type_.keys, tuple(parts))


def leaves(wanted: FunctionType) -> Iterator[tuple[str, Any]]:
    """The paths and types of everything in a call, containers before what is in them."""

    def below(path: str, type_: Any) -> Iterator[tuple[str, Any]]:
        yield path, type_
        if isinstance(type_, Structure):
            for i, child in enumerate(type_.children):
                yield from below(path + step(type_, i), child)

    for name, _, type_ in wanted.typed():
        yield from below(name, type_)


def at(paths: Iterable[str], change: Callable[[Any], Any]) -> Change:
    """A change at some paths only."""
    chosen = frozenset(paths)
    return lambda path, type_: change(type_) if path in chosen else type_


def bucket(length: int) -> int:
    """The power of two to which a length is padded."""
    return 1 << max(0, math.ceil(math.log2(max(length, 1))))


def token(note: ObjectNote, number: int | None = None) -> LiteralType:
    """An object known by its class and what it holds, or by its hash."""
    held = (note.place, note.names, note.state) if number is None else number
    return LiteralType((note.module, note.kind, held))
