"""Passes over what holds graphs: calls of forward forms in place, no unused results.

A gradient of a loop pushes values on lists that the loop backwards pops. Which of them are used
shows only once both are in one graph: the forward form is then in place of its call, and a loop
variable that serves nothing but its own next value goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.control.branch import BranchingOp
from graphwright.control.call import PartitionedCall
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Effect, Op
from graphwright.ops.creation import Placeholder


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


def prune_loops(graph: Graph) -> Graph:
    """loop -> the loop without the variables that only their own next values depend on;
    branch -> the branch without the results that nobody needs."""
    if not any(isinstance(node.op, (StatelessWhile, BranchingOp)) for node in graph.nodes):
        return graph
    needed = set(graph.results)
    smaller: dict[Node, Node] = {}
    new: dict[Value, Value] = {}
    for node in reversed(graph.nodes):
        op = node.op
        if op.effect is Effect.WRITE or not needed.isdisjoint(node.outputs):
            if isinstance(op, StatelessWhile):
                smaller[node] = without_unused(node, op, needed, new)
            elif isinstance(op, BranchingOp):
                smaller[node] = without_idle(node, op, needed, new)
            needed.update(smaller.get(node, node).inputs)
    nodes = []
    for node in graph.nodes:
        node = smaller.get(node, node)
        nodes.append(moved(node, tuple([resolved(v, new) for v in node.inputs]), new))
    return like(graph, nodes, new)


def without_unused(
    node: Node, op: StatelessWhile, needed: set[Value], new: dict[Value, Value]
) -> Node:
    """A loop without the variables that nobody needs."""
    count = len(op.body.parameters)
    chosen = used_variables(node, op, needed)
    if len(chosen) == count:
        return node
    cond, body = like(op.cond, op.cond.nodes, {}), like(op.body, op.body.nodes, {})
    for graph in (cond, body):
        graph.parameters = [graph.parameters[i] for i in chosen]
    body.results = [body.results[i] for i in chosen]
    inputs = (*[node.inputs[i] for i in chosen], *node.inputs[count:])
    return replaced(node, op.repeating(cond, body), inputs, chosen, new)


def used_variables(node: Node, op: StatelessWhile, needed: set[Value]) -> list[int]:
    """The numbers of the variables that the needed results of a loop depend on."""
    kept = {i for i, value in enumerate(node.outputs) if value in needed}
    used = live(op.cond, op.cond.results)
    kept.update(i for i, value in enumerate(op.cond.parameters) if value in used)
    while True:
        used = live(op.body, [op.body.results[i] for i in kept])
        more = {i for i, value in enumerate(op.body.parameters) if value in used} - kept
        if not more:
            return sorted(kept)
        kept |= more


def without_idle(node: Node, op: BranchingOp, needed: set[Value], new: dict[Value, Value]) -> Node:
    """A branch without the results that nobody needs, and what only they were computed from."""
    chosen = [i for i, value in enumerate(node.outputs) if value in needed]
    if len(chosen) == len(node.outputs):
        return node
    places = used_operands(op, chosen)
    sides = []
    for graph in op.graphs:
        side = like(graph, graph.nodes, {})
        kept = {graph.arguments[i] for i in places}
        side.parameters = [v for v in graph.parameters if v in kept]
        side.captures = [(outside, v) for outside, v in graph.captures if v in kept]
        side.results = [graph.results[i] for i in chosen]
        sides.append(side)
    inputs = (node.inputs[0], *[node.inputs[1 + i] for i in places])
    return replaced(node, op.choosing(tuple(sides)), inputs, chosen, new)


def used_operands(op: BranchingOp, chosen: Sequence[int]) -> list[int]:
    """The numbers of the arguments of the sides that some of the results depend on."""
    used: set[int] = set()
    for graph in op.graphs:
        alive = live(graph, [graph.results[i] for i in chosen])
        used.update(i for i, value in enumerate(graph.arguments) if value in alive)
    return sorted(used)


def replaced(
    node: Node, op: Op, inputs: tuple[Value, ...], chosen: Sequence[int], new: dict[Value, Value]
) -> Node:
    """A node of an op that has only some of the results; `new` learns of them."""
    outputs = [node.outputs[i] for i in chosen]
    fresh = Node(op, inputs, tuple([v.type for v in outputs]), node.name, node.location)
    new.update(zip(outputs, fresh.outputs))
    return fresh


def live(graph: Graph, results: Sequence[Value]) -> set[Value]:
    """The values that some results of a graph, or its effects, depend on."""
    needed = set(results)
    for node in reversed(graph.nodes):
        if node.op.effect is Effect.WRITE or not needed.isdisjoint(node.outputs):
            needed.update(serving(node, needed))
    return needed


def serving(node: Node, needed: set[Value]) -> Sequence[Value]:
    """The inputs of a node that serve its needed outputs."""
    op = node.op
    if isinstance(op, StatelessWhile):
        count = len(op.body.parameters)
        chosen = used_variables(node, op, needed)
        return [*[node.inputs[i] for i in chosen], *node.inputs[count:]]
    if isinstance(op, BranchingOp):
        chosen = [i for i, value in enumerate(node.outputs) if value in needed]
        return [node.inputs[0], *[node.inputs[1 + i] for i in used_operands(op, chosen)]]
    return node.inputs
