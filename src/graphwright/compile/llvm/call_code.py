"""Calls of what is outside: kernels through Python, and routines of LAPACK and BLAS by address.

Routines count columns first, so a matrix of rows is to them its transpose. Their sizes are 32-bit
integers, and every argument is a pointer. Where a routine has no result, the run ends, and the
kernels do the call again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.launch import leave
from graphwright.compile.llvm.rendering import ARRAY_WORDS
from graphwright.compile.nests.call_statements import KERNEL, OutsideCall
from graphwright.compile.nests.element_kinds import DTYPES
from graphwright.compile.nests.sizes import Size, product
from graphwright.machine.array_layout import ALIGNED, CONTIGUOUS, WRITABLE
from graphwright.types import dtypes as dt

#: The dtypes that NumPy has, by kinds; a bfloat16 goes as its bits.
_STORED = {**DTYPES, "bf16": dt.uint16}


class CallWriter:
    """Writes calls; `require` leaves the run unless a condition holds."""

    def __init__(self, f: FunctionWriter, require: Callable[[Reg], None]) -> None:
        self.f = f
        self.e = f.e
        self.require = require

    def statement(self, s: OutsideCall) -> None:
        """Writes one call."""
        if s.routine == KERNEL:
            self.kernel(s)
            return
        write = ROUTINES[s.routine]
        batch = product(s.shapes[len(s.sources)][:-2])
        buffers = [self.f.buffer(b) for b in (*s.sources, *s.targets)]
        sizes = [product(shape[-2:]) for shape in s.shapes]
        # Room to work in is there once, and matrices for each of the batch.
        is_each = [len(shape) >= 2 for shape in s.shapes]
        f, e = self.f, self.e
        some = e.compare("ne", f.size(sizes[len(s.sources)]), f.number(0))
        with f.loop(f.number(0), e.select(some, f.size(batch), f.number(0))) as i:
            places = [
                f.address(b, f.mul(i, f.size(size)), kind) if each else b
                for b, size, kind, each in zip(buffers, sizes, s.kinds, is_each)
            ]
            write(self, s, places)

    # -- kernels ----------------------------------------------------------------------------

    def kernel(self, s: OutsideCall) -> None:
        """Writes a call of a kernel, which gets arrays in the places of buffers."""
        f, e = self.f, self.e
        number, *sources = s.sources
        buffers = [*sources, *s.targets]
        words = f.stack(I64, ARRAY_WORDS * len(buffers))
        for i, (buffer, shape, kind) in enumerate(zip(buffers, s.shapes[1:], s.kinds[1:])):
            writable = WRITABLE if i >= len(sources) else 0
            entries: list[Reg] = [
                f.number(_STORED[kind].numpy_dtype.num),
                f.number(len(shape)),
                f.number(CONTIGUOUS | ALIGNED | writable),
                f.buffer(buffer),
                *[f.size(d) for d in shape],
            ]
            for k, entry in enumerate(entries):
                f.e.line(f"store {entry}, {f.address(words, f.number(i * ARRAY_WORDS + k), I64)}")
        status = f.call(
            I64, "gw_kernel", Reg("%frame", "ptr"), f.load(f.buffer(number), I64, 1), words,
            f.number(len(buffers)),
        )  # fmt: skip
        raised, on = e.fresh_label("raised"), e.fresh_label("called")
        f.branch_if(e.compare("eq", status, f.number(2)), raised, on)
        e.label(raised)
        leave(f)
        e.label(on)
        self.require(e.compare("eq", status, f.number(0)))

    # -- routines ---------------------------------------------------------------------------

    def integer(self, size: Size) -> Reg:
        """The address of a size as a 32-bit integer, at least 1."""
        room = self.f.stack("i32", 1)
        short = self.e.cast("trunc", self.f.size(size), "i32")
        self.f.store(self.e.intrinsic("smax", short, Reg("1", "i32")), room)
        return room

    def letter(self, text: str) -> Reg:
        """The address of a letter."""
        room = self.f.stack("i8", 1)
        self.f.store(Reg(str(ord(text)), "i8"), room)
        return room

    def routine(self, name: str, kind: str, *arguments: Reg) -> None:
        """Calls a routine for matrices of a kind."""
        self.f.call("", f"gw_{'s' if kind == 'f32' else 'd'}{name}", *arguments)

    def checked(self, name: str, kind: str, *arguments: Reg) -> None:
        """The same for a routine that says whether it has a result."""
        room = self.f.stack("i32", 1)
        self.routine(name, kind, *arguments, room)
        self.require(self.e.compare("eq", self.f.load(room, "i32", 1), Reg("0", "i32")))

    def transpose(self, target: Reg, source: Reg, rows: Size, columns: Size, kind: str) -> None:
        """Writes a matrix of rows and columns as one of columns and rows."""
        f = self.f
        height, width = f.size(rows), f.size(columns)
        with f.loop(f.number(0), height) as i, f.loop(f.number(0), width) as j:
            x = f.load(f.address(source, f.add(f.mul(i, width), j), kind), kind, 1)
            f.store(x, f.address(target, f.add(f.mul(j, height), i), kind))

    def cholesky(self, s: OutsideCall, places: Sequence[Reg]) -> None:
        """The lower factor of a matrix: of its transpose, the upper one."""
        f, (source, target), kind = self.f, places, s.kinds[0]
        rows = s.shapes[0][-1]
        n = f.size(rows)
        f.copy(target, source, f.mul(n, n), kind)
        size = self.integer(rows)
        self.checked("potrf", kind, self.letter("U"), size, target, size)
        zero = self.e.constant(kind, 0)
        with f.loop(f.number(0), n) as i, f.loop(f.add(i, f.number(1)), n) as j:
            f.store(zero, f.address(target, f.add(f.mul(i, n), j), kind))

    def triangular(self, s: OutsideCall, places: Sequence[Reg]) -> None:
        """The solutions of a triangular system, whose transpose is solved from the right."""
        f, (matrix, side, target), kind = self.f, places, s.kinds[0]
        lower, adjoint = s.flags
        rows, columns = s.shapes[1][-2:]
        f.copy(target, side, f.size(rows * columns), kind)
        flags = [self.letter(text) for text in ("R", "UL"[not lower], "NT"[adjoint], "N")]
        one = f.stack(kind, 1)
        f.store(self.e.constant(kind, 1), one)
        n, m = self.integer(rows), self.integer(columns)
        self.routine("trsm", kind, *flags, m, n, one, matrix, n, target, m)

    def solve(self, s: OutsideCall, places: Sequence[Reg]) -> None:
        """The solutions of a system by Gaussian elimination; `adjoint` flips the matrix first."""
        matrix, side, target, factors, sides, pivots = places
        rows, columns = s.shapes[1][-2:]
        self.transpose(sides, side, rows, columns, s.kinds[0])
        self.eliminate(s, matrix, factors, sides, pivots, columns)
        self.transpose(target, sides, columns, rows, s.kinds[0])

    def inverse(self, s: OutsideCall, places: Sequence[Reg]) -> None:
        """The inverse: the solutions of a system with a unit matrix."""
        f, (matrix, target, factors, sides, pivots), kind = self.f, places, s.kinds[0]
        rows = s.shapes[0][-1]
        n = f.size(rows)
        with f.loop(f.number(0), n) as i, f.loop(f.number(0), n) as j:
            same = self.e.compare("eq", i, j)
            one, zero = self.e.constant(kind, 1), self.e.constant(kind, 0)
            x = self.e.select(same, one, zero)
            f.store(x, f.address(sides, f.add(f.mul(i, n), j), kind))
        self.eliminate(s, matrix, factors, sides, pivots, rows)
        self.transpose(target, sides, rows, rows, kind)

    def eliminate(
        self, s: OutsideCall, matrix: Reg, factors: Reg, sides: Reg, pivots: Reg, columns: Size
    ) -> None:
        """Solves a system in place; a matrix with NaN is left to the kernels."""
        f, kind, rows = self.f, s.kinds[0], s.shapes[0][-1]
        n = f.size(rows)
        count = f.mul(n, n)
        total = f.stack(kind, 1)
        f.store(self.e.constant(kind, 0), total)
        zero = self.e.constant(kind, 0)
        with f.loop(f.number(0), count) as i:
            x = self.e.binary("fmul", f.load(f.address(matrix, i, kind), kind, 1), zero)
            f.store(self.e.binary("fadd", f.load(total, kind, 1), x), total)
        self.require(self.e.compare("oeq", f.load(total, kind, 1), zero))
        if s.flags[0]:
            f.copy(factors, matrix, count, kind)
        else:
            self.transpose(factors, matrix, rows, rows, kind)
        size, others = self.integer(rows), self.integer(columns)
        self.checked("gesv", kind, size, others, factors, size, pivots, sides, size)


#: The writers of routines, by name.
ROUTINES: dict[str, Callable[[CallWriter, OutsideCall, Sequence[Reg]], None]] = {
    "cholesky": CallWriter.cholesky,
    "triangular": CallWriter.triangular,
    "solve": CallWriter.solve,
    "inverse": CallWriter.inverse,
}
