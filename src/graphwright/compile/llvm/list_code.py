"""The statements of lists as machine code: memory that grows, the places of items in it.

The frame has a list's address and the number of items that it has room for. Where a kernel of the
slow tier would refuse, the run ends. The slow tier then does the call again, and raises its error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.list_statements import (
    Agree,
    Deliver,
    Extend,
    ListStatement,
    Locate,
    Mark,
    Require,
    Reserve,
    Shorten,
    Transfer,
)
from graphwright.compile.nests.nest import Program
from graphwright.compile.nests.sizes import Size

if TYPE_CHECKING:
    from graphwright.compile.llvm.frame import Frame

#: The least number of items for which a list gets room when it first grows.
_FIRST = 8

#: More bytes than any machine has.
_MEMORY = 1 << 47


class ListWriter:
    """Writes the statements of lists into the main function."""

    def __init__(
        self,
        f: FunctionWriter,
        frame: Frame,
        scalars: Mapping[int, Reg],
        define: Callable[[int, Reg], None],
    ) -> None:
        self.f = f
        self.e = f.e
        self.frame = frame
        self.scalars = scalars
        self.define = define

    def statement(self, statement: ListStatement) -> None:
        """Writes one statement."""
        self.WRITERS[type(statement)](self, statement)

    # -- the frame --------------------------------------------------------------------------

    def clear(self, program: Program) -> None:
        """Notes that no list has memory at the beginning."""
        for i, buffer in enumerate(program.buffers):
            if buffer.role == "owned":
                self.f.to_slot(self.frame.buffer(i), Reg("null", "ptr"))

    def free(self, program: Program) -> None:
        """Gives the memory of all lists back."""
        for i, buffer in enumerate(program.buffers):
            if buffer.role == "owned":
                self.f.call("", "free", self.f.from_slot(self.frame.buffer(i), "ptr"))

    def value(self, length: Size | int) -> Reg:
        """The value of a length or an index."""
        if isinstance(length, Size):
            return self.f.size(length)
        return self.e.cast("sext", self.scalars[length], I64)

    def bytes(self, item: Size, kind: str) -> Reg:
        """The bytes of an item."""
        return self.f.mul(self.f.size(item), self.f.number(item_size(kind)))

    def room(self, length: Reg, size: Reg) -> Reg:
        """The bytes of `length` items, which must be few enough to be counted."""
        f, e = self.f, self.e
        most = e.binary("sdiv", f.number(_MEMORY), e.intrinsic("smax", size, f.number(1)))
        self.require(e.compare("sle", length, most))
        return f.mul(length, size)

    def scalar_slot(self, scalar: int) -> int:
        """The slot of a number that the frame alone holds."""
        return self.frame.scalar(scalar)

    # -- control ----------------------------------------------------------------------------

    def require(self, condition: Reg) -> None:
        """Leaves unless a condition holds."""
        f, e = self.f, self.e
        go, on = e.fresh_label("refused"), e.fresh_label("fine")
        f.branch_if(condition, on, go)
        e.label(go)
        f.to_slot(0, f.e.binary("or", f.from_slot(0, I64), f.number(1)))
        f.branch("leave")
        e.label(on)

    @contextmanager
    def where(self, condition: Reg) -> Iterator[None]:
        """A context for code that runs only if a condition holds."""
        f, e = self.f, self.e
        do, joined = e.fresh_label("do"), e.fresh_label("done")
        f.branch_if(condition, do, joined)
        e.label(do)
        yield
        f.branch(joined)
        e.label(joined)

    # -- statements -------------------------------------------------------------------------

    def reserve(self, s: Reserve) -> None:
        """Makes a list of zeros; in a loop it allocates memory only once."""
        f, e = self.f, self.e
        length = self.value(s.length)
        self.require(e.compare("sge", length, f.number(0)))
        slot_of_written, like = s.written
        if slot_of_written >= 0:
            is_written = f.number(0) if like < 0 else f.from_slot(self.scalar_slot(like), I64)
            f.to_slot(self.scalar_slot(slot_of_written), is_written)
        slot, room = self.frame.buffer(s.buffer), self.scalar_slot(s.capacity)
        old = f.from_slot(slot, "ptr")
        size = self.bytes(s.item, s.kind)
        new, again, joined = [e.fresh_label(p) for p in ("new", "again", "reserved")]
        f.branch_if(e.compare("eq", old, Reg("null", "ptr")), new, again)
        e.label(again)
        with self.where(e.compare("sgt", length, f.from_slot(room, I64))):
            larger = f.call("ptr", "realloc", old, self.room(length, size))
            self.require(e.compare("ne", larger, Reg("null", "ptr")))
            f.to_slot(slot, larger)
            f.to_slot(room, length)
        self.zeros(f.from_slot(slot, "ptr"), f.mul(length, size))
        f.branch(joined)
        e.label(new)
        least = e.intrinsic("smax", self.room(length, size), f.number(1))
        fresh = f.call("ptr", "calloc", least, f.number(1))
        self.require(e.compare("ne", fresh, Reg("null", "ptr")))
        f.to_slot(slot, fresh)
        f.to_slot(room, length)
        f.branch(joined)
        e.label(joined)

    def zeros(self, address: Reg, size: Reg) -> None:
        """Fills memory with zeros."""
        name = "llvm.memset.p0.i64"
        self.e.declarations[name] = f"declare void @{name}(ptr, i8, i64, i1)"
        self.e.line(f"call void @{name}({address}, i8 0, {size}, i1 false)")

    def extend(self, s: Extend) -> None:
        """Gives a list more room, half as much again each time, and zeros for gaps."""
        f, e = self.f, self.e
        length = self.value(s.length)
        after = f.add(length, f.number(1))
        if s.place >= 0:
            index = self.value(s.place)
            self.require(e.compare("sge", index, f.number(0)))
            after = e.intrinsic("smax", length, f.add(index, f.number(1)))
        elif s.exactly != -1:
            after = self.value(s.exactly)
            self.require(e.compare("sge", after, f.number(0)))
        slot, room = self.frame.buffer(s.buffer), self.scalar_slot(s.capacity)
        size = self.bytes(s.item, s.kind)
        with self.where(e.compare("sgt", after, f.from_slot(room, I64))):
            half = e.binary("add", after, e.binary("ashr", after, f.number(1)))
            more = e.intrinsic("smax", half, f.number(_FIRST))
            bytes_needed = e.intrinsic("smax", self.room(more, size), f.number(1))
            larger = f.call("ptr", "realloc", f.from_slot(slot, "ptr"), bytes_needed)
            self.require(e.compare("ne", larger, Reg("null", "ptr")))
            f.to_slot(slot, larger)
            f.to_slot(room, more)
        if s.place >= 0 or s.exactly != -1:
            start = f.mul(length, size)
            address = self.item(f.from_slot(slot, "ptr"), start)
            gap = e.intrinsic("smax", f.mul(e.binary("sub", after, length), size), f.number(0))
            self.zeros(address, gap)
        self.define(s.result, e.cast("trunc", after, "i32"))

    def shorten(self, s: Shorten) -> None:
        """Computes a shorter length; one comparison finds counts below 0 and above the length."""
        e = self.e
        length, by = self.value(s.length), self.value(s.by)
        self.require(e.compare("ule", by, length))
        self.define(s.result, e.cast("trunc", e.binary("sub", length, by), "i32"))

    def locate(self, s: Locate) -> None:
        """Computes the address of an item; one comparison finds indices below 0 and above all."""
        f, e = self.f, self.e
        index = self.value(s.place)
        self.require(e.compare("ult", index, self.value(s.length)))
        size = self.bytes(s.item, s.kind)
        base = f.buffer(s.buffer)
        item = self.item(base, f.mul(index, size))
        if self.frame.sanitizer is not None:
            self.require(e.compare("eq", f.accessed(s.buffer, base, item, size, False), item))
        f.to_slot(self.frame.buffer(s.view), item)

    def transfer(self, s: Transfer) -> None:
        """Copies items."""
        f, size = self.f, self.bytes(s.item, s.kind)
        ends = [(s.source, s.start), (s.target, s.place)]
        source, target = [self.item(f.buffer(b), f.mul(self.value(i), size)) for b, i in ends]
        f.copy(target, source, f.mul(self.value(s.number), f.size(s.item)), s.kind)

    def item(self, address: Reg, start: Reg) -> Reg:
        """The address `start` bytes behind another."""
        return self.e.assign("ptr", 1, f"getelementptr i8, {address}, {start}")

    def agree(self, s: Agree) -> None:
        """Leaves unless two lengths are the same."""
        self.require(self.e.compare("eq", self.value(s.one), self.value(s.other)))

    def mark(self, s: Mark) -> None:
        """Notes that a list was written."""
        self.f.to_slot(self.scalar_slot(s.written), self.f.number(1))

    def demand(self, s: Require) -> None:
        """Leaves unless a list was written and has items."""
        f, e = self.f, self.e
        written = e.compare("ne", f.from_slot(self.scalar_slot(s.written), I64), f.number(0))
        has_items = e.compare("sgt", self.value(s.length), f.number(0))
        self.require(e.binary("and", written, has_items))

    def deliver(self, s: Deliver) -> None:
        """Delivers a list's memory, cut to its length, or a copy of it."""
        f, e = self.f, self.e
        length = self.value(s.length)
        size = e.intrinsic("smax", f.mul(length, self.bytes(s.item, s.kind)), f.number(1))
        source = f.buffer(s.buffer)
        if s.copy:
            delivered = f.call("ptr", "malloc", size)
            self.require(e.compare("ne", delivered, Reg("null", "ptr")))
            f.copy(delivered, source, f.mul(length, f.size(s.item)), s.kind)
        else:
            delivered = f.call("ptr", "realloc", source, size)
            self.require(e.compare("ne", delivered, Reg("null", "ptr")))
            f.to_slot(self.frame.buffer(s.buffer), Reg("null", "ptr"))
        f.to_slot(self.frame.buffer(s.late), delivered)
        f.to_slot(self.frame.result_dims[s.result], length)

    WRITERS: Any = {
        Reserve: reserve,
        Extend: extend,
        Shorten: shorten,
        Locate: locate,
        Transfer: transfer,
        Agree: agree,
        Mark: mark,
        Require: demand,
        Deliver: deliver,
    }
