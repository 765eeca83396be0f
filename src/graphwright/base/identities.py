"""Tables of values by the identity of objects, which they do not keep alive."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from graphwright.base.forks import held_over_forks

Owner = TypeVar("Owner")
Value = TypeVar("Value")

#: Held while an entry is added, not while one is dropped: garbage collectors run anywhere.
_ADDING = held_over_forks(threading.RLock())


class IdentityTable(Generic[Owner, Value]):
    """Values of objects, which need be neither hashable nor unequal.

    A new object may get the identity of one that is gone. The table may learn of that late or,
    after an exception, never. So an entry refers to its object, and counts for no other.

    >>> class Model:
    ...     pass
    >>> table, model = IdentityTable(), Model()
    >>> table.add(model, "first"), table.add(model, "second"), table.find(Model())
    ('first', 'first', None)
    >>> del model
    >>> len(table)
    0
    """

    __slots__ = ("__weakref__", "entries")

    def __init__(self) -> None:
        #: A reference to the object, and its value, by identity: where `find` is too slow.
        self.entries: dict[int, tuple[Callable[[], Owner | None], Value]] = {}

    def find(self, owner: Owner) -> Value | None:
        """The value of an object; None if it has none."""
        entry = self.entries.get(id(owner))
        return entry[1] if entry is not None and entry[0]() is owner else None

    def add(self, owner: Owner, value: Value) -> Value:
        """Gives an object the value unless it has one, and returns the one that it has then.

        TypeError for an object that cannot be referred to weakly.
        """
        key, me = id(owner), weakref.ref(self)

        def forget(reference: weakref.ref[Owner]) -> None:
            table = me()
            entry = None if table is None else table.entries.get(key)
            if table is not None and entry is not None and entry[0] is reference:
                del table.entries[key]

        entry = weakref.ref(owner, forget), value
        with _ADDING:
            known = self.entries.setdefault(key, entry)
            if known[0]() is not owner:
                known = self.entries[key] = entry
        return known[1]

    def values(self) -> list[Value]:
        """The values of all objects that are alive, oldest first."""
        return [value for owner, value in list(self.entries.values()) if owner() is not None]

    def __contains__(self, owner: Owner) -> bool:
        entry = self.entries.get(id(owner))
        return entry is not None and entry[0]() is owner

    def __len__(self) -> int:
        return len(self.entries)
