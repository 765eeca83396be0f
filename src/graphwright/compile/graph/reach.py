"""What results depend on, through loops and branches: which arguments of a graph, which operands
of an op that holds graphs.

Passes look at a loop in a loop from each loop around it. So what a graph's results depend on is
found once for each graph: sets of arguments, kept as the bits of integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from graphwright.base.named_tuples import NamedTuple
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Value
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Effect


class Needs(NamedTuple):
    """What must be there: for all effects, and beside that for each result."""

    effects: int
    results: tuple[int, ...]


def serving(op: StatelessWhile | BranchingOp, needed: list[int]) -> tuple[list[int], list[int]]:
    """The numbers of a loop's or branch's outputs that are needed or serve those, and of the inputs
    that do."""
    needs = needs_of(op)
    inputs = members(union([needs.effects, *[needs.results[i] for i in needed]]))
    if isinstance(op, BranchingOp):
        return needed, inputs
    return [i for i in inputs if i < len(needs.results)], inputs


def needs_of(op: StatelessWhile | BranchingOp) -> Needs:
    """The inputs that a loop or a branch needs to run at all, and beside them for each output."""
    if isinstance(op, BranchingOp):
        sides = [needs_within(graph) for graph in op.graphs]
        results = [union(some) << 1 for some in zip(*[side.results for side in sides])]
        return Needs(1 | union(side.effects for side in sides) << 1, tuple(results))
    condition, body = needs_within(op.cond), needs_within(op.body)
    # A variable needs its first value, and all that its next value needs.
    needed = [1 << i | own for i, own in enumerate(body.results)]
    for i in range(len(needed)):  # transitively, by Warshall's algorithm
        own = needed[i]
        needed = [other | own if other >> i & 1 else other for other in needed]
    always = condition.results[0] | condition.effects | body.effects
    through = [own for i, own in enumerate(needed) if always >> i & 1]
    return Needs(union([always, *through]), tuple(needed))


@once_per_graph
def needs_within(graph: Graph) -> Needs:
    """The arguments that a graph's effects need, and beside that each of its results."""
    needed: dict[Value, int] = {value: 1 << i for i, value in enumerate(graph.arguments)}
    effects = 0
    for node in graph.nodes:
        given = [needed[value] for value in node.inputs]
        if isinstance(node.op, (StatelessWhile, BranchingOp)):
            own = needs_of(node.op)
            always = union(given[i] for i in members(own.effects))
            each = [always | union(given[i] for i in members(some)) for some in own.results]
        else:
            always = union(given)
            each = [always] * len(node.outputs)
        for value, some in zip(node.outputs, each):
            needed.setdefault(value, some)  # arguments need themselves
        if node.op.effect is Effect.WRITE:
            effects |= always
    return Needs(effects, tuple([needed[value] for value in graph.results]))


def union(sets: Iterable[int]) -> int:
    """What is in any of these sets."""
    return reduce(or_, sets, 0)


def members(numbers: int) -> list[int]:
    """The numbers in a set, in order."""
    return [i for i in range(numbers.bit_length()) if numbers >> i & 1]
