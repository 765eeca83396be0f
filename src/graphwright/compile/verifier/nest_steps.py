"""A nest becomes a step: its reads, what it may overwrite, and that no order matters."""

from __future__ import annotations

from typing import Any

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import (
    Element,
    Index,
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
from graphwright.compile.verifier.bounds import Bounds
from graphwright.compile.verifier.element_boxes import Box, box_of
from graphwright.compile.verifier.known_scalars import KnownScalars
from graphwright.compile.verifier.layout import Layout
from graphwright.compile.verifier.plan_rules import PlanRule, refuse, require
from graphwright.compile.verifier.plan_steps import Effect, Read, Renamed, Step, Written
from graphwright.compile.verifier.statement_pairs import Pair


class Access(NamedTuple):
    """A load or a store of memory that outlives the nest."""

    stage: int
    effect: int  # -1 for a load
    item: Any
    box: Box
    apart: bool  # whether each element has an index of its own


class NestStep:
    """A nest as a step."""

    def __init__(self, pair: Pair, layout: Layout, bounds: Bounds, scalars: KnownScalars) -> None:
        self.nest: Nest = pair.lowered
        self.first = frozenset[int]() if pair.planned is None else pair.planned.first
        self.left_out = pair.left_out
        self.layout, self.bounds, self.scalars = layout, bounds, scalars
        self.axes = [layout.sizes.of(axis) for axis in self.nest.axes]
        self.loads: list[Access] = []
        self.stores: list[Access] = []
        self.reads: dict[Read, None] = {}
        self.renamed: list[Effect] = []
        self.writes: list[Effect] = []
        self.rows: set[int] = set()
        self.row_places: dict[int, Linear] = {}  # by buffer of a row: the written place
        self.stored: dict[int, tuple[int, Linear]] = {}  # by stored value: (stage, place)

    def step(self) -> Step:
        """The step of the nest."""
        for number, stage in enumerate(self.nest.stages):
            self.stage(number, stage)
        for store in self.stores:
            self.verify_store(store)
        for row, scalar, kind in self.nest.scalars:
            require(
                row in self.rows and not self.nest.outer, PlanRule.SCALARS, f"no total is row{row}"
            )
            self.scalars.define(scalar, kind)
        return Step(self.nest, tuple(self.reads), (*self.renamed, *self.writes))

    # -- reads and writes -------------------------------------------------------------------

    def stage(self, number: int, stage: Stage) -> None:
        """Takes in one stage."""
        if not stage.inner and not self.nest.outer:
            refuse(PlanRule.ORDER, "a stage is for each outer index of a nest that has none")
        axes = self.axes if stage.inner else self.axes[: self.nest.outer]
        for i, x in enumerate(stage.instructions):
            if isinstance(x, Load):
                self.load(number, stage, x, axes)
            elif isinstance(x, Element):
                late = any(operand >= i for operand in x.operands)
                require(not late, PlanRule.SCALARS, f".{i} is computed of what comes after it")
            elif isinstance(x, Row):
                there = self.nest.outer and x.row in self.rows
                require(there, PlanRule.SCALARS, f"row{x.row} is read before it is there")
            elif isinstance(x, Scalar):
                self.scalars.read(x.scalar, x.kind)
            elif isinstance(x, Index):
                self.scalars.read_place(x.place)
        for k, effect in enumerate(stage.effects):
            if isinstance(effect, Store):
                self.store(number, k, stage, effect, axes)
        rows = [e.row for e in stage.effects if isinstance(e, (Reduce, Keep))]
        self.rows.update(rows)

    def load(self, number: int, stage: Stage, x: Load, axes: list[int]) -> None:
        """Takes in a load of a stage."""
        box, apart = self.place(x, stage, axes)
        if box is None:
            return
        if self.layout.buffers[x.buffer].role == "row":
            words = f"b{x.buffer}, the memory of a row, is read where no stage has written it"
            require(
                self.row_places.get(x.buffer) == x.place and not x.picks, PlanRule.VALUES, words
            )
            return
        access = Access(number, -1, x, box, apart)
        self.loads.append(access)
        writer, place = self.stored.get(x.buffer, (number, x.place))
        if writer == number:
            anywhere = x.picks or x.place.scalars
            self.reads[Read(x.buffer, None if anywhere else box)] = None
        elif place != x.place or x.picks:
            refuse(PlanRule.ORDER, f"b{x.buffer} is read where another index may have written it")

    def store(self, number: int, k: int, stage: Stage, x: Store, axes: list[int]) -> None:
        """Takes in a store of a stage."""
        box, apart = self.place(x, stage, axes)
        limit = self.bounds.limit(stage.instructions, x.value, self.scalars)
        self.bounds.store(x.buffer, None if x.combine else limit)
        if box is None:
            return
        if self.layout.buffers[x.buffer].role == "row":
            self.row_places[x.buffer] = x.place
            return
        is_argument = self.layout.is_given(x.buffer)
        require(not is_argument, PlanRule.ARGUMENTS, f"b{x.buffer}, an argument, is written")
        if (number, k) in self.left_out:
            source = stage.instructions[x.value]
            self.renamed.append(Renamed(source.buffer, x.buffer, box))  # type: ignore[union-attr]
            return
        self.verify_order(stage, x, apart)
        anywhere = bool(x.picks or x.place.scalars)
        if anywhere or x.combine:
            self.reads[Read(x.buffer, None if anywhere else box)] = None
        self.writes.append(Written(x.buffer, None if anywhere else box, anywhere))
        self.stores.append(Access(number, k, x, box, apart))
        self.stored.setdefault(x.buffer, (number, x.place))

    def place(self, x: Load | Store, stage: Stage, axes: list[int]) -> tuple[Box | None, bool]:
        """The box of an access, which must be inside of its buffer; None if an axis is empty."""
        words = f"b{x.buffer}, of {self.layout.buffers[x.buffer].kind}, is taken for {x.kind}"
        require(self.layout.buffers[x.buffer].kind == x.kind, PlanRule.SCALARS, words)
        outer = self.nest.outer
        apart = x.place.strides[:outer] if self.layout.buffers[x.buffer].role == "row" else ()
        if not stage.inner:
            apart = (*apart, *x.place.strides[outer:])
        if any(stride.factor for stride in apart):
            refuse(PlanRule.BOUNDED, f"an axis has a part in b{x.buffer} that is not there")
        box, single = box_of(x.place, axes, self.layout.sizes)
        if box is not None:
            self.bounds.verify(x.buffer, box, x.place, x.picks, stage.instructions, self.scalars)
        return box, single

    # -- in place, in any order -------------------------------------------------------------

    def verify_store(self, store: Access) -> None:
        """Requires that a store overwrites nothing that the nest accesses, except elements that are
        read at the same place and no later."""
        target, aligned = store.item.buffer, self.layout.aligned
        for other in self.stores:
            if other is not store and self.layout.meet(other.item.buffer, target):
                same = other.item.buffer == target
                words = f"b{other.item.buffer} and b{target} are written in one place"
                apart = other.box != store.box or bool(store.item.combine and other.item.combine)
                require(same and apart, PlanRule.ORDER, words)
        for load in self.loads:
            source = load.item.buffer
            if not self.layout.meet(source, target):
                continue
            earlier = self.stored.get(source)
            if earlier is not None and earlier[0] < load.stage and store.stage <= earlier[0]:
                continue  # it reads elements that the nest has stored by then
            words = f"b{target} is written over b{source}"
            require(aligned(source, target), PlanRule.IN_PLACE, f"{words}, which begins elsewhere")
            require(load.stage <= store.stage, PlanRule.IN_PLACE, f"{words}, which is read later")
            same = (
                load.item.place == store.item.place and not load.item.picks and not store.item.picks
            )
            size = item_size(load.item.kind) == item_size(store.item.kind)
            require(same and size, PlanRule.IN_PLACE, f"{words}, which is read at other places")
            require(store.apart, PlanRule.IN_PLACE, f"{words}, several times")
            stage = self.nest.stages[store.stage]
            if load.stage == store.stage and stage.inner and len(stage.effects) > 1:
                first = self.layout.memory(source) in self.first
                require(first, PlanRule.IN_PLACE, f"{words}, which is not read first")

    def verify_order(self, stage: Stage, x: Store, apart: bool) -> None:
        """Requires that no order matters, and that vectors fit along the innermost axis."""
        ordered = self.nest.ordered or x.combine
        if not ordered and (x.picks or not apart):
            refuse(PlanRule.ORDER, f"several indices write one place of b{x.buffer}")
        if stage.inner:
            last = len(self.nest.axes) - 1
            if any(varies(stage, i, last) for i, _ in x.picks):
                refuse(PlanRule.ORDER, "an index of a store changes along the innermost axis")
            step = self.layout.sizes.of(x.place.strides[last])
            if x.combine and self.axes[last] > 1 and step not in (0, 1):
                refuse(
                    PlanRule.ORDER, "what is added goes to places apart along the innermost axis"
                )


def varies(stage: Stage, i: int, axis: int) -> bool:
    """Whether an instruction changes along an axis."""
    x = stage.instructions[i]
    if isinstance(x, (Load, Index)):
        picks = x.picks if isinstance(x, Load) else ()
        return bool(x.place.strides[axis].factor) or any(varies(stage, p, axis) for p, _ in picks)
    return isinstance(x, Element) and any(varies(stage, p, axis) for p in x.operands)
