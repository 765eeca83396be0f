"""Running the function of a nest or a scan: at once, or in parts that threads share."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.kernels import threads
from graphwright.lower.llvm.combine import identity
from graphwright.lower.llvm.emitter import Reg
from graphwright.lower.llvm.function import I64, FunctionWriter
from graphwright.lower.llvm.nests import extent, totals_of
from graphwright.lower.nest import Element, Nest, Reduce
from graphwright.lower.sizes import product

#: Parts of a nest whose totals are added up: always as many, so that sums do not depend on the
#: number of threads.
PARTS = 16

#: With less to do than this (about one simple operation on an element each), threads only cost.
WORTH = 1 << 18

#: Element functions that cost as much as many simple ones.
_SIMPLE = frozenset(
    {"AddV2", "Sub", "Mul", "Neg", "Maximum", "Minimum", "Relu", "Cast", "Square", "SelectV2"}
)
_DEAR = 8


class Launch:
    """Writes the calls of a function over a range into the main function.

    There are `work` elements to compute, at the cost of `each` simple operations. Parts of what
    is `ordered` cannot run at once; `totals` are those of each part.
    """

    def __init__(
        self,
        f: FunctionWriter,
        name: str,
        end: Reg,
        work: Reg,
        each: int = 1,
        totals: Sequence[Reduce] = (),
        ordered: bool = False,
    ) -> None:
        self.f = f
        self.e = f.e
        self.name = name
        self.end = end
        self.work = work
        self.each = each
        self.totals = totals
        self.ordered = ordered

    @classmethod
    def of_nest(cls, f: FunctionWriter, name: str, nest: Nest) -> Launch:
        """That of a nest's function."""
        end, work = f.size(product(extent(nest))), f.size(product(nest.axes))
        return cls(f, name, end, work, weight(nest), totals_of(nest), nest.ordered)

    def write(self) -> list[list[Reg]]:
        """The calls; where the parts of each total are."""
        f, e = self.f, self.e
        if not self.may_be_shared():
            room = self.rooms(1)
            self.call(f.number(0), self.end, room)
            return [[self.word(room, i)] for i in range(len(self.totals))]
        room = self.rooms(PARTS)
        for part in range(PARTS):
            for i, effect in enumerate(self.totals):
                start = e.constant(effect.kind, identity(effect.combine, effect.kind))
                f.store(start, self.word(room, part * len(self.totals) + i))
        alone, shared, done = [e.fresh_label(p) for p in ("alone", "shared", "joined")]
        limit = f.number(WORTH // self.each)
        f.branch_if(e.compare("slt", self.work, limit), alone, shared)
        e.label(alone)
        self.call(f.number(0), self.end, room)
        f.branch(done)
        e.label(shared)
        self.share(room)
        f.branch(done)
        e.label(done)
        return [
            [self.word(room, part * len(self.totals) + i) for part in range(PARTS)]
            for i in range(len(self.totals))
        ]

    def may_be_shared(self) -> bool:
        """Whether parts of the range can run at once."""
        return bool(threads.address()) and not self.ordered

    def rooms(self, parts: int) -> Reg:
        """Room for the totals of some parts."""
        count = max(1, parts * len(self.totals))
        with self.f.at_entry():
            return self.e.assign("ptr", 1, f"alloca i64, i64 {count}, align 16")

    def word(self, room: Reg, i: int) -> Reg:
        """The address of a word."""
        return self.e.assign("ptr", 1, f"getelementptr i64, {room}, i64 {i}")

    def call(self, begin: Reg, end: Reg, totals: Reg) -> None:
        """The function over a range."""
        self.e.line(f"call void @{self.name}(ptr %frame, {begin}, {end}, {totals})")

    def share(self, room: Reg) -> None:
        """The function over parts of the range."""
        f = self.f
        with f.at_entry():
            context = self.e.assign("ptr", 1, "alloca i64, i64 4, align 16")
        f.store(Reg("%frame", "ptr"), context)
        f.store(self.end, self.word(context, 1))
        f.store(room, self.word(context, 2))
        f.store(f.number(len(self.totals)), self.word(context, 3))
        part = Reg(f"@{self.name}_part", "ptr")
        f.call("", "gw_parallel_for", part, context, f.number(PARTS))


def part_function(name: str) -> str:
    """The function of one part: a range of the whole, totals of its own."""
    f = FunctionWriter(None, f"define internal void @{name}_part(ptr %context, i64 %part)")
    e = f.e
    words = []
    for i, kind in enumerate(("ptr", I64, "ptr", I64)):
        address = e.assign("ptr", 1, f"getelementptr i64, ptr %context, i64 {i}")
        words.append(e.assign(kind, 1, f"load {kind}, {address}, align 8"))
    frame, end, room, count = words
    part = Reg("%part", I64)
    begin, stop = bounds(f, part, end)
    own = e.assign("ptr", 1, f"getelementptr i64, {room}, {f.mul(part, count)}")
    e.line(f"call void @{name}({frame}, {begin}, {stop}, {own})")
    e.line("ret void")
    return f.text()


def bounds(f: FunctionWriter, part: Reg, end: Reg) -> tuple[Reg, Reg]:
    """Where a part of a range begins and ends."""
    first, last = [
        f.e.binary("sdiv", f.e.binary("mul", end, number), f.number(PARTS))
        for number in (part, f.add(part, f.number(1)))
    ]
    return first, last


def weight(nest: Nest) -> int:
    """What an element costs."""
    elements = [x for stage in nest.stages for x in stage.instructions if isinstance(x, Element)]
    return 1 + sum(1 if x.op.type_name in _SIMPLE else _DEAR for x in elements)
