"""A function as a graph that is machine code from end to end.

A library has no kernels beside its machine code. So calls are inlined, variables and captured
tensors become constants, and windows become products and sums. What remains outside is refused,
all of it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.base.errors import Location
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.accumulate import MatMulAdd
from graphwright.compile.graph.inline import inlined
from graphwright.compile.graph.passes import through
from graphwright.compile.graph.rewrites import lengths_first, rewritten
from graphwright.compile.graph.simplify import simplify
from graphwright.compile.lists.list_types import with_list_types
from graphwright.compile.lists.nested_lists import with_flat_lists
from graphwright.compile.nests.element_kinds import is_native_dtype
from graphwright.compile.nests.number_vectors import with_number_vectors
from graphwright.compile.run.inspection import why
from graphwright.compile.select.coverage import is_native, is_native_type, is_size_node
from graphwright.ir.graph import Graph, Node
from graphwright.ops.core.creation import Const, Placeholder
from graphwright.portable.frozen_graph import frozen, without_unused
from graphwright.portable.native_library.window_sums import (
    UNKNOWN_WINDOWS,
    rule_of,
    with_window_sums,
)


class LibraryObstacle(NamedTuple):
    """What keeps a node of a function out of a library, and where the program has it."""

    op: str
    reason: str
    location: Location | None

    def __str__(self) -> str:
        place = "" if self.location is None else f" ({self.location})"
        return f"{self.op}{place}: {self.reason}"


class NotCompilable(ValueError):
    """A function cannot be a library; `obstacles` has each reason."""

    def __init__(self, name: str, obstacles: Sequence[LibraryObstacle]) -> None:
        lines = list(dict.fromkeys(f"  {obstacle}" for obstacle in obstacles))
        super().__init__(
            f"{name} cannot be a library, since not all of it has a native form:\n"
            + "\n".join(lines)
        )
        self.obstacles = tuple(obstacles)


def whole(graph: Graph) -> Graph:
    """A graph of the same parameters and results, without captures, for machine code alone."""
    return through(
        simplify(graph),
        inlined,
        with_constants,
        inlined,  # branches that read variables are choices that can be inlined now
        with_window_sums,
        simplify,  # what is done to filters is done once
        with_flat_lists,
        with_list_types,
        rewritten,
        lengths_first,
        with_number_vectors,
    )


def foreign_arrays(graph: Graph) -> Iterator[LibraryObstacle]:
    """The arguments and results of types that have no native form."""
    for kind, values in (("argument", graph.parameters), ("result", graph.results)):
        for value in dict.fromkeys(values):
            is_made = kind == "result" and value.type.dims is None
            if not is_native_dtype(value.type.dtype) or not (is_made or is_native_type(value.type)):
                reason = f"{value.type!r} has no native form"
                yield LibraryObstacle(f"the {kind} {value.node.name}", reason, value.node.location)


def foreign_nodes(graph: Graph) -> dict[Node, LibraryObstacle]:
    """The nodes that have no native form, as far as ops and types show it."""
    foreign = {}
    for node in graph.nodes:
        is_given = isinstance(node.op, (Placeholder, Const, MatMulAdd))
        if not (is_given or is_size_node(node) or is_native(node, in_loop=True)):
            reason = UNKNOWN_WINDOWS if rule_of(node.op) else why(node)
            foreign[node] = LibraryObstacle(node.op.type_name, reason, node.location)
    return foreign


def with_constants(graph: Graph) -> Graph:
    """The graph with constants in place of what it captures."""
    return without_unused(simplify(frozen(graph)))
