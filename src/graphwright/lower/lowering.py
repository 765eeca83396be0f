"""A graph as a program of loop nests: `lower` is the way in.

The schedule says which values share a loop; here each cluster becomes a `Nest` (or
`Straight` code, where everything is one element), and values that several statements read
get a buffer, or a scalar if they are one element.
"""

from __future__ import annotations

from typing import Any

from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.lower.decompose import decompose
from graphwright.lower.indices import PickIndex, Sized
from graphwright.lower.kinds import kind_of
from graphwright.lower.moves import FIRST, Place
from graphwright.lower.nest import (
    Buffer,
    Choice,
    Clear,
    Constant,
    Copy,
    Count,
    Element,
    Instruction,
    Keep,
    Linear,
    Load,
    Loop,
    Multiply,
    Nest,
    Program,
    Reduce,
    Row,
    Scalar,
    Stage,
    Statement,
    Store,
    Straight,
)
from graphwright.lower.schedule import (
    COMBINE,
    FILLS,
    Cluster,
    Member,
    Opaque,
    Schedule,
    is_final,
    joined_parts,
    spread,
)
from graphwright.lower.sizes import ONE, ZERO, NotNative, Shape, Size, Sizes, product
from graphwright.ops.contraction import MatMul
from graphwright.ops.conversion import Cast
from graphwright.ops.creation import Const, Fill
from graphwright.ops.joining import ConcatV2, Pack
from graphwright.ops.movement import Reshape
from graphwright.types import dtypes as dt

#: Ops whose results a later stage would rather load than compute again.
_CHEAP = frozenset({"AddV2", "Sub", "Mul", "Neg", "Maximum", "Minimum", "Relu", "Cast"})


class Lowering:
    """The program being built."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sizes = Sizes()
        self.buffers: list[Buffer] = []
        self.inputs: list[int] = []
        self.constants: list[Any] = []  # arrays of the graph that become further inputs
        self.symbols: list[tuple[int, int, int]] = []
        self.expected: list[int] = []  # what the graph's types say of them, -1 for nothing
        self.buffer_of: dict[Value, int] = {}
        self.scalar_of: dict[Value, int] = {}
        self.scalars = 0
        self.results: list[tuple[int, Shape]] = []

    # -- the interface ----------------------------------------------------------------------

    def program(self) -> Program:
        """The whole graph."""
        dims: dict[Value, Shape] = {}
        for value in self.graph.arguments:
            dims[value] = self.add_input(value)
        schedule = Schedule(self.graph, self.sizes, dims)
        schedule.infer()
        schedule.place_all()
        self.schedule = schedule
        self.assign_results()
        body = self.block(schedule)
        return Program(
            tuple(self.symbols),
            tuple(self.expected),
            tuple([(i, d.function, d.operands) for i, d in self.sizes.definitions.items()]),
            tuple(self.sizes.guards),
            tuple(self.buffers),
            tuple(self.inputs),
            tuple(self.results),
            self.scalars,
            tuple(body),
        )

    def add_input(self, value: Value) -> Shape:
        """A buffer that arrives with the call, with a symbol for each of its dimensions."""
        type_ = value.type
        if type_.dims is None:
            raise NotNative(f"{value.name} has no known rank")
        kind = kind_of(type_.dtype)
        shape = []
        for axis, d in enumerate(type_.dims):
            size = self.sizes.symbol(d)
            self.symbols.append((size.symbols[0], len(self.inputs), axis))
            self.expected.append(-1 if d is None else d)
            shape.append(Size(d) if d in (0, 1) else size)
        buffer = self.buffer("input", tuple(shape), kind)
        self.inputs.append(buffer)
        self.buffer_of[value] = buffer
        return tuple(shape)

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""
        self.buffers.append(Buffer(role, shape, kind))
        return len(self.buffers) - 1

    def scalar(self) -> int:
        """A new scalar."""
        self.scalars += 1
        return self.scalars - 1

    def assign_results(self) -> None:
        """A buffer for each result; a reshaped value's is that of what was reshaped."""
        for value in self.schedule.results:
            shape = self.schedule.of(value)
            root = value
            while isinstance(self.statement(root), Opaque) and isinstance(root.node.op, Reshape):
                root = root.node.inputs[0]
            kind = kind_of(root.type.dtype)
            buffer = self.buffer("result", self.schedule.of(root), kind)
            self.buffer_of[root] = buffer
            self.results.append((buffer, shape))

    def statement(self, value: Value) -> Cluster | Opaque | None:
        """Where a value is computed."""
        return self.schedule.home.get(value)

    # -- statements -------------------------------------------------------------------------

    def block(self, schedule: Schedule) -> list[Statement]:
        """The statements of a schedule."""
        result: list[Statement] = []
        for statement in schedule.statements:
            if isinstance(statement, Opaque):
                result += self.opaque(statement.node, schedule)
            elif statement.members:
                result += ClusterLowering(self, statement, schedule).statements()
        return result

    def opaque(self, node: Node, schedule: Schedule) -> list[Statement]:
        """A node that is a statement of its own."""
        op = node.op
        if isinstance(op, StatelessWhile):
            return self.loop(node, *schedule.inner[node])
        if isinstance(op, StatelessIf):
            return self.choice(node, schedule, *schedule.inner[node])
        if isinstance(op, Reshape):
            self.buffer_of[node.outputs[0]] = self.memory(node.inputs[0])
            return []
        if isinstance(op, MatMul):
            return [self.multiply(node, op)]
        if isinstance(op, (ConcatV2, Pack)):
            return self.join(node, schedule)
        raise NotNative(f"{op.type_name} has no native form")

    def join(self, node: Node, schedule: Schedule) -> list[Statement]:
        """Several tensors as one: each is written to its place in the result."""
        axis = schedule.axis_of(node)
        target = schedule.of(node.outputs[0])
        kind = kind_of(node.outputs[0].type.dtype)
        buffer = self.memory(node.outputs[0])
        step = product(target[axis + 1 :])
        start = ZERO
        statements: list[Statement] = []
        for value in joined_parts(node):
            dims = schedule.of(value)
            own = (*dims[:axis], ONE, *dims[axis:]) if isinstance(node.op, Pack) else dims
            space, at = spread(own)
            nest = ClusterLowering(self, Cluster(space, 0), schedule)
            source, place = nest.linear(own, at), nest.linear(target, at)
            if not space:  # one element: a loop of one step
                space = (ONE,)
                source, place = [p._replace(strides=(ONE,)) for p in (source, place)]
            place = place._replace(offsets=(*place.offsets, start * step))
            load = self.without_memory(value, kind) or Load(self.memory(value), source, kind)
            stage = Stage((load,), (Store(0, buffer, place, kind),))
            statements.append(Nest(space, 0, (stage,)))
            start = self.sizes.derive("add", start, own[axis])
        return statements

    def without_memory(self, value: Value, kind: str) -> Instruction | None:
        """How a value that has no memory is read: a constant, or nothing."""
        op = value.node.op
        if isinstance(op, Const) and op.value.array.size == 1:
            return Constant(op.value.array.item(), kind)
        return None

    # -- control flow -----------------------------------------------------------------------

    def loop(self, node: Node, condition: Schedule, body: Schedule) -> list[Statement]:
        """A loop: its variables are scalars, or buffers that are swapped with the next ones."""
        before: list[Statement] = []
        scalars: list[tuple[int, int, Value, str]] = []
        buffers: list[tuple[int, Value]] = []
        own = [condition.graph.parameters, body.graph.parameters, node.outputs]
        for first, result, *values in zip(node.inputs, body.graph.results, *own):
            kind = kind_of(first.type.dtype)
            if self.is_scalar(first):
                variable = self.scalar()
                self.scalar_of.update(dict.fromkeys(values, variable))
                scalars.append(
                    (variable, self.as_scalar(first, self.schedule, before), result, kind)
                )
            else:
                shape = self.schedule.of(first)
                variable = self.buffer("temporary", shape, kind)
                self.buffer_of.update(dict.fromkeys(values, variable))
                before.append(Copy(self.memory(first), variable, product(shape), kind))
                buffers.append((variable, result))
        tests = self.block(condition)
        again = self.as_scalar(condition.graph.results[0], condition, tests)
        steps = self.block(body)
        nexts = [(v, f, self.as_scalar(r, body, steps), k) for v, f, r, k in scalars]
        swapped = self.next_buffers(buffers, body, steps)
        loop = Loop(tuple(tests), again, tuple(steps), tuple(nexts), tuple(swapped))
        return [*before, loop]

    def next_buffers(
        self, buffers: list[tuple[int, Value]], body: Schedule, steps: list[Statement]
    ) -> list[tuple[int, int]]:
        """Where each buffer's next value is; what is not memory of the body's own is copied."""
        taken: set[int] = set()
        result = []
        for variable, value in buffers:
            found = self.memory(value)
            if found == variable:
                continue
            home = body.home.get(value)
            own = isinstance(home, Cluster) or (home is not None and not is_lent(value))
            if not own or found in taken:
                fresh = self.buffer("temporary", *self.buffers[variable][1:])
                shape, kind = self.buffers[variable][1:]
                steps.append(Copy(found, fresh, product(shape), kind))
                found = fresh
            taken.add(found)
            result.append((variable, found))
        return result

    def choice(
        self, node: Node, schedule: Schedule, then: Schedule, otherwise: Schedule
    ) -> list[Statement]:
        """A branch: both sides give the same scalars and fill the same buffers."""
        before: list[Statement] = []
        condition = self.as_scalar(node.inputs[0], schedule, before)
        sides = [self.block(then), self.block(otherwise)]
        scalars: list[tuple[int, int, int, str]] = []
        for output, *values in zip(node.outputs, then.graph.results, otherwise.graph.results):
            kind = kind_of(output.type.dtype)
            shape = schedule.of(output)
            if self.is_scalar(output):
                self.scalar_of[output] = result = self.scalar()
                first, second = [
                    self.as_scalar(v, s, side)
                    for v, s, side in zip(values, (then, otherwise), sides)
                ]
                scalars.append((result, first, second, kind))
            else:
                self.buffer_of[output] = target = self.buffer("temporary", shape, kind)
                for value, side in zip(values, sides):
                    side.append(Copy(self.memory(value), target, product(shape), kind))
        return [*before, Choice(condition, tuple(sides[0]), tuple(sides[1]), tuple(scalars))]

    def as_scalar(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """The scalar of a value of one element; what reads it goes to the end of `into`."""
        found = self.scalar_of.get(value)
        if found is None:
            nest = ClusterLowering(self, Cluster((), 0), schedule)
            stage = StageLowering(nest, 0, row=True)
            place = (FIRST,) * len(schedule.of(value))
            index = stage.read(*schedule.trace(value, place))
            found = self.scalar()
            kind = kind_of(value.type.dtype)
            into.append(Straight(tuple(stage.instructions), ((index, found, kind),)))
        return found

    def multiply(self, node: Node, op: MatMul) -> Statement:
        """A matrix product."""
        a, b = [self.memory(v) for v in node.inputs]
        (m, k) = self.schedule.of(node.inputs[0])[:: -1 if op.transpose_a else 1]
        n = self.schedule.of(node.outputs[0])[1]
        kind = kind_of(node.outputs[0].type.dtype)
        c = self.memory(node.outputs[0])
        if kind not in ("f32", "f64"):
            raise NotNative("a matrix product of integers")
        return Multiply(a, b, c, m, n, k, op.transpose_a, op.transpose_b, kind, ONE, ZERO, ZERO)

    def memory(self, value: Value) -> int:
        """The buffer of a value."""
        while value in self.schedule.aliases:
            value = self.schedule.aliases[value]
        found = self.buffer_of.get(value)
        if found is None:
            op = value.node.op
            role = "input" if isinstance(op, Const) else "temporary"
            found = self.buffer(role, self.schedule.of(value), kind_of(value.type.dtype))
            self.buffer_of[value] = found
            if isinstance(op, Const):
                self.inputs.append(found)
                self.constants.append(op.value.array)
        return found

    def is_scalar(self, value: Value) -> bool:
        """Whether a value is one element, whatever the sizes."""
        return all(d == ONE for d in self.schedule.of(value))


class ClusterLowering:
    """The nest of one cluster."""

    def __init__(self, program: Lowering, cluster: Cluster, schedule: Schedule) -> None:
        self.program = program
        self.schedule = schedule
        self.cluster = cluster
        self.rank = len(cluster.space)
        self.rows: dict[Value, int] = {}
        self.scratch: dict[Value, int] = {}

    def statements(self) -> list[Statement]:
        """The nest, and what goes before it."""
        cluster = self.cluster
        if not cluster.space:
            return [self.straight()]
        for member in cluster.members.values():
            if member.row:
                self.rows[member.value] = len(self.rows)
        before: list[Statement] = []
        for member in cluster.members.values():
            if member.reduced is not None and cluster.accumulates:
                kind = kind_of(member.value.type.dtype)
                buffer = self.program.memory(member.value)
                before.append(Clear(buffer, kind, COMBINE[type(member.value.node.op)]))
        if self.has_levels():
            self.choose_scratch()
        stages: list[Stage] = []
        for level in range(cluster.levels):
            stages += self.row_stage(level)
            stages += self.full_stage(level)
        outer = cluster.outer or 0
        nest = Nest(cluster.space, outer, tuple(stages), tuple(self.totals()))
        return [*before, nest, *self.stored_totals()]

    def has_levels(self) -> bool:
        """Whether there is more than one pass."""
        return self.cluster.levels > 1

    def totals(self) -> list[tuple[int, int, str]]:
        """Reductions over everything become scalars."""
        result = []
        for member in self.cluster.members.values():
            if member.reduced is not None and self.cluster.outer == 0:
                scalar = self.program.scalar()
                self.program.scalar_of[member.value] = scalar
                kind = kind_of(member.value.type.dtype)
                result.append((self.rows[member.value], scalar, kind))
        return result

    def stored_totals(self) -> list[Statement]:
        """Totals that must be in memory."""
        result: list[Statement] = []
        for value in self.cluster.members:
            scalar = self.program.scalar_of.get(value)
            if scalar is not None and value in self.schedule.memory:
                kind = kind_of(value.type.dtype)
                store = Store(0, self.program.memory(value), Linear((), ()), kind)
                result.append(Straight((Scalar(scalar, kind),), (), (store,)))
        return result

    def straight(self) -> Straight:
        """Code without loops, where everything is one element."""
        stage = StageLowering(self, 0, row=True)
        scalars, stores = [], []
        for member in self.cluster.members.values():
            value = member.value
            index = stage.compute(member)
            if value in self.schedule.escapes:
                kind = kind_of(value.type.dtype)
                scalar = self.program.scalar_of[value] = self.program.scalar()
                scalars.append((index, scalar, kind))
                if value in self.schedule.memory:
                    at = Linear((), ())
                    stores.append(Store(index, self.program.memory(value), at, kind))
        return Straight(tuple(stage.instructions), tuple(scalars), tuple(stores))

    def choose_scratch(self) -> None:
        """Values that a later stage needs and that are dear get memory for one row."""
        wanted = self.later_uses()
        for value in wanted:
            member = self.cluster.members[value]
            if value in self.schedule.escapes or self.is_cheap(member, 4):
                continue
            inner = self.cluster.space[self.cluster.outer or 0 :]
            kind = kind_of(value.type.dtype)
            self.scratch[value] = self.program.buffer("row", inner, kind)

    def later_uses(self) -> list[Value]:
        """The values of elements that are used in a later stage than their own."""
        found: dict[Value, None] = {}
        for member in self.cluster.members.values():
            stage = member.level - (member.reduced is not None)
            for value, _ in self.reads(member):
                source = self.cluster.members.get(value)
                if source is not None and not source.row and source.level < stage:
                    found[value] = None
        return list(found)

    def is_cheap(self, member: Member, budget: int) -> bool:
        """Whether computing a value again costs less than loading it."""
        if budget <= 0 or member.value.node.op.type_name not in _CHEAP:
            return False
        inside = [
            self.cluster.members[v] for v, _ in self.reads(member) if v in self.cluster.members
        ]
        return all(m.row or self.is_cheap(m, budget - len(inside)) for m in inside)

    def reads(self, member: Member) -> list[tuple[Value, Place]]:
        """What a member reads."""
        if member.source is not None:
            return [member.source]
        return self.schedule.operands(member.value.node, member.at)

    # -- stages -----------------------------------------------------------------------------

    def row_stage(self, level: int) -> list[Stage]:
        """What is computed once for each outer index, before the inner loop of a level."""
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
        """One pass over the inner axes."""
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
                    at = self.linear_row()
                    kind = kind_of(value.type.dtype)
                    effects.append(Store(index, self.scratch[value], at, kind))
        return [Stage(tuple(stage.instructions), tuple(effects))] if effects else []

    def reduction(self, stage: StageLowering, member: Member) -> Any:
        """Combines what a reduction reads, in a row value or into memory."""
        assert member.source is not None
        index = stage.read(*member.source)
        combine = COMBINE[type(member.value.node.op)]
        kind = kind_of(member.value.type.dtype)
        if self.cluster.accumulates:
            store = self.store(member, index)
            return store._replace(combine=combine)
        return Reduce(index, self.rows[member.value], combine, kind)

    def store(self, member: Member, index: int) -> Store:
        """Writes a value to its buffer."""
        value = member.value
        at = self.linear(self.schedule.of(value), member.at)
        return Store(index, self.program.memory(value), at, kind_of(value.type.dtype))

    def linear(self, shape: Shape, at: Place) -> Linear:
        """The place in a row-major array of `shape`."""
        strides: list[Size] = [ZERO] * self.rank
        offsets: list[Size] = []
        scalars: list[tuple[int, Size]] = []
        step = ONE
        for d, place in zip(reversed(shape), reversed(at)):
            if place.axis >= 0:
                if strides[place.axis].factor:
                    raise NotNative("an axis is read twice")
                strides[place.axis] = Size(place.step) * step
            offsets += [o * step for o in place.offsets]
            scalars += [(self.program.scalar_of[s], Size(f) * step) for s, f in place.scalars]
            step *= d
        return Linear(tuple(offsets), tuple(strides), tuple(scalars))

    def linear_row(self) -> Linear:
        """The place in the memory of one row."""
        outer = self.cluster.outer or 0
        strides = [ZERO] * self.rank
        step = ONE
        for axis in reversed(range(outer, self.rank)):
            strides[axis] = step
            step *= self.cluster.space[axis]
        return Linear((), tuple(strides))


class StageLowering:
    """The instructions of one stage."""

    def __init__(self, nest: ClusterLowering, level: int, row: bool) -> None:
        self.nest = nest
        self.program = nest.program
        self.schedule = nest.schedule
        self.members = nest.cluster.members
        self.level = level
        self.row = row
        self.instructions: list[Instruction] = []
        self.memo: dict[Any, int] = {}

    def emit(self, instruction: Instruction) -> int:
        """An instruction's position; equal ones are the same."""
        # As tuples, a constant may equal something else, and 0.0 equals -0.0.
        key = (type(instruction), str(instruction))
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = len(self.instructions)
            self.instructions.append(instruction)
        return found

    def row_value(self, member: Member) -> int:
        """A row value: of a reduction, or computed here."""
        if member.reduced is not None:
            kind = kind_of(member.value.type.dtype)
            return self.emit(Row(self.nest.rows[member.value], kind))
        return self.compute(member)

    def compute(self, member: Member) -> int:
        """A member's value."""
        found = self.memo.get(member.value)
        if found is None:
            found = self.memo[member.value] = self._compute(member)
        return found

    def _compute(self, member: Member) -> int:
        value, node = member.value, member.value.node
        if member.source is not None:
            return self.read(*member.source, copy_of=value)
        operands = [self.read(v, at) for v, at in self.schedule.operands(node, member.at)]
        kind = kind_of(value.type.dtype)
        if isinstance(node.op, Sized):
            if isinstance(node.op, PickIndex):
                operands = [self.emit(Element(Cast.of(dt.int64), tuple(operands), kind))]
            operands.append(self.emit(Count(self.size_for(node), kind)))
        return self.emit(Element(node.op, tuple(operands), kind))

    def size_for(self, node: Node) -> Size:
        """What an op that reads a size reads."""
        own, x = [self.schedule.of(v) for v in node.inputs]
        if isinstance(node.op, PickIndex):
            return x[node.op.axis]
        return self.program.sizes.quotient(product(x), product(own))

    def read(self, value: Value, at: Place, copy_of: Value | None = None) -> int:
        """The element of a value at a place."""
        member = self.members.get(value)
        if member is not None and value is not copy_of and member.at == at:
            return self.read_member(member)
        kind = kind_of(value.type.dtype)
        op = value.node.op
        if isinstance(op, Const) and op.value.array.size == 1:
            return self.emit(Constant(op.value.array.item(), kind))
        if type(op) in FILLS:
            return self.emit(Constant(FILLS[type(op)], kind))
        if isinstance(op, Fill):
            source = value.node.inputs[1]
            return self.read(*self.schedule.trace(source, (FIRST,) * len(self.schedule.of(source))))
        scalar = self.program.scalar_of.get(value)
        if scalar is not None:
            return self.emit(Scalar(scalar, kind))
        linear = self.nest.linear(self.schedule.of(value), at)
        return self.emit(Load(self.program.memory(value), linear, kind))

    def read_member(self, member: Member) -> int:
        """A value of this cluster."""
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
                linear = self.nest.linear(self.schedule.of(value), member.at)
                return self.emit(Load(self.program.memory(value), linear, kind))
        return self.compute(member)


def is_lent(value: Value) -> bool:
    """Whether a value's memory is another one's: a view, or a variable of a loop in a loop."""
    return isinstance(value.node.op, (Reshape, StatelessWhile))


def lower(graph: Graph) -> tuple[Program, list[Any]]:
    """The program of a simplified graph, and the constant arrays that are further inputs.

    `NotNative` says what keeps it from having one.
    """
    simple, origins = decompose(graph)
    lowering = Lowering(simple)
    try:
        return lowering.program(), lowering.constants
    except NotNative as reason:
        reason.nodes = [origins.get(n, n) for n in reason.nodes]
        raise
