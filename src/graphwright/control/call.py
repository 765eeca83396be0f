"""A call of a graph as one op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.ir.execution import function_of, is_pure
from graphwright.ir.graph import Graph
from graphwright.op.op import Effect, Op
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType


@dataclass(frozen=True)
class PartitionedCall(Op):
    """The results of a graph without effects; its operands are the graph's arguments."""

    type_name = "PartitionedCall"
    inputs = ("args: Tin...",)
    outputs = ("output: Tout...",)
    returns_tuple = True

    f: Graph

    def infer(self, operands: Sequence[Any]) -> tuple[TensorType, ...]:
        return tuple([v.type for v in self.f.results])

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([v.type.dtype for v in self.f.results])

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        return function_of(self.f)

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        return function_of(self.f)(*arrays)


@dataclass(frozen=True)
class StatefulPartitionedCall(PartitionedCall):
    """The results of a graph that reads or changes state."""

    type_name = "StatefulPartitionedCall"
    effect = Effect.WRITE


@dataclass(frozen=True)
class HostCall(StatefulPartitionedCall):
    """A stateful call in which user code runs."""

    pure = False


def call_of(graph: Graph) -> PartitionedCall:
    """The op that calls `graph`."""
    if not is_pure(graph):
        return HostCall.of(graph)
    return (StatefulPartitionedCall if graph.is_stateful else PartitionedCall)(graph)
