"""Products of matrices in machine code: calls of BLAS, or of the product kernel for larger ones.

BLAS would use threads of its own for those, which take the cores from everything else.
"""

from __future__ import annotations

from graphwright.kernels.machine import vectors
from graphwright.kernels.matmul import WORTH
from graphwright.lower.kinds import item_size
from graphwright.lower.llvm.emitter import Reg
from graphwright.lower.llvm.function import FunctionWriter
from graphwright.lower.nest import Multiply
from graphwright.lower.sizes import Size


def write_product(f: FunctionWriter, s: Multiply) -> None:
    """c = a @ b"""
    if vectors().bits < 256:  # BLAS knows this processor better
        write_blas(f, s)
        return
    e = f.e
    work = f.mul(f.mul(f.size(s.m), f.size(s.n)), f.size(s.k))
    small, large, done = [e.fresh_label(p) for p in ("small", "large", "multiplied")]
    f.branch_if(e.compare("sle", work, f.number(WORTH)), small, large)
    e.label(small)
    write_blas(f, s)
    f.branch(done)
    e.label(large)
    write_kernel(f, s)
    f.branch(done)
    e.label(done)


def write_kernel(f: FunctionWriter, s: Multiply) -> None:
    """The product kernel, which packs b in memory that it is lent."""
    e = f.e
    item = item_size(s.kind)
    lanes = vectors().bits // 8 // item
    m, n, k = [f.size(size) for size in (s.m, s.n, s.k)]
    unit = f.number(item)

    def steps(rows: Size, columns: Size, transposed: bool) -> tuple[Reg, Reg]:
        """The bytes from row to row and from column to column."""
        long = f.mul(f.size(rows if transposed else columns), unit)
        return (unit, long) if transposed else (long, unit)

    panels = e.binary("sdiv", f.add(n, f.number(lanes - 1)), f.number(lanes))
    packed = f.mul(f.mul(k, panels), f.number(lanes * item))
    tables = f.mul(f.add(m, k), f.number(16))
    room = f.call("ptr", "malloc", f.add(f.add(tables, packed), f.number(64)))
    with f.at_entry():
        starts = e.assign("ptr", 1, "alloca [3 x i64], align 16")
        e.line(f"store [3 x i64] zeroinitializer, {starts}")
    a, b, c = [f.buffer(i) for i in (s.a, s.b, s.c)]
    left = (a, *steps(s.m, s.k, s.transpose_a), m, k)
    right = (b, *steps(s.k, s.n, s.transpose_b), n)
    name = f"gw_{'s' if s.kind == 'f32' else 'd'}matmul"
    f.call("", name, *left, *right, c, f.mul(n, unit), starts, f.number(1), room)
    f.call("", "free", room)


def write_blas(f: FunctionWriter, s: Multiply) -> None:
    """BLAS, which counts columns first: c' = b' a'."""
    e = f.e
    letter = "s" if s.kind == "f32" else "d"
    one = e.constant(s.kind, 1)
    zero = e.constant(s.kind, 0)
    integers: list[Reg] = []
    lead_a, lead_b = (s.m if s.transpose_a else s.k), (s.k if s.transpose_b else s.n)
    for size in (s.n, s.m, s.k, lead_b, lead_a, s.n):
        room = f.stack("i32", 1)
        short = e.cast("trunc", f.size(size), "i32")
        f.store(e.intrinsic("smax", short, Reg("1", "i32")) if len(integers) > 2 else short, room)
        integers.append(room)
    flags = []
    for transposed in (s.transpose_b, s.transpose_a):
        room = f.stack("i8", 1)
        f.store(Reg(str(ord("T" if transposed else "N")), "i8"), room)
        flags.append(room)
    factors = []
    for value in (one, zero):
        room = f.stack(s.kind, 1)
        f.store(value, room)
        factors.append(room)
    n, m, k, ldb, lda, ldc = integers
    a, b, c = [f.buffer(i) for i in (s.a, s.b, s.c)]
    f.call("", f"gw_{letter}gemm", *flags, n, m, k, factors[0], b, ldb, a, lda, factors[1], c, ldc)
