"""Functions of a graph that compute their result once for each graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from graphwright.ir.graph import Graph

T = TypeVar("T")


def once_per_graph(find: Callable[[Graph], T]) -> Callable[[Graph], T]:
    """The function, which remembers its result for each graph as long as the graph lives.

    It is for graphs that do not change any more. A result must not lead back to the graph, since
    then neither would ever go.
    """
    results: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()
    missing = object()

    @wraps(find)
    def cached(graph: Graph) -> T:
        result: T = results.get(graph, missing)
        if result is missing:
            result = results[graph] = find(graph)
        return result

    return cached
