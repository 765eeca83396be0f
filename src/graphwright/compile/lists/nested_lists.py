"""Lists of lists as lists of their items: those of all inner lists one after the other, and how
many each has.

A gradient of a loop in a loop pushes the inner loop's lists on a list. Machine code knows items of
one shape; here each list of lists becomes two that have such items. One at a greater depth becomes
the parts of the lists on it, and numbers of items for all of these parts that are equally long
(`groups`): of the items, of their numbers, of the numbers of these, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

from graphwright.compile.graph.prune import prune
from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.control.branch import BranchingOp
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ir.known import known
from graphwright.ir.once import once_per_graph
from graphwright.op.interpreter import apply
from graphwright.op.op import Op, Shapes
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
    TensorList,
    check_dtype,
    filled,
    host_shape,
    known_dims,
    refuse,
)
from graphwright.trace.symbolic import SymbolicTensor
from graphwright.trace.tracer import tracing
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, join_dims

# -- ops of lowering alone ------------------------------------------------------------------


class TensorListAppend(Op):
    """The items of one list, then those of another."""

    type_name = "_TensorListAppend"
    inputs = ("input_handle: variant", "items: variant")
    outputs = ("output_handle: variant",)

    def shapes(self, *operands: Any) -> Shapes:
        return ((),)

    def kernel(self, items: TensorList, others: TensorList) -> Any:
        check_dtype(others, items.element_dtype)
        known = None not in (others.dims or (None,))
        return items.extend(filled(others, others.dims, "") if known else others.items)


class TensorListTake(Op):
    """The list without its last `count` items, and the list of these."""

    type_name = "_TensorListTake"
    inputs = ("input_handle: variant", "count: int32")
    outputs = ("output_handle: variant", "items: variant")

    def shapes(self, *operands: Any) -> Shapes:
        return (), ()

    def kernel(self, items: TensorList, count: Any) -> Any:
        left = len(items) - int(count)
        if not 0 <= left <= len(items):
            raise refuse(f"Trying to take {count} of {len(items)} items.")
        return items.resize(left), items.like(items.items[left:])


# -- what lists are -------------------------------------------------------------------------

#: What is so of each part of a list of lists, or the parts.
Parts = list[Any]


class ListKind:
    """What is known of lists that are versions of one, or come to the same place."""

    def __init__(self) -> None:
        self.like: ListKind | None = None  # what stands for it
        self.item: ListKind | None = None  # the lists that are its items
        self.dtypes: set[DType] = set()  # of its items
        self.dims: list[Dims | None] = []  # what those that make it say of its items
        self.stays = False  # whether something is done to it that is not done to its parts

    @property
    def root(self) -> ListKind:
        """What stands for it."""
        kind = self
        while kind.like is not None:
            kind = kind.like
        return kind

    def join(self, other: ListKind) -> None:
        """Makes one of two."""
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
        """Its items are lists."""
        root = self.root
        if root.item is None:
            root.item = item
        else:
            root.item.join(item)

    def keep(self) -> None:
        """It is not replaced."""
        self.root.stays = True

    def keep_items(self) -> bool:
        """Keeps the lists that are its items if it is not replaced; whether they were not kept."""
        item = self.root.item
        if item is None or item.root.stays or self.is_nested:
            return False
        item.keep()
        return True

    @property
    def is_nested(self) -> bool:
        """Whether it is a list of lists that is replaced."""
        return bool(self.inner)

    @property
    def inner(self) -> Parts:
        """The parts of the lists that are its items; none where it is not replaced."""
        root = self.root
        only = root.dtypes <= {dt.variant}  # what is made of nothing may become several things
        return root.item.parts if root.item is not None and only and not root.stays else []

    @property
    def parts(self) -> Parts:
        """The dtype and the shape of the items of each list that it becomes, or of itself; none
        where that is not known."""
        root = self.root
        if root.item is not None:
            inner = root.inner
            return [*inner, *[(dt.int32, ())] * len(groups(inner))]
        if len(root.dtypes) != 1 or dt.variant in root.dtypes or not root.dims:
            return []
        (dtype,) = root.dtypes
        return [(dtype, reduce(join_dims, root.dims))]


#: Ops that give the list that they are given, changed or not.
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
    """The kinds of all lists in a graph and in those in it."""

    def __init__(self, graph: Graph) -> None:
        self.found: dict[Value, ListKind] = {}
        self.made: dict[tuple[Node, int], ListKind] = {}  # by who uses what was made of nothing
        self.visit(graph)
        for value in (*graph.arguments, *graph.results):
            if is_list(value):
                self.of(value).keep()
        while sum(kind.keep_items() for kind in (*self.found.values(), *self.made.values())):
            pass  # what is kept may hold lists, and be held

    def of(self, value: Value) -> ListKind:
        """The kind of a list."""
        return self.found.setdefault(value, ListKind())

    def used(self, node: Node, place: int) -> ListKind:
        """The kind of the list that a node uses: one of its own, if it was made of nothing."""
        maker = node.inputs[place].node
        if not isinstance(maker.op, EmptyTensorList):
            return self.of(node.inputs[place])
        kind = self.made.get((node, place))
        if kind is None:
            kind = self.made[node, place] = ListKind()
            note_maker(kind, maker)
        return kind

    def is_nested(self, value: Value) -> bool:
        """Whether a value is a list of lists that is replaced."""
        return is_list(value) and self.of(value).is_nested

    def visit(self, graph: Graph) -> None:
        """Looks at all nodes."""
        for node in graph.nodes:
            given = [self.used(node, i) if is_list(v) else None for i, v in enumerate(node.inputs)]
            given_back = self.all_of(node.outputs)
            if any(given) or any(given_back):
                self.node(node, given, given_back)
            if isinstance(node.op, (StatelessWhile, BranchingOp)):
                for inner in graphs_of(node.op):
                    self.visit(inner)

    def all_of(self, values: Iterable[Value]) -> list[ListKind | None]:
        """The kinds of lists, None for tensors."""
        return [self.of(v) if is_list(v) else None for v in values]

    def node(
        self, node: Node, given: list[ListKind | None], results: list[ListKind | None]
    ) -> None:
        """What a node says of its lists."""
        op = node.op
        if isinstance(op, StatelessWhile):
            for graph in (op.cond, op.body):
                join_all(given, self.all_of(graph.arguments))
            join_all(given, self.all_of(op.body.results))
            join_all(given, results)
            return
        if isinstance(op, BranchingOp):
            for graph in op.graphs:
                join_all(given[1:], self.all_of(graph.arguments))
                join_all(results, self.all_of(graph.results))
            return
        if isinstance(op, (TensorListPushBack, TensorListPopBack)):
            pushes = isinstance(op, TensorListPushBack)
            item = given.pop() if pushes else results.pop()
            own = given[0]
            assert own is not None
            own.root.dtypes.add((node.inputs if pushes else node.outputs)[1].type.dtype)
            if item is not None:
                own.hold(item)
        lists = [kind for kind in (*given, *results) if kind is not None]
        if isinstance(op, _VERSIONS):
            for other in lists[1:]:
                lists[0].join(other)
        elif isinstance(op, (EmptyTensorList, TensorListReserve, TensorListFromTensor)):
            note_maker(lists[0], node)
        if type(op) not in RULES and not isinstance(op, (Placeholder, EmptyTensorList)):
            for kind in lists:
                kind.keep()


def note_maker(kind: ListKind, maker: Node) -> None:
    """What a node that makes a list says of its items."""
    op, root = maker.op, kind.root
    if isinstance(op, TensorListFromTensor):
        root.dtypes.add(maker.inputs[0].type.dtype)
        root.dims.append((maker.inputs[0].type.dims or (None,))[1:])
        return
    assert isinstance(op, (EmptyTensorList, TensorListReserve))
    root.dtypes.add(op.element_dtype)
    root.dims.append(known_dims(known(maker.inputs[0])))
    root.stays |= isinstance(op, EmptyTensorList) and known(maker.inputs[1]) != -1


def join_all(some: Iterable[ListKind | None], others: Iterable[ListKind | None]) -> None:
    """Makes one of each two."""
    for one, other in zip(some, others):
        if one is not None and other is not None:
            one.join(other)


def is_list(value: Value) -> bool:
    """Whether a value is a list."""
    return value.type.dtype is dt.variant


def graphs_of(op: Any) -> tuple[Graph, ...]:
    """The graphs of a loop or a branch."""
    return (op.cond, op.body) if isinstance(op, StatelessWhile) else op.graphs


# -- the pass -------------------------------------------------------------------------------


def with_flat_lists(graph: Graph) -> Graph:
    """list of (a, b), (), (c) -> list of a, b, c and list of 2, 0, 1"""
    if not has_nested(graph):
        return graph
    kinds = Kinds(graph)
    return prune(flattened(graph, kinds)) if is_touched(graph, kinds) else graph


@once_per_graph
def has_nested(graph: Graph) -> bool:
    """Whether lists are pushed on lists, in inner graphs too."""
    return any(
        isinstance(node.op, TensorListPushBack) and is_list(node.inputs[1]) for node in graph.nodes
    ) or any(map(has_nested, graph.subgraphs()))


def is_touched(graph: Graph, kinds: Kinds) -> bool:
    """Whether there are lists in a graph, or in those in it, that are replaced."""
    return any(kinds.is_nested(v) for node in graph.nodes for v in node.outputs) or any(
        is_touched(inner, kinds)
        for node in graph.nodes
        if isinstance(node.op, (StatelessWhile, BranchingOp))
        for inner in graphs_of(node.op)
    )


def flattened(graph: Graph, kinds: Kinds) -> Graph:
    """The graph with the parts of each list of lists."""
    if not is_touched(graph, kinds):
        return graph
    into = Graph(graph.name, graph.is_body)
    parts: dict[Value, tuple[Value, ...]] = {}
    with tracing(into):
        for node in graph.nodes:
            given = [operand(node, i, parts, kinds, into) for i in range(len(node.inputs))]
            found = replaced(node, given, kinds, into)
            parts.update(zip(node.outputs, found))
    into.parameters = [p for v in graph.parameters for p in parts[v]]
    into.captures = [(outside, p) for outside, v in graph.captures for p in parts[v]]
    into.results = [p for v in graph.results for p in parts[v]]
    into.names = graph.names
    return into


def operand(
    node: Node, place: int, parts: dict[Value, tuple[Value, ...]], kinds: Kinds, into: Graph
) -> tuple[Value, ...]:
    """The parts of what a node is given: its own, if that was made of nothing."""
    given = node.inputs[place]
    kind = kinds.made.get((node, place))
    if kind is None or not (kind.is_nested or kinds.is_nested(given)):
        return parts[given]
    if kind.is_nested:
        return made_here(kind)
    maker = given.node
    inputs = tuple([v for value in maker.inputs for v in parts[value]])
    return into.add(maker.op, inputs, (given.type,), maker.name, maker.location).outputs


def replaced(
    node: Node, given: Sequence[tuple[Value, ...]], kinds: Kinds, into: Graph
) -> Sequence[tuple[Value, ...]]:
    """The parts of each of a node's outputs, given those of its inputs."""
    op: Any = node.op
    rule = RULES.get(type(op))
    if rule is not None and is_list(node.inputs[0]) and kinds.used(node, 0).is_nested:
        operands = [[SymbolicTensor(v, into) for v in values] for values in given]
        return [tuple([t._value for t in tensors]) for tensors in rule(*operands)]
    if isinstance(op, EmptyTensorList) and kinds.is_nested(node.outputs[0]):
        return [made_here(kinds.of(node.outputs[0]))]
    counts = [len(kinds.of(v).parts) if kinds.is_nested(v) else 1 for v in node.outputs]
    types = [v.type for v, n in zip(node.outputs, counts) for _ in range(n)]
    if isinstance(op, Placeholder):
        return [tuple([into.placeholder(t, node.name) for t in types])]
    if isinstance(op, StatelessWhile):
        op = op.repeating(flattened(op.cond, kinds), flattened(op.body, kinds))
    elif isinstance(op, BranchingOp):
        op = op.choosing(tuple([flattened(graph, kinds) for graph in op.graphs]))
    inputs = tuple([part for values in given for part in values])
    outputs = iter(into.add(op, inputs, tuple(types), node.name, node.location).outputs)
    return [tuple([next(outputs) for _ in range(n)]) for n in counts]


def made_here(kind: ListKind) -> tuple[Value, ...]:
    """The parts of a list of lists made of nothing."""
    made = [apply(EmptyTensorList.of(dtype), host_shape(dims), -1) for dtype, dims in kind.parts]
    return tuple([tensor._value for tensor in made])


def groups(parts: Parts) -> list[Parts]:
    """The parts of a list that have as many items: those of all lists, then at each depth the
    numbers of items, one for each group before."""
    found: list[Parts] = []
    while parts:
        size = max(len(found), 1)
        found.append(parts[:size])
        parts = parts[size:]
    return found


def pushed(lists: Parts, items: Parts) -> Sequence[Parts]:
    """The items, and how many there are in each group"""
    *_, counts = groups(lists)
    longer = [apply(TensorListAppend.of(), flat, item) for flat, item in zip(lists, items)]
    for numbers, group in zip(counts, groups(items)):
        longer.append(apply(PUSH_BACK, numbers, apply(LENGTH, group[0])))
    return [longer]


def popped(lists: Parts, shape: Parts) -> Sequence[Parts]:
    """As many of the last items as there were"""
    *inner, counts = groups(lists)
    rest, fewer, items = [], [], []
    for group, numbers in zip(inner, counts):
        left, count = apply(TensorListPopBack.of(dt.int32), numbers, [])
        fewer.append(left)
        for flat in group:
            flat, item = apply(TensorListTake.of(), flat, count)
            rest.append(flat)
            items.append(item)
    return [*rest, *fewer], items


def counted(lists: Parts) -> Sequence[Parts]:
    """How many numbers of items there are"""
    return [[apply(LENGTH, lists[-1])]]


def zeros(lists: Parts) -> Sequence[Parts]:
    """As many zeros in each"""
    items, *numbers = lists
    return [[apply(ZEROS_LIKE, items), *numbers]]


#: Ops that are done to the parts of a list of lists, which are given for it.
RULES: dict[type[Op], Callable[..., Sequence[Parts]]] = {
    Identity: lambda lists: [lists],
    TensorListPushBack: pushed,
    TensorListPopBack: popped,
    TensorListLength: counted,
    TensorListZerosLike: zeros,
}
