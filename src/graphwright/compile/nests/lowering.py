"""A graph as a program of loop nests: `lower` is the entrance.

The schedule says which values share a loop. Here each cluster becomes a `Nest`, or `Straight` code
where everything is one element. Values that several statements read get a buffer, or a scalar if
they are one element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwright.base.errors import Location
from graphwright.compile.graph.accumulate import MatMulAdd
from graphwright.compile.graph.decompose import decompose
from graphwright.compile.graph.passes import verified
from graphwright.compile.lists.absent_lists import AbsentBuffers, AbsentLowering
from graphwright.compile.lists.list_uses import LIST_OPS, has_lists, is_list
from graphwright.compile.memory.arena import homes
from graphwright.compile.memory.coalescing import coalesced
from graphwright.compile.memory.residence import PlanError, Residence, stored
from graphwright.compile.memory.reuse import with_reuses
from graphwright.compile.nests.call_statements import KERNEL, OutsideCall
from graphwright.compile.nests.clusters import Cluster, Opaque, spread
from graphwright.compile.nests.control_lowering import ControlLowering
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.moves import FIRST, Position
from graphwright.compile.nests.nest import (
    Clear,
    Copy,
    Load,
    Multiply,
    Nest,
    PackRight,
    Program,
    Scan,
    Stage,
    Statement,
    Store,
    Straight,
)
from graphwright.compile.nests.nesting import ClusterLowering, StageLowering
from graphwright.compile.nests.places import require_places
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import ONE, NotNative, Shape, Size, Sizes, product
from graphwright.compile.nests.symbolic_shapes import joined_parts
from graphwright.compile.select.kernel_calls import KERNELS, operands_in_memory
from graphwright.compile.verifier import verify
from graphwright.control.branch import StatelessIf
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Graph, Node, Value
from graphwright.machine.exclusion import LLVM
from graphwright.ops.core.creation import Const
from graphwright.ops.core.joining import ConcatV2, Pack
from graphwright.ops.core.movement import Reshape
from graphwright.ops.core.own_ops import Products, Scanned, Scattered, is_routine
from graphwright.ops.linalg.contraction import MatMul
from graphwright.types.arrays import Array
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.lists.list_buffers import ListBuffers
    from graphwright.compile.lists.list_lowering import ListLowering


class Lowering:
    """The program under construction."""

    def __init__(self, graph: Graph, may_call: bool = True) -> None:
        self.graph = graph
        self.kernels: list[tuple[str, Location | None]] = []  # that machine code calls
        self.may_call = may_call  # kernels and LAPACK, which are in this process alone
        self.sizes = Sizes()
        self.values = Residence()
        self.inputs: list[int] = []
        self.constants: list[Array] = []  # arrays of the graph that become further inputs
        self.symbols: list[tuple[int, int, int]] = []
        self.expected: list[int] = []  # their values by the graph's types, -1 if unknown
        self.results: list[tuple[int, Shape]] = []
        self.lists: ListBuffers | AbsentBuffers = AbsentBuffers()
        self.of_lists: ListLowering | AbsentLowering = AbsentLowering()
        if has_lists(graph):
            self.begin_lists()
        self.of_control = ControlLowering(self)

    def begin_lists(self) -> None:
        """Lets the program have lists."""
        with LLVM:  # most programs have none; a fork waits for the import
            from graphwright.compile.lists.list_buffers import ListBuffers
            from graphwright.compile.lists.list_lowering import ListLowering

        lists = ListBuffers(self.sizes)
        self.lists, self.of_lists = lists, ListLowering(self, lists)

    # -- the interface ----------------------------------------------------------------------

    def program(self) -> Program:
        """The program of the whole graph."""
        dims: dict[Value, Shape] = {}
        for value in self.graph.arguments:
            if is_list(value):
                self.of_lists.add_input(value)
            else:
                dims[value] = self.add_input(value, value.type)
        schedule = Schedule(self.graph, self.sizes, dims, None, self.lists)
        schedule.infer()
        for value, shape in dims.items():
            dims[value] = self.sizes.shape(shape)
        self.lists.check(schedule)
        schedule.place_all()
        self.schedule = schedule
        self.assign_results()
        body = [*self.of_lists.enter(), *self.block(schedule)]
        self.of_lists.deliver_all(body)
        numbers = self.sizes.numbers.items()
        return Program(
            tuple(self.symbols),
            tuple(self.expected),
            tuple([(i, d.function, d.operands) for i, d in self.sizes.definitions.items()]),
            tuple(self.sizes.guards),
            tuple(self.values.buffers),
            tuple(self.inputs),
            tuple(self.results),
            self.values.scalars,
            tuple(body),
            self.of_lists.crossing(),
            numbers=tuple([(s.symbols[0], self.buffer_of(v)) for v, s in numbers]),
            names=tuple(self.values.aliases.items()),
            kernels=tuple(self.kernels),
        )

    def add_input(self, value: Value, type_: TensorType) -> Shape:
        """The shape of a new buffer that arrives with the call: a symbol for each dimension."""
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
        self.values.lie(value, buffer)
        if kind in ("i32", "i64") and not shape:
            self.sizes.integers[value] = value
        return tuple(shape)

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""
        return self.values.buffer(role, shape, kind)

    def scalar(self) -> int:
        """A new scalar."""
        return self.values.scalar()

    def assign_results(self) -> None:
        """Gives each result a buffer; a reshaped value has that of its operand."""
        for value in self.schedule.results:
            if is_list(value) or value in self.lists.late:
                self.results.append((-1, ()))
                continue
            shape = self.schedule.of(value)
            root = value
            while isinstance(self.statement(root), Opaque) and isinstance(root.node.op, Reshape):
                root = root.node.inputs[0]
            kind = kind_of(root.type.dtype)
            buffer = self.buffer("result", self.schedule.of(root), kind)
            self.values.reserve(root, buffer)
            self.results.append((buffer, shape))

    def statement(self, value: Value) -> Cluster | Opaque | None:
        """The statement of the schedule that computes a value."""
        return self.schedule.home.get(value)

    # -- statements -------------------------------------------------------------------------

    def block(self, schedule: Schedule) -> list[Statement]:
        """The statements of a schedule."""
        result: list[Statement] = []
        for statement in schedule.statements:
            if isinstance(statement, Opaque):
                try:
                    result += self.opaque(statement.node, schedule)
                except NotNative as reason:
                    innermost = reason.innermost or statement.node
                    raise NotNative(str(reason), [statement.node], innermost) from None
            elif statement.members:
                result += ClusterLowering(self, statement, schedule).statements()
        return result

    def opaque(self, node: Node, schedule: Schedule) -> list[Statement]:
        """The statements of a node outside clusters."""
        op = node.op
        is_called = node in schedule.called_nodes
        if (is_called or is_routine(op)) and not self.may_call:
            raise NotNative("its kernel is not in machine code")
        if is_called:
            return self.call(node, schedule)
        if is_routine(op):
            return self.routine(node, op, schedule)
        if type(op) in LIST_OPS:
            return self.of_lists.statements(node, schedule)
        if isinstance(op, StatelessWhile):
            return self.of_control.loop(node, schedule, *schedule.inner[node])
        if isinstance(op, StatelessIf):
            return self.of_control.choice(node, schedule, *schedule.inner[node])
        if isinstance(op, Reshape):
            into: list[Statement] = []
            output, source = node.outputs[0], self.memory(node.inputs[0], schedule, into)
            self.values.lie(output, self.alias(source, schedule.of(output), into))
            return into
        if isinstance(op, (MatMul, MatMulAdd, Products)):
            return self.multiply(node, op, schedule)
        if isinstance(op, (ConcatV2, Pack)):
            return self.join(node, schedule)
        if isinstance(op, Scattered):
            return self.scatter(node, op, schedule)
        if isinstance(op, Scanned):
            return self.scan(node, op, schedule)
        raise NotNative(f"{op.type_name} has no native form")

    def join(self, node: Node, schedule: Schedule) -> list[Statement]:
        """The statements that join tensors: each one writes a tensor to its place in the result.

        One statement writes what become components of rows.
        """
        axis = schedule.axis_of(node)
        step = product(schedule.of(node.outputs[0])[axis + 1 :])
        stages: list[tuple[Shape, StageLowering, list[Store]]] = []
        for number, value in enumerate(joined_parts(node)):
            if schedule.unnamed(value) in schedule.inside:
                continue
            space, axes = spread(schedule.of(value))
            nest = ClusterLowering(self, Cluster(space, 0), schedule)
            whole, place = schedule.in_join(node, number, axes)
            if not stages or step != ONE or not isinstance(node.op, Pack):
                stages.append((space, StageLowering(nest, 0, row=not space), []))
            _, stage, stores = stages[-1]
            index = stage.read(*schedule.parts[node][number])
            linear, kind = nest.linear(schedule.of(whole), place), kind_of(value.type.dtype)
            stores.append(Store(index, self.target(whole), linear, kind))
        return [
            Nest(space, 0, (Stage(stage.all(), tuple(stores)),))
            if space
            else Straight(stage.all(), (), tuple(stores))
            for space, stage, stores in stages
        ]

    def scatter(self, node: Node, op: Scattered, schedule: Schedule) -> list[Statement]:
        """The statements that combine slices with those in the places of indices."""
        value, before, *places = node.inputs
        dims, target = schedule.of(value), schedule.of(node.outputs[0])
        outer = len(schedule.of(places[0]))
        space, axes = spread(dims)
        if not space:  # one element: a loop of one step
            space, axes = (ONE,), (Position(0, 0), *axes[1:])
        nest = ClusterLowering(self, Cluster(space, 0), schedule)
        kind = kind_of(value.type.dtype)
        index = nest.linear(dims[:outer], axes[:outer])
        into: list[Statement] = []
        loads = [Load(self.memory(value, schedule, into), nest.linear(dims, axes), kind)]
        loads += [Load(self.memory(v, schedule, into), index, "i64") for v in places]
        picks = [(i, product(target[op.axis + i :])) for i in range(1, len(loads))]
        before_places, behind = axes[outer : outer + op.axis], axes[outer + op.axis :]
        place = nest.linear(target, (*before_places, *[FIRST] * len(places), *behind))
        buffer = self.target(node.outputs[0])
        store = Store(0, buffer, place, kind, op.combine, tuple(picks))
        if op.adds:
            source = self.memory(before, schedule, into)
            into.append(Copy(source, buffer, product(target), kind))
        else:
            into.append(Clear(buffer, kind, op.combine))
        # Elements with places of their own go one by one.
        single = not place.strides or place.strides[-1] != ONE
        if op.combine == "sum" and not op.adds and not single:
            return [*into, Nest(space, 0, (Stage(tuple(loads), (store,)),))]
        stage = Stage(tuple(loads), (store,), inner=not single)
        return [*into, Nest(space, len(space) if single else 0, (stage,), (), True)]

    def scan(self, node: Node, op: Scanned, schedule: Schedule) -> list[Statement]:
        """The statements that combine elements with those before them."""
        value, output = node.inputs[0], node.outputs[0]
        dims = schedule.of(value)
        axes = product(dims[: op.axis]), dims[op.axis], product(dims[op.axis + 1 :])
        into: list[Statement] = []
        buffers = self.memory(value, schedule, into), self.target(output)
        kind = kind_of(value.type.dtype)
        return [*into, Scan(*buffers, axes, op.combine, op.exclusive, op.reverse, kind)]

    def call(self, node: Node, schedule: Schedule) -> list[Statement]:
        """The statements of a call of a node's kernel."""
        into: list[Statement] = []
        values = operands_in_memory(node)
        self.kernels.append((node.op.type_name, node.location))
        number = self.buffer("input", (ONE,), "i64")
        self.inputs.append(number)
        self.constants.append(np.array([KERNELS.number(node)], np.int64))
        sources = [self.memory(v, schedule, into) for v in values]
        targets = [self.target(v) for v in node.outputs]
        shapes = [schedule.of(v) for v in (*values, *node.outputs)]
        kinds = [kind_of(v.type.dtype) for v in (*values, *node.outputs)]
        buffers = (number, *sources), tuple(targets)
        return [*into, OutsideCall(KERNEL, *buffers, ((ONE,), *shapes), ("i64", *kinds))]

    def routine(self, node: Node, op: Any, schedule: Schedule) -> list[Statement]:
        """The statements of a routine of LAPACK, with room to work in."""
        into: list[Statement] = []
        sources = [self.memory(v, schedule, into) for v in node.inputs]
        shapes = [schedule.of(v) for v in (*node.inputs, node.outputs[0])]
        kinds = [kind_of(v.type.dtype) for v in (*node.inputs, node.outputs[0])]
        targets = [self.target(node.outputs[0])]
        if op.eliminates:  # factors, flipped sides, pivots
            *_, rows, columns = shapes[-1]
            room = (rows * rows, kinds[0]), (columns * rows, kinds[0]), (rows, "i32")
            targets += [self.buffer("temporary", (size,), kind) for size, kind in room]
            shapes += [(size,) for size, _ in room]
            kinds += [kind for _, kind in room]
        buffers = tuple(sources), tuple(targets)
        return [*into, OutsideCall(op.routine, *buffers, tuple(shapes), tuple(kinds), op.flags)]

    def as_scalar(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """The scalar of a value of one element; appends to `into` the code that reads it."""
        scalar = self.values.register(value)
        if scalar is None:
            nest = ClusterLowering(self, Cluster((), 0), schedule)
            stage = StageLowering(nest, 0, row=True)
            place = (FIRST,) * len(schedule.of(value))
            index = stage.read(*schedule.trace(value, place))
            scalar = self.scalar()
            kind = kind_of(value.type.dtype)
            into.append(Straight(tuple(stage.instructions), ((index, scalar, kind),)))
        return scalar

    def multiply(
        self, node: Node, op: MatMul | MatMulAdd | Products, schedule: Schedule
    ) -> list[Statement]:
        """The statements of a matrix product, of one that is added to a sum, or of several."""
        into: list[Statement] = []
        output = node.outputs[0]
        kind = kind_of(output.type.dtype)
        if kind not in ("f32", "f64"):
            raise NotNative("a matrix product of integers")
        if isinstance(op, MatMulAdd):
            self.start_sum(node, schedule, into)
        *outer, m, n = self.schedule.of(output)
        k = self.schedule.of(node.inputs[0])[-2 if op.transpose_a else -1]
        # An operand that is packed before a loop must be in memory before it.
        before = None if outer else self.of_control.before_loops(node.inputs[1])
        a = self.memory(node.inputs[0], schedule, into)
        b = self.memory(node.inputs[1], schedule, into if before is None else before)
        c, add = self.target(output), isinstance(op, MatMulAdd)
        product_ = Multiply(a, b, c, m, n, k, op.transpose_a, op.transpose_b, kind, add)
        product_ = product_._replace(products=product(tuple(outer)))
        if before is not None:
            product_ = product_._replace(packed=self.buffer("owned", (), kind))
            before.append(PackRight(product_))
        return [*into, product_]

    def start_sum(self, node: Node, schedule: Schedule, into: list[Statement]) -> None:
        """Puts the other operand of a sum into the memory to which the product is added."""
        output, total = node.outputs[0], node.inputs[2]
        source = self.memory(total, schedule, into)
        if schedule.overwritten.get(output) is total and not self.values.is_reserved(output):
            self.values.lie(output, self.alias(source, schedule.of(output), into))
            return
        kind, elements = kind_of(total.type.dtype), product(schedule.of(total))
        into.append(Copy(source, self.target(output), elements, kind))

    def alias(self, buffer: int, shape: Shape, into: list[Statement]) -> int:
        """Another buffer's name for the contents of a buffer, by a copy that the plan leaves out.

        A change of either buffer makes readers of the other wrong; `compile.verifier` sees that.
        """
        alias = self.values.alias(buffer, shape)
        into.append(Copy(buffer, alias, product(shape), self.values.buffers[alias].kind))
        return alias

    def target(self, value: Value) -> int:
        """The buffer to which the next statement writes a value."""
        return self.values.target(value, self.schedule.of(value))

    def memory(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """A buffer that holds a value after the statements of `into`."""
        value = self.origin(value)
        if isinstance(value.node.op, Const) or self.values.lies(value) is not None:
            return self.buffer_of(value)
        if not self.is_scalar(value):
            raise PlanError(f"nothing has written {value.name}, which is read from memory")
        kind = kind_of(value.type.dtype)
        buffer = self.buffer("temporary", schedule.of(value), kind)
        into.append(stored(self.as_scalar(value, schedule, into), buffer, kind))
        return buffer

    def buffer_of(self, value: Value) -> int:
        """The buffer that holds a value."""
        value = self.origin(value)
        buffer, op = self.values.lies(value), value.node.op
        if buffer is None and isinstance(op, Const):
            buffer = self.buffer("input", self.schedule.of(value), kind_of(value.type.dtype))
            self.values.lie(value, buffer)
            self.inputs.append(buffer)
            self.constants.append(op.value.array)
        if buffer is None:
            raise PlanError(f"{value.name} is read where it lies, and it lies nowhere")
        return buffer

    def origin(self, value: Value) -> Value:
        """The value outside its graph that a placeholder stands for, if it is one; else itself."""
        while value in self.schedule.aliases:
            value = self.schedule.aliases[value]
        return value

    def is_scalar(self, value: Value) -> bool:
        """Whether a value is one element for all sizes."""
        return all(d == ONE for d in self.schedule.of(value))


def lower(
    graph: Graph, updates: Sequence[tuple[int, int]] = (), may_call: bool = True
) -> tuple[Program, list[Array]]:
    """The program of a simplified graph, and the constant arrays that are further inputs.

    Each (result, argument) of `updates` is a result that should have the argument's memory.
    Code that leaves this process may not call what is outside of it. `NotNative` says why there is
    no program.
    """
    simple, origins = decompose(verified(graph, "native_node"))
    lowering = Lowering(simple, may_call)
    try:
        program = require_places(lowering.program())
        plan = with_reuses(coalesced(program), updates)
        plan = plan._replace(homes=tuple(homes(plan).items()))
        verify(program, plan)
        return plan, lowering.constants
    except NotNative as reason:
        for refusal in reason.each:
            refusal.nodes = [origins.get(n, n) for n in refusal.nodes]
            if refusal.innermost is not None:
                refusal.innermost = origins.get(refusal.innermost, refusal.innermost)
        raise
