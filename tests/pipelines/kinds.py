"""What elements are: dtypes and static shapes in tuples and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias


class Kind(NamedTuple):
    """The dtype of an array and its shape, with None for sizes that differ."""

    dtype: str
    shape: tuple[int | None, ...] = ()


Element: TypeAlias = "Kind | tuple[Element, ...] | dict[str, Element]"


def paths(name: str, element: Element) -> list[tuple[str, Kind]]:
    """The arrays of an element, as expressions."""
    if isinstance(element, Kind):
        return [(name, element)]
    if isinstance(element, dict):
        parts = [(f"{name}['{k}']", v) for k, v in element.items()]
    else:
        parts = [(f"{name}[{i}]", v) for i, v in enumerate(element)]
    return [pair for part in parts for pair in paths(*part)]


def leaves_of(element: Element) -> list[Kind]:
    """The arrays of an element."""
    return [kind for _, kind in paths("", element)]


def like(element: Element, change: Callable[[Kind], Kind]) -> Element:
    """An element with other arrays."""
    if isinstance(element, Kind):
        return change(element)
    if isinstance(element, dict):
        return {k: like(v, change) for k, v in element.items()}
    return tuple(like(v, change) for v in element)


def deeper(element: Element, rows: int | None) -> Element:
    """A batch of elements."""
    return like(element, lambda k: k._replace(shape=(rows, *k.shape)))


def is_plain(element: Element) -> bool:
    """Whether the parts of a tuple are arrays."""
    return isinstance(element, tuple) and all(isinstance(part, Kind) for part in element)
