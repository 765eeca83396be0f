"""Lists as buffers: which memory holds a list's items, how many there are, and who may change it.

A list in machine code is a `ListStorage`, items of one shape one after the other, and a length. All
versions of a list share its storage: what is popped stays where it was, a new item is written in
place. That is right where nobody looks at an older version any more, which `check` makes sure of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.compile.lists.list_types import UNWRITTEN
from graphwright.compile.lists.nested_lists import TensorListAppend, TensorListTake
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.sizes import ZERO, Late, NotNative, Shape, Size, Sizes
from graphwright.compile.select.host_operands import as_size, host_of, is_size
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.op.op import Op
from graphwright.ops.core.identity import Identity
from graphwright.ops.core.joining import Pack
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListGetItem,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack
from graphwright.types import dtypes as dt
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import Dims, TensorType

#: Ops that make a list of nothing: each use of the result has a list of its own.
MAKERS: tuple[type[Op], ...] = (EmptyTensorList, TensorListReserve, TensorListZerosLike)

#: Ops that change what is in a list.
_CHANGES: tuple[type[Op], ...] = (
    TensorListSetItem,
    TensorListPushBack,
    TensorListResize,
    TensorListAddItem,
    TensorListAppend,
)

#: Ops that give an item, or all of them, where they lie.
READS: tuple[type[Op], ...] = (TensorListGetItem, TensorListPopBack, TensorListStack)

#: Ops that make the list that they are given first longer or shorter.
_RESIZES: tuple[type[Op], ...] = (
    TensorListAppend,
    TensorListPopBack,
    TensorListPushBack,
    TensorListResize,
    TensorListTake,
)

LIST_OPS: frozenset[type[Op]] = frozenset(
    (*MAKERS, *_CHANGES, *READS, TensorListFromTensor, TensorListLength, TensorListTake)
)


class ListStorage:
    """The memory of a list."""

    def __init__(self, kind: str | None, item: Shape | None, source: Node | None) -> None:
        self.kind = kind
        self.item = item  # the shape of an item, once something says it
        self.source = source  # what made it; None for an argument
        self.declared = item is not None  # if not, the shape is that of what is written
        self.changed = False  # whether anything is written to it after it was made
        self.popped = False  # whether it ever gets shorter
        self.grows = False  # whether it ever gets longer
        #: Whether there may be items that were never written.
        self.gaps = source is not None and not isinstance(source.op, EmptyTensorList)
        self.sizes: Any = UNWRITTEN  # what each item is, if all of them are the same sizes
        self.relied = False  # whether somebody took an item to be that
        self.buffer = -1
        self.capacity = -1  # the scalar's slot that says how many items there is room for
        self.written = -1  # the one that says whether anything was written, where it matters


class Listed(NamedTuple):
    """One version of a list; `size` is its length, where that is a size."""

    storage: ListStorage
    size: Size | None


class ListBuffers:
    """The lists of one program."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.found: dict[Value, Listed] = {}
        self.made: dict[tuple[Node, int], ListStorage] = {}  # by who uses what was made of nothing
        self.late: dict[Value, Listed] = {}  # stacks that are results, of these lists
        self.copied: set[Node] = set()  # reads of what is changed while the result is needed

    # -- what is what -----------------------------------------------------------------------

    def of(self, value: Value, schedule: Any) -> Listed:
        """The list that a value is; one made of nothing is not one yet."""
        return self.found[self.root(value, schedule)]

    def root(self, value: Value, schedule: Any) -> Value:
        """What a captured or repeated list is."""
        while value not in self.found:
            if value in schedule.aliases:
                value = schedule.aliases[value]
            elif isinstance(value.node.op, Identity):
                value = value.node.inputs[0]
            else:
                break
        return value

    def used(self, node: Node, place: int, schedule: Any) -> Listed:
        """The list that a node uses as an operand: one of its own, if it was made of nothing."""
        value = self.root(node.inputs[place], schedule)
        if value in self.found:
            return self.found[value]
        key = (node, place)
        storage = self.made.get(key)
        maker = value.node
        if storage is None:
            storage = self.made[key] = self.make(maker, schedule)
        return Listed(storage, self.count_of(maker, schedule))

    def make(self, maker: Node, schedule: Any) -> ListStorage:
        """The storage of a list made of nothing."""
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

    def count_of(self, maker: Node, schedule: Any) -> Size | None:
        """The length of a list made of nothing, where it is a size."""
        if isinstance(maker.op, TensorListZerosLike):
            return self.used(maker, 0, schedule).size
        if isinstance(maker.op, EmptyTensorList):
            return None
        try:
            found = host_of(self.sizes, maker.inputs[1], schedule.of)
        except NotNative:
            return None
        if isinstance(found, int) and found < 0:
            return None
        return as_size(self.sizes, found) if isinstance(found, (int, Size)) else None

    def shape(self, operand: Value, schedule: Any) -> Shape | None:
        """An operand `element_shape`, if all of it is known."""
        try:
            wanted = host_of(self.sizes, operand, schedule.of)
        except NotNative:
            return None
        if not isinstance(wanted, tuple):
            return None
        if any(not isinstance(d, Size) and (not isinstance(d, int) or d < 0) for d in wanted):
            return None
        return tuple([as_size(self.sizes, d) for d in wanted])

    # -- shapes -----------------------------------------------------------------------------

    def infer(self, node: Node, schedule: Any) -> None:
        """What a node's lists are, and the shapes of tensors that it reads."""
        op = node.op
        if isinstance(op, MAKERS):
            return
        if isinstance(op, TensorListFromTensor):
            rows = schedule.of(node.inputs[0])
            kind = kind_of(node.inputs[0].type.dtype)
            self.found[node.outputs[0]] = Listed(ListStorage(kind, rows[1:], node), rows[0])
            return
        listed = self.used(node, 0, schedule)
        storage = listed.storage
        if isinstance(op, TensorListLength):
            schedule.dims[node.outputs[0]] = ()
            if listed.size is not None:
                self.sizes.known[node.outputs[0]] = listed.size
        elif isinstance(op, TensorListAddItem):
            self.fit(storage, node.inputs[2], schedule)
            self.found[node.outputs[0]] = listed
        elif isinstance(op, TensorListSetItem):
            self.fit(storage, node.inputs[2], schedule)
            count = listed.size
            if op.resize_if_index_out_of_bounds:
                self.note_sizes(storage, None)
                storage.gaps = True
                count = None
            self.found[node.outputs[0]] = Listed(storage, count)
        elif isinstance(op, TensorListPushBack):
            self.fit(storage, node.inputs[1], schedule)
            self.found[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, TensorListAppend):
            self.append(storage, self.used(node, 1, schedule).storage)
            self.found[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, TensorListTake):
            self.found[node.outputs[0]] = Listed(storage, None)
            self.found[node.outputs[1]] = Listed(self.taken(storage, node), None)
        elif isinstance(op, TensorListResize):
            self.note_sizes(storage, None)
            storage.gaps = True
            self.found[node.outputs[0]] = Listed(storage, None)
        elif isinstance(op, READS):
            self.read(node, listed, schedule)
        if isinstance(op, _CHANGES):
            storage.changed = True
        resized = isinstance(op, TensorListSetItem) and op.resize_if_index_out_of_bounds
        if resized or isinstance(op, (TensorListPushBack, TensorListAppend, TensorListResize)):
            storage.grows = True
        if isinstance(op, (TensorListPopBack, TensorListTake, TensorListResize)):
            storage.popped = True

    def fit(self, storage: ListStorage, item: Value, schedule: Any) -> None:
        """An item has the shape of all."""
        kind = kind_of(item.type.dtype)
        sizes = None
        if is_size(item) and item.type.rank == 1:
            sizes = self.sizes_of(item, schedule)
            dims: Shape = (Size(item.type.size or 0),)
        else:
            dims = schedule.of(item)
            sizes = self.sizes.known.get(item)  # a shape that comes from a list itself
        self.note_sizes(storage, sizes if isinstance(sizes, tuple) else None)
        if kind != (storage.kind or kind):
            raise NotNative("an item has another dtype than its list")
        storage.kind = kind
        storage.item = dims if storage.item is None else self.unified(storage.item, dims)

    def append(self, storage: ListStorage, other: ListStorage) -> None:
        """The items of another list are added to one: they have the shape of all."""
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

    def taken(self, storage: ListStorage, node: Node) -> ListStorage:
        """The storage of the last items of a list."""
        if storage.item is None:
            raise NotNative("nothing says what shape the items of a list have", [node])
        result = ListStorage(storage.kind, storage.item, node)
        if storage.sizes not in (None, UNWRITTEN):
            storage.relied = True
            result.sizes = storage.sizes
        return result

    def sizes_of(self, item: Value, schedule: Any) -> tuple[Any, ...] | None:
        """What a vector of sizes is, if all of them are known."""
        try:
            found = host_of(self.sizes, item, schedule.of)
        except NotNative:
            return None
        known = all(isinstance(size, (Size, int)) for size in found)
        return tuple([as_size(self.sizes, size) for size in found]) if known else None

    def note_sizes(self, storage: ListStorage, sizes: tuple[Any, ...] | None) -> None:
        """Another item of a list is a shape, or something else."""
        made = storage.source is not None and isinstance(storage.source.op, EmptyTensorList)
        same = made and storage.sizes in (sizes, UNWRITTEN)
        if storage.relied and not same:
            raise NotNative("the items of a list are other shapes than before")
        storage.sizes = sizes if same else None

    def unified(self, a: Shape, b: Shape) -> Shape:
        """Two shapes that must be one."""
        if len(a) != len(b):
            raise NotNative("the items of a list differ in rank")
        return tuple([self.sizes.unify(x, y) for x, y in zip(a, b)])

    def read(self, node: Node, listed: Listed, schedule: Any) -> None:
        """The shape of what is read."""
        op: Any = node.op
        storage = listed.storage
        if kind_of(op.element_dtype) != (storage.kind or kind_of(op.element_dtype)):
            raise NotNative("an item has another dtype than its list")
        storage.kind = kind_of(op.element_dtype)
        asked = self.shape(node.inputs[-1], schedule)
        if asked is not None:
            storage.item = asked if storage.item is None else self.unified(storage.item, asked)
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
            self.found[node.outputs[0]] = Listed(storage, None)

    def read_all(self, node: Node, op: TensorListStack, listed: Listed, schedule: Any) -> None:
        """The shape of all items. What is nothing but a result has the list's own memory."""
        output, size = node.outputs[0], listed.size
        graph = schedule.graph
        used = any(output in other.inputs for other in graph.nodes)
        alone = not graph.is_body and not used and graph.results.count(output) == 1
        if op.num_elements >= 0:
            asked = as_size(self.sizes, op.num_elements)
            size = asked if size is None else self.sizes.unify(size, asked)
        elif size is None and not alone:
            words = "how many items a list has shows only when it is stacked"
            raise NotNative(words) if graph.is_body else Late(words)
        if alone:
            self.late[output] = listed
        schedule.dims[output] = (ZERO if size is None else size, *(listed.storage.item or ()))

    def enter(self, value: Value, storage: ListStorage, count: Size) -> None:
        """A list that the program is given."""
        self.found[value] = Listed(storage, count)

    def enter_loop(self, node: Node, cond: Graph, body: Graph, schedule: Any) -> None:
        """The lists among a loop's variables; their lengths are sizes if they do not change."""
        for i, (first, value) in enumerate(zip(cond.parameters, body.parameters)):
            if is_list(value):
                storage, count = self.used(node, i, schedule)
                if count is not None and changes_length(body, value):
                    count = None
                self.found[first] = self.found[value] = Listed(storage, count)
                self.found[node.outputs[i]] = Listed(storage, count)

    def leave_loop(self, node: Node, body: Any) -> None:
        """A list that is a loop's variable stays in its storage."""
        graph = body.graph
        for value, result in zip(graph.parameters, graph.results):
            if is_list(value):
                root = self.root(result, body)
                if root not in self.found or self.found[root].storage != self.found[value].storage:
                    raise NotNative("a loop exchanges its lists", [node])

    def leave_branch(self, node: Node, sides: list[Any]) -> None:
        """A list that is a branch's result is the same list on both sides."""
        for i, output in enumerate(node.outputs):
            if is_list(output):
                roots = [self.root(side.graph.results[i], side) for side in sides]
                if any(root not in self.found for root in roots):
                    raise NotNative("a branch makes a list", [node])
                first, *rest = [self.found[root] for root in roots]
                if any(other.storage != first.storage for other in rest):
                    raise NotNative("a branch chooses between lists", [node])
                same = all(other.size == first.size for other in rest)
                self.found[output] = Listed(first.storage, first.size if same else None)

    # -- who may change what ----------------------------------------------------------------

    def check(self, schedule: Any, repeated: frozenset[Value] = frozenset()) -> None:
        """Refuses changes of a list of which an older version is still needed, and finds the
        items that are read before a change and needed after it. `repeated` is what a loop
        captures: it is needed again."""
        nodes = schedule.graph.nodes
        last: dict[Value, float] = {}
        for i, node in enumerate(nodes):
            if not isinstance(node.op, TensorListLength):  # each version has its own
                last.update(dict.fromkeys(node.inputs, i))
        last.update(dict.fromkeys(schedule.graph.results, float("inf")))
        seen: dict[ListStorage, list[tuple[float, Value]]] = {}
        changes: dict[ListStorage, int] = {}
        for value in dict.fromkeys(v for n in nodes for v in (*n.outputs, *n.inputs)):
            if is_list(value):
                root = self.root(value, schedule)
                if root in self.found:
                    until = float("inf") if value in repeated else last.get(value, -1)
                    seen.setdefault(self.found[root].storage, []).append((until, value))
        order = {v: i for i, n in enumerate(nodes) for v in n.outputs}
        for i, node in enumerate(nodes):
            for storage in self.changed_by(node, schedule):
                changes[storage] = i
                for until, value in seen.get(storage, ()):
                    if order.get(value, -1) < i < until:
                        raise NotNative("a list is changed that is still needed as it was", [node])
                if sum(v in node.inputs for _, v in seen.get(storage, ())) > 1:
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

    def changed_by(self, node: Node, schedule: Any) -> Iterator[ListStorage]:
        """The storages that a node changes, of those that were there before."""
        if isinstance(node.op, _CHANGES):
            if self.root(node.inputs[0], schedule) in self.found:
                yield self.used(node, 0, schedule).storage
        elif isinstance(node.op, (StatelessWhile, StatelessIf)):
            outside = {
                self.used(node, i, schedule).storage
                for i, value in enumerate(node.inputs)
                if is_list(value) and self.root(value, schedule) in self.found
            }
            inside = {
                storage
                for inner in schedule.inner[node]
                for step in inner.graph.nodes
                for storage in self.changed_by(step, inner)
            }
            yield from outside & inside


def is_list(value: Value) -> bool:
    """Whether a value is a list."""
    return value.type.dtype is dt.variant


def list_operands(node: Node) -> tuple[Value, ...]:
    """The numbers and items that a list op reads; of a vector of numbers, these."""
    mask = node.op.host_mask(len(node.inputs))
    computes = isinstance(node.op, (TensorListReserve, TensorListResize, TensorListAddItem))
    found = [v for v, host in zip(node.inputs, mask) if not host and not is_list(v)]
    found += node.inputs[-1:] if computes else ()
    packed = [v for v in found if isinstance(v.node.op, Pack) and is_size(v)]
    return (*[v for v in found if v not in packed], *[v for p in packed for v in p.node.inputs])


def no_dims(value: Value) -> Shape:
    """For operands that must be constants."""
    raise NotNative("the limit of a list is computed")


def changes_length(body: Graph, value: Value) -> bool:
    """Whether a list of a graph may become shorter or longer on its way to the results."""
    same = {value}
    for node in body.nodes:
        op = node.op
        for i, given in enumerate(node.inputs):
            if given not in same:
                continue
            if isinstance(op, TensorListSetItem):
                if op.resize_if_index_out_of_bounds:
                    return True
                same.add(node.outputs[0])
            elif isinstance(op, _RESIZES) and not i:
                return True
            elif isinstance(op, Identity):
                same.add(node.outputs[0])
            elif isinstance(op, StatelessWhile) and i < len(op.body.parameters):
                if changes_length(op.body, op.body.parameters[i]):
                    return True
                same.add(node.outputs[i])
            elif isinstance(op, StatelessIf):
                if any(changes_length(g, g.arguments[i - 1]) for g in op.graphs):
                    return True
                same.update(v for v in node.outputs if is_list(v))
    return False


def element_of(graph: Graph, value: Value) -> tuple[DType, Dims] | None:
    """The dtype and shape of the items of a list that a graph is given, as its uses say."""
    for node in graph.nodes:
        op: Any = node.op
        for i, given in enumerate(node.inputs):
            if given is not value:
                continue
            found: tuple[DType, Dims] | None = None
            if isinstance(op, READS):
                type_: TensorType = node.outputs[-1].type
                dims = type_.dims
                if dims is not None:
                    found = type_.dtype, dims[isinstance(op, TensorListStack) :]
            elif isinstance(op, (TensorListSetItem, TensorListPushBack)):
                item = node.inputs[-1].type
                found = (item.dtype, item.dims) if item.dims is not None else None
                found = found or element_of(graph, node.outputs[0])
            elif isinstance(op, (TensorListAppend, TensorListTake)):
                found = element_of(graph, node.outputs[-1])
            elif isinstance(op, StatelessWhile):
                found = element_of(op.body, op.body.arguments[i])
                if found is None and i < len(node.outputs):
                    found = element_of(graph, node.outputs[i])
            elif isinstance(op, StatelessIf):
                for side in op.graphs:
                    found = found or element_of(side, side.arguments[i - 1])
            elif isinstance(op, (Identity, TensorListZerosLike)):
                found = element_of(graph, node.outputs[0])
            if found is not None:
                return found
    return None
