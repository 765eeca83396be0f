"""The places of a program's values: a register, memory, or both.

No other module knows them. A lowering that makes a statement says here where its results are.
`define` names the register of a value of one element, `target` the memory that the statement
writes. A reader asks here, and a missing value is an error while the plan is made. A reader that
needs an address writes a value from its register to memory first (`Lowering.memory`).
"""

from __future__ import annotations

from graphwright.base.errors import InternalError
from graphwright.compile.nests.element_kinds import kind_of
from graphwright.compile.nests.nest import Buffer, Linear, Scalar, Statement, Store, Straight
from graphwright.compile.nests.sizes import Shape
from graphwright.ir.graph import Value


class PlanError(InternalError):
    """A plan would read a value that is not there: a fault of the engine, never of a program."""

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)


class Residence:
    """The registers and buffers of a program's values."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.scalars = 0
        self._registers: dict[Value, int] = {}
        self._memory: dict[Value, int] = {}
        self._reserved: dict[Value, int] = {}  # results' buffers, not written yet
        #: alias -> the buffer whose memory it has.
        self.aliases: dict[int, int] = {}

    # -- new buffers and scalars ------------------------------------------------------------

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""
        self.buffers.append(Buffer(role, shape, kind))
        return len(self.buffers) - 1

    def scalar(self) -> int:
        """A new scalar."""
        self.scalars += 1
        return self.scalars - 1

    # -- for writers ------------------------------------------------------------------------

    def reserve(self, value: Value, buffer: int) -> None:
        """Reserves a buffer for a value: the statement that computes it must write it there."""
        self._reserved[value] = buffer

    def is_reserved(self, value: Value) -> bool:
        """Whether a buffer is reserved for a value."""
        return value in self._reserved

    def target(self, value: Value, shape: Shape) -> int:
        """The buffer to which the next statement writes a value."""
        buffer = self._memory.get(value)
        if buffer is None:
            buffer = self._reserved.get(value)
            if buffer is None:
                buffer = self.buffer("temporary", shape, kind_of(value.type.dtype))
            self._memory[value] = buffer
        return buffer

    def lie(self, value: Value, buffer: int) -> None:
        """Says that a value lies in a buffer, filled for it or another value's."""
        if value in self._reserved:
            raise PlanError(f"{value.name} lies in b{buffer}, not where it is returned")
        self._memory[value] = buffer

    def alias(self, buffer: int, shape: Shape) -> int:
        """A new buffer's name for the memory of a buffer."""
        alias = self.buffer("alias", shape, self.buffers[buffer].kind)
        self.aliases[alias] = self.real(buffer)
        return alias

    def define(self, value: Value, scalar: int, into: list[Statement]) -> None:
        """Says that a value of one element is in a register, after the statements of `into`.

        It is also stored if memory is reserved for it.
        """
        self._registers[value] = scalar
        if value in self._reserved:
            kind = kind_of(value.type.dtype)
            into.append(stored(scalar, self.target(value, ()), kind))

    # -- for readers ------------------------------------------------------------------------

    def register(self, value: Value) -> int | None:
        """The register of a value, or None."""
        return self._registers.get(value)

    def real(self, buffer: int) -> int:
        """The buffer whose memory a buffer or an alias has."""
        return self.aliases.get(buffer, buffer)

    def lies(self, value: Value) -> int | None:
        """The buffer that holds a value, or None."""
        return self._memory.get(value)


def stored(scalar: int, buffer: int, kind: str) -> Straight:
    """The statement that writes a register to a buffer of one element."""
    return Straight((Scalar(scalar, kind),), (), (Store(0, buffer, Linear((), ()), kind),))
