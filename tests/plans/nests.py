"""Nests, executed over arrays of indices: once, or in every order where that may matter."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from plans import elements, orders
from plans.memory import Block, numpy_dtype
from plans.orders import Order

from graphwright.compile.nests.nest import (
    Element,
    Index,
    Instruction,
    Keep,
    Linear,
    Load,
    Nest,
    Reduce,
    Row,
    Stage,
    Store,
)

if TYPE_CHECKING:
    from plans.interpreter import Run

#: How far sums in other orders may be apart, relative to the greatest.
_TOLERANCE = {"f16": 1e-2, "bf16": 2e-2, "f32": 1e-5, "f64": 1e-12}


def execute(run: Run, nest: Nest) -> None:
    """Runs a nest. Where it reads memory that it also writes, or writes a place twice, it runs in
    other orders too, each from the same memory, and all must leave the same."""
    nested = Nested(run, nest)
    before = nested.states()
    totals = nested.through(nested.first())
    if nested.may_depend_on_order():
        after = nested.states()
        for order in nested.others():
            for block, state in before.items():
                block.restore(state)
            others = nested.through(order)
            nested.compare(after, totals, others, order)
        for block, state in after.items():
            block.restore(state)
    for row, scalar, kind in nest.scalars:
        run.define(scalar, totals[row], kind, "total scalar")


class Nested:
    """A nest of a run, with the sizes of its axes."""

    def __init__(self, run: Run, nest: Nest) -> None:
        self.run, self.nest, self.memory = run, nest, run.memory
        dims = [run.size(axis) for axis in nest.axes]
        #: Without outer axes each element takes all stages by itself.
        count = nest.outer or len(dims)
        self.outer, self.inner = dims[:count], dims[count:]
        self.outers, self.inners = prod(self.outer), prod(self.inner)
        self.twice = False  # whether a place was written twice
        self.kind = run.nest_kind(nest)
        items = [x for stage in nest.stages for x in (*stage.instructions, *stage.effects)]
        own = {i for i, b in enumerate(run.program.buffers) if b.role == "row"}
        self.rows = sorted(own & {x.buffer for x in items if isinstance(x, (Load, Store))})
        self.loads = {x.buffer for x in items if isinstance(x, Load)} - own
        self.stores = {x.buffer for x in items if isinstance(x, Store)} - own
        stored = [x.buffer for x in items if isinstance(x, Store)]
        self.again = len(set(stored)) < len(stored)  # whether two stores write one buffer
        self.adds = any(isinstance(x, Reduce) or getattr(x, "combine", "") for x in items)
        for stage in nest.stages:
            self.verify(stage)

    def verify(self, stage: Stage) -> None:
        """What a store relies on along the innermost axis, which code takes in vectors."""
        last = len(self.nest.axes) - 1
        varying = varies(stage, last)
        for effect in stage.effects:
            if not isinstance(effect, Store) or not stage.inner:
                continue
            if any(varying[i] for i, _ in effect.picks):
                self.memory.violate("an index of a store changes along the innermost axis")
            step = self.run.size(effect.place.strides[last])
            if effect.combine and step > 1 and not self.leaves_no_gap(stage, effect, step):
                self.memory.violate("what is added goes to places apart along the innermost axis")

    def leaves_no_gap(self, stage: Stage, store: Store, step: int) -> bool:
        """Whether a store and others like it combine adjacent elements at each step."""
        starts = set()
        for other in stage.effects:
            if isinstance(other, Store) and (other.buffer, other.combine) == (
                store.buffer,
                store.combine,
            ):
                strides, scalars = other.place.strides, other.place.scalars
                if (strides, scalars) == (store.place.strides, store.place.scalars):
                    starts.add(sum(map(self.run.size, other.place.offsets)))
        return starts == set(range(min(starts), min(starts) + step))

    # -- orders -----------------------------------------------------------------------------

    def first(self) -> Order:
        """The order that counts."""
        if self.nest.ordered and self.overlaps():
            return next(self.others())
        return orders.at_once(self.outers, self.inners)

    def others(self) -> Iterator[Order]:
        """The orders that must not make a difference."""
        if not self.nest.ordered:
            return orders.orders(self.outers, self.inners)
        if self.nest.outer:
            return orders.in_sequence(self.outers, 1)
        return orders.in_sequence(prod(self.outer[:-1]), self.outer[-1])

    def may_depend_on_order(self) -> bool:
        """Whether there is a cell that is written, and read or written by another index."""
        return self.outers * self.inners > 1 and (
            self.overlaps() or (self.twice and not self.nest.ordered)
        )

    def overlaps(self) -> bool:
        """Whether something that is read has memory in common with something that is written, or
        two buffers that are written have."""
        others = self.loads | self.stores
        return (
            self.again
            or not self.stores.isdisjoint(self.loads)
            or any(self.memory.overlap(x, y) for x in self.stores for y in others - {x})
        )

    def states(self) -> dict[Block, Any]:
        """The memory that is written, as it is now."""
        blocks = {self.memory.at(b).block for b in self.stores}
        return {block: block.state() for block in blocks}

    def compare(self, after: dict[Block, Any], totals: Any, others: Any, order: Order) -> None:
        """A violation where an order has left something else than the first one."""
        for b in self.stores:
            kind, address = self.run.program.buffers[b].kind, self.memory.at(b)
            data, by = after[address.block]
            one, other = [x.view(numpy_dtype(kind)) for x in (data, address.block.data)]
            if not (by == address.block.by).all() or not self.same(one, other, kind):
                self.memory.violate(f"what it leaves in b{b} depends on the order ({order.name})")
        for row, _, kind in self.nest.scalars:
            if not self.same(totals[row], others[row], kind):
                self.memory.violate(f"what row{row} comes to depends on the order ({order.name})")

    def same(self, one: Any, other: Any, kind: str) -> bool:
        """Whether two orders have given the same."""
        if not self.adds or kind not in _TOLERANCE:
            return bool(one.tobytes() == other.tobytes())
        one, other = elements.wide(one), elements.wide(other)
        scale = np.max(np.abs(other[np.isfinite(other)]), initial=0.0)
        return np.allclose(one, other, _TOLERANCE[kind], _TOLERANCE[kind] * scale, equal_nan=True)

    # -- execution --------------------------------------------------------------------------

    def through(self, order: Order) -> dict[int, Any]:
        """Runs all turns of an order; what is reduced over everything."""
        totals = {
            e.row: Total(e) for stage in self.nest.stages for e in stage.effects
            if isinstance(e, Reduce) and not self.nest.outer
        }  # fmt: skip
        for positions in order.turns:
            if len(positions):
                Turn(self, positions, order, totals).run()
        return {row: total.value().reshape(1) for row, total in totals.items()}


class Total:
    """What a reduction has come to, for each of some outer indices."""

    def __init__(self, effect: Reduce, count: int = 1) -> None:
        self.effect, self.function = effect, elements.function(effect.combine)
        begun = elements.start(effect.combine, effect.kind)
        self.held = elements.wide(np.full((count, 1), begun))

    def add(self, values: Any, axis: Any) -> None:
        """Combines further values."""
        one = elements.wide(values)
        for a in axis:
            some = one.shape[a] > 0
            one = self.function.reduce(one, axis=a, keepdims=True) if some else one
        self.held = self.function(self.held, one) if one.size else self.held

    def value(self) -> Any:
        """The result."""
        return self.held.astype(numpy_dtype(self.effect.kind))


class Turn:
    """All stages for some outer indices, in lockstep: arrays have a row for each of these, and a
    column for each inner index."""

    def __init__(
        self, nested: Nested, positions: Any, order: Order, totals: dict[int, Total]
    ) -> None:
        self.nested, self.run_, self.memory = nested, nested.run, nested.memory
        self.order, self.totals = order, totals
        self.count = len(positions)
        self.outside = [i[:, None] for i in np.unravel_index(positions, nested.outer)]
        self.rows: dict[int, Any] = {}
        self.scratch: dict[int, tuple[Any, Any]] = {}
        for b in nested.rows:
            size, dtype = self.memory.counts[b], numpy_dtype(nested.run.program.buffers[b].kind)
            self.scratch[b] = np.zeros((self.count, size), dtype), np.zeros(size, bool)

    def run(self) -> None:
        """The stages, one after the other."""
        for stage in self.nested.nest.stages:
            sums = {e.row: Total(e, self.count) for e in stage.effects if isinstance(e, Reduce)}
            if not stage.inner and not self.nested.nest.outer:
                self.memory.violate("a stage is for each outer index of a nest that has none")
            chunks = self.order.chunks if stage.inner else [np.zeros(1, int)]
            for chunk in chunks:
                if len(chunk):
                    Chunk(self, stage, chunk, sums).run()
            if self.nested.nest.outer:
                self.rows.update({row: total.value() for row, total in sums.items()})


class Chunk:
    """A stage for some inner indices."""

    def __init__(self, turn: Turn, stage: Stage, chunk: Any, sums: dict[int, Total]) -> None:
        self.turn, self.stage, self.sums = turn, stage, sums
        self.run_, self.memory, self.nest = turn.run_, turn.memory, turn.nested.nest
        inner = turn.nested.inner if stage.inner else []
        inside = [i[None, :] for i in np.unravel_index(chunk, inner)] if inner else []
        self.indices = [*turn.outside, *inside]
        self.shape = turn.count, len(chunk)
        self.values: dict[int, Any] = {}

    def run(self) -> None:
        """Loads, computes, stores, reduces."""
        for i, x in enumerate(self.stage.instructions):
            if not self.stage.inner or (isinstance(x, Load) and x.buffer in self.nest.first):
                self.value(i)
        if not self.turn.order.late:
            for effect in self.stage.effects:
                self.needed(effect)
        for effect in self.stage.effects:
            self.effect(effect)

    def needed(self, effect: Store | Reduce | Keep) -> None:
        """Computes what an effect needs."""
        picks = effect.picks if isinstance(effect, Store) else ()
        for i in (effect.value, *[i for i, _ in picks]):
            self.value(i)

    def value(self, i: int) -> Any:
        """An instruction's results: as many rows and columns as it has, or one."""
        if i not in self.values:
            x = self.stage.instructions[i]
            self.values[i] = result = self.compute(x)
            if result.dtype != numpy_dtype(x.kind):
                self.memory.violate(f".{i} is {result.dtype}, not {x.kind}")
        return self.values[i]

    def compute(self, x: Instruction) -> Any:
        """What an instruction gives."""
        if isinstance(x, Load):
            return self.load(x)
        if isinstance(x, Index):
            return self.place(x.place).astype(numpy_dtype(x.kind))
        if isinstance(x, Element):
            return elements.element(x.op, [self.value(i) for i in x.operands], x.kind)
        if isinstance(x, Row):
            if x.row not in self.turn.rows:
                self.memory.violate(f"row{x.row} is read before it is there")
            return self.turn.rows[x.row]
        return self.run_.plain(x, self.turn.nested.kind).reshape(1, 1)

    def place(self, at: Linear, picks: Any = ()) -> Any:
        """Where something lies, in elements."""
        size, result = self.run_.size, np.zeros((1, 1), np.int64)
        result = result + sum(map(size, at.offsets)) + self.run_.picked(at, self.turn.nested.kind)
        for stride, index in zip(at.strides, self.indices):
            if size(stride):
                result = result + index * size(stride)
        for i, stride in picks:
            result = result + self.value(i).astype(np.int64) * size(stride)
        return result

    def load(self, x: Load) -> Any:
        """Elements of memory, or of that of a row."""
        places = self.place(x.place, x.picks)
        if x.buffer in self.turn.scratch:
            memory, written = self.turn.scratch[x.buffer]
            places = self.of_row(places, x.buffer)
            if not written[places].all():
                self.memory.violate(f"reads what no stage has written of a row, b{x.buffer}")
            return memory[:, places[0]]
        reader = f"{self.turn.nested.kind} index" if self.is_pick(x) else self.turn.nested.kind
        return self.memory.read(reader, x.buffer, places, x.kind)

    def is_pick(self, load: Load) -> bool:
        """Whether what is loaded says where something else is."""
        items = [*self.stage.instructions, *self.stage.effects]
        picks = {i for x in items if isinstance(x, (Load, Store)) for i, _ in x.picks}
        return any(self.stage.instructions[i] is load for i in picks)

    def of_row(self, places: Any, buffer: int) -> Any:
        """Places in the memory of a row, which outer indices have no part in."""
        if len(places) > 1 or places.min() < 0 or places.max() >= self.memory.counts[buffer]:
            self.memory.violate(f"b{buffer} is not the memory of a row there")
        return places

    def effect(self, effect: Store | Reduce | Keep) -> None:
        """Stores, reduces or keeps."""
        value = self.value(effect.value)
        if isinstance(effect, Keep):
            self.turn.rows[effect.row] = value
        elif isinstance(effect, Reduce):
            whole = np.broadcast_to(value, self.shape)
            if self.nest.outer:
                self.sums[effect.row].add(whole, (1,))
            else:
                self.turn.totals[effect.row].add(whole, (1, 0))
        elif effect.buffer in self.turn.scratch:
            memory, written = self.turn.scratch[effect.buffer]
            places = self.of_row(self.place(effect.place), effect.buffer)[0]
            memory[:, places], written[places] = value, True
        else:
            self.store(effect, value)

    def store(self, effect: Store, value: Any) -> None:
        """Writes elements, or combines them with what is there."""
        nested, b = self.turn.nested, effect.buffer
        places = np.broadcast_to(self.place(effect.place, effect.picks), self.shape).ravel()
        value = np.broadcast_to(value, self.shape).ravel()
        how = nested.kind
        if not effect.combine:
            nested.twice |= len(np.unique(places)) < len(places)
            self.memory.write(how, b, places, effect.kind, value)
            return
        unique, which = np.unique(places, return_inverse=True)
        held = elements.wide(self.memory.read(f"{how} sum", b, unique, effect.kind))
        elements.function(effect.combine).at(held, which, elements.wide(value))
        self.memory.write(how, b, unique, effect.kind, held.astype(numpy_dtype(effect.kind)))


def varies(stage: Stage, axis: int) -> list[bool]:
    """Which instructions change along an axis."""
    result: list[bool] = []
    for x in stage.instructions:
        if isinstance(x, (Load, Index)):
            own = bool(x.place.strides[axis].factor)
            picks = x.picks if isinstance(x, Load) else ()
            result.append(own or any(result[i] for i, _ in picks))
        else:
            result.append(isinstance(x, Element) and any(result[i] for i in x.operands))
    return result
