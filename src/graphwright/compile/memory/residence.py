"""Where the values of a program live: in a register, in memory, or in both.

This is the one place that knows. A statement's maker says here where its results are: `define`
names the register of a value of one element, `target` the memory that the statement writes. A
reader asks here, and asking for what is not there is an error while the plan is made. A reader that
needs an address of what is in a register alone writes it to memory first (`Lowering.memory`).
"""

from __future__ import annotations

from graphwright.base.errors import InternalError
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.nest import Buffer, Linear, Scalar, Statement, Store, Straight
from graphwright.compile.nests.sizes import Shape
from graphwright.ir.graph import Value


class PlanError(InternalError):
    """A plan would read what is not there: a fault of the engine, never of a program."""

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)


class Residence:
    """The registers and buffers of a program's values."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.scalars = 0
        self._registers: dict[Value, int] = {}
        self._memory: dict[Value, int] = {}
        self._reserved: dict[Value, int] = {}  # results' buffers, which nothing has written yet
        #: By buffers that are another one's memory under a name of their own: that one.
        self.aliases: dict[int, int] = {}

    # -- what there is ----------------------------------------------------------------------

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""
        self.buffers.append(Buffer(role, shape, kind))
        return len(self.buffers) - 1

    def scalar(self) -> int:
        """A new scalar."""
        self.scalars += 1
        return self.scalars - 1

    # -- for who writes ---------------------------------------------------------------------

    def reserve(self, value: Value, buffer: int) -> None:
        """Says in which buffer whoever computes a value must leave it."""
        self._reserved[value] = buffer

    def is_reserved(self, value: Value) -> bool:
        """Whether a value must be left in a certain buffer."""
        return value in self._reserved

    def target(self, value: Value, shape: Shape) -> int:
        """The buffer that the statement being made writes a value to."""
        buffer = self._memory.get(value)
        if buffer is None:
            buffer = self._reserved.get(value)
            if buffer is None:
                buffer = self.buffer("temporary", shape, kind_of(value.type.dtype))
            self._memory[value] = buffer
        return buffer

    def lie(self, value: Value, buffer: int) -> None:
        """Says that a value lies in a buffer: one that was filled for it, or another value's."""
        if value in self._reserved:
            raise PlanError(f"{value.name} lies in b{buffer}, not where it is returned")
        self._memory[value] = buffer

    def alias(self, buffer: int, shape: Shape) -> int:
        """Another name for the memory of a buffer."""
        alias = self.buffer("alias", shape, self.buffers[buffer].kind)
        self.aliases[alias] = self.real(buffer)
        return alias

    def define(self, value: Value, scalar: int, into: list[Statement]) -> None:
        """Says that a value of one element is in a register, once the statements of `into` ran.

        It is stored where it is reserved memory.
        """
        self._registers[value] = scalar
        if value in self._reserved:
            kind = kind_of(value.type.dtype)
            into.append(stored(scalar, self.target(value, ()), kind))

    # -- for who reads ----------------------------------------------------------------------

    def register(self, value: Value) -> int | None:
        """The register of a value, if it is in one."""
        return self._registers.get(value)

    def real(self, buffer: int) -> int:
        """The buffer whose memory it is."""
        return self.aliases.get(buffer, buffer)

    def lies(self, value: Value) -> int | None:
        """The buffer that holds a value, if one does."""
        return self._memory.get(value)


def stored(scalar: int, buffer: int, kind: str) -> Straight:
    """The statement that writes a register to a buffer of one element."""
    return Straight((Scalar(scalar, kind),), (), (Store(0, buffer, Linear((), ()), kind),))
