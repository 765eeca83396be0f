"""LLVM text of discrete Fourier transforms for one kind of element.

A transform is computed for as many lines at once as a vector has lanes. Element j of these lines is
a *cell*: a vector of real parts and one of imaginary parts. So no instruction of a pass crosses
lanes. The lines are rows or columns of a tensor. One row of n elements is made of such lines too:
element j is entry (j // L, j % L) of n / L rows by L lanes. Its columns are transformed, multiplied
by roots of unity, turned, and transformed again in registers (`across`). That is the scheme of
D. H. Bailey, "FFTs in external or hierarchical memory", 1990.

A pass is one factor of the length. It reads one buffer of cells and writes another, whose order is
such that no permutation is left at the end: T. G. Stockham, "High-speed convolution and
correlation", 1966. The inverse transform is that of conjugates, conjugated: a sign is a factor of
imaginary parts where they are read and written.

Reals are read as half as many complex numbers. `mirror` makes the half spectrum of theirs, and the
other way round: P. N. Swarztrauber, "Symmetric FFTs", 1986.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine import jobs
from graphwright.machine.targets import Vectors

#: The registers of real and imaginary parts.
Pair: TypeAlias = tuple[str, str]

#: The factors of lengths that have a pass.
FACTORS = (2, 3, 4, 5, 8)
#: Those that may be the first ones, or the last ones, of a row that is split.
FIRST, LAST = (4, 8), (2, 4, 8)

_FIRST, _SECOND = (math.sqrt(5) - 1) / 4, (math.sqrt(5) + 1) / 4
_LOW, _HIGH = (math.sqrt(10 + side * math.sqrt(20)) / 4 for side in (-1, 1))
#: Cosines and sines of whole parts of a turn.
ROOTS = {
    3: ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75))),
    5: (
        *((1.0, 0.0), (_FIRST, _HIGH), (-_SECOND, _LOW)),
        *((-_SECOND, -_LOW), (_FIRST, -_HIGH)),
    ),
}

#: The context of `fourier_part`. Steps are in bytes.
#:
#: There are `items`: rows, or `groups` of lines for each of some outer places. A row is `split`. A
#: line begins at `outer` times the outer place plus `lane` times its number among `lines`; its
#: elements are `step` bytes apart. Passes are for `n` cells. A row of reals is `half` pairs:
#: `spectra` is 1 where half spectra are written, 2 where they are read.
CONTEXT = (
    "ptr source, ptr target, ptr work, i64 outer, i64 lane, i64 step, i64 to.outer, i64 to.lane, "
    "i64 to.step, i64 items, i64 groups, i64 lines, i64 n, i64 split, ptr passes, i64 count, "
    "i64 spectra, i64 half, ptr turns, i64 work.step, i64 parts, double sign, double scale, "
    "double scale.imag"
)

#: The words of a pass: its factor, the cells it reads apart, those it has done, its roots.
PASS_WORDS = 4
#: What is added to the factor of a row's first pass, and of its last one.
AS_FIRST, AS_LAST = 32, 16


class FourierCode(NamedTuple):
    """The text of the transforms of float or double."""

    vectors: Vectors
    bits: int  # of an element

    @property
    def lanes(self) -> int:
        """The lines that are transformed at once."""
        return min(8, self.vectors.bits // self.bits)

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return self.bits // 8

    @property
    def cell(self) -> int:
        """The bytes of a cell."""
        return 2 * self.lanes * self.size

    def text(self) -> str:
        """The text of the module, whose one public function is `fourier_part(context, part)`."""
        parts = [self._load(), self._load_apart(), self._store(), self._store_apart()]
        parts += [self._load_rows(), self._store_rows()]
        parts += [self._pass(factor, False) for factor in FACTORS]
        parts += [self._pass(factor, True) for factor in LAST]
        parts += [self._first(factor) for factor in FIRST]
        parts += [self._passes(), self._across(), self._mirror(), self._part()]
        names = {f"v{n}f{self.bits}": self._kind(n) for n in (1, self.lanes)}
        declared = [
            f"declare {kind} @llvm.fma.{name}({kind}, {kind}, {kind})"
            for name, kind in names.items()
        ]
        attributes = f"attributes #0 = {{ {self.vectors.attributes} }}"
        return "\n".join([*parts, *declared, _DECLARED, attributes, ""])

    def _kind(self, lanes: int) -> str:
        return f"<{lanes} x {'float' if self.bits == 32 else 'double'}>"

    def _body(self, lanes: int | None = None) -> FourierBody:
        return FourierBody(lanes or self.lanes, self.bits, self.vectors.fused)

    # -- cells and lines --------------------------------------------------------------------

    def _load(self) -> str:
        """Cells of lines that lie side by side."""
        b = self._body()
        sign = b.splat("%sign")
        with b.loop("%count") as j:
            re, im = b.apart(b.load_pairs(b.at("%source", b.mul_i(j, "%step"))))
            b.store_cell((re, b.mul(im, sign)), b.at("%cells", b.mul_i(j, str(self.cell))))
        arguments = "ptr %source, i64 %step, i64 %count, ptr %cells"
        return b.function(f"load({arguments}, {b.element} %sign)")

    def _load_apart(self) -> str:
        """Cells of lines anywhere; where fewer than a cell has are `%left`, the last repeats."""
        b = self._body()
        sign = b.splat("%sign")
        starts = b.lines("%source", "%lane")
        with b.loop("%count") as j:
            skip = b.mul_i(j, "%step")
            pair = f"<2 x {b.element}>"
            loaded = [b.value(f"load {pair}, ptr {b.at(s, skip)}, align {b.size}") for s in starts]
            count = 2
            while len(loaded) > 1:
                places = ", ".join(f"i32 {i}" for i in range(2 * count))
                kind = f"<{count} x {b.element}>"
                loaded = [
                    b.value(f"shufflevector {kind} {x}, {kind} {y}, <{2 * count} x i32> <{places}>")
                    for x, y in zip(loaded[::2], loaded[1::2])
                ]
                count *= 2
            re, im = b.apart(loaded[0])
            b.store_cell((re, b.mul(im, sign)), b.at("%cells", b.mul_i(j, str(self.cell))))
        arguments = "ptr %source, i64 %lane, i64 %left, i64 %step, i64 %count, ptr %cells"
        return b.function(f"load_apart({arguments}, {b.element} %sign)")

    def _store(self) -> str:
        """The lines of cells, side by side."""
        b = self._body()
        scales = b.splat("%scale"), b.splat("%scale.imag")
        with b.loop("%count") as j:
            cell = b.load_cell(b.at("%cells", b.mul_i(j, str(self.cell))))
            b.store_pairs(b.scaled(cell, scales), b.at("%target", b.mul_i(j, "%step")))
        arguments = f"{b.element} %scale, {b.element} %scale.imag"
        return b.function(f"store(ptr %cells, i64 %count, ptr %target, i64 %step, {arguments})")

    def _store_apart(self) -> str:
        """The lines of cells, anywhere."""
        b = self._body()
        scales = b.splat("%scale"), b.splat("%scale.imag")
        starts = b.lines("%target", "%lane")
        with b.loop("%count") as j:
            cell = b.load_cell(b.at("%cells", b.mul_i(j, str(self.cell))))
            both = b.together(b.scaled(cell, scales))
            skip = b.mul_i(j, "%step")
            for i, start in enumerate(starts):
                kind = f"<{2 * b.lanes} x {b.element}>"
                places = f"<2 x i32> <i32 {2 * i}, i32 {2 * i + 1}>"
                pair = b.value(f"shufflevector {kind} {both}, {kind} poison, {places}")
                b.line(f"store <2 x {b.element}> {pair}, ptr {b.at(start, skip)}, align {b.size}")
        arguments = "ptr %cells, i64 %count, ptr %target, i64 %lane, i64 %left, i64 %step"
        scales_text = f"{b.element} %scale, {b.element} %scale.imag"
        return b.function(f"store_apart({arguments}, {scales_text})")

    def _load_rows(self) -> str:
        """Cells of lines whose elements lie side by side: squares are turned, the rest is not."""
        b = self._body()
        sign = b.splat("%sign")
        starts = b.lines("%source", "%lane")
        over = b.value(f"srem i64 %count, {self.lanes}")
        whole = b.value(f"sub i64 %count, {over}")
        with b.loop(whole, step=self.lanes) as j:
            skip = b.mul_i(j, str(2 * self.size))
            rows = [b.apart(b.load_pairs(b.at(start, skip))) for start in starts]
            first = b.at("%cells", b.mul_i(j, str(self.cell)))
            for i, (re, im) in enumerate(b.turned_cells(rows)):
                b.store_cell((re, b.mul(im, sign)), b.at(first, str(i * self.cell)))
        source = b.at("%source", b.mul_i(whole, str(2 * self.size)))
        cells = b.at("%cells", b.mul_i(whole, str(self.cell)))
        with b.loop(b.value(f"call i64 @llvm.smin.i64(i64 {over}, i64 1)")):
            b.line(
                f"call void @load_apart(ptr {source}, i64 %lane, i64 %left, i64 {2 * self.size}, "
                f"i64 {over}, ptr {cells}, {b.element} %sign)"
            )
        arguments = "ptr %source, i64 %lane, i64 %left, i64 %count, ptr %cells"
        return b.function(f"load_rows({arguments}, {b.element} %sign)")

    def _store_rows(self) -> str:
        """The lines of cells, elements side by side."""
        b = self._body()
        scales = b.splat("%scale"), b.splat("%scale.imag")
        starts = b.lines("%target", "%lane")
        over = b.value(f"srem i64 %count, {self.lanes}")
        whole = b.value(f"sub i64 %count, {over}")
        with b.loop(whole, step=self.lanes) as j:
            first = b.at("%cells", b.mul_i(j, str(self.cell)))
            cells = [b.load_cell(b.at(first, str(i * self.cell))) for i in range(self.lanes)]
            skip = b.mul_i(j, str(2 * self.size))
            for start, row in zip(starts, b.turned_cells(cells)):
                b.store_pairs(b.scaled(row, scales), b.at(start, skip))
        target = b.at("%target", b.mul_i(whole, str(2 * self.size)))
        rest = b.at("%cells", b.mul_i(whole, str(self.cell)))
        scales_text = f"{b.element} %scale, {b.element} %scale.imag"
        with b.loop(b.value(f"call i64 @llvm.smin.i64(i64 {over}, i64 1)")):
            b.line(
                f"call void @store_apart(ptr {rest}, i64 {over}, ptr {target}, i64 %lane, "
                f"i64 %left, i64 {2 * self.size}, {scales_text})"
            )
        arguments = "ptr %cells, i64 %count, ptr %target, i64 %lane, i64 %left"
        return b.function(f"store_rows({arguments}, {scales_text})")

    # -- passes -----------------------------------------------------------------------------

    def _pass(self, factor: int, is_last: bool) -> str:
        """One factor: y[q + s (r p + k)] = root(p, k) * sum of x[q + s (p + m j)] root(r)^(j k).

        In the last pass of a row that is split, p is 0, and cell q + s k has roots of its own.
        They lie in the order in which they are read.
        """
        b = self._body()
        apart = b.mul_i(b.mul_i("%m", "%s"), str(self.cell))
        step = b.mul_i("%s", str(self.cell))
        with b.loop("1" if is_last else "%m") as p:
            start = b.at("%x", b.mul_i(p, step))
            target = b.at("%y", b.mul_i(p, b.mul_i(step, str(factor))))
            roots: list[Pair] = []
            if not is_last:
                first = b.at("%roots", b.mul_i(p, str(2 * (factor - 1) * self.size)))
                roots = [b.root(first, i) for i in range(factor - 1)]
            starts = [b.at(start, b.mul_i(apart, str(j))) for j in range(factor)]
            targets = [b.at(target, b.mul_i(step, str(k))) for k in range(factor)]
            with b.loop("%s") as q:
                skip = b.mul_i(q, str(self.cell))
                some = b.at("%roots", b.mul_i(q, str(factor * self.cell)))
                sums = b.transform([b.load_cell(b.at(x, skip)) for x in starts])
                for k, value in enumerate(sums):
                    if is_last:
                        value = b.times(value, b.load_cell(b.at(some, str(k * self.cell))))
                    elif k:
                        value = b.times(value, roots[k - 1])
                    b.store_cell(value, b.at(targets[k], skip))
        name = f"last{factor}" if is_last else f"pass{factor}"
        return b.function(f"{name}(ptr %x, ptr %y, i64 %m, i64 %s, ptr %roots)")

    def _first(self, factor: int) -> str:
        """The first factor of a row, which is read as it lies."""
        b = self._body()
        sign = b.splat("%sign")
        apart = b.mul_i("%m", str(self.cell))
        starts = [b.at("%x", b.mul_i(apart, str(j))) for j in range(factor)]
        with b.loop("%m") as p:
            skip = b.mul_i(p, str(self.cell))
            cells = [b.apart(b.load_pairs(b.at(start, skip))) for start in starts]
            target = b.at("%y", b.mul_i(p, str(factor * self.cell)))
            first = b.at("%roots", b.mul_i(p, str(2 * (factor - 1) * self.size)))
            for k, value in enumerate(b.transform([(re, b.mul(im, sign)) for re, im in cells])):
                if k:
                    value = b.times(value, b.root(first, k - 1))
                b.store_cell(value, b.at(target, str(k * self.cell)))
        return b.function(f"first{factor}(ptr %x, ptr %y, i64 %m, ptr %roots, {b.element} %sign)")

    def _passes(self) -> str:
        """All passes, from one buffer to the other and back; returns the one with the result."""
        arguments = "ptr %x, ptr %y, i64 %m, i64 %s, ptr %roots"
        some = [(factor, f"pass{factor}", arguments) for factor in FACTORS]
        some += [(factor + AS_LAST, f"last{factor}", arguments) for factor in LAST]
        arguments = f"ptr %source, ptr %y, i64 %m, ptr %roots, {self._body().element} %sign"
        some += [(factor + AS_FIRST, f"first{factor}", arguments) for factor in FIRST]
        cases = [f"    i64 {number}, label %{name}" for number, name, _ in some]
        calls = [
            f"{name}:\n  call void @{name}({arguments})\n  br label %next"
            for _, name, arguments in some
        ]
        words = "\n".join(
            f"  %{name}.at = getelementptr i64, ptr %row, i64 {i}\n"
            f"  %{name} = load {kind}, ptr %{name}.at"
            for i, (name, kind) in enumerate(
                (("kind", "i64"), ("m", "i64"), ("s", "i64"), ("roots", "ptr"))
            )
        )
        return "\n".join(
            [
                f"""
define internal ptr @passes(ptr %passes, i64 %count, ptr %a, ptr %b, ptr %source,
    {self._body().element} %sign) #0 {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %next]
  %x = phi ptr [%a, %entry], [%y, %next]
  %y = phi ptr [%b, %entry], [%x, %next]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %row = getelementptr [{PASS_WORDS} x i64], ptr %passes, i64 %i
{words}
  switch i64 %kind, label %next [""",
                *cases,
                "  ]",
                *calls,
                """next:
  %i1 = add i64 %i, 1
  br label %head
done:
  ret ptr %x
}""",
            ]
        )

    def _across(self) -> str:
        """The transform across lanes of each cell: place k2 of row k1 is at k2 + n k1.

        As many cells as there are lanes are turned and transformed in registers. The last ones are
        those before the end, even if some of them were done before.
        """
        b = self._body()
        scales = b.splat("%scale"), b.splat("%scale.imag")
        end = b.value(f"sub i64 %n, {self.lanes}")
        apart = b.mul_i("%n", str(2 * self.size))
        with b.loop("%n", step=self.lanes) as i:
            k2 = b.value(f"call i64 @llvm.smin.i64(i64 {i}, i64 {end})")
            start = b.at("%cells", b.mul_i(k2, str(self.cell)))
            cells = [b.load_cell(b.at(start, str(j * self.cell))) for j in range(self.lanes)]
            target = b.at("%target", b.mul_i(k2, str(2 * self.size)))
            for k1, value in enumerate(b.transform(b.turned_cells(cells))):
                b.store_pairs(b.scaled(value, scales), b.at(target, b.mul_i(apart, str(k1))))
        return b.function(
            f"across(ptr %cells, i64 %n, ptr %target, {b.element} %scale, {b.element} %scale.imag)"
        )

    # -- half spectra -----------------------------------------------------------------------

    def _mirror(self) -> str:
        """Half spectra of `m` pairs of reals, times 2, or such pairs of them: `%side` is 1 or -1.

        Places k and m - k are made of each other, so `%to` may be `%from`. `%turns` are the roots
        times -i, first their real parts.
        """
        many, one = self._body(), self._body(1)
        half = many.value("sdiv i64 %m, 2")
        full = many.value(f"sdiv i64 {many.value('sub i64 %m, 1')}, {2 * self.lanes}")
        rest = many.value(f"add i64 1, {many.mul_i(full, str(self.lanes))}")
        imag = many.at("%turns", many.mul_i(many.value(f"add i64 {half}, 1"), str(self.size)))
        side = many.splat("%side")
        with many.loop(full) as i:
            first = many.value(f"add i64 1, {many.mul_i(i, str(self.lanes))}")
            self._mirrored(many, first, imag, side)
        one.follow(many)
        single = one.splat("%side")
        with one.loop(one.value(f"add i64 {half}, 1"), start=rest) as k:
            self._mirrored(one, k, imag, single)
        self._ends(one)
        return one.function(f"mirror(ptr %from, ptr %to, i64 %m, ptr %turns, {one.element} %side)")

    def _mirrored(self, b: FourierBody, k: str, imag: str, side: str) -> None:
        """Places k and on, and those that they mirror."""
        unit = str(2 * self.size)
        other = b.value(f"sub i64 %m, {b.value(f'add i64 {k}, {b.lanes - 1}')}")
        here, there = b.mul_i(k, unit), b.mul_i(other, unit)
        ar, ai = b.apart(b.load_pairs(b.at("%from", here)))
        br, bi = map(b.reversed, b.apart(b.load_pairs(b.at("%from", there))))
        skip = b.mul_i(k, str(self.size))
        tr = b.value(f"load {b.kind}, ptr {b.at('%turns', skip)}, align {b.size}")
        ti = b.value(f"load {b.kind}, ptr {b.at(imag, skip)}, align {b.size}")
        er, ei = b.add(ar, br), b.sub(ai, bi)
        turned = b.times((b.sub(ar, br), b.add(ai, bi)), (tr, b.mul(ti, side)))
        xr, xi = b.add(er, turned[0]), b.add(ei, turned[1])
        yr, yi = b.sub(er, turned[0]), b.sub(turned[1], ei)
        b.store_pairs((xr, xi), b.at("%to", here))
        b.store_pairs((b.reversed(yr), b.reversed(yi)), b.at("%to", there))

    def _ends(self, b: FourierBody) -> None:
        """Places 0 and m, which are real: in pairs, they are one."""
        element, size = b.element, self.size
        end = b.mul_i("%m", str(2 * size))
        b.line(f"""%forward = fcmp ogt {element} %side, 0.0
  br i1 %forward, label %spectrum, label %pairs
spectrum:
  %z0 = load {element}, ptr %from
  %z1.at = getelementptr i8, ptr %from, i64 {size}
  %z1 = load {element}, ptr %z1.at
  %low = fadd {element} %z0, %z1
  %low2 = fadd {element} %low, %low
  %high = fsub {element} %z0, %z1
  %high2 = fadd {element} %high, %high
  store {element} %low2, ptr %to
  %to1 = getelementptr i8, ptr %to, i64 {size}
  store {element} 0.0, ptr %to1
  %tom = getelementptr i8, ptr %to, i64 {end}
  store {element} %high2, ptr %tom
  %tom1 = getelementptr i8, ptr %tom, i64 {size}
  store {element} 0.0, ptr %tom1
  ret void
pairs:
  %x0 = load {element}, ptr %from
  %xm.at = getelementptr i8, ptr %from, i64 {end}
  %xm = load {element}, ptr %xm.at
  %sum = fadd {element} %x0, %xm
  %difference = fsub {element} %x0, %xm
  store {element} %sum, ptr %to
  %t1 = getelementptr i8, ptr %to, i64 {size}
  store {element} %difference, ptr %t1""")

    # -- all ----------------------------------------------------------------------------------

    def _part(self) -> str:
        """The text of `fourier_part`: a share of the items."""
        element, lanes, cell, unit = (
            "float" if self.bits == 32 else "double", self.lanes, self.cell, 2 * self.size
        )  # fmt: skip
        narrow = "\n".join(
            f"  %{name} = fptrunc double %{name}.wide to float"
            if self.bits == 32
            else f"  %{name} = fadd double %{name}.wide, 0.0"
            for name in ("sign", "scale", "scale.imag")
        )
        words = jobs.words(CONTEXT)
        for name in ("sign", "scale", "scale.imag"):
            words = words.replace(f"%{name} = load", f"%{name}.wide = load")
        return f"""
define void @fourier_part(ptr %context, i64 %part) #0 {{
entry:
{words}
{narrow}
  %own = mul i64 %work.step, %part
  %a = getelementptr i8, ptr %work, i64 %own
  %a.bytes = mul i64 %n, {cell}
  %b = getelementptr i8, ptr %a, i64 %a.bytes
  %pairs = getelementptr i8, ptr %b, i64 %a.bytes
  %until = add i64 %part, 1
  %first.all = mul i64 %items, %part
  %first = sdiv i64 %first.all, %parts
  %end.all = mul i64 %items, %until
  %end = sdiv i64 %end.all, %parts
  %splits = icmp ne i64 %split, 0
  %reads = icmp eq i64 %spectra, 2
  %writes = icmp eq i64 %spectra, 1
  %pairs.lane = mul i64 %half, {unit}
  br label %item
item:
  %i = phi i64 [%first, %entry], [%i1, %next]
  %some = icmp slt i64 %i, %end
  br i1 %some, label %place, label %done
place:
  %place.outer = sdiv i64 %i, %groups
  %group = srem i64 %i, %groups
  %width = select i1 %splits, i64 1, i64 {lanes}
  %line = mul i64 %group, %width
  %left.all = sub i64 %lines, %line
  %left = call i64 @llvm.smin.i64(i64 %left.all, i64 %width)
  %s.outer = mul i64 %place.outer, %outer
  %s.line = mul i64 %line, %lane
  %s.skip = add i64 %s.outer, %s.line
  %s = getelementptr i8, ptr %source, i64 %s.skip
  %t.outer = mul i64 %place.outer, %to.outer
  %t.line = mul i64 %line, %to.lane
  %t.skip = add i64 %t.outer, %t.line
  %t = getelementptr i8, ptr %target, i64 %t.skip
  br i1 %reads, label %read, label %begin
read:
  %r = phi i64 [0, %place], [%r1, %read]
  %r.skip = mul i64 %r, %lane
  %r.from = getelementptr i8, ptr %s, i64 %r.skip
  %r.pairs = mul i64 %r, %pairs.lane
  %r.to = getelementptr i8, ptr %pairs, i64 %r.pairs
  call void @mirror(ptr %r.from, ptr %r.to, i64 %half, ptr %turns, {element} -1.0)
  %r1 = add i64 %r, 1
  %r.more = icmp slt i64 %r1, %left
  br i1 %r.more, label %read, label %begin
begin:
  %from = phi ptr [%s, %place], [%pairs, %read]
  %from.lane = phi i64 [%lane, %place], [%pairs.lane, %read]
  br i1 %splits, label %row, label %apart
row:
  %kind = load i64, ptr %passes
  %reads.row = icmp sge i64 %kind, {AS_FIRST}
  br i1 %reads.row, label %row.loaded, label %row.load
row.load:
  call void @load(ptr %from, i64 {unit * lanes}, i64 %n, ptr %a, {element} %sign)
  br label %row.loaded
row.loaded:
  %row.cells = call ptr @passes(ptr %passes, i64 %count, ptr %a, ptr %b, ptr %from,
      {element} %sign)
  call void @across(ptr %row.cells, i64 %n, ptr %t, {element} %scale, {element} %scale.imag)
  br label %write
apart:
  %filled = icmp eq i64 %left, {lanes}
  %near = icmp eq i64 %from.lane, {unit}
  %side = and i1 %filled, %near
  br i1 %side, label %load.side, label %load.other
load.other:
  %rows = icmp eq i64 %step, {unit}
  br i1 %rows, label %load.rows, label %load.apart
load.rows:
  call void @load_rows(ptr %from, i64 %from.lane, i64 %left, i64 %n, ptr %a, {element} %sign)
  br label %loaded
load.side:
  call void @load(ptr %from, i64 %step, i64 %n, ptr %a, {element} %sign)
  br label %loaded
load.apart:
  call void @load_apart(ptr %from, i64 %from.lane, i64 %left, i64 %step, i64 %n, ptr %a,
      {element} %sign)
  br label %loaded
loaded:
  %cells = call ptr @passes(ptr %passes, i64 %count, ptr %a, ptr %b, ptr null, {element} 1.0)
  %to.near = icmp eq i64 %to.lane, {unit}
  %to.side = and i1 %filled, %to.near
  br i1 %to.side, label %store.side, label %store.other
store.other:
  %to.rows = icmp eq i64 %to.step, {unit}
  br i1 %to.rows, label %store.rows, label %store.apart
store.rows:
  call void @store_rows(ptr %cells, i64 %n, ptr %t, i64 %to.lane, i64 %left, {element} %scale,
      {element} %scale.imag)
  br label %write
store.side:
  call void @store(ptr %cells, i64 %n, ptr %t, i64 %to.step, {element} %scale,
      {element} %scale.imag)
  br label %write
store.apart:
  call void @store_apart(ptr %cells, i64 %n, ptr %t, i64 %to.lane, i64 %left, i64 %to.step,
      {element} %scale, {element} %scale.imag)
  br label %write
write:
  br i1 %writes, label %spectrum, label %next
spectrum:
  %w = phi i64 [0, %write], [%w1, %spectrum]
  %w.skip = mul i64 %w, %to.lane
  %w.at = getelementptr i8, ptr %t, i64 %w.skip
  call void @mirror(ptr %w.at, ptr %w.at, i64 %half, ptr %turns, {element} 1.0)
  %w1 = add i64 %w, 1
  %w.more = icmp slt i64 %w1, %left
  br i1 %w.more, label %spectrum, label %next
next:
  %i1 = add i64 %i, 1
  br label %item
done:
  ret void
}}"""


_DECLARED = """declare i64 @llvm.smin.i64(i64, i64)"""


class FourierBody:
    """The lines of one function, each value in a register of its own."""

    def __init__(self, lanes: int, bits: int, fused: bool) -> None:
        self.lanes, self.bits, self.fused = lanes, bits, fused
        self.size = bits // 8
        self.element = {32: "float", 64: "double"}[bits]
        self.kind = f"<{lanes} x {self.element}>"
        self.lines_of_text: list[str] = []
        self.count = 0
        self.block = "entry"

    def follow(self, other: FourierBody) -> None:
        """Goes on where another body ends."""
        self.lines_of_text, self.count, self.block = (
            other.lines_of_text, other.count, other.block
        )  # fmt: skip

    def function(self, head: str) -> str:
        """The text of a function that returns nothing."""
        body = "\n".join(self.lines_of_text)
        return f"\ndefine internal void @{head} #0 {{\nentry:\n{body}\n  ret void\n}}"

    def line(self, text: str) -> None:
        """Adds a line."""
        self.lines_of_text.append(f"  {text}")

    def value(self, text: str) -> str:
        """Adds a line, and returns the register of its result."""
        self.count += 1
        name = f"%v{self.count}"
        self.line(f"{name} = {text}")
        return name

    @contextmanager
    def loop(self, limit: str, start: str = "0", step: int = 1) -> Iterator[str]:
        """The numbers from `start` to `limit`, as a register."""
        self.count += 1
        label = f"loop{self.count}"
        self.line(f"br label %{label}")
        i = f"%{label}.i"
        self.lines_of_text += [
            f"{label}:",
            f"  {i} = phi i64 [{start}, %{self.block}], [{i}.next, %{label}.latch]",
            f"  {i}.more = icmp slt i64 {i}, {limit}",
            f"  br i1 {i}.more, label %{label}.body, label %{label}.done",
            f"{label}.body:",
        ]
        self.block = f"{label}.body"
        yield i
        self.lines_of_text += [
            f"  br label %{label}.latch",
            f"{label}.latch:",
            f"  {i}.next = add i64 {i}, {step}",
            f"  br label %{label}",
            f"{label}.done:",
        ]
        self.block = f"{label}.done"

    # -- places -----------------------------------------------------------------------------

    def mul_i(self, x: str, y: str) -> str:
        """The product of two numbers."""
        if "1" in (x, y):
            return x if y == "1" else y
        return "0" if "0" in (x, y) else self.value(f"mul i64 {x}, {y}")

    def at(self, start: str, skip: str) -> str:
        """An address some bytes behind another."""
        return start if skip == "0" else self.value(f"getelementptr i8, ptr {start}, i64 {skip}")

    def lines(self, start: str, step: str) -> list[str]:
        """The address of each line; those beyond the first `%left` are the last one's."""
        last = self.value("sub i64 %left, 1")
        numbers = [
            self.value(f"call i64 @llvm.smin.i64(i64 {i}, i64 {last})") for i in range(self.lanes)
        ]
        return [self.at(start, self.mul_i(number, step)) for number in numbers]

    def splat(self, scalar: str) -> str:
        """A vector with a scalar in all lanes."""
        first = self.value(f"insertelement {self.kind} poison, {self.element} {scalar}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.value(f"shufflevector {self.kind} {first}, {self.kind} poison, {zeros}")

    def root(self, start: str, number: int) -> Pair:
        """A complex number of a table in all lanes."""
        places = [self.at(start, str((2 * number + part) * self.size)) for part in (0, 1)]
        re, im = [self.splat(self.value(f"load {self.element}, ptr {x}")) for x in places]
        return re, im

    def load_cell(self, place: str) -> Pair:
        """The cell at an address."""
        re = self.value(f"load {self.kind}, ptr {place}, align {self.lanes * self.size}")
        next_one = self.at(place, str(self.lanes * self.size))
        return re, self.value(f"load {self.kind}, ptr {next_one}, align {self.lanes * self.size}")

    def store_cell(self, cell: Pair, place: str) -> None:
        """Stores a cell."""
        align = self.lanes * self.size
        self.line(f"store {self.kind} {cell[0]}, ptr {place}, align {align}")
        next_one = self.at(place, str(align))
        self.line(f"store {self.kind} {cell[1]}, ptr {next_one}, align {align}")

    def load_pairs(self, place: str) -> str:
        """A vector of complex numbers, as it lies."""
        return self.value(
            f"load <{2 * self.lanes} x {self.element}>, ptr {place}, align {self.size}"
        )

    def store_pairs(self, cell: Pair, place: str) -> None:
        """Stores a cell as complex numbers."""
        kind = f"<{2 * self.lanes} x {self.element}>"
        self.line(f"store {kind} {self.together(cell)}, ptr {place}, align {self.size}")

    def apart(self, pairs: str) -> Pair:
        """The real and the imaginary parts of complex numbers."""
        kind = f"<{2 * self.lanes} x {self.element}>"
        parts = []
        for part in (0, 1):
            places = ", ".join(f"i32 {2 * i + part}" for i in range(self.lanes))
            mask = f"<{self.lanes} x i32> <{places}>"
            parts.append(self.value(f"shufflevector {kind} {pairs}, {kind} poison, {mask}"))
        return parts[0], parts[1]

    def together(self, cell: Pair) -> str:
        """Complex numbers of their parts."""
        places = ", ".join(f"i32 {i}, i32 {i + self.lanes}" for i in range(self.lanes))
        operands = f"{self.kind} {cell[0]}, {self.kind} {cell[1]}"
        return self.value(f"shufflevector {operands}, <{2 * self.lanes} x i32> <{places}>")

    def reversed(self, x: str) -> str:
        """A vector from its end to its start."""
        places = ", ".join(f"i32 {self.lanes - 1 - i}" for i in range(self.lanes))
        mask = f"<{self.lanes} x i32> <{places}>"
        return self.value(f"shufflevector {self.kind} {x}, {self.kind} poison, {mask}")

    def turned(self, rows: Sequence[str]) -> list[str]:
        """A square of as many vectors as lanes, transposed; see `vector_code.square_turn`."""
        names, bit, lanes = list(rows), 1, self.lanes
        while bit < lanes:
            for j in (j for j in range(lanes) if not j & bit):
                pair = f"{self.kind} {names[j]}, {self.kind} {names[j + bit]}"
                low = [i if not i & bit else lanes + i - bit for i in range(lanes)]
                high = [i + bit if not i & bit else lanes + i for i in range(lanes)]
                for k, places in ((j, low), (j + bit, high)):
                    mask = ", ".join(f"i32 {i}" for i in places)
                    names[k] = self.value(f"shufflevector {pair}, <{lanes} x i32> <{mask}>")
            bit *= 2
        return names

    def turned_cells(self, cells: Sequence[Pair]) -> list[Pair]:
        """A square of as many cells as lanes, transposed."""
        parts = self.turned([re for re, _ in cells]), self.turned([im for _, im in cells])
        return list(zip(*parts))

    # -- arithmetic ---------------------------------------------------------------------------

    def add(self, x: str, y: str) -> str:
        """x + y."""
        return self.value(f"fadd {self.kind} {x}, {y}")

    def sub(self, x: str, y: str) -> str:
        """x - y."""
        return self.value(f"fsub {self.kind} {x}, {y}")

    def mul(self, x: str, y: str) -> str:
        """x * y."""
        return self.value(f"fmul {self.kind} {x}, {y}")

    def fma(self, x: str, y: str, z: str) -> str:
        """x * y + z."""
        if not self.fused:
            return self.add(self.mul(x, y), z)
        kind, name = self.kind, f"v{self.lanes}f{self.bits}"
        return self.value(f"call {kind} @llvm.fma.{name}({kind} {x}, {kind} {y}, {kind} {z})")

    def times(self, x: Pair, y: Pair) -> Pair:
        """The product of complex numbers."""
        negative = self.value(f"fneg {self.kind} {self.mul(x[1], y[1])}")
        return self.fma(x[0], y[0], negative), self.fma(x[0], y[1], self.mul(x[1], y[0]))

    def scaled(self, x: Pair, scales: Pair) -> Pair:
        """The parts, each times a factor."""
        return self.mul(x[0], scales[0]), self.mul(x[1], scales[1])

    def constant(self, number: float) -> str:
        """A vector of one number, rounded to the kind of element."""
        rounded = float(np.float32(number)) if self.bits == 32 else number
        (word,) = struct.unpack("<Q", struct.pack("<d", rounded))
        return f"splat ({self.element} 0x{word:016X})"

    def both(self, x: Pair, y: Pair) -> tuple[Pair, Pair]:
        """x + y and x - y."""
        total = self.add(x[0], y[0]), self.add(x[1], y[1])
        return total, (self.sub(x[0], y[0]), self.sub(x[1], y[1]))

    def both_turned(self, x: Pair, y: Pair) -> tuple[Pair, Pair]:
        """x - i y and x + i y."""
        less = self.add(x[0], y[1]), self.sub(x[1], y[0])
        return less, (self.sub(x[0], y[1]), self.add(x[1], y[0]))

    def transform(self, x: Sequence[Pair]) -> list[Pair]:
        """The transform of 2, 3, 4, 5 or 8 numbers."""
        if len(x) == 2:
            return list(self.both(x[0], x[1]))
        if len(x) == 4:
            (s0, s1), (s2, s3) = self.both(x[0], x[2]), self.both(x[1], x[3])
            (b0, b2), (b1, b3) = self.both(s0, s2), self.both_turned(s1, s3)
            return [b0, b1, b2, b3]
        if len(x) == 8:
            return self._eight(x)
        return self._odd(x)

    def _eight(self, x: Sequence[Pair]) -> list[Pair]:
        even, odd = self.transform(x[::2]), self.transform(x[1::2])
        root = self.constant(math.sqrt(0.5))
        first, third = odd[1], odd[3]  # times (1 - i) and (-1 - i) of that root
        odd[1] = self.scaled((self.add(*first), self.sub(first[1], first[0])), (root, root))
        # of the third one the negative is computed: (1 + i) (re + i im)
        third = self.scaled((self.sub(*third), self.add(*third)), (root, root))
        b0, b4 = self.both(even[0], odd[0])
        b1, b5 = self.both(even[1], odd[1])
        b2, b6 = self.both_turned(even[2], odd[2])
        b7, b3 = self.both(even[3], third)
        return [b0, b1, b2, b3, b4, b5, b6, b7]

    def _odd(self, x: Sequence[Pair]) -> list[Pair]:
        """Sums with cosines and differences with sines, of pairs that mirror each other."""
        n = len(x)
        pairs = [self.both(x[j], x[n - j]) for j in range(1, n // 2 + 1)]
        total = x[0]
        for plus, _ in pairs:
            total = self.add(total[0], plus[0]), self.add(total[1], plus[1])
        results = [total] * n
        for k in range(1, n // 2 + 1):
            cosines = x[0]
            sines: Pair | None = None
            for j, (plus, minus) in enumerate(pairs, 1):
                c, s = (self.constant(number) for number in ROOTS[n][j * k % n])
                cosines = self.fma(plus[0], c, cosines[0]), self.fma(plus[1], c, cosines[1])
                if sines is None:
                    sines = self.mul(minus[0], s), self.mul(minus[1], s)
                else:
                    sines = self.fma(minus[0], s, sines[0]), self.fma(minus[1], s, sines[1])
            assert sines is not None
            results[k], results[n - k] = self.both_turned(cosines, sines)
        return results
