"""Protocols of the program under construction, for the parts of lowering that write statements.

`Lowering` is that program. Loops, lists and clusters know it by these protocols, so none of them
imports the module that puts them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from graphwright.compile.lists.absent_lists import AbsentBuffers
from graphwright.compile.memory.residence import Residence
from graphwright.compile.nests.nest import Statement
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import Shape, Sizes
from graphwright.ir.graph import Graph, Node, Value
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.lists.list_buffers import ListBuffers


class LoopLists(Protocol):
    """The lists of a program, as loops and branches use them."""

    #: The scalars of lengths that are no sizes.
    lengths: dict[Value, int]

    def enter_loop(
        self, node: Node, schedule: Schedule, inner: list[Schedule], before: list[Statement]
    ) -> list[tuple[int, int, Value]]:
        """The lengths that a loop carries: (variable, first value, list at an iteration's end)."""

    def next_length(self, result: Value, body: Schedule, into: list[Statement]) -> int:
        """The scalar of a list's length at the end of a block."""


class ProgramBuilder(Protocol):
    """The program under construction."""

    graph: Graph
    sizes: Sizes
    values: Residence
    inputs: list[int]
    results: list[tuple[int, Shape]]
    lists: ListBuffers | AbsentBuffers
    schedule: Schedule

    @property
    def of_lists(self) -> LoopLists:
        """The lists of the program."""

    def add_input(self, value: Value, type_: TensorType) -> Shape:
        """The shape of a new buffer that arrives with the call."""

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""

    def scalar(self) -> int:
        """A new scalar."""

    def block(self, schedule: Schedule) -> list[Statement]:
        """The statements of a schedule."""

    def as_scalar(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """The scalar of a value of one element, after the statements of `into`."""

    def alias(self, buffer: int, shape: Shape, into: list[Statement]) -> int:
        """Another buffer's name for the contents of a buffer."""

    def target(self, value: Value) -> int:
        """The buffer to which the next statement writes a value."""

    def memory(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """A buffer that holds a value after the statements of `into`."""

    def buffer_of(self, value: Value) -> int:
        """The buffer that holds a value."""

    def is_scalar(self, value: Value) -> bool:
        """Whether a value is one element for all sizes."""
