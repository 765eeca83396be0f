"""Tables of earlier results, which do not grow without end."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def remember(table: dict[Key, Value], key: Key, value: Value, most: int) -> Value:
    """Adds a value to a table and returns it; a table of `most` entries is emptied first.

    >>> table = {"a": 1, "b": 2}
    >>> remember(table, "c", 3, most=2), table
    (3, {'c': 3})
    """
    if len(table) >= most:
        table.clear()
    table[key] = value
    return value
