"""Rotations by known shifts, without a copy for each.

A stencil on a ring reads its neighbours on both sides. Along the innermost axis, several rotations
of one tensor read one copy of it, between its own ends. Which others there are decides, so this is
a pass over nodes, and no expansion of a rotation. Along other axes, rows are read where they lie.
"""

from __future__ import annotations

import math
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.prune import prune
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.ir.known import known
from graphwright.ops.core.joining import concat
from graphwright.ops.core.reversal import Roll, RollOfRows
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing

#: Elements of a row from which on rows are read where they lie: shorter ones fill no vector.
_LONG = 64


class Rotation(NamedTuple):
    """What a node does: it rotates by at most half of an axis, whose rows have so many elements."""

    shift: int
    row: int


def between_its_ends(x: Any, before: int, after: int) -> Any:
    """The tensor with so many of its last elements before it, and of its first ones behind it."""
    size = x.shape[-1]
    left = [x[..., size - before : size]] if before else []
    right = [x[..., :after]] if after else []
    return concat([*left, x, *right], -1)


def with_shared_copies(graph: Graph) -> Graph:
    """The graph in which rotations share copies of tensors, or need none."""
    rotations = {node: rotation_of(node) for node in graph.nodes if type(node.op) is Roll}
    along: dict[Value, dict[Node, int]] = {}  # the innermost axis, by tensor
    for node, rotation in rotations.items():
        if rotation is not None and rotation.row == 1:
            along.setdefault(node.inputs[0], {})[node] = rotation.shift
    shared = {node: shifts for shifts in along.values() if len(shifts) > 1 for node in shifts}
    of_rows = {node for node, r in rotations.items() if r is not None and r.row >= _LONG}
    if not (shared or of_rows):
        return graph
    into = Graph(graph.name, graph.is_body)
    copies: dict[Value, Any] = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if node in of_rows:
            types = (node.outputs[0].type,)
            return into.add(RollOfRows.of(), inputs, types, node.name, node.location).outputs
        if node not in shared:
            return None
        x: Any = SymbolicTensor(inputs[0], into)
        shifts = shared[node]
        before, after = max(0, *shifts.values()), -min(0, *shifts.values())
        if inputs[0] not in copies:
            copies[inputs[0]] = between_its_ends(x, before, after)
        start = before - shifts[node]
        return (copies[inputs[0]][..., start : start + x.shape[-1]]._value,)

    with tracing(into):
        transform(graph, rewrite, into)
    into.names = graph.names
    return prune(into)


def rotation_of(node: Node) -> Rotation | None:
    """What a node does; None for nodes that do something else, or nothing."""
    x, shift, axis = node.inputs[0].type, known(node.inputs[1]), known(node.inputs[2])
    if not x.dims or not (type(shift) is type(axis) is int) or not is_native_dtype(x.dtype):
        return None
    size, *row = x.dims[axis % len(x.dims) :]
    if not size or None in row:
        return None
    by = (shift + size // 2) % size - size // 2
    return Rotation(by, math.prod(row)) if by else None  # type: ignore[arg-type]
