"""Composite ops in terms of simpler ones, where the simpler ones can share a loop."""

from __future__ import annotations

from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.lower.composites import RULES
from graphwright.lower.indices import PickIndex
from graphwright.lower.passes import through
from graphwright.lower.prune import prune
from graphwright.ops.creation import Const
from graphwright.ops.joining import Pack
from graphwright.ops.slicing import StridedSlice
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import TensorType


def decompose(graph: Graph) -> tuple[Graph, dict[Node, Node]]:
    """The graph with the ops that have a rule replaced, and which node each comes from."""
    origins = {n: n for n in graph.nodes}
    if not any(type(n.op) in RULES or isinstance(n.op, StridedSlice) for n in graph.nodes):
        return graph, origins
    into = Graph(graph.name, graph.is_body)

    made: list[tuple[int, Node]] = []  # how many nodes there were before each

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        made.append((len(into.nodes), node))
        if isinstance(node.op, StridedSlice):
            return picked(node.op, node, inputs, into)
        rule = RULES.get(type(node.op))
        if rule is None:
            return None
        results = rule(node.op, *[SymbolicTensor(v, into) for v in inputs])
        if results is None:
            return None
        if not isinstance(results, tuple):
            results = (results,)
        return tuple([r._value for r in results])

    with tracing(into):
        transform(graph, rewrite, into)
    ends = [start for start, _ in made[1:]] + [len(into.nodes)]
    for (start, node), end in zip(made, ends):
        origins.update(dict.fromkeys(into.nodes[start:end], node))
    return through(into, prune), origins


def picked(
    op: StridedSlice, node: Node, inputs: tuple[Value, ...], into: Graph
) -> tuple[Value, ...] | None:
    """x[i] with a computed i -> the same with its place, checked"""
    begin = inputs[1].node
    if not isinstance(begin.op, Pack) or op.ellipsis_mask:
        return None
    entries = list(begin.inputs)
    axis = 0
    for i, entry in enumerate(entries):
        bit = 1 << i
        if op.shrink_axis_mask & bit and not isinstance(entry.node.op, Const):
            place = TensorType(dt.int64, ())
            index = PickIndex.of(axis)
            entries[i] = into.add(index, (entry, inputs[0]), (place,)).outputs[0]
        axis += not op.new_axis_mask & bit
    packed = into.add(begin.op, tuple(entries), (TensorType(dt.int64, (len(entries),)),))
    types = (node.outputs[0].type,)
    values = (inputs[0], packed.outputs[0], *inputs[2:])
    return into.add(op, values, types, node.name, node.location).outputs
