"""LLVM text of the contraction kernels: `pack`, `multiply` and `matmul` for one kind of element.

A contraction is c[i, j] = sum over k of a[i, k] * b[k, j]. Element (i, k) of `a` lies
`rows[i] + cols[k]` bytes from its start. With tables instead of strides, one kernel does products
of matrices (transposed or not), convolutions and their gradients: only the tables differ. With two
factors the result is f[0] * c[i, j] + f[1] * sum. A tile reads the old result when its sums are
done, so the update of a matrix takes no pass of its own.

`b` is packed first, in panels of a few vectors of columns, so that the innermost loop reads it
without gaps. Zeros fill the last panel. A tile of the result, some rows of one panel, stays in
registers while k runs. For each k it loads one offset, the panel's vectors, and one element of each
row, and multiplies the vectors by the elements. The scheme is that of K. Goto and R. van de Geijn,
"Anatomy of high-performance matrix multiplication", 2008, but `a` is read in place.
"""

from __future__ import annotations

from graphwright.machine import jobs, strip_code
from graphwright.machine.row_code import RowCode
from graphwright.machine.vector_code import VectorCode, square_turn

#: The rows of a packed block of the right operand: its panels stay in a core's cache.
BLOCK = 1024


class CodeTile(VectorCode):
    """The shape of a tile for one kind of element, and the text of its kernels."""

    @property
    def widest(self) -> int:
        """The most vectors of a panel."""
        return 4 if self.vectors.registers == 32 else 3

    def rows(self, width: int) -> int:
        """The rows of a tile of so many vectors: registers remain for operands and addresses.

        Few vectors have more rows, for sums that do not wait for each other.
        """
        if self.vectors.registers == 32:
            return 8 if width < 4 else 6
        return {1: 8, 2: 6, 3: 4}[width]

    @property
    def widths(self) -> range:
        """The possible numbers of vectors of a panel."""
        return range(1, self.widest + 1)

    def is_panel(self, columns: int) -> bool:
        """Whether a matrix of so many columns is its own only panel, without packing."""
        return columns % self.lanes == 0 and columns <= self.widest * self.lanes

    def text(self) -> str:
        """The text of the module."""
        parts = [self._kernels(), self._product(), _MATMUL, _MATMUL_PART, strip_code.text()]
        return "\n".join([*parts, self.declarations]) + self.attributes

    def kernels_text(self) -> str:
        """The text of a module of the functions that compiled programs call, alone."""
        return "\n".join([self._kernels(), self.declarations]) + self.attributes

    def _kernels(self) -> str:
        tiles = [self._panel(width) for width in self.widths]
        turn = square_turn(self.lanes, self.element, self.size)
        parts = [self._copy(), self._pack(), self._multiply(), _TABLE, self._shared_product()]
        rows = RowCode(self.vectors, self.bits).text()
        return "\n".join([*tiles, turn, *parts, _SHARED_PART, rows])

    # -- one panel -------------------------------------------------------------------------

    def _panel(self, width: int) -> str:
        """The text for all tiles of a panel; `%n` is the number of columns from its first on.

        Two k at a time share the cost of an iteration.
        """
        places = [(r, v) for r in range(self.rows(width)) for v in range(width)]
        return f"""
define internal void @panel{width}(ptr %a, ptr %rows, i64 %m, ptr %cols, i64 %k, ptr %b,
    ptr %c, ptr %places, i64 %n, ptr %factors) #0 {{
entry:
  %add = icmp ne ptr %factors, null
  %last = sub i64 %m, 1
  %over = sub i64 %n, {(width - 1) * self.lanes}
{self.below("%mask", "%over")}
  %odd = and i64 %k, 1
  %is.odd = icmp ne i64 %odd, 0
  %even = sub i64 %k, %odd
  %paired = icmp ne i64 %even, 0
  br label %tile
tile:
  %i = phi i64 [0, %entry], [%next, %stored]
{self._addresses("a", "%rows", "%a", width)}
  br i1 %paired, label %sum, label %rest
sum:
  %j = phi i64 [0, %tile], [%j2, %sum]
  %bj = phi ptr [%b, %tile], [%b.j2, %sum]
{self._phis(places, "s", ("zeroinitializer", "%tile"), ("u", "%sum"))}
{self._step(width, "s", "t", "%j", "%bj")}
  %j1 = add i64 %j, 1
  %b.j1 = getelementptr {self.vector}, ptr %bj, i64 {width}
{self._step(width, "t", "u", "%j1", "%b.j1")}
  %j2 = add i64 %j, 2
  %b.j2 = getelementptr {self.vector}, ptr %bj, i64 {2 * width}
  %more = icmp ult i64 %j2, %even
  br i1 %more, label %sum, label %rest
rest:
  %b.rest = phi ptr [%b, %tile], [%b.j2, %sum]
{self._phis(places, "e", ("zeroinitializer", "%tile"), ("u", "%sum"))}
  br i1 %is.odd, label %single, label %summed
single:
{self._step(width, "e", "o", "%even", "%b.rest")}
  br label %summed
summed:
{self._phis(places, "x", ("e", "%rest"), ("o", "%single"))}
{self._addresses("c", "%places", "%c", width)}
  br i1 %add, label %adding, label %store
adding:
{self._added(places, width)}
  br label %store
store:
{self._phis(places, "w", ("x", "%summed"), ("y", "%adding"))}
{self._stored(places, width)}
  br label %stored
stored:
  %next = add i64 %i, {self.rows(width)}
  %left = icmp ult i64 %next, %m
  br i1 %left, label %tile, label %done
done:
  ret void
}}"""

    def _addresses(self, name: str, table: str, start: str, width: int) -> str:
        """The text for the address of each row of the tile; rows past the end repeat the last."""
        lines = []
        for r in range(self.rows(width)):
            register = f"%{name}{r}"
            lines += [
                f"  {register}.i = add i64 %i, {r}",
                f"  {register}.in = icmp ult i64 {register}.i, %last",
                f"  {register}.row = select i1 {register}.in, i64 {register}.i, i64 %last",
                f"  {register}.entry = getelementptr i64, ptr {table}, i64 {register}.row",
                f"  {register}.offset = load i64, ptr {register}.entry",
                f"  {register} = getelementptr i8, ptr {start}, i64 {register}.offset",
            ]
        return "\n".join(lines)

    def _phis(self, places: list[tuple[int, int]], name: str, *sources: tuple[str, str]) -> str:
        """The text for sums that come from several blocks, in one register each."""

        def register(source: str, r: int, v: int) -> str:
            return source if source == "zeroinitializer" else f"%{source}{r}.{v}"

        lines = []
        for r, v in places:
            values = ", ".join(f"[{register(source, r, v)}, {block}]" for source, block in sources)
            lines.append(f"  %{name}{r}.{v} = phi {self.vector} {values}")
        return "\n".join(lines)

    def _step(self, width: int, before: str, after: str, j: str, panel: str) -> str:
        """The text for one k: the panel's vectors times the element of each row."""
        lines = [
            f"  %{after}.entry = getelementptr i64, ptr %cols, i64 {j}",
            f"  %{after}.offset = load i64, ptr %{after}.entry",
        ]
        for v in range(width):
            lines += [
                f"  %{after}.b{v}.at = getelementptr {self.vector}, ptr {panel}, i64 {v}",
                f"  %{after}.b{v} = load {self.vector}, ptr %{after}.b{v}.at, align {self.size}",
            ]
        for r in range(self.rows(width)):
            a = f"%{after}.a{r}"
            lines += [
                f"  {a}.at = getelementptr i8, ptr %a{r}, i64 %{after}.offset",
                f"  {a}.0 = load {self.element}, ptr {a}.at",
                self.splat(a, f"{a}.0", self.element),
            ]
            for v in range(width):
                lines.append(self.fma(f"%{after}{r}.{v}", a, f"%{after}.b{v}", f"%{before}{r}.{v}"))
        return "\n".join(lines)

    def _added(self, places: list[tuple[int, int]], width: int) -> str:
        """The text for sums plus the old result, each times its factor.

        All of the old result is read before any is written.
        """
        lines = [f"  %scale.at = getelementptr {self.element}, ptr %factors, i64 1"]
        for name, register in (("%keep", "%factors"), ("%scale", "%scale.at")):
            lines += [
                f"  {name}.0 = load {self.element}, ptr {register}",
                self.splat(name, f"{name}.0", self.element),
            ]
        for r, v in places:
            register, scaled = f"%l{r}.{v}", f"%z{r}.{v}"
            lines += [
                f"  {register}.at = getelementptr {self.vector}, ptr %c{r}, i64 {v}",
                self.load(register, f"{register}.at", "%mask" if v == width - 1 else None),
                f"  {scaled} = fmul {self.vector} %x{r}.{v}, %scale",
                self.fma(f"%y{r}.{v}", register, "%keep", scaled),
            ]
        return "\n".join(lines)

    def _stored(self, places: list[tuple[int, int]], width: int) -> str:
        lines = []
        for r, v in places:
            register, mask = f"%q{r}.{v}", "%mask" if v == width - 1 else None
            lines.append(f"  {register} = getelementptr {self.vector}, ptr %c{r}, i64 {v}")
            lines.append(self.store(f"%w{r}.{v}", register, mask))
        return "\n".join(lines)

    # -- all panels ------------------------------------------------------------------------

    def _split(self) -> str:
        """The text for `%panels` of `%base` vectors; the first `%longer` have one more."""
        return f"""
  %n.up = add i64 %n, {self.lanes - 1}
  %all = udiv i64 %n.up, {self.lanes}
  %all.up = add i64 %all, {self.widest - 1}
  %panels = udiv i64 %all.up, {self.widest}
  %base = udiv i64 %all, %panels
  %longer = urem i64 %all, %panels"""

    def _width(self) -> str:
        """The text for `%width` of panel `%p` with first vector `%v`, and for the next `%v1`."""
        return """  %long = icmp ult i64 %p, %longer
  %one = zext i1 %long to i64
  %width = add i64 %base, %one
  %v1 = add i64 %v, %width"""

    def _multiply(self) -> str:
        cases = [f"    i64 {width}, label %width{width}" for width in self.widths]
        calls = [
            f"""width{width}:
  call void @panel{width}(ptr %a, ptr %rows, i64 %m, ptr %cols, i64 %k, ptr %bp, ptr %cp,
      ptr %places, i64 %left, ptr %factors)
  br label %next"""
            for width in self.widths
        ]
        return f"""
define void @multiply(ptr %a, ptr %rows, i64 %m, ptr %cols, i64 %k, ptr %b, i64 %n, ptr %c,
    ptr %places, ptr %factors) #0 {{
entry:{self._split()}
  br label %panel
panel:
  %p = phi i64 [0, %entry], [%p1, %next]
  %v = phi i64 [0, %entry], [%v1, %next]
{self._width()}
  %j = mul i64 %v, {self.lanes}
  %left = sub i64 %n, %j
  %jk = mul i64 %j, %k
  %bp = getelementptr {self.element}, ptr %b, i64 %jk
  %cp = getelementptr {self.element}, ptr %c, i64 %j
  switch i64 %width, label %next [
{chr(10).join(cases)}
  ]
{chr(10).join(calls)}
next:
  %p1 = add i64 %p, 1
  %more = icmp ult i64 %p1, %panels
  br i1 %more, label %panel, label %done
done:
  ret void
}}"""

    def _product(self) -> str:
        """The text for `pack` and `multiply` panel by panel, in work space for one.

        So the panel stays in the nearest cache.
        """
        return f"""
define void @product(ptr %a, ptr %rows, i64 %m, ptr %cols, i64 %k, ptr %b, ptr %b.rows,
    i64 %step, i64 %n, ptr %c, ptr %places, ptr %room) #0 {{
entry:{self._split()}
  br label %panel
panel:
  %p = phi i64 [0, %entry], [%p1, %panel]
  %v = phi i64 [0, %entry], [%v1, %panel]
{self._width()}
  %j = mul i64 %v, {self.lanes}
  %end = mul i64 %v1, {self.lanes}
  %last = call i64 @llvm.smin.i64(i64 %end, i64 %n)
  %columns = sub i64 %last, %j
  %skip = mul i64 %j, %step
  %bp = getelementptr i8, ptr %b, i64 %skip
  %cp = getelementptr {self.element}, ptr %c, i64 %j
  call void @pack(ptr %bp, ptr %b.rows, i64 %k, i64 %step, i64 %columns, ptr %room)
  call void @multiply(ptr %a, ptr %rows, i64 %m, ptr %cols, i64 %k, ptr %room, i64 %columns,
      ptr %cp, ptr %places, ptr null)
  %p1 = add i64 %p, 1
  %more = icmp ult i64 %p1, %panels
  br i1 %more, label %panel, label %done
done:
  ret void
}}
declare i64 @llvm.smin.i64(i64, i64)"""

    def _shared_product(self) -> str:
        """The text for a product of whole matrices, c = a @ b, or c += a @ b where it `%adds`.

        `%share` runs functions of parts, as `parallel_for` does; without it there is one thread.
        It returns 1 if there is no memory to work in. `most` rows of b are packed together.
        """
        most, element = BLOCK, self.element
        high = max(self.rows(width) for width in self.widths) * 3
        words = [word.replace(" ", " %") for word in _SHARED.split(", ")]
        stored = "\n".join(
            f"  %word{i} = getelementptr i64, ptr %context, i64 {i}\n  store {word}, ptr %word{i}"
            for i, word in enumerate(words)
        )
        return f"""
declare ptr @malloc(i64)
declare void @free(ptr)

define i64 @shared_product(ptr %a, i64 %a.row, i64 %a.col, ptr %b, i64 %b.row, i64 %b.col, ptr %c,
    i64 %m, i64 %n, i64 %k, i64 %adds, ptr %share) #0 {{
entry:
  %context = alloca i64, i64 {len(words)}, align 16
  %ones = alloca {element}, i64 2, align 16
  store {element} 1.0, ptr %ones
  %second = getelementptr {element}, ptr %ones, i64 1
  store {element} 1.0, ptr %second
  %m.eighth = sdiv i64 %m, 8
  %units.less = sdiv i64 %m.eighth, {high}
  %units = add i64 %units.less, 1
  %few = icmp slt i64 %units, 10
  %units.each = select i1 %few, i64 %units, i64 10
  %each = mul i64 %units.each, {high}
  %m.up = add i64 %m, %each
  %m.over = sub i64 %m.up, 1
  %parts = sdiv i64 %m.over, %each
  %shallow = icmp slt i64 %k, {most}
  %deepest = select i1 %shallow, i64 %k, i64 {most}
  %n.up = add i64 %n, {self.lanes - 1}
  %across = sdiv i64 %n.up, {self.lanes}
  %packed = mul i64 %across, %deepest
  %packed.bytes = mul i64 %packed, {self.lanes * self.size}
  %entries = add i64 %each, %deepest
  %tables.bytes = mul i64 %entries, 16
  %some.bytes = add i64 %packed.bytes, %tables.bytes
  %bytes = add i64 %some.bytes, 64
  %rows = call ptr @malloc(i64 %bytes)
  %none = icmp eq ptr %rows, null
  br i1 %none, label %refused, label %allocated
refused:
  ret i64 1
allocated:
  %places = getelementptr i64, ptr %rows, i64 %each
  %cols = getelementptr i64, ptr %places, i64 %each
  %b.rows = getelementptr i64, ptr %cols, i64 %deepest
  %end = getelementptr i64, ptr %b.rows, i64 %deepest
  %end.number = ptrtoint ptr %end to i64
  %over = sub i64 0, %end.number
  %skip = and i64 %over, 63
  %panels = getelementptr i8, ptr %end, i64 %skip
  %c.row = mul i64 %n, {self.size}
  call void @table(ptr %rows, i64 %each, i64 %a.row)
  call void @table(ptr %places, i64 %each, i64 %c.row)
  call void @table(ptr %cols, i64 %deepest, i64 %a.col)
  call void @table(ptr %b.rows, i64 %deepest, i64 %b.row)
  %replaces = icmp eq i64 %adds, 0
  %before = select i1 %replaces, ptr null, ptr %ones
  %alone = icmp eq ptr %share, null
  br label %block
block:
  %deep = phi i64 [0, %allocated], [%deeper, %next]
  %factors = phi ptr [%before, %allocated], [%ones, %next]
  %left = sub i64 %k, %deep
  %last = icmp slt i64 %left, {most}
  %depth = select i1 %last, i64 %left, i64 {most}
  %a.skip = mul i64 %deep, %a.col
  %a.deep = getelementptr i8, ptr %a, i64 %a.skip
  %b.skip = mul i64 %deep, %b.row
  %b.deep = getelementptr i8, ptr %b, i64 %b.skip
  call void @pack(ptr %b.deep, ptr %b.rows, i64 %depth, i64 %b.col, i64 %n, ptr %panels)
{stored}
  br i1 %alone, label %part, label %together
together:
  call void %share(ptr @shared_part, ptr %context, i64 %parts)
  br label %next
part:
  %p = phi i64 [0, %block], [%p1, %part]
  call void @shared_part(ptr %context, i64 %p)
  %p1 = add i64 %p, 1
  %more = icmp slt i64 %p1, %parts
  br i1 %more, label %part, label %next
next:
  %deeper = add i64 %deep, {most}
  %again = icmp slt i64 %deeper, %k
  br i1 %again, label %block, label %done
done:
  call void @free(ptr %rows)
  ret i64 0
}}"""

    def _copy(self) -> str:
        """The text for `pack` of a matrix with contiguous rows: row by row, the fastest to read."""
        return f"""
define internal void @copy(ptr %b, ptr %rows, i64 %k, i64 %n, ptr %out) #0 {{
entry:{self._split()}
  %whole = udiv i64 %n, {self.lanes}
  %rest = urem i64 %n, {self.lanes}
{self.below("%mask", "%rest")}
  br label %row
row:
  %i = phi i64 [0, %entry], [%i1, %row.done]
  %row.entry = getelementptr i64, ptr %rows, i64 %i
  %offset = load i64, ptr %row.entry
  %row.at = getelementptr i8, ptr %b, i64 %offset
  br label %panel
panel:
  %p = phi i64 [0, %row], [%p1, %next]
  %v = phi i64 [0, %row], [%v1, %next]
{self._width()}
  %before = mul i64 %v, %k
  %above = mul i64 %i, %width
  %place = add i64 %before, %above
  %to.panel = getelementptr {self.vector}, ptr %out, i64 %place
  br label %vector
vector:
  %w = phi i64 [%v, %panel], [%w1, %stored]
  %to = phi ptr [%to.panel, %panel], [%to1, %stored]
  %at = getelementptr {self.vector}, ptr %row.at, i64 %w
  %full = icmp ult i64 %w, %whole
  br i1 %full, label %filled, label %partial
filled:
{self.load("%x", "%at", None)}
  br label %stored
partial:
{self.load("%y", "%at", "%mask")}
  br label %stored
stored:
  %z = phi {self.vector} [%x, %filled], [%y, %partial]
  store {self.vector} %z, ptr %to, align {self.size}
  %to1 = getelementptr {self.vector}, ptr %to, i64 1
  %w1 = add i64 %w, 1
  %inside = icmp ult i64 %w1, %v1
  br i1 %inside, label %vector, label %next
next:
  %p1 = add i64 %p, 1
  %more = icmp ult i64 %p1, %panels
  br i1 %more, label %panel, label %row.done
row.done:
  %i1 = add i64 %i, 1
  %rows.left = icmp ult i64 %i1, %k
  br i1 %rows.left, label %row, label %done
done:
  ret void
}}"""

    def _pack(self) -> str:
        """The text for `pack` of columns `%step` bytes apart.

        Contiguous rows are copied. Blocks whose columns are contiguous are transposed.
        """
        lanes = self.lanes
        return f"""
declare i1 @llvm.vector.reduce.and.v{lanes}i1(<{lanes} x i1>)

define void @pack(ptr %b, ptr %rows, i64 %k, i64 %step, i64 %n, ptr %out) #0 {{
entry:{self._split()}
  %close = icmp eq i64 %step, {self.size}
  br i1 %close, label %straight, label %panel
straight:
  call void @copy(ptr %b, ptr %rows, i64 %k, i64 %n, ptr %out)
  ret void
panel:
  %p = phi i64 [0, %entry], [%p1, %next]
  %v = phi i64 [0, %entry], [%v1, %next]
  %to = phi ptr [%out, %entry], [%to.panel, %next]
{self._width()}
  %stride = mul i64 %width, {lanes * self.size}
  %panel.size = mul i64 %stride, %k
  %to.panel = getelementptr i8, ptr %to, i64 %panel.size
  %panel.end = mul i64 %v1, {lanes}
  %filled = icmp ule i64 %panel.end, %n
  br i1 %filled, label %block, label %rest
{self._pack_blocks()}
{self._pack_rows()}
next:
  %p1 = add i64 %p, 1
  %more = icmp ult i64 %p1, %panels
  br i1 %more, label %panel, label %done
done:
  ret void
}}"""

    def _pack_blocks(self) -> str:
        """The part of `pack` that transposes blocks, as long as their columns are contiguous."""
        lanes, wide = self.lanes, f"<{self.lanes} x i64>"
        apart = ", ".join(f"i64 {lane * self.size}" for lane in range(lanes))
        return f"""\
block:
  %bi = phi i64 [0, %panel], [%bi1, %block.done]
  %bi1 = add i64 %bi, {lanes}
  %fits = icmp ule i64 %bi1, %k
  br i1 %fits, label %check, label %rest
check:
  %block.entry = getelementptr i64, ptr %rows, i64 %bi
  %offsets = load {wide}, ptr %block.entry, align 8
  %first = extractelement {wide} %offsets, i32 0
{self.splat("%start", "%first", "i64")}
  %wanted = add {wide} %start, <{apart}>
  %same = icmp eq {wide} %offsets, %wanted
  %even = call i1 @llvm.vector.reduce.and.v{lanes}i1(<{lanes} x i1> %same)
  br i1 %even, label %turn.start, label %rest
turn.start:
  %block.at = getelementptr i8, ptr %b, i64 %first
  %block.skip = mul i64 %bi, %stride
  %block.to = getelementptr i8, ptr %to, i64 %block.skip
  br label %turn.vector
turn.vector:
  %u = phi i64 [%v, %turn.start], [%u1, %turn.vector]
  %u.to = phi ptr [%block.to, %turn.start], [%u.to1, %turn.vector]
  %u.j = mul i64 %u, {lanes}
  %u.skip = mul i64 %u.j, %step
  %u.at = getelementptr i8, ptr %block.at, i64 %u.skip
  call void @turn(ptr %u.at, i64 %step, ptr %u.to, i64 %stride)
  %u.to1 = getelementptr {self.vector}, ptr %u.to, i64 1
  %u1 = add i64 %u, 1
  %u.more = icmp ult i64 %u1, %v1
  br i1 %u.more, label %turn.vector, label %block.done
block.done:
  br label %block"""

    def _pack_rows(self) -> str:
        """The part of `pack` that gathers the rows that are left, element by element."""
        lanes = self.lanes
        return f"""\
rest:
  %i.start = phi i64 [0, %panel], [%bi, %block], [%bi, %check]
  %rest.skip = mul i64 %i.start, %stride
  %to.rest = getelementptr i8, ptr %to, i64 %rest.skip
  %some = icmp ult i64 %i.start, %k
  br i1 %some, label %row, label %next
row:
  %i = phi i64 [%i.start, %rest], [%i1, %row.done]
  %to.row = phi ptr [%to.rest, %rest], [%to.end, %row.done]
  %row.entry = getelementptr i64, ptr %rows, i64 %i
  %row.offset = load i64, ptr %row.entry
  %row.at = getelementptr i8, ptr %b, i64 %row.offset
  br label %vector
vector:
  %w = phi i64 [%v, %row], [%w1, %loaded]
  %to.w = phi ptr [%to.row, %row], [%to.end, %loaded]
  %j = mul i64 %w, {lanes}
  %left = sub i64 %n, %j
  %skip = mul i64 %j, %step
  %at = getelementptr i8, ptr %row.at, i64 %skip
  br label %apart
apart:
  %lane = phi i64 [0, %vector], [%lane1, %apart]
  %gathered = phi {self.vector} [zeroinitializer, %vector], [%gathered1, %apart]
  %lane.skip = mul i64 %lane, %step
  %lane.at = getelementptr i8, ptr %at, i64 %lane.skip
  %e = load {self.element}, ptr %lane.at
  %gathered1 = insertelement {self.vector} %gathered, {self.element} %e, i64 %lane
  %lane1 = add i64 %lane, 1
  %inside = icmp slt i64 %lane1, %left
  %short = icmp ult i64 %lane1, {lanes}
  %again = and i1 %inside, %short
  br i1 %again, label %apart, label %loaded
loaded:
  store {self.vector} %gathered1, ptr %to.w, align {self.size}
  %to.end = getelementptr {self.vector}, ptr %to.w, i64 1
  %w1 = add i64 %w, 1
  %wide = icmp ult i64 %w1, %v1
  br i1 %wide, label %vector, label %row.done
row.done:
  %i1 = add i64 %i, 1
  %rows.left = icmp ult i64 %i1, %k
  br i1 %rows.left, label %row, label %next"""


#: Fills in a table of offsets, a step apart.
_TABLE = """
define internal void @table(ptr %out, i64 %n, i64 %step) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %loop]
  %offset = mul i64 %i, %step
  %at = getelementptr i64, ptr %out, i64 %i
  store i64 %offset, ptr %at
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}"""

#: The context of `shared_product`: of each part, `each` rows of a and c but for the last one.
_SHARED = (
    "ptr a.deep, i64 a.row, ptr rows, ptr cols, i64 depth, ptr panels, i64 n, ptr c, i64 c.row, "
    "ptr places, ptr factors, i64 m, i64 each"
)

_SHARED_PART = f"""
define internal void @shared_part(ptr %context, i64 %part) #0 {{
entry:
{jobs.words(_SHARED)}
  %first = mul i64 %part, %each
  %left = sub i64 %m, %first
  %last = icmp slt i64 %left, %each
  %some = select i1 %last, i64 %left, i64 %each
  %a.skip = mul i64 %first, %a.row
  %own.a = getelementptr i8, ptr %a.deep, i64 %a.skip
  %c.skip = mul i64 %first, %c.row
  %own.c = getelementptr i8, ptr %c, i64 %c.skip
  call void @multiply(ptr %own.a, ptr %rows, i64 %some, ptr %cols, i64 %depth, ptr %panels, i64 %n,
      ptr %own.c, ptr %places, ptr %factors)
  ret void
}}"""


# Products of matrices with any strides, one for each entry of `%starts` (offsets of the three
# matrices). Where operands `b` are `%reused`, one that comes again is not packed again. `%work` has
# room for the tables (2 m + 2 k offsets) and up to 56 bytes of alignment. Then comes the packed
# operand or a panel of it.
_MATMUL = """
define internal void @matmul(ptr %a, i64 %a.row, i64 %a.col, i64 %m, i64 %k, ptr %b, i64 %b.row,
    i64 %b.col, i64 %n, ptr %c, i64 %c.row, ptr %starts, i64 %count, i64 %reused, ptr %work) #0 {
entry:
  %again = icmp ne i64 %reused, 0
  %places = getelementptr i64, ptr %work, i64 %m
  %cols = getelementptr i64, ptr %places, i64 %m
  %b.rows = getelementptr i64, ptr %cols, i64 %k
  %end = getelementptr i64, ptr %b.rows, i64 %k
  %end.number = ptrtoint ptr %end to i64
  %over = sub i64 0, %end.number
  %skip = and i64 %over, 63
  %packed = getelementptr i8, ptr %end, i64 %skip
  call void @table(ptr %work, i64 %m, i64 %a.row)
  call void @table(ptr %places, i64 %m, i64 %c.row)
  call void @table(ptr %cols, i64 %k, i64 %a.col)
  call void @table(ptr %b.rows, i64 %k, i64 %b.row)
  br label %item
item:
  %i = phi i64 [0, %entry], [%i1, %next]
  %before = phi i64 [-1, %entry], [%ob, %next]
  %start = getelementptr [3 x i64], ptr %starts, i64 %i
  %oa = load i64, ptr %start
  %ob.at = getelementptr i64, ptr %start, i64 1
  %ob = load i64, ptr %ob.at
  %oc.at = getelementptr i64, ptr %start, i64 2
  %oc = load i64, ptr %oc.at
  %ai = getelementptr i8, ptr %a, i64 %oa
  %ci = getelementptr i8, ptr %c, i64 %oc
  %bi = getelementptr i8, ptr %b, i64 %ob
  br i1 %again, label %shared, label %own
own:
  call void @product(ptr %ai, ptr %work, i64 %m, ptr %cols, i64 %k, ptr %bi, ptr %b.rows,
      i64 %b.col, i64 %n, ptr %ci, ptr %places, ptr %packed)
  br label %next
shared:
  %first = icmp eq i64 %i, 0
  %other = icmp ne i64 %ob, %before
  %new = or i1 %first, %other
  br i1 %new, label %pack, label %multiply
pack:
  call void @pack(ptr %bi, ptr %b.rows, i64 %k, i64 %b.col, i64 %n, ptr %packed)
  br label %multiply
multiply:
  call void @multiply(ptr %ai, ptr %work, i64 %m, ptr %cols, i64 %k, ptr %packed, i64 %n,
      ptr %ci, ptr %places, ptr null)
  br label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %count
  br i1 %more, label %item, label %done
done:
  ret void
}"""

#: The context of a part: the arguments of `matmul` for the batch, then the distance of the parts'
#: work spaces and the number of parts.
_BATCH = (
    "ptr a, i64 a.row, i64 a.col, i64 m, i64 k, ptr b, i64 b.row, i64 b.col, i64 n, "
    "ptr c, i64 c.row, ptr starts, i64 count, i64 reused, ptr work, i64 work.step, i64 parts"
)
_MATMUL_PART = f"""
define void @matmul_part(ptr %context, i64 %part) #0 {{
entry:
{jobs.words(_BATCH)}
  %after = add i64 %part, 1
  %before.all = mul i64 %count, %part
  %until.all = mul i64 %count, %after
  %first = sdiv i64 %before.all, %parts
  %end = sdiv i64 %until.all, %parts
  %some = sub i64 %end, %first
  %own.starts = getelementptr [3 x i64], ptr %starts, i64 %first
  %skip = mul i64 %work.step, %part
  %own.work = getelementptr i8, ptr %work, i64 %skip
  call void @matmul(ptr %a, i64 %a.row, i64 %a.col, i64 %m, i64 %k, ptr %b, i64 %b.row,
      i64 %b.col, i64 %n, ptr %c, i64 %c.row, ptr %own.starts, i64 %some, i64 %reused,
      ptr %own.work)
  ret void
}}"""
