"""What is found out of a graph once, however many ask for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from graphwright.ir.graph import Graph

T = TypeVar("T")


def once_per_graph(find: Callable[[Graph], T]) -> Callable[[Graph], T]:
    """The function, which remembers what it has found for each graph, as long as that lives.

    It is for graphs that do not change any more. What is found must not lead back to the graph,
    since then neither would ever go.
    """
    found: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()

    @wraps(find)
    def known(graph: Graph) -> T:
        if graph not in found:
            found[graph] = find(graph)
        result: T = found[graph]
        return result

    return known
