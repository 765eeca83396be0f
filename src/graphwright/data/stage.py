"""What a dataset is made of: stages, which are values, and the cursors that go through them.

A cursor hands out blocks of elements. Its contract, which every stage keeps:

- `pull(limit)` gives from one up to `limit` elements, or None at the end, and then always None.
- It takes no more from the stages before it than `limit` elements need. So who asks for one element
  at a time sees exactly what lazy Python generators would do, and who asks for many gets them at
  once.
- Elements that come before an error are handed out first. The next call raises it, and the one
  after that goes on behind it.
- `save` gives what another cursor of an equal stage needs to go on from here (`restore`).
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from graphwright.base.named_tuples import NamedTuple
from graphwright.data.blocks import ElementBlock
from graphwright.data.element_type import ElementType
from graphwright.types.tensor_type import VariantValue

#: The cardinality of a stage without an end, and of one that does not know.
INFINITE, UNKNOWN = -1, -2

#: A number that a program leaves to us.
AUTOTUNE = -1

#: What a cursor saves: numbers, texts, arrays, and lists and mappings of these.
State = Any


class AppliedRewrite(NamedTuple):
    """A rewrite that was made of a pipeline: the option that rules it, and what it did."""

    name: str
    words: str


class Plan(NamedTuple):
    """A stage that iterators go through in the place of another, and the rewrites between them."""

    stage: DatasetStage
    rewrites: tuple[AppliedRewrite, ...]


class DatasetStage(VariantValue, ABC):
    """What a dataset does, with its numbers and functions: a value of dtype variant."""

    #: The kind, as TensorFlow names it.
    type_name = ""
    #: Whether it is seen from outside that elements are taken: it calls Python, or has effects.
    has_effects = False
    #: What iterators go through, once somebody has asked.
    plan: Plan | None = None

    def __init__(self, element: ElementType, *inputs: DatasetStage) -> None:
        self.element = element
        self.inputs = inputs

    def behind(self, *inputs: DatasetStage) -> Any:
        """Such a stage behind others. What changes is shared: caches, and seeds of shuffles."""
        made = copy.copy(self)
        made.inputs, made.plan = inputs, None
        return made

    @property
    def is_observable(self) -> bool:
        """Whether somebody sees when elements are taken, so that none may be taken ahead."""
        return self.has_effects or any(stage.is_observable for stage in self.inputs)

    @property
    def is_idle(self) -> bool:
        """Whether the elements are those of the stage before it, and nothing else is done."""
        return False

    @abstractmethod
    def cardinality(self) -> int:
        """How many elements there are, INFINITE, or UNKNOWN."""

    @abstractmethod
    def start(self) -> Cursor:
        """A cursor before the first element, for `cursor_of`."""

    def __repr__(self) -> str:
        return f"<{self.type_name} {self.element.specs!r}>"


class StageFunction(Protocol):
    """A function of an element, which gives one stage."""

    has_effects: bool

    def __call__(self, arrays: Sequence[Any]) -> list[Any]: ...


class Cursor(ABC):
    """A position in the elements of a stage, and the way on from there."""

    @abstractmethod
    def pull(self, limit: int) -> ElementBlock | None:
        """The next elements, at most `limit`; None at the end."""

    @abstractmethod
    def save(self) -> State:
        """What `restore` needs to go on from here."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Goes to where another cursor of such a stage was."""

    def close(self) -> None:  # noqa: B027 - most cursors hold nothing to let go of
        """Lets go of threads and files. Elements are not asked for any more."""


class Watcher(Protocol):
    """Whoever measures the cursors of a pipeline."""

    def watched(self, stage: DatasetStage, cursor: Cursor) -> Cursor:
        """A cursor in the place of one that is new."""


class _Watching(threading.local):
    watcher: Watcher | None = None


_WATCHING = _Watching()


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Has a watcher get all cursors that are made meanwhile."""
    before, _WATCHING.watcher = _WATCHING.watcher, watcher
    try:
        yield
    finally:
        _WATCHING.watcher = before


def cursor_of(stage: DatasetStage) -> Cursor:
    """A new cursor before the first element of a stage: every one is made here."""
    watcher = _WATCHING.watcher
    cursor = PassingCursor(stage.inputs[0]) if stage.is_idle else stage.start()
    return cursor if watcher is None else watcher.watched(stage, cursor)


class Through(Cursor):
    """A cursor that goes through that of one stage before it.

    Args:
        source: The stage before it.
        upstream: A cursor in that stage, if not a new one.
    """

    def __init__(self, source: DatasetStage, upstream: Cursor | None = None) -> None:
        self.source = source
        self.upstream = cursor_of(source) if upstream is None else upstream

    def save(self) -> State:
        return self.upstream.save()

    def restore(self, state: State) -> None:
        self.upstream.restore(state)

    def close(self) -> None:
        self.upstream.close()


class PassingCursor(Through):
    """The elements of the stage before it. Its state is that of the stage before it, too."""

    def pull(self, limit: int) -> ElementBlock | None:
        return self.upstream.pull(limit)


class Postponed:
    """An error that waits until the elements before it are handed out."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: Exception | None = None

    def raise_it(self) -> None:
        """Raises the error, if one waits."""
        error, self.error = self.error, None
        if error is not None:
            raise error


def at_most(count: int, other: int) -> int:
    """The smaller of two cardinalities, as of elements that are taken together."""
    if 0 in (count, other):
        return 0
    if UNKNOWN in (count, other):
        return UNKNOWN
    if count == INFINITE:
        return other
    return count if other == INFINITE else min(count, other)
