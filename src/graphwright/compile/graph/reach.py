"""The arguments of a graph, or operands of a loop or branch, that its results depend on.

Passes look at a nested loop from each loop around it. So dependences are computed once for each
graph, as sets of arguments: the bits of integers.
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
    """The arguments that all effects need, and the further ones that each result needs."""

    effects: int
    results: tuple[int, ...]


def serving(op: StatelessWhile | BranchingOp, needed: list[int]) -> tuple[list[int], list[int]]:
    """The outputs of a loop or branch that are needed or serve needed ones, and the inputs that
    serve these, all by number."""
    needs = needs_of(op)
    inputs = members(union([needs.effects, *[needs.results[i] for i in needed]]))
    if isinstance(op, BranchingOp):
        return needed, inputs
    return [i for i in inputs if i < len(needs.results)], inputs


def needs_of(op: StatelessWhile | BranchingOp) -> Needs:
    """The inputs that a loop or a branch needs to run at all, and further ones of each output."""
    if isinstance(op, BranchingOp):
        sides = [needs_within(graph) for graph in op.graphs]
        results = [union(sets) << 1 for sets in zip(*[side.results for side in sides])]
        return Needs(1 | union(side.effects for side in sides) << 1, tuple(results))
    condition, body = needs_within(op.cond), needs_within(op.body)
    # A variable needs its first value, and all that its next value needs.
    needed = [1 << i | direct for i, direct in enumerate(body.results)]
    for i in range(len(needed)):  # transitively, by Warshall's algorithm
        direct = needed[i]
        needed = [other | direct if other >> i & 1 else other for other in needed]
    always = condition.results[0] | condition.effects | body.effects
    through = [direct for i, direct in enumerate(needed) if always >> i & 1]
    return Needs(union([always, *through]), tuple(needed))


@once_per_graph
def needs_within(graph: Graph) -> Needs:
    """The arguments that a graph's effects need, and the further ones of each of its results."""
    needed: dict[Value, int] = {value: 1 << i for i, value in enumerate(graph.arguments)}
    effects = 0
    for node in graph.nodes:
        operands = [needed[value] for value in node.inputs]
        if isinstance(node.op, (StatelessWhile, BranchingOp)):
            needs = needs_of(node.op)
            always = union(operands[i] for i in members(needs.effects))
            each = [always | union(operands[i] for i in members(r)) for r in needs.results]
        else:
            always = union(operands)
            each = [always] * len(node.outputs)
        for value, arguments in zip(node.outputs, each):
            needed.setdefault(value, arguments)  # arguments need themselves
        if node.op.effect is Effect.WRITE:
            effects |= always
    return Needs(effects, tuple([needed[value] for value in graph.results]))


def union(sets: Iterable[int]) -> int:
    """The union of sets."""
    return reduce(or_, sets, 0)


def members(numbers: int) -> list[int]:
    """The members of a set, in order."""
    return [i for i in range(numbers.bit_length()) if numbers >> i & 1]
