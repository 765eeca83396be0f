"""Passes over what holds graphs: calls of forward forms in place, no unused results.

A gradient of a loop pushes values on lists that the loop backwards pops. Which of them are used
shows only once both are in one graph: the forward form is then in place of its call, and a loop
variable that serves nothing but its own next value goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.graph.reach import serving
from graphwright.control.branch import BranchingOp
from graphwright.control.call import PartitionedCall
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Effect, Op
from graphwright.ops.core.creation import Placeholder


def like(graph: Graph, nodes: list[Node], new: dict[Value, Value]) -> Graph:
    """A graph of other nodes with the same interface, whose values have become others."""
    result = Graph(graph.name, graph.is_body)
    result.nodes = nodes
    result.parameters = [resolved(v, new) for v in graph.parameters]
    result.captures = [(outside, resolved(v, new)) for outside, v in graph.captures]
    result.results = [resolved(v, new) for v in graph.results]
    result.names = graph.names
    return result


def resolved(value: Value, new: dict[Value, Value]) -> Value:
    """What has become of a value."""
    while value in new:
        value = new[value]
    return value


def moved(node: Node, inputs: tuple[Value, ...], new: dict[Value, Value]) -> Node:
    """The node itself, or one like it for other inputs; `new` learns of its outputs."""
    if inputs == node.inputs:
        return node
    types = tuple([v.type for v in node.outputs])
    fresh = Node(node.op, inputs, types, node.name, node.location)
    new.update(zip(node.outputs, fresh.outputs))
    return fresh


def inline(graph: Graph) -> Graph:
    """call of a forward form -> its nodes."""
    if not any(is_forward(node) for node in graph.nodes):
        return graph
    new: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        inputs = tuple([resolved(v, new) for v in node.inputs])
        if is_forward(node):
            results = body_of(node.op.f, inputs, nodes)  # type: ignore[attr-defined]
            new.update(zip(node.outputs, results))
        else:
            nodes.append(moved(node, inputs, new))
    return like(graph, nodes, new)


def is_forward(node: Node) -> bool:
    """Whether a node calls a form that was made for one place: nobody else calls it."""
    return isinstance(node.op, PartitionedCall) and node.op.f.is_body


def body_of(graph: Graph, arguments: tuple[Value, ...], nodes: list[Node]) -> list[Value]:
    """Appends copies of a graph's nodes, given its arguments; the values of its results."""
    graph = inline(graph)
    own = dict(zip(graph.arguments, arguments))
    for node in graph.nodes:
        if not isinstance(node.op, Placeholder):
            types = tuple([v.type for v in node.outputs])
            inputs = tuple([own[v] for v in node.inputs])
            nodes.append(Node(node.op, inputs, types, node.name, node.location))
            own.update(zip(node.outputs, nodes[-1].outputs))
    return [own[v] for v in graph.results]


def prune(graph: Graph) -> Graph:
    """The graph without what nobody needs: nodes, variables of loops that only their own next
    values depend on, results and operands of branches; in the graphs of these too."""
    needed = set(graph.results)
    arguments = set(graph.arguments)
    new: dict[Value, Value] = {}
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if is_wanted(node, needed) or not arguments.isdisjoint(node.outputs):
            node = smaller(node, needed, new)
            needed.update(node.inputs)
            kept.append(node)
    nodes = [moved(n, tuple([resolved(v, new) for v in n.inputs]), new) for n in kept[::-1]]
    return like(graph, nodes, new)


def is_wanted(node: Node, needed: set[Value]) -> bool:
    """Whether a node changes something, or gives what is needed."""
    return node.op.effect is Effect.WRITE or not needed.isdisjoint(node.outputs)


def smaller(node: Node, needed: set[Value], new: dict[Value, Value]) -> Node:
    """A loop or a branch that has and takes only what serves its needed results; other nodes as
    they are. `new` learns of its outputs."""
    op = node.op
    if not isinstance(op, (StatelessWhile, BranchingOp)):
        return node
    outputs, inputs = serving(op, [i for i, v in enumerate(node.outputs) if v in needed])
    if len(outputs) == len(node.outputs) and len(inputs) == len(node.inputs):
        return node
    if isinstance(op, StatelessWhile):
        other: Op = op.repeating(narrowed(op.cond, inputs, [0]), narrowed(op.body, inputs, outputs))
    else:
        places = [i - 1 for i in inputs[1:]]
        other = op.choosing(tuple([narrowed(side, places, outputs) for side in op.graphs]))
    chosen = [node.outputs[i] for i in outputs]
    operands, types = [node.inputs[i] for i in inputs], [v.type for v in chosen]
    fresh = Node(other, tuple(operands), tuple(types), node.name, node.location)
    new.update(zip(chosen, fresh.outputs))
    return fresh


def narrowed(graph: Graph, arguments: Sequence[int], results: Sequence[int]) -> Graph:
    """The graph with some of its arguments and results, pruned: what served only the others
    refers to what is no argument any more."""
    kept = {graph.arguments[i] for i in arguments}
    narrow = like(graph, graph.nodes, {})
    narrow.parameters = [v for v in graph.parameters if v in kept]
    narrow.captures = [(outside, v) for outside, v in graph.captures if v in kept]
    narrow.results = [graph.results[i] for i in results]
    return prune(narrow)
