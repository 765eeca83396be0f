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
from graphwright.ops.state.variable_ops import WORTH, Held, Loan, Storage
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.tensor_type import TensorType

if TYPE_CHECKING:
    from graphwright.compile.lists.list_boundary import Crossing


class SegmentProgram(Protocol):
    """A segment's program: see `compile.run.lowered_segment`."""

    #: The program of loop nests, and the constants that are further inputs.
    lowered: tuple[Any, list[Array]]
    skeleton: bytes

    @property
    def crossing(self) -> Crossing | None:
        """Its inputs and results that are lists."""

    @property
    def reuses(self) -> tuple[tuple[int, int], ...]:
        """(result, input): a call may lend the input's memory to the result."""


class Runnable(Protocol):
    """A program as machine code: see `compile.run.executable`."""

    def function(self) -> Callable[..., Any]:
        """The function that runs it; it gives None for a call that it cannot do."""

    def lending(self) -> Callable[..., Any]:
        """The same with one more argument, the first: the bits of the results in inputs' memory."""


class Renderer:
    """Lowers the graphs of segments, and makes machine code of them; `hooks` provides it."""

    #: The graph of a segment, and (result, argument): results that should have arguments' memory.
    lower: Callable[[Graph, Sequence[tuple[int, int]]], SegmentProgram]
    executables: Callable[[Sequence[SegmentProgram], bool], Sequence[Runnable]]


def as_plain(array: Array | TensorList) -> Any:
    """An array as native code takes it; a list as it is, which `Crossing` takes apart."""
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
    segment: SegmentProgram

    def describe(self) -> dict[str, Any]:
        return {"f": self.f}

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        return tuple([v.type for v in self.f.results])

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        return tuple([v.type.dtype for v in self.f.results])

    def verify(self, operands: Sequence[TensorType]) -> None:
        verify_call(self.f, operands)

    @property
    def lowered(self) -> tuple[Any, list[Array]]:
        """The program of loop nests, and the constants that are further inputs."""
        return self.segment.lowered

    @property
    def executable(self) -> Runnable:
        """The compiled program; it is compiled once."""
        compiled: Runnable | None = self.__dict__.get("_executable")
        if compiled is None:
            (compiled,) = Renderer.executables([self.segment], False)
            self.__dict__["_executable"] = compiled
        return compiled

    def function(self) -> Callable[..., Any]:
        """The machine code: a function that gives None for a call that it cannot do."""
        function = self.executable.function()
        crossing = self.segment.crossing
        return function if crossing is None else crossing.around(function)

    def fallback(self) -> Function:
        """A function for calls that machine code cannot do: that again on plain arrays, else the
        slow tier.

        NumPy's scalars, transposed views and the like become arrays as native code takes them.
        Where the call is an error, a kernel of the slow tier raises it, with its words.
        """
        native = self.function()
        graph = self.f
        slow: list[Function] = []

        def run(*arrays: Any) -> Any:
            results = native(*map(as_plain, arrays))
            if results is None:
                if not slow:
                    slow.append(Builder.build(graph))
                results = slow[0](*arrays)
            return results

        return run


def compile_together(ops: Sequence[Native], is_quick: bool) -> None:
    """Compiles several segments at once."""
    if not ops:
        return
    for op, executable in zip(ops, Renderer.executables([op.segment for op in ops], is_quick)):
        op.__dict__["_executable"] = executable


def may_be_lent(type_: TensorType) -> bool:
    """Whether arrays of a type may be large enough to be lent."""
    return type_.size is None or type_.size * type_.dtype.numpy_dtype.itemsize >= WORTH


def arrays_of(cells: Sequence[Storage]) -> list[Any]:
    """The arrays of locked cells."""
    return [cell.held() if (array := cell.array) is None else array for cell in cells]


class NativeUpdate(Native):
    """A segment that also changes variables.

    Its operands begin with `read` handles of variables whose old values it uses; the last ones of
    these, `unchanged`, are only read. Then come `written` handles of variables that get its last
    results.

    Where machine code cannot run, `steps` does: the segment with its reads and assignments where
    the program has them. So an error leaves the effects before it, and no others.
    """

    type_name = "_NativeUpdate"
    effect = Effect.WRITE

    read: int
    unchanged: int
    written: int
    steps: Callable[[], Graph]

    def describe(self) -> dict[str, Any]:
        return {"read": self.read, "written": self.written, **super().describe()}

    def infer(self, operands: Sequence[object]) -> tuple[TensorType, ...]:
        types = super().infer(operands)
        return types[: len(types) - self.written]

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        dtypes = super().result_dtypes(types)
        return dtypes[: len(dtypes) - self.written]

    def verify(self, operands: Sequence[TensorType]) -> None:
        values = [value.type for value in self.f.parameters[: self.read]]
        verify_call(self.f, [*values, *operands[self.read + self.written :]])

    def update(self) -> Callable[..., Any]:
        """The function that runs it on locked cells and arrays; it may overwrite cells' arrays."""
        native, lending = self.function(), self.executable.lending()
        first, count = self.read, self.read + self.written
        locked, outputs = first - self.unchanged, len(self.f.results) - self.written
        reuses = {
            argument: 1 << result
            for result, argument in self.segment.reuses
            if argument < first and may_be_lent(self.f.parameters[argument].type)
        }
        lendable = [(i, reuses.get(i, 0)) for i in range(first)]
        types = [(v.type.dtype, v.type.dims) for v in self.f.results[outputs:]]

        def run(*operands: Any) -> Any:
            cells = operands[first:count]
            with Held(operands[locked:count]):
                try:
                    results = computed(operands)
                except FailedPreconditionError:  # an empty cell: the steps raise it
                    results = None
                if results is not None:
                    for cell, array, (dtype, dims) in zip(cells, results[outputs:], types):
                        if cell.dims == dims and cell.value_dtype is dtype:
                            cell.array = array
                        else:
                            cell.write(array)
                    return results[:outputs]
            return slow()(*operands)

        @cache
        def slow() -> Function:
            return Builder.build(self.steps())

        def computed(operands: Sequence[Any]) -> Any:
            if reuses:
                results = lent(operands)
            else:
                results = native(*arrays_of(operands[:first]), *operands[count:])
            if results is None:
                arrays = arrays_of(operands[:first])
                results = native(*map(as_plain, (*arrays, *operands[count:])))
            return results

        def lent(operands: Sequence[Any]) -> Any:
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
