"""Lists as buffers: the memory of a list's items, their number, and who may change them.

A list in machine code is a `ListStorage`, adjacent items of one shape, and a length. All versions
of a list share its storage: a popped item stays where it was, a new item is written in place. That
is right where nothing reads an older version any more, which `check` makes sure of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.compile.lists.list_types import UNWRITTEN
from graphwright.compile.lists.list_uses import CHANGES, MAKERS, READS, changes_length, is_list
from graphwright.compile.lists.range_ops import TensorListAppend, TensorListTake
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.sizes import ZERO, Late, NotNative, Shape, Size, Sizes
from graphwright.compile.select.host_operands import as_size, host_of, is_size
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.ops.core.identity import Identity
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack


class ListSchedule(Protocol):
    """A schedule as lists use it: the shapes in one graph and in those inside its nodes."""

    graph: Graph
    dims: dict[Value, Shape]
    aliases: dict[Value, Value]

    @property
    def inner(self) -> Mapping[Node, Sequence[ListSchedule]]:
        """The schedules of the graphs inside a node."""

    def of(self, value: Value) -> Shape:
        """The shape of a value."""


class ListStorage:
    """The memory of a list."""

    def __init__(self, kind: str | None, item: Shape | None, source: Node | None) -> None:
        self.kind = kind
        self.item = item  # the shape of an item, as soon as it is known
        self.source = source  # the node that made it; None for an argument
        self.declared = item is not None  # if not, written items say the shape
        self.changed = False  # whether an item is written after it was made
        self.popped = False  # whether it ever gets shorter
        self.grows = False  # whether it ever gets longer
        #: Whether some items may never be written.
        self.gaps = source is not None and not isinstance(source.op, EmptyTensorList)
        self.sizes: Any = UNWRITTEN  # the sizes that each item consists of, if all are the same
        self.relied = False  # whether a reader relies on these sizes
        self.buffer = -1
        self.capacity = -1  # the slot of a scalar: the number of items that there is room for
        self.written = -1  # the slot that says whether an item was written, where it matters


class Listed(NamedTuple):
    """One version of a list; `size` is its length, or None if that is no size."""

    storage: ListStorage
    size: Size | None


class ListBuffers:
    """The lists of one program."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.listed: dict[Value, Listed] = {}
        self.fresh: dict[tuple[Node, int], ListStorage] = {}  # of `MAKERS`, by use
        self.late: dict[Value, Listed] = {}  # by stack that is a result: its list
        self.copied: set[Node] = set()  # reads of items that change before the last use

    # -- the list of a value ----------------------------------------------------------------

    def of(self, value: Value, schedule: ListSchedule) -> Listed:
        """The list that a value is; a result of `MAKERS` has no list before its use."""
        return self.listed[self.root(value, schedule)]

    def root(self, value: Value, schedule: ListSchedule) -> Value:
        """The value in this graph or around it that a captured or repeated list is."""
        while value not in self.listed:
            if value in schedule.aliases:
                value = schedule.aliases[value]
            elif isinstance(value.node.op, Identity):
                value = value.node.inputs[0]
            else:
                break
        return value

    def used(self, node: Node, place: int, schedule: ListSchedule) -> Listed:
        """The list that a node uses as an operand: one of its own, if one of `MAKERS` made it."""
        value = self.root(node.inputs[place], schedule)
        if value in self.listed:
            return self.listed[value]
        key = (node, place)
        storage = self.fresh.get(key)
        maker = value.node
        if storage is None:
            storage = self.fresh[key] = self.make(maker, schedule)
        return Listed(storage, self.count_of(maker, schedule))

    def make(self, maker: Node, schedule: ListSchedule) -> ListStorage:
        """The storage of a new list that one of `MAKERS` makes."""
        op: Any = maker.op
        if isinstance(op, TensorListZerosLike):
            like = self.used(maker, 0, schedule).storage
            if like.item is None:
                raise NotNative("a list of unknown items", [maker])
            return ListStorage(like.kind, like.item, maker)
        if not isinstance(op, (EmptyTensorList, TensorListReserve)):
            raise NotNative(f"{op.type_name} makes a list elsewhere", [maker])
        if isinstance(op, EmptyTensorList) and host_of(self.sizes, maker.inputs[1], no_dims) >= 0:
            raise NotNative("a list has a limit", [maker])
        shape = self.shape(maker.inputs[0], schedule)
        storage = ListStorage(kind_of(op.element_dtype), shape, maker)
        return storage

    def count_of(self, maker: Node, schedule: ListSchedule) -> Size | None:
        """The length of a list that one of `MAKERS` makes, if it is a size."""
        if isinstance(maker.op, TensorListZerosLike):
            return self.used(maker, 0, schedule).size
        if isinstance(maker.op, EmptyTensorList):
            return None
        try:
            count = host_of(self.sizes, maker.inputs[1], schedule.of)
        except NotNative:
            return None
        if isinstance(count, int) and count < 0:
            return None
        return as_size(self.sizes, count) if isinstance(count, (int, Size)) else None

    def shape(self, operand: Value, schedule: ListSchedule) -> Shape | None:
        """The shape that an operand `element_shape` says, if all of it is known."""
        try:
            dims = host_of(self.sizes, operand, schedule.of)
        except NotNative:
            return None
        if not isinstance(dims, tuple):
            return None
        if any(not isinstance(d, Size) and (not isinstance(d, int) or d < 0) for d in dims):
            return None
        return tuple([as_size(self.sizes, d) for d in dims])

    # -- shapes -----------------------------------------------------------------------------

    def infer(self, node: Node, schedule: ListSchedule) -> None:
        """Infers the lists of a node's outputs, and the shapes of tensors that it reads."""
        op = node.op
        if isinstance(op, MAKERS):
            return
        if isinstance(op, TensorListFromTensor):
            rows = schedule.of(node.inputs[0])
            kind = kind_of(node.inputs[0].type.dtype)
            self.listed[node.outputs[0]] = Listed(ListStorage(kind, rows[1:], node), rows[0])
            return
        listed = self.used(node, 0, schedule)
        storage = listed.storage
        if isinstance(op, TensorListLength):
            schedule.dims[node.outputs[0]] = ()
            if listed.size is not None:
                self.sizes.known[node.outputs[0]] = listed.size
        elif isinstance(op, TensorListAddItem):
            self.fit(storage, node.inputs[2], schedule)
            self.listed[node.outputs[0]] = listed
        elif isinstance(op, TensorListSetItem):
            self.fit(storage, node.inputs[2], schedule)
            count = listed.size
            if op.resize_if_index_out_of_bounds:
                self.note_sizes(storage, None)
                storage.gaps = True
                count = None
            self.listed[node.outputs[0]] = Listed(storage, count)
        elif isinstance(op, TensorListPushBack):
            self.fit(storage, node.inputs[1], schedule)
            self.listed[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, TensorListAppend):
            self.append(storage, self.used(node, 1, schedule).storage)
            self.listed[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, TensorListTake):
            self.listed[node.outputs[0]] = Listed(storage, None)
            self.listed[node.outputs[1]] = Listed(self.tail_of(storage, node), None)
        elif isinstance(op, TensorListResize):
            self.note_sizes(storage, None)
            storage.gaps = True
            self.listed[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, READS):
            self.read(node, listed, schedule)
        if isinstance(op, CHANGES):
            storage.changed = True
        resized = isinstance(op, TensorListSetItem) and op.resize_if_index_out_of_bounds
        if resized or isinstance(op, (TensorListPushBack, TensorListAppend, TensorListResize)):
            storage.grows = True
        if isinstance(op, (TensorListPopBack, TensorListTake, TensorListResize)):
            storage.popped = True

    def fit(self, storage: ListStorage, item: Value, schedule: ListSchedule) -> None:
        """Requires that an item has the shape and dtype of all items."""
        kind = kind_of(item.type.dtype)
        sizes = None
        if is_size(item) and item.type.rank == 1:
            sizes = self.sizes_of(item, schedule)
            dims: Shape = (Size(item.type.size or 0),)
        else:
            dims = schedule.of(item)
            sizes = self.sizes.known.get(item)  # a vector of sizes that comes from a list
        self.note_sizes(storage, sizes if isinstance(sizes, tuple) else None)
        if kind != (storage.kind or kind):
            raise NotNative("an item has another dtype than its list")
        storage.kind = kind
        storage.item = dims if storage.item is None else self.unified(storage.item, dims)

    def append(self, storage: ListStorage, other: ListStorage) -> None:
        """Requires that the items of another list fit into this one."""
        if other.gaps and not other.declared:
            raise NotNative("nothing says what shape the items of a list have")
        if storage.kind != other.kind and None not in (storage.kind, other.kind):
            raise NotNative("an item has another dtype than its list")
        storage.kind = other.kind = storage.kind or other.kind
        if storage.item is None or other.item is None:
            storage.item = other.item = storage.item or other.item
        else:
            storage.item = self.unified(storage.item, other.item)
        if other.sizes is not UNWRITTEN:
            self.note_sizes(storage, other.sizes)

    def tail_of(self, storage: ListStorage, node: Node) -> ListStorage:
        """The storage of the last items of a list."""
        if storage.item is None:
            raise NotNative("nothing says what shape the items of a list have", [node])
        result = ListStorage(storage.kind, storage.item, node)
        if storage.sizes not in (None, UNWRITTEN):
            storage.relied = True
            result.sizes = storage.sizes
        return result

    def sizes_of(self, item: Value, schedule: ListSchedule) -> Shape | None:
        """The sizes in a vector of sizes, if all of them are known."""
        try:
            entries = host_of(self.sizes, item, schedule.of)
        except NotNative:
            return None
        known = all(isinstance(size, (Size, int)) for size in entries)
        return tuple([as_size(self.sizes, size) for size in entries]) if known else None

    def note_sizes(self, storage: ListStorage, sizes: Shape | None) -> None:
        """Notes the sizes of which another item consists; None for any other item."""
        is_empty_at_first = storage.source is not None and isinstance(
            storage.source.op, EmptyTensorList
        )
        same = is_empty_at_first and storage.sizes in (sizes, UNWRITTEN)
        if storage.relied and not same:
            raise NotNative("the items of a list are other shapes than before")
        storage.sizes = sizes if same else None

    def unified(self, a: Shape, b: Shape) -> Shape:
        """The one shape of two that must be equal."""
        if len(a) != len(b):
            raise NotNative("the items of a list differ in rank")
        return tuple([self.sizes.unify(x, y) for x, y in zip(a, b)])

    def read(self, node: Node, listed: Listed, schedule: ListSchedule) -> None:
        """Infers the shape of an item that a node reads, or of all of them."""
        op: Any = node.op
        storage = listed.storage
        if kind_of(op.element_dtype) != (storage.kind or kind_of(op.element_dtype)):
            raise NotNative("an item has another dtype than its list")
        storage.kind = kind_of(op.element_dtype)
        dims = self.shape(node.inputs[-1], schedule)
        if dims is not None:
            storage.item = dims if storage.item is None else self.unified(storage.item, dims)
        if storage.item is None:
            raise NotNative("nothing says what shape the items of a list have")
        if isinstance(op, TensorListStack):
            self.read_all(node, op, listed, schedule)
        else:
            schedule.dims[node.outputs[-1]] = storage.item
            if storage.sizes not in (None, UNWRITTEN):
                storage.relied = True
                self.sizes.known[node.outputs[-1]] = storage.sizes
        if isinstance(op, TensorListPopBack):
            self.listed[node.outputs[0]] = Listed(storage, None)

    def read_all(
        self, node: Node, op: TensorListStack, listed: Listed, schedule: ListSchedule
    ) -> None:
        """Infers the shape of all items; a stack that is only a result has the list's memory."""
        output, size = node.outputs[0], listed.size
        graph = schedule.graph
        is_used = any(output in other.inputs for other in graph.nodes)
        is_only_result = not graph.is_body and not is_used and graph.results.count(output) == 1
        if op.num_elements >= 0:
            declared = as_size(self.sizes, op.num_elements)
            size = declared if size is None else self.sizes.unify(size, declared)
        elif size is None and not is_only_result:
            words = "how many items a list has shows only when it is stacked"
            raise NotNative(words) if graph.is_body else Late(words)
        if is_only_result:
            self.late[output] = listed
        schedule.dims[output] = (ZERO if size is None else size, *(listed.storage.item or ()))

    def enter(self, value: Value, storage: ListStorage, count: Size) -> None:
        """Adds a list that arrives with the call."""
        self.listed[value] = Listed(storage, count)

    def enter_loop(self, node: Node, cond: Graph, body: Graph, schedule: ListSchedule) -> None:
        """Adds the lists among a loop's variables; lengths that do not change may be sizes."""
        for i, (first, value) in enumerate(zip(cond.parameters, body.parameters)):
            if is_list(value):
                storage, count = self.used(node, i, schedule)
                if count is not None and changes_length(body, value):
                    count = None
                self.listed[first] = self.listed[value] = Listed(storage, count)
                self.listed[node.outputs[i]] = Listed(storage, count)

    def leave_loop(self, node: Node, body: ListSchedule) -> None:
        """Requires that each list among a loop's variables stays in its storage."""
        graph = body.graph
        for value, result in zip(graph.parameters, graph.results):
            if is_list(value):
                root = self.root(result, body)
                if (
                    root not in self.listed
                    or self.listed[root].storage != self.listed[value].storage
                ):
                    raise NotNative("a loop exchanges its lists", [node])

    def leave_branch(self, node: Node, sides: Sequence[ListSchedule]) -> None:
        """Adds the lists among a branch's results: each must be one list on both sides."""
        for i, output in enumerate(node.outputs):
            if is_list(output):
                roots = [self.root(side.graph.results[i], side) for side in sides]
                if any(root not in self.listed for root in roots):
                    raise NotNative("a branch makes a list", [node])
                first, *rest = [self.listed[root] for root in roots]
                if any(other.storage != first.storage for other in rest):
                    raise NotNative("a branch chooses between lists", [node])
                same = all(other.size == first.size for other in rest)
                self.listed[output] = Listed(first.storage, first.size if same else None)

    # -- who may change what ----------------------------------------------------------------

    def check(self, schedule: ListSchedule, repeated: frozenset[Value] = frozenset()) -> None:
        """Refuses changes of a list whose older version is still needed.

        Finds the items, too, that are read before a change and needed after it. `repeated` are
        captures of a loop, which are needed again.
        """
        nodes = schedule.graph.nodes
        last: dict[Value, float] = {}
        for i, node in enumerate(nodes):
            if not isinstance(node.op, TensorListLength):  # versions have lengths of their own
                last.update(dict.fromkeys(node.inputs, i))
        last.update(dict.fromkeys(schedule.graph.results, float("inf")))
        versions: dict[ListStorage, list[tuple[float, Value]]] = {}
        changes: dict[ListStorage, int] = {}
        for value in dict.fromkeys(v for n in nodes for v in (*n.outputs, *n.inputs)):
            if is_list(value):
                root = self.root(value, schedule)
                if root in self.listed:
                    end = float("inf") if value in repeated else last.get(value, -1)
                    versions.setdefault(self.listed[root].storage, []).append((end, value))
        order = {v: i for i, n in enumerate(nodes) for v in n.outputs}
        for i, node in enumerate(nodes):
            for storage in self.changed_by(node, schedule):
                changes[storage] = i
                for end, value in versions.get(storage, ()):
                    if order.get(value, -1) < i < end:
                        raise NotNative("a list is changed that is still needed as it was", [node])
                if sum(v in node.inputs for _, v in versions.get(storage, ())) > 1:
                    raise NotNative("two variables of a loop are one list", [node])
        for i, node in enumerate(nodes):
            if isinstance(node.op, READS):
                storage = self.used(node, 0, schedule).storage
                if changes.get(storage, -1) > i:
                    self.copied.add(node)
                    late = self.late.pop(node.outputs[0], None)
                    if late is not None and late.size is None:
                        raise NotNative("a list is stacked and then changed", [node])
            for inner in schedule.inner.get(node, ()):
                loop = isinstance(node.op, StatelessWhile)
                arguments, count = inner.graph.arguments, len(inner.graph.parameters)
                try:
                    self.check(inner, frozenset(arguments[count:] if loop else ()))
                except NotNative as reason:
                    raise NotNative(str(reason), [node]) from None

    def changed_by(self, node: Node, schedule: ListSchedule) -> Iterator[ListStorage]:
        """The storages from before a node that it changes."""
        if isinstance(node.op, CHANGES):
            if self.root(node.inputs[0], schedule) in self.listed:
                yield self.used(node, 0, schedule).storage
        elif isinstance(node.op, (StatelessWhile, StatelessIf)):
            outside = {
                self.used(node, i, schedule).storage
                for i, value in enumerate(node.inputs)
                if is_list(value) and self.root(value, schedule) in self.listed
            }
            inside = {
                storage
                for inner in schedule.inner[node]
                for step in inner.graph.nodes
                for storage in self.changed_by(step, inner)
            }
            yield from outside & inside


def no_dims(value: Value) -> Shape:
    """No shape: refuses, for operands that must be constants."""
    raise NotNative("the limit of a list is computed")
