"""Functions of elements, for whole columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from graphwright.control.vectorize import Lane, first_size
from graphwright.data.blocks import Column, ElementBlock, Layout
from graphwright.data.columns.graph_runner import DrawingRunner, GraphRunner
from graphwright.data.columns.ragged_column import RaggedColumn
from graphwright.data.columns.row_rewrite import RowRewrite, may_make_ragged
from graphwright.data.element_type import with_rows
from graphwright.ir.graph import Graph
from graphwright.op.batching import NotVectorized
from graphwright.op.late_imports import late_module
from graphwright.ops.core.gathering import gather
from graphwright.ops.math.comparison import logical_and
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


class ColumnFunction:
    """Functions of one element as one graph of columns.

    Args:
        functions: Graphs of a single element, of which each takes what the one before it gives.
        predicates: Graphs that give one bool for an element. Where there are some, the last result
            says for which elements all are true.
        captured: What the graphs capture, one after another.
        one: What runs the one function that there is for one element, where it draws random
            numbers: columns go on with its streams.
        layout: In which form the columns are.

    Raises:
        NotVectorized: An op has no rule for many elements.
    """

    def __init__(
        self,
        functions: Sequence[Graph],
        predicates: Sequence[Graph],
        captured: Sequence[Any],
        layout: Layout,
        one: DrawingRunner | None = None,
    ) -> None:
        graph, self.is_ragged = of_columns(functions, predicates, layout)
        self.runner = GraphRunner(graph, captured) if one is None else one.behind(graph)

    def __call__(self, block: ElementBlock) -> tuple[Column, ...]:
        """The columns of results for a block of the layout."""
        results = iter(self.runner(block.operands()))
        return tuple(
            [
                RaggedColumn.of_lengths(next(results), next(results)) if ragged else next(results)
                for ragged in self.is_ragged
            ]
        )


def of_columns(
    functions: Sequence[Graph], predicates: Sequence[Graph], layout: Layout
) -> tuple[Graph, list[bool]]:
    """The graph of a `ColumnFunction`, and which results are ragged.

    A ragged column is two operands or results: its values, and the lengths of its arrays. Behind
    tables comes an operand with the places of rows.
    """
    graphs = [*functions, *predicates]
    parameters = graphs[0].parameters
    if not parameters:
        raise NotVectorized("it takes no tensors", "no tensors")
    if any(value.type.dtype is dt.variant for graph in graphs for value in graph.parameters):
        raise NotVectorized("it takes datasets or lists", "datasets")
    ragged: Any = None  # the rules of ragged lanes, if any may come
    if any(layout.ragged) or any(map(may_make_ragged, graphs)):
        ragged = late_module("graphwright.data.columns.ragged_lanes")

    def is_in_lanes(lane: object) -> bool:
        return ragged is not None and isinstance(lane, ragged.RaggedLane)

    whole = Graph("_".join([*[graph.name for graph in graphs], "rows"]), is_body=True)
    with tracing(whole) as tracer:

        def placeholder(type_: TensorType, name: str) -> Any:
            value = whole.placeholder(type_, name)
            whole.parameters.append(value)
            return SymbolicTensor(value, whole)

        lanes: list[Any] = []
        for value, is_ragged in zip(parameters, layout.ragged):
            tensor = placeholder(with_rows(value.type, is_ragged), value.node.name)
            if is_ragged:
                lengths = placeholder(TensorType(dt.int64, (None,)), "lengths")
                lanes.append(ragged.RaggedLane(tensor, ragged.GivenRows(lengths)))
            else:
                lanes.append(Lane(tensor, True))
        if layout.is_chosen:
            places = placeholder(TensorType(dt.int64, (None,)), "places")
            lanes = [Lane(gather(lane.tensor, places), True) for lane in lanes]
        first = lanes[0].rows.lengths if layout.ragged[0] else lanes[0].tensor
        kind: type[RowRewrite] = RowRewrite if ragged is None else ragged.RaggedRewrite
        rewrite = kind(first_size(first), whole)

        def results_of(graph: Graph) -> list[Any]:
            outside = [
                Lane(placeholder(value.type, "captured"), False) for _, value in graph.captures
            ]
            return rewrite.run(graph, [*lanes, *outside])

        for graph in functions:
            lanes = results_of(graph)
        flags = [rewrite.spread(results_of(graph)[0]) for graph in predicates]
        results = []
        for lane in lanes:
            if is_in_lanes(lane):
                results += [lane.tensor, lane.rows.lengths]
            else:
                results.append(rewrite.spread(lane))
        if flags:
            results.append(reduce(logical_and, flags))
        whole.results = [tracer.value_of(tensor) for tensor in results]
    are_ragged = list(map(is_in_lanes, lanes))
    return whole, [*are_ragged, *[False] * bool(flags)]
