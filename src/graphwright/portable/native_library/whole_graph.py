"""A function as a graph that is machine code from end to end.

A library has no kernels beside its machine code. So calls are inlined, variables and captured
tensors become constants, and windows become products and sums. What remains outside is refused,
all of it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from graphwright.autodiff.custom import CustomGradient
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
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value, transform
from graphwright.op.interpreter import activate, apply
from graphwright.op.op import Op
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.gathering import gather, gather_nd
from graphwright.ops.state.variable_ops import ReadVariableOp, ResourceGather
from graphwright.ops.state.variable_slices import ResourceGatherNd
from graphwright.portable.native_library.window_sums import (
    UNKNOWN_WINDOWS,
    rule_of,
    with_window_sums,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types.dtypes import resource
from graphwright.types.tensor_type import TensorType
from graphwright.values.tensor import EagerTensor


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


# -- what comes from outside ------------------------------------------------------------------

#: The handles of variables and the like, by the values that stand for them in a graph.
Handles = dict[Value, EagerTensor]


def with_constants(graph: Graph) -> Graph:
    """The graph with constants in place of captures, and of the variables behind them.

    What only gradients need goes, too.
    """
    into = Graph(graph.name)
    eager = [(value, x) for x, value in graph.captures if isinstance(x, EagerTensor)]
    outer: Handles = {value: x for value, x in eager if x.dtype is resource}
    constants = {value: x for value, x in eager if x.dtype.is_numpy_compatible}
    handles: Handles = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        if isinstance(node.op, Placeholder) and node.outputs[0] in constants:
            return (constant(constants[node.outputs[0]], into, node),)
        return given(node, outer, handles, into) or with_values(node, inputs, handles, into)

    transform(graph, rewrite, into)
    into.captures = [(outside, value) for outside, value in into.captures if value in handles]
    into.names = graph.names
    return without_unused(simplify(into))


def without_unused(graph: Graph) -> Graph:
    """The graph without captures that nothing uses."""
    used = {value for node in graph.nodes for value in node.inputs} | set(graph.results)
    unused = {value.node for _, value in graph.captures if value not in used}
    graph.captures = [(outside, value) for outside, value in graph.captures if value in used]
    graph.nodes = [node for node in graph.nodes if node not in unused]
    return graph


def reading(graph: Graph, known: dict[int, EagerTensor]) -> Graph:
    """A graph inside another, with constants in place of reads of its known arguments."""
    into = Graph(graph.name, graph.is_body)
    arguments = graph.arguments
    outer: Handles = {arguments[i]: handle for i, handle in known.items()}
    handles: Handles = {}

    def rewrite(node: Node, inputs: tuple[Value, ...]) -> tuple[Value, ...] | None:
        return given(node, outer, handles, into) or with_values(node, inputs, handles, into)

    transform(graph, rewrite, into)
    return into


def given(node: Node, outer: Handles, handles: Handles, into: Graph) -> tuple[Value, ...] | None:
    """The copy of a placeholder for a handle, which is noted; None for other nodes."""
    if not isinstance(node.op, Placeholder) or node.outputs[0] not in outer:
        return None
    copy = into.placeholder(node.outputs[0].type, node.name)
    handles[copy] = outer[node.outputs[0]]
    return (copy,)


def with_values(
    node: Node, inputs: tuple[Value, ...], handles: Handles, into: Graph
) -> tuple[Value, ...] | None:
    """The outputs of a node that reads a variable, or whose graphs may; None for other nodes."""
    op = node.op
    if isinstance(op, CustomGradient):
        return inputs[: op.count]
    if isinstance(op, (ReadVariableOp, ResourceGather, ResourceGatherNd)) and inputs[0] in handles:
        with activate(None):
            now = apply(ReadVariableOp.of(op.dtype, op.shape), handles[inputs[0]])
        value = constant(now, into, node)
        if isinstance(op, ReadVariableOp):
            return (value,)
        pick = gather if isinstance(op, ResourceGather) else gather_nd
        with tracing(into):
            picked = pick(SymbolicTensor(value, into), SymbolicTensor(inputs[1], into))
        return (picked._value,)
    if isinstance(op, StatelessWhile):
        known = {i: handles[v] for i, v in enumerate(inputs) if v in handles}
        other: Op = op.repeating(reading(op.cond, known), reading(op.body, known))
    elif isinstance(op, BranchingOp):
        known = {i: handles[v] for i, v in enumerate(inputs[1:]) if v in handles}
        other = op.choosing(tuple([reading(side, known) for side in op.graphs]))
    else:
        return None
    types = tuple([v.type for v in node.outputs])
    outputs = into.add(other, inputs, types, node.name, node.location).outputs
    if isinstance(op, StatelessWhile):  # a loop hands its variables on
        handles.update({outputs[i]: v for i, v in known.items() if i < len(outputs)})
    return outputs


def constant(tensor: EagerTensor, into: Graph, node: Node) -> Value:
    """A constant in place of a node."""
    array = np.asarray(tensor.numpy(), tensor.dtype.numpy_dtype)
    type_ = TensorType(tensor.dtype, array.shape)
    made = into.add(Const(Literal(array, type_)), (), (type_,), node.name, node.location)
    return made.outputs[0]
