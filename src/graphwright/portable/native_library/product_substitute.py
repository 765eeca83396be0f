"""Products of matrices for code that has no BLAS beside it: `gemm` as code.

It takes BLAS's arguments. A few rows are multiplied at once, vectors of columns after vectors of
columns. More rows are worth the kernel, for which the right operand is packed first.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.nests.element_kinds import item_size
from graphwright.machine.targets import vectors

#: The fewest rows for which packing the right operand pays.
_ROWS = 4

_NAMES = ("tb", "ta", "n", "m", "k", "alpha", "b", "ldb", "a", "lda", "beta", "c", "ldc")


class ProductSubstitute:
    """Writes `gw_sgemm` or `gw_dgemm`: c = a @ b, or c += a @ b, of row-major matrices."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.letter = "s" if kind == "f32" else "d"
        self.size = item_size(kind)
        parameters = ", ".join(f"ptr %{name}" for name in _NAMES)
        head = f"define internal void @gw_{self.letter}gemm({parameters})"
        self.f = FunctionWriter(None, head)
        self.e = self.f.e

    def text(self) -> str:
        """The text of the function, with its declarations."""
        f, e = self.f, self.e
        self.m, self.n, self.k = [self.number(name) for name in "mnk"]
        lda, ldb = self.number("lda"), self.number("ldb")
        ta, tb = [self.is_transposed(name) for name in ("ta", "tb")]
        one = f.number(1)
        self.a_row, self.a_col = e.select(ta, one, lda), e.select(ta, lda, one)
        self.b_row, self.b_col = e.select(tb, one, ldb), e.select(tb, ldb, one)
        beta = f.load(Reg("%beta", "ptr"), self.kind, 1)
        self.adds = e.compare("une", beta, e.constant(self.kind, 0))
        few = e.compare("slt", self.m, f.number(_ROWS))
        rows = e.compare("eq", self.b_col, one)
        nothing = e.compare("eq", e.intrinsic("smin", self.k, self.n), f.number(0))
        simple = e.binary("or", e.binary("and", few, rows), nothing)
        f.branch_if(simple, "plain", "kernel")
        e.label("kernel")
        self.by_kernel()
        e.label("plain")
        self.plain(rows)
        e.line("ret void")
        return "\n".join([*e.declarations.values(), f.text()])

    def number(self, name: str) -> Reg:
        """An argument that is a number of 32 bits."""
        return self.e.cast("sext", self.f.load(Reg(f"%{name}", "ptr"), "i32", 1), I64)

    def is_transposed(self, name: str) -> Reg:
        """Whether an operand is transposed."""
        flag = self.f.load(Reg(f"%{name}", "ptr"), "i8", 1)
        return self.e.compare("eq", flag, Reg(str(ord("T")), "i8"))

    def index(self, *terms: tuple[Reg, Reg]) -> Reg:
        """A sum of products."""
        total = self.f.number(0)
        for x, y in terms:
            total = self.f.add(total, self.f.mul(x, y))
        return total

    # -- many rows ----------------------------------------------------------------------------

    def by_kernel(self) -> None:
        """Calls the kernel, which packs the right operand; goes to `plain` without memory."""
        f, e = self.f, self.e
        unit = f.number(self.size)
        a_steps, b_steps = [
            [f.mul(step, unit) for step in steps]
            for steps in ((self.a_row, self.a_col), (self.b_row, self.b_col))
        ]
        a, b, c = [Reg(f"%{name}", "ptr") for name in "abc"]
        operands = a, *a_steps, b, *b_steps, c, self.m, self.n, self.k
        name, adds = f"gw_{self.letter}shared_product", e.cast("zext", self.adds, I64)
        status = f.call(I64, name, *operands, adds, Reg("null", "ptr"))
        f.branch_if(e.compare("eq", status, f.number(0)), "done", "plain")
        e.label("done")
        e.line("ret void")

    # -- few rows -----------------------------------------------------------------------------

    def plain(self, rows: Reg) -> None:
        """Multiplies row by row: vectors of columns where these lie side by side, then the rest."""
        f, e = self.f, self.e
        lanes = vectors().bits // 8 // self.size
        with f.loop(f.number(0), self.m) as i:
            done = f.number(0)
            for width in (4 * lanes, lanes, 1):
                left = e.binary("sub", self.n, done)
                blocks = e.binary("sdiv", left, f.number(width))
                if width > 1:
                    blocks = e.select(rows, blocks, f.number(0))
                with f.loop(f.number(0), blocks) as block:
                    self.columns(i, f.add(done, f.mul(block, f.number(width))), width)
                done = f.add(done, f.mul(blocks, f.number(width)))

    def columns(self, i: Reg, j: Reg, width: int) -> None:
        """Writes `width` columns of a row of the result."""
        f, e, kind = self.f, self.e, self.kind
        a, b, c = [Reg(f"%{name}", "ptr") for name in "abc"]
        target = f.address(c, self.index((i, self.n), (j, f.number(1))), kind)
        old = e.fresh_label("old")
        head, body, done = [e.fresh_label(p) for p in ("head", "body", "done")]
        before = e.block
        f.branch_if(self.adds, old, head)
        e.label(old)
        first = f.load(target, kind, width)
        f.branch(head)
        e.label(head)
        count, total = f.open_phi(I64), f.open_phi(kind, width)
        f.branch_if(e.compare("slt", count.reg, self.k), body, done)
        e.label(body)
        x = f.load(
            f.address(a, self.index((i, self.a_row), (count.reg, self.a_col)), kind), kind, 1
        )
        y = self.index((count.reg, self.b_row), (j, self.b_col))
        product = self.fused(
            e.splat(x, width), f.load(f.address(b, y, kind), kind, width), total.reg
        )
        following = f.add(count.reg, f.number(1))
        f.branch(head)
        zero = e.constant(kind, 0, width)
        f.close_phi(count, ("0", before), ("0", old), (following.text, body))
        f.close_phi(total, (zero.text, before), (first.text, old), (product.text, body))
        e.label(done)
        f.store(total.reg, target)

    def fused(self, x: Reg, y: Reg, z: Reg) -> Reg:
        """x * y + z, rounded once where the processor does so."""
        if vectors().fused:
            return self.e.fma(x, y, z)
        return self.e.binary("fadd", self.e.binary("fmul", x, y), z)


def substitutes(letters: Sequence[str]) -> list[str]:
    """The texts of `gemm` for kinds of elements by BLAS's letters."""
    return [ProductSubstitute({"s": "f32", "d": "f64"}[letter]).text() for letter in letters]
