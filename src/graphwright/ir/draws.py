"""The kernels of a graph that draw random numbers, and the op that takes of their streams."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphwright.op.op import Effect, Op, Shapes
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType

Kernel: TypeAlias = Callable[..., Any]

_MASK = (1 << 64) - 1


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


class StreamPosition(Op):
    """Where numbers of an op's stream begin, `counters` at a time."""

    outputs = ("key: uint64", "counter: uint64")
    effect = Effect.WRITE
    has_stream = True
    differs = True

    op: Op
    #: The name of the op's node.
    node: str
    counters: int
    #: The dtypes of the op's operands.
    operand_types: tuple[DType, ...] = ()

    @property
    def stated_as(self) -> Op:
        return self.op

    def bind(self, types: Sequence[DType]) -> Kernel:
        return self.beside(self.op.bind(self.operand_types))

    @abstractmethod
    def beside(self, kernel: Kernel) -> Callable[..., tuple[Array, Array]]:
        """The kernel that takes of the stream of the op's own kernel."""


class DrawPosition(StreamPosition):
    """The key and the counter of the next `counters` numbers of an op's stream."""

    type_name = "_DrawPosition"
    inputs = ()

    def shapes(self) -> Shapes:
        return ((1,), (2,))

    def beside(self, kernel: Kernel) -> Callable[[], tuple[Array, Array]]:
        counters = self.counters

        def take() -> tuple[Array, Array]:
            # Asked for at each call: iterations over a dataset share the kernel, not the stream.
            stream = kernel.stream  # type: ignore[attr-defined]  # kernels with streams have it
            key, counter = stream.take(counters)
            words = np.array([counter & _MASK, counter >> 64 & _MASK], np.uint64)
            return np.array([key], np.uint64), words

        return take
