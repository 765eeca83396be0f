"""The function of a nest while it is written: its rows and totals, and where its memory is."""

from __future__ import annotations

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.compile.llvm.functions.combine import identity
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Buffer, Nest, Reduce, Store

#: The bytes of a vector: several registers of any machine, which hides latencies.
_VECTOR = 128


def lanes_of(nest: Nest, inner: int) -> int:
    """As many lanes as the largest elements of a nest allow; no more than the innermost axis has,
    where that is expected to be short and made of whole vectors, `inner` elements long."""
    sizes = [1]
    for stage in nest.stages:
        sizes += [item_size(x.kind) for x in stage.instructions]
    lanes = min(_VECTOR // max(sizes), 32)
    narrow = inner in (8, 16) and len(nest.axes) > 1 and not nest.outer
    return min(lanes, inner) if narrow else lanes


class NestFunction:
    """What the stages of a nest have in common."""

    def __init__(
        self, name: str, nest: Nest, frame: Frame, buffers: tuple[Buffer, ...], inner: int
    ) -> None:
        self.name = name
        self.nest = nest
        self.buffers = buffers
        signature = f"define internal void @{name}(ptr %frame, i64 %begin, i64 %end, ptr %totals)"
        self.f = FunctionWriter(frame, signature)
        self.e = self.f.e
        self.lanes = lanes_of(nest, inner)
        self.rows: dict[int, Reg] = {}
        self.row_memory: dict[int, Reg] = {}
        self.row_shadows: dict[int, Reg] = {}  # of sanitized code
        self.accumulators: dict[int, Reg] = {}
        #: What is added into memory: the caller says where that lies.
        self.into = {store.buffer: i for i, store in enumerate(accumulated(nest))}
        self.places: dict[int, Reg] = {}
        #: How many axes the range runs over; the others are loops inside.
        self.outside = nest.outer or len(nest.axes) - 1

    def whole(self, effect: Reduce) -> Reg:
        """What a reduction starts from, in every lane."""
        return self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)

    def base(self, buffer: int) -> Reg:
        """A buffer's address."""
        if buffer in self.into:
            return self.into_address(self.into[buffer])
        return self.row_memory.get(buffer) or self.f.buffer(buffer)

    def accessed(
        self, buffer: int, address: Reg, kind: str, writes: bool, count: Reg | None = None
    ) -> Reg:
        """The address at which so many elements of a buffer, or one, are read or written; see
        `FunctionWriter.accessed`."""
        sanitizer = self.f.frame.sanitizer
        if sanitizer is None:
            return address
        size = self.f.mul(count or self.f.number(1), self.f.number(item_size(kind)))
        place = buffer, self.base(buffer), address, size, writes, self.shadow(buffer)
        found: Reg = sanitizer.access(self.f, *place)
        return found

    def shadow(self, buffer: int) -> Reg | None:
        """The shadow of what lies elsewhere while this runs; None for that of the buffer."""
        return Reg("null", "ptr") if buffer in self.into else self.row_shadows.get(buffer)

    def into_address(self, i: int) -> Reg:
        """Where the caller wants a sum."""
        if i not in self.places:
            with self.f.at_entry():
                address = self.e.assign("ptr", 1, f"getelementptr i64, ptr %totals, i64 {i}")
                self.places[i] = self.f.load(address, "ptr", 1)
        return self.places[i]


def accumulated(nest: Nest) -> list[Store]:
    """What a nest adds into memory in any order, a store for each buffer."""
    if nest.ordered:
        return []
    found = {
        effect.buffer: effect
        for stage in nest.stages
        for effect in stage.effects
        if isinstance(effect, Store) and effect.combine
    }
    return list(found.values())
