"""Chunks of elements in memory: parts of vectors, and elements at equal distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from graphwright.compile.llvm.emitter import Emitter, Reg, is_float, suffix, type_of
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.instructions import as_bool, memory_kind
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Store
from graphwright.compile.nests.sizes import Size
from graphwright.machine.targets import target

#: From the addresses of a chunk's elements to those that are to be used.
Watch: TypeAlias = Callable[[Reg], Reg]


class Chunks:
    """Reads and writes chunks of a number of lanes."""

    def __init__(self, f: FunctionWriter, lanes: int) -> None:
        self.f = f
        self.e = f.e
        self.lanes = lanes

    def read_part(self, room: Reg, source: Reg, count: Reg, kind: str) -> None:
        """Copies a partial chunk to the stack, from where one vector load reads it."""
        if not maskable(kind):
            self.f.copy(room, source, count, kind)
            return
        mask, type_ = self.partial_mask(count), type_of(kind, self.lanes)
        name = f"llvm.masked.load.{suffix(Reg('', kind, self.lanes))}.p0"
        self.e.declarations[name] = f"declare {type_} @{name}(ptr, i32, {mask.type}, {type_})"
        operands = f"{source}, i32 {item_size(kind)}, {mask}, {type_} zeroinitializer"
        self.f.store(self.e.assign(kind, self.lanes, f"call {type_} @{name}({operands})"), room)

    def write_part(self, target: Reg, room: Reg, count: Reg, kind: str) -> None:
        """Copies a partial chunk from the stack."""
        if not maskable(kind):
            self.f.copy(target, room, count, kind)
            return
        mask, value = self.partial_mask(count), self.f.load(room, kind, self.lanes)
        name = f"llvm.masked.store.{suffix(value)}.p0"
        self.e.declarations[name] = f"declare void @{name}({value.type}, ptr, i32, {mask.type})"
        operands = f"{value}, {target}, i32 {item_size(kind)}, {mask}"
        self.e.line(f"call void @{name}({operands})")

    def partial_mask(self, count: Reg) -> Reg:
        """The mask of the lanes that count in a partial chunk."""
        numbers = self.iota()
        short = self.e.cast("trunc", count, "i32")
        return self.e.compare("slt", numbers, self.e.splat(short, self.lanes))

    def iota(self, kind: str = "i32") -> Reg:
        """0, 1, 2, ..."""
        type_ = type_of(kind, 1)
        numbers = ", ".join(f"{type_} {i}" for i in range(self.lanes))
        return Reg(f"<{numbers}>" if self.lanes > 1 else "0", kind, self.lanes)

    def places(self, stride: Size, j: Reg, end: Reg) -> Reg:
        """The places of a chunk at equal distances; lanes beyond the end have the last place."""
        e, f, lanes = self.e, self.f, self.lanes
        last = e.binary("sub", end, f.number(1))
        places = e.binary("add", e.splat(j, lanes), self.iota(I64))
        places = e.intrinsic("smin", places, e.splat(last, lanes))
        return e.binary("mul", places, e.splat(f.size(stride), lanes))

    def gather(self, base: Reg, places: Reg, element: str, watch: Watch) -> Reg:
        """Elements of a kind at any places."""
        e, f, lanes = self.e, self.f, self.lanes
        kind = memory_kind(element)
        size = item_size(element)
        if target().gathers_slowly and not f.frame.sanitizer:
            value = self.loaded(base, places, kind)
            return as_bool(f, value) if element == "b1" else value
        pointers = watch(e.assign("ptr", lanes, f"getelementptr i{8 * size}, {base}, {places}"))
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
        return as_bool(f, value) if element == "b1" else value

    def loaded(self, base: Reg, places: Reg, kind: str) -> Reg:
        """The elements at places, loaded one after the other."""
        value = Reg("poison", kind, self.lanes)
        for i in range(self.lanes):
            place = self.e.assign(I64, 1, f"extractelement {places}, i32 {i}")
            item = self.f.load(self.f.address(base, place, kind), kind, 1)
            value = self.e.assign(kind, self.lanes, f"insertelement {value}, {item}, i32 {i}")
        return value

    def has_scatter(self) -> bool:
        """Whether lanes are written to places apart by one instruction, under a mask."""
        return target().scatters or self.f.frame.sanitizer is not None

    def scatter(
        self, base: Reg, effect: Store, value: Reg, j: Reg, end: Reg, mask: Reg, watch: Watch
    ) -> None:
        """Writes elements at equal distances: those of a chunk that begins at `j`, up to `end`.

        They are the lanes of the mask. Where no instruction scatters, LLVM would write each lane by
        code of its own.
        """
        e, f, lanes = self.e, self.f, self.lanes
        if value.kind == "b1":
            value = e.cast("zext", value, "u8")
        if not self.has_scatter():
            count = e.intrinsic("smin", e.binary("sub", end, j), f.number(lanes))
            room, stride = f.stack(value.kind, lanes), f.size(effect.place.strides[-1])
            f.store(value, room)
            first = f.address(base, f.mul(j, stride), value.kind)
            with f.loop(f.number(0), count) as i:
                item = f.load(f.address(room, i, value.kind), value.kind, 1)
                f.store(item, f.address(first, f.mul(i, stride), value.kind))
            return
        places = e.binary("add", e.splat(j, lanes), self.iota(I64))
        places = e.binary("mul", places, e.splat(f.size(effect.place.strides[-1]), lanes))
        size = item_size(value.kind)
        pointers = watch(e.assign("ptr", lanes, f"getelementptr i{8 * size}, {base}, {places}"))
        letter = "f" if is_float(value.kind) else "i"
        name = f"llvm.masked.scatter.v{lanes}{letter}{8 * size}.v{lanes}p0"
        e.declarations[name] = (
            f"declare void @{name}({value.type}, <{lanes} x ptr>, i32, <{lanes} x i1>)"
        )
        e.line(f"call void @{name}({value}, {pointers}, i32 {size}, {mask})")


def maskable(kind: str) -> bool:
    """Whether this machine loads and stores parts of vectors of a kind by one instruction."""
    return "+avx" in target().features and item_size(kind) >= 4


def strided(e: Emitter, piece: Reg, number: int, width: int) -> Reg:
    """Every `width`-th lane of a piece of memory, from a number on."""
    return e.picked(piece, range(number, piece.lanes, width))


def joined(e: Emitter, parts: list[Reg]) -> Reg:
    """The piece of memory whose components these are."""
    count, lanes = len(parts), parts[0].lanes
    padded = list(parts)
    while len(padded) & (len(padded) - 1):  # only equal registers are joined
        padded.append(parts[0])
    while len(padded) > 1:
        padded = [e.joined(x, y) for x, y in zip(padded[::2], padded[1::2])]
    return e.picked(padded[0], [k * lanes + i for i in range(lanes) for k in range(count)])
