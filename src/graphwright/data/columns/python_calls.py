"""Graphs that are one call of a Python function: it is called for each of many elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np

from graphwright.compile.graph.kernel_refusals import explain, note
from graphwright.compile.graph.simplify import simplify
from graphwright.control.python_call import EagerPyFunc, FreshFunction, HostOp, PyFunc, status_of
from graphwright.data.blocks import Column, ElementBlock, Row, column
from graphwright.data.element_forms import tensors_in
from graphwright.ir.graph import Graph, Node
from graphwright.op.interpreter import activate
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.values.eager import REFUSALS
from graphwright.values.tensor import EagerTensor, wrap

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
        are_scalars = False
        try:
            with np.errstate(all="ignore"), activate(None):
                operands = [arguments[i] for i in self.operands]
                are_scalars = _CALLERS[type(op)](self, op, operands, block, made)
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
        columns += outputs(made, op, are_scalars)
        chosen = [self.whole(columns[place], len(made)) for place in self.results]
        return ElementBlock(len(made), tuple(chosen)), error

    def whole(self, values: Operand, count: int) -> Column:
        """A column; a captured array stands in each of its rows."""
        return column([next(values)] * count) if isinstance(values, repeat) else values

    def on_arrays(
        self, op: PyFunc, operands: Sequence[Operand], block: ElementBlock, made: Row
    ) -> bool:
        """Calls a function of NumPy's arrays and scalars; says whether it gave scalars alone."""
        # What is of the scalar type promised needs no look. Others are copied before the next call.
        is_single = len(op.Tout) == 1
        promised = op.Tout[0].as_numpy_dtype if is_single else None
        call, rows = calls(op.function, list(map(plain_values, operands)), block.count)
        are_scalars = True
        while True:
            try:
                for values in rows:
                    returned = call(values)
                    if type(returned) is not promised:
                        break
                    made.append(returned)
                else:
                    return are_scalars
            except Exception as failure:
                raise status_of(failure) from failure
            are_scalars = False
            arrays = op.arrays_of(returned)
            made.append(arrays[0] if is_single else arrays)

    def on_tensors(
        self, op: EagerPyFunc, operands: Sequence[Operand], block: ElementBlock, made: Row
    ) -> bool:
        """Calls a function of eager tensors, which gives no scalars."""
        promised = op.Tout[0].numpy_dtype if len(op.Tout) == 1 else None
        call, rows = calls(op.function, list(map(tensors, operands)), block.count)
        while True:
            try:
                for values in rows:
                    returned = call(values)
                    array = returned._array if type(returned) is EagerTensor else None
                    if type(array) is not np.ndarray or array.dtype != promised:
                        break
                    made.append(array)
                else:
                    return False
            except Exception as failure:
                raise status_of(failure) from failure
            arrays = [tensor._array for tensor in op.tensors_of(returned)]
            made.append(arrays[0] if len(arrays) == 1 else arrays)


#: How the function of an op is called.
_CALLERS: dict[type[HostOp], Callable[..., bool]] = {
    PyFunc: PythonCalls.on_arrays,
    EagerPyFunc: PythonCalls.on_tensors,
}


def calls(
    function: Callable[..., Any], operands: Sequence[Iterable[Any]], count: int
) -> tuple[Callable[[Any], Any], Iterator[Any]]:
    """What calls a function for one of `count` elements, and what it takes for each of them."""
    if len(operands) == 1 and not isinstance(operands[0], repeat):
        return function, iter(operands[0])
    return lambda values: function(*values[1:]), zip(range(count), *operands)


def tensors(values: Operand) -> Iterable[Any]:
    """The values of a column as eager tensors."""
    return map(wrap, values) if isinstance(values, repeat) else tensors_in(values)


def plain_values(values: Operand) -> Iterable[Any]:
    """The values of a column as a program's function gets them: scalars, and arrays."""
    if isinstance(values, repeat):
        return repeat(np.asarray(next(values))[()])
    if isinstance(values, np.ndarray):
        return values  # whose elements are scalars and views
    return [np.asarray(value)[()] for value in values]


def outputs(made: Row, op: HostOp, are_scalars: bool) -> list[Column]:
    """The results of calls, in columns; `are_scalars` where that is known of all."""
    dtypes = [dtype.as_numpy_dtype for dtype in op.Tout]
    if len(dtypes) != 1:
        return [column(list(values)) for values in zip(*made)] if dtypes else []
    if are_scalars or set(map(type, made)) == {dtypes[0]}:
        return [np.array(made, dtypes[0])]
    arrays: Row = [value if isinstance(value, np.ndarray) else np.asarray(value) for value in made]
    return [column(arrays)]
