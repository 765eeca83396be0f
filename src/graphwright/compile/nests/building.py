"""What the parts of lowering ask of the program that they write statements for.

`Lowering` is that program. Loops, lists and clusters know it by these protocols, so that none of
them imports the module that puts them together.
"""

from __future__ import annotations

from typing import Protocol

from graphwright.compile.lists.list_buffers import ListBuffers
from graphwright.compile.memory.residence import Residence
from graphwright.compile.nests.nest import Statement
from graphwright.compile.nests.schedule import Schedule
from graphwright.compile.nests.sizes import Shape, Sizes
from graphwright.ir.graph import Graph, Node, Value
from graphwright.types.tensor_type import TensorType


class LoopLists(Protocol):
    """The lists of a program, as loops and branches see them."""

    #: Scalars, of lists whose length is no size.
    lengths: dict[Value, int]

    def enter_loop(
        self, node: Node, schedule: Schedule, inner: list[Schedule], before: list[Statement]
    ) -> list[tuple[int, int, Value]]:
        """Lengths that a loop carries: (variable, first value, list at the end of a turn)."""

    def next_length(self, result: Value, body: Schedule, into: list[Statement]) -> int:
        """The scalar of a list's length at the end of a block."""


class ProgramBuilder(Protocol):
    """The program that is built."""

    graph: Graph
    sizes: Sizes
    values: Residence
    inputs: list[int]
    results: list[tuple[int, Shape]]
    lists: ListBuffers
    schedule: Schedule

    @property
    def of_lists(self) -> LoopLists:
        """The lists of the program."""

    def add_input(self, value: Value, type_: TensorType) -> Shape:
        """A buffer that arrives with the call; its shape."""

    def buffer(self, role: str, shape: Shape, kind: str) -> int:
        """A new buffer."""

    def scalar(self) -> int:
        """A new scalar."""

    def block(self, schedule: Schedule) -> list[Statement]:
        """The statements of a schedule."""

    def as_scalar(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """The scalar of a value of one element, once the statements of `into` ran."""

    def alias(self, buffer: int, shape: Shape, into: list[Statement]) -> int:
        """Another name for what lies in a buffer."""

    def target(self, value: Value) -> int:
        """The buffer that the statement being made writes a value to."""

    def memory(self, value: Value, schedule: Schedule, into: list[Statement]) -> int:
        """A buffer that holds a value once the statements of `into` ran."""

    def buffer_of(self, value: Value) -> int:
        """The buffer in which a value lies by now."""

    def is_scalar(self, value: Value) -> bool:
        """Whether a value is one element, whatever the sizes."""
