"""Sums that a nest adds into memory, taken in blocks.

A sum over rows runs over all of them for each column, and after many terms a float no longer
changes by the next one. So where an element has many terms, the rows are divided into parts, and
each part into blocks. Terms are summed in blocks, then the blocks, then the parts two by two. Parts
have memory of their own, and threads share them. Their number is fixed, so results do not depend on
the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.functions.combine import combined, identity
from graphwright.compile.llvm.launch import (
    PARTS,
    WORTH,
    Launch,
    bounds,
    in_rounds,
    leave,
    rounds,
    weight,
    word,
)
from graphwright.compile.llvm.nest_code import extent
from graphwright.compile.llvm.nest_function import accumulated
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Buffer, Nest, Store
from graphwright.compile.nests.sizes import product
from graphwright.machine import threads

#: The most terms that are added to one element in sequence.
_TERMS = 1 << 10

#: The least number of places in a block, which ends with a pass over the sums.
_LEAST = 16

#: The bytes of a vector; sums get room in multiples of it.
_VECTOR = 128

#: The words of a part's context.
_FRAME, _ROUND, _ROUNDS, _END, _ROOM, _STEP, _BYTES = range(7)


class BlockAccumulation:
    """Writes the calls of the function of a nest that adds into memory.

    A `whole` nest runs to its end once it has begun.
    """

    def __init__(
        self, name: str, nest: Nest, frame: Frame, buffers: tuple[Buffer, ...], whole: bool
    ) -> None:
        self.name = name
        self.nest = nest
        self.frame = frame
        self.buffers = buffers
        self.whole = whole
        self.stores = accumulated(nest)

    def write(self, f: FunctionWriter, launch: Callable[[Launch, Reg], object]) -> None:
        """Writes the calls: one where elements have few terms, else in blocks."""
        end, work = self.sizes(f)
        terms = self.terms(f, work)
        alone, blocks, joined = [f.e.fresh_label(p) for p in ("direct", "blocks", "added")]
        f.branch_if(f.e.compare("sle", terms, f.number(_TERMS)), alone, blocks)
        f.e.label(alone)
        places = self.words(f, [f.buffer(s.buffer) for s in self.stores])
        each = weight(self.nest)
        callee = SharedCallee(self.name)
        launch(Launch(callee, self.sizes, each, (), True, self.whole), places)
        f.branch(joined)
        f.e.label(blocks)
        self.in_blocks(f, end, work, terms, alone)
        f.branch(joined)
        f.e.label(joined)

    def sizes(self, f: FunctionWriter) -> tuple[Reg, Reg]:
        """The end of the range, and the number of elements that are added."""
        return f.size(product(extent(self.nest))), f.size(product(self.nest.axes))

    def terms(self, f: FunctionWriter, work: Reg) -> Reg:
        """The most terms of an element."""
        result = f.number(0)
        for store in self.stores:
            elements = f.e.intrinsic("smax", self.elements(f, store), f.number(1))
            result = f.e.intrinsic("smax", result, f.e.binary("sdiv", work, elements))
        return result

    def elements(self, f: FunctionWriter, store: Store) -> Reg:
        """The number of elements that a store adds into."""
        return f.size(product(self.buffers[store.buffer].shape))

    def vectors(self, f: FunctionWriter, store: Store) -> Reg:
        """The number of vectors for these elements."""
        lanes = lanes_of(store)
        rounded = f.add(self.elements(f, store), f.number(lanes - 1))
        return f.e.binary("sdiv", rounded, f.number(lanes))

    def offsets(self, f: FunctionWriter) -> list[Reg]:
        """The first byte of each sum in a room, and the end of the room."""
        result = [f.number(0)]
        for store in self.stores:
            size = f.mul(self.vectors(f, store), f.number(_VECTOR))
            result.append(f.add(result[-1], size))
        return result

    def words(self, f: FunctionWriter, places: list[Reg]) -> Reg:
        """The table of the addresses to which the nest's function adds."""
        with f.at_entry():
            words = f.e.assign("ptr", 1, f"alloca i64, i64 {len(places)}, align 16")
        for i, place in enumerate(places):
            f.store(place, word(f, words, i))
        return words

    def in_blocks(self, f: FunctionWriter, end: Reg, work: Reg, terms: Reg, otherwise: str) -> None:
        """Writes all parts, then their sums; branches to `otherwise` if there is no room."""
        *offsets, size = self.offsets(f)
        each = f.mul(size, f.number(2))  # the sum of the blocks so far, and that of a block
        room = f.call("ptr", "malloc", f.mul(each, f.number(PARTS)))
        allocated = f.e.fresh_label("room")
        f.branch_if(f.e.compare("ne", room, Reg("null", "ptr")), allocated, otherwise)
        f.e.label(allocated)
        step = f.e.binary("sdiv", f.mul(end, f.number(_TERMS)), terms)
        step = f.e.intrinsic("smax", step, f.number(1))
        count = f.number(1) if self.whole else rounds(f, work, weight(self.nest), end)
        each_round = f.e.binary("sdiv", end, f.mul(count, f.number(PARTS)))
        shorter = f.add(f.e.intrinsic("smax", each_round, f.number(_LEAST)), f.number(1))
        step = f.e.intrinsic("smin", step, shorter)  # a single round does not shorten it
        words = Reg("%frame", "ptr"), f.number(0), count, end, room, step, each
        with f.at_entry():
            context = f.e.assign("ptr", 1, f"alloca i64, i64 {len(words)}, align 16")
        for place, value in enumerate(words):
            f.store(value, word(f, context, place))
        self.run_parts(f, context, work, count, room)
        with f.loop(f.number(0), f.number(PARTS.bit_length() - 1)) as level:
            half = f.e.binary("lshr", f.number(PARTS // 2), level)
            with f.loop(f.number(0), half) as part:
                first = shifted(f, room, f.mul(each, part))
                second = shifted(f, room, f.mul(each, f.add(part, half)))
                pair = [[shifted(f, base, o) for o in offsets] for base in (first, second)]
                self.add(f, *pair)
        for store, offset in zip(self.stores, offsets):
            total = shifted(f, room, offset)
            f.copy(f.buffer(store.buffer), total, self.elements(f, store), store.kind)
        f.call("", "free", room)

    def run_parts(self, f: FunctionWriter, context: Reg, work: Reg, count: Reg, room: Reg) -> None:
        """Writes the parts, which threads share if that is worth it."""
        alone, many, raised, joined = [
            f.e.fresh_label(p) for p in ("alone", "many", "raised", "joined")
        ]
        few = f.e.compare("slt", work, f.number(WORTH // weight(self.nest)))
        f.branch_if(few, alone, many)
        f.e.label(alone)
        with f.loop(f.number(0), f.number(PARTS)) as part:
            f.e.line(f"call void @{self.name}_blocks({context}, {part})")
        f.branch(joined)
        f.e.label(many)
        can_share = threads.are_possible()
        ended = in_rounds(f, f"{self.name}_blocks", context, PARTS, count, can_share)
        f.branch_if(ended, raised, joined)
        f.e.label(raised)
        f.call("", "free", room)
        leave(f)
        f.e.label(joined)

    def part(self) -> FunctionWriter:
        """The function of one part."""
        f = FunctionWriter(
            self.frame, f"define internal void @{self.name}_blocks(ptr %context, i64 %part)"
        )
        with f.at_entry():
            f.e.line("%frame = load ptr, ptr %context, align 8")
            kinds = {_ROUND: I64, _ROUNDS: I64, _END: I64, _ROOM: "ptr", _STEP: I64, _BYTES: I64}
            context = Reg("%context", "ptr")
            turn, turns, end, room, step, each = [
                f.load(word(f, context, i), k, 1) for i, k in kinds.items()
            ]
        begin, stop = bounds(f, Reg("%part", I64), f.number(PARTS), end)
        *offsets, size = self.offsets(f)
        sums_room = shifted(f, room, f.mul(each, Reg("%part", I64)))
        block = shifted(f, sums_room, size)
        sums, parts = [
            [shifted(f, base, offset) for offset in offsets] for base in (sums_room, block)
        ]
        fresh, started = f.e.fresh_label("fresh"), f.e.fresh_label("some")
        f.branch_if(f.e.compare("eq", turn, f.number(0)), fresh, started)
        f.e.label(fresh)
        self.clear(f, sums)
        f.branch(started)
        f.e.label(started)
        length = f.e.binary("sub", stop, begin)
        rounded = f.e.binary("sub", f.add(length, step), f.number(1))
        with f.loop(*bounds(f, turn, turns, f.e.binary("sdiv", rounded, step))) as i:
            self.clear(f, parts)
            first = f.add(begin, f.mul(i, step))
            last = f.e.intrinsic("smin", f.add(first, step), stop)
            places = self.words(f, parts)
            f.e.line(f"call void @{self.name}(ptr %frame, {first}, {last}, {places})")
            self.add(f, sums, parts)
        f.e.line("ret void")
        return f

    def clear(self, f: FunctionWriter, places: list[Reg]) -> None:
        """Fills room with the identities of sums."""
        for store, place in zip(self.stores, places):
            start = identity(store.combine, store.kind)
            value = f.e.constant(store.kind, start, lanes_of(store))
            with f.loop(f.number(0), self.vectors(f, store)) as i:
                f.store(value, shifted(f, place, f.mul(i, f.number(_VECTOR))))

    def add(self, f: FunctionWriter, sums: list[Reg], parts: list[Reg]) -> None:
        """Adds parts to the sums so far."""
        for store, to, place in zip(self.stores, sums, parts):
            with f.loop(f.number(0), self.vectors(f, store)) as i:
                offset = f.mul(i, f.number(_VECTOR))
                x, y = [
                    f.load(shifted(f, base, offset), store.kind, lanes_of(store))
                    for base in (to, place)
                ]
                f.store(combined(f, store.combine, x, y), shifted(f, to, offset))


def lanes_of(store: Store) -> int:
    """The elements of a vector."""
    return _VECTOR // item_size(store.kind)


def shifted(f: FunctionWriter, base: Reg, offset: Reg) -> Reg:
    """An address plus some bytes."""
    return f.e.assign("ptr", 1, f"getelementptr i8, {base}, {offset}")
