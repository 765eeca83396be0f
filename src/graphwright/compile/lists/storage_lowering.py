"""The memory and the lengths of a program's lists: the statements that make and extend them."""

from __future__ import annotations

from typing import Any, TypeAlias

from graphwright.compile.lists.list_buffers import ListBuffers, Listed, ListStorage
from graphwright.compile.nests.building import ProgramBuilder
from graphwright.compile.nests.list_statements import (
    Extend,
    Reserve,
)
from graphwright.compile.nests.nest import (
    Copy,
    Count,
    Statement,
    Straight,
)
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import NotNative, Size, product
from graphwright.ir.graph import Node, Value
from graphwright.ops.state.list_ops import (
    EmptyTensorList,
    TensorListReserve,
    TensorListZerosLike,
)

Length: TypeAlias = Size | int


class StorageLowering:
    """The storages of a program's lists."""

    def __init__(self, program: ProgramBuilder, lists: ListBuffers) -> None:
        self.program = program
        self.lists = lists
        self.lengths: dict[Value, int] = {}  # the scalars of lengths that are no sizes

    def used(
        self, node: Node, place: int, schedule: Schedule, into: list[Statement]
    ) -> tuple[ListStorage, Length]:
        """The storage and the length of a list that a node uses; makes it, if it is new."""
        listed = self.lists.used(node, place, schedule)
        root = self.lists.root(node.inputs[place], schedule)
        if root in self.lists.listed:
            return listed.storage, self.length(root, listed)
        return listed.storage, self.make(root.node, listed, schedule, into)

    def length(self, root: Value, listed: Listed) -> Length:
        """The length of a list."""
        return self.lengths[root] if listed.size is None else listed.size

    def make(
        self, maker: Node, listed: Listed, schedule: Schedule, into: list[Statement]
    ) -> Length:
        """The length of a new list; appends the statement that makes it."""
        storage = listed.storage
        like = -1
        length: Length
        if listed.size is not None:
            length = listed.size
        elif isinstance(maker.op, TensorListReserve):
            length = self.program.as_scalar(maker.inputs[1], schedule, into)
        elif isinstance(maker.op, EmptyTensorList):
            length = self.scalar_of(Size(0), into)
        else:
            _, length = self.used(maker, 0, schedule, into)
        if isinstance(maker.op, TensorListZerosLike):
            like = self.lists.used(maker, 0, schedule).storage.written
        self.allocate(storage)
        if not storage.declared and storage.written < 0:
            storage.written = self.program.scalar()
        item, kind = self.shape(storage)
        slots = storage.written, like
        into.append(Reserve(storage.buffer, storage.capacity, length, item, kind, slots))
        return length

    def allocate(self, storage: ListStorage) -> None:
        """Gives a storage a buffer of its own."""
        if storage.buffer < 0:
            if storage.item is None or storage.kind is None:
                raise NotNative("nothing is written to a list")
            shape = self.program.sizes.shape(storage.item)
            storage.buffer = self.program.buffer("owned", shape, storage.kind)
            storage.capacity = self.program.scalar()

    def shape(self, storage: ListStorage) -> tuple[Size, str]:
        """The number of elements of an item, and their kind."""
        if storage.item is None or storage.kind is None:
            raise NotNative("nothing is written to a list")
        return product(self.program.sizes.shape(storage.item)), storage.kind

    def scalar_of(self, size: Size, into: list[Statement]) -> int:
        """A size as an int32 scalar."""
        scalar = self.program.scalar()
        into.append(Straight((Count(size, "i32"),), ((0, scalar, "i32"),)))
        return scalar

    def as_length(self, length: Length, into: list[Statement]) -> int:
        """A length as a scalar."""
        return self.scalar_of(length, into) if isinstance(length, Size) else length

    def filled(self, value: Value, source: int) -> list[Statement]:
        """A list of a buffer's items, in that buffer if nothing changes the list."""
        storage, size = self.lists.listed[value]
        assert size is not None
        if not storage.changed:
            storage.buffer = source
            return []
        self.allocate(storage)
        item, kind = self.shape(storage)
        return [
            Reserve(storage.buffer, storage.capacity, size, item, kind),
            Copy(source, storage.buffer, size * item, kind),
        ]

    def extended(
        self, storage: ListStorage, length: Length, into: list[Statement], **how: Any
    ) -> int:
        """The new length of a list; appends the statement that makes room."""
        result = self.program.scalar()
        item, kind = self.shape(storage)
        into.append(Extend(storage.buffer, storage.capacity, length, result, item, kind, **how))
        return result
