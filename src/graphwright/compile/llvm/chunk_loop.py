"""The innermost loop of a stage, over chunks: as many elements as a vector has lanes."""

from __future__ import annotations

from typing import TypeGuard

from graphwright.compile.llvm.chunks import Chunks, Watch, joined, strided
from graphwright.compile.llvm.emitter import Reg, is_float
from graphwright.compile.llvm.function import I64
from graphwright.compile.llvm.functions.combine import combined, horizontal, identity
from graphwright.compile.llvm.instructions import as_bool, element, memory_kind
from graphwright.compile.llvm.separate_stores import ElementChunk, ElementPlace, SeparateStores
from graphwright.compile.llvm.stage_values import StageValues
from graphwright.compile.nests.collapse import innermost
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.interleaving import Component, Key, interleaved, key_of
from graphwright.compile.nests.nest import (
    Element,
    Index,
    Instruction,
    Load,
    Reduce,
    ScalarConstant,
    StageEffect,
    Store,
)
from graphwright.compile.nests.sizes import Size
from graphwright.ops.core.own_ops import AxisPlace, PickIndex

#: The most pairs of addresses that a loop compares before it begins.
_MOST_SHARED = 16


class ChunkLoop:
    """for each chunk: load, compute, store, reduce.

    A partial last chunk goes through rooms on the stack, so that its body is the same code. Only
    reductions are masked there. Where elements may be computed twice, the last chunk is a whole one
    that overlaps the one before; only what is shorter than a chunk is partial then.
    """

    def __init__(self, stage: StageValues, indices: list[Reg], begin: Reg, end: Reg) -> None:
        self.stage = stage
        self.f, self.e, self.lanes = stage.f, stage.e, stage.lanes
        self.instructions, self.effects = stage.stage.instructions, stage.stage.effects
        self.reductions = stage.reductions
        self.chunks = Chunks(self.f, self.lanes)
        self.indices, self.begin, self.end = indices, begin, end
        self.kinds = self.find_places()
        self.bases = {
            key: stage.address(key[0], key[1], kind, indices, key[2])
            for key, kind in self.kinds.items()
        }
        self.limits = self.find_limits()
        self.read = {key_of(x) for x in self.instructions if isinstance(x, Load)}
        self.read |= {key_of(x) for x in self.effects if isinstance(x, Store) and x.combine}
        self.written = {key_of(x) for x in self.effects if isinstance(x, Store)}
        #: Places without gaps, and how many elements of each a lane has: those of all its group.
        self.widths = {key: 1 for key in self.kinds if self.is_unbroken(key)}
        self.components: dict[Key, Component] = {}
        for first, group in interleaved(self.kinds, self.use).items():
            self.widths[first] = len(group)
            self.components.update({key: Component(first, i) for i, key in enumerate(group)})
        #: Places with gaps that no group fills.
        self.apart = self.kinds.keys() - self.widths.keys() - self.components.keys()
        stores = [effect for effect in self.effects if self.is_separate(effect)]
        self.separate = SeparateStores(stage, indices, stores, self.apart)
        #: What is read of groups, and what will be written.
        self.wholes: dict[Key, Reg] = {}
        self.parts: dict[Key, dict[int, Reg]] = {}
        #: The addresses of the current chunk, for unbroken places.
        self.pointers: dict[Key, Reg] = {}
        self.mask = self.e.constant("b1", 1, self.lanes)
        self.values: dict[int, Reg] = {}
        self.refused: Reg | None = None  # the lanes of the chunk that were refused

    def find_places(self) -> dict[Key, str]:
        """The places that are read or written along the axis, with their kinds."""
        places: dict[Key, str] = {}
        for i, x in enumerate(self.instructions):
            if isinstance(x, Load) and self.stage.varying[i]:
                places[key_of(x)] = x.kind
        for effect in self.effects:
            if isinstance(effect, Store):
                places[key_of(effect)] = effect.kind
        return places

    def find_limits(self) -> dict[int, Reg]:
        """For each index from data, the least size of the axes along which it is a place.

        So one check is for all of them.
        """
        limits: dict[int, Reg] = {}
        for i, x in enumerate(self.instructions):
            if self.stage.varying[i] and is_plain_pick(x):
                index, size = x.operands
                limit = self.stage.uniform[size]
                if index in limits:
                    limit = self.e.intrinsic("umin", limits[index], limit)
                limits[index] = limit
        return {index: self.e.splat(limit, self.lanes) for index, limit in limits.items()}

    def is_separate(self, effect: StageEffect) -> TypeGuard[Store]:
        """Whether an effect stores each element by itself."""
        return isinstance(effect, Store) and not effect.combine and key_of(effect) in self.apart

    def is_unbroken(self, key: Key) -> bool:
        """Whether adjacent elements along the axis are adjacent in memory."""
        return innermost(key[1]) == "unit" and not self.wandering(key)

    def use(self, key: Key) -> object:
        """What is done at a place: it is read, written or both, as elements of a kind."""
        return key in self.read, key in self.written, self.kinds[key]

    def wandering(self, key: Key) -> list[tuple[int, Size]]:
        """The indices that change along the axis."""
        return [(i, stride) for i, stride in key[2] if self.stage.varying[i]]

    # -- the loop ---------------------------------------------------------------------------

    def write(self) -> list[Reg]:
        """The result of each reduction; writes the loop."""
        f, e = self.f, self.e
        head, latch, rest, joined = [e.fresh_label(p) for p in ("chunk", "again", "rest", "end")]
        last_start = self.last_start()
        before = e.block
        f.branch_if(e.compare("slt", self.begin, self.end), head, joined)
        e.label(head)
        present = f.open_phi(I64)
        self.j = present.reg
        phis = [f.open_phi(memory_kind(r.kind), self.lanes) for r in self.reductions]
        starts = [phi.reg for phi in phis]
        remaining = e.binary("sub", self.end, self.j)
        full = e.compare("sge", remaining, f.number(self.lanes))
        rooms = self.enter(full, remaining)
        self.body(remaining)
        f.branch_if(full, latch, rest)
        e.label(rest)
        self.leave(rooms, remaining)
        mask = self.chunks.partial_mask(remaining) if self.reductions else None
        last = [self.reduced(r, start, mask) for r, start in zip(self.reductions, starts)]
        f.branch(joined)
        e.label(latch)
        sums = [self.reduced(r, start, None) for r, start in zip(self.reductions, starts)]
        following = e.binary("add", self.j, f.number(self.lanes))
        start = following if last_start is None else e.intrinsic("smin", following, last_start)
        f.close_phi(present, (self.begin.text, before), (start.text, latch))
        f.branch_if(e.compare("slt", following, self.end), head, joined)
        e.label(joined)
        results = []
        for r, phi, total, end in zip(self.reductions, phis, sums, last):
            sources = (self.identity(r).text, before), (total.text, latch)
            f.close_phi(phi, *sources)
            results.append(f.phi(phi.reg.kind, self.lanes, *sources, (end.text, rest)))
        kinds = [r.kind for r in self.reductions]  # phis come first in a block
        return [as_bool(f, x) if k == "b1" else x for x, k in zip(results, kinds)]

    def last_start(self) -> Reg | None:
        """Where the last chunk begins at the latest; None if no element may be computed twice.

        That must not combine with what is there, nor read what the first time has written. A result
        in the memory of an operand begins where that does (`memory/in_place.py`). There, no chunk
        overlaps another.
        """
        f, e = self.f, self.e
        stores = [effect for effect in self.effects if isinstance(effect, Store)]
        if self.reductions or len(stores) < len(self.effects):
            return None
        if any(store.combine or store.picks for store in stores):
            return None
        pairs = self.shared()
        if pairs is None:
            return None
        start = e.binary("sub", self.end, f.number(self.lanes))
        for target, source in pairs:
            start = e.select(e.compare("eq", target, source), self.end, start)
        return start

    def shared(self) -> list[tuple[Reg, Reg]] | None:
        """The addresses of what is written and of what is read that may lie in its memory.

        None if a buffer is both, or if there are many.
        """
        written = {key[0] for key in self.written}
        if any(isinstance(x, Load) and x.buffer in written for x in self.instructions):
            return None
        sources = [key for key in self.kinds if key in self.read and not self.wandering(key)]
        targets = [key for key in self.kinds if key in self.written]
        if len(sources) * len(targets) > _MOST_SHARED:
            return None
        return [(self.bases[w], self.bases[r]) for w in targets for r in sources]

    def enter(self, full: Reg, remaining: Reg) -> dict[Key, Reg]:
        """The rooms for a partial chunk; sets the pointers of a chunk, to memory or to rooms."""
        f, e = self.f, self.e
        main, tail, body = [e.fresh_label(p) for p in ("full", "part", "compute")]
        f.branch_if(full, main, tail)
        e.label(main)
        pointers = {}
        for key, width in self.widths.items():
            place = self.at(key, self.j)
            pointers[key] = self.accessed(key, place, f.number(self.lanes * width))
        f.branch(body)
        e.label(tail)
        rooms = self.filled_rooms(remaining)
        mask = self.chunks.partial_mask(remaining) if self.needs_mask() else None
        after = e.block
        f.branch(body)
        e.label(body)
        if mask is not None:
            every = e.constant("b1", 1, self.lanes)
            self.mask = f.phi("b1", self.lanes, (every.text, main), (mask.text, after))
        for key, room in rooms.items():
            self.pointers[key] = f.phi("ptr", 1, (pointers[key].text, main), (room.text, after))
        return rooms

    def at(self, key: Key, j: Reg) -> Reg:
        """The address of a place without gaps, at an index."""
        index = self.f.mul(j, self.f.number(self.widths[key]))
        return self.f.address(self.bases[key], index, self.kinds[key])

    def accessed(self, key: Key, address: Reg, count: Reg) -> Reg:
        """The address to be used for elements that are read, written or both."""
        nest, kind = self.stage.nest, self.kinds[key]
        if key in self.read:
            address = nest.accessed(key[0], address, kind, False, count)
        if key in self.written:
            address = nest.accessed(key[0], address, kind, True, count)
        return address

    def needs_mask(self) -> bool:
        """Whether the body must know which lanes of a chunk count."""
        combines = any(
            isinstance(x, Store) and x.combine and key_of(x) in self.apart for x in self.effects
        )
        divides = any(isinstance(x, Element) and not is_float(x.kind) for x in self.instructions)
        return combines or divides or any(self.wandering(key) for key in self.kinds)

    def filled_rooms(self, remaining: Reg) -> dict[Key, Reg]:
        """New rooms on the stack, with copies of a partial chunk of all that is read."""
        rooms: dict[Key, Reg] = {}
        for key, width in self.widths.items():
            kind, count = self.kinds[key], self.f.mul(remaining, self.f.number(width))
            rooms[key] = self.f.stack(kind, self.lanes * width)
            if key in self.read:
                source = self.at(key, self.j)
                source = self.stage.nest.accessed(key[0], source, kind, False, count)
                Chunks(self.f, self.lanes * width).read_part(rooms[key], source, count, kind)
        return rooms

    def leave(self, rooms: dict[Key, Reg], remaining: Reg) -> None:
        """Copies the written elements of a partial chunk from the stack."""
        for effect in self.effects:
            if isinstance(effect, Store) and key_of(effect) in rooms:
                key, kind = key_of(effect), effect.kind
                width = self.widths[key]
                target, count = self.at(key, self.j), self.f.mul(remaining, self.f.number(width))
                target = self.stage.nest.accessed(key[0], target, kind, True, count)
                Chunks(self.f, self.lanes * width).write_part(target, rooms[key], count, kind)

    def identity(self, r: Reduce) -> Reg:
        """The initial value of a reduction, in its memory kind."""
        return self.e.constant(memory_kind(r.kind), identity(r.combine, r.kind), self.lanes)

    def reduced(self, r: Reduce, start: Reg, mask: Reg | None) -> Reg:
        """The value of a reduction after this chunk, in its memory kind."""
        value = self.vector(r.value)
        if r.kind == "b1":
            start = as_bool(self.f, start)
        if mask is not None:
            least = self.e.constant(r.kind, identity(r.combine, r.kind), self.lanes)
            value = self.e.select(mask, value, least)
        total = combined(self.f, r.combine, start, value)
        return self.e.cast("zext", total, "u8") if r.kind == "b1" else total

    # -- the body ---------------------------------------------------------------------------

    def body(self, remaining: Reg) -> None:
        """Computes and stores a chunk, or the elements that remain."""
        for i, x in enumerate(self.instructions):
            if isinstance(x, Load) and x.buffer in self.stage.nest.nest.first:
                self.vector(i)
        for effect in self.effects:
            if self.is_separate(effect):
                continue
            value = self.vector(effect.value)
            if isinstance(effect, Store):
                self.store(effect, value)
        if self.refused is not None:
            self.stage.report(self.e.binary("and", self.refused, self.mask))
        for first, parts in self.parts.items():
            pieces = [parts[i] for i in range(self.widths[first])]
            self.f.store(joined(self.e, pieces), self.pointers[first])
        if self.separate.stores:
            self.separate.write(ElementChunk(self.j, remaining, self.elements, self.vector))

    def vector(self, i: int) -> Reg:
        """The results of an instruction for the chunk."""
        value = self.values.get(i)
        if value is None:
            value = self.values[i] = self._vector(i)
        return value

    def _vector(self, i: int) -> Reg:
        x = self.instructions[i]
        if isinstance(x, ScalarConstant):
            return self.e.constant(x.kind, x.value, self.lanes)
        if not self.stage.varying[i]:
            return self.e.splat(self.stage.uniform[i], self.lanes)
        if isinstance(x, Load):
            return self.load(x)
        if isinstance(x, Index):
            return self.index(x)
        assert isinstance(x, Element)
        operands = [self.vector(k) for k in x.operands]
        if is_plain_pick(x):
            operands[1] = self.limits[x.operands[0]]
        return element(self.f, x.op, operands, x.kind, self.report)

    def report(self, condition: Reg) -> None:
        """Notes the lanes that are refused; `body` reports those that count."""
        noted = self.refused
        self.refused = condition if noted is None else self.e.binary("or", noted, condition)

    def load(self, x: Load) -> Reg:
        """The elements of a chunk, gathered if they are strided or picked by indices."""
        key = key_of(x)
        if key in self.components:
            return self.component(key)
        if key in self.widths:
            return self.f.load(self.pointers[key], x.kind, self.lanes)
        places = self.chunks.places(x.place.strides[-1], self.j, self.end)
        for i, stride in self.wandering(key):
            index = self.vector(i)
            if not is_place(self.instructions[i]):  # of lanes that do not count
                index = self.e.select(self.mask, index, self.e.constant(I64, 0, self.lanes))
            apart = self.e.splat(self.f.size(stride), self.lanes)
            places = self.e.binary("add", places, self.e.binary("mul", index, apart))
        watch = self.watch(key, item_size(x.kind))
        return self.chunks.gather(self.bases[key], places, x.kind, watch)

    def component(self, key: Key) -> Reg:
        """The elements of a chunk at a place of a group, all of which are loaded together."""
        first, number = self.components[key]
        width = self.widths[first]
        if first not in self.wholes:
            pointer, kind = self.pointers[first], self.kinds[first]
            self.wholes[first] = self.f.load(pointer, kind, self.lanes * width)
        return strided(self.e, self.wholes[first], number, width)

    def elements(self, key: Key) -> ElementPlace:
        """The elements of a chunk at a place without gaps, or at one of a group."""
        first, number = self.components.get(key, (key, 0))
        return ElementPlace(self.pointers[first], number, Size(self.widths[first]))

    def index(self, x: Index) -> Reg:
        """The places of a chunk."""
        e, f = self.e, self.f
        stride = f.size(x.place.strides[-1])
        first = f.add(self.stage.place(x.place, self.indices), f.mul(self.j, stride))
        first, stride = [e.cast_integer(r, x.kind) for r in (first, stride)]
        steps = e.binary("mul", self.chunks.iota(x.kind), e.splat(stride, self.lanes))
        return e.binary("add", e.splat(first, self.lanes), steps)

    def store(self, effect: Store, value: Reg) -> None:
        """Writes a chunk, or combines it with the elements there."""
        f = self.f
        key = key_of(effect)
        if key in self.components:
            first, number = self.components[key]
            parts = self.parts.setdefault(first, {})
            if effect.combine:
                before = parts.get(number) or self.component(key)
                value = combined(f, effect.combine, before, value)
            parts[number] = value
        elif key in self.widths:
            address = self.pointers[key]
            if effect.combine:
                value = combined(f, effect.combine, f.load(address, effect.kind, self.lanes), value)
            f.store(value, address)
        else:  # all into one element
            start = self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)
            value = horizontal(f, effect.combine, self.e.select(self.mask, value, start))
            address = self.accessed(key, self.bases[key], f.number(1))
            old = f.load(address, effect.kind, 1)
            f.store(combined(f, effect.combine, old, value), address)

    def watch(self, key: Key, size: int) -> Watch:
        """The function from the addresses of gathered elements to those that are to be used."""
        nest, sanitizer = self.stage.nest, self.f.frame.sanitizer

        def checked(addresses: Reg) -> Reg:
            if sanitizer is None:
                return addresses
            place = key[0], nest.base(key[0]), addresses, size, self.mask
            result: Reg = sanitizer.lanes(self.f, *place, nest.shadow(key[0]))
            return result

        return checked


def is_place(x: Instruction) -> bool:
    """Whether the result of an instruction is a place in every lane, whatever it is made of."""
    return isinstance(x, Element) and isinstance(x.op, AxisPlace)


def is_plain_pick(x: Instruction) -> TypeGuard[Element]:
    """Whether an instruction checks an index, and does not count negative ones from the end."""
    return isinstance(x, Element) and isinstance(x.op, PickIndex) and not x.op.wraps
