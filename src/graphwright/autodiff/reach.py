"""The arguments of a graph that its results depend on, and that gradients flow to from them.

Passes and gradients look at a nested loop from each loop around it. So dependences are computed
once for each graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.autodiff.sweep import CARRIERS, is_differentiable
from graphwright.ir.graph import Graph, Value
from graphwright.ir.once import once_per_graph
from graphwright.op.needs import Needs, members, union
from graphwright.op.op import Effect


@once_per_graph
def needs_within(graph: Graph) -> Needs:
    """The arguments that a graph's effects need, and the further ones of each of its results."""
    needed: dict[Value, int] = {value: 1 << i for i, value in enumerate(graph.arguments)}
    sloped = {v: bit if v.type.dtype in CARRIERS else 0 for v, bit in needed.items()}
    effects = 0
    for node in graph.nodes:
        needs = node.op.needs()
        if needs is None:
            always = flow = 0
            for value in node.inputs:
                always |= needed[value]
                flow |= sloped[value]
            each: Sequence[int] = (always,) * len(node.outputs)
            flows: Sequence[int] = (flow if flow and is_differentiable(node.op) else 0,) * len(each)
        else:
            operands = [needed[value] for value in node.inputs]
            slopes = [sloped[value] for value in node.inputs]
            always = union([operands[i] for i in members(needs.effects)])
            each = [always | union([operands[i] for i in members(r)]) for r in needs.results]
            flows = [union([slopes[i] for i in members(s)]) for s in needs.slopes]
        for value, arguments, flow in zip(node.outputs, each, flows):
            needed.setdefault(value, arguments)  # arguments need themselves
            sloped.setdefault(value, flow if flow and value.type.dtype in CARRIERS else 0)
        if node.op.effect is Effect.WRITE:
            effects |= always
    results = graph.results
    return Needs(effects, tuple([needed[v] for v in results]), tuple([sloped[v] for v in results]))


def needs_of_call(graph: Graph) -> Needs:
    """The operands that a call of a graph needs: all of them, whatever its results depend on."""
    results = (0,) * len(graph.results)
    return Needs((1 << len(graph.arguments)) - 1, results, needs_within(graph).slopes)


def needs_of_branch(graphs: Sequence[Graph]) -> Needs:
    """The operands that a branch needs: what chooses, and what any of its graphs needs."""
    sides = [needs_within(graph) for graph in graphs]
    results = [union(sets) << 1 for sets in zip(*[side.results for side in sides])]
    slopes = [union(sets) << 1 for sets in zip(*[side.slopes for side in sides])]
    effects = 1 | union([side.effects for side in sides]) << 1
    return Needs(effects, tuple(results), tuple(slopes))


def needs_of_loop(cond: Graph, body: Graph) -> Needs:
    """The operands that a loop needs, over any number of turns."""
    condition, turn = needs_within(cond), needs_within(body)
    needed = repeated(turn.results)
    always = condition.results[0] | condition.effects | turn.effects
    through = [direct for i, direct in enumerate(needed) if always >> i & 1]
    return Needs(union([always, *through]), needed, repeated(turn.slopes))


def repeated(turn: Sequence[int]) -> tuple[int, ...]:
    """What variables need over any number of turns: each its first value, and all that its next
    value needs."""
    needed = [1 << i | arguments for i, arguments in enumerate(turn)]
    for i in range(len(needed)):  # transitively, by Warshall's algorithm
        direct = needed[i]
        needed = [other | direct if other >> i & 1 else other for other in needed]
    return tuple(needed)
