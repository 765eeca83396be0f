"""The statements of lists as machine code: memory that grows, the places of items in it.

A list's address and how many items it has room for are in the frame. What a kernel of the slow
tier would refuse ends the run; the slow tier then does it again, and raises its error.
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

#: The least number of items that a list gets room for when it first grows.
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

    def statement(self, statement: Any) -> None:
        """One statement."""
        self.WRITERS[type(statement)](self, statement)

    # -- the frame --------------------------------------------------------------------------

    def clear(self, program: Program) -> None:
        """No list has memory in the beginning."""
        for i, buffer in enumerate(program.buffers):
            if buffer.role == "owned":
                self.f.to_slot(self.frame.buffer(i), Reg("null", "ptr"))

    def free(self, program: Program) -> None:
        """Gives the memory of all lists back."""
        for i, buffer in enumerate(program.buffers):
            if buffer.role == "owned":
                self.f.call("", "free", self.f.from_slot(self.frame.buffer(i), "ptr"))

    def value(self, length: Size | int) -> Reg:
        """A length or an index."""
        if isinstance(length, Size):
            return self.f.size(length)
        return self.e.cast("sext", self.scalars[length], I64)

    def bytes(self, item: Size, kind: str) -> Reg:
        """The bytes of an item."""
        return self.f.mul(self.f.size(item), self.f.number(item_size(kind)))

    def room(self, length: Reg, size: Reg) -> Reg:
        """The bytes of so many items, which must be few enough to be counted."""
        f, e = self.f, self.e
        most = e.binary("sdiv", f.number(_MEMORY), e.intrinsic("smax", size, f.number(1)))
        self.require(e.compare("sle", length, most))
        return f.mul(length, size)

    def scalar_slot(self, scalar: int) -> int:
        """Where a number is that is kept in the frame alone."""
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
        """Does something only if a condition holds."""
        f, e = self.f, self.e
        do, done = e.fresh_label("do"), e.fresh_label("done")
        f.branch_if(condition, do, done)
        e.label(do)
        yield
        f.branch(done)
        e.label(done)

    # -- statements -------------------------------------------------------------------------

    def reserve(self, s: Reserve) -> None:
        """Zeros; in a loop, where there is memory already, no more than once."""
        f, e = self.f, self.e
        length = self.value(s.length)
        self.require(e.compare("sge", length, f.number(0)))
        own, like = s.written
        if own >= 0:
            kept = f.number(0) if like < 0 else f.from_slot(self.scalar_slot(like), I64)
            f.to_slot(self.scalar_slot(own), kept)
        slot, room = self.frame.buffer(s.buffer), self.scalar_slot(s.capacity)
        old = f.from_slot(slot, "ptr")
        size = self.bytes(s.item, s.kind)
        new, again, done = [e.fresh_label(p) for p in ("new", "again", "reserved")]
        f.branch_if(e.compare("eq", old, Reg("null", "ptr")), new, again)
        e.label(again)
        with self.where(e.compare("sgt", length, f.from_slot(room, I64))):
            larger = f.call("ptr", "realloc", old, self.room(length, size))
            self.require(e.compare("ne", larger, Reg("null", "ptr")))
            f.to_slot(slot, larger)
            f.to_slot(room, length)
        self.zeros(f.from_slot(slot, "ptr"), f.mul(length, size))
        f.branch(done)
        e.label(new)
        some = e.intrinsic("smax", self.room(length, size), f.number(1))
        fresh = f.call("ptr", "calloc", some, f.number(1))
        self.require(e.compare("ne", fresh, Reg("null", "ptr")))
        f.to_slot(slot, fresh)
        f.to_slot(room, length)
        f.branch(done)
        e.label(done)

    def zeros(self, at: Reg, size: Reg) -> None:
        """Fills memory with zeros."""
        name = "llvm.memset.p0.i64"
        self.e.declarations[name] = f"declare void @{name}(ptr, i8, i64, i1)"
        self.e.line(f"call void @{name}({at}, i8 0, {size}, i1 false)")

    def extend(self, s: Extend) -> None:
        """More room, half as much again each time; what is not written yet is zeros."""
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
            some = e.intrinsic("smax", self.room(more, size), f.number(1))
            larger = f.call("ptr", "realloc", f.from_slot(slot, "ptr"), some)
            self.require(e.compare("ne", larger, Reg("null", "ptr")))
            f.to_slot(slot, larger)
            f.to_slot(room, more)
        if s.place >= 0 or s.exactly != -1:
            start = f.mul(length, size)
            at = self.item(f.from_slot(slot, "ptr"), start)
            gap = e.intrinsic("smax", f.mul(e.binary("sub", after, length), size), f.number(0))
            self.zeros(at, gap)
        self.define(s.result, e.cast("trunc", after, "i32"))

    def shorten(self, s: Shorten) -> None:
        """So many less; one comparison finds what is below none and above all."""
        e = self.e
        length, by = self.value(s.length), self.value(s.by)
        self.require(e.compare("ule", by, length))
        self.define(s.result, e.cast("trunc", e.binary("sub", length, by), "i32"))

    def locate(self, s: Locate) -> None:
        """The address of an item; one comparison finds what is below and above."""
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
        """Items copied."""
        f, size = self.f, self.bytes(s.item, s.kind)
        ends = [(s.source, s.start), (s.target, s.place)]
        source, target = [self.item(f.buffer(b), f.mul(self.value(i), size)) for b, i in ends]
        f.copy(target, source, f.mul(self.value(s.number), f.size(s.item)), s.kind)

    def item(self, address: Reg, start: Reg) -> Reg:
        """The address so many bytes behind another."""
        return self.e.assign("ptr", 1, f"getelementptr i8, {address}, {start}")

    def agree(self, s: Agree) -> None:
        """Two lengths that must be the same."""
        self.require(self.e.compare("eq", self.value(s.one), self.value(s.other)))

    def mark(self, s: Mark) -> None:
        """Something was written."""
        self.f.to_slot(self.scalar_slot(s.written), self.f.number(1))

    def demand(self, s: Require) -> None:
        """Something must have been written."""
        f, e = self.f, self.e
        written = e.compare("ne", f.from_slot(self.scalar_slot(s.written), I64), f.number(0))
        some = e.compare("sgt", self.value(s.length), f.number(0))
        self.require(e.binary("and", written, some))

    def deliver(self, s: Deliver) -> None:
        """The list's memory, cut to its length, or a copy of it."""
        f, e = self.f, self.e
        length = self.value(s.length)
        size = e.intrinsic("smax", f.mul(length, self.bytes(s.item, s.kind)), f.number(1))
        source = f.buffer(s.buffer)
        if s.copy:
            given = f.call("ptr", "malloc", size)
            self.require(e.compare("ne", given, Reg("null", "ptr")))
            f.copy(given, source, f.mul(length, f.size(s.item)), s.kind)
        else:
            given = f.call("ptr", "realloc", source, size)
            self.require(e.compare("ne", given, Reg("null", "ptr")))
            f.to_slot(self.frame.buffer(s.buffer), Reg("null", "ptr"))
        f.to_slot(self.frame.buffer(s.late), given)
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


def moving(program: Program) -> Iterator[int]:
    """The buffers of lists whose addresses change, and of items of lists."""
    for i, buffer in enumerate(program.buffers):
        if buffer.role in ("owned", "view"):
            yield i
