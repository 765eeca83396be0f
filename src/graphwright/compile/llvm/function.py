"""An LLVM function under construction: its frame, sizes, loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Emitter, Reg, type_of
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.functions.elements import VectorScalars, overlook
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.sizes import Size
from graphwright.machine.targets import vectors

I64 = "i64"


class Phi(NamedTuple):
    """A value by the block that control came from, and the number of its line."""

    reg: Reg
    line: int


class FunctionWriter:
    """Emits into one function; sizes are computed at its entry."""

    def __init__(self, frame: Frame | None, signature: str) -> None:
        self.frame: Any = frame  # None in functions that need no frame
        self.signature = signature
        self.e = Emitter()
        self.entry: list[str] = []
        self.body: list[str] = []
        self.e.lines = self.body
        self._sizes: dict[Size, Reg] = {}
        self._slots: dict[int, Reg] = {}
        self.moving: set[int] = set()  # buffers whose addresses change while this runs
        self._resting: dict[int, Reg] | None = None  # those addresses, where none changes
        self.e.label("start")

    def text(self) -> str:
        """The text of the function."""
        lines = ["entry:", *self.entry, "  br label %start", *self.body]
        return "\n".join([f"{self.signature} {vectors().attributes} {{", *lines, "}", ""])

    @contextmanager
    def at_entry(self) -> Iterator[None]:
        """A context that emits at the entry instead."""
        before, self.e.lines = self.e.lines, self.entry
        try:
            yield
        finally:
            self.e.lines = before

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """A context in which no buffer moves: an address that may change is read once there."""
        self._resting = {}
        try:
            yield
        finally:
            self._resting = None

    # -- the frame --------------------------------------------------------------------------

    def slot(self, i: int) -> Reg:
        """The address of a slot."""
        return self.e.assign("ptr", 1, f"getelementptr i64, ptr %frame, i64 {i}")

    def from_slot(self, i: int, kind: str) -> Reg:
        """The contents of a slot."""
        address = self.slot(i)
        return self.e.assign(kind, 1, f"load {type_of(kind, 1)}, {address}, align 8")

    def to_slot(self, i: int, x: Reg) -> None:
        """Fills a slot."""
        address = self.slot(i)
        self.e.line(f"store {x}, {address}, align 8")

    def buffer(self, i: int) -> Reg:
        """The address of a buffer."""
        slot = self.frame.buffer(i)
        if i in self.moving:
            resting = {} if self._resting is None else self._resting
            if slot not in resting:
                resting[slot] = self.from_slot(slot, "ptr")
            return resting[slot]
        if slot not in self._slots:
            with self.at_entry():
                self._slots[slot] = self.from_slot(slot, "ptr")
        return self._slots[slot]

    def set_buffer(self, i: int, address: Reg) -> None:
        """Notes the address of a buffer that is allocated here."""
        self._slots[self.frame.buffer(i)] = address

    def size(self, size: Size) -> Reg:
        """The value of a size."""
        value = self._sizes.get(size)
        if value is None:
            with self.at_entry():
                value = self._sizes[size] = self._product(size)
        return value

    def _product(self, size: Size) -> Reg:
        result = None if size.factor == 1 and size.symbols else self.number(size.factor)
        for i in size.symbols:
            symbol = Size(1, (i,))
            value = self._sizes.get(symbol)
            if value is None:
                value = self._sizes[symbol] = self.from_slot(self.frame.symbol(i), I64)
            result = value if result is None else self.e.binary("mul", result, value)
        assert result is not None
        return result

    # -- integers ---------------------------------------------------------------------------

    def number(self, value: int) -> Reg:
        """An integer constant."""
        return Reg(str(value), I64)

    def add(self, x: Reg, y: Reg) -> Reg:
        """x + y"""
        if x.text == "0":
            return y
        return x if y.text == "0" else self.e.binary("add", x, y)

    def mul(self, x: Reg, y: Reg) -> Reg:
        """x * y"""
        if x.text == "1" or y.text == "0":
            return y
        return x if y.text == "1" or x.text == "0" else self.e.binary("mul", x, y)

    # -- memory -----------------------------------------------------------------------------

    def address(self, base: Reg, index: Reg, kind: str) -> Reg:
        """The address of an element."""
        if index.text == "0":
            return base
        size = item_size(kind)
        return self.e.assign("ptr", 1, f"getelementptr i{8 * size}, {base}, {index}")

    def element(self, buffer: int, index: Reg, kind: str, writes: bool) -> Reg:
        """The address of an element of a buffer, to be read or written."""
        base = self.buffer(buffer)
        size = self.number(item_size(kind))
        return self.accessed(buffer, base, self.address(base, index, kind), size, writes)

    def accessed(self, buffer: int, base: Reg, address: Reg, size: Reg, writes: bool) -> Reg:
        """The address to be used for some bytes of a buffer that lies at `base`.

        Sanitized code checks that they are the buffer's own.
        """
        sanitizer = self.frame.sanitizer
        if sanitizer is None:
            return address
        checked: Reg = sanitizer.access(self, buffer, base, address, size, writes)
        return checked

    def load(self, address: Reg, kind: str, lanes: int) -> Reg:
        """Loads elements from memory, where bools are bytes."""
        if kind == "b1":
            raw = self.load(address, "u8", lanes)
            return self.e.compare("ne", raw, self.e.like(0, raw))
        text = f"load {type_of(kind, lanes)}, {address}, align {item_size(kind)}"
        return self.e.assign(kind, lanes, text)

    def store(self, x: Reg, address: Reg) -> None:
        """Stores elements to memory."""
        if x.kind == "b1":
            x = self.e.cast("zext", x, "u8")
        elif x.text in self.e.choices:
            # LLVM would store the new elements alone, under a mask. AMD's processors take ten times
            # as long for that, and no later load gets the elements before they are in the cache.
            x = self.e.assign(x.kind, x.lanes, f"freeze {x}")
        self.e.line(f"store {x}, {address}, align {item_size(x.kind)}")

    def stack(self, kind: str, lanes: int) -> Reg:
        """Room for elements on the stack."""
        kind = "u8" if kind == "b1" else kind
        with self.at_entry():
            return self.e.assign("ptr", 1, f"alloca {type_of(kind, lanes)}, align 64")

    def copy(self, target: Reg, source: Reg, count: Reg, kind: str) -> None:
        """Copies elements."""
        size = self.mul(count, self.number(item_size(kind)))
        name = "llvm.memcpy.p0.p0.i64"
        self.e.declarations[name] = f"declare void @{name}(ptr, ptr, i64, i1)"
        self.e.line(f"call void @{name}({target}, {source}, {size}, i1 false)")

    def call(self, result: str, name: str, *arguments: Reg) -> Reg:
        """Calls an outside function."""
        types = ", ".join(a.type for a in arguments)
        type_ = "void" if not result else type_of(result, 1)
        self.e.declarations[name] = f"declare {type_} @{name}({types})"
        text = f"call {type_} @{name}({', '.join(map(str, arguments))})"
        if not result:
            self.e.line(text)
            return Reg("void", "ptr")
        return self.e.assign(result, 1, text)

    def parallel_for(self) -> Reg:
        """The function that runs all parts of another one, in several threads."""
        name = "gw_parallel_for"
        self.e.declarations[name] = f"declare void @{name}(ptr, ptr, i64)"
        return Reg(f"@{name}", "ptr")

    def allocate(self, size: Reg) -> Reg:
        """Memory for temporaries, or null; large blocks are kept for the next call."""
        memory = self.call("ptr", "gw_malloc", size)
        self.e.declarations["gw_malloc"] = "declare noalias ptr @gw_malloc(i64)"
        return memory

    def release(self, memory: Reg) -> None:
        """Gives memory for temporaries back."""
        self.call("", "gw_free", memory)

    # -- control ----------------------------------------------------------------------------

    def branch(self, label: str) -> None:
        """Goes to a block."""
        self.e.line(f"br label %{label}")

    def branch_if(self, condition: Reg, then: str, otherwise: str) -> None:
        """Goes to one of two blocks."""
        self.e.line(f"br {condition}, label %{then}, label %{otherwise}")

    def phi(self, kind: str, lanes: int, *sources: tuple[str, str]) -> Reg:
        """A value by the block that control came from: (text, label) ..."""
        phi = self.open_phi(kind, lanes)
        self.close_phi(phi, *sources)
        return phi.reg

    def open_phi(self, kind: str, lanes: int = 1) -> Phi:
        """A phi whose sources `close_phi` adds later."""
        return Phi(self.e.assign(kind, lanes, "phi"), len(self.e.lines) - 1)

    def close_phi(self, phi: Phi, *sources: tuple[str, str]) -> None:
        """Adds the sources of an open phi."""
        options = ", ".join(f"[ {text}, %{label} ]" for text, label in sources)
        self.e.lines[phi.line] += f" {phi.reg.type} {options}"

    @contextmanager
    def loop(self, begin: Reg, end: Reg) -> Iterator[Reg]:
        """A context for the body of: for i in begin..end."""
        e = self.e
        head, body, end_label = [e.fresh_label(p) for p in ("head", "body", "done")]
        before = e.block
        next_ = e.fresh("next")
        self.branch(head)
        e.label(head)
        latch = e.fresh_label("latch")
        i = self.phi(I64, 1, (begin.text, before), (next_, latch))
        self.branch_if(e.compare("slt", i, end), body, end_label)
        e.label(body)
        yield i
        self.branch(latch)
        e.label(latch)
        e.line(f"{next_} = add {i}, 1")
        self.branch(head)
        e.label(end_label)

    def scalars(self, on_zero: Callable[[Reg], None] = overlook) -> VectorScalars:
        """The words of element expressions in this function."""
        return VectorScalars(self.e, on_zero)
