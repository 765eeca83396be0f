"""The sanitizing mode: machine code that looks at each place before it reads or writes there.

Each access is compared with the extent of its buffer, and one beyond it goes to a dump instead.
Buffers of a program have a shadow, with a byte for each byte: the buffer as which it was written.
A read of a byte that was not written, or written as another buffer in the same memory, is a fault
too. Temporaries begin as poison. They have guard zones around them, which are compared in the end,
since called functions such as products are not instrumented. A record keeps the first fault of a
call.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any

from graphwright.base.errors import InternalError
from graphwright.compile.llvm import runtime
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.compile.memory.accesses import read_by, written_by
from graphwright.compile.memory.arena import bytes_of, companies
from graphwright.compile.nests.call_statements import OutsideCall
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.list_statements import Extend, Reserve
from graphwright.compile.nests.nest import (
    Clear,
    Copy,
    Multiply,
    Program,
    Scan,
    Statement,
    all_statements,
    show,
)
from graphwright.compile.nests.sizes import Size, product

#: The byte that fills unwritten memory and guard zones.
POISON = 0xA5

#: The faults in words, by number.
FAULTS = (
    "reads {size} bytes at byte {offset} of b{buffer}, which has {extent}",
    "writes {size} bytes at byte {offset} of b{buffer}, which has {extent}",
    "reads byte {offset} of b{buffer}, which nobody has written as this buffer",
    "something was written beyond the ends of b{buffer}",
)

#: The first fault of a call: its number from 1 on, the statement, the buffer, the byte, the number
#: of bytes, the extent.
_RECORD = (ctypes.c_int64 * 8)()

#: The memory for accesses beyond a buffer.
_DUMP = ctypes.create_string_buffer(1 << 12)


class Turn:
    """The lock for one run of sanitized code at a time: all share the record.

    Forks do not wait for it. An update of a variable in place takes it, and forks wait for that:
    the two would wait for each other. A child has its own lock.
    """

    lock = threading.RLock()  # a signal's handler may run other code

    @classmethod
    def renew(cls) -> None:
        """Gives the child of a fork its lock."""
        cls.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Turn.renew)

#: The functions of every module in this mode; `sanitize` gives the address to be used.
_TEXT = """
define internal void @sanitize_note(i64 %fault, i64 %where, i64 %buffer, i64 %offset, \
i64 %bytes, i64 %extent) {
entry:
  %known = load i64, ptr @gw_sanitize_record
  %first = icmp eq i64 %known, 0
  br i1 %first, label %note, label %done
note:
  store i64 %fault, ptr @gw_sanitize_record
  %p1 = getelementptr i64, ptr @gw_sanitize_record, i64 1
  store i64 %where, ptr %p1
  %p2 = getelementptr i64, ptr @gw_sanitize_record, i64 2
  store i64 %buffer, ptr %p2
  %p3 = getelementptr i64, ptr @gw_sanitize_record, i64 3
  store i64 %offset, ptr %p3
  %p4 = getelementptr i64, ptr @gw_sanitize_record, i64 4
  store i64 %bytes, ptr %p4
  %p5 = getelementptr i64, ptr @gw_sanitize_record, i64 5
  store i64 %extent, ptr %p5
  br label %done
done:
  ret void
}
define internal ptr @sanitize(ptr %base, i64 %extent, ptr %address, i64 %bytes, ptr %shadow, \
i64 %owner, i64 %writes, i64 %where, i64 %buffer) {
entry:
  %a = ptrtoint ptr %address to i64
  %b = ptrtoint ptr %base to i64
  %offset = sub i64 %a, %b
  %end = add i64 %offset, %bytes
  %low = icmp slt i64 %offset, 0
  %high = icmp sgt i64 %end, %extent
  %out = or i1 %low, %high
  %some = icmp sgt i64 %bytes, 0
  %bad = and i1 %out, %some
  br i1 %bad, label %outside, label %inside
outside:
  %fault = add i64 %writes, 1
  call void @sanitize_note(i64 %fault, i64 %where, i64 %buffer, i64 %offset, \
i64 %bytes, i64 %extent)
  ret ptr @gw_sanitize_dump
inside:
  %none = icmp eq ptr %shadow, null
  %known = xor i1 %none, true
  %look = and i1 %known, %some
  br i1 %look, label %shadowed, label %fine
shadowed:
  %first = getelementptr i8, ptr %shadow, i64 %offset
  %own = trunc i64 %owner to i8
  %write = icmp ne i64 %writes, 0
  br i1 %write, label %mark, label %head
mark:
  call void @llvm.memset.p0.i64(ptr %first, i8 %own, i64 %bytes, i1 false)
  br label %fine
head:
  %i = phi i64 [ 0, %shadowed ], [ %next, %again ]
  %more = icmp slt i64 %i, %bytes
  br i1 %more, label %byte, label %fine
byte:
  %p = getelementptr i8, ptr %first, i64 %i
  %x = load i8, ptr %p
  %same = icmp eq i8 %x, %own
  %next = add i64 %i, 1
  br i1 %same, label %again, label %unwritten
again:
  br label %head
unwritten:
  %at = add i64 %offset, %i
  call void @sanitize_note(i64 3, i64 %where, i64 %buffer, i64 %at, i64 1, \
i64 %extent)
  br label %fine
fine:
  ret ptr %address
}
define internal void @sanitize_guard(ptr %zone, i64 %bytes, i64 %buffer) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %more = icmp slt i64 %i, %bytes
  br i1 %more, label %byte, label %done
byte:
  %p = getelementptr i8, ptr %zone, i64 %i
  %x = load i8, ptr %p
  %same = icmp eq i8 %x, -91
  %next = add i64 %i, 1
  br i1 %same, label %again, label %broken
again:
  br label %head
broken:
  call void @sanitize_note(i64 4, i64 -1, i64 %buffer, i64 %i, i64 1, i64 0)
  br label %done
done:
  ret void
}
"""

_DECLARATIONS = {
    "gw_sanitize_record": "@gw_sanitize_record = external global i8",
    "gw_sanitize_dump": "@gw_sanitize_dump = external global i8",
    "llvm.memset.p0.i64": "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
}


class Sanitizer:
    """Instruments the code of one program."""

    #: The bytes of a guard zone.
    zone = 256

    def __init__(self, program: Program) -> None:
        runtime.define("gw_sanitize_record", ctypes.addressof(_RECORD))
        runtime.define("gw_sanitize_dump", ctypes.addressof(_DUMP))
        self.program = program
        self.here = 0  # the number of the present statement
        statements = list(all_statements(program.body))
        self.numbers = {id(s): i for i, s in enumerate(statements)}
        #: By buffer: the owner of its bytes, one for buffers that loops exchange.
        self.owners = {i: i for i in range(len(program.buffers))}
        for members in companies(program.body):
            self.owners.update(dict.fromkeys(members, min(members)))
        self.capacities = {
            s.buffer: s.capacity for s in statements if isinstance(s, (Reserve, Extend))
        }
        self.lent = {program.results[result][0] for result, _ in program.reuses}
        self.shadows: list[Reg] = []
        self.zones: list[tuple[int, Reg, Reg]] = []  # (buffer, address, number of bytes)

    # -- the whole run ----------------------------------------------------------------------

    def begin(self, f: FunctionWriter, homes: dict[int, int]) -> None:
        """Allocates the shadows of temporaries and results; shared memory shares a shadow."""
        for i in range(len(self.program.buffers)):
            f.to_slot(f.frame.shadow(i), Reg("null", "ptr"))
        roots = [i for i, home in homes.items() if i == home]
        for i in dict.fromkeys([*roots, *self.results()]):
            size = f.e.intrinsic("smax", f.size(bytes_of(self.program.buffers[i])), f.number(1))
            shadow = f.call("ptr", "calloc", size, f.number(1))
            self.shadows.append(shadow)
            f.to_slot(f.frame.shadow(i), shadow)
        for i, home in homes.items():
            if i != home:
                f.to_slot(f.frame.shadow(i), f.from_slot(f.frame.shadow(home), "ptr"))

    def results(self) -> list[int]:
        """The buffers of results with their own memory."""
        buffers = [b for b, _ in self.program.results if b >= 0 and b not in self.lent]
        return [b for b in dict.fromkeys(buffers) if self.program.buffers[b].role == "result"]

    def poison(self, f: FunctionWriter, memory: Reg, size: Reg) -> None:
        """Fills memory with poison."""
        f.e.declarations.update(_DECLARATIONS)
        f.e.line(f"call void @llvm.memset.p0.i64({memory}, i8 {POISON - 256}, {size}, i1 false)")

    def guard(self, f: FunctionWriter, buffer: int, memory: Reg, start: Reg, end: Reg) -> None:
        """Notes the zones around a buffer that has all of the memory from `start` to `end`."""
        size = f.size(bytes_of(self.program.buffers[buffer]))
        first = f.add(start, f.number(self.zone))
        for begin, stop in ((start, first), (f.add(first, size), end)):
            zone = f.e.assign("ptr", 1, f"getelementptr i8, {memory}, {begin}")
            self.zones.append((buffer, zone, f.e.binary("sub", stop, begin)))

    def end(self, f: FunctionWriter) -> None:
        """Checks the guard zones and that results are whole, and frees the shadows."""
        for buffer, zone, size in self.zones:
            f.e.line(f"call void @sanitize_guard({zone}, {size}, i64 {buffer})")
        whole, joined = f.e.fresh_label("whole"), f.e.fresh_label("left")
        f.branch_if(f.e.compare("eq", f.from_slot(0, "i64"), f.number(0)), whole, joined)
        f.e.label(whole)
        self.here = -1
        for buffer in self.results():
            base = f.buffer(buffer)
            self.access(f, buffer, base, base, self.extent(f, buffer), writes=False)
        f.branch(joined)
        f.e.label(joined)
        for shadow in self.shadows:
            f.call("", "free", shadow)

    def exchange(self, f: FunctionWriter, pairs: list[tuple[int, int]]) -> None:
        """Exchanges shadows along with the memory that a loop exchanges."""
        moved = [(b, f.from_slot(f.frame.shadow(c), "ptr")) for b, c in pairs]
        for buffer, shadow in moved:
            f.to_slot(f.frame.shadow(buffer), shadow)

    # -- accesses ---------------------------------------------------------------------------

    def extent(self, f: FunctionWriter, buffer: int) -> Reg:
        """The bytes of a buffer; of a list, those that it has room for."""
        if self.program.buffers[buffer].role != "owned":
            return f.size(bytes_of(self.program.buffers[buffer]))
        item = f.size(bytes_of(self.program.buffers[buffer]))
        if buffer not in self.capacities:
            return f.number(1 << 62)
        return f.mul(f.from_slot(f.frame.scalar(self.capacities[buffer]), "i64"), item)

    def access(
        self,
        f: FunctionWriter,
        buffer: int,
        base: Reg,
        address: Reg,
        size: Reg,
        writes: bool,
        shadow: Reg | None = None,
    ) -> Reg:
        """The address to be used: a dump for one outside. The default `shadow` is the buffer's."""
        f.e.declarations.update(_DECLARATIONS)
        if shadow is None:
            shadow = f.from_slot(f.frame.shadow(buffer), "ptr")
        operands = (
            f"{base}, {self.extent(f, buffer)}, {address}, {size}, {shadow}, "
            f"i64 {1 + self.owners[buffer] % 250}, i64 {int(writes)}, i64 {self.here}, "
            f"i64 {buffer}"
        )
        return f.e.assign("ptr", 1, f"call ptr @sanitize({operands})")

    def lanes(
        self,
        f: FunctionWriter,
        buffer: int,
        base: Reg,
        addresses: Reg,
        size: int,
        mask: Reg,
        shadow: Reg | None = None,
    ) -> Reg:
        """The addresses to be used for many elements, which are read.

        Lanes that do not count are read, too, within the buffer's extent.
        """
        e, result = f.e, addresses
        if shadow is None:
            shadow = f.from_slot(f.frame.shadow(buffer), "ptr")
        for i in range(addresses.lanes):
            address = e.assign("ptr", 1, f"extractelement {addresses}, i32 {i}")
            counts = e.assign("b1", 1, f"extractelement {mask}, i32 {i}")
            shadow_of_lane = e.select(counts, shadow, Reg("null", "ptr"))
            place = buffer, base, address, f.number(size), False
            checked = self.access(f, *place, shadow_of_lane)
            result = e.assign("ptr", result.lanes, f"insertelement {result}, {checked}, i32 {i}")
        return result

    # -- statements that are not instrumented inside -----------------------------------------

    def statement(self, f: FunctionWriter, s: Statement, require: Callable[[Reg], None]) -> None:
        """Checks all reads and writes of a statement before it begins; leaves after a fault.

        `require` leaves unless a condition holds.
        """
        self.here = self.numbers.get(id(s), self.here)
        if not isinstance(s, (Clear, Copy, Scan, Multiply, OutsideCall)):
            return
        ranges = [(b, False) for b in read_by(s)]
        if isinstance(s, Multiply) and s.add:
            ranges.append((s.c, False))
        ranges += [(b, True) for b in written_by(s)]
        for buffer, writes in ranges:
            base = f.buffer(buffer)
            kind = self.program.buffers[buffer].kind
            size = f.mul(f.size(self.elements(s, buffer)), f.number(item_size(kind)))
            checked = self.access(f, buffer, base, base, size, writes)
            require(f.e.compare("eq", checked, base))

    def elements(self, s: Clear | Copy | Scan | Multiply | OutsideCall, buffer: int) -> Size:
        """The number of a buffer's elements that a statement reads or writes."""
        if isinstance(s, Clear):
            return product(self.program.buffers[s.buffer].shape)
        if isinstance(s, Copy):
            return s.elements
        if isinstance(s, Scan):
            return product(s.axes)
        if isinstance(s, OutsideCall):
            return product(s.shapes[(*s.sources, *s.targets).index(buffer)])
        matrix = {s.a: s.m * s.k, s.b: s.k * s.n, s.c: s.m * s.n}[buffer]
        return s.products * matrix

    def text(self) -> str:
        """The functions that instrumented code calls."""
        return _TEXT

    # -- the call ---------------------------------------------------------------------------

    def watched(self, native: Callable[..., Any]) -> Callable[..., Any]:
        """The machine code as a function that raises InternalError after a fault."""

        def run(*arguments: Any) -> Any:
            with Turn.lock:
                _RECORD[0] = 0
                results = native(*arguments)
                fault, where, *numbers = _RECORD[:6]
            if fault:
                names = ("buffer", "offset", "size", "extent")
                words = FAULTS[fault - 1].format(**dict(zip(names, numbers)))
                statements = list(all_statements(self.program.body))
                nest = f"\n{self.program}"
                if where >= 0:
                    nest = "\n".join(show((statements[where],), 1))
                raise InternalError(None, None, f"machine code {words}:\n{nest}")
            return results

        return run
