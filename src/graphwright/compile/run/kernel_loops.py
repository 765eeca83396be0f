"""The loops of a graph that run as Python over kernels, what keeps each out of machine code, and
the kernels that machine code calls."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.base.errors import Location
from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.simplify import simple_graphs, simplify
from graphwright.compile.graph.value_form import is_of_variable, value_form
from graphwright.compile.graph.variable_cells import VariableCells
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.inspection import why
from graphwright.compile.select.coverage import in_the_way
from graphwright.compile.select.native_op import Native
from graphwright.compile.select.segments import partition
from graphwright.control.branch import StatelessCase, StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, subgraphs_of
from graphwright.op.op import Effect

_SHOWN = 3  # obstacles of a loop that a sentence names


class Obstacle(NamedTuple):
    """A node that keeps a loop out of machine code: its op, its line, and why."""

    op: str
    line: Location | None
    reason: str

    def __str__(self) -> str:
        return f"{self.op}{place_of(self.line)}: {self.reason}"


class KernelLoop(NamedTuple):
    """A loop that runs as Python over kernels, and its obstacles."""

    line: Location | None
    obstacles: tuple[Obstacle, ...]

    def __str__(self) -> str:
        shown = "; ".join(dict.fromkeys(map(str, self.obstacles[:_SHOWN])))
        left_out = len(self.obstacles) - _SHOWN
        more = f"; and {left_out} more" if left_out > 0 else ""
        number = len(self.obstacles)
        nodes = "1 node keeps" if number == 1 else f"{number} nodes keep"
        return f"{nodes} a loop{place_of(self.line)} out of machine code: {shown}{more}"


def place_of(line: Location | None) -> str:
    """` (file:line)`, or nothing."""
    return "" if line is None else f" ({line.filename}:{line.lineno})"


def kernel_loops(graph: Graph) -> list[KernelLoop]:
    """The loops of a graph that have no native form, those in loops and branches included."""
    return list(loops_of(simplify(graph))) if has_loops(graph) else []


def called_kernels(graph: Graph) -> list[str]:
    """The kernels that machine code calls in loops and branches of a graph, with their lines."""
    if not any(map(subgraphs_of, [node.op for node in graph.nodes])):
        return []
    try:
        parts = partition(simplify(graph))
    except NotNative:  # kernels run all of it
        return []
    programs = [node.op.lowered[0] for node in parts.nodes if isinstance(node.op, Native)]
    called = dict.fromkeys([kernel for program in programs for kernel in program.kernels])
    return [f"{op}{place_of(line)}" for op, line in called]


def has_loops(graph: Graph) -> bool:
    """Whether there are loops in a graph, or in those in it."""
    return any(
        isinstance(node.op, StatelessWhile) or any(map(has_loops, subgraphs_of(node.op)))
        for node in graph.nodes
    )


def loops_of(simple: Graph) -> Iterator[KernelLoop]:
    """The loops of a simplified graph that have no native form."""
    refusals: dict[Node, NotNative] = {}
    try:
        parts = partition(simple, refusals)
    except NotNative as refusal:  # kernels run all of it
        parts, refusals = simple, dict.fromkeys(simple.nodes, refusal)
    named = {node.name: refusal for node, refusal in refusals.items()}
    cells = VariableCells(parts)
    for node in parts.nodes:
        op = node.op
        if isinstance(op, Native):
            continue
        if isinstance(op, StatelessWhile):
            yield KernelLoop(node.location, tuple(obstacles(node, named.get(node.name), cells)))
        if isinstance(op, (StatelessWhile, StatelessIf, StatelessCase)):
            for inner in simple_graphs(op):
                yield from loops_of(inner)


def obstacles(loop: Node, refusal: NotNative | None, cells: VariableCells) -> Iterator[Obstacle]:
    """The nodes that keep a loop out of machine code, and none more than once."""
    if loop.op.effect is not Effect.NONE:
        try:
            loop = value_form(loop, cells).node
        except NotNative as formless:
            refusal = formless
    nodes = [node for node in without_native_form(loop) if not is_of_variable(node)]
    for node in dict.fromkeys(nodes):
        yield Obstacle(node.op.type_name, node.location, why(node))
    if not nodes:
        if refusal is None:
            yield Obstacle(loop.op.type_name, loop.location, why(loop))
        else:
            node = refusal.innermost or loop
            yield Obstacle(node.op.type_name, node.location, str(refusal))


def without_native_form(loop: Node) -> Iterator[Node]:
    """The nodes in a loop or a branch, at any depth, that have no native form by op and types."""
    for node in in_the_way(loop.op):
        inner: list[Node] = []
        if isinstance(node.op, (StatelessWhile, StatelessIf)):
            inner = list(without_native_form(node))
        yield from inner or [node]
