"""A cluster of values becomes a nest: its stages, and their instructions."""

from __future__ import annotations

from typing import Any

from graphwright.compile.memory.residence import PlanError
from graphwright.compile.nests.building import ProgramBuilder
from graphwright.compile.nests.clusters import Cluster, ClusterMember, is_final
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.instruction_list import InstructionList
from graphwright.compile.nests.moves import Place, Position
from graphwright.compile.nests.nest import (
    Clear,
    Count,
    Element,
    Index,
    Keep,
    Linear,
    Load,
    Nest,
    Reduce,
    Row,
    Scalar,
    ScalarConstant,
    Stage,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import ONE, ZERO, NotNative, Shape, Size, product
from graphwright.compile.select.host_operands import as_size, host_of, is_size
from graphwright.ir.graph import Node, Value
from graphwright.ops.core.casting import Cast
from graphwright.ops.core.creation import Const
from graphwright.ops.core.own_ops import AxisPlace, Sized
from graphwright.ops.core.sequences import Range
from graphwright.ops.math.arithmetic import AddV2, Mul
from graphwright.types import dtypes as dt

#: Ops that a later stage computes again, rather than load their results.
_CHEAP = frozenset({"AddV2", "Sub", "Mul", "Neg", "Maximum", "Minimum", "Relu", "Cast"})


class ClusterLowering:
    """The nest of one cluster."""

    def __init__(self, program: ProgramBuilder, cluster: Cluster, schedule: Schedule) -> None:
        self.program = program
        self.schedule = schedule
        self.cluster = cluster
        self.rank = len(cluster.space)
        self.rows: dict[Value, int] = {}
        self.scratch: dict[Value, int] = {}

    def statements(self) -> list[Statement]:
        """The statements of the nest, with those before and after it."""
        cluster = self.cluster
        if not cluster.space:
            return self.straight()
        for member in cluster.members.values():
            if member.row:
                self.rows[member.value] = len(self.rows)
        before: list[Statement] = []
        for member in cluster.members.values():
            if member.reduced is not None and cluster.accumulates:
                kind = kind_of(member.value.type.dtype)
                buffer = self.program.target(member.value)
                before.append(Clear(buffer, kind, member.value.node.op.combination))
        if self.has_levels():
            self.choose_scratch()
        stages: list[Stage] = []
        for level in range(cluster.levels):
            stages += self.row_stage(level)
            stages += self.full_stage(level)
        if not stages:  # only sizes of these values are needed
            return before
        outer = cluster.outer or 0
        after: list[Statement] = []
        nest = Nest(cluster.space, outer, tuple(stages), tuple(self.totals(after)))
        return [*before, nest, *after]

    def has_levels(self) -> bool:
        """Whether there is more than one pass."""
        return self.cluster.levels > 1

    def totals(self, after: list[Statement]) -> list[tuple[int, int, str]]:
        """(row value, scalar, kind) of reductions over everything, which become scalars."""
        result = []
        for member in self.cluster.members.values():
            if member.reduced is not None and self.cluster.outer == 0:
                scalar = self.program.scalar()
                self.program.values.define(member.value, scalar, after)
                kind = kind_of(member.value.type.dtype)
                result.append((self.rows[member.value], scalar, kind))
        return result

    def straight(self) -> list[Statement]:
        """The statements of a cluster of single elements, which need no loops."""
        stage = StageLowering(self, 0, row=True)
        scalars = []
        after: list[Statement] = []
        for member in self.cluster.members.values():
            index = stage.compute(member)
            if member.value in self.schedule.escapes:
                scalar = self.program.scalar()
                scalars.append((index, scalar, kind_of(member.value.type.dtype)))
                self.program.values.define(member.value, scalar, after)
        return [Straight(tuple(stage.instructions), tuple(scalars)), *after]

    def choose_scratch(self) -> None:
        """Gives memory for one row to values that a later stage needs and that are dear."""
        values = self.later_uses()
        for value in values:
            member = self.cluster.members[value]
            if value in self.schedule.escapes or self.is_cheap(member, 4):
                continue
            inner = self.cluster.space[self.cluster.outer or 0 :]
            kind = kind_of(value.type.dtype)
            self.scratch[value] = self.program.buffer("row", inner, kind)

    def later_uses(self) -> list[Value]:
        """The values of elements that a later stage uses."""
        values: dict[Value, None] = {}
        for member in self.cluster.members.values():
            stage = member.level - (member.reduced is not None)
            for value, _ in member.reads:
                source = self.cluster.members.get(value)
                if source is not None and not source.row and source.level < stage:
                    values[value] = None
        return list(values)

    def is_cheap(self, member: ClusterMember, budget: int) -> bool:
        """Whether computing a value again costs less than loading it."""
        if budget <= 0 or member.value.node.op.type_name not in _CHEAP:
            return False
        inside = [self.cluster.members[v] for v, _ in member.reads if v in self.cluster.members]
        return all(m.row or self.is_cheap(m, budget - len(inside)) for m in inside)

    # -- stages -----------------------------------------------------------------------------

    def row_stage(self, level: int) -> list[Stage]:
        """The stage that runs once for each outer index, before the inner loop of a level."""
        stage = StageLowering(self, level, row=True)
        effects: list[Any] = []
        for member in self.cluster.members.values():
            value = member.value
            if not member.row or member.level != level or is_final(self.cluster, member):
                continue
            index = stage.row_value(member)
            if member.reduced is None:
                effects.append(Keep(index, self.rows[value]))
            if value in self.schedule.escapes:
                effects.append(self.store(member, index))
        return [Stage(tuple(stage.instructions), tuple(effects), False)] if effects else []

    def full_stage(self, level: int) -> list[Stage]:
        """The stage of one pass over the inner axes."""
        stage = StageLowering(self, level, row=False)
        effects: list[Any] = []
        for member in self.cluster.members.values():
            value = member.value
            if member.reduced is not None:
                if member.level - (not self.cluster.accumulates) == level:
                    effects.append(self.reduction(stage, member))
            elif not member.row and member.level == level:
                if value in self.schedule.escapes:
                    effects.append(self.store(member, stage.compute(member)))
                elif value in self.scratch:
                    index = stage.compute(member)
                    place = self.linear_row()
                    kind = kind_of(value.type.dtype)
                    effects.append(Store(index, self.scratch[value], place, kind))
        return [Stage(tuple(stage.instructions), tuple(effects))] if effects else []

    def reduction(self, stage: StageLowering, member: ClusterMember) -> Store | Reduce:
        """The effect that combines a reduction's operand, in a row value or into memory."""
        assert member.source is not None
        index = stage.read(*member.source)
        combine = member.value.node.op.combination
        kind = kind_of(member.value.type.dtype)
        if self.cluster.accumulates:
            store = self.store(member, index)
            return store._replace(combine=combine)
        return Reduce(index, self.rows[member.value], combine, kind)

    def store(self, member: ClusterMember, index: int) -> Store:
        """The effect that writes a value to its buffer."""
        value, place = self.schedule.whole(member.value, member.place)
        linear = self.linear(self.schedule.of(value), place)
        return Store(index, self.program.target(value), linear, kind_of(value.type.dtype))

    def linear(self, shape: Shape, place: Place) -> Linear:
        """The place of an element in a row-major array of `shape`."""
        strides: list[Size] = [ZERO] * self.rank
        offsets: list[Size] = []
        scalars: list[tuple[int, Size]] = []
        step = ONE
        for d, position in zip(reversed(shape), reversed(place)):
            if position.axis >= 0:
                if strides[position.axis].factor:
                    raise NotNative("an axis is read twice")
                strides[position.axis] = Size(position.step) * step
            offsets += [o * step for o in position.offsets]
            scalars += [(self.register(s), Size(f) * step) for s, f in position.scalars]
            step *= d
        return Linear(tuple(offsets), tuple(strides), tuple(scalars))

    def register(self, value: Value) -> int:
        """The scalar of an index."""
        scalar = self.program.values.register(value)
        if scalar is None:
            raise PlanError(f"{value.name} is an index, and in no register")
        return scalar

    def linear_row(self) -> Linear:
        """The place of an element in the memory of one row."""
        outer = self.cluster.outer or 0
        strides = [ZERO] * self.rank
        step = ONE
        for axis in reversed(range(outer, self.rank)):
            strides[axis] = step
            step *= self.cluster.space[axis]
        return Linear((), tuple(strides))


class StageLowering(InstructionList):
    """The instructions of one stage."""

    def __init__(self, nest: ClusterLowering, level: int, row: bool) -> None:
        super().__init__()
        self.nest = nest
        self.program = nest.program
        self.schedule = nest.schedule
        self.members = nest.cluster.members
        self.level = level
        self.row = row
        self.memo: dict[Value, int] = {}

    def row_value(self, member: ClusterMember) -> int:
        """The position of a row value: of a reduction, or computed here."""
        if member.reduced is not None:
            kind = kind_of(member.value.type.dtype)
            return self.emit(Row(self.nest.rows[member.value], kind))
        return self.compute(member)

    def compute(self, member: ClusterMember) -> int:
        """The position of a member's value."""
        position = self.memo.get(member.value)
        if position is None:
            position = self.memo[member.value] = self._compute(member)
        return position

    def _compute(self, member: ClusterMember) -> int:
        value, node = member.value, member.value.node
        if member.source is not None:
            return self.read(*member.source, copy_of=value)
        count = 1 if isinstance(node.op, Sized) else len(node.inputs)  # indices follow them
        operands = [self.read(v, place) for v, place in member.reads[:count]]
        kind = kind_of(value.type.dtype)
        if isinstance(node.op, Sized):
            if isinstance(node.op, AxisPlace):
                operands = [self.emit(Element(Cast.of(dt.int64), tuple(operands), kind))]
            operands.append(self.emit(Count(self.size_for(node), kind)))
        return self.emit(Element(node.op, tuple(operands), kind))

    def size_for(self, node: Node) -> Size:
        """The size that a `Sized` op reads."""
        dims, x = [self.schedule.of(v) for v in node.inputs]
        if isinstance(node.op, AxisPlace):
            return x[node.op.axis]
        return self.program.sizes.quotient(product(x), product(dims))

    def read(self, value: Value, place: Place, copy_of: Value | None = None) -> int:
        """The position of a value's element at a place."""
        member = self.members.get(value)
        if member is not None and value is not copy_of and member.place == place:
            return self.read_member(member)
        kind = kind_of(value.type.dtype)
        op = value.node.op
        if isinstance(op, Const) and op.value.array.size == 1:
            return self.emit(ScalarConstant(op.value.array.item(), kind))
        if op.filling is not None:
            return self.emit(ScalarConstant(op.filling, kind))
        if isinstance(op, Range):
            return self.counted(value, place[0])
        scalar = self.program.values.register(value)
        if scalar is not None:
            return self.emit(Scalar(scalar, kind))
        if is_size(value):
            size = host_of(self.program.sizes, value, self.schedule.of)
            return self.emit(Count(as_size(self.program.sizes, size), kind))
        shape = self.schedule.of(value)
        linear, picks = self.nest.linear(shape, place), self.picks(shape, place)
        return self.emit(Load(self.program.buffer_of(value), linear, kind, picks))

    def counted(self, value: Value, place: Position) -> int:
        """The position of a range's element at a place, which the place determines."""
        start, delta = self.schedule.steps(value.node)
        scaled = place.moved((Size(start),), delta)
        kind = kind_of(value.type.dtype)
        linear = self.nest.linear((ONE,), (scaled._replace(picks=()),))
        number = self.emit(Index(linear, kind))
        for v, source, factor in scaled.picks:
            index = self.emit(Element(Cast.of(value.type.dtype), (self.read(v, source),), kind))
            step = self.emit(ScalarConstant(factor, kind))
            further = self.emit(Element(Mul.of(), (index, step), kind))
            number = self.emit(Element(AddV2.of(), (number, further), kind))
        return number

    def picks(self, shape: Shape, place: Place) -> tuple[tuple[int, Size], ...]:
        """The picks of a place in an array: (instruction of the index, stride)."""
        pairs: list[tuple[int, Size]] = []
        step = ONE
        for d, position in zip(reversed(shape), reversed(place)):
            pairs += [(self.read(v, source), Size(f) * step) for v, source, f in position.picks]
            step *= d
        return tuple(pairs)

    def read_member(self, member: ClusterMember) -> int:
        """The position of a value of this cluster."""
        value = member.value
        kind = kind_of(value.type.dtype)
        if member.row:
            if self.row and member.level == self.level and member.reduced is None:
                return self.compute(member)
            return self.emit(Row(self.nest.rows[value], kind))
        if member.level < self.level:
            if value in self.nest.scratch:
                return self.emit(Load(self.nest.scratch[value], self.nest.linear_row(), kind))
            if value in self.schedule.escapes:
                linear = self.nest.linear(self.schedule.of(value), member.place)
                return self.emit(Load(self.program.buffer_of(value), linear, kind))
        return self.compute(member)
