"""The places where a region of the graph may change Python lists: variables, attributes, items.

For where a tensor decides what the items of lists, dicts and arrays are, there are snapshots
(`contents`). A snapshot has the containers inside too, since an assignment may go through them, as
in `d["k"][0] = v`. Each container stays the object that it is.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping
from types import BuiltinMethodType, CellType
from typing import Any, TypeAlias

import numpy as np

from graphwright.autograph.live_source import cells_of
from graphwright.autograph.touched_variables import MUTATORS


class DictItem:
    """An item of a dict, as a cell."""

    def __init__(self, owner: dict[object, object], key: object) -> None:
        self.owner = owner
        self.key = key

    @property
    def cell_contents(self) -> Any:
        return self.owner[self.key]

    @cell_contents.setter
    def cell_contents(self, value: object) -> None:
        self.owner[self.key] = value

    @cell_contents.deleter
    def cell_contents(self) -> None:
        del self.owner[self.key]


#: A place that holds a value.
Cell: TypeAlias = CellType | DictItem
#: The name of an attribute or item, a function that returns its dict, and its key there.
Keyed: TypeAlias = tuple[str, Callable[[], object], object]


class ListPlaces:
    """Variables, attributes and items whose lists a region may change.

    The variables are those in the cells of a function.
    """

    def __init__(self, variables: Callable[[], object] | None, *others: Keyed) -> None:
        self.variables = variables
        self.others = others

    def cells(self) -> dict[str, Cell]:
        """The places that exist, by name."""
        cells: dict[str, Cell] = dict(cells_of(self.variables))
        for name, owner_of, key in self.others:
            try:
                owner = owner_of()
            except (AttributeError, IndexError, KeyError, NameError, TypeError):
                continue  # the object does not exist before the region makes it
            if type(owner) is dict and key in owner:
                cells[name] = DictItem(owner, key)
        return cells


#: Says where lists are: a function, by its cells, or places.
Holder: TypeAlias = Callable[..., object] | ListPlaces | None


def python_lists(holder: Holder) -> list[tuple[str, Cell, list[Any]]]:
    """The places that hold Python lists, with their names and the lists."""
    cells: Mapping[str, Cell]
    cells = holder.cells() if isinstance(holder, ListPlaces) else cells_of(holder)
    values = [(name, cell, value_of(cell)) for name, cell in cells.items()]
    return [(name, cell, value) for name, cell, value in values if type(value) is list]


#: The value of an empty cell.
EMPTY = object()


def is_vacant(cell: CellType) -> bool:
    """Whether a variable's cell is empty."""
    return value_of(cell) is EMPTY


def value_of(cell: Cell) -> Any:
    """The value in a cell, or `EMPTY`."""
    try:
        return cell.cell_contents
    except (KeyError, ValueError):
        return EMPTY


# Changes by methods

#: The lists that enclosing loops of the graph pass to functions, by identity.
passed_lists: contextvars.ContextVar[dict[int, list[Any]]] = contextvars.ContextVar("passed_lists")

#: The regions that note any change. Calls of methods are checked only while there is one.
WATCHING: set[int] = set()


class OuterListChange(BaseException):
    """A region changes a list that an enclosing region has as a Python list."""

    def __init__(self, python_list: list[object]) -> None:
        super().__init__()
        self.python_list = python_list


def changes(method: BuiltinMethodType) -> BuiltinMethodType:
    """The method itself. Raises `OuterListChange` if its call would change a passed list."""
    items = method.__self__
    if type(items) is list and id(items) in passed_lists.get({}) and method.__name__ in MUTATORS:
        raise OuterListChange(items)
    return method


# Snapshots


def contents(container: object) -> Any:
    """A copy of a container, made of plain lists, dicts and tuples; any other value itself."""
    if isinstance(container, list):
        return [contents(item) for item in container]
    if isinstance(container, dict):
        return {key: contents(item) for key, item in container.items()}
    if type(container) is tuple:
        return tuple(map(contents, container))
    if isinstance(container, np.ndarray):
        return container.copy()
    return container


def refill(container: object, snapshot: Any) -> None:
    """Set the items of a container to those of a snapshot by `contents`."""
    if isinstance(container, list):
        now = container + [None] * (len(snapshot) - len(container))
        container[:] = map(_restored, now, snapshot)
    elif isinstance(container, dict):
        before = {key: _restored(container.get(key), item) for key, item in snapshot.items()}
        container.clear()
        container.update(before)
    elif isinstance(container, np.ndarray):
        container[...] = snapshot


def _restored(now: object, snapshot: object) -> Any:
    """The values of a snapshot, in the containers that are there `now`."""
    if type(now) is tuple and type(snapshot) is tuple and len(now) == len(snapshot):
        return tuple(map(_restored, now, snapshot))
    for kind in (list, dict, np.ndarray):
        if isinstance(now, kind) and isinstance(snapshot, kind):
            refill(now, snapshot)
            return now
    return snapshot
