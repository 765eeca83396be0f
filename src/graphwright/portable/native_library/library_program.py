"""The programs of a function: one for all of it, where no size shows only while it runs.

A result whose size only a run tells ends a program, and the next one takes it as an argument.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.lowering import lower
from graphwright.compile.nests.nest import Program
from graphwright.compile.nests.sizes import Late, NotNative
from graphwright.compile.select.coverage import is_native_type
from graphwright.compile.select.outline import Outline
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.portable.native_library.whole_graph import (
    LibraryObstacle,
    NotCompilable,
    foreign_arrays,
    foreign_nodes,
)
from graphwright.types.arrays import Array


class LibraryPart(NamedTuple):
    """A program, the values that it takes and makes, and constants that are further inputs."""

    program: Program
    constants: tuple[Array, ...]
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]


def parts_of(graph: Graph) -> list[LibraryPart]:
    """The programs of a whole graph, in the order in which they run.

    `NotCompilable` says what has no native form, all of it at once.
    """
    foreign = foreign_nodes(graph)
    refused = [*foreign_arrays(graph), *foreign.values()]
    if refused:
        raise NotCompilable(graph.name, [*refused, *other_obstacles(graph, foreign)])
    ends: set[Node] = set()
    while True:
        try:
            needed = set(graph.results)
            parts: list[LibraryPart] = []
            for piece in reversed(pieces(graph, ends)):
                part = part_of(graph, piece, needed)
                if part is not None:
                    parts.append(part)
                    needed.update(part.arguments)
            return parts[::-1]
        except NotNative as reason:
            late = {n for one in reason.each if isinstance(one, Late) for n in one.nodes}
            others = [one for one in reason.each if not isinstance(one, Late)]
            if others or late <= ends:
                raise NotCompilable(graph.name, obstacles(others or reason.each)) from reason
            ends |= late


def other_obstacles(graph: Graph, foreign: Container[Node]) -> list[LibraryObstacle]:
    """What shapes refuse beside nodes that have no native form anyway."""
    given = (Placeholder, Const)
    nodes = [n for n in graph.nodes if n not in foreign and not isinstance(n.op, given)]
    used = {value for node in nodes for value in node.inputs}
    results = [
        value
        for node in nodes
        for value in node.outputs
        if value not in used and is_native_type(value.type)
    ]
    try:
        lowered(graph, nodes, results)
    except NotNative as reason:
        return obstacles([one for one in reason.each if not isinstance(one, Late)])
    return []


def obstacles(reasons: Sequence[NotNative]) -> list[LibraryObstacle]:
    """The obstacles that refusals of a lowering are."""
    result = []
    for reason in reasons:
        nodes = [reason.innermost] if reason.innermost is not None else reason.nodes
        for node in nodes:
            result.append(LibraryObstacle(node.op.type_name, str(reason), node.location))
        if not nodes:
            result.append(LibraryObstacle("the function", str(reason), None))
    return result


def pieces(graph: Graph, ends: set[Node]) -> list[list[Node]]:
    """The nodes of each program: each is in the first one that has all it needs as it begins, or
    makes it itself."""
    number: dict[Value, int] = {}
    result: list[list[Node]] = [[]]
    for node in graph.nodes:
        if isinstance(node.op, (Placeholder, Const)):
            continue
        piece = max([number.get(v, 0) for v in node.inputs], default=0)
        if len(result) == piece:
            result.append([])
        result[piece].append(node)
        number.update(dict.fromkeys(node.outputs, piece + (node in ends)))
    return result


def part_of(graph: Graph, piece: Sequence[Node], needed: Container[Value]) -> LibraryPart | None:
    """The program of the nodes that make needed values; None if there are none."""
    live: list[Node] = []
    inner: set[Value] = set()
    for node in reversed(piece):
        if any(v in needed or v in inner for v in node.outputs):
            live.append(node)
            inner.update(node.inputs)
    live.reverse()
    results = [v for node in live for v in node.outputs if v in needed]
    return lowered(graph, live, results) if results else None


def lowered(graph: Graph, nodes: Sequence[Node], results: Sequence[Value]) -> LibraryPart:
    """The program of some nodes. `NotNative` says why there is none."""
    outline = Outline(graph.name)
    for node in nodes:
        outline.add(node)
    body = outline.finish(results)
    try:
        program, constants = lower(body, may_call=False)
    except NotNative as reason:
        for refusal in reason.each:
            culprits = [outline.origins[n] for n in refusal.nodes if n in outline.origins]
            refusal.nodes = culprits or list(nodes[-1:])
        raise
    if program.crossing is not None:
        raise NotNative("a list of tensors leaves it", nodes[-1:])
    return LibraryPart(program, tuple(constants), tuple(outline.arguments), tuple(results))
