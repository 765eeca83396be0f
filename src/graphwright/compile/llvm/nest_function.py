"""The function of a nest under construction: its rows, totals and memory."""

from __future__ import annotations

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import Frame
from graphwright.compile.llvm.function import FunctionWriter
from graphwright.compile.llvm.functions.combine import identity
from graphwright.compile.nests.collapse import linears, varying
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.interleaving import distance
from graphwright.compile.nests.nest import Buffer, Element, Load, Nest, Reduce, Store
from graphwright.compile.nests.short_nests import is_quick
from graphwright.compile.nests.short_rows import FULL
from graphwright.machine.targets import target
from graphwright.ops.core.own_ops import AxisPlace

#: The bytes of a vector: several registers of any machine, which hides latencies. One is enough
#: where components of rows are separated, each of which is a vector, and where elements are loaded
#: one after the other: more than some of these wait for each other.
_VECTOR, _NARROW = 128, 32

#: The most quick instructions for each load of a nest that gathers.
_INSTRUCTIONS = 8


def lanes_of(nest: Nest, inner: int, is_seldom: bool = False) -> int:
    """The lanes of a nest: as many as its largest elements allow.

    `inner` is the expected length of the innermost axis. There are no more lanes than that if it is
    short and whole vectors fill it. Code that seldom runs has narrow vectors, which are short code.
    """
    sizes, distances = [1], [1]
    for stage in nest.stages:
        sizes += [item_size(x.kind) for x in stage.instructions]
        distances += map(distance, linears(stage))
    is_narrow = max(distances) > 1 or (target().gathers_slowly and is_gathering(nest))
    is_narrow |= is_seldom
    size = _NARROW if is_narrow else _VECTOR
    lanes = min(size // max(sizes), 32)
    narrow = inner in FULL and len(nest.axes) > 1 and not nest.outer
    return min(lanes, inner) if narrow else lanes


def is_gathering(nest: Nest) -> bool:
    """Whether most of what a nest does is to load elements from places that data determine."""
    loads, elements = 0, 0
    for stage in nest.stages:
        changes = varying(stage)
        for x in stage.instructions:
            if isinstance(x, Load):
                loads += any(changes[i] for i, _ in x.picks)
            elif isinstance(x, Element):
                elements += 1
                if not (is_quick(x) or isinstance(x.op, AxisPlace)):
                    return False
    return loads > 0 and elements <= _INSTRUCTIONS * loads


class NestFunction:
    """The state that the stages of a nest share."""

    def __init__(
        self,
        name: str,
        nest: Nest,
        frame: Frame,
        buffers: tuple[Buffer, ...],
        inner: int,
        is_seldom: bool = False,
    ) -> None:
        self.name = name
        self.nest = nest
        self.buffers = buffers
        signature = f"define internal void @{name}(ptr %frame, i64 %begin, i64 %end, ptr %totals)"
        self.f = FunctionWriter(frame, signature)
        self.e = self.f.e
        self.lanes = lanes_of(nest, inner, is_seldom)
        self.rows: dict[int, Reg] = {}
        self.row_memory: dict[int, Reg] = {}
        self.row_shadows: dict[int, Reg] = {}  # of sanitized code
        self.accumulators: dict[int, Reg] = {}
        #: The buffers of sums in memory, by number: the caller gives their addresses.
        self.into = {store.buffer: i for i, store in enumerate(accumulated(nest))}
        self.places: dict[int, Reg] = {}
        #: The number of axes of the range; the others are loops inside.
        self.outside = nest.outer or len(nest.axes) - 1

    def whole(self, effect: Reduce) -> Reg:
        """The initial value of a reduction, in every lane."""
        return self.e.constant(effect.kind, identity(effect.combine, effect.kind), self.lanes)

    def base(self, buffer: int) -> Reg:
        """The address of a buffer."""
        if buffer in self.into:
            return self.into_address(self.into[buffer])
        return self.row_memory.get(buffer) or self.f.buffer(buffer)

    def accessed(
        self, buffer: int, address: Reg, kind: str, writes: bool, count: Reg | None = None
    ) -> Reg:
        """The address to be used for some elements of a buffer, or one; see
        `FunctionWriter.accessed`."""
        sanitizer = self.f.frame.sanitizer
        if sanitizer is None:
            return address
        size = self.f.mul(count or self.f.number(1), self.f.number(item_size(kind)))
        place = buffer, self.base(buffer), address, size, writes, self.shadow(buffer)
        checked: Reg = sanitizer.access(self.f, *place)
        return checked

    def shadow(self, buffer: int) -> Reg | None:
        """The shadow of a buffer that lies elsewhere during a run; None for the buffer's own."""
        return Reg("null", "ptr") if buffer in self.into else self.row_shadows.get(buffer)

    def into_address(self, i: int) -> Reg:
        """The address that the caller gives for a sum."""
        if i not in self.places:
            with self.f.at_entry():
                address = self.e.assign("ptr", 1, f"getelementptr i64, ptr %totals, i64 {i}")
                self.places[i] = self.f.load(address, "ptr", 1)
        return self.places[i]


def accumulated(nest: Nest) -> list[Store]:
    """The stores by which a nest adds into memory in any order, one for each buffer."""
    if nest.ordered:
        return []
    stores = {
        effect.buffer: effect
        for stage in nest.stages
        for effect in stage.effects
        if isinstance(effect, Store) and effect.combine
    }
    return list(stores.values())
