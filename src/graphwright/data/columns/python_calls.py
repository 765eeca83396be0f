"""Graphs that are one call of a Python function: it is called for each of many elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np

from graphwright.compile.graph.kernel_refusals import explain, note
from graphwright.compile.graph.simplify import simplify
from graphwright.control.python_call import EagerPyFunc, FreshFunction, HostOp, PyFunc, status_of
from graphwright.data.blocks import Column, ElementBlock, Row, column, values_of
from graphwright.ir.graph import Graph, Node
from graphwright.op.interpreter import activate
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.values.eager import REFUSALS
from graphwright.values.tensor import wrap

#: The values of an operand: a column, or one array for all elements.
Operand: TypeAlias = "Column | repeat[Any]"
#: The results for some elements, and the error of the next one.
Results = tuple[ElementBlock | None, Exception | None]


class PythonCalls:
    """A graph that is one call of a Python function.

    Nothing but the call is done for each element, so none waits for the steps of a graph.

    Args:
        graph: A graph.
        node: The node of the call.
        captured: The arrays that it captures; its constants come behind them.
    """

    def __init__(self, graph: Graph, node: Node, captured: Sequence[Any]) -> None:
        self.node = node
        values, self.captured = list(graph.arguments), list(captured)
        for other in graph.nodes:
            if isinstance(other.op, Const):
                values.append(other.outputs[0])
                self.captured.append(other.op.value.array)
        places = {value: place for place, value in enumerate(values)}
        self.operands = [places[value] for value in self.node.inputs]
        #: For each result the place of an argument, or that of a result of the call behind them.
        places |= {value: len(places) + i for i, value in enumerate(self.node.outputs)}
        self.results = [places[value] for value in graph.results]

    @classmethod
    def of(cls, graph: Graph, captured: Sequence[Any]) -> PythonCalls | None:
        """The calls of a graph, if it is one call."""
        if not any(type(node.op) in _CALLERS for node in graph.nodes):
            return None
        graph = simplify(graph)
        nodes = [node for node in graph.nodes if not isinstance(node.op, (Placeholder, Const))]
        if len(nodes) != 1:
            return None
        op: Any = nodes[0].op
        if type(op) not in _CALLERS or isinstance(op.function, FreshFunction):
            return None
        return cls(graph, nodes[0], captured)

    def __call__(self, block: ElementBlock) -> Results:
        """The results for the elements before the first with an error, and that error."""
        op: Any = self.node.op
        arguments: list[Operand] = [*block.columns, *map(repeat, self.captured)]
        made: Row = []
        error: Exception | None = None
        try:
            with np.errstate(all="ignore"), activate(None):
                _CALLERS[type(op)](self, op, [arguments[i] for i in self.operands], block, made)
        except REFUSALS as refusal:
            row = [*block.row(len(made)), *self.captured]
            note(refusal, self.node, [row[place] for place in self.operands])
            error = explain(refusal)
            error.__cause__ = refusal
        except Exception as other:  # noqa: BLE001 - it is raised where its element would come
            error = other
        if not made:
            return None, error
        columns = [*block.part(0, len(made)).columns, *map(repeat, self.captured)]
        columns += outputs(made, op)
        chosen = [self.whole(columns[place], len(made)) for place in self.results]
        return ElementBlock(len(made), tuple(chosen)), error

    def whole(self, values: Operand, count: int) -> Column:
        """A column; a captured array stands in each of its rows."""
        return column([next(values)] * count) if isinstance(values, repeat) else values

    def on_arrays(
        self, op: PyFunc, operands: Sequence[Operand], block: ElementBlock, made: Row
    ) -> None:
        """Calls a function of NumPy's arrays and scalars."""
        function = op.function
        # What is of the scalar type promised needs no look. Others are copied before the next call.
        is_single = len(op.Tout) == 1
        promised = op.Tout[0].as_numpy_dtype if is_single else None
        for values in rows(map(plain_values, operands), block.count):
            try:
                returned = function(*values)
            except Exception as failure:
                raise status_of(failure) from failure
            if type(returned) is not promised:
                results = op.arrays_of(returned)
                returned = results[0] if is_single else results
            made.append(returned)

    def on_tensors(
        self, op: EagerPyFunc, operands: Sequence[Operand], block: ElementBlock, made: Row
    ) -> None:
        """Calls a function of eager tensors."""
        for arrays in rows(map(each, operands), block.count):
            results = [tensor._array for tensor in op.run(list(map(wrap, arrays)))]
            made.append(results[0] if len(results) == 1 else results)


#: How the function of an op is called.
_CALLERS: dict[type[HostOp], Callable[..., None]] = {
    PyFunc: PythonCalls.on_arrays,
    EagerPyFunc: PythonCalls.on_tensors,
}


def rows(columns: Iterable[Iterable[Any]], count: int) -> Iterable[tuple[Any, ...]]:
    """The operands of each call."""
    operands = list(columns)
    if all(isinstance(values, repeat) for values in operands):
        operands.append(range(count))
        return (row[:-1] for row in zip(*operands))
    return zip(*operands)


def each(values: Operand) -> Iterable[Any]:
    """The arrays of a column."""
    return values if isinstance(values, repeat) else values_of(values)


def plain_values(values: Operand) -> Iterable[Any]:
    """The values of a column as a program's function gets them: scalars, and arrays."""
    if isinstance(values, repeat):
        return repeat(np.asarray(next(values))[()])
    if isinstance(values, np.ndarray):
        return values  # whose elements are scalars and views
    return [np.asarray(value)[()] for value in values]


def outputs(made: Row, op: HostOp) -> list[Column]:
    """The results of calls, in columns."""
    dtypes = [dtype.as_numpy_dtype for dtype in op.Tout]
    if len(dtypes) != 1:
        return [column(list(values)) for values in zip(*made)] if dtypes else []
    if set(map(type, made)) == {dtypes[0]}:
        return [np.array(made, dtypes[0])]
    arrays: Row = [value if isinstance(value, np.ndarray) else np.asarray(value) for value in made]
    return [column(arrays)]
