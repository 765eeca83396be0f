"""Rotations of one tensor along its innermost axis, which read one copy of it between its own ends.

A stencil on a ring reads its neighbours on both sides. Each rotation alone would be a copy. Which
others there are decides, so this is a pass over nodes, and no expansion of a rotation.
"""

from __future__ import annotations

from typing import Any

from graphwright.compile.graph.prune import prune
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ir.known import known
from graphwright.ops.core.joining import concat
from graphwright.ops.core.reversal import Roll
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing


def between_its_ends(x: Any, before: int, after: int) -> Any:
    """The tensor with so many of its last elements before it, and of its first ones behind it."""
    size = x.shape[-1]
    left = [x[..., size - before : size]] if before else []
    right = [x[..., :after]] if after else []
    return concat([*left, x, *right], -1)


def with_shared_copies(graph: Graph) -> Graph:
    """The graph in which several rotations of one tensor read one copy of it."""
    rotations: dict[Value, dict[Node, int]] = {}
    for node in graph.nodes:
        if isinstance(node.op, Roll):
            shift = innermost_shift(node)
            if shift is not None:
                rotations.setdefault(node.inputs[0], {})[node] = shift
    shared = {node: shifts for shifts in rotations.values() if len(shifts) > 1 for node in shifts}
    if not shared:
        return graph
    into = Graph(graph.name, graph.is_body)
    frames: dict[Value, Any] = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if node not in shared:
            return None
        x: Any = SymbolicTensor(inputs[0], into)
        shifts = shared[node]
        before, after = max(0, *shifts.values()), -min(0, *shifts.values())
        if inputs[0] not in frames:
            frames[inputs[0]] = between_its_ends(x, before, after)
        start = before - shifts[node]
        return (frames[inputs[0]][..., start : start + x.shape[-1]]._value,)

    with tracing(into):
        transform(graph, rewrite, into)
    into.names = graph.names
    return prune(into)


def innermost_shift(node: Node) -> int | None:
    """How far a node rotates along the innermost axis, by at most half of it.

    None for nodes that do something else, or nothing.
    """
    x, shift, axis = node.inputs[0].type, known(node.inputs[1]), known(node.inputs[2])
    if not x.dims or not x.dims[-1] or not (type(shift) is type(axis) is int):
        return None
    if axis % len(x.dims) != len(x.dims) - 1 or not is_native_dtype(x.dtype):
        return None
    size = x.dims[-1]
    return (shift + size // 2) % size - size // 2 or None
