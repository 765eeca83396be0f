"""The kernels of a graph that draw random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Kernel: TypeAlias = Callable[..., Any]


class Draws:
    """Kernels with streams of random numbers, by their places in a graph.

    The functions of a graph share them, so each goes on where another one was.
    """

    def __init__(self) -> None:
        self.kernels: dict[Any, Kernel] = {}

    def kernel(self, place: object, make: Callable[[], Kernel]) -> Kernel:
        """The kernel of a place, which `make` binds to a new stream."""
        kernel = self.kernels.get(place)
        return self.kernels.setdefault(place, make()) if kernel is None else kernel
