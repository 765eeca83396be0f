"""The function that callers of a library call, as code: it takes addresses and sizes.

It fills in the frame of each program, allocates results, and runs the programs one after the other.
What it has allocated is freed when something fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.frame import EXHAUSTED, Frame
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.nests.sizes import Shape
from graphwright.ir.graph import Graph, Value
from graphwright.ops.core.creation import Const
from graphwright.portable.native_library.c_header import CODES
from graphwright.portable.native_library.library_interface import InterfaceFunction
from graphwright.portable.native_library.library_program import LibraryPart
from graphwright.portable.native_library.weights import Weights

_NULL = Reg("null", "ptr")


class NumberedPart(NamedTuple):
    """A program of a module: its number there, and the layout of its frame."""

    part: LibraryPart
    number: int
    frame: Frame


class ArrayCode(NamedTuple):
    """An array in code: the address of its elements, and its sizes."""

    data: Reg
    dims: tuple[Reg, ...]


class EntryWriter:
    """Writes one function."""

    def __init__(
        self,
        symbol: str,
        function: InterfaceFunction,
        graph: Graph,
        parts: Sequence[NumberedPart],
        weights: Weights,
    ) -> None:
        self.function = function
        self.graph = graph
        self.parts = parts
        self.weights = weights
        parameters = []
        for kind, arrays in (("a", function.arguments), ("r", function.results)):
            for i, array in enumerate(arrays):
                parameters.append(f"ptr %{kind}{i}")
                parameters += [f"ptr %{kind}{i}.dims"] if array.rank else []
        self.f = FunctionWriter(None, f"define i32 @{symbol}({', '.join(parameters)})")
        self.e = self.f.e
        self.arrays: dict[Value, ArrayCode] = {}
        self.owned: list[Value | None] = []  # what each piece of memory is for
        self.failures: dict[int, list[str]] = {}  # the blocks that end with each code

    def text(self) -> str:
        """The text of the function."""
        f, e = self.f, self.e
        count = sum(len(numbered.part.results) for numbered in self.parts)
        self.room = self.words(count + len(self.graph.results))
        with f.loop(f.number(0), f.number(count + len(self.graph.results))) as i:
            f.store(_NULL, self.word(self.room, i))
        if not self.weights.are_inside:
            loaded = self.weights.base(f)
            self.require(e.compare("ne", loaded, _NULL), "WEIGHTS")
        self.take_arguments()
        for numbered in self.parts:
            self.run(numbered)
        results = self.results()
        for place, value in enumerate(self.owned):
            if value is not None:
                f.call("", "free", f.load(self.word(self.room, place), "ptr", 1))
        for place, array in enumerate(results):
            f.store(array.data, Reg(f"%r{place}", "ptr"))
            for axis, size in enumerate(array.dims):
                f.store(size, self.word(Reg(f"%r{place}.dims", "ptr"), axis))
        e.line("ret i32 0")
        self.end_failures()
        return f.text()

    # -- memory -------------------------------------------------------------------------------

    def words(self, count: int) -> Reg:
        """Room for so many words on the stack."""
        with self.f.at_entry():
            return self.e.assign("ptr", 1, f"alloca i64, i64 {max(count, 1)}, align 16")

    def word(self, base: Reg, i: Reg | int) -> Reg:
        """The address of a word."""
        index = self.f.number(i) if isinstance(i, int) else i
        return self.e.assign("ptr", 1, f"getelementptr i64, {base}, {index}")

    def require(self, condition: Reg, code: str) -> None:
        """Fails with a code unless a condition holds."""
        on = self.e.fresh_label("on")
        self.failures.setdefault(CODES[code], []).append(self.e.block)
        self.f.branch_if(condition, on, f"failed.{CODES[code]}")
        self.e.label(on)

    def allocated(self, size: Reg, value: Value | None) -> Reg:
        """New memory; it is freed at the end if it is a value's, and when the function fails."""
        f, e = self.f, self.e
        data = f.call("ptr", "malloc", e.intrinsic("smax", size, f.number(1)))
        self.require(e.compare("ne", data, _NULL), "MEMORY")
        f.store(data, self.word(self.room, len(self.owned)))
        self.owned.append(value)
        return data

    def bytes(self, dims: Sequence[Reg], size: int) -> Reg:
        """The bytes of an array."""
        total = self.f.number(size)
        for dim in dims:
            total = self.f.mul(total, dim)
        return total

    def end_failures(self) -> None:
        """Writes what follows a failure: memory is freed, and results are null."""
        f, e = self.f, self.e
        if not self.failures:
            return
        for code in self.failures:
            e.label(f"failed.{code}")
            f.branch("failed")
        e.label("failed")
        codes = f.phi("i32", 1, *[(str(code), f"failed.{code}") for code in self.failures])
        with f.loop(f.number(0), f.number(len(self.owned))) as i:
            f.call("", "free", f.load(self.word(self.room, i), "ptr", 1))
        for place in range(len(self.function.results)):
            f.store(_NULL, Reg(f"%r{place}", "ptr"))
        e.line(f"ret {codes}")

    # -- arrays -------------------------------------------------------------------------------

    def take_arguments(self) -> None:
        """Reads and checks the sizes of arguments."""
        f, e = self.f, self.e
        for i, (value, array) in enumerate(zip(self.graph.parameters, self.function.arguments)):
            dims = []
            for axis, expected in enumerate(array.dims):
                size = f.load(self.word(Reg(f"%a{i}.dims", "ptr"), axis), I64, 1)
                known = f.number(0 if expected is None else expected)
                self.require(e.compare("sge" if expected is None else "eq", size, known), "SIZE")
                dims.append(size)
            self.arrays[value] = ArrayCode(Reg(f"%a{i}", "ptr"), tuple(dims))

    def array(self, value: Value) -> ArrayCode:
        """The code of a value."""
        if value not in self.arrays:
            assert isinstance(value.node.op, Const), value
            array = value.node.op.value.array
            dims = tuple([self.f.number(size) for size in array.shape])
            self.arrays[value] = ArrayCode(self.weights.address(self.f, array), dims)
        return self.arrays[value]

    def run(self, numbered: NumberedPart) -> None:
        """Runs a program."""
        part, number, layout = numbered
        f, e, program = self.f, self.e, part.program
        frame = self.words(layout.size)
        arguments = [self.array(value) for value in part.arguments]
        f.store(f.number(0), frame)
        data = [array.data for array in arguments]
        data += [self.weights.address(f, array) for array in part.constants]
        for buffer, place in zip(program.inputs, data):
            f.store(place, self.word(frame, layout.buffer(buffer)))
        for (symbol, i, axis), expected in zip(program.symbols, program.expected):
            size = arguments[i].dims[axis]
            if expected >= 0 and part.arguments[i] not in self.graph.parameters:
                self.require(e.compare("eq", size, f.number(expected)), "SIZE")
            f.store(size, self.word(frame, layout.symbol(symbol)))
        work = e.assign(I64, 1, f"call i64 @prepare.{number}({frame})")
        self.require(e.compare("ne", work, f.number(0)), "SIZE")
        late: list[tuple[int, Reg]] = []
        for value, (buffer, shape), first in zip(part.results, program.results, layout.result_dims):
            slot = self.word(frame, layout.buffer(buffer))
            if program.buffers[buffer].role == "late":
                f.store(_NULL, slot)
                late.append((len(self.owned), slot))
                self.owned.append(value)
                continue
            dims = self.dims_of(shape, frame, first)
            place = self.allocated(self.bytes(dims, value.type.dtype.size), value)
            f.store(place, slot)
            self.arrays[value] = ArrayCode(place, dims)
        status = e.assign(I64, 1, f"call i64 @run.{number}({frame})")
        for i, slot in late:
            f.store(f.load(slot, "ptr", 1), self.word(self.room, i))
        exhausted = e.binary("and", status, f.number(EXHAUSTED))
        self.require(e.compare("eq", exhausted, f.number(0)), "MEMORY")
        self.require(e.compare("eq", status, f.number(0)), "VALUE")
        for value, (buffer, shape), first in zip(part.results, program.results, layout.result_dims):
            if value not in self.arrays:
                place = f.load(self.word(frame, layout.buffer(buffer)), "ptr", 1)
                self.arrays[value] = ArrayCode(place, self.dims_of(shape, frame, first))

    def dims_of(self, shape: Shape, frame: Reg, first: int) -> tuple[Reg, ...]:
        """The sizes of a result, which the frame has from a slot on."""
        return tuple(
            [self.f.load(self.word(frame, first + axis), I64, 1) for axis in range(len(shape))]
        )

    def results(self) -> list[ArrayCode]:
        """The results, each in memory of its own."""
        given: list[ArrayCode] = []
        for value in self.graph.results:
            array = self.array(value)
            if value in self.owned:
                self.owned[self.owned.index(value)] = None
            else:
                size = self.bytes(array.dims, value.type.dtype.size)
                copy = self.allocated(size, None)
                self.f.copy(copy, array.data, size, "u8")
                array = ArrayCode(copy, array.dims)
            given.append(array)
        return given
