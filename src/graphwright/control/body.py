"""Traces the Python functions of branches and loops into graphs of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphwright.base.errors import Location, is_own
from graphwright.ir.execution import is_pure
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.op.interpreter import apply
from graphwright.op.op import Effect, Op
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.gathering import GatherNd, GatherV2
from graphwright.ops.core.identity import IDENTITY
from graphwright.ops.state.variable_ops import ReadVariableOp, ResourceGather, VariableGather
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import OnVariable, Tracer, tracing
from graphwright.types import dtypes as dt
from graphwright.types import tree
from graphwright.types.arguments import TensorLike, TensorValue
from graphwright.types.tensor_type import TensorType
from graphwright.values.convert import convert

_SCALAR = TensorType(dt.int32, ())


class GraphOp(Op):
    """An op with graphs among its attributes; it runs user code if one of them does."""

    returns_tuple = True

    @property
    def pure(self) -> bool:  # type: ignore[override]  # decided by the attributes
        """Whether none of the graphs calls user code."""
        return all(is_pure(graph) for graph in subgraphs_of(self))


class Body:
    """A Python function traced into a graph: the results that it fills, and their structure."""

    def __init__(
        self,
        graph: Graph,
        structure: object,
        leaves: Sequence[object],
        function: Callable[..., object],
    ) -> None:
        self.graph = graph
        self.structure: Any = structure
        self.leaves: list[Any] = list(leaves)
        self.function = function

    def insert(self, position: int, make: Callable[[], object]) -> None:
        """Adds an item, which `make` makes in the graph, to the list that the function returned."""
        start = len(tree.flatten(self.structure[:position], expand_composites=True))
        with tracing(self.graph) as tracer:
            item = make()
            leaves = tree.flatten(item, expand_composites=True)
            self.graph.results[start:start] = [result_value(tracer, leaf) for leaf in leaves]
        self.structure.insert(position, item)
        self.leaves[start:start] = leaves

    def replace(self, change: Callable[[Any], Any]) -> None:
        """Gives each returned object the form that `change` makes of it in the graph."""
        with tracing(self.graph) as tracer:
            self.structure = tree.map_structure(change, self.structure)
            leaves = tree.flatten(self.structure, expand_composites=True)
            values = dict(zip(map(id, self.tensors), self.graph.results))
            self.graph.results = [
                values.get(id(leaf)) or result_value(tracer, leaf)
                for leaf in leaves
                if leaf is not None
            ]
        self.leaves = leaves

    def __str__(self) -> str:
        """What the function returns, by types, and the line where it begins."""
        types = tree.map_structure(_Typed, self.structure)
        where = definition_of(self.function)
        return str(types) if where is None else f"{types} ({where})"

    @property
    def tensors(self) -> list[Any]:
        """The returned tensors; a returned None is none of them."""
        return [leaf for leaf in self.leaves if leaf is not None]

    def pack(self, tensors: Sequence[object]) -> Any:
        """Other tensors in the structure that the function returned."""
        remaining = iter(tensors)
        filled = [None if leaf is None else next(remaining) for leaf in self.leaves]
        return tree.pack_sequence_as(self.structure, filled, expand_composites=True)


class _Typed:
    """A leaf that shows its type."""

    def __init__(self, leaf: object) -> None:
        self.leaf = leaf

    def __repr__(self) -> str:
        type_ = getattr(self.leaf, "type", None)
        return repr(type_) if isinstance(type_, TensorType) else type(self.leaf).__name__


def definition_of(function: Callable[..., object]) -> Location | None:
    """The place where a program's function is defined; None for one that is not Python code."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(function, "__code__", None)
    if code is None or is_own(code):
        return None
    return Location(code.co_filename, code.co_firstlineno, code.co_name)


def trace_body(
    function: Callable[..., object],
    name: str,
    types: Sequence[TensorType] = (),
    like: object = (),
    on_variable: OnVariable | None = None,
) -> Body:
    """Traces `function` on placeholders of `types`, packed as the structure `like`.

    A function around it decides about variables, unless `on_variable` does.
    """
    graph = Graph(name, is_body=True)
    with tracing(graph) as tracer:
        tracer.on_variable = on_variable
        parameters = [graph.placeholder(t, f"args_{i}") for i, t in enumerate(types)]
        graph.parameters = parameters
        symbolic = [SymbolicTensor(value, graph) for value in parameters]
        arguments = tree.pack_sequence_as(like, symbolic, expand_composites=True)
        structure = function(*arguments)
        leaves = [as_result(leaf, function) for leaf in tree.flatten(structure, True)]
        structure = tree.pack_sequence_as(structure, leaves, expand_composites=True)
        graph.results = [result_value(tracer, t) for t in leaves if t is not None]
    return Body(graph, structure, leaves, function)


def as_result(leaf: TensorLike | None, function: Callable[..., object]) -> Any:
    """A returned leaf as a tensor, or None where there is none."""
    if leaf is None:
        return None
    try:
        return convert(leaf, name="Const")
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors "
            f"or ExtensionTypes or None values; in compilation of {function}, found return value "
            f"of type {type(leaf).__name__}, which is not a Tensor or ExtensionType."
        ) from error


def result_value(tracer: Tracer, tensor: TensorValue) -> Value:
    """The graph's value for a returned tensor, from a node of its own. So the name and the type of
    a result are not those of what it is computed from.
    """
    return tracer.value_of(apply(IDENTITY, tensor))


def share_captures(graphs: Sequence[Graph]) -> list[Any]:
    """Makes all graphs take the same captures in the same order; returns these."""
    outside: dict[int, tuple[Any, TensorType]] = {}
    for graph in graphs:
        for tensor, value in graph.captures:
            outside.setdefault(id(tensor), (tensor, value.type))
    for graph in graphs:
        inside = {id(tensor): value for tensor, value in graph.captures}
        graph.captures = [
            (tensor, inside.get(key) or graph.placeholder(type_, "captured"))
            for key, (tensor, type_) in outside.items()
        ]
    return [tensor for tensor, _ in outside.values()]


def hoist_reads(graphs: Sequence[Graph]) -> None:
    """Moves reads of variables out of the graphs of a loop, if nothing in it changes variables.

    An iteration then neither reads them nor remembers what it read. What takes a few rows of a
    variable takes them of its value.
    """
    captures = [value for graph in graphs for _, value in graph.captures]
    if not any(value.type.dtype is dt.resource for value in captures):
        return  # nothing that could be read
    if any(may_change_variables(node) for graph in graphs for node in graph.nodes):
        return
    reads: dict[Any, Any] = {}
    for graph in graphs:
        graph.nodes = [part for node in graph.nodes for part in gathered_from_value(node)]
        outside = {value: tensor for tensor, value in graph.captures}
        hoisted: dict[Any, Value] = {}
        for node in graph.nodes:
            if not isinstance(node.op, ReadVariableOp) or node.inputs[0] not in outside:
                continue
            handle = outside[node.inputs[0]]
            key = (node.op, id(handle))
            if key not in reads:
                reads[key] = apply(node.op, handle)
            (value,) = node.outputs
            if key in hoisted:
                node.op, node.inputs = IDENTITY, (hoisted[key],)
                continue
            node.op, node.inputs = Placeholder(value.type.dtype, value.type.dims), ()
            hoisted[key] = value
            graph.captures.append((reads[key], value))
        used = {v for node in graph.nodes for v in node.inputs}.union(graph.results)
        idle = {v for v in outside if v.type.dtype is dt.resource and v not in used}
        graph.captures = [(tensor, value) for tensor, value in graph.captures if value not in idle]
        graph.nodes = [node for node in graph.nodes if idle.isdisjoint(node.outputs)]


def may_change_variables(node: Node) -> bool:
    """Whether a node may change a variable. Drawing random numbers changes a stream alone."""
    if node.op.effect is not Effect.WRITE:
        return False
    handles = any(v.type.dtype is dt.resource for v in node.inputs)
    return handles or not node.op.has_stream


def gathered_from_value(node: Node) -> list[Node]:
    """The nodes that take rows of a variable's value, in place of one that takes them of the
    variable; all others as they are."""
    if not isinstance(node.op, VariableGather):
        return [node]
    handle, indices = node.inputs
    type_ = TensorType(node.op.dtype, node.op.shape)
    of_variable = ReadVariableOp.of(node.op.dtype, node.op.shape)
    read = Node(of_variable, (handle,), (type_,), f"{node.name}/read", node.location)
    if isinstance(node.op, ResourceGather):
        zero = Const(Literal(np.asarray(0, np.int32), _SCALAR))
        axis = Node(zero, (), (_SCALAR,), f"{node.name}/axis", node.location)
        node.op, node.inputs = GatherV2.of(), (*read.outputs, indices, *axis.outputs)
        return [read, axis, node]
    node.op, node.inputs = GatherNd.of(), (*read.outputs, indices)
    return [read, node]
