"""Lists of lists become flat lists: one of all inner items, and one of the inner lengths.

The gradient of a nested loop pushes the inner loop's lists on a list. Machine code knows items of
one shape, and both flat lists have such items. These are the *parts* of the list of lists. A list
of greater depth has the parts of the lists on it. For each group of equally long parts (`groups`)
it has lists of lengths: those of the items, of the lengths, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeAlias

from graphwright.compile.graph.prune import prune
from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.compile.lists.list_uses import is_list
from graphwright.compile.lists.range_ops import TensorListAppend, TensorListTake
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ir.once import once_per_graph
from graphwright.op.interpreter import apply
from graphwright.op.op import Op
from graphwright.ops.core.creation import Placeholder
from graphwright.ops.core.identity import Identity
from graphwright.ops.state.list_ops import (
    LENGTH,
    PUSH_BACK,
    ZEROS_LIKE,
    EmptyTensorList,
    TensorListAddN,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor
from graphwright.ops.state.tensor_list import (
    host_shape,
    known_dims,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, join_dims

# -- kinds of lists -------------------------------------------------------------------------

#: What is so of each part of a list of lists, or the parts.
Parts: TypeAlias = list[Any]


class ListKind:
    """The knowledge of lists that are versions of one list, or reach the same place."""

    def __init__(self) -> None:
        self.like: ListKind | None = None  # the kind that this one was joined with
        self.item: ListKind | None = None  # the lists that are its items
        self.dtypes: set[DType] = set()  # of its items
        self.dims: list[Dims | None] = []  # the declared shapes of its items
        self.stays = False  # whether an op uses it that cannot use its parts

    @property
    def root(self) -> ListKind:
        """The kind that represents all kinds joined with this one."""
        kind = self
        while kind.like is not None:
            kind = kind.like
        return kind

    def join(self, other: ListKind) -> None:
        """Joins two kinds."""
        one, two = self.root, other.root
        if one is two:
            return
        two.like = one
        one.dtypes |= two.dtypes
        one.dims += two.dims
        one.stays |= two.stays
        if two.item is not None:
            one.hold(two.item)

    def hold(self, item: ListKind) -> None:
        """Notes that its items are lists of a kind."""
        root = self.root
        if root.item is None:
            root.item = item
        else:
            root.item.join(item)

    def keep(self) -> None:
        """Notes that parts do not replace it."""
        self.root.stays = True

    def keep_items(self) -> bool:
        """Keeps the lists that are its items if parts do not replace it; whether that is new."""
        item = self.root.item
        if item is None or item.root.stays or self.is_nested:
            return False
        item.keep()
        return True

    @property
    def is_nested(self) -> bool:
        """Whether it is a list of lists that parts replace."""
        return bool(self.inner)

    @property
    def inner(self) -> Parts:
        """The parts of the lists that are its items; none where no parts replace it."""
        root = self.root
        only = root.dtypes <= {dt.variant}  # an empty list may get items of several dtypes
        return root.item.parts if root.item is not None and only and not root.stays else []

    @property
    def parts(self) -> Parts:
        """The dtype and the shape of the items of each part, or of the list itself; none where
        these are unknown."""
        root = self.root
        if root.item is not None:
            inner = root.inner
            return [*inner, *[(dt.int32, ())] * len(groups(inner))]
        if len(root.dtypes) != 1 or dt.variant in root.dtypes or not root.dims:
            return []
        (dtype,) = root.dtypes
        return [(dtype, reduce(join_dims, root.dims))]


#: Ops whose result is another version of their operand.
_VERSIONS: tuple[type[Op], ...] = (
    Identity,
    TensorListAddItem,
    TensorListAddN,
    TensorListPopBack,
    TensorListPushBack,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)


class Kinds:
    """The kinds of all lists in a graph and in the graphs inside it."""

    def __init__(self, graph: Graph) -> None:
        self.kinds: dict[Value, ListKind] = {}
        self.fresh: dict[tuple[Node, int], ListKind] = {}  # of empty lists, by use
        self.visit(graph)
        for value in (*graph.arguments, *graph.results):
            if is_list(value):
                self.of(value).keep()
        while sum(kind.keep_items() for kind in (*self.kinds.values(), *self.fresh.values())):
            pass  # a kept list may have lists as items, and be an item

    def of(self, value: Value) -> ListKind:
        """The kind of a list."""
        return self.kinds.setdefault(value, ListKind())

    def used(self, node: Node, place: int) -> ListKind:
        """The kind of the list that a node uses: one of its own, if it is an empty list."""
        maker = node.inputs[place].node
        if not isinstance(maker.op, EmptyTensorList):
            return self.of(node.inputs[place])
        kind = self.fresh.get((node, place))
        if kind is None:
            kind = self.fresh[node, place] = ListKind()
            note_maker(kind, maker)
        return kind

    def is_nested(self, value: Value) -> bool:
        """Whether a value is a list of lists that parts replace."""
        return is_list(value) and self.of(value).is_nested

    def visit(self, graph: Graph) -> None:
        """Notes the kinds of all lists in a graph."""
        for node in graph.nodes:
            operands = [
                self.used(node, i) if is_list(v) else None for i, v in enumerate(node.inputs)
            ]
            results = self.all_of(node.outputs)
            if any(operands) or any(results):
                self.node(node, operands, results)
            if isinstance(node.op, (StatelessWhile, BranchingOp)):
                for inner in graphs_of(node.op):
                    self.visit(inner)

    def all_of(self, values: Iterable[Value]) -> list[ListKind | None]:
        """The kinds of lists, None for tensors."""
        return [self.of(v) if is_list(v) else None for v in values]

    def node(
        self, node: Node, operands: list[ListKind | None], results: list[ListKind | None]
    ) -> None:
        """Notes what a node says about its lists."""
        op = node.op
        if isinstance(op, StatelessWhile):
            for graph in (op.cond, op.body):
                join_all(operands, self.all_of(graph.arguments))
            join_all(operands, self.all_of(op.body.results))
            join_all(operands, results)
            return
        if isinstance(op, BranchingOp):
            for graph in op.graphs:
                join_all(operands[1:], self.all_of(graph.arguments))
                join_all(results, self.all_of(graph.results))
            return
        if isinstance(op, (TensorListPushBack, TensorListPopBack)):
            pushes = isinstance(op, TensorListPushBack)
            item = operands.pop() if pushes else results.pop()
            holder = operands[0]
            assert holder is not None
            holder.root.dtypes.add((node.inputs if pushes else node.outputs)[1].type.dtype)
            if item is not None:
                holder.hold(item)
        lists = [kind for kind in (*operands, *results) if kind is not None]
        if isinstance(op, _VERSIONS):
            for other in lists[1:]:
                lists[0].join(other)
        elif isinstance(op, (EmptyTensorList, TensorListReserve, TensorListFromTensor)):
            note_maker(lists[0], node)
        if type(op) not in RULES and not isinstance(op, (Placeholder, EmptyTensorList)):
            for kind in lists:
                kind.keep()


def note_maker(kind: ListKind, maker: Node) -> None:
    """Notes what a node that makes a list says about its items."""
    op, root = maker.op, kind.root
    if isinstance(op, TensorListFromTensor):
        root.dtypes.add(maker.inputs[0].type.dtype)
        root.dims.append((maker.inputs[0].type.dims or (None,))[1:])
        return
    assert isinstance(op, (EmptyTensorList, TensorListReserve))
    root.dtypes.add(op.element_dtype)
    root.dims.append(known_dims(known(maker.inputs[0])))
    root.stays |= isinstance(op, EmptyTensorList) and known(maker.inputs[1]) != -1


def join_all(kinds: Iterable[ListKind | None], others: Iterable[ListKind | None]) -> None:
    """Joins each kind with the other one in its place."""
    for one, other in zip(kinds, others):
        if one is not None and other is not None:
            one.join(other)


def graphs_of(op: StatelessWhile | BranchingOp) -> tuple[Graph, ...]:
    """The graphs of a loop or a branch."""
    return (op.cond, op.body) if isinstance(op, StatelessWhile) else op.graphs


# -- the pass -------------------------------------------------------------------------------


def with_flat_lists(graph: Graph) -> Graph:
    """The graph with flat lists for lists of lists: a, b, c and 2, 0, 1 for (a, b), (), (c)."""
    if not has_nested(graph):
        return graph
    kinds = Kinds(graph)
    return prune(flattened(graph, kinds)) if is_touched(graph, kinds) else graph


@once_per_graph
def has_nested(graph: Graph) -> bool:
    """Whether a graph pushes lists on lists, in inner graphs too."""
    return any(
        isinstance(node.op, TensorListPushBack) and is_list(node.inputs[1]) for node in graph.nodes
    ) or any(map(has_nested, graph.subgraphs()))


def is_touched(graph: Graph, kinds: Kinds) -> bool:
    """Whether parts replace a list in a graph, or in the graphs inside it."""
    return any(kinds.is_nested(v) for node in graph.nodes for v in node.outputs) or any(
        is_touched(inner, kinds)
        for node in graph.nodes
        if isinstance(node.op, (StatelessWhile, BranchingOp))
        for inner in graphs_of(node.op)
    )


def flattened(graph: Graph, kinds: Kinds) -> Graph:
    """The graph with the parts of each list of lists in its place."""
    if not is_touched(graph, kinds):
        return graph
    into = Graph(graph.name, graph.is_body)
    parts: dict[Value, tuple[Value, ...]] = {}
    with tracing(into):
        for node in graph.nodes:
            operands = [operand(node, i, parts, kinds, into) for i in range(len(node.inputs))]
            outputs = replaced(node, operands, kinds, into)
            parts.update(zip(node.outputs, outputs))
    into.parameters = [p for v in graph.parameters for p in parts[v]]
    into.captures = [(outside, p) for outside, v in graph.captures for p in parts[v]]
    into.results = [p for v in graph.results for p in parts[v]]
    into.names = graph.names
    return into


def operand(
    node: Node, place: int, parts: dict[Value, tuple[Value, ...]], kinds: Kinds, into: Graph
) -> tuple[Value, ...]:
    """The parts of a node's operand: new ones, if that is an empty list."""
    value = node.inputs[place]
    kind = kinds.fresh.get((node, place))
    if kind is None or not (kind.is_nested or kinds.is_nested(value)):
        return parts[value]
    if kind.is_nested:
        return empty_parts(kind)
    maker = value.node
    inputs = tuple([part for v in maker.inputs for part in parts[v]])
    return into.add(maker.op, inputs, (value.type,), maker.name, maker.location).outputs


def replaced(
    node: Node, parts: Sequence[tuple[Value, ...]], kinds: Kinds, into: Graph
) -> Sequence[tuple[Value, ...]]:
    """The parts of each of a node's outputs, from those of its inputs."""
    op: Any = node.op
    rule = RULES.get(type(op))
    if rule is not None and is_list(node.inputs[0]) and kinds.used(node, 0).is_nested:
        operands = [[SymbolicTensor(v, into) for v in values] for values in parts]
        return [tuple([t._value for t in tensors]) for tensors in rule(*operands)]
    if isinstance(op, EmptyTensorList) and kinds.is_nested(node.outputs[0]):
        return [empty_parts(kinds.of(node.outputs[0]))]
    counts = [len(kinds.of(v).parts) if kinds.is_nested(v) else 1 for v in node.outputs]
    types = [v.type for v, n in zip(node.outputs, counts) for _ in range(n)]
    if isinstance(op, Placeholder):
        return [tuple([into.placeholder(t, node.name) for t in types])]
    if isinstance(op, StatelessWhile):
        op = op.repeating(flattened(op.cond, kinds), flattened(op.body, kinds))
    elif isinstance(op, BranchingOp):
        op = op.choosing(tuple([flattened(graph, kinds) for graph in op.graphs]))
    inputs = tuple([part for values in parts for part in values])
    outputs = iter(into.add(op, inputs, tuple(types), node.name, node.location).outputs)
    return [tuple([next(outputs) for _ in range(n)]) for n in counts]


def empty_parts(kind: ListKind) -> tuple[Value, ...]:
    """The parts of an empty list of lists."""
    tensors = [apply(EmptyTensorList.of(dtype), host_shape(dims), -1) for dtype, dims in kind.parts]
    return tuple([tensor._value for tensor in tensors])


def groups(parts: Parts) -> list[Parts]:
    """The parts of a list in groups of equal length.

    The first group are the innermost items, then come the lengths at each depth, one for each group
    before.
    """
    result: list[Parts] = []
    while parts:
        size = max(len(result), 1)
        result.append(parts[:size])
        parts = parts[size:]
    return result


def pushed(lists: Parts, items: Parts) -> Sequence[Parts]:
    """The parts after a push: the items appended, and a length for each group."""
    *_, counts = groups(lists)
    longer = [apply(TensorListAppend.of(), flat, item) for flat, item in zip(lists, items)]
    for numbers, group in zip(counts, groups(items)):
        longer.append(apply(PUSH_BACK, numbers, apply(LENGTH, group[0])))
    return [longer]


def popped(lists: Parts, shape: Parts) -> Sequence[Parts]:
    """The parts after a pop, and those of the popped list: as many items as its lengths say."""
    *inner, counts = groups(lists)
    rest, fewer, items = [], [], []
    for group, numbers in zip(inner, counts):
        remaining, count = apply(TensorListPopBack.of(dt.int32), numbers, [])
        fewer.append(remaining)
        for flat in group:
            flat, item = apply(TensorListTake.of(), flat, count)
            rest.append(flat)
            items.append(item)
    return [*rest, *fewer], items


def counted(lists: Parts) -> Sequence[Parts]:
    """The length of a list of lists: that of its last part."""
    return [[apply(LENGTH, lists[-1])]]


def zeros(lists: Parts) -> Sequence[Parts]:
    """The parts of a list of lists with zeros for all items."""
    items, *numbers = lists
    return [[apply(ZEROS_LIKE, items), *numbers]]


#: Ops on lists of lists, as functions of the parts.
RULES: dict[type[Op], Callable[..., Sequence[Parts]]] = {
    Identity: lambda lists: [lists],
    TensorListPushBack: pushed,
    TensorListPopBack: popped,
    TensorListLength: counted,
    TensorListZerosLike: zeros,
}
