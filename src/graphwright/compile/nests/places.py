"""The rule that an index from data becomes an address only as a checked place.

`own_ops.AxisPlace` makes such places: along an axis that has elements, and never outside it. All
other parts of an address are counters of loops, sizes and constants of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.base.errors import InternalError
from graphwright.compile.memory.accesses import written_by
from graphwright.compile.nests.list_statements import Extend, Shorten
from graphwright.compile.nests.nest import (
    Choice,
    Copy,
    Element,
    Instruction,
    Keep,
    Load,
    Loop,
    Nest,
    Program,
    Row,
    Scalar,
    Statement,
    Store,
    Straight,
    all_statements,
)
from graphwright.ops.core.own_ops import AxisPlace


class Places:
    """The buffers, scalars and rows of a program that hold places alone.

    At first all might. Those that get another value are discarded until nothing changes.
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
        """Discards buffers and scalars that get other values, until nothing changes."""
        while True:
            before = len(self.buffers), len(self.scalars)
            for statement in self.statements:
                self.look(statement)
            if before == (len(self.buffers), len(self.scalars)):
                break
        defined = {scalar for s in self.statements for scalar in defined_by(s)}
        self.scalars &= defined

    def look(self, statement: Statement) -> None:
        """Discards the buffers and scalars to which one statement gives another value."""
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
        """Does the same for a statement of instructions."""
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
        """The row values of a nest that are places."""
        numbers: set[int] = set()
        for stage in nest.stages:
            for effect in stage.effects:
                if not isinstance(effect, Keep):
                    continue
                if self.is_place(effect.value, stage.instructions, numbers):
                    numbers.add(effect.row)
        return frozenset(numbers)

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
        """The loads and stores of the program whose addresses contain unchecked indices."""
        for statement in self.statements:
            if isinstance(statement, (Nest, Straight)):
                rows = self.rows(statement) if isinstance(statement, Nest) else frozenset()
                for instructions, stores in accesses(statement):
                    loads = [x for x in instructions if isinstance(x, Load)]
                    candidates: list[Load | Store] = [*loads, *stores]
                    for x in candidates:
                        is_checked = all(self.is_place(i, instructions, rows) for i, _ in x.picks)
                        if not is_checked or not self.scalars.issuperset(
                            s for s, _ in x.place.scalars
                        ):
                            yield x


def accesses(
    statement: Nest | Straight,
) -> Iterator[tuple[tuple[Instruction, ...], list[Store]]]:
    """The instructions of each stage, and its stores."""
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
    """The program; InternalError where an address contains an unchecked index."""
    if any(map(has_indices, all_statements(program.body))):
        for access in Places(program).unchecked():
            message = f"nobody has checked where this is: {access}\n{program}"
            raise InternalError(None, None, message)
    return program


def has_indices(statement: Statement) -> bool:
    """Whether a statement has an address that depends on data."""
    return isinstance(statement, (Nest, Straight)) and any(
        x.picks or x.place.scalars
        for instructions, stores in accesses(statement)
        for x in (*instructions, *stores)
        if isinstance(x, (Load, Store))
    )
