"""The op that stands for a compiled segment in a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphwright.base.errors import FailedPreconditionError
from graphwright.ir.execution import Builder, Function
from graphwright.ir.graph import Graph
from graphwright.ir.verify import verify_call
from graphwright.op.op import Effect, Op
from graphwright.ops.state.tensor_list import TensorList
from graphwright.ops.state.variable_ops import Held, Loan
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.lists.list_boundary import Crossing


class Runnable(Protocol):
    """A program as machine code: see `compile.run.executable`."""

    def function(self) -> Callable[..., Any]:
        """What calls it; it gives None for what it cannot do."""

    def lending(self) -> Callable[..., Any]:
        """The same, given first the bits of the results that have the memory of inputs."""


class Renderer:
    """What makes machine code of programs that were lowered; `hooks` provides it."""

    executables: Callable[[Sequence[Any]], Sequence[Runnable]]


def as_plain(array: Any) -> Any:
    """An array as native code takes it; a list is for its caller to take apart."""
    if isinstance(array, TensorList):
        return array
    return np.ascontiguousarray(array) if array.ndim else np.asarray(array)


class Native(Op):
    """A segment: a graph that runs as machine code."""

    type_name = "_Native"
    inputs = ("args: Tin...",)
    outputs = ("output: Tout...",)
    returns_tuple = True

    f: Graph
    lowered: Any  # the program of loop nests, and the constants that it takes

    def describe(self) -> dict[str, Any]:
        return {"f": self.f}

    def infer(self, operands: Sequence[Any]) -> tuple[TensorType, ...]:
        return tuple([v.type for v in self.f.results])

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([v.type.dtype for v in self.f.results])

    def verify(self, operands: Sequence[TensorType]) -> None:
        verify_call(self.f, operands)

    @property
    def executable(self) -> Runnable:
        """The program compiled, once."""
        found: Runnable | None = self.__dict__.get("_executable")
        if found is None:
            (found,) = Renderer.executables([self.lowered])
            self.__dict__["_executable"] = found
        return found

    def function(self) -> Callable[..., Any]:
        """The machine code: a callable that gives None for what it cannot do."""
        function = self.executable.function()
        crossing: Crossing | None = self.lowered[0].crossing
        return function if crossing is None else crossing.around(function)

    def fallback(self) -> Function:
        """What runs where machine code cannot: it again on plain arrays, else the slow tier.

        Scalars of NumPy, transposed views and the like become arrays as native code takes
        them. An error is then raised, with its words, by the slow tier's kernels.
        """
        native = self.function()
        graph = self.f
        slow: list[Function] = []

        def run(*arrays: Any) -> Any:
            found = native(*map(as_plain, arrays))
            if found is None:
                if not slow:
                    slow.append(Builder.build(graph))
                found = slow[0](*arrays)
            return found

        return run


def compile_together(ops: Sequence[Native]) -> None:
    """Compiles segments."""
    if not ops:
        return
    for op, executable in zip(ops, Renderer.executables([op.lowered for op in ops])):
        op.__dict__["_executable"] = executable


class NativeUpdate(Native):
    """A segment that also changes variables: `read` handles of what they held come first, then
    `written` ones of those that get its last results.

    What machine code cannot do, `steps` does: the segment with its reads and assignments where
    the program has them. So if something fails, what came before it has happened, and nothing else.
    """

    type_name = "_NativeUpdate"
    effect = Effect.WRITE

    read: int
    written: int
    steps: Callable[[], Graph]

    def describe(self) -> dict[str, Any]:
        return {"read": self.read, "written": self.written, **super().describe()}

    def infer(self, operands: Sequence[Any]) -> tuple[TensorType, ...]:
        types = super().infer(operands)
        return types[: len(types) - self.written]

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        dtypes = super().result_dtypes(types)
        return dtypes[: len(dtypes) - self.written]

    def verify(self, operands: Sequence[TensorType]) -> None:
        held = [value.type for value in self.f.parameters[: self.read]]
        verify_call(self.f, [*held, *operands[self.read + self.written :]])

    def update(self) -> Callable[..., Any]:
        """What runs it on cells and arrays; nobody else updates these cells meanwhile.

        What a cell holds is written over where nobody else has it and the program may.
        """
        native, lending = self.function(), self.executable.lending()
        first, count, kept = self.read, self.read + self.written, len(self.f.results) - self.written
        reuses = {given: 1 << result for result, given in self.lowered[0].reuses}
        lendable = [(i, reuses.get(i, 0)) for i in range(first)]

        def run(*operands: Any) -> Any:
            cells = operands[first:count]
            with Held(cells):
                try:
                    found = computed(operands)
                except FailedPreconditionError:  # a cell holds nothing: the steps say so in turn
                    found = None
                if found is not None:
                    for cell, array in zip(cells, found[kept:]):
                        cell.write(array)
                    return found[:kept]
            return slow()(*operands)

        @cache
        def slow() -> Function:
            return Builder.build(self.steps())

        def computed(operands: Any) -> Any:
            if reuses:
                found = lent(operands)
            else:
                arrays = [cell.held() for cell in operands[:first]]
                found = native(*arrays, *operands[count:])
            if found is None:
                arrays = [cell.held() for cell in operands[:first]]
                found = native(*map(as_plain, (*arrays, *operands[count:])))
            return found

        def lent(operands: Any) -> Any:
            loans: list[Loan] = []
            try:
                bits, arrays = 0, []
                for i, bit in lendable:
                    if bit:
                        loan = Loan(operands[i])
                        loans.append(loan)
                        loan.__enter__()
                        if loan.array is not None:
                            bits |= bit
                            arrays.append(loan.array)
                            continue
                    arrays.append(operands[i].held())
                arrays += operands[count:]
                return lending(bits, arrays)
            finally:
                for loan in loans:
                    loan.__exit__()

        return run
