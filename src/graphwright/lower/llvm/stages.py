"""One stage of a nest: a loop over chunks of the innermost axis, and the loops around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphwright.lower.collapse import innermost
from graphwright.lower.llvm.chunks import Chunks
from graphwright.lower.llvm.combine import combined, horizontal, identity
from graphwright.lower.llvm.emitter import Reg, is_float, type_of
from graphwright.lower.llvm.function import I64
from graphwright.lower.llvm.instructions import as_bool, element, memory_kind, scalar_instruction
from graphwright.lower.nest import (
    Constant,
    Element,
    Instruction,
    Linear,
    Load,
    Reduce,
    Stage,
    Store,
)
from graphwright.lower.sizes import Size

if TYPE_CHECKING:
    from graphwright.lower.llvm.nests import NestWriter


#: A sum is taken in blocks of this many elements, and then over blocks.
_BLOCK = 1 << 14


class Streams(NamedTuple):
    """A chunk: where each place of the stage is, and which lanes count."""

    pointers: dict[tuple[int, Linear], Reg]
    mask: Reg


class StageWriter:
    """Writes one stage."""

    def __init__(self, nest: NestWriter, stage: Stage) -> None:
        self.nest = nest
        self.stage = stage
        self.f, self.e, self.lanes = nest.f, nest.e, nest.lanes
        self.chunks = Chunks(nest.f, nest.lanes)
        self.uniform: dict[int, Reg] = {}
        self.reductions = [x for x in stage.effects if isinstance(x, Reduce)]
        self.varying = self.find_varying()

    def find_varying(self) -> list[bool]:
        """Which instructions change along the innermost axis."""
        result: list[bool] = []
        for x in self.stage.instructions:
            if isinstance(x, Load):
                result.append(self.stage.inner and innermost(x.at) != "still")
            elif isinstance(x, Element):
                result.append(any(result[i] for i in x.operands))
            else:
                result.append(False)
        return result

    def write(self, indices: list[Reg], begin: Reg, end: Reg) -> None:
        """The loops over the inner axes."""
        middle = self.nest.nest.axes[self.nest.outside : -1]
        accumulators = self.start()
        self.around(list(middle), indices, begin, end, accumulators)
        self.finish(accumulators)

    def start(self) -> dict[int, Reg]:
        """Room for what is reduced in more than one run of the innermost loop."""
        if not self.nest.nest.outer:
            return self.nest.accumulators
        rooms: dict[int, Reg] = {}
        for effect in self.reductions:
            rooms[effect.row] = self.f.stack(effect.kind, self.lanes)
            self.f.store(self.nest.whole(effect), rooms[effect.row])
        return rooms

    def finish(self, accumulators: dict[int, Reg]) -> None:
        """What was reduced becomes row values."""
        if self.nest.nest.outer:
            for effect in self.reductions:
                value = self.f.load(accumulators[effect.row], effect.kind, self.lanes)
                self.nest.rows[effect.row] = horizontal(self.f, effect.combine, value)

    def around(
        self,
        middle: list[Size],
        indices: list[Reg],
        begin: Reg,
        end: Reg,
        accumulators: dict[int, Reg],
    ) -> None:
        """Loops over the inner axes but the innermost; then that one, in blocks for sums."""
        if middle:
            with self.f.loop(self.f.number(0), self.f.size(middle[0])) as i:
                self.around(middle[1:], [*indices, i], begin, end, accumulators)
        elif self.reductions:
            length = self.e.binary("sub", end, begin)
            rounded = self.e.binary("add", length, self.f.number(_BLOCK - 1))
            blocks = self.e.binary("sdiv", rounded, self.f.number(_BLOCK))
            with self.f.loop(self.f.number(0), blocks) as block:
                first = self.f.add(begin, self.f.mul(block, self.f.number(_BLOCK)))
                last = self.e.intrinsic("smin", self.f.add(first, self.f.number(_BLOCK)), end)
                self.innermost(indices, first, last, accumulators)
        else:
            self.innermost(indices, begin, end, accumulators)

    # -- values that do not change along the innermost axis ----------------------------------

    def place(self, at: Linear, indices: list[Reg]) -> Reg:
        """The part of an index that the innermost axis has no part in."""
        f = self.f
        index = f.number(0)
        for offset in at.offsets:
            index = f.add(index, f.size(offset))
        for axis, i in enumerate(indices):
            stride = at.strides[axis]
            if stride.factor:
                index = f.add(index, f.mul(i, f.size(stride)))
        for scalar, stride in at.scalars:
            value = f.from_slot(f.frame.scalar(scalar), I64)
            index = f.add(index, f.mul(value, f.size(stride)))
        return index

    def address(self, buffer: int, at: Linear, kind: str, indices: list[Reg]) -> Reg:
        """The address where the innermost axis is 0."""
        return self.f.address(self.nest.base(buffer), self.place(at, indices), kind)

    def scalar(self, i: int, indices: list[Reg]) -> Reg:
        """An instruction that is the same for the whole innermost axis."""
        found = self.uniform.get(i)
        if found is None:
            found = self.uniform[i] = self._scalar(self.stage.instructions[i], indices)
        return found

    def _scalar(self, x: Instruction, indices: list[Reg]) -> Reg:
        f = self.f
        if isinstance(x, Load):
            return f.load(self.address(x.buffer, x.at, x.kind, indices), x.kind, 1)
        if isinstance(x, Element):
            operands = [self.scalar(k, indices) for k in x.operands]
            return element(f, x.op, operands, x.kind, self.report)
        return scalar_instruction(f, x, self.nest.rows)

    def report(self, condition: Reg) -> None:
        """Notes that a lane did what native code leaves to the slow tier."""
        if condition.lanes > 1:
            condition = horizontal(self.f, "any", condition)
        code = self.e.cast("zext", condition, I64)
        address = self.f.slot(0)
        old = self.e.assign(I64, 1, f"load i64, {address}, align 8")
        self.e.line(f"store {self.e.binary('or', old, code)}, {address}, align 8")

    # -- the innermost loop -------------------------------------------------------------------

    def innermost(
        self, indices: list[Reg], begin: Reg, end: Reg, accumulators: dict[int, Reg]
    ) -> None:
        """for each chunk: load, compute, store, reduce."""
        f, e = self.f, self.e
        self.uniform = {}
        for i, varies in enumerate(self.varying):
            if not varies:
                self.scalar(i, indices)
        bases = {
            key: self.address(key[0], key[1], kind, indices) for key, kind in self.places().items()
        }
        head, body, main, tail, done = [
            e.fresh_label(p) for p in ("chunk", "compute", "full", "part", "end")
        ]
        latch, rest = e.fresh_label("again"), e.fresh_label("rest")
        before, next_ = e.block, e.fresh("next")
        sums = {r.row: e.fresh("sum") for r in self.reductions}
        f.branch_if(e.compare("slt", begin, end), head, done)
        e.label(head)
        j = f.phi(I64, 1, (begin.text, before), (next_, latch))
        starts = {
            r.row: f.phi(
                memory_kind(r.kind),
                self.lanes,
                (self.identity(r), before),
                (sums[r.row], latch),
            )
            for r in self.reductions
        }
        left = e.binary("sub", end, j)
        full = e.compare("sge", left, f.number(self.lanes))
        f.branch_if(full, main, tail)
        e.label(main)
        pointers = {
            key: self.stream(bases[key], key[1], kind, j) for key, kind in self.places().items()
        }
        f.branch(body)
        e.label(tail)
        rooms = self.fill_rooms(bases, j, left)
        mask = self.chunks.partial_mask(left) if self.needs_mask() else None
        after = e.block
        f.branch(body)
        e.label(body)
        every = self.e.constant("b1", 1, self.lanes)
        streams = Streams(
            self.joined(pointers, rooms, main, after),
            f.phi("b1", self.lanes, (every.text, main), (mask.text, after)) if mask else every,
        )
        self.compute(streams, bases, j, end, starts, sums)
        f.branch_if(full, latch, rest)
        e.label(rest)
        self.empty_rooms(bases, rooms, j, left)
        f.branch(done)
        after_rest = e.block
        e.label(latch)
        e.line(f"{next_} = add {j}, {self.lanes}")
        f.branch_if(e.compare("slt", Reg(next_, I64), end), head, done)
        e.label(done)
        self.collect(accumulators, sums, before, latch, after_rest)

    def needs_mask(self) -> bool:
        """Whether it matters which lanes of a chunk count."""
        adds = any(isinstance(x, Store) and innermost(x.at) != "unit" for x in self.stage.effects)
        divides = any(
            isinstance(x, Element) and not is_float(x.kind) for x in self.stage.instructions
        )
        return bool(self.reductions) or adds or divides

    def identity(self, r: Reduce) -> str:
        """The constant that a reduction starts from, as it is in memory."""
        value = identity(r.combine, r.kind)
        return self.e.constant(memory_kind(r.kind), value, self.lanes).text

    def collect(self, accumulators: dict[int, Reg], sums: dict[int, str], *blocks: str) -> None:
        """Adds what the loop reduced to what was there."""
        before, latch, rest = blocks
        f = self.f
        results = {
            r.row: f.phi(
                memory_kind(r.kind),
                self.lanes,
                (self.identity(r), before),
                (sums[r.row], latch),
                (sums[r.row], rest),
            )
            for r in self.reductions
        }
        for r in self.reductions:
            room = accumulators[r.row]
            value = as_bool(f, results[r.row]) if r.kind == "b1" else results[r.row]
            f.store(combined(f, r.combine, f.load(room, r.kind, self.lanes), value), room)

    def places(self) -> dict[tuple[int, Linear], str]:
        """What is read or written along the innermost axis, with its kind."""
        found: dict[tuple[int, Linear], str] = {}
        for i, x in enumerate(self.stage.instructions):
            if isinstance(x, Load) and self.varying[i]:
                found[x.buffer, x.at] = x.kind
        for effect in self.stage.effects:
            if isinstance(effect, Store):
                found[effect.buffer, effect.at] = effect.kind
        return found

    def stream(self, base: Reg, at: Linear, kind: str, j: Reg) -> Reg:
        """The address of a chunk that starts at j."""
        return self.f.address(base, j, kind) if innermost(at) == "unit" else base

    def fill_rooms(
        self, bases: dict[tuple[int, Linear], Reg], j: Reg, left: Reg
    ) -> dict[tuple[int, Linear], Reg]:
        """Copies a partial chunk of everything that is read to the stack."""
        rooms: dict[tuple[int, Linear], Reg] = {}
        read = {(x.buffer, x.at) for x in self.stage.instructions if isinstance(x, Load)}
        adding = {
            (x.buffer, x.at) for x in self.stage.effects if isinstance(x, Store) and x.combine
        }
        for key, kind in self.places().items():
            if innermost(key[1]) == "unit":
                rooms[key] = self.f.stack(kind, self.lanes)
                if key in read or key in adding:
                    source = self.f.address(bases[key], j, kind)
                    self.chunks.read_part(rooms[key], source, left, kind)
        return rooms

    def empty_rooms(
        self,
        bases: dict[tuple[int, Linear], Reg],
        rooms: dict[tuple[int, Linear], Reg],
        j: Reg,
        left: Reg,
    ) -> None:
        """Copies what a partial chunk has written from the stack."""
        for effect in self.stage.effects:
            if isinstance(effect, Store) and (effect.buffer, effect.at) in rooms:
                key = (effect.buffer, effect.at)
                target = self.f.address(bases[key], j, effect.kind)
                self.chunks.write_part(target, rooms[key], left, effect.kind)

    def joined(
        self,
        pointers: dict[tuple[int, Linear], Reg],
        rooms: dict[tuple[int, Linear], Reg],
        main: str,
        tail: str,
    ) -> dict[tuple[int, Linear], Reg]:
        """The address of each chunk, full or partial."""
        return {
            key: self.f.phi("ptr", 1, (pointer.text, main), (rooms[key].text, tail))
            if key in rooms
            else pointer
            for key, pointer in pointers.items()
        }

    def compute(
        self,
        streams: Streams,
        bases: dict[tuple[int, Linear], Reg],
        j: Reg,
        end: Reg,
        starts: dict[int, Reg],
        sums: dict[int, str],
    ) -> None:
        """The body of the loop over chunks."""
        f, e, lanes = self.f, self.e, self.lanes
        values: dict[int, Reg] = {}

        def vector(i: int) -> Reg:
            if i not in values:
                x = self.stage.instructions[i]
                if isinstance(x, Constant):
                    values[i] = e.constant(x.kind, x.value, lanes)
                elif not self.varying[i]:
                    values[i] = e.splat(self.uniform[i], lanes)
                elif isinstance(x, Load):
                    values[i] = self.load_chunk(x, streams, bases, j, end)
                elif isinstance(x, Element):
                    operands = [vector(k) for k in x.operands]
                    values[i] = element(
                        f, x.op, operands, x.kind, lambda c: self.report_lanes(c, streams.mask)
                    )
            return values[i]

        for effect in self.stage.effects:
            if isinstance(effect, Store):
                self.store_chunk(effect, vector(effect.value), streams, bases, j)
            elif isinstance(effect, Reduce):
                start = starts[effect.row]
                if effect.kind == "b1":
                    start = as_bool(f, start)
                start_value = e.constant(effect.kind, identity(effect.combine, effect.kind), lanes)
                value = e.select(streams.mask, vector(effect.value), start_value)
                total = combined(f, effect.combine, start, value)
                if effect.kind == "b1":
                    total = e.cast("zext", total, "u8")
                type_ = type_of(total.kind, lanes)
                zero = f"shufflevector {total}, {type_} poison, {self.chunks.same_lanes()}"
                e.line(f"{sums[effect.row]} = {zero}")

    def report_lanes(self, condition: Reg, mask: Reg) -> None:
        """Notes it for the lanes that count."""
        if condition.lanes > 1:
            condition = self.e.binary("and", condition, mask)
        self.report(condition)

    def load_chunk(
        self,
        x: Load,
        streams: Streams,
        bases: dict[tuple[int, Linear], Reg],
        j: Reg,
        end: Reg,
    ) -> Reg:
        """The elements of a chunk; strided ones are gathered."""
        key = (x.buffer, x.at)
        if innermost(x.at) == "unit":
            return self.f.load(streams.pointers[key], x.kind, self.lanes)
        return self.chunks.gather(bases[key], x, j, end)

    def store_chunk(
        self,
        effect: Store,
        value: Reg,
        streams: Streams,
        bases: dict[tuple[int, Linear], Reg],
        j: Reg,
    ) -> None:
        """Writes a chunk, or adds to what is there."""
        f = self.f
        key = (effect.buffer, effect.at)
        how = innermost(effect.at)
        if how == "unit":
            address = streams.pointers[key]
            if effect.combine:
                value = combined(f, effect.combine, f.load(address, effect.kind, self.lanes), value)
            f.store(value, address)
        elif not effect.combine:
            self.chunks.scatter(bases[key], effect, value, j, streams.mask)
        else:
            start = self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)
            value = horizontal(f, effect.combine, self.e.select(streams.mask, value, start))
            old = f.load(bases[key], effect.kind, 1)
            f.store(combined(f, effect.combine, old, value), bases[key])
