"""Every index from data that says where memory is read or written must be a place that was checked.

`own_ops.AxisPlace` makes such places: they are along an axis that has elements, and never outside.
Everything else that an address is made of are counters of loops, sizes and numbers of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.base.errors import InternalError
from graphwright.compile.memory.accesses import written_by
from graphwright.compile.nests.nest import (
    Choice,
    Copy,
    Element,
    Extend,
    Instruction,
    Keep,
    Load,
    Loop,
    Nest,
    Program,
    Row,
    Scalar,
    Shorten,
    Statement,
    Store,
    Straight,
    all_statements,
)
from graphwright.ops.core.own_ops import AxisPlace


class Places:
    """Which buffers, scalars and rows of a program hold places and nothing else.

    At first all might; what gets something else is taken away until nothing changes.
    """

    def __init__(self, program: Program) -> None:
        self.statements = list(all_statements(program.body))
        self.buffers = {
            i
            for i, buffer in enumerate(program.buffers)
            if buffer.kind == "i64" and buffer.role in ("temporary", "row")
        }
        self.scalars = set(range(program.scalars))
        self.narrow()

    def narrow(self) -> None:
        """Takes away what gets something else."""
        while True:
            before = len(self.buffers), len(self.scalars)
            for statement in self.statements:
                self.look(statement)
            if before == (len(self.buffers), len(self.scalars)):
                break
        defined = {scalar for s in self.statements for scalar in defined_by(s)}
        self.scalars &= defined

    def look(self, statement: Statement) -> None:
        """Takes away what one statement gives something else."""
        if isinstance(statement, (Nest, Straight)):
            self.look_inside(statement)
        elif isinstance(statement, Copy):
            if statement.source not in self.buffers:
                self.buffers.discard(statement.target)
        elif isinstance(statement, (Loop, Choice)):
            for result, *sources, _ in statement.scalars:
                if not self.scalars.issuperset(sources):
                    self.scalars.discard(result)
            for pair in statement.buffers if isinstance(statement, Loop) else ():
                if not self.buffers.issuperset(pair):
                    self.buffers.difference_update(pair)
        else:
            self.buffers.difference_update(written_by(statement))
            self.scalars.difference_update(defined_by(statement))

    def look_inside(self, statement: Nest | Straight) -> None:
        """The same of a statement of instructions."""
        rows = self.rows(statement) if isinstance(statement, Nest) else frozenset()
        for instructions, stores in accesses(statement):
            for store in stores:
                if store.combine or not self.is_place(store.value, instructions, rows):
                    self.buffers.discard(store.buffer)
        if isinstance(statement, Straight):
            for value, scalar, _ in statement.scalars:
                if not self.is_place(value, statement.instructions, rows):
                    self.scalars.discard(scalar)
        else:
            self.scalars -= {scalar for row, scalar, _ in statement.scalars if row not in rows}

    def rows(self, nest: Nest) -> frozenset[int]:
        """The rows of a nest that hold places: those that keep one."""
        found: set[int] = set()
        for stage in nest.stages:
            for effect in stage.effects:
                if not isinstance(effect, Keep):
                    continue
                if self.is_place(effect.value, stage.instructions, found):
                    found.add(effect.row)
        return frozenset(found)

    def is_place(
        self, value: int, instructions: Sequence[Instruction], rows: frozenset[int] | set[int]
    ) -> bool:
        """Whether an instruction's result is a place."""
        x = instructions[value]
        if isinstance(x, Element):
            return isinstance(x.op, AxisPlace)
        if isinstance(x, Load):
            return x.buffer in self.buffers
        if isinstance(x, Scalar):
            return x.scalar in self.scalars
        return isinstance(x, Row) and x.row in rows

    def unchecked(self) -> Iterator[Load | Store]:
        """The loads and stores of the program whose addresses have other indices in them."""
        for statement in self.statements:
            if isinstance(statement, (Nest, Straight)):
                rows = self.rows(statement) if isinstance(statement, Nest) else frozenset()
                for instructions, stores in accesses(statement):
                    loads = [x for x in instructions if isinstance(x, Load)]
                    found: list[Load | Store] = [*loads, *stores]
                    for x in found:
                        picked = all(self.is_place(i, instructions, rows) for i, _ in x.picks)
                        if not picked or not self.scalars.issuperset(s for s, _ in x.at.scalars):
                            yield x


def accesses(
    statement: Nest | Straight,
) -> Iterator[tuple[tuple[Instruction, ...], list[Store]]]:
    """The instructions of each stage, and what is stored of them."""
    if isinstance(statement, Straight):
        yield statement.instructions, list(statement.stores)
    else:
        for stage in statement.stages:
            yield stage.instructions, [x for x in stage.effects if isinstance(x, Store)]


def defined_by(statement: Statement) -> Iterator[int]:
    """The scalars that a statement itself defines."""
    if isinstance(statement, (Loop, Choice)):
        yield from (result for result, *_ in statement.scalars)
    elif isinstance(statement, (Nest, Straight)):
        yield from (scalar for _, scalar, _ in statement.scalars)
    elif isinstance(statement, (Extend, Shorten)):
        yield statement.result


def require_places(program: Program) -> Program:
    """The program; InternalError where an address has an index in it that nobody has checked."""
    if any(map(has_indices, all_statements(program.body))):
        for found in Places(program).unchecked():
            message = f"nobody has checked where this is: {found}\n{program}"
            raise InternalError(None, None, message)
    return program


def has_indices(statement: Statement) -> bool:
    """Whether a statement reads or writes where data says."""
    return isinstance(statement, (Nest, Straight)) and any(
        x.picks or x.at.scalars
        for instructions, stores in accesses(statement)
        for x in (*instructions, *stores)
        if isinstance(x, (Load, Store))
    )
