"""The graph of objects that a checkpoint follows: who holds whom, by which name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from graphwright.values.variable import Variable


class Tracked:
    """An object whose attributes checkpoints follow, and whom they may have values for that
    it does not hold yet: these arrive when an attribute is set."""

    _GRAPHWRIGHT_IGNORED: frozenset[str] = frozenset({"_expecting"})

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        expecting: Callable[[str, Any], None] | None = self.__dict__.get("_expecting")
        if expecting is not None and name != "_expecting":
            expecting(name, value)


class Edge(NamedTuple):
    """An object that another holds."""

    name: str
    child: Any


def is_followed(value: Any) -> bool:
    """Whether checkpoints look into a value."""
    return isinstance(value, (Variable, Tracked, list, tuple, Mapping))


def edges(holder: Any) -> Iterator[Edge]:
    """What an object holds that checkpoints follow, in the order of the names."""
    if isinstance(holder, Variable):
        return
    held: Any
    if isinstance(holder, Tracked):
        held = {k: v for k, v in vars(holder).items() if k not in holder._GRAPHWRIGHT_IGNORED}
        held.update(getattr(holder, "_more_edges", dict)())
    elif isinstance(holder, Mapping):
        held = {str(key): value for key, value in holder.items()}
    else:
        held = {str(place): value for place, value in enumerate(holder)}
    names = held if isinstance(holder, (list, tuple)) else sorted(held)
    for name in names:
        if is_followed(held[name]):
            yield Edge(name, held[name])


def variables_of(root: Any) -> dict[str, Variable]:
    """The variables that can be reached, each by the first path found, breadth first."""
    found: dict[str, Variable] = {}
    seen = {id(root)}
    queue: list[tuple[str, Any]] = [("", root)]
    for path, holder in queue:
        if isinstance(holder, Variable):
            found[path] = holder
        for name, child in edges(holder):
            if id(child) not in seen:
                seen.add(id(child))
                queue.append((f"{path}/{name}" if path else name, child))
    return found
