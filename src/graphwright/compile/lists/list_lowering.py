"""The statements of list ops: places of items, room for more items, lengths."""

from __future__ import annotations

from typing import Any

from graphwright.compile.graph.accumulate import uses_of
from graphwright.compile.graph.rewrites import TensorListAddItem
from graphwright.compile.lists.list_boundary import Arriving, Crossing, Leaving
from graphwright.compile.lists.list_buffers import ListBuffers, ListStorage
from graphwright.compile.lists.list_types import dims_of
from graphwright.compile.lists.list_uses import MAKERS, element_of, is_list
from graphwright.compile.lists.range_ops import TensorListAppend, TensorListTake
from graphwright.compile.lists.storage_lowering import Length, StorageLowering
from graphwright.compile.nests.building import ProgramBuilder
from graphwright.compile.nests.clusters import Cluster
from graphwright.compile.nests.element_kinds import DTYPES, kind_of
from graphwright.compile.nests.list_statements import (
    Agree,
    Deliver,
    Locate,
    Mark,
    Require,
    Reserve,
    Shorten,
    Transfer,
)
from graphwright.compile.nests.nest import (
    Copy,
    Count,
    Element,
    Linear,
    Load,
    Nest,
    Scalar,
    Stage,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import ONE, ZERO, NotNative, Size
from graphwright.compile.select.host_operands import as_size, host_of, is_size
from graphwright.ir.graph import Node, Value
from graphwright.ops.core.joining import Pack
from graphwright.ops.math.arithmetic import AddV2
from graphwright.ops.state.list_ops import (
    TensorListGetItem,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListResize,
    TensorListSetItem,
    TensorListZerosLike,
)
from graphwright.ops.state.list_tensors import TensorListFromTensor, TensorListStack
from graphwright.types.tensor_type import Dims, TensorType


def is_size_vector(value: Value) -> bool:
    """Whether an item is a shape, which has no memory."""
    return value.type.rank == 1 and is_size(value)


class ListLowering(StorageLowering):
    """Writes the statements of list ops for a program."""

    def __init__(self, program: ProgramBuilder, lists: ListBuffers) -> None:
        super().__init__(program, lists)
        self.stacked: dict[Value, tuple[ListStorage, Length]] = {}  # of stacks that are results
        self.arriving: list[Arriving] = []
        self.leaving: list[Leaving] = []
        self.numbers: dict[ListStorage, int] = {}  # by storage: the number of its input

    def statements(self, node: Node, schedule: Schedule) -> list[Statement]:
        """The statements of a list op."""
        if isinstance(node.op, MAKERS):
            return []  # lists are made where they are used
        result: list[Statement] = self.RULES[type(node.op)](self, node, schedule)
        return result

    # -- ops --------------------------------------------------------------------------------

    def from_tensor(self, node: Node, schedule: Schedule) -> list[Statement]:
        """A list of the rows of a tensor, in its memory if nothing else needs that."""
        rows = node.inputs[0]
        into: list[Statement] = []
        storage = self.lists.listed[node.outputs[0]].storage
        source = self.program.memory(rows, schedule, into)
        role = self.program.values.buffers[source].role
        computed = role == "temporary" and isinstance(schedule.home.get(rows), Cluster)
        if computed and not storage.grows and uses_of(schedule.graph)[rows] == 1:
            storage.buffer = self.program.alias(source, schedule.of(rows), into)
            return into
        return [*into, *self.filled(node.outputs[0], source)]

    def count(self, node: Node, schedule: Schedule) -> list[Statement]:
        """The length of a list as a tensor."""
        into: list[Statement] = []
        _, length = self.used(node, 0, schedule, into)
        output = node.outputs[0]
        self.program.values.define(output, self.as_length(length, into), into)
        return into

    def set_item(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Writes an item to its place."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        index = self.program.as_scalar(node.inputs[1], schedule, into)
        output = node.outputs[0]
        if node.op.resize_if_index_out_of_bounds:  # type: ignore[attr-defined]
            length = self.extended(storage, length, into, place=index)
        if self.lists.listed[output].size is None:
            self.lengths[output] = self.as_length(length, into)
        self.write(storage, index, length, node.inputs[2], schedule, into)
        return into

    def push(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Writes an item behind the last one."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        before = self.as_length(length, into)
        after = self.lengths[node.outputs[0]] = self.extended(storage, before, into)
        self.write(storage, before, after, node.inputs[1], schedule, into)
        return into

    def append(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Writes the items of another list behind the last one."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        other, more = self.used(node, 1, schedule, into)
        before, count = self.as_length(length, into), self.as_length(more, into)
        sum_of_lengths = self.program.scalar()
        terms = (Scalar(before, "i32"), Scalar(count, "i32"))
        total = Element(AddV2.of(), (0, 1), "i32")
        into.append(Straight((*terms, total), ((2, sum_of_lengths, "i32"),)))
        after = self.extended(storage, before, into, exactly=sum_of_lengths)
        self.lengths[node.outputs[0]] = after
        item, kind = self.shape(storage)
        source, target = other.buffer, storage.buffer
        into.append(Transfer(source, ZERO, target, before, count, item, kind))
        if storage.written >= 0:
            into.append(Mark(storage.written))
        return into

    def take(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Moves the last items to a list of their own."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        count = self.program.as_scalar(node.inputs[1], schedule, into)
        rest, tail = node.outputs
        after = self.lengths[rest] = self.program.scalar()
        self.lengths[tail] = count
        into.append(Shorten(length, after, count))
        moved = self.lists.listed[tail].storage
        self.allocate(moved)
        item, kind = self.shape(moved)
        into.append(Reserve(moved.buffer, moved.capacity, count, item, kind))
        into.append(Transfer(storage.buffer, after, moved.buffer, ZERO, count, item, kind))
        return into

    def write(
        self,
        storage: ListStorage,
        index: int,
        length: Length,
        value: Value,
        schedule: Schedule,
        into: list[Statement],
    ) -> None:
        """Writes an item."""
        item, kind = self.shape(storage)
        view = self.program.buffer("view", storage.item or (), kind)
        locate = Locate(view, storage.buffer, index, length, item, kind)
        if item == ONE and not is_size_vector(value):
            scalar = self.program.as_scalar(value, schedule, into)
            store = Store(0, view, Linear((), ()), kind)
            into += [locate, Straight((Scalar(scalar, kind),), (), (store,))]
        elif is_size_vector(value):
            entries = self.entries(value, schedule, into)
            places = [Linear((Size(i),), ()) for i in range(len(entries))]
            stores = [Store(i, view, place, kind) for i, place in enumerate(places)]
            into += [locate, Straight(tuple(entries), (), tuple(stores))]
        else:
            source = self.program.memory(value, schedule, into)
            into += [locate, Copy(source, view, item, kind)]
        if storage.written >= 0:
            into.append(Mark(storage.written))

    def entries(
        self, value: Value, schedule: Schedule, into: list[Statement]
    ) -> list[Count | Scalar]:
        """The instructions for the entries of a vector of sizes or indices."""
        sizes = self.lists.sizes_of(value, schedule)
        if sizes is not None:
            return [Count(size, "i32") for size in sizes]
        if not isinstance(value.node.op, Pack):
            raise NotNative("a shape is computed")
        scalars = [self.program.as_scalar(v, schedule, into) for v in value.node.inputs]
        return [Scalar(scalar, kind_of(value.type.dtype)) for scalar in scalars]

    def add_item(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Adds a tensor to an item in its place."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        output, value = node.outputs[0], node.inputs[2]
        index = self.program.as_scalar(node.inputs[1], schedule, into)
        count = self.number(node.inputs[3], schedule, into)
        if count != length:
            into.append(Agree(count, length))
        if self.lists.listed[output].size is None:
            self.lengths[output] = self.as_length(length, into)
        item, kind = self.shape(storage)
        view = self.program.buffer("view", storage.item or (), kind)
        into.append(Locate(view, storage.buffer, index, length, item, kind))
        place = Linear((), (ONE,))
        if item == ONE:
            scalar = self.program.as_scalar(value, schedule, into)
            place = Linear((), ())
            operands: tuple[Any, ...] = (Load(view, place, kind), Scalar(scalar, kind))
        else:
            source = self.program.memory(value, schedule, into)
            operands = Load(view, place, kind), Load(source, place, kind)
        steps = (*operands, Element(AddV2.of(), (0, 1), kind))
        stores = (Store(2, view, place, kind),)
        if item == ONE:
            into.append(Straight(steps, (), stores))
        else:
            into.append(Nest((item,), 0, (Stage(steps, stores),)))
        if storage.written >= 0:
            into.append(Mark(storage.written))
        return into

    def number(self, value: Value, schedule: Schedule, into: list[Statement]) -> Length:
        """The length that an operand says."""
        try:
            length = host_of(self.program.sizes, value, schedule.of)
        except NotNative:
            return self.program.as_scalar(value, schedule, into)
        if isinstance(length, (Size, int)):
            return self.program.sizes.canonical(as_size(self.program.sizes, length))
        return self.program.as_scalar(value, schedule, into)

    def get_item(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Reads an item in its place."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        index = self.program.as_scalar(node.inputs[1], schedule, into)
        self.require(node, storage, length, schedule, into)
        self.read(node, storage, index, length, into)
        return into

    def pop(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Shortens a list by its last item, and reads that in its place."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        after = self.lengths[node.outputs[0]] = self.program.scalar()
        into.append(Shorten(length, after))
        self.require(node, storage, length, schedule, into)
        self.read(node, storage, after, length, into)
        return into

    def read(
        self, node: Node, storage: ListStorage, index: int, length: Length, into: list[Statement]
    ) -> None:
        """Locates an item: as memory or, if it is one element, as a scalar."""
        item, kind = self.shape(storage)
        output = node.outputs[-1]
        view = self.program.buffer("view", self.program.schedule.of(output), kind)
        into.append(Locate(view, storage.buffer, index, length, item, kind))
        if item == ONE:
            scalar = self.program.scalar()
            into.append(Straight((Load(view, Linear((), ()), kind),), ((0, scalar, kind),)))
            self.program.values.define(output, scalar, into)
        elif node in self.lists.copied or self.program.values.is_reserved(output):
            into.append(Copy(view, self.program.target(output), item, kind))
        else:
            self.program.values.lie(output, view)

    def require(
        self,
        node: Node,
        storage: ListStorage,
        length: Length,
        schedule: Schedule,
        into: list[Statement],
    ) -> None:
        """Requires that an item was written, where only written items say the shape."""
        if storage.written >= 0 and self.lists.shape(node.inputs[-1], schedule) is None:
            if not storage.gaps and not isinstance(node.op, TensorListStack):
                return
            if storage.popped and storage.gaps:
                raise NotNative("an item may not be written", [node])
            into.append(Require(storage.written, length))

    def stack(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Reads all items in their place."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        self.require(node, storage, length, schedule, into)
        output = node.outputs[0]
        size = self.program.schedule.of(output)[0]
        if size not in (length, ZERO):
            into.append(Agree(length, size))
        item, kind = self.shape(storage)
        if output in self.lists.late:
            self.stacked[output] = storage, length
        elif self.program.values.is_reserved(output) or node in self.lists.copied:
            into.append(Copy(storage.buffer, self.program.target(output), size * item, kind))
        else:
            shape = self.program.schedule.of(output)
            self.program.values.lie(output, self.program.alias(storage.buffer, shape, into))
        return into

    def resize(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Shortens a list, or extends it with zeros."""
        into: list[Statement] = []
        storage, length = self.used(node, 0, schedule, into)
        count = self.program.as_scalar(node.inputs[1], schedule, into)
        output = node.outputs[0]
        self.lengths[output] = self.extended(storage, length, into, exactly=count)
        return into

    RULES: Any = {
        TensorListFromTensor: from_tensor,
        TensorListLength: count,
        TensorListSetItem: set_item,
        TensorListAddItem: add_item,
        TensorListPushBack: push,
        TensorListAppend: append,
        TensorListTake: take,
        TensorListGetItem: get_item,
        TensorListPopBack: pop,
        TensorListStack: stack,
        TensorListResize: resize,
    }

    # -- loops and branches -----------------------------------------------------------------

    def enter_loop(
        self, node: Node, schedule: Schedule, inner: list[Schedule], into: list[Statement]
    ) -> list[tuple[int, int, Value]]:
        """The lengths that a loop carries: (the scalar of each, its first value, the result)."""
        scalars = []
        condition, body = [i.graph for i in inner]
        for i, value in enumerate(body.parameters):
            listed = self.lists.listed.get(value)
            if listed is None:
                continue
            _, length = self.used(node, i, schedule, into)
            if listed.size is None:
                variable = self.program.scalar()
                for other in (condition.parameters[i], value, node.outputs[i]):
                    self.lengths[other] = variable
                scalars.append((variable, self.as_length(length, into), body.results[i]))
        return scalars

    def next_length(self, result: Value, body: Schedule, into: list[Statement]) -> int:
        """The length of a list after an iteration or on one side of a branch."""
        root = self.lists.root(result, body)
        return self.as_length(self.length(root, self.lists.listed[root]), into)

    # -- the interface ----------------------------------------------------------------------

    def add_input(self, value: Value) -> None:
        """Adds a list that arrives, as the tensor of its items."""
        element = element_of(self.program.graph, value)
        if element is None:
            users = [n for n in self.program.graph.nodes if value in n.inputs]
            raise NotNative(f"nothing says what {value.name} is a list of", users)
        dtype, dims = element
        number = len(self.program.inputs)
        count, *item = self.program.add_input(value, TensorType(dtype, (None, *dims)))
        storage = ListStorage(kind_of(dtype), tuple(item), None)
        self.lists.enter(value, storage, count)
        self.arriving.append(Arriving(number, dtype, dims))
        self.numbers[storage] = number

    def enter(self) -> list[Statement]:
        """The first statements of the program: copies of the lists that it changes."""
        arguments = [v for v in self.program.graph.arguments if is_list(v)]
        return [s for v in arguments for s in self.filled(v, self.program.buffer_of(v))]

    def deliver_all(self, body: list[Statement]) -> None:
        """Appends the statements that deliver the lists among the results."""
        schedule = self.program.schedule
        delivered: list[tuple[int, ListStorage, Length]] = []
        for i, value in enumerate(schedule.results):
            if value in self.stacked:
                delivered.append((i, *self.stacked[value]))
            elif is_list(value):
                root = self.lists.root(value, schedule)
                if root not in self.lists.listed:
                    raise NotNative("a list is made for others", [value.node, root.node])
                listed = self.lists.listed[root]
                delivered.append((i, listed.storage, self.length(root, listed)))
                self.leave(i, listed.storage, delivered[-1][2], body)
        storages = [storage for _, storage, _ in delivered]
        for k, (i, storage, length) in enumerate(delivered):
            self.deliver(i, storage, length, storage not in storages[k + 1 :], body)

    def deliver(
        self, number: int, storage: ListStorage, length: Length, last: bool, into: list[Statement]
    ) -> None:
        """Delivers a list's memory as a result: itself the last time, else a copy."""
        item, kind = self.shape(storage)
        shape = self.program.sizes.shape((ZERO, *(storage.item or ())))
        late = self.program.buffer("late", shape, kind)
        self.program.results[number] = late, shape
        is_given = last and self.program.values.buffers[storage.buffer].role == "owned"
        into.append(Deliver(storage.buffer, late, number, length, item, kind, not is_given))

    def leave(
        self, number: int, storage: ListStorage, length: Length, into: list[Statement]
    ) -> None:
        """Notes a result that becomes a list again outside."""
        if storage.written >= 0:
            into.append(Require(storage.written, length))
        dtype = DTYPES[self.shape(storage)[1]]
        like = self.numbers.get(storage, -1)
        self.leaving.append(Leaving(number, dtype, like, self.declared(storage)))

    def declared(self, storage: ListStorage) -> Dims | None:
        """The declared shape of the items of a list that was made here."""
        maker = storage.source
        if maker is None or isinstance(maker.op, TensorListFromTensor):
            return None if maker is None else maker.inputs[0].type.dims[1:]  # type: ignore[index]
        if isinstance(maker.op, (TensorListZerosLike, TensorListTake)):
            raise NotNative("what a list of zeros or of other lists' items is declared as", [maker])
        return dims_of(maker.inputs[0])

    def crossing(self) -> Crossing | None:
        """The lists that arrive and leave; None if there are none."""
        if not self.arriving and not self.leaving:
            return None
        return Crossing(tuple(self.arriving), tuple(self.leaving))
