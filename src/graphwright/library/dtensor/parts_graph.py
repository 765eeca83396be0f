"""Graphs of whole tensors as graphs of the parts that a rank has, with collectives in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.base.bounded_tables import remember
from graphwright.compile.run.steps import lives
from graphwright.compile.run.tiers import Compilation, Run, Tiered
from graphwright.control.call import PartitionedCall
from graphwright.ir.graph import Graph, Value
from graphwright.ir.once import once_per_graph
from graphwright.library.dtensor.layout_notes import STATED
from graphwright.library.dtensor.mesh import Mesh
from graphwright.library.dtensor.partwise_ops import PartwiseOps, RankPart
from graphwright.op.interpreter import activate
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import Tracer, tracing
from graphwright.values.tensor import wrap


class PartsGraph:
    """A graph for arguments that are divided in one way: a call of it computes this rank's parts.

    The engine runs it as it runs traces. All ranks make the same graph, so they come to its
    collectives in one order, whichever tier each of them has reached.

    Args:
        graph: A graph of whole tensors.
        operands: Arguments of it.
        mesh: A mesh over ranks.
    """

    def __init__(self, graph: Graph, operands: Sequence[RankPart], mesh: Mesh) -> None:
        self.graph = Graph(graph.name)
        with activate(None), tracing(self.graph) as tracer:
            ops = PartwiseOps(mesh, tracer.apply)
            arguments = []
            for value, operand in zip(graph.arguments, operands):
                argument = self.graph.placeholder(operand.tensor.type, value.node.name)
                self.graph.parameters.append(argument)
                arguments.append(operand._replace(tensor=SymbolicTensor(argument, self.graph)))
            results = traced(graph, arguments, ops, tracer)
            self.graph.results = [tracer.value_of(result.tensor) for result in results]
        self.specs = [result.specs for result in results]
        self.run: Run
        Tiered(self.graph, None, self.install).start()

    def install(self, run: Run, compilation: Compilation | None) -> None:
        """Lets calls run this function from now on."""
        self.run = run


def traced(
    graph: Graph, arguments: Sequence[RankPart], ops: PartwiseOps, tracer: Tracer
) -> list[RankPart]:
    """The parts of a graph's results. Calls in it become part of the graph that is traced."""
    parts: dict[Value, RankPart] = dict(zip(graph.arguments, arguments))
    for node, _ in lives(graph):
        if node.outputs and node.outputs[0] in parts:
            continue
        inputs = [parts[value] for value in node.inputs]
        before = len(tracer.graph.nodes)
        if node in STATED:
            results = [ops.laid_out(inputs[0], STATED[node])]
        elif isinstance(node.op, PartitionedCall):
            results = traced(node.op.f, inputs, ops, tracer)
        else:
            results = ops.results(node.op, inputs, node.name)
        for new in tracer.graph.nodes[before:]:
            new.location = node.location
        parts.update(zip(node.outputs, results))
    return [parts[value] for value in graph.results]


#: So many ways to divide its arguments are remembered with a graph.
_WAYS = 64


@once_per_graph
def parts_graphs(graph: Graph) -> dict[Any, PartsGraph]:
    """The graphs of parts of a graph, by the mesh and by what divides arguments and their types."""
    return {}


def called(graph: Graph, operands: Sequence[RankPart], mesh: Mesh) -> list[RankPart]:
    """The results of a call on parts that have values."""
    graphs = parts_graphs(graph)
    key = mesh, *[(specs, tensor.type) for tensor, specs, _ in operands]
    form = graphs.get(key)
    if form is None:
        form = remember(graphs, key, PartsGraph(graph, operands, mesh), _WAYS)
    arrays = form.run(*[operand.tensor._array for operand in operands])
    return [RankPart(wrap(array), specs) for array, specs in zip(arrays, form.specs)]
