"""Loops and branches as statements: their variables become scalars, and buffers that swap."""

from __future__ import annotations

from graphwright.compile.lists.list_buffers import READS, is_list
from graphwright.compile.nests.building import ProgramBuilder
from graphwright.compile.nests.clusters import Cluster
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.nest import Choice, Copy, Loop, Statement
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import product
from graphwright.control.loop import StatelessWhile
from graphwright.ir.graph import Node, Value
from graphwright.ops.core.creation import Const
from graphwright.ops.core.movement import Reshape


class ControlLowering:
    """The loops and branches of a program."""

    def __init__(self, program: ProgramBuilder) -> None:
        self.program = program
        self.loops: list[list[Statement]] = []  # what comes before each loop that is open
        self.captured: dict[Value, list[Statement]] = {}  # the same, for what loops capture

    def loop(
        self, node: Node, schedule: Schedule, condition: Schedule, body: Schedule
    ) -> list[Statement]:
        """A loop: its variables are scalars, or buffers that are swapped with the next ones."""
        program, lists = self.program, self.program.of_lists
        before: list[Statement] = []
        after: list[Statement] = []
        scalars: list[tuple[int, int, Value, str]] = []
        buffers: list[tuple[int, Value]] = []
        own = [condition.graph.parameters, body.graph.parameters, node.outputs]
        lengths = lists.enter_loop(node, schedule, [condition, body], before)
        for first, result, *values in zip(node.inputs, body.graph.results, *own):
            if is_list(first):
                continue
            kind = kind_of(first.type.dtype)
            if program.is_scalar(first):
                variable = program.scalar()
                begun = program.as_scalar(first, schedule, before)
                for value in values:
                    program.values.define(value, variable, after)
                scalars.append((variable, begun, result, kind))
            else:
                shape = program.schedule.of(first)
                variable = program.buffer("temporary", shape, kind)
                source = program.memory(first, schedule, before)
                before.append(Copy(source, variable, product(shape), kind))
                for value in values:
                    program.values.lie(value, variable)
                buffers.append((variable, result))
        self.loops.append(before)
        for graph in (condition.graph, body.graph):
            captured = graph.arguments[len(graph.parameters) :]
            self.captured.update(dict.fromkeys(captured, before))
        tests = program.block(condition)
        again = program.as_scalar(condition.graph.results[0], condition, tests)
        steps = program.block(body)
        nexts = [(v, f, program.as_scalar(r, body, steps), k) for v, f, r, k in scalars]
        nexts += [(v, f, lists.next_length(r, body, steps), "i32") for v, f, r in lengths]
        swapped = self.next_buffers(buffers, body, steps)
        self.loops.pop()
        loop = Loop(tuple(tests), again, tuple(steps), tuple(nexts), tuple(swapped))
        return [*before, loop, *after]

    def next_buffers(
        self, buffers: list[tuple[int, Value]], body: Schedule, steps: list[Statement]
    ) -> list[tuple[int, int]]:
        """Where each buffer's next value is; what is memory neither of the body's own nor of
        another variable is copied."""
        variables, real = {variable for variable, _ in buffers}, self.program.values.real
        memory = [self.program.memory(value, body, steps) for _, value in buffers]
        taken = {
            variable for (variable, _), found in zip(buffers, memory) if real(found) == variable
        }
        result = []
        for (variable, value), found in zip(buffers, memory):
            if found == variable:
                continue
            if real(found) == variable:
                result.append((variable, found))
                continue
            home = body.home.get(value)
            own = isinstance(home, Cluster) or (home is not None and not is_lent(value))
            if real(found) in taken or not (own or real(found) in variables):
                _, shape, kind = self.program.values.buffers[variable]
                fresh = self.program.buffer("temporary", shape, kind)
                steps.append(Copy(found, fresh, product(shape), kind))
                found = fresh
            taken.add(real(found))
            result.append((variable, found))
        return result

    def choice(
        self, node: Node, schedule: Schedule, then: Schedule, otherwise: Schedule
    ) -> list[Statement]:
        """A branch: both sides give the same scalars and fill the same buffers."""
        program, lists = self.program, self.program.of_lists
        before: list[Statement] = []
        after: list[Statement] = []
        condition = program.as_scalar(node.inputs[0], schedule, before)
        sides = [program.block(then), program.block(otherwise)]
        scalars: list[tuple[int, int, int, str]] = []
        for output, *values in zip(node.outputs, then.graph.results, otherwise.graph.results):
            ends = list(zip(values, (then, otherwise), sides))
            if is_list(output):
                if program.lists.found[output].size is None:
                    lists.lengths[output] = result = program.scalar()
                    first, second = [lists.next_length(*end) for end in ends]
                    scalars.append((result, first, second, "i32"))
                continue
            kind = kind_of(output.type.dtype)
            if program.is_scalar(output):
                first, second = [program.as_scalar(*end) for end in ends]
                result = program.scalar()
                scalars.append((result, first, second, kind))
                program.values.define(output, result, after)
            else:
                shape = schedule.of(output)
                target = program.target(output)
                for end in ends:
                    end[-1].append(Copy(program.memory(*end), target, product(shape), kind))
        choice = Choice(condition, tuple(sides[0]), tuple(sides[1]), tuple(scalars))
        return [*before, choice, *after]

    def before_loops(self, value: Value) -> list[Statement] | None:
        """What comes before the outermost loop that does not change a value."""
        found: list[Statement] | None = None
        aliases = self.program.schedule.aliases
        while value in aliases:
            found = self.captured.get(value, found)
            value = aliases[value]
        if isinstance(value.node.op, Const) and self.loops:
            return self.loops[0]
        return found


def is_lent(value: Value) -> bool:
    """Whether a value's memory is another one's: a view, or a variable of a loop in a loop."""
    return isinstance(value.node.op, (Reshape, StatelessWhile, *READS))
