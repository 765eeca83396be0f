"""Scans: each element combined with all before it along an axis.

A scan along an axis with others behind it takes vectors of these. Along the last axis each step
waits for the one before, so it takes single elements. Threads share rows, which do not depend on
each other.
"""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.chunks import Chunks
from graphwright.compile.llvm.emitter import Reg, is_float
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.functions.combine import combined, identity
from graphwright.compile.llvm.functions.element_blocks import repeated
from graphwright.compile.llvm.functions.lanes import Lanes
from graphwright.compile.llvm.launch import Launch
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.llvm.whole_runs import WholeRun
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Scan
from graphwright.compile.nests.sizes import ONE, product

#: The bytes of one step along the axes behind: a few vectors, whose steps overlap.
_BYTES = 128


class ScanWriter:
    """Writes the function of a scan, over a range of its columns: of vectors or elements."""

    def __init__(self, name: str, scan: Scan, frame: Frame) -> None:
        signature = f"define internal void @{name}(ptr %frame, i64 %begin, i64 %end, ptr %totals)"
        self.scan = scan
        self.f = FunctionWriter(frame, signature)
        self.e = self.f.e
        self.lanes = lanes_of(scan)
        self.chunks = Chunks(self.f, self.lanes)

    def text(self) -> str:
        """The text of the function."""
        f, e = self.f, self.e
        columns = across(f, self.scan)
        _, steps, after = [f.size(size) for size in self.scan.axes]
        with f.loop(Reg("%begin", I64), Reg("%end", I64)) as position:
            first = f.mul(f.mul(e.binary("udiv", position, columns), steps), after)
            column = f.mul(e.binary("urem", position, columns), f.number(self.lanes))
            place = f.add(first, column)
            if self.lanes == 1:
                self.column(place, self.whole, self.put_whole)
            else:
                self.vectors(place, e.binary("sub", after, column))
        e.line("ret void")
        return f.text()

    def vectors(self, place: Reg, count: Reg) -> None:
        """Writes the steps of a column of vectors, or of parts of them."""
        f, e, kind = self.f, self.e, self.scan.kind
        full, part, joined = [e.fresh_label(p) for p in ("full", "part", "scanned")]
        f.branch_if(e.compare("sge", count, f.number(self.lanes)), full, part)
        e.label(full)
        self.column(place, self.whole, self.put_whole)
        f.branch(joined)
        e.label(part)
        room = f.stack(kind, self.lanes)

        def get(address: Reg) -> Reg:
            self.chunks.read_part(room, address, count, kind)
            return f.load(room, kind, self.lanes)

        def put(x: Reg, address: Reg) -> None:
            f.store(x, room)
            self.chunks.write_part(address, room, count, kind)

        self.column(place, get, put)
        f.branch(joined)
        e.label(joined)

    def whole(self, address: Reg) -> Reg:
        """Loads a full vector."""
        return self.f.load(address, self.scan.kind, self.lanes)

    def put_whole(self, x: Reg, address: Reg) -> None:
        """Stores a full vector."""
        self.f.store(x, address)

    def column(
        self, place: Reg, get: Callable[[Reg], Reg], put: Callable[[Reg, Reg], None]
    ) -> None:
        """Writes all steps from a place on."""
        f, e, scan = self.f, self.e, self.scan
        source, target = f.buffer(scan.source), f.buffer(scan.target)
        _, steps, after = [f.size(size) for size in scan.axes]
        nothing = e.constant(scan.kind, identity(scan.combine, scan.kind), self.lanes)

        def step(values: list[Lanes]) -> tuple[list[Lanes], Lanes]:
            number, before = values[0].reg, values[1].reg
            last = e.binary("sub", e.binary("sub", steps, f.number(1)), number)
            index = f.add(place, f.mul(last if scan.reverse else number, after))
            total = combined(f, scan.combine, before, get(f.address(source, index, scan.kind)))
            result = total
            if scan.exclusive:
                result = e.select(e.compare("eq", number, f.number(0)), nothing, before)
            put(result, f.address(target, index, scan.kind))
            following = f.add(number, f.number(1))
            more = e.compare("slt", following, steps)
            return [Lanes(e, following), Lanes(e, total)], Lanes(e, more)

        body, end = e.fresh_label("some"), e.fresh_label("column")
        f.branch_if(e.compare("sgt", steps, f.number(0)), body, end)
        e.label(body)
        is_added = scan.combine == "sum" and is_float(scan.kind)  # -0 changes nothing, 0 does
        start = e.like(-0.0, nothing) if is_added else nothing
        repeated([Lanes(e, f.number(0)), Lanes(e, start)], step)
        f.branch(end)
        e.label(end)


def lanes_of(scan: Scan) -> int:
    """The number of elements in one step."""
    return 1 if scan.axes[2] == ONE else _BYTES // item_size(scan.kind)


def across(f: FunctionWriter, scan: Scan) -> Reg:
    """The number of columns behind the axis."""
    lanes = lanes_of(scan)
    rounded = f.add(f.size(scan.axes[2]), f.number(lanes - 1))
    return f.e.binary("sdiv", rounded, f.number(lanes))


class ScanRun(WholeRun):
    """Writes the function that runs a scan."""

    def __init__(self, module: LlvmModule, scan: Scan, whole: bool) -> None:
        super().__init__(module, whole)
        self.scan = scan

    def write(self) -> list[Reg]:
        name = f"scan{len(self.module.functions)}"
        callee = self.module.share(ScanWriter(name, self.scan, self.module.frame))
        return self.launch(Launch(callee, self.sizes, whole=self.whole))

    def sizes(self, f: FunctionWriter) -> tuple[Reg, Reg]:
        """The number of columns, and of elements."""
        axes = self.scan.axes
        return f.mul(f.size(axes[0]), across(f, self.scan)), f.size(product(axes))
