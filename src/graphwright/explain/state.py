"""State that a trace has read, and whether it has changed since."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from graphwright.base.errors import StaleStateWarning, user_location
from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.paths import (
    MISSING,
    Path,
    Reached,
    is_worth_watching,
    print_of,
    read_paths,
    value_of,
)

MODES = ("warn", "retrace", "ignore")
_SHOWN = 60  # characters of a value
_REPR = reprlib.Repr()
_REPR.maxother = _REPR.maxstring = _SHOWN


class Change(NamedTuple):
    """A value that has changed since a trace read it."""

    kind: str
    path: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"the {self.kind} `{self.path}` was {self.old} and is {self.new} now"


class StateRead(NamedTuple):
    """A value that a trace read: its path, its print, and its text."""

    path: Path
    print: Any
    shown: str


class StateWatch:
    """The values that one trace has read, those of inner functions' traces included."""

    def __init__(self, mode: str, name: str, functions: Sequence[Reached]) -> None:
        self.mode = mode
        self.name = name
        self.holds = True  # whether prints keep objects alive that have no weak reference
        self.reads = [
            StateRead(path, print_of(value), show(value))
            for path in read_paths(functions)
            for value in [path.value()]
            if is_worth_watching(value)
        ]
        self.inner: list[StateWatch] = []
        self.warned: set[tuple[str, str]] = set()

    @classmethod
    def quiet(cls, name: str, functions: Sequence[Reached]) -> StateWatch:
        """The values that a trace has read, for reports alone: no call looks at them.

        It shows them when a report asks, and keeps no object alive.
        """
        watch = cls("ignore", name, [])
        watch.holds = False
        for path in read_paths(functions):
            value = path.value()
            if is_worth_watching(value):
                watch.reads.append(StateRead(path, print_of(value, holds=False), ""))
        return watch

    def shown(self, read: StateRead) -> str:
        """The text of a value that the trace read."""
        return read.shown or show(value_of(read.print))

    def __bool__(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self.reads) or any(self.inner)

    @property
    def retraces(self) -> bool:
        """Whether a change asks for another trace."""
        return self.mode == "retrace" or any(watch.retraces for watch in self.inner)

    def changed(self) -> Iterator[StateRead]:
        """The reads that would give another value now."""
        for read in self.reads:
            if self.print_now(read) != read.print and not read.path.is_lost:
                yield read

    def print_now(self, read: StateRead) -> Any:
        """The print that a read would give now."""
        return print_of(read.path.value(), 0, self.holds)

    def changes(self) -> Iterator[Change]:
        """The changes since the trace was made."""
        for read in self.changed():
            yield Change(read.path.kind, read.path.text, self.shown(read), show(read.path.value()))
        for watch in self.inner:
            yield from watch.changes()

    def is_outdated(self) -> bool:
        """Whether a change asks for another trace now."""
        changed = self.mode == "retrace" and any(True for _ in self.changed())
        return changed or any(watch.is_outdated() for watch in self.inner)

    def tell(self) -> None:
        """Warns of changes, of each new value once."""
        for watch in self.inner:
            watch.tell()
        if self.mode != "warn":
            return
        for change in self.changes():
            if (change.path, change.new) not in self.warned:
                self.warned.add((change.path, change.new))
                warn(self.name, change)


def warn(name: str, change: Change) -> None:
    """Warns of one change, in one line."""
    text = (
        f"`{name}` still computes with the state that it read while it was traced: {change}. "
        f"Make it a tf.Variable ({variable_form(change)}), or pass it as an argument."
    )
    place = user_location(1)
    where = ("<unknown>", 1) if place is None else (place.filename, place.lineno)
    warnings.warn_explicit(text, StaleStateWarning, *where)


def variable_form(change: Change) -> str:
    """The code that makes the change with a variable."""
    made = f"{change.path} = tf.Variable({change.old})"
    return made if change.new == repr(MISSING) else f"{made}; {change.path}.assign({change.new})"


def show(value: object) -> str:
    """A value as short text on one line, even if its `repr` is long or fails."""
    text = " ".join(_REPR.repr(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
