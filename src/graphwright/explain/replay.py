"""The number of traces that changed calls would need, counted by real dispatch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from graphwright.explain.cause import step
from graphwright.explain.trace_record import History, ObjectNote
from graphwright.trace.argument_types import LiteralType, Structure, Weakref
from graphwright.trace.signature import FunctionType, Parameter
from graphwright.trace.trace_dispatch import DispatchTable
from graphwright.types.trace_type import TraceType

_REPLAYED = 512  # types of calls at most: dispatch looks at all traces for each

#: The type of the argument at a path after a change: the same object where nothing changes.
TypeChange: TypeAlias = Callable[[str, TraceType], TraceType]


class Requests:
    """The types of calls that needed a trace, in order, and notes on the objects in them."""

    def __init__(
        self, types: Iterable[tuple[FunctionType, float]], notes: dict[int, ObjectNote]
    ) -> None:
        ordered = [call_type for call_type, _ in sorted(types, key=lambda pair: pair[1])]
        self.types = ordered[:_REPLAYED]
        self.left_out = len(ordered) - len(self.types)
        self.notes = notes

    @classmethod
    def of(cls, *histories: History) -> Requests:
        """The requests of some functions."""
        types = [pair for history in histories for pair in history.requests.items()]
        records = [record for history in histories for record in history.records]
        notes = {number: note for record in records for number, note in record.objects.items()}
        return cls(types, notes)

    def changed(self, change: TypeChange) -> Requests:
        """The same calls with arguments of other types."""
        return self.replaced([change_call(call_type, change) for call_type in self.types])

    def replaced(self, types: list[FunctionType]) -> Requests:
        """Calls of other types, with the same objects."""
        requests = Requests([], self.notes)
        requests.types = types
        return requests

    def with_notes(self, notes: dict[int, ObjectNote]) -> Requests:
        """The same calls with other notes on their objects."""
        requests = Requests([], notes)
        requests.types = self.types
        return requests


class Remembered(TraceType):
    """The type of an object that may be gone: equal to the others that it equalled while alive."""

    __slots__ = ("note",)

    def __init__(self, note: ObjectNote) -> None:
        self.note = note

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Remembered | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: object = None) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Remembered):
            return False
        together = self.note.died > other.note.born and other.note.died > self.note.born
        return together and self.note.equals(other.note)

    def __hash__(self) -> int:
        return hash(self.note.kind)


def count(requests: Requests, reduce_retracing: bool) -> int:
    """The number of traces that these calls need."""
    table: DispatchTable[FunctionType] = DispatchTable()
    for call_type in requests.changed(remember(requests.notes)).types:
        if table.find(call_type, always) is None:
            target = table.generalize(call_type) if reduce_retracing else call_type
            table.add(target, target)
    return len(table)


def always(made: object) -> bool:
    """True: every trace can be used in a replay."""
    return True


def remember(notes: dict[int, ObjectNote]) -> TypeChange:
    """The change that replaces weak references, which may be dead, by notes on their objects."""

    def change(path: str, type_: TraceType) -> TraceType:
        note = notes.get(id(type_)) if isinstance(type_, Weakref) else None
        return type_ if note is None else Remembered(note)

    return change


def change_call(call_type: FunctionType, change: TypeChange) -> FunctionType:
    """The type of a call after a change of its arguments' types."""
    return FunctionType(
        [Parameter(name, kind, False, walk(type_, name, change))
         for name, kind, type_ in call_type.typed()]
    )  # fmt: skip


def walk(type_: TraceType, path: str, change: TypeChange) -> TraceType:
    """A type after a change of the whole of it, else of its parts."""
    changed = change(path, type_)
    if changed is not type_ or not isinstance(type_, Structure):
        return changed
    parts = [walk(c, path + step(type_, i), change) for i, c in enumerate(type_.children)]
    return Structure(type_.kind, type_.keys, tuple(parts), type_.order)


def leaves(call_type: FunctionType) -> Iterator[tuple[str, TraceType]]:
    """The paths and types of everything in a call, each container before its items."""

    def below(path: str, type_: TraceType) -> Iterator[tuple[str, TraceType]]:
        yield path, type_
        if isinstance(type_, Structure):
            for i, child in enumerate(type_.children):
                yield from below(path + step(type_, i), child)

    for name, _, type_ in call_type.typed():
        yield from below(name, type_)


def at_paths(paths: Iterable[str], change: Callable[[TraceType], TraceType]) -> TypeChange:
    """A change at some paths only."""
    chosen = frozenset(paths)
    return lambda path, type_: change(type_) if path in chosen else type_


def bucket(length: int) -> int:
    """The power of two to which a length is padded."""
    return 1 << max(0, math.ceil(math.log2(max(length, 1))))


def token(note: ObjectNote, number: int | None = None) -> LiteralType:
    """The type of an object by its class and its attributes, or by its hash."""
    held = (note.place, note.names, note.state) if number is None else number
    return LiteralType((note.module, note.kind, held))
