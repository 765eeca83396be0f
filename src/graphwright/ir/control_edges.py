"""The order of effects as control edges: the nodes that must run before each stateful node.

Program order holds for every resource: a read comes after the last write, a write after the reads
since. It holds for the outside world too (prints and the like). Other nodes are free.
In a graph that blocks of a program add to, `waiting` says what nodes wait for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from itertools import chain, count
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.op.op import Effect
from graphwright.ops.core.effect_ops import NoOp
from graphwright.types.dtypes import resource


class World(Enum):
    """The world outside, which effects without a resource read and change."""

    OUTSIDE = "outside"


#: The resources, and the world, that a node or graph reads (False) or changes (True).
Touched: TypeAlias = dict["Value | World", bool]


def touched_by(node: Node) -> Touched:
    """The resources that a node reads or changes."""
    touched: Touched = {}
    for graph in subgraphs_of(node.op):
        arguments = graph.arguments
        operands = node.inputs[len(node.inputs) - len(arguments) :]
        supplied = dict(zip(arguments, operands))
        for key, writes in touched_in(graph).items():
            outer = key if isinstance(key, World) else supplied[key]
            touched[outer] = touched.get(outer, False) or writes
    if touched or node.op.effect is Effect.NONE:
        return touched
    writes = node.op.effect is Effect.WRITE
    handles = [value for value in node.inputs if value.type.dtype is resource]
    if handles:
        return dict.fromkeys(handles, writes)
    return {World.OUTSIDE: True} if writes and not any(subgraphs_of(node.op)) else {}


def touched_in(graph: Graph) -> Touched:
    """The arguments of a graph that its nodes read or change, and the outside world."""
    arguments = set(graph.arguments)
    touched: Touched = {}
    for node in graph.nodes:
        for key, writes in touched_by(node).items():
            if isinstance(key, World) or key in arguments:
                touched[key] = touched.get(key, False) or writes
    return touched


def control_inputs(graph: Graph) -> dict[Node, list[Node]]:
    """For every node with effects, the nodes that must have run before it."""
    writers: dict[Value | World, Node] = {}
    readers: dict[Value | World, list[Node]] = {}
    before: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        touched = touched_by(node)
        if not touched:
            continue
        earlier = []
        for key, writes in touched.items():
            earlier += [writers[key]] if key in writers else []
            if writes:
                earlier += readers.pop(key, [])
                writers[key] = node
            else:
                readers.setdefault(key, []).append(node)
        producers = {value.node for value in node.inputs}
        before[node] = [n for n in dict.fromkeys(earlier) if n not in producers]
    return before


class Order(NamedTuple):
    """The control edges of a graph."""

    effects: list[Node]  # the nodes with effects, in program order
    before: dict[Node, list[Node]]  # the nodes that must have run before a node
    barrier: Node | None  # one more node, after all effects and before the results


def order_of(graph: Graph) -> Order:
    """The control edges of a graph: between its effects, and from these to its results.

    Those of a graph that is no function's are what the program said.
    """
    if graph.is_plain:
        return Order([], graph.waits, None)
    before = control_inputs(graph)
    effects = list(before)
    waiting = plain_results(graph) if effects else []
    if not waiting:
        return Order(effects, before, None)
    taken = {node.name for node in graph.nodes}
    numbered = (f"NoOp_{number}" for number in count(1))
    name = next(name for name in chain(["NoOp"], numbered) if name not in taken)
    barrier = Node(NoOp.of(), (), (), name, None)
    before |= {node: [barrier] for node in waiting}
    before[barrier] = effects
    return Order(effects, before, barrier)


def plain_results(graph: Graph) -> list[Node]:
    """The nodes of results that can wait for all effects: Identities that nothing else uses."""
    used = {value.node for node in graph.nodes for value in node.inputs}
    results = dict.fromkeys(value.node for value in graph.results)
    return [node for node in results if node.op.type_name == "Identity" and node not in used]


@contextmanager
def waiting(graph: Graph, nodes: list[Node] | None) -> Iterator[None]:
    """Lets nodes that the block adds wait for others too; None lets them wait for nothing."""
    before = graph.after
    graph.after = () if nodes is None else tuple(dict.fromkeys([*before, *nodes]))
    try:
        yield
    finally:
        graph.after = before
