"""Matrix products in machine code: calls of BLAS, or of the product kernel.

The kernel computes larger products: BLAS would use its own threads for these, which take the cores
from everything else. Our threads share the largest. The kernel also computes products whose right
operand a loop does not change, since that is packed once, before the loop.

Products of a few rows, or by one column, are computed from the matrices as they lie. BLAS packs
matrices where it has no routine for small ones, as on AVX2. That takes many times as long.
"""

from __future__ import annotations

from graphwright.base.named_tuples import NamedTuple
from graphwright.compile.llvm.emitter import Reg
from graphwright.compile.llvm.function import I64, FunctionWriter
from graphwright.compile.llvm.launch import Launch
from graphwright.compile.llvm.llvm_module import LlvmModule
from graphwright.compile.llvm.shared_functions import SharedCallee
from graphwright.compile.llvm.whole_runs import WholeRun
from graphwright.compile.nests.element_kinds import item_size
from graphwright.compile.nests.nest import Multiply
from graphwright.compile.nests.sizes import Size
from graphwright.machine import threads
from graphwright.machine.preparation import WORTH
from graphwright.machine.products import ALONE
from graphwright.machine.targets import vectors

#: The fewest rows of a left operand for which the kernel is faster with a packed operand.
_ROWS = 8

#: The bytes of a right operand that stays near while several rows are multiplied by it.
_NEAR = 1 << 18


def has_kernel() -> bool:
    """Whether the kernel is faster than BLAS on this processor."""
    return vectors().bits >= 256


class Operands(NamedTuple):
    """The addresses of a product's matrices."""

    a: Reg
    b: Reg
    c: Reg


def matrices_of(f: FunctionWriter, s: Multiply) -> Operands:
    """The addresses of the first product's matrices."""
    return Operands(*[f.buffer(i) for i in (s.a, s.b, s.c)])


def write_products(f: FunctionWriter, s: Multiply, begin: Reg, end: Reg) -> None:
    """Writes the products of a range of a batch."""
    matrices = matrices_of(f, s)
    sizes = [f.size(size) for size in (s.m * s.k, s.k * s.n, s.m * s.n)]
    with f.loop(begin, end) as i:
        places = [f.address(x, f.mul(i, size), s.kind) for x, size in zip(matrices, sizes)]
        write_product(f, s, Operands(*places))


def write_product(f: FunctionWriter, s: Multiply, matrices: Operands) -> None:
    """Writes c = a @ b, or c += a @ b."""
    if not has_kernel():
        write_blas(f, s, matrices)
        return
    e = f.e
    labels = ("blas", "kernel", "room", "multiplied")
    blas, kernel, allocated, joined = [e.fresh_label(p) for p in labels]
    if can_be_rows(s):
        rows, many = e.fresh_label("rows"), e.fresh_label("many")
        f.branch_if(is_rows(f, s), rows, many)
        e.label(rows)
        multiply_rows(f, s, matrices)
        f.branch(joined)
        e.label(many)
    f.branch_if(is_packed(f, s) if s.packed >= 0 else is_large(f, s), kernel, blas)
    e.label(blas)
    write_blas(f, s, matrices)
    f.branch(joined)
    e.label(kernel)
    if s.packed >= 0:
        memory = f.buffer(s.packed)
        f.branch_if(e.compare("ne", memory, Reg("null", "ptr")), allocated, blas)
        e.label(allocated)
        multiply(f, s, matrices, Room.at(f, s, memory))
        f.branch(joined)
    else:  # BLAS needs no room
        f.branch_if(e.compare("eq", shared(f, s, matrices), f.number(0)), joined, blas)
    e.label(joined)


def write_pack(f: FunctionWriter, s: Multiply) -> None:
    """Writes the packing of a right operand, in memory that is allocated once."""
    e = f.e
    slot = f.frame.buffer(s.packed)
    packing, none, filled, joined = [e.fresh_label(p) for p in ("pack", "none", "room", "packed")]
    f.branch_if(is_packed(f, s), packing, joined)
    e.label(packing)
    missing = e.compare("eq", f.from_slot(slot, "ptr"), Reg("null", "ptr"))
    f.branch_if(missing, none, filled)
    e.label(none)
    memory = f.call("ptr", "malloc", Room.bytes(f, s))
    f.to_slot(slot, memory)
    f.branch_if(e.compare("ne", memory, Reg("null", "ptr")), filled, joined)
    e.label(filled)
    pack(f, s, f.buffer(s.b), Room.at(f, s, f.from_slot(slot, "ptr")))
    f.branch(joined)
    e.label(joined)


def work(f: FunctionWriter, s: Multiply) -> Reg:
    """The multiply-adds of one product."""
    return f.mul(f.mul(f.size(s.m), f.size(s.n)), f.size(s.k))


def is_large(f: FunctionWriter, s: Multiply) -> Reg:
    """Whether BLAS would use threads."""
    return f.e.compare("sgt", work(f, s), f.number(WORTH))


def shared(f: FunctionWriter, s: Multiply, matrices: Operands) -> Reg:
    """The status of the kernel's product of whole matrices; threads share much work."""
    e, a, b, c = f.e, *matrices
    nobody = share = Reg("null", "ptr")
    if threads.are_possible():
        share = f.parallel_for()
        much = e.compare("sge", work(f, s), f.number(2 * ALONE))
        share = e.assign("ptr", 1, f"select {much}, {share}, {nobody}")
    a_steps = steps(f, s, s.m, s.k, s.transpose_a)
    b_steps = steps(f, s, s.k, s.n, s.transpose_b)
    sizes = [f.size(size) for size in (s.m, s.n, s.k)]
    operands = a, *a_steps, b, *b_steps, c, *sizes, f.number(int(s.add)), share
    return f.call(I64, f"gw_{letter(s)}shared_product", *operands)


def can_be_rows(s: Multiply) -> bool:
    """Whether sizes may make a product one of a few rows, or by one column."""
    return any(size.symbols or size.factor < most for size, most in ((s.m, _ROWS), (s.n, 2)))


def is_rows(f: FunctionWriter, s: Multiply) -> Reg:
    """Whether a product is one of a few rows near by, or by one column and left to one thread."""
    e, m, n = f.e, f.size(s.m), f.size(s.n)
    row, column = [e.compare("eq", size, f.number(1)) for size in (m, n)]
    alone = e.compare("slt", work(f, s), f.number(2 * ALONE))
    result = e.binary("or", row, e.binary("and", column, alone))
    if s.transpose_a:  # elements of several rows lie apart
        return result
    few = e.compare("slt", m, f.number(_ROWS))
    near = e.compare("sle", f.mul(n, f.size(s.k)), f.number(_NEAR // item_size(s.kind)))
    return e.binary("or", result, e.binary("and", few, near))


def multiply_rows(f: FunctionWriter, s: Multiply, matrices: Operands) -> None:
    """Writes the call for a few rows; a product by a column is that of the column as a row."""
    e, m, n = f.e, f.size(s.m), f.size(s.n)
    a, b, c = matrices
    a_row, a_col = steps(f, s, s.m, s.k, s.transpose_a)
    b_row, b_col = steps(f, s, s.k, s.n, s.transpose_b)
    one = f.number(1)
    by_column = e.compare("eq", n, one)
    choices = (b, a), (a, b), (a_col, b_row), (a_row, b_col), (one, m), (m, n)
    left, right, right_row, right_col, rows, columns = [
        e.select(by_column, x, y) for x, y in choices
    ]
    target = c, rows, columns, f.size(s.k), f.number(int(s.add))
    f.call("", f"gw_{letter(s)}multiply_rows", left, a_row, right, right_row, right_col, *target)


def is_packed(f: FunctionWriter, s: Multiply) -> Reg:
    """Whether the kernel computes a product whose right operand can be packed before."""
    return f.e.compare("sge", f.size(s.m), f.number(_ROWS))


class Room(NamedTuple):
    """The addresses of the kernel's tables of offsets and of the packed operand."""

    rows: Reg
    places: Reg
    cols: Reg
    b_rows: Reg
    panels: Reg

    @staticmethod
    def bytes(f: FunctionWriter, s: Multiply) -> Reg:
        """The bytes of all of it."""
        item = item_size(s.kind)
        lanes = vectors().bits // 8 // item
        across = f.e.binary("sdiv", f.add(f.size(s.n), f.number(lanes - 1)), f.number(lanes))
        packed = f.mul(f.mul(f.size(s.k), across), f.number(lanes * item))
        tables = f.mul(f.add(f.size(s.m), f.size(s.k)), f.number(16))
        return f.add(f.add(tables, packed), f.number(64))

    @staticmethod
    def at(f: FunctionWriter, s: Multiply, memory: Reg) -> Room:
        """The addresses in a piece of memory."""
        e = f.e
        m, k = f.size(s.m), f.size(s.k)

        def after(start: Reg, count: Reg) -> Reg:
            return e.assign("ptr", 1, f"getelementptr i64, {start}, {count}")

        places = after(memory, m)
        cols = after(places, m)
        b_rows = after(cols, k)
        end = e.assign(I64, 1, f"ptrtoint {after(b_rows, k)} to i64")
        line = e.binary("and", f.add(end, f.number(63)), f.number(-64))
        return Room(memory, places, cols, b_rows, e.assign("ptr", 1, f"inttoptr {line} to ptr"))


def steps(f: FunctionWriter, s: Multiply, rows: Size, columns: Size, transposed: bool) -> list[Reg]:
    """The bytes from row to row and from column to column of an operand."""
    unit = f.number(item_size(s.kind))
    long = f.mul(f.size(rows if transposed else columns), unit)
    return [unit, long] if transposed else [long, unit]


def pack(f: FunctionWriter, s: Multiply, b: Reg, room: Room) -> None:
    """Fills the tables and packs b."""
    a_row, a_col = steps(f, s, s.m, s.k, s.transpose_a)
    b_row, b_col = steps(f, s, s.k, s.n, s.transpose_b)
    c_row = f.mul(f.size(s.n), f.number(item_size(s.kind)))
    m, k = f.size(s.m), f.size(s.k)
    filled = (room.rows, m, a_row), (room.places, m, c_row), (room.cols, k, a_col)
    for table, count, step in (*filled, (room.b_rows, k, b_row)):
        with f.loop(f.number(0), count) as i:
            f.store(f.e.binary("mul", i, step), f.address(table, i, I64))
    operands = b, room.b_rows, k, b_col, f.size(s.n), room.panels
    f.call("", f"gw_{letter(s)}pack", *operands)


def multiply(f: FunctionWriter, s: Multiply, matrices: Operands, room: Room) -> None:
    """Writes the call of the kernel with the packed operand."""
    e = f.e
    left_operand = matrices.a, room.rows, f.size(s.m), room.cols, f.size(s.k)
    factors = Reg("null", "ptr")
    if s.add:
        factors = f.stack(s.kind, 2)
        for i in range(2):
            f.store(e.constant(s.kind, 1), f.address(factors, f.number(i), s.kind))
    target = matrices.c, room.places, factors
    f.call("", f"gw_{letter(s)}multiply", *left_operand, room.panels, f.size(s.n), *target)


def letter(s: Multiply) -> str:
    """The letter of BLAS for the kind of elements."""
    return "s" if s.kind == "f32" else "d"


def write_blas(f: FunctionWriter, s: Multiply, matrices: Operands) -> None:
    """Writes the call of BLAS, which counts columns first: c' = b' a'."""
    e = f.e
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
    for value in (1, int(s.add)):
        room = f.stack(s.kind, 1)
        f.store(e.constant(s.kind, value), room)
        factors.append(room)
    n, m, k, ldb, lda, ldc = integers
    a, b, c = matrices
    operands = factors[0], b, ldb, a, lda, factors[1], c, ldc
    f.call("", f"gw_{letter(s)}gemm", *flags, n, m, k, *operands)


def single_product(module: LlvmModule, product: Multiply) -> SharedCallee:
    """The function of one product, which the module has then."""
    name = f"product{len(module.functions)}"
    f = FunctionWriter(module.frame, f"define internal void @{name}(ptr %frame)")
    write_product(f, product, matrices_of(f, product))
    f.e.line("ret void")
    return module.share(f)


class ProductsRun(WholeRun):
    """Writes the function that runs the products of a batch, which threads share."""

    def __init__(self, module: LlvmModule, products: Multiply) -> None:
        super().__init__(module, True)
        self.products = products

    def write(self) -> list[Reg]:
        name = f"products{len(self.module.functions)}"
        signature = f"define internal void @{name}(ptr %frame, i64 %begin, i64 %end, ptr %totals)"
        f = FunctionWriter(self.module.frame, signature)
        write_products(f, self.products, Reg("%begin", I64), Reg("%end", I64))
        f.e.line("ret void")
        return self.launch(Launch(self.module.share(f), self.sizes, whole=self.whole))

    def sizes(self, f: FunctionWriter) -> tuple[Reg, Reg]:
        """The number of products, and of multiply-adds."""
        return f.size(self.products.products), f.size(self.products.work)
