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
from graphwright.compile.nests.number_vectors import with_number_vectors
from graphwright.compile.run.inspection import why
from graphwright.compile.select.coverage import is_native, is_native_type, is_size_node
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.op import Op
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.state.variable_ops import ReadVariableOp
from graphwright.portable.native_library.window_sums import (
    UNKNOWN_WINDOWS,
    rule_of,
    with_window_sums,
)
from graphwright.types.dtypes import resource
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor
from graphwright.values.variable import Variable


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
        self.name = name
        self.obstacles = tuple(obstacles)


def whole(graph: Graph) -> Graph:
    """A graph of the same parameters and results, without captures, for machine code alone."""
    return through(
        simplify(graph),
        inlined,
        with_constants,
        with_window_sums,
        with_flat_lists,
        with_list_types,
        rewritten,
        lengths_first,
        with_number_vectors,
    )


def foreign_arguments(graph: Graph) -> Iterator[LibraryObstacle]:
    """The arguments of types that have no native form."""
    for value in graph.parameters:
        if not is_native_type(value.type):
            reason = f"{value.type!r} has no native form"
            yield LibraryObstacle(f"the argument {value.node.name}", reason, value.node.location)


def foreign_nodes(graph: Graph) -> dict[Node, LibraryObstacle]:
    """The nodes that have no native form, as far as ops and types show it."""
    foreign = {}
    for node in graph.nodes:
        is_given = isinstance(node.op, (Placeholder, Const, MatMulAdd))
        if not (is_given or is_size_node(node) or is_native(node, in_loop=True)):
            reason = UNKNOWN_WINDOWS if rule_of(node.op) else why(node)
            foreign[node] = LibraryObstacle(node.op.type_name, reason, node.location)
    return foreign


# -- what comes from outside ------------------------------------------------------------------


def with_constants(graph: Graph) -> Graph:
    """The graph with constants in place of captures, and of the variables behind them."""
    into = Graph(graph.name)
    handles: dict[Value, Variable] = {}
    constants: dict[Value, Literal] = {}
    for outside, value in graph.captures:
        variable = getattr(outside, "variable", None)
        if isinstance(variable, Variable):
            handles[value] = variable
        elif isinstance(outside, EagerTensor) and outside.dtype is not resource:
            constants[value] = literal_of(outside)
    mapped: dict[Value, Variable] = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if isinstance(node.op, Placeholder):
            value = node.outputs[0]
            if value in constants:
                return (constant(constants[value], into, node),)
            if value in handles:
                copy = into.placeholder(value.type, node.name)
                mapped[copy] = handles[value]
                return (copy,)
            return None
        return with_values(node, inputs, mapped, into)

    transform(graph, rewrite, into)
    into.captures = []
    into.names = graph.names
    return simplify(into)


def with_values(
    node: Node, inputs: tuple[Value, ...], handles: dict[Value, Variable], into: Graph
) -> tuple[Value, ...] | None:
    """The outputs of a node that reads a variable, or whose graphs do; None for other nodes."""
    if isinstance(node.op, ReadVariableOp) and inputs[0] in handles:
        tensor = handles[inputs[0]].read_value()
        return (constant(literal_of(tensor), into, node),)
    if not any(value in handles for value in inputs):
        return None
    op = node.op
    if isinstance(op, StatelessWhile):
        known = {i: handles[v] for i, v in enumerate(inputs) if v in handles}
        other: Op = op.repeating(reading(op.cond, known), reading(op.body, known))
    elif isinstance(op, StatelessIf):
        known = {i - 1: handles[v] for i, v in enumerate(inputs) if v in handles}
        other = op.choosing(tuple([reading(side, known) for side in op.graphs]))
    else:
        return None
    types = tuple([v.type for v in node.outputs])
    outputs = into.add(other, inputs, types, node.name, node.location).outputs
    if isinstance(op, StatelessWhile):  # a loop hands its variables on
        handles.update({outputs[i]: v for i, v in known.items() if i < len(outputs)})
    return outputs


def reading(graph: Graph, known: dict[int, Variable]) -> Graph:
    """A graph inside another, with constants in place of reads of its known arguments."""
    into = Graph(graph.name, graph.is_body)
    arguments = graph.arguments
    given = {arguments[i]: variable for i, variable in known.items()}
    handles: dict[Value, Variable] = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        value = node.outputs[0] if node.outputs else None
        if value is not None and value in given:
            copy = into.placeholder(value.type, node.name)
            handles[copy] = given[value]
            return (copy,)
        return with_values(node, inputs, handles, into)

    transform(graph, rewrite, into)
    return into


def literal_of(tensor: EagerTensor) -> Literal:
    """The array of a tensor, as constants hold it."""
    array = tensor.numpy()
    return Literal(array, TensorType(tensor.dtype, array.shape))


def constant(literal: Literal, into: Graph, node: Node) -> Value:
    """A constant in place of a node."""
    made = into.add(Const(literal), (), (literal.type,), node.name, node.location)
    return made.outputs[0]
