"""Buckets: tensors that ranks sum together, each bucket as soon as a graph has computed it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from graphwright.control.python_call import DescribedFunction, FreshFunction, fresh_results
from graphwright.ir.graph import Graph, Node, source
from graphwright.library.distribute.pending_sums import BUCKET, SumOptions, SumQueue, SumWay
from graphwright.op.op import Effect
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer
from graphwright.types import dtypes as dt
from graphwright.types.arguments import TensorValue
from graphwright.types.tensor_type import TensorType


class BucketEntry(Protocol):
    """What has a dtype and so many bytes."""

    @property
    def dtype(self) -> Any:
        """The dtype."""

    @property
    def nbytes(self) -> int:
        """The number of bytes."""


def buckets(arrays: Sequence[BucketEntry], limit: int) -> list[list[int]]:
    """The places of arrays that are summed together: neighbours of one dtype, up to a size."""
    result: list[list[int]] = []
    size = 0
    for place, array in enumerate(arrays):
        fits = bool(result) and size + array.nbytes <= limit
        if fits and arrays[result[-1][0]].dtype == array.dtype:
            result[-1].append(place)
            size += array.nbytes
        else:
            result.append([place])
            size = array.nbytes
    return result


class BucketPart:
    """A tensor of a graph, as far as its place in a bucket goes; unknown sizes count as none."""

    def __init__(self, type_: TensorType) -> None:
        self.dtype = type_.dtype
        self.nbytes = (type_.size or 0) * type_.dtype.size


class BucketSum(DescribedFunction):
    """What begins the sum of one bucket, whenever a graph runs.

    Args:
        sums: The sums of this rank.
        number: Which bucket of the graph it is, from 1 on.
        count: How many there are.
        way: Who gets it, and how it travels.
    """

    def __init__(self, sums: SumQueue, number: int, count: int, way: SumWay) -> None:
        words = "sum" if count == 1 else f"sum {number} of {count}"
        super().__init__(lambda *arrays: [np.asarray(sums.begin(arrays, words, way))])
        self.number = number
        self.count = count
        self.way = way

    def shown(self, node: Node, graph: Graph) -> str:
        """The bucket, and what the graph computes while the sum is under way."""
        parts = [BucketPart(value.type) for value in node.inputs]
        names = [part.dtype.name for part in parts[:1]]
        kind = names[0]
        if self.way is SumWay.HALVED and kind == "float32":
            kind = "bfloat16 for float32"
        places = {each: place for place, each in enumerate(graph.nodes)}
        (ticket,) = node.outputs
        end = next((n for n in graph.nodes if ticket in n.inputs), graph.nodes[-1])
        meanwhile = sum(
            not (isinstance(n.op, type(node.op)) or n.op.effect is Effect.WRITE)
            for n in graph.nodes[places[node] : places[end]]
        )
        noun = "tensor" if len(parts) == 1 else "tensors"
        return (
            f"bucket {self.number} of {self.count}: {len(parts)} {noun}, "
            f"{sum(part.nbytes for part in parts) / 1e6:.3g} MB of {kind}"
            f"{', a share for each rank' if self.way is SumWay.SHARED else ''}; {meanwhile} of "
            f"{len(graph.nodes)} nodes compute while it is summed"
        )


def summed_in_graph(
    tracer: Tracer, sums: SumQueue, options: SumOptions, tensors: Sequence[TensorValue]
) -> list[Any]:
    """The sums over ranks of tensors of the graph that is traced.

    A bucket holds tensors that are computed one after the other. Its sum begins behind the last of
    them, and all sums end here.
    """
    graph = tracer.graph
    values = [source(tracer.value_of(tensor)) for tensor in tensors]
    places = {node: place for place, node in enumerate(graph.nodes)}
    order = sorted(range(len(values)), key=lambda i: places[values[i].node])
    groups = buckets([BucketPart(values[i].type) for i in order], options.bucket or BUCKET)
    begun = []
    for number, group in enumerate(groups, start=1):
        members = [order[place] for place in group]
        begin = BucketSum(sums, number, len(groups), options.way)
        inputs: list[Any] = [SymbolicTensor(values[i], graph) for i in members]
        (ticket,) = fresh_results(begin, inputs, [dt.int64], name="BeginSum")
        ticket.set_shape([])
        bring_forward(graph)
        begun.append((members, ticket))
    results: list[Any] = [None] * len(values)
    end = FreshFunction(lambda ticket: sums.end(int(ticket)))
    for members, ticket in begun:
        dtypes = [values[i].type.dtype for i in members]
        for i, total in zip(members, fresh_results(end, [ticket], dtypes, name="EndSum")):
            results[i] = total
    return results


def bring_forward(graph: Graph) -> None:
    """Moves the last node of a graph behind its inputs and the effects before it."""
    node = graph.nodes.pop()
    inputs = {value.node for value in node.inputs}
    place = len(graph.nodes)
    while place:
        before = graph.nodes[place - 1]
        if before in inputs or before.op.effect is Effect.WRITE:
            break
        place -= 1
    graph.nodes.insert(place, node)
