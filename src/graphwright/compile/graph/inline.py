"""Calls, and choices among several graphs, become what machine code knows.

A call becomes the nodes of the function that it calls: these are then part of the segment around
it. A choice among several graphs becomes nested branches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphwright.compile.graph.simplify import simplify
from graphwright.control.branch import StatelessCase, StatelessIf
from graphwright.control.call import PartitionedCall, StatefulPartitionedCall
from graphwright.control.loop import StatelessWhile
from graphwright.ir.execution import has_stream, whole_size
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of, transform
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Op
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.math.comparison import EQUAL
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType

#: A call of more nodes than this, with those of the calls in it, stays a call.
_LARGEST = 4000

#: A choice among more graphs than this stays one node.
_MOST_BRANCHES = 16


def inlined(graph: Graph) -> Graph:
    """The graph, and those in it, without calls and choices among several graphs."""
    if not has_inlined(graph):
        return graph
    into = Graph(graph.name, graph.is_body)

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if is_inlined(node):
            if isinstance(node.op, StatelessCase):
                return chosen(into, node.op.branches, 0, inputs, node)
            return called(into, node.op.f, inputs)  # type: ignore[attr-defined]
        other = with_inner(node.op)
        if other is node.op:
            return None
        types = tuple([v.type for v in node.outputs])
        return into.add(other, inputs, types, node.name, node.location).outputs

    transform(graph, rewrite, into)
    into.names = graph.names
    return simplify(into)


@once_per_graph
def has_inlined(graph: Graph) -> bool:
    """Whether a graph, or one in its loops and branches, has a call or a choice to inline."""
    return any(map(is_inlined, graph.nodes)) or any(
        has_inlined(inner)
        for node in graph.nodes
        if isinstance(node.op, (StatelessWhile, StatelessIf))
        for inner in subgraphs_of(node.op)
    )


def is_inlined(node: Node) -> bool:
    """Whether a node is a call or a choice that is inlined."""
    op = node.op
    if type(op) is StatelessCase:
        return node.inputs[0].type.rank == 0 and 2 <= len(op.branches) <= _MOST_BRANCHES
    if type(op) not in (PartitionedCall, StatefulPartitionedCall):
        return False
    graph: Graph = op.f  # type: ignore[attr-defined]
    return whole_size(graph) <= _LARGEST and not has_stream(graph)


def with_inner(op: Op) -> Op:
    """A loop or a branch with its graphs inlined; other ops as they are."""
    if isinstance(op, StatelessWhile):
        cond, body = inlined(op.cond), inlined(op.body)
        return op if cond is op.cond and body is op.body else op.repeating(cond, body)
    if isinstance(op, StatelessIf):
        graphs = tuple([inlined(graph) for graph in op.graphs])
        same = all(a is b for a, b in zip(graphs, op.graphs))
        return op if same else op.choosing(graphs)
    return op


def called(into: Graph, graph: Graph, inputs: Sequence[Value]) -> tuple[Value, ...]:
    """The results of a graph's nodes, added to another graph."""
    graph = inlined(simplify(graph))
    values = dict(zip(graph.arguments, inputs))
    for node in graph.nodes:
        if not isinstance(node.op, Placeholder):
            types = tuple([v.type for v in node.outputs])
            operands = tuple([values[v] for v in node.inputs])
            copy = into.add(node.op, operands, types, node.name, node.location)
            values.update(zip(node.outputs, copy.outputs))
    return tuple([values[v] for v in graph.results])


def chosen(
    into: Graph, graphs: Sequence[Graph], number: int, inputs: tuple[Value, ...], node: Node
) -> tuple[Value, ...]:
    """The results of nested branches: the graph of that number if the index equals it, else those
    after it.

    `inputs` are the index, then what the graphs take.
    """
    if number == len(graphs) - 1:
        return called(into, graphs[number], inputs[1:])
    index = TensorType(dt.int32, ())
    literal = Literal(np.array(number, np.int32), index)
    constant = into.add(Const(literal), (), (index,)).outputs[0]
    equal = into.add(EQUAL, (inputs[0], constant), (TensorType(dt.bool_, ()),)).outputs[0]
    sides = []
    for first in (True, False):
        side = Graph(f"{node.name}_{number}", is_body=True)
        side.parameters = [side.placeholder(v.type, v.node.name) for v in inputs]
        parameters = tuple(side.parameters)
        results = (
            called(side, graphs[number], parameters[1:])
            if first
            else chosen(side, graphs, number + 1, parameters, node)
        )
        side.results = list(results)
        sides.append(side)
    types = tuple([v.type for v in node.outputs])
    op = StatelessIf(*sides)
    return into.add(op, (equal, *inputs), types, node.name, node.location).outputs
