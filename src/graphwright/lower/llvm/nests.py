"""Loop nests as LLVM functions: explicit vectors along the innermost axis.

A nest becomes `void nestK(frame, begin, end)` over a range of its outer axes (of all but the
innermost where nothing is reduced; of the elements where there is one axis). What does not
change along the innermost axis is computed once before its loop. The loop runs over chunks
of as many elements as a vector has lanes; the last, partial chunk goes through small buffers on
the stack, so that its body is the same code.
"""

from __future__ import annotations

import platform
from typing import NamedTuple

from graphwright.lower.collapse import innermost
from graphwright.lower.kinds import item_size
from graphwright.lower.llvm.combine import combined, horizontal, identity
from graphwright.lower.llvm.emitter import Reg, is_float, suffix, type_of
from graphwright.lower.llvm.frame import Frame
from graphwright.lower.llvm.function import I64, FunctionWriter
from graphwright.lower.nest import (
    Buffer,
    Constant,
    Count,
    Element,
    Instruction,
    Keep,
    Linear,
    Load,
    Nest,
    Reduce,
    Row,
    Scalar,
    Stage,
    Store,
)
from graphwright.lower.sizes import ONE, Size
from graphwright.op.op import Op
from graphwright.ops.conversion import Cast

#: The bytes of a vector: several registers of any machine, which hides latencies.
_VECTOR = 128

#: Whether some vectors are loaded and stored in part by one instruction.
MASKED = platform.machine() in ("x86_64", "AMD64")

#: A sum is taken in blocks of this many elements, and then over blocks.
_BLOCK = 1 << 14


def lanes_of(nest: Nest) -> int:
    """As many lanes as the largest elements of a nest allow."""
    sizes = [1]
    for stage in nest.stages:
        sizes += [item_size(x.kind) for x in stage.instructions]
    return min(_VECTOR // max(sizes), 32)


class Streams(NamedTuple):
    """A chunk: where each place of the stage is, and which lanes count."""

    pointers: dict[tuple[int, Linear], Reg]
    mask: Reg


class NestWriter:
    """Writes the function of a nest."""

    def __init__(self, name: str, nest: Nest, frame: Frame, buffers: tuple[Buffer, ...]) -> None:
        self.name = name
        self.nest = nest
        self.buffers = buffers
        signature = f"define internal void @{name}(ptr %frame, i64 %begin, i64 %end, ptr %totals)"
        self.f = FunctionWriter(frame, signature)
        self.e = self.f.e
        self.lanes = lanes_of(nest)
        self.rows: dict[int, Reg] = {}
        self.row_memory: dict[int, Reg] = {}
        self.accumulators: dict[int, Reg] = {}
        #: How many axes the range runs over; the others are loops inside.
        self.outside = nest.outer or len(nest.axes) - 1

    def text(self) -> str:
        """The function."""
        f, nest = self.f, self.nest
        begin, end = Reg("%begin", I64), Reg("%end", I64)
        self.allocate_rows()
        if not nest.outer:
            self.start_totals()
        if len(nest.axes) == 1 and not nest.outer:
            self.stages([], begin, end)
        else:
            with f.loop(begin, end) as position:
                indices = self.indices(position)
                self.stages(indices, f.number(0), f.size(nest.axes[-1]))
        if not nest.outer:
            self.finish_totals()
        for memory in self.row_memory.values():
            f.call("", "free", memory)
        self.e.line("ret void")
        return f.text()

    def indices(self, position: Reg) -> list[Reg]:
        """The index along each of the axes that the range runs over."""
        axes = self.nest.axes[: self.outside]
        indices: list[Reg] = []
        for size in reversed(axes[1:]):
            value = self.f.size(size)
            indices.append(self.e.binary("urem", position, value))
            position = self.e.binary("udiv", position, value)
        return [position, *reversed(indices)]

    def allocate_rows(self) -> None:
        """Memory for values of one row that a later stage reads."""
        wanted = {
            x.buffer
            for stage in self.nest.stages
            for x in (*stage.instructions, *stage.effects)
            if isinstance(x, (Load, Store)) and self.buffers[x.buffer].role == "row"
        }
        for i in sorted(wanted):
            count = self.f.size(Size(item_size(self.buffers[i].kind)))
            for d in self.buffers[i].shape:
                count = self.f.mul(count, self.f.size(d))
            self.row_memory[i] = self.f.call("ptr", "malloc", count)

    # -- totals -----------------------------------------------------------------------------

    def start_totals(self) -> None:
        """Room for what is reduced over everything."""
        for effect in totals_of(self.nest):
            room = self.f.stack(effect.kind, self.lanes)
            self.f.store(self.whole(effect), room)
            self.accumulators[effect.row] = room

    def whole(self, effect: Reduce) -> Reg:
        """What a reduction starts from, in every lane."""
        return self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)

    def finish_totals(self) -> None:
        """Totals go where the caller wants them, in the order of the nest's scalars."""
        for i, effect in enumerate(totals_of(self.nest)):
            value = self.f.load(self.accumulators[effect.row], effect.kind, self.lanes)
            total = horizontal(self.f, effect.combine, value)
            address = f"getelementptr i64, ptr %totals, i64 {i}"
            self.f.store(total, self.e.assign("ptr", 1, address))

    # -- stages -----------------------------------------------------------------------------

    def stages(self, indices: list[Reg], begin: Reg, end: Reg) -> None:
        """All stages, for one index of the range's axes."""
        for stage in self.nest.stages:
            if not stage.inner:
                self.once(stage, indices)
            else:
                StageWriter(self, stage).write(indices, begin, end)

    def once(self, stage: Stage, indices: list[Reg]) -> None:
        """A stage without inner axes."""
        writer = StageWriter(self, stage)
        for i in range(len(stage.instructions)):
            writer.scalar(i, indices)
        for effect in stage.effects:
            if isinstance(effect, Keep):
                self.rows[effect.row] = writer.uniform[effect.value]
            elif isinstance(effect, Store):
                address = writer.address(effect.buffer, effect.at, effect.kind, indices)
                self.f.store(writer.uniform[effect.value], address)

    def base(self, buffer: int) -> Reg:
        """A buffer's address."""
        return self.row_memory.get(buffer) or self.f.buffer(buffer)


class StageWriter:
    """Writes one stage."""

    def __init__(self, nest: NestWriter, stage: Stage) -> None:
        self.nest = nest
        self.stage = stage
        self.f, self.e, self.lanes = nest.f, nest.e, nest.lanes
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
        mask = self.partial_mask(left) if self.needs_mask() else None
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
                    self.read_part(rooms[key], source, left, kind)
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
                self.write_part(target, rooms[key], left, effect.kind)

    def read_part(self, room: Reg, source: Reg, left: Reg, kind: str) -> None:
        """Copies a partial chunk to the stack; as one vector, it is read from there at once."""
        if not maskable(kind):
            self.f.copy(room, source, left, kind)
            return
        mask, type_ = self.partial_mask(left), type_of(kind, self.lanes)
        name = f"llvm.masked.load.{suffix(Reg('', kind, self.lanes))}.p0"
        self.e.declarations[name] = f"declare {type_} @{name}(ptr, i32, {mask.type}, {type_})"
        given = f"{source}, i32 {item_size(kind)}, {mask}, {type_} zeroinitializer"
        self.f.store(self.e.assign(kind, self.lanes, f"call {type_} @{name}({given})"), room)

    def write_part(self, target: Reg, room: Reg, left: Reg, kind: str) -> None:
        """Copies a partial chunk from the stack."""
        if not maskable(kind):
            self.f.copy(target, room, left, kind)
            return
        mask, value = self.partial_mask(left), self.f.load(room, kind, self.lanes)
        name = f"llvm.masked.store.{suffix(value)}.p0"
        self.e.declarations[name] = f"declare void @{name}({value.type}, ptr, i32, {mask.type})"
        given = f"{value}, {target}, i32 {item_size(kind)}, {mask}"
        self.e.line(f"call void @{name}({given})")

    def partial_mask(self, left: Reg) -> Reg:
        """Which lanes of a partial chunk count."""
        numbers = self.iota()
        short = self.e.cast("trunc", left, "i32")
        return self.e.compare("slt", numbers, self.e.splat(short, self.lanes))

    def iota(self) -> Reg:
        """0, 1, 2, ..."""
        numbers = ", ".join(f"i32 {i}" for i in range(self.lanes))
        return Reg(f"<{numbers}>" if self.lanes > 1 else "0", "i32", self.lanes)

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
                zero = f"shufflevector {total}, {type_} poison, {self.same_lanes()}"
                e.line(f"{sums[effect.row]} = {zero}")

    def same_lanes(self) -> str:
        """The shuffle that changes nothing: a second name for a vector."""
        if self.lanes == 1:
            return "<1 x i32> zeroinitializer"
        numbers = ", ".join(f"i32 {i}" for i in range(self.lanes))
        return f"<{self.lanes} x i32> <{numbers}>"

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
        return self.gather(bases[key], x, j, end)

    def gather(self, base: Reg, x: Load, j: Reg, end: Reg) -> Reg:
        """Elements at equal distances; lanes beyond the end read the last one."""
        e, f, lanes = self.e, self.f, self.lanes
        last = e.binary("sub", end, f.number(1))
        places = e.binary("add", e.splat(j, lanes), self.wide_iota())
        places = e.intrinsic("smin", places, e.splat(last, lanes))
        places = e.binary("mul", places, e.splat(f.size(x.at.strides[-1]), lanes))
        kind = memory_kind(x.kind)
        size = item_size(x.kind)
        pointers = e.assign("ptr", lanes, f"getelementptr i{8 * size}, {base}, {places}")
        type_ = type_of(kind, lanes)
        name = f"llvm.masked.gather.v{lanes}{'f' if kind[0] == 'f' else 'i'}{8 * size}.v{lanes}p0"
        e.declarations[name] = (
            f"declare {type_} @{name}(<{lanes} x ptr>, i32, <{lanes} x i1>, {type_})"
        )
        value = e.assign(
            kind,
            lanes,
            f"call {type_} @{name}({pointers}, i32 {size}, <{lanes} x i1> splat (i1 true), "
            f"{type_} poison)",
        )
        return as_bool(f, value) if x.kind == "b1" else value

    def wide_iota(self) -> Reg:
        """0, 1, 2, ... as 64 bit integers."""
        numbers = ", ".join(f"i64 {i}" for i in range(self.lanes))
        return Reg(f"<{numbers}>", I64, self.lanes)

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
            self.scatter(bases[key], effect, value, j, streams.mask)
        else:
            start = self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)
            value = horizontal(f, effect.combine, self.e.select(streams.mask, value, start))
            old = f.load(bases[key], effect.kind, 1)
            f.store(combined(f, effect.combine, old, value), bases[key])

    def scatter(self, base: Reg, effect: Store, value: Reg, j: Reg, mask: Reg) -> None:
        """Writes elements at equal distances."""
        e, f, lanes = self.e, self.f, self.lanes
        if value.kind == "b1":
            value = e.cast("zext", value, "u8")
        places = e.binary("add", e.splat(j, lanes), self.wide_iota())
        places = e.binary("mul", places, e.splat(f.size(effect.at.strides[-1]), lanes))
        size = item_size(value.kind)
        pointers = e.assign("ptr", lanes, f"getelementptr i{8 * size}, {base}, {places}")
        letter = "f" if is_float(value.kind) else "i"
        name = f"llvm.masked.scatter.v{lanes}{letter}{8 * size}.v{lanes}p0"
        e.declarations[name] = (
            f"declare void @{name}({value.type}, <{lanes} x ptr>, i32, <{lanes} x i1>)"
        )
        e.line(f"call void @{name}({value}, {pointers}, i32 {size}, {mask})")


# -- shared with straight code ------------------------------------------------------------------


def ignore(condition: Reg) -> None:
    """For conversions of integers, which cannot fail."""


def maskable(kind: str) -> bool:
    """Whether a machine of this kind loads and stores parts of vectors by one instruction."""
    return MASKED and item_size(kind) >= 4


def memory_kind(kind: str) -> str:
    """The kind as it is in memory: bools are bytes."""
    return "u8" if kind == "b1" else kind


def as_bool(f: FunctionWriter, x: Reg) -> Reg:
    """Bytes as bools."""
    return f.e.compare("ne", x, f.e.like(0, x))


def element(f: FunctionWriter, op: Op, operands: list[Reg], kind: str, report: object) -> Reg:
    """An op's element expression."""
    scalars = f.scalars(report)
    if isinstance(op, Cast):
        return scalars.convert(operands[0], kind)
    return op.element(scalars, *operands)  # type: ignore[attr-defined, no-any-return]


def scalar_instruction(f: FunctionWriter, x: Instruction, rows: dict[int, Reg]) -> Reg:
    """Instructions that read nothing from memory but the frame."""
    if isinstance(x, Constant):
        return f.e.constant(x.kind, x.value)
    if isinstance(x, Scalar):
        return f.load(f.slot(f.frame.scalar(x.scalar)), x.kind, 1)
    if isinstance(x, Row):
        return rows[x.row]
    if isinstance(x, Count):
        return f.scalars(ignore).convert(f.size(x.size), x.kind)
    raise TypeError(f"not a scalar instruction: {x}")


def totals_of(nest: Nest) -> list[Reduce]:
    """What a nest reduces over everything, in the order of its scalars."""
    if nest.outer:
        return []
    found = {e.row: e for stage in nest.stages for e in stage.effects if isinstance(e, Reduce)}
    return [found[row] for row, _, _ in nest.scalars]


def extent(nest: Nest) -> tuple[Size, ...]:
    """The axes that the range of a nest's function runs over."""
    if len(nest.axes) == 1 and not nest.outer:
        return nest.axes
    return nest.axes[: nest.outer or len(nest.axes) - 1] or (ONE,)
