"""The shapes of lists' items, and so the types of tensors that are read from lists.

A TensorArray is often made without a shape for its items. The tensors written to it, in loops too,
say the shape. This pass refines the type of every tensor that is read from a list, and turns the
shapes that are then known into constants. Without it such a tensor has no native form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.prune import like, resolved
from graphwright.compile.graph.simplify import folded, simplify
from graphwright.compile.lists.list_uses import READS, has_lists, is_list
from graphwright.compile.lists.range_ops import TensorListAppend, TensorListTake
from graphwright.control.branch import BranchingOp, StatelessCase, StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.op.op import Effect, Op, is_whole
from graphwright.ops.core.creation import Const, Literal, Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.shapes import Shape
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListAddN,
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
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import Dims, TensorType, join_dims, merge_dims

#: Stands for the shape of written items where none was written.
UNWRITTEN: Any = "unwritten"

#: The most walks over a loop's body to find its lists' items.
_ROUNDS = 4


class ListItems(NamedTuple):
    """The knowledge of a list: its items' declared shape, the written ones', and its length."""

    declared: Dims | None = None
    written: Any = None
    size: int | None = None
    constant: Any = None  # the op of the constant that all items are

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
        """The knowledge of a list that is the one or the other."""
        union = self if other.written is UNWRITTEN else self.written_to(other.written)
        if self.written is UNWRITTEN:
            union = union._replace(written=other.written)
        declared = join_dims(self.declared, other.declared)
        size = self.size if self.size == other.size else None
        return ListItems(declared, union.written, size, self.common(other.constant))

    def common(self, constant: object) -> Any:
        """The constant that all items are, if further ones are `constant`."""
        if UNWRITTEN in (self.constant, constant):
            return constant if self.constant is UNWRITTEN else self.constant
        return self.constant if self.constant == constant else None


UNKNOWN = ListItems()


def with_list_types(graph: Graph) -> Graph:
    """The graph with the types that follow from the items written to lists."""
    if not has_lists(graph):
        return graph
    types = [value.type for value in graph.arguments]
    return simplify(Walks().of(graph, types, [None] * len(types))[0])


class Walks:
    """Refined graphs, by the types of their arguments and the items of those that are lists.

    A loop's body is walked several times, and with it the loops in it, so results are remembered.
    """

    def __init__(self) -> None:
        self.memo: dict[Any, tuple[Graph, list[ListItems | None]]] = {}

    def of(
        self, graph: Graph, types: Sequence[TensorType], items: Sequence[ListItems | None]
    ) -> tuple[Graph, list[ListItems | None]]:
        """The refined graph, and the items of its results."""
        key = graph, tuple(types), tuple(items)
        if key not in self.memo:
            walk = Refinement(graph, types, items, self)
            self.memo[key] = walk.run(), walk.result_items()
        return self.memo[key]


class Refinement:
    """One walk over a graph with certain types and, for lists, items of its arguments."""

    def __init__(
        self,
        graph: Graph,
        types: Sequence[TensorType],
        items: Sequence[ListItems | None],
        walks: Walks,
    ) -> None:
        self.graph = graph
        self.walks = walks  # over the graphs inside it
        self.new: dict[Value, Value] = {}
        self.items: dict[Value, ListItems] = {}
        self.nodes: list[Node] = []
        self.argument_types = dict(zip(graph.arguments, types))
        for value, content in zip(graph.arguments, items):
            if content is not None:
                self.items[value] = content

    def run(self) -> Graph:
        """The refined graph."""
        for node in self.graph.nodes:
            self.visit(node)
        return like(self.graph, self.nodes, self.new)

    def result_items(self) -> list[ListItems | None]:
        """The items of the results, None for tensors."""
        return [self.list_of(v) if is_list(v) else None for v in self.graph.results]

    def list_of(self, value: Value) -> ListItems:
        """The knowledge of a list."""
        return self.items.get(value, UNKNOWN)

    def visit(self, node: Node) -> None:
        """Adds a node for its refined inputs."""
        inputs = tuple([resolved(v, self.new) for v in node.inputs])
        op, types = node.op, tuple([v.type for v in node.outputs])
        if isinstance(op, Placeholder):
            types = tuple([self.argument_types.get(v, v.type) for v in node.outputs])
        elif isinstance(op, StatelessWhile):
            op, types = self.loop(node, op, inputs)
        elif isinstance(op, (StatelessIf, StatelessCase)):
            op, types = self.branch(node, op, inputs)
        else:
            self.follow(node)
            if inputs != node.inputs or type(op) in READS:
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
        """Adds a node in place of another: a constant, where its value is known now."""
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
        """Replaces a popped item by the constant that all items are, if so."""
        op = self.list_of(node.inputs[0]).constant
        if isinstance(op, Const):
            types = (op.value.type,)
            self.nodes.append(Node(op, (), types, node.name, node.location))
            self.new[resolved(node.outputs[1], self.new)] = self.nodes[-1].outputs[0]

    def inferred(
        self, node: Node, inputs: tuple[Value, ...], types: tuple[TensorType, ...]
    ) -> tuple[TensorType, ...]:
        """The result types for refined inputs, at least as specific as before."""
        mask = node.op.host_mask(len(inputs))
        described = [known(v) if host else v.type for v, host in zip(inputs, mask)]
        try:
            result: Sequence[TensorType] = node.op.infer(described)
            if type(node.op) in READS:
                result = [self.read(node, result[-1]) if t is result[-1] else t for t in result]
            return tuple([merged(a, b) for a, b in zip(types, result)])
        except (ValueError, TypeError):  # the run raises it, in the op's words
            return types

    def read(self, node: Node, type_: TensorType) -> TensorType:
        """The type of a tensor that a node reads from a list."""
        items = self.list_of(node.inputs[0])
        dims = items.dims
        if isinstance(node.op, TensorListStack) and dims is not None:
            dims = (items.size, *dims)
        return TensorType(type_.dtype, merge_dims(type_.dims, dims))

    # -- lists ------------------------------------------------------------------------------

    def follow(self, node: Node) -> None:
        """Notes the items of a node's lists."""
        op, inputs = node.op, node.inputs
        if not any(is_list(v) for v in node.outputs):
            return
        first = self.list_of(inputs[0]) if inputs else UNKNOWN
        if isinstance(op, (EmptyTensorList, TensorListReserve)):
            count = known(resolved(inputs[1], self.new)) if type(op) is TensorListReserve else None
            nothing = UNWRITTEN if type(op) is EmptyTensorList else None
            items = ListItems(dims_of(inputs[0]), UNWRITTEN, count, nothing)
        elif isinstance(op, TensorListFromTensor):
            dims = resolved(inputs[0], self.new).type.dims
            rows = None if dims is None else dims[1:]
            items = ListItems(rows, rows, dims[0] if dims else None)
        elif isinstance(op, TensorListSetItem):
            item = resolved(inputs[2], self.new).type.dims
            items = first.written_to(item)._replace(constant=None)
            if op.resize_if_index_out_of_bounds:
                items = items._replace(size=None)
        elif isinstance(op, TensorListPushBack):
            pushed = resolved(inputs[1], self.new)
            constant = first.common(pushed.node.op if isinstance(pushed.node.op, Const) else None)
            items = first.written_to(pushed.type.dims)._replace(size=None, constant=constant)
        elif isinstance(op, TensorListAppend):
            items = first.join(self.list_of(inputs[1]))._replace(size=None)
        elif isinstance(op, (TensorListPopBack, TensorListTake)):
            items = first._replace(size=None)
        elif isinstance(op, TensorListResize):
            items = first._replace(size=None, constant=None)
        elif isinstance(op, TensorListZerosLike):
            items = first._replace(constant=None)
        elif isinstance(op, Identity):
            items = first
        elif isinstance(op, TensorListAddN):
            items = first.join(self.list_of(inputs[1]))
        else:
            items = UNKNOWN
        self.items.update((v, items) for v in node.outputs if is_list(v))

    # -- inner graphs -----------------------------------------------------------------------

    def loop(
        self, node: Node, op: StatelessWhile, inputs: tuple[Value, ...]
    ) -> tuple[Op, tuple[TensorType, ...]]:
        """A refined loop: the items of its lists are those before it and after each iteration."""
        count = len(op.body.parameters)
        types = [merged(v.type, i.type) for v, i in zip(op.body.arguments, inputs)]
        items = [self.list_of(v) if is_list(v) else None for v in node.inputs]
        for _ in range(_ROUNDS):
            body, after = self.walks.of(op.body, types, items)
            wider = [
                before if end.type.is_subtype_of(before) else value.type
                for before, end, value in zip(types, body.results, op.body.parameters)
            ]
            joined = [before and end and before.join(end) for before, end in zip(items, after)]
            if wider == types[:count] and joined == items[:count]:
                break
            types[:count], items[:count] = wider, joined
        else:
            return op, tuple([v.type for v in node.outputs])
        self.items.update(
            (v, before) for v, before in zip(node.outputs, items) if before is not None
        )
        cond, _ = self.walks.of(op.cond, types, items)
        return op.repeating(cond, body), tuple(types[:count])

    def branch(
        self, node: Node, op: BranchingOp, inputs: tuple[Value, ...]
    ) -> tuple[Op, tuple[TensorType, ...]]:
        """A refined branch: its results are those of either side."""
        graphs, contents = [], []
        for graph in op.graphs:
            types = [merged(v.type, i.type) for v, i in zip(graph.arguments, inputs[1:])]
            items = [self.list_of(v) if is_list(v) else None for v in node.inputs[1:]]
            other, after = self.walks.of(graph, types, items)
            graphs.append(other)
            contents.append(after)
        types = []
        for i, output in enumerate(node.outputs):
            type_: TensorType | None = graphs[0].results[i].type
            for graph in graphs[1:]:
                type_ = type_ and type_.join(graph.results[i].type)
            types.append(output.type if type_ is None else merged(output.type, type_))
            if is_list(output):
                self.items[output] = joined_items([c[i] or UNKNOWN for c in contents])
        return op.choosing(tuple(graphs)), tuple(types)


def joined_items(many: Sequence[ListItems]) -> ListItems:
    """The knowledge of a list that is one of several."""
    result = many[0]
    for items in many[1:]:
        result = result.join(items)
    return result


def merged(a: TensorType, b: TensorType) -> TensorType:
    """The type that says what both say; the first where they contradict each other."""
    try:
        dims = merge_dims(a.dims, b.dims)
    except ValueError:
        return a
    return a if dims == a.dims else TensorType(a.dtype, dims)


def dims_of(element_shape: Value) -> Dims | None:
    """The dims that an operand `element_shape` says."""
    shape = known(element_shape)
    return None if shape is None else known_dims(shape)


def known_array(node: Node) -> Array | None:
    """The known value of a node's result, or None."""
    value = node.outputs[0]
    if node.op.effect is not Effect.NONE or not value.type.is_static:
        return None
    if isinstance(node.op, (Const, Placeholder)):
        return None
    number = known(value)
    if not is_whole(number):
        return None
    array = np.asarray(number, value.type.dtype.numpy_dtype)
    return array if array.shape == value.type.dims else None
