"""LLVM text of `multiply_rows`: a few rows of products of matrices, which are read as they lie.

Packing a matrix takes longer than to multiply a few rows by it.
"""

from __future__ import annotations

from graphwright.machine.vector_code import VectorCode

#: What the functions of `RowCode` have in common: rows of a and c, and the first column of b.
_OPERANDS = (
    "ptr %a.first, i64 %a.row, i64 %m, i64 %k, i64 %c.row, i1 %add, ptr %b, ptr %c.first"
)

#: Their loop over rows: b's columns stay in the nearest cache.
_NEXT_ROW = """  br label %row
row:
  %i = phi i64 [0, %entry], [%i1, %next]
  %a.skip = mul i64 %i, %a.row
  %a = getelementptr i8, ptr %a.first, i64 %a.skip
  %c.skip = mul i64 %i, %c.row
  %c = getelementptr i8, ptr %c.first, i64 %c.skip
  br label %head"""
_ROW_DONE = """  br label %next
next:
  %i1 = add i64 %i, 1
  %rows.left = icmp slt i64 %i1, %m
  br i1 %rows.left, label %row, label %done
done:
  ret void
}"""


class RowCode(VectorCode):
    """The text of `multiply_rows`: each row of the result by itself, from operands as they lie.

    Elements of a row of `a` lie side by side. So do elements of a row of `b`, or those of a column.
    """

    #: The vectors of columns that are computed at once.
    WIDTH = 4
    #: The first arguments of each call in `multiply_rows`.
    ROWS = "ptr %a, i64 %a.row, i64 %m, i64 %k, i64 %c.row, i1 %add"

    def text(self) -> str:
        """The text of the functions."""
        whole = self._side(self.WIDTH, False)
        parts = [self._side(width, True) for width in range(1, self.WIDTH + 1)]
        return "\n".join([whole, *parts, self._dots(4), self._dots(1), self._rows()])

    # -- rows of b whose elements lie side by side --------------------------------------------

    def _side(self, width: int, masked: bool) -> str:
        """The text for `width` vectors of columns; the last one has `%left` lanes if `masked`.

        Two k at a time have sums of their own, so that fewer multiplications wait for others.
        """
        name = f"side.part{width}" if masked else f"side{width}"
        vector, places = self.vector, range(width)
        mask = self.below("%mask", "%left") if masked else ""

        def step(label: str, count: str, row: str, before: str) -> str:
            lines = [
                f"  %{label}.a.at = getelementptr {self.element}, ptr %a, i64 {count}",
                f"  %{label}.a.0 = load {self.element}, ptr %{label}.a.at",
                self.splat(f"%{label}.a", f"%{label}.a.0", self.element),
            ]
            for v in places:
                register = f"%{label}.b{v}"
                selected = "%mask" if masked and v == width - 1 else None
                lines += [
                    f"  {register}.at = getelementptr {vector}, ptr {row}, i64 {v}",
                    self.load(register, f"{register}.at", selected),
                    self.fma(f"%{label}{v}", f"%{label}.a", register, f"%{before}{v}"),
                ]
            return "\n".join(lines)

        def phis(label: str, *sources: tuple[str, str]) -> str:
            return "\n".join(
                f"  %{label}{v} = phi {vector} "
                + ", ".join(
                    f"[{x if x == 'zeroinitializer' else f'%{x}{v}'}, {block}]"
                    for x, block in sources
                )
                for v in places
            )

        sums = [f"  %z{v} = fadd {vector} %y{v}, %h{v}" for v in places]
        adds, stores = [], []
        for v in places:
            selected = "%mask" if masked and v == width - 1 else None
            adds += [
                f"  %old{v}.at = getelementptr {vector}, ptr %c, i64 {v}",
                self.load(f"%old{v}", f"%old{v}.at", selected),
                f"  %n{v} = fadd {vector} %old{v}, %z{v}",
            ]
            stores += [
                f"  %c{v} = getelementptr {vector}, ptr %c, i64 {v}",
                self.store(f"%r{v}", f"%c{v}", selected),
            ]
        return "\n".join(
            [
                f"""
define internal void @{name}({_OPERANDS}, i64 %b.row, i64 %left) #0 {{
entry:
{mask}
  %even = and i64 %k, -2
  %odd = icmp ne i64 %even, %k
{_NEXT_ROW}
head:
  %j = phi i64 [0, %row], [%j2, %body]
  %b.at = phi ptr [%b, %row], [%b2, %body]
{phis("g", ("zeroinitializer", "%row"), ("s", "%body"))}
{phis("h", ("zeroinitializer", "%row"), ("t", "%body"))}
  %more = icmp slt i64 %j, %even
  br i1 %more, label %body, label %rest
body:
{step("s", "%j", "%b.at", "g")}
  %j1 = or i64 %j, 1
  %b1 = getelementptr i8, ptr %b.at, i64 %b.row
{step("t", "%j1", "%b1", "h")}
  %j2 = add i64 %j, 2
  %b2 = getelementptr i8, ptr %b1, i64 %b.row
  br label %head
rest:
  br i1 %odd, label %single, label %summed
single:
{step("u", "%even", "%b.at", "g")}
  br label %summed
summed:
{phis("y", ("g", "%rest"), ("u", "%single"))}""",
                *sums,
                "  br i1 %add, label %adding, label %store\nadding:",
                *adds,
                "  br label %store\nstore:",
                phis("r", ("z", "%summed"), ("n", "%adding")),
                *stores,
                _ROW_DONE,
            ]
        )

    # -- columns of b whose elements lie side by side -----------------------------------------

    def _dots(self, count: int) -> str:
        """The text for sums of products of a row of a and `count` columns of b."""
        vector, columns = self.vector, range(count)

        def step(label: str, place: str, before: str, mask: str | None) -> str:
            lines = [
                f"  %{label}.a.at = getelementptr {self.element}, ptr %a, i64 {place}",
                self.load(f"%{label}.a", f"%{label}.a.at", mask),
            ]
            for v in columns:
                register = f"%{label}.b{v}"
                lines += [
                    f"  {register}.at = getelementptr {self.element}, ptr %b{v}, i64 {place}",
                    self.load(register, f"{register}.at", mask),
                    self.fma(f"%{label}{v}", f"%{label}.a", register, f"%{before}{v}"),
                ]
            return "\n".join(lines)

        starts = ["  %b0 = getelementptr i8, ptr %b, i64 0"]
        starts += [
            f"  %b{v} = getelementptr i8, ptr %b{v - 1}, i64 %b.col" for v in columns if v > 0
        ]
        phis = [
            f"  %g{v} = phi {vector} [zeroinitializer, %row], [%s{v}, %body]" for v in columns
        ]
        ends = [f"  %z{v} = phi {vector} [%g{v}, %rest], [%t{v}, %partial]" for v in columns]
        result = f"<{count} x {self.element}>"
        return "\n".join(
            [
                f"""
define internal void @dots{count}({_OPERANDS}, i64 %b.col) #0 {{
entry:
  %over = urem i64 %k, {self.lanes}
  %whole = sub i64 %k, %over
{self.below("%mask", "%over")}""",
                *starts,
                _NEXT_ROW,
                "head:\n  %j = phi i64 [0, %row], [%j1, %body]",
                *phis,
                f"""  %more = icmp slt i64 %j, %whole
  br i1 %more, label %body, label %rest
body:
{step("s", "%j", "g", None)}
  %j1 = add i64 %j, {self.lanes}
  br label %head
rest:
  %is.over = icmp ne i64 %over, 0
  br i1 %is.over, label %partial, label %summed
partial:
{step("t", "%whole", "g", "%mask")}
  br label %summed
summed:""",
                *ends,
                self._totals(count),
                f"""  br i1 %add, label %adding, label %store
adding:
  %old = load {result}, ptr %c, align {self.size}
  %new = fadd {result} %old, %total
  br label %store
store:
  %r = phi {result} [%total, %summed], [%new, %adding]
  store {result} %r, ptr %c, align {self.size}
{_ROW_DONE}""",
            ]
        )

    def _totals(self, count: int) -> str:
        """The text for `%total`: the sum of the elements of each of `%z0`, `%z1`, ...

        Halves are added to halves, so the order of additions is the same in all compilations.
        """
        lines, element = [], self.element
        vector = f"<{count} x {element}>"
        sums = "poison"
        for v in range(count):
            x, lanes = f"%z{v}", self.lanes
            while lanes > 1:
                kind, lanes = f"<{lanes} x {element}>", lanes // 2
                half = f"<{lanes} x {element}>"
                for name, start in (("low", 0), ("high", lanes)):
                    places = ", ".join(f"i32 {start + i}" for i in range(lanes))
                    lines.append(
                        f"  %{name}{v}.{lanes} = "
                        f"shufflevector {kind} {x}, {kind} poison, <{lanes} x i32> <{places}>"
                    )
                lines.append(f"  %sum{v}.{lanes} = fadd {half} %low{v}.{lanes}, %high{v}.{lanes}")
                x = f"%sum{v}.{lanes}"
            total = "%total" if v == count - 1 else f"%total{v}"
            lines += [
                f"  {total}.e = extractelement <1 x {element}> {x}, i32 0",
                f"  {total} = insertelement {vector} {sums}, {element} {total}.e, i32 {v}",
            ]
            sums = total
        return "\n".join(lines)

    # -- all rows -----------------------------------------------------------------------------

    def _rows(self) -> str:
        """The text of `multiply_rows`: c = a @ b, or c += a @ b where it `%adds`.

        Steps are in bytes. Elements of a row of a are adjacent, and those of b's rows or columns.
        """
        step = self.WIDTH * self.lanes
        parts = range(1, self.WIDTH + 1)
        cases = "\n".join(f"    i64 {width}, label %part{width}" for width in parts)
        calls = "\n".join(
            f"""part{width}:
  %left{width} = sub i64 %over, {(width - 1) * self.lanes}
  call void @side.part{width}({self.ROWS}, ptr %b.rest, ptr %c.rest, i64 %b.row, i64 %left{width})
  ret void"""
            for width in parts
        )
        return f"""
define void @multiply_rows(ptr %a, i64 %a.row, ptr %b, i64 %b.row, i64 %b.col, ptr %c, i64 %m,
    i64 %n, i64 %k, i64 %adds) #0 {{
entry:
  %add = icmp ne i64 %adds, 0
  %c.row = mul i64 %n, {self.size}
  %some = icmp sgt i64 %m, 0
  br i1 %some, label %kind, label %done
kind:
  %dots = icmp eq i64 %b.row, {self.size}
  br i1 %dots, label %four.start, label %side.start
side.start:
  %over = urem i64 %n, {step}
  %whole = sub i64 %n, %over
  br label %side
side:
  %j = phi i64 [0, %side.start], [%j1, %side.next]
  %j.more = icmp slt i64 %j, %whole
  %bj = getelementptr {self.element}, ptr %b, i64 %j
  %cj = getelementptr {self.element}, ptr %c, i64 %j
  br i1 %j.more, label %side.next, label %side.rest
side.next:
  call void @side{self.WIDTH}({self.ROWS}, ptr %bj, ptr %cj, i64 %b.row, i64 0)
  %j1 = add i64 %j, {step}
  br label %side
side.rest:
  %b.rest = getelementptr {self.element}, ptr %b, i64 %whole
  %c.rest = getelementptr {self.element}, ptr %c, i64 %whole
  %over.up = add i64 %over, {self.lanes - 1}
  %width = udiv i64 %over.up, {self.lanes}
  switch i64 %width, label %done [
{cases}
  ]
{calls}
four.start:
  %single = urem i64 %n, 4
  %fours = sub i64 %n, %single
  br label %four
{self._dot_columns("four", 4, ("0", "%four.start"), "%fours", "%one")}
{self._dot_columns("one", 1, ("%fours", "%four"), "%n", "%done")}
done:
  ret void
}}"""

    def _dot_columns(
        self, label: str, count: int, start: tuple[str, str], limit: str, after: str
    ) -> str:
        """The text of a loop over columns of b, `count` at a time, in `multiply_rows`.

        `start` is the first column, and the block before.
        """
        x = f"%{label}"
        return f"""{label}:
  {x}.j = phi i64 [{start[0]}, {start[1]}], [{x}.j1, {x}.next]
  {x}.skip = mul i64 {x}.j, %b.col
  {x}.b = getelementptr i8, ptr %b, i64 {x}.skip
  {x}.c = getelementptr {self.element}, ptr %c, i64 {x}.j
  {x}.more = icmp slt i64 {x}.j, {limit}
  br i1 {x}.more, label {x}.next, label {after}
{label}.next:
  call void @dots{count}({self.ROWS}, ptr {x}.b, ptr {x}.c, i64 %b.col)
  {x}.j1 = add i64 {x}.j, {count}
  br label {x}"""
