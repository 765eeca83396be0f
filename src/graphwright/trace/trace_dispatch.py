"""The table of a function's traces: exact types first, then the most specific supertype."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from graphwright.trace.signature import FunctionType

T = TypeVar("T")


class DispatchTable(Generic[T]):
    """Traces by function type, in the order in which they were made.

    A call is served by the trace of exactly its type. Else the most specific one whose type is a
    supertype of the call's serves it, and `served` is called.
    """

    def __init__(self, served: Callable[[FunctionType], None] = lambda wanted: None) -> None:
        self._traces: dict[FunctionType, list[T]] = {}
        self._general: dict[FunctionType, list[T]] = {}  # those that may serve exact types
        self._served = served

    def add(self, type_: FunctionType, trace: T) -> None:
        """Adds a trace; of two of the same type the later is preferred."""
        candidates = [trace, *self._traces.get(type_, [])]
        self._traces = {**self._traces, type_: candidates}
        if not type_.is_exact:
            self._general = {**self._general, type_: candidates}

    def find(self, wanted: FunctionType, usable: Callable[[T], bool]) -> T | None:
        """The best usable trace for a call of type `wanted`, or None."""
        for trace in self._traces.get(wanted, ()):
            if usable(trace):
                return trace
        best: tuple[FunctionType, T] | None = None
        for type_, candidates in (self._general if wanted.is_exact else self._traces).items():
            if not type_.is_supertype_of(wanted):
                continue
            if best is not None and not best[0].is_supertype_of(type_):
                continue
            candidate = next((c for c in candidates if usable(c)), None)
            if candidate is not None:
                best = (type_, candidate)
        if best is None:
            return None
        self._served(wanted)
        return best[1]

    def generalize(self, wanted: FunctionType) -> FunctionType:
        """The most specific type that serves `wanted` and the types that were traced before."""
        relaxed = wanted
        for type_ in self._traces:
            common = relaxed.most_specific_common_subtype([type_])
            if common is not None:
                relaxed = common
        return relaxed

    def __iter__(self) -> Iterator[T]:
        return (trace for candidates in self._traces.values() for trace in candidates)

    def __len__(self) -> int:
        return sum(map(len, self._traces.values()))
