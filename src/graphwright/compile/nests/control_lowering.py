"""Loops and branches become statements, their variables scalars or buffers that swap."""

from __future__ import annotations

from graphwright.compile.lists.list_uses import READS, is_list
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
        self.loops: list[list[Statement]] = []  # the statements before each open loop
        self.captured: dict[Value, list[Statement]] = {}  # the same, by captured value

    def loop(
        self, node: Node, schedule: Schedule, condition: Schedule, body: Schedule
    ) -> list[Statement]:
        """The statements of a loop, whose variables are scalars, or buffers that swap."""
        program, lists = self.program, self.program.of_lists
        before: list[Statement] = []
        after: list[Statement] = []
        scalars: list[tuple[int, int, Value, str]] = []
        buffers: list[tuple[int, Value]] = []
        versions = [condition.graph.parameters, body.graph.parameters, node.outputs]
        lengths = lists.enter_loop(node, schedule, [condition, body], before)
        for first, result, *values in zip(node.inputs, body.graph.results, *versions):
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
        """(variable, buffer of its next value) for the variables whose buffers swap.

        A next value is copied unless it lies in the body's own memory or in another variable's.
        """
        variables, real = {variable for variable, _ in buffers}, self.program.values.real
        memory = [self.program.memory(value, body, steps) for _, value in buffers]
        used = {
            variable for (variable, _), source in zip(buffers, memory) if real(source) == variable
        }
        result = []
        for (variable, value), source in zip(buffers, memory):
            if source == variable:
                continue
            if real(source) == variable:
                result.append((variable, source))
                continue
            home = body.home.get(value)
            is_own = isinstance(home, Cluster) or (home is not None and not is_lent(value))
            if real(source) in used or not (is_own or real(source) in variables):
                _, shape, kind = self.program.values.buffers[variable]
                fresh = self.program.buffer("temporary", shape, kind)
                steps.append(Copy(source, fresh, product(shape), kind))
                source = fresh
            used.add(real(source))
            result.append((variable, source))
        return result

    def choice(
        self, node: Node, schedule: Schedule, then: Schedule, otherwise: Schedule
    ) -> list[Statement]:
        """The statements of a branch; its sides give the same scalars and fill the same buffers."""
        program, lists = self.program, self.program.of_lists
        before: list[Statement] = []
        after: list[Statement] = []
        condition = program.as_scalar(node.inputs[0], schedule, before)
        sides = [program.block(then), program.block(otherwise)]
        scalars: list[tuple[int, int, int, str]] = []
        for output, *values in zip(node.outputs, then.graph.results, otherwise.graph.results):
            ends = list(zip(values, (then, otherwise), sides))
            if is_list(output):
                if program.lists.listed[output].size is None:
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
        """The statements before the outermost loop that does not change a value."""
        before: list[Statement] | None = None
        aliases = self.program.schedule.aliases
        while value in aliases:
            before = self.captured.get(value, before)
            value = aliases[value]
        if isinstance(value.node.op, Const) and self.loops:
            return self.loops[0]
        return before


def is_lent(value: Value) -> bool:
    """Whether a value lies in another one's memory: a view, or a variable of a nested loop."""
    return isinstance(value.node.op, (Reshape, StatelessWhile, *READS))
