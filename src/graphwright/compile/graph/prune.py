"""Passes over ops that hold graphs: they inline forward forms and drop unused results.

A differentiated loop pushes values on lists, and the backward loop pops them. Which of these are
used shows only once both loops are in one graph. So the nodes of a forward form replace its call,
and a loop variable that serves only its own next value goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.control.branch import BranchingOp
from graphwright.control.call import PartitionedCall
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.needs import members, union
from graphwright.op.op import Effect, Op
from graphwright.ops.core.creation import Placeholder


def like(graph: Graph, nodes: list[Node], new: dict[Value, Value]) -> Graph:
    """A graph of other nodes with the same interface; `new` says what replaces its values."""
    result = Graph(graph.name, graph.is_body)
    result.nodes = nodes
    result.parameters = [resolved(v, new) for v in graph.parameters]
    result.captures = [(outside, resolved(v, new)) for outside, v in graph.captures]
    result.results = [resolved(v, new) for v in graph.results]
    result.names = graph.names
    result.gets_other_variables = graph.gets_other_variables
    return result


def resolved(value: Value, new: dict[Value, Value]) -> Value:
    """The value that finally replaces a value."""
    while value in new:
        value = new[value]
    return value


def moved(node: Node, inputs: tuple[Value, ...], new: dict[Value, Value]) -> Node:
    """The node itself, or a copy with other inputs, whose outputs `new` then maps to."""
    if inputs == node.inputs:
        return node
    types = tuple([v.type for v in node.outputs])
    fresh = Node(node.op, inputs, types, node.name, node.location)
    new.update(zip(node.outputs, fresh.outputs))
    return fresh


def inline(graph: Graph) -> Graph:
    """The graph with the nodes of forward forms in place of their calls."""
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
    """Whether a node calls a forward form, which has no other callers."""
    return isinstance(node.op, PartitionedCall) and node.op.f.is_body


def body_of(graph: Graph, arguments: tuple[Value, ...], nodes: list[Node]) -> list[Value]:
    """The values of a graph's results; appends copies of its nodes, for these arguments."""
    graph = inline(graph)
    values = dict(zip(graph.arguments, arguments))
    for node in graph.nodes:
        if not isinstance(node.op, Placeholder):
            types = tuple([v.type for v in node.outputs])
            inputs = tuple([values[v] for v in node.inputs])
            nodes.append(Node(node.op, inputs, types, node.name, node.location))
            values.update(zip(node.outputs, nodes[-1].outputs))
    return [values[v] for v in graph.results]


def prune(graph: Graph) -> Graph:
    """The graph without unused nodes, results and operands, in the graphs inside it too.

    A loop variable is unused if only its own next value depends on it.
    """
    needed = set(graph.results)
    arguments = set(graph.arguments)
    new: dict[Value, Value] = {}
    live: list[Node] = []
    for node in reversed(graph.nodes):
        if is_wanted(node, needed) or not arguments.isdisjoint(node.outputs):
            node = smaller(node, needed, new)
            needed.update(node.inputs)
            live.append(node)
    nodes = [moved(n, tuple([resolved(v, new) for v in n.inputs]), new) for n in live[::-1]]
    return like(graph, nodes, new)


def is_wanted(node: Node, needed: set[Value]) -> bool:
    """Whether a node has an effect or a needed output."""
    return node.op.effect is Effect.WRITE or not needed.isdisjoint(node.outputs)


def smaller(node: Node, needed: set[Value], new: dict[Value, Value]) -> Node:
    """A loop or a branch with only the inputs and outputs that serve its needed outputs; other
    nodes as they are. `new` then maps to its outputs."""
    op = node.op
    if not isinstance(op, (StatelessWhile, BranchingOp)):
        return node
    wanted = [i for i, v in enumerate(node.outputs) if v in needed]
    if isinstance(op, StatelessWhile) and len(wanted) == len(node.inputs):
        return node  # each variable is wanted, and there is nothing else
    outputs, inputs = serving(op, wanted)
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


def serving(op: StatelessWhile | BranchingOp, needed: list[int]) -> tuple[list[int], list[int]]:
    """The outputs of a loop or branch that are needed or serve needed ones, and the inputs that
    serve these, all by number."""
    needs = op.needs()
    inputs = members(union([needs.effects, *[needs.results[i] for i in needed]]))
    if isinstance(op, BranchingOp):
        return needed, inputs
    return [i for i in inputs if i < len(needs.results)], inputs


def narrowed(graph: Graph, arguments: Sequence[int], results: Sequence[int]) -> Graph:
    """The graph with some of its arguments and results, pruned: without that, nodes that served
    only the others would use lost arguments."""
    remaining = {graph.arguments[i] for i in arguments}
    narrow = like(graph, graph.nodes, {})
    narrow.parameters = [v for v in graph.parameters if v in remaining]
    narrow.captures = [(outside, v) for outside, v in graph.captures if v in remaining]
    narrow.results = [graph.results[i] for i in results]
    return prune(narrow)
