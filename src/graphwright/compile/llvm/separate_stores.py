"""Stores of elements that are not adjacent.

All such stores of a chunk share one loop over its elements. An element that is only copied never
becomes part of a vector: it goes from its place to the other one.

An instruction that scatters a vector takes about as long, where there is one. Elsewhere LLVM makes
a branch of each lane, and takes seconds for some hundred vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.instructions import memory_kind
from graphwright.compile.llvm.stage_values import StageValues
from graphwright.compile.nests.interleaving import Key, key_of
from graphwright.compile.nests.nest import Load, Store
from graphwright.compile.nests.sizes import ONE, Size


class ElementPlace(NamedTuple):
    """Elements of a chunk: the address of its first one less a number of them, the distance.

    Where there is a buffer, the address is that of the axis, and accesses must be checked.
    """

    start: Reg
    after: int
    step: Size
    buffer: int | None = None


class ElementChunk(NamedTuple):
    """A chunk of the innermost axis: its first index, how many elements are left from there on, the
    elements at a place without gaps, and the vectors of instructions."""

    first: Reg
    left: Reg
    elements: Callable[[Key], ElementPlace]
    vector: Callable[[int], Reg]


class SeparateStores:
    """The stores of a stage with gaps between elements, and the places of these.

    `apart` are all places with gaps, also those that are read.
    """

    def __init__(
        self, stage: StageValues, indices: list[Reg], stores: Sequence[Store], apart: Set[Key]
    ) -> None:
        self.stage, self.f, self.e = stage, stage.f, stage.e
        self.indices = indices
        self.stores = stores
        #: The addresses of places without constants, which become parts of instructions.
        self.roots: dict[Key, Reg] = {}
        self.targets = [self.strided(store) for store in stores]
        loads = [x for x in map(self.copied, stores) if x is not None]
        self.origins = {x: self.strided(x) for x in loads if key_of(x) in apart}

    def copied(self, store: Store) -> Load | None:
        """The load whose elements a store copies, if they need no vector."""
        stage = self.stage
        x = stage.stage.instructions[store.value]
        if not isinstance(x, Load) or not stage.varying[store.value]:
            return None
        is_picked = any(stage.varying[i] for i, _ in x.picks)
        return None if is_picked or x.buffer in stage.nest.nest.first else x

    def strided(self, x: Load | Store) -> ElementPlace:
        """A place along the axis, whose address is computed before the loop."""
        constant = sum([o.factor for o in x.place.offsets if not o.symbols])
        others = tuple([o for o in x.place.offsets if o.symbols and o.factor])
        key = x.buffer, x.place._replace(offsets=others), x.picks
        if key not in self.roots:
            self.roots[key] = self.stage.address(key[0], key[1], x.kind, self.indices, key[2])
        return ElementPlace(self.roots[key], constant, x.place.strides[-1], x.buffer)

    def source(self, store: Store, chunk: ElementChunk) -> ElementPlace | Reg:
        """The place of a store's elements, or the one value of all of them."""
        if not self.stage.varying[store.value]:
            return self.stage.uniform[store.value]
        x = self.copied(store)
        if x in self.origins:
            return self.origins[x]
        if x is not None:
            return chunk.elements(key_of(x))
        room = self.f.stack(store.kind, self.stage.lanes)
        self.f.store(chunk.vector(store.value), room)
        return ElementPlace(room, 0, ONE)

    def write(self, chunk: ElementChunk) -> None:
        """Writes the loop over the elements of a chunk."""
        f, sources = self.f, [self.source(store, chunk) for store in self.stores]
        count = self.e.intrinsic("smin", chunk.left, f.number(self.stage.lanes))
        with f.loop(f.number(0), count) as lane:
            rows: dict[tuple[Reg, Size], Reg] = {}

            def address(place: ElementPlace, kind: str, writes: bool) -> Reg:
                row = rows.get((place.start, place.step))
                if row is None:
                    index = lane if place.buffer is None else f.add(chunk.first, lane)
                    row = f.address(place.start, f.mul(index, f.size(place.step)), kind)
                    rows[place.start, place.step] = row
                element = f.address(row, f.number(place.after), kind)
                if place.buffer is None:
                    return element
                return self.stage.nest.accessed(place.buffer, element, kind, writes)

            for store, source, target in zip(self.stores, sources, self.targets):
                kind = memory_kind(store.kind)
                if isinstance(source, ElementPlace):
                    source = f.load(address(source, kind, False), kind, 1)
                f.store(source, address(target, kind, True))
