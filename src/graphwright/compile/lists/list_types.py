"""What the items of lists are, and so the types of tensors that are read from lists.

A TensorArray is often made without a shape for its items; what is written to it, in loops too,
says it. This pass gives every tensor that is read from a list the type that follows, and
makes constants of the shapes that are then known: without it no native form is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.prune import like, resolved
from graphwright.compile.graph.simplify import folded, simplify
from graphwright.compile.lists.nested_lists import TensorListAppend, TensorListTake
from graphwright.control.branch import BranchingOp, StatelessCase, StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ir.once import once_per_graph
from graphwright.op.op import Effect, Op, is_whole
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.shapes import Shape
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListAddN,
    TensorListGetItem,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack
from graphwright.ops.state.tensor_list import known_dims
from graphwright.types import dtypes as dt
from graphwright.types.tensor_type import Dims, TensorType, join_dims, merge_dims

#: In place of the shape of what was written, where nothing was.
UNWRITTEN: Any = "unwritten"

#: Times that a loop's body is looked at for what its lists hold.
_ROUNDS = 4


class ListItems(NamedTuple):
    """What is known of a list: what its items must be, what was written, how many there are."""

    declared: Dims | None = None
    written: Any = None
    size: int | None = None
    constant: Any = None  # the op of the constant that every item is

    @property
    def dims(self) -> Dims | None:
        """The shape of every item."""
        if self.written is UNWRITTEN:
            return self.declared
        return merge_dims(self.declared, self.written)

    def written_to(self, dims: Dims | None) -> ListItems:
        """The list with an item of this shape."""
        one = self.written is UNWRITTEN
        return self._replace(written=dims if one else join_dims(self.written, dims))

    def join(self, other: ListItems) -> ListItems:
        """A list that is the one or the other."""
        both = self if other.written is UNWRITTEN else self.written_to(other.written)
        if self.written is UNWRITTEN:
            both = both._replace(written=other.written)
        declared = join_dims(self.declared, other.declared)
        size = self.size if self.size == other.size else None
        return ListItems(declared, both.written, size, self.common(other.constant))

    def common(self, constant: Any) -> Any:
        """The constant that every item is, if others are `constant`."""
        if UNWRITTEN in (self.constant, constant):
            return constant if self.constant is UNWRITTEN else self.constant
        return self.constant if self.constant == constant else None


UNKNOWN = ListItems()


def with_list_types(graph: Graph) -> Graph:
    """The graph with the types that follow from what is written to lists."""
    if not has_lists(graph):
        return graph
    types = [value.type for value in graph.arguments]
    return simplify(Walks().of(graph, types, [None] * len(types))[0])


@once_per_graph
def has_lists(graph: Graph) -> bool:
    """Whether lists are made or used, in inner graphs too."""
    return any(
        any(v.type.dtype is dt.variant for v in (*node.inputs, *node.outputs))
        for node in graph.nodes
    ) or any(map(has_lists, graph.subgraphs()))


class Walks:
    """What graphs become, given the types of their arguments and what those that are lists hold.

    A loop's body is looked at several times, and with it the loops in it: what is given the same
    again becomes the same.
    """

    def __init__(self) -> None:
        self.found: dict[Any, tuple[Graph, list[ListItems | None]]] = {}

    def of(
        self, graph: Graph, types: Sequence[TensorType], items: Sequence[ListItems | None]
    ) -> tuple[Graph, list[ListItems | None]]:
        """The graph as it becomes, and what its results hold."""
        key = graph, tuple(types), tuple(items)
        if key not in self.found:
            walk = Refinement(graph, types, items, self)
            self.found[key] = walk.run(), walk.result_items()
        return self.found[key]


class Refinement:
    """One walk over a graph, whose arguments have certain types and, if lists, items."""

    def __init__(
        self,
        graph: Graph,
        types: Sequence[TensorType],
        items: Sequence[ListItems | None],
        walks: Walks,
    ) -> None:
        self.graph = graph
        self.walks = walks  # over the graphs in it
        self.new: dict[Value, Value] = {}
        self.items: dict[Value, ListItems] = {}
        self.nodes: list[Node] = []
        self.given = dict(zip(graph.arguments, types))
        for value, own in zip(graph.arguments, items):
            if own is not None:
                self.items[value] = own

    def run(self) -> Graph:
        """The graph as it becomes."""
        for node in self.graph.nodes:
            self.visit(node)
        return like(self.graph, self.nodes, self.new)

    def result_items(self) -> list[ListItems | None]:
        """What the results hold, None for tensors."""
        return [self.list_of(v) if is_list(v) else None for v in self.graph.results]

    def list_of(self, value: Value) -> ListItems:
        """What is known of a list."""
        return self.items.get(value, UNKNOWN)

    def visit(self, node: Node) -> None:
        """A node, for its new inputs."""
        inputs = tuple([resolved(v, self.new) for v in node.inputs])
        op, types = node.op, tuple([v.type for v in node.outputs])
        if isinstance(op, Placeholder):
            types = tuple([self.given.get(v, v.type) for v in node.outputs])
        elif isinstance(op, StatelessWhile):
            op, types = self.loop(node, op, inputs)
        elif isinstance(op, (StatelessIf, StatelessCase)):
            op, types = self.branch(node, op, inputs)
        else:
            self.follow(node)
            if inputs != node.inputs or type(op) in _READS:
                types = self.inferred(node, inputs, types)
        same = all(t is v.type for t, v in zip(types, node.outputs))
        if op is node.op and inputs == node.inputs and same and not isinstance(op, Shape):
            self.nodes.append(node)
        else:
            self.add(node, op, inputs, types)
        if isinstance(op, TensorListPopBack):
            self.recall(node)

    def add(
        self, node: Node, op: Op, inputs: tuple[Value, ...], types: tuple[TensorType, ...]
    ) -> None:
        """Another node in place of one: a constant, where all of it is known now."""
        fresh = Node(op, inputs, types, node.name, node.location)
        if len(types) == 1 and types[0].dtype in (dt.int32, dt.int64):
            value = known_array(fresh)
            if value is not None:
                fresh = Node(Const(Literal(value, types[0])), (), types, node.name, node.location)
        constants = folded(fresh, fresh.inputs)
        nodes = [fresh] if constants is None else constants
        self.nodes += nodes
        self.new.update(zip(node.outputs, [v for n in nodes for v in n.outputs]))

    def recall(self, node: Node) -> None:
        """An item that is always the same constant -> the constant"""
        op = self.list_of(node.inputs[0]).constant
        if isinstance(op, Const):
            types = (op.value.type,)
            self.nodes.append(Node(op, (), types, node.name, node.location))
            self.new[resolved(node.outputs[1], self.new)] = self.nodes[-1].outputs[0]

    def inferred(
        self, node: Node, inputs: tuple[Value, ...], types: tuple[TensorType, ...]
    ) -> tuple[TensorType, ...]:
        """The result types for new inputs, where these say more."""
        mask = node.op.host_mask(len(inputs))
        described = [known(v) if host else v.type for v, host in zip(inputs, mask)]
        try:
            found: Sequence[TensorType] = node.op.infer(described)
            if type(node.op) in _READS:
                found = [self.read(node, found[-1]) if t is found[-1] else t for t in found]
            return tuple([merged(a, b) for a, b in zip(types, found)])
        except (ValueError, TypeError):  # it fails when it runs, with its own words
            return types

    def read(self, node: Node, type_: TensorType) -> TensorType:
        """The type of what is read from a list."""
        items = self.list_of(node.inputs[0])
        dims = items.dims
        if isinstance(node.op, TensorListStack) and dims is not None:
            dims = (items.size, *dims)
        return TensorType(type_.dtype, merge_dims(type_.dims, dims))

    # -- lists ------------------------------------------------------------------------------

    def follow(self, node: Node) -> None:
        """Notes what a node's lists hold."""
        op, inputs = node.op, node.inputs
        if not any(is_list(v) for v in node.outputs):
            return
        first = self.list_of(inputs[0]) if inputs else UNKNOWN
        if isinstance(op, (EmptyTensorList, TensorListReserve)):
            count = known(resolved(inputs[1], self.new)) if type(op) is TensorListReserve else None
            nothing = UNWRITTEN if type(op) is EmptyTensorList else None
            found = ListItems(dims_of(inputs[0]), UNWRITTEN, count, nothing)
        elif isinstance(op, TensorListFromTensor):
            dims = resolved(inputs[0], self.new).type.dims
            rows = None if dims is None else dims[1:]
            found = ListItems(rows, rows, dims[0] if dims else None)
        elif isinstance(op, TensorListSetItem):
            item = resolved(inputs[2], self.new).type.dims
            found = first.written_to(item)._replace(constant=None)
            if op.resize_if_index_out_of_bounds:
                found = found._replace(size=None)
        elif isinstance(op, TensorListPushBack):
            pushed = resolved(inputs[1], self.new)
            constant = first.common(pushed.node.op if isinstance(pushed.node.op, Const) else None)
            found = first.written_to(pushed.type.dims)._replace(size=None, constant=constant)
        elif isinstance(op, TensorListAppend):
            found = first.join(self.list_of(inputs[1]))._replace(size=None)
        elif isinstance(op, (TensorListPopBack, TensorListTake)):
            found = first._replace(size=None)
        elif isinstance(op, TensorListResize):
            found = first._replace(size=None, constant=None)
        elif isinstance(op, TensorListZerosLike):
            found = first._replace(constant=None)
        elif isinstance(op, Identity):
            found = first
        elif isinstance(op, TensorListAddN):
            found = first.join(self.list_of(inputs[1]))
        else:
            found = UNKNOWN
        self.items.update((v, found) for v in node.outputs if is_list(v))

    # -- inner graphs -----------------------------------------------------------------------

    def loop(
        self, node: Node, op: StatelessWhile, inputs: tuple[Value, ...]
    ) -> tuple[Op, tuple[TensorType, ...]]:
        """A loop: its lists hold what they do before it and after each iteration."""
        count = len(op.body.parameters)
        types = [merged(v.type, i.type) for v, i in zip(op.body.arguments, inputs)]
        items = [self.list_of(v) if is_list(v) else None for v in node.inputs]
        for _ in range(_ROUNDS):
            body, after = self.walks.of(op.body, types, items)
            wider = [
                own if found.type.is_subtype_of(own) else value.type
                for own, found, value in zip(types, body.results, op.body.parameters)
            ]
            joined = [own and found and own.join(found) for own, found in zip(items, after)]
            if wider == types[:count] and joined == items[:count]:
                break
            types[:count], items[:count] = wider, joined
        else:
            return op, tuple([v.type for v in node.outputs])
        self.items.update((v, own) for v, own in zip(node.outputs, items) if own is not None)
        cond, _ = self.walks.of(op.cond, types, items)
        return op.repeating(cond, body), tuple(types[:count])

    def branch(
        self, node: Node, op: BranchingOp, inputs: tuple[Value, ...]
    ) -> tuple[Op, tuple[TensorType, ...]]:
        """A branch: its results are those of either side."""
        graphs, held = [], []
        for graph in op.graphs:
            types = [merged(v.type, i.type) for v, i in zip(graph.arguments, inputs[1:])]
            items = [self.list_of(v) if is_list(v) else None for v in node.inputs[1:]]
            other, after = self.walks.of(graph, types, items)
            graphs.append(other)
            held.append(after)
        types = []
        for i, output in enumerate(node.outputs):
            found: TensorType | None = graphs[0].results[i].type
            for graph in graphs[1:]:
                found = found and found.join(graph.results[i].type)
            types.append(output.type if found is None else merged(output.type, found))
            if is_list(output):
                self.items[output] = joined_items([h[i] or UNKNOWN for h in held])
        return op.choosing(tuple(graphs)), tuple(types)


_READS = frozenset({TensorListGetItem, TensorListPopBack, TensorListStack})


def is_list(value: Value) -> bool:
    """Whether a value is a list, as far as types tell."""
    return value.type.dtype is dt.variant


def joined_items(many: Sequence[ListItems]) -> ListItems:
    """A list that is one of several."""
    result = many[0]
    for items in many[1:]:
        result = result.join(items)
    return result


def merged(a: TensorType, b: TensorType) -> TensorType:
    """What is known when both hold; the first where they contradict each other."""
    try:
        dims = merge_dims(a.dims, b.dims)
    except ValueError:
        return a
    return a if dims == a.dims else TensorType(a.dtype, dims)


def dims_of(element_shape: Value) -> Dims | None:
    """An operand `element_shape` as dims."""
    shape = known(element_shape)
    return None if shape is None else known_dims(shape)


def known_array(node: Node) -> Any:
    """The array that a node's result is known to be, or None."""
    value = node.outputs[0]
    if node.op.effect is not Effect.NONE or not value.type.is_static:
        return None
    if isinstance(node.op, (Const, Placeholder)):
        return None
    found = known(value)
    if not is_whole(found):
        return None
    array = np.asarray(found, value.type.dtype.numpy_dtype)
    return array if array.shape == value.type.dims else None
