"""A function of a state and an element, in a loop over the rows of columns."""

from __future__ import annotations

from typing import Any

from graphwright.control.call import call_of
from graphwright.control.loop import while_loop
from graphwright.control.tensor_array import TensorArray
from graphwright.data.element_type import with_rows
from graphwright.ir.graph import Graph
from graphwright.op.interpreter import apply, convert
from graphwright.ops.core.shapes import shape as shape_of
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types.shape import TensorShape


def of_steps(graph: Graph, width: int) -> Graph:
    """A loop over the rows of columns, with a state of `width` tensors, as a graph.

    `graph` is one iteration: it takes a state and a row, and returns the next state and other
    results. The loop returns the last state, and the other results of all rows.
    """
    whole = Graph(f"{graph.name}_steps", is_body=True)
    state_values, row_values = graph.parameters[:width], graph.parameters[width:]
    with tracing(whole) as tracer:
        types = [value.type for value in state_values]
        types += [with_rows(value.type) for value in row_values]
        types += [value.type for _, value in graph.captures]
        whole.parameters = [whole.placeholder(type_, "operand") for type_ in types]
        operands = [SymbolicTensor(value, whole) for value in whole.parameters]
        columns = operands[width : len(graph.parameters)]
        captured = operands[len(graph.parameters) :]
        count = shape_of(columns[0])[0]
        others = [value.type for value in graph.results[width:]]
        arrays = [TensorArray(t.dtype, count, element_shape=TensorShape(t.dims)) for t in others]

        def turn(
            place: Any, state: list[Any], arrays: list[Any]
        ) -> tuple[Any, list[Any], list[Any]]:
            row = [column[place] for column in columns]
            results = apply(call_of(graph), *state, *row, *captured)
            pairs = zip(arrays, results[width:])
            return place + 1, list(results[:width]), [a.write(place, r) for a, r in pairs]

        start = (convert(0), operands[:width], arrays)
        _, state, arrays = while_loop(lambda place, *_: place < count, turn, start)
        whole.results = [
            tracer.value_of(tensor) for tensor in (*state, *[array.stack() for array in arrays])
        ]
    return whole
