"""Segments become nodes: each one a graph of its own in one `Native` node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from graphwright.compile.graph.variable_cells import UPDATES
from graphwright.compile.nests.sizes import NotNative
from graphwright.compile.run.mishaps import contained
from graphwright.compile.select.coverage import is_native
from graphwright.compile.select.host_operands import is_single_size, is_size
from graphwright.compile.select.native_op import Native, NativeUpdate, Renderer
from graphwright.ir.graph import Graph, Node, Value, subgraphs_of
from graphwright.ops.core.creation import Const
from graphwright.ops.core.joining import Pack
from graphwright.ops.core.shapes import Shape, Size
from graphwright.ops.state.variable_ops import Assignment, ReadVariableOp
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.graph.value_form import ValueForm


class Outline:
    """The graph of a segment, built node by node.

    It reads the variables that it changes at its start and writes them at its end, so it is pure
    in between.
    """

    def __init__(
        self,
        name: str,
        reads: Collection[Node] = (),
        forms: Mapping[Node, ValueForm] = MappingProxyType({}),
    ) -> None:
        self.body = Graph(f"{name}_native")
        self.reads = reads  # of variables' values when the segment begins
        self.forms = forms  # of loops and branches that change variables
        self.origins: dict[Node, Node] = {}  # node here -> node of the graph around
        self.mapping: dict[Value, Value] = {}
        self.sizes: dict[Value, Value] = {}
        self.arguments: list[Value] = []
        self.before: dict[Value, Value] = {}  # by handle: the variable's old value
        self.after: dict[Value, Value] = {}  # by handle: its new value

    def add(self, node: Node) -> None:
        """Adds the next node."""
        first = len(self.body.nodes)
        if isinstance(node.op, ReadVariableOp):
            self.mapping[node.outputs[0]] = self.current(node.inputs[0], node.outputs[0].type)
        elif isinstance(node.op, Assignment):
            handle, value = node.inputs
            self.after[handle] = self.changed(node, handle, self.argument(value))
        elif node in self.forms:
            self.add_form(node, self.forms[node])
        else:
            mask = node.op.host_mask(len(node.inputs))
            self.mapping.update(zip(node.outputs, self.copied(node, mask)))
        self.origins.update(dict.fromkeys(self.body.nodes[first:], node))

    def changed(self, node: Node, handle: Value, value: Value) -> Value:
        """The value of a variable after an assignment."""
        op = UPDATES.get(type(node.op))
        if op is None:
            return value
        operands, types = (self.current(handle, value.type), value), (value.type,)
        return self.body.add(op.of(), operands, types, node.name, node.location).outputs[0]

    def add_form(self, node: Node, form: ValueForm) -> None:
        """Adds a loop or a branch over variables' values in place of the one over variables."""
        for operand, handle in form.handles.items():
            self.mapping[operand] = self.current(handle, operand.type)
        mask = form.node.op.host_mask(len(form.node.inputs))
        outputs = self.copied(form.node, mask)
        count = len(node.outputs)
        self.mapping.update(zip(node.outputs, outputs[:count]))
        self.after.update(zip(form.written, outputs[count:]))

    def current(self, handle: Value, type_: TensorType) -> Value:
        """The value of a variable after the nodes so far."""
        changed = self.after.get(handle)
        return self.old_value(handle, type_) if changed is None else changed

    def old_value(self, handle: Value, type_: TensorType) -> Value:
        """The value of a variable when the segment begins."""
        if handle not in self.before:
            self.before[handle] = self.body.placeholder(type_, handle.node.name)
        return self.before[handle]

    def pairs(self, results: int) -> list[tuple[int, int]]:
        """(result, argument): a variable's new value, behind `results` others, and the old one."""
        before = list(self.before)
        return [
            (results + i, before.index(h)) for i, h in enumerate(self.after) if h in self.before
        ]

    def argument(self, value: Value) -> Value:
        """The value here for one of the graph around: computed, a constant, or an argument."""
        if isinstance(value.node.op, Const) or is_single_size(value):
            return self.size(value)
        if value not in self.mapping and value.node in self.reads:
            self.mapping[value] = self.old_value(value.node.inputs[0], value.type)
        if value not in self.mapping:
            self.arguments.append(value)
            self.mapping[value] = self.body.placeholder(value.type, value.node.name)
        return self.mapping[value]

    def operand(self, value: Value) -> Value:
        """The same for an operand of an op without graphs: numbers that are packed are so here."""
        op = value.node.op
        is_packed = isinstance(op, Pack) and is_size(value) and is_native(value.node)
        return self.size(value) if is_packed else self.argument(value)

    def size(self, value: Value) -> Value:
        """The value here for a host operand."""
        node = value.node
        if not isinstance(node.op, Const) and not is_size(value):
            return self.argument(value)
        if value not in self.sizes:
            mask = node.op.host_mask(len(node.inputs))
            self.sizes.update(zip(node.outputs, self.copied(node, mask)))
        return self.sizes[value]

    def copied(self, node: Node, mask: Iterable[bool]) -> tuple[Value, ...]:
        """The outputs of a node's copy here."""
        chain = node.outputs and is_size(node.outputs[0]) and not isinstance(node.op, (Shape, Size))
        tensor = self.argument if any(subgraphs_of(node.op)) else self.operand
        inputs = [
            self.size(v) if host or chain else tensor(v) for v, host in zip(node.inputs, mask)
        ]
        types = tuple([v.type for v in node.outputs])
        return self.body.add(node.op, tuple(inputs), types, node.name, node.location).outputs

    def finish(self, results: Sequence[Value]) -> Graph:
        """The whole graph; its results are these values, then the variables' new values.

        Old values of variables that it only reads come behind those of the others.
        """
        body = self.body
        self.before = dict(sorted(self.before.items(), key=lambda item: item[0] not in self.after))
        arguments = [self.mapping[v] for v in self.arguments]
        body.parameters = [*self.before.values(), *arguments]
        body.results = [*[self.mapping[v] for v in results], *self.after.values()]
        return body


class OutlineWithEffects(Outline):
    """The graph of a segment with reads and assignments where the program has them."""

    def add(self, node: Node) -> None:
        """Adds the next node."""
        mask = node.op.host_mask(len(node.inputs))
        self.mapping.update(zip(node.outputs, self.copied(node, mask)))

    def old_value(self, handle: Value, type_: TensorType) -> Value:
        """The value of a variable when the segment begins."""
        if handle not in self.before:
            read = ReadVariableOp.of(type_.dtype, type_.dims)
            node = self.body.add(read, (self.argument(handle),), (type_,), handle.node.name)
            self.before[handle] = node.outputs[0]
        return self.before[handle]


def steps_of(
    name: str,
    nodes: Iterable[Node],
    reads: Collection[Node],
    arguments: Iterable[Value],
    results: Iterable[Value],
) -> Graph:
    """The nodes of a segment as a graph from these arguments to these results."""
    steps = OutlineWithEffects(name, reads)
    steps.body.parameters = [steps.body.placeholder(v.type, v.node.name) for v in arguments]
    steps.mapping.update(zip(arguments, steps.body.parameters))
    for node in nodes:
        steps.add(node)
    steps.body.results = [steps.mapping[v] for v in results]
    return steps.body


def native_node(
    graph: Graph,
    live: Sequence[Node],
    results: Sequence[Value],
    reads: Collection[Node],
    forms: Mapping[Node, ValueForm],
) -> Node:
    """The nodes of a segment as one node with these results.

    `reads` are the reads of variables that still hold when it begins, and `forms` those of loops
    and branches with effects.
    """
    written = {node.inputs[0] for node in live if isinstance(node.op, Assignment)}
    written.update(h for node in live if node in forms for h in forms[node].handles.values())
    outline = Outline(graph.name, [node for node in reads if node.inputs[0] in written], forms)
    for node in live:
        outline.add(node)
    body = outline.finish(results)
    try:
        with contained(graph.name):
            segment = Renderer.lower(body, outline.pairs(len(results)))
    except NotNative as reason:
        for refusal in reason.each:
            culprits = [outline.origins[n] for n in refusal.nodes if n in outline.origins]
            refusal.nodes = culprits or list(live)
        raise
    inputs = (*outline.before, *outline.after, *outline.arguments)
    op: Native = Native(body, segment)
    if outline.before or outline.after:
        steps = partial(steps_of, graph.name, live, outline.reads, inputs, results)
        only_read = len([handle for handle in outline.before if handle not in outline.after])
        counts = len(outline.before), only_read, len(outline.after)
        op = NativeUpdate(body, segment, *counts, steps)
    return Node(op, inputs, tuple([v.type for v in results]), body.name, live[-1].location)


def rewired(graph: Graph, nodes: list[Node], renamed: dict[Value, Value]) -> Graph:
    """A graph of these nodes that use the outputs of segments in place of the `renamed` values."""
    result = Graph(graph.name, graph.is_body)
    new = dict(renamed)
    for node in nodes:
        inputs = tuple([new.get(v, v) for v in node.inputs])
        if inputs != node.inputs:
            types = tuple([v.type for v in node.outputs])
            fresh = Node(node.op, inputs, types, node.name, node.location)
            for old, output in zip(node.outputs, fresh.outputs):
                for key in [k for k, v in renamed.items() if v is old]:
                    new[key] = output
                new[old] = output
            node = fresh
        result.nodes.append(node)
    result.parameters = [new.get(v, v) for v in graph.parameters]
    result.captures = [(outside, new.get(v, v)) for outside, v in graph.captures]
    result.results = [new.get(v, v) for v in graph.results]
    result.names = graph.names
    return result
