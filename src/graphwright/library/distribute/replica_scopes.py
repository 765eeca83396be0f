"""Where a program is: in the scope of a strategy, inside a replica or across replicas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, TypeVar

from graphwright.base.named_tuples import NamedTuple
from graphwright.trace.trace_place import PLACE


class ReplicaScope(NamedTuple):
    """A place: a strategy, and the context of a replica or None across them.

    In an update of a distributed variable it has the number of the copy.
    """

    strategy: Any
    replica: Any
    update: int | None = None

    @property
    def copy(self) -> int | None:
        """The number of the replica, or of the copy that is updated; None across replicas."""
        if self.update is not None:
            return self.update
        if self.replica is None or self.is_default:
            return None
        number: int = self.replica._local
        return number

    @property
    def is_default(self) -> bool:
        """Whether it is the scope of the default strategy."""
        is_default: bool = self.strategy._is_default
        return is_default


#: Where the program is; None is the default: in the one replica of the default strategy.
SCOPE: ContextVar[ReplicaScope | None] = ContextVar("SCOPE", default=None)


@contextmanager
def inside(scope: ReplicaScope) -> Iterator[None]:
    """Puts the block into a scope."""
    token = SCOPE.set(scope)
    place = PLACE.set((scope.strategy, scope.replica is None, scope.copy))
    try:
        yield
    finally:
        PLACE.reset(place)
        SCOPE.reset(token)


T = TypeVar("T")


class LastingBlock(AbstractContextManager[T]):
    """A block that lasts until it is left, though nobody holds what would leave it.

    Python closes a generator that nobody holds, which would leave the block.
    """

    #: Those that are entered.
    _open: ClassVar[list[AbstractContextManager[Any]]] = []

    def __init__(self, block: AbstractContextManager[T]) -> None:
        self._block = block

    def __enter__(self) -> T:
        result = self._block.__enter__()
        self._open.append(self._block)
        return result

    def __exit__(self, *exception: Any) -> bool | None:
        self._open.remove(self._block)
        return self._block.__exit__(*exception)
