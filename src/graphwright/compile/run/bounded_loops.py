"""Loops that come back after a number of iterations, so that other code can go on with them.

A call of machine code ends in the code that it began with. A draft (`machine/drafts.py`) is slower
than the code that follows it, and a loop may go on for hours. So a loop that is under way runs its
draft for some iterations, and comes back with its variables. The next call has twice as many
iterations, in whatever code is the best by then. So a loop that runs long is in a draft at most as
long again as it took to make the better code, and few calls are made for it.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from graphwright.base.waits import Waits
from graphwright.compile.graph.prune import like
from graphwright.compile.run.loop_counts import LoopCount, LoopPatience, fitting
from graphwright.control.loop import StatelessWhile
from graphwright.ir.execution import Function, has_stream
from graphwright.ir.graph import Graph, Node, Value
from graphwright.machine.exclusion import LLVM
from graphwright.ops.core.creation import Const, Literal
from graphwright.ops.math.arithmetic import Sub
from graphwright.ops.math.comparison import Greater, LogicalAnd
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: The most iterations of a call.
_MOST = 1 << 62

_NUMBER, _TRUTH = TensorType(dt.int64, ()), TensorType(dt.bool_, ())


class BoundedLoop:
    """A function of a list of a loop's variables and captures, which it empties, to its results.

    `function` does the same for some iterations, and says how many it has left. If there are none,
    the condition may hold.
    """

    def __init__(
        self,
        function: Function,
        variables: int,
        first: int,
        name: str = "",
        count: LoopCount | None = None,
    ) -> None:
        self.function = function
        self.variables = variables
        self.first = first  # iterations of the first call
        self.name = name  # of the graph that has the loop
        self.count = count

    def __call__(self, arguments: list[Any]) -> tuple[Any, ...]:
        state, captured = arguments[: self.variables], arguments[self.variables :]
        arguments.clear()
        view = None if Waits.loop is None else Waits.loop(self.name)
        turns, done, began = self.first, 0, time.perf_counter()
        try:
            while True:
                operands = [*state, np.array(turns, np.int64), *captured]
                state.clear()
                *state, left = self.function(operands)
                if left:
                    return tuple(state)
                done += turns
                if view is None:
                    turns = min(2 * turns, _MOST)
                else:  # no call takes long, and each is shown
                    turns = fitting(done, time.perf_counter() - began, LoopPatience.shows)
                    view.show(done, self.left([*state, *captured]))
        finally:
            if view is not None:
                view.end()

    def left(self, operands: list[Any]) -> int | None:
        """The iterations that are left, if that is known."""
        count = self.count
        return count and count.left(operands[count.variable], operands[count.limit])


def bounded(node: Node, around: Graph) -> Graph | None:
    """The graph of a loop alone with one more variable, the iterations that it has left.

    None if another visit of its condition would be seen, or if not all of it has a native form.
    `around` is the graph that has the loop.
    """
    with LLVM:  # a fork waits for the import
        from graphwright.compile.graph.variable_cells import VariableCells
        from graphwright.compile.select.coverage import is_native
        from graphwright.compile.select.segments import native_form
    op = node.op
    assert isinstance(op, StatelessWhile)
    condition = op.cond
    is_seen = condition.is_stateful or has_stream(condition)
    if is_seen or condition.results[0].type.dims != ():
        return None
    if not is_native(node) and native_form(node, VariableCells(around)) is None:
        return None
    return loop_alone(node, around, is_bounded=True)


def loop_alone(node: Node, around: Graph, is_bounded: bool = False) -> Graph:
    """The graph of a loop alone, from its present variables and captures to its results.

    `around` is the graph that has it. Captured constants are constants here, too. A bounded one has
    one more variable behind the others: the iterations that it has left.
    """
    op = node.op
    assert isinstance(op, StatelessWhile)
    graph = Graph(node.name)
    count = len(op.body.parameters)
    inputs = [
        graph.placeholder(variable.type, f"args_{i}")
        for i, variable in enumerate(op.body.parameters)
    ]
    types = [value.type for value in node.outputs]
    if is_bounded:
        inputs.append(graph.placeholder(_NUMBER, "left"))
        types.append(_NUMBER)
        op = type(op)(going(op.cond), counted(op.body))
    graph.parameters = [*inputs]
    for value in node.inputs[count:]:
        captured = graph.placeholder(value.type, "captured")
        graph.captures.append((SymbolicTensor(value, around), captured))
        if isinstance(value.node.op, Const):
            (captured,) = graph.add(value.node.op, (), (value.type,)).outputs
        inputs.append(captured)
    loop = Node(op, tuple(inputs), tuple(types), node.name, node.location)
    graph.nodes.append(loop)
    graph.results = list(loop.outputs)
    return graph


def going(condition: Graph) -> Graph:
    """The condition of a loop, which holds only while iterations are left."""
    graph, left = with_left(condition)
    (some,) = graph.add(Greater.of(), (left, constant(graph, 0)), (_TRUTH,)).outputs
    both = graph.add(LogicalAnd.of(), (some, graph.results[0]), (_TRUTH,))
    graph.results = [*both.outputs]
    return graph


def counted(body: Graph) -> Graph:
    """The body of a loop, which counts the iterations that are left."""
    graph, left = with_left(body)
    fewer = graph.add(Sub.of(), (left, constant(graph, 1)), (_NUMBER,))
    graph.results = [*graph.results, *fewer.outputs]
    return graph


def with_left(graph: Graph) -> tuple[Graph, Value]:
    """The same graph with one more parameter, behind the others."""
    result = like(graph, [*graph.nodes], {})
    left = result.placeholder(_NUMBER, "left")
    result.parameters = [*result.parameters, left]
    return result, left


def constant(graph: Graph, number: int) -> Value:
    """A number in a graph."""
    literal = Literal(np.array(number, np.int64), _NUMBER)
    (value,) = graph.add(Const(literal), (), (_NUMBER,)).outputs
    return value
