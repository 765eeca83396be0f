"""Runs of a nest's or a scan's function: at once, or in parts that threads share.

Long work runs in rounds, each of the same number of parts. After each round signals are let in, so
that Ctrl-C works. A round takes some milliseconds. Their number follows from the sizes alone, and
so do results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import INTERRUPTED, RELEASE
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.functions.combine import combined, identity
from graphwright.compile.llvm.nest_code import extent, totals_of
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.memory.accesses import accessed
from graphwright.compile.nests.element_kinds import SIMPLE
from graphwright.compile.nests.nest import Element, Nest, Program, Reduce, all_statements
from graphwright.compile.nests.sizes import Size, product
from graphwright.machine import threads

#: The frame of a call.
FRAME = Reg("%frame", "ptr")

#: The parts of a nest, whose totals are added up. Their number is fixed, so that sums do not depend
#: on the number of threads.
PARTS = 16

#: The least work that is worth threads, about one simple operation on an element each.
WORTH = 1 << 20

#: The simple operations of a round.
ROUND = 1 << 25

#: What an element function costs that is not simple.
_DEAR = 16

#: How many times its cost a nest may count at most, for the sake of others on the same memory.
_RAISED = 16


#: Gives a function's range and its work: the end, and how many elements there are to compute.
Extent = Callable[[FunctionWriter], tuple[Reg, Reg]]

#: Gives the name of a function of parts, which has this name if it can: `SharedFunctions.part`.
ShareParts = Callable[[str, Callable[[str], str]], str]


class Launch:
    """The calls of a function over a range, which begins with 0.

    The work is done at the cost of `each` simple operations for an element. Parts of an `ordered`
    function cannot run at once. A `whole` one runs to its end once it has begun. Each part has
    `totals`.
    """

    def __init__(
        self,
        callee: SharedCallee,
        extent: Extent,
        each: int = 1,
        totals: Sequence[Reduce] = (),
        ordered: bool = False,
        whole: bool = False,
    ) -> None:
        self.callee = callee
        self.extent = extent
        self.each = each
        self.totals = totals
        self.whole = whole
        #: Whether parts of the range can run at once.
        self.is_shared = threads.are_possible() and not ordered
        self.parts = PARTS if self.is_shared else 1

    @classmethod
    def of_nest(cls, callee: SharedCallee, nest: Nest, each: int, whole: bool) -> Launch:
        """The launch of a nest's function, at such a cost for an element."""

        def sizes(f: FunctionWriter) -> tuple[Reg, Reg]:
            return f.size(product(extent(nest))), f.size(product(nest.axes))

        whole |= nest.ordered and bool(nest.outer)  # no range is given to those
        return cls(callee, sizes, each, totals_of(nest), nest.ordered, whole)

    def has_parts(self, work: Reg) -> bool:
        """Whether the range may be divided."""
        return self.is_shared or not (self.whole or is_less(work, ROUND // self.each))

    def write(
        self, f: FunctionWriter, room: Reg, slots: Sequence[Reg], share: ShareParts
    ) -> list[Reg]:
        """The totals; writes the calls, with the function of a part that `share` names.

        The callee finds `room` for totals, or what else its caller has for it there.
        """
        end, work = self.extent(f)
        if not self.has_parts(work):
            f.e.line(self.callee.call(FRAME, f.number(0), end, room, slots=slots))
            return self.loaded(f, room, 0)
        alone, parts, joined = [f.e.fresh_label(p) for p in ("alone", "parts", "joined")]
        limit = f.number((WORTH if self.is_shared else ROUND) // self.each)
        f.branch_if(f.e.compare("slt", work, limit), alone, parts)
        ways: list[tuple[list[Reg], str]] = []
        f.e.label(alone)
        f.e.line(self.callee.call(FRAME, f.number(0), end, room, slots=slots))
        starts = [f.e.constant(x.kind, identity(x.combine, x.kind)) for x in self.totals]
        ways.append((self.combined(f, [self.loaded(f, room, 0), starts]), f.e.block))
        f.branch(joined)
        f.e.label(parts)
        shared = room
        if self.totals:
            with f.at_entry():
                count = self.parts * len(self.totals)
                shared = f.e.assign("ptr", 1, f"alloca i64, i64 {count}, align 16")
            for number in range(self.parts):
                for i, start in enumerate(starts):
                    f.store(start, word(f, shared, number * len(starts) + i))
        self.call_parts(f, share(f"{self.callee.name}_part", self.part), end, work, shared, slots)
        sums = [self.loaded(f, shared, number) for number in range(self.parts)]
        while len(sums) > 1:
            sums = [self.combined(f, pair) for pair in zip(sums[::2], sums[1::2])]
        ways.append((sums[0], f.e.block))
        f.branch(joined)
        f.e.label(joined)
        return [
            f.phi(x.kind, 1, *[(values[i].text, block) for values, block in ways])
            for i, x in enumerate(self.totals)
        ]

    def loaded(self, f: FunctionWriter, room: Reg, number: int) -> list[Reg]:
        """The totals of a part."""
        first = number * len(self.totals)
        return [f.load(word(f, room, first + i), x.kind, 1) for i, x in enumerate(self.totals)]

    def combined(self, f: FunctionWriter, pair: Sequence[list[Reg]]) -> list[Reg]:
        """The totals of two parts as one."""
        return [combined(f, t.combine, x, y) for t, x, y in zip(self.totals, *pair)]

    def call_parts(
        self, f: FunctionWriter, part: str, end: Reg, work: Reg, room: Reg, slots: Sequence[Reg]
    ) -> None:
        """Calls the function over parts of the range. Their context ends with its slots."""
        count = f.number(1) if self.whole else rounds(f, work, self.each, end)
        words = [FRAME, f.number(0), count, end, room, *slots]
        with f.at_entry():
            context = f.e.assign("ptr", 1, f"alloca i64, i64 {len(words)}, align 16")
        for i, value in enumerate(words):
            f.store(value, word(f, context, i))
        leave_if(f, in_rounds(f, part, context, self.parts, count, self.is_shared))

    def part(self, name: str) -> str:
        """The text of the function of one part, which has a range and totals of its own."""
        f = FunctionWriter(None, f"define internal void @{name}(ptr %context, i64 %part)")
        context = Reg("%context", "ptr")
        kinds = "ptr", I64, I64, I64, "ptr", *[I64] * len(self.callee.slots)
        frame, turn, turns, end, room, *slots = [
            f.load(word(f, context, i), kind, 1) for i, kind in enumerate(kinds)
        ]
        parts = f.number(self.parts)
        piece = f.add(f.mul(turn, parts), Reg("%part", I64))
        begin, stop = bounds(f, piece, f.mul(turns, parts), end)
        if not self.totals:
            f.e.line(self.callee.call(frame, begin, stop, room, slots=slots))
        else:
            with f.at_entry():
                totals = f.e.assign("ptr", 1, f"alloca i64, i64 {len(self.totals)}, align 16")
            f.e.line(self.callee.call(frame, begin, stop, totals, slots=slots))
            first = f.mul(Reg("%part", I64), f.number(len(self.totals)))
            for i, effect in enumerate(self.totals):
                sum_address = f.address(room, f.add(first, f.number(i)), I64)
                x, y = [
                    f.load(address, effect.kind, 1) for address in (sum_address, word(f, totals, i))
                ]
                f.store(combined(f, effect.combine, x, y), sum_address)
        f.e.line("ret void")
        return f.text()


def word(f: FunctionWriter, base: Reg, i: int) -> Reg:
    """The address of a word."""
    return f.e.assign("ptr", 1, f"getelementptr i64, {base}, i64 {i}")


def is_less(x: Reg, limit: int) -> bool:
    """Whether a number is known and less than a limit."""
    return x.text.isdigit() and int(x.text) < limit


def rounds(f: FunctionWriter, work: Reg, each: int, end: Reg) -> Reg:
    """The number of rounds: no more than a range has places.

    There is one round where the work is too little to release the interpreter's lock.
    """
    size = f.number(max(ROUND // each, RELEASE))
    count = f.add(f.e.binary("sdiv", work, size), f.number(1))
    return f.e.intrinsic("smax", f.e.intrinsic("smin", count, end), f.number(1))


def in_rounds(
    f: FunctionWriter, function: str, context: Reg, parts: int, count: Reg, shared: bool
) -> Reg:
    """Whether a signal has ended the rounds; calls the function of a part for all parts in each."""
    share = f.parallel_for() if shared else Reg("null", "ptr")
    part = Reg(f"@{function}", "ptr")
    raised = f.call(I64, "gw_rounds", share, part, context, f.number(parts), count)
    return f.e.compare("ne", raised, f.number(0))


def leave_if(f: FunctionWriter, raised: Reg) -> None:
    """Leaves the main function if a signal has ended its work."""
    go, on = f.e.fresh_label("interrupted"), f.e.fresh_label("on")
    f.branch_if(raised, go, on)
    f.e.label(go)
    leave(f)
    f.e.label(on)


def leave(f: FunctionWriter) -> None:
    """Leaves the main function, which a signal has ended."""
    f.to_slot(0, f.number(INTERRUPTED))
    f.branch("leave")


def bounds(f: FunctionWriter, part: Reg, parts: Reg, end: Reg) -> tuple[Reg, Reg]:
    """The begin and the end of one part of a range."""
    each, rest = f.e.binary("sdiv", end, parts), f.e.binary("srem", end, parts)
    first, last = [  # end * number / parts, which might overflow
        f.add(f.mul(each, number), f.e.binary("sdiv", f.mul(rest, number), parts))
        for number in (part, f.add(part, f.number(1)))
    ]
    return first, last


def shared_weights(program: Program) -> dict[int, int]:
    """What an element of each nest costs, where that decides whether threads share the nest; by id.

    It counts more if another nest over as many elements, which reads or writes the same memory,
    costs more. Threads share both then, and what one has written is in the cache of its core.
    """
    nests = {id(s): s for s in all_statements(program.body) if isinstance(s, Nest)}
    costs = {key: weight(nest) for key, nest in nests.items()}
    places = {
        key: {(product(nest.axes), buffer) for buffer in accessed(nest)}
        for key, nest in nests.items()
    }
    greatest: dict[tuple[Size, int], int] = {}
    for key, cost in costs.items():
        greatest.update({place: max(cost, greatest.get(place, 0)) for place in places[key]})
    around = {key: max([greatest[place] for place in places[key]], default=0) for key in nests}
    return {key: max(cost, min(_RAISED * cost, around[key])) for key, cost in costs.items()}


def weight(nest: Nest) -> int:
    """The cost of an element, in simple operations: without that of a step for a whole row."""
    stages = [stage for stage in nest.stages if stage.inner] or nest.stages
    elements = [x for stage in stages for x in stage.instructions if isinstance(x, Element)]
    return 1 + sum(1 if x.op.type_name in SIMPLE else _DEAR for x in elements)
