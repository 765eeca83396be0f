"""The innermost loops of code for matrices as LLVM's text.

Four numbers at once, then one by one; or eight at once where rows are multiples of eight.
"""

from __future__ import annotations

import re

from graphwright.machine import targets
from graphwright.machine.vector_code import (
    EIGHT_NUMBERS,
    EIGHT_PLACES,
    EightLanes,
    lanes_before,
)

_LOOP = """
define internal RESULT @NAME(ARGUMENTS, i64 %n) {
entry:
  %last = sub i64 %n, 4
SPLATS
  br label %wide.test
wide.test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %wide ]
WIDE_PHI
  %is.wide = icmp sle i64 %i, %last
  br i1 %is.wide, label %wide, label %test
wide:
LOADS
WIDE
  %i.next = add i64 %i, 4
  br label %wide.test
test:
  %j = phi i64 [ %i, %wide.test ], [ %j.next, %one ]
ONE_PHI
  %is.more = icmp slt i64 %j, %n
  br i1 %is.more, label %one, label %done
one:
SINGLES
ONE
  %j.next = add i64 %j, 1
  br label %test
done:
END
}
"""
_LOAD = """  %ROWs.at = getelementptr double, ptr %ROW, i64 %i
  %ROWs = load <4 x double>, ptr %ROWs.at, align 8"""
_SPLAT = """  %NAMEs.one = insertelement <4 x double> poison, double %NAME, i64 0
  %NAMEs = shufflevector <4 x double> %NAMEs.one, <4 x double> poison, <4 x i32> zeroinitializer
"""


def loop_text(name: str, rows: str, factors: str, wide: str, total: str = "") -> str:
    """The text of a loop over rows, from the lines for four numbers of each.

    Rows and factors have names of one letter. `total` has the lines that add up the four parts of a
    sum, which is the result then.
    """
    loads = "\n".join([_LOAD.replace("ROW", row) for row in rows])
    singles, one = [
        re.sub(r"<4 x (\w+)>", r"\1", text).replace("%w.", "%o.") for text in (loads, wide)
    ]
    singles = singles.replace("i64 %i", "i64 %j")
    for row in rows:
        singles, one = [text.replace(f"%{row}s", f"%{row}.one") for text in (singles, one)]
    for factor in factors:
        one = one.replace(f"%{factor}s", f"%{factor}")
    given = [f"ptr %{row}" for row in rows] + [f"double %{factor}" for factor in factors]
    arguments = ", ".join(given)
    text = _LOOP.replace("NAME", name).replace("ARGUMENTS", arguments)
    text = text.replace("SPLATS", "".join([_SPLAT.replace("NAME", each) for each in factors]))
    if total:
        text = text.replace("label %test\nwide:", "label %total\nwide:")
        text = text.replace("\ntest:\n", f"\ntotal:\n{total}\n  br label %test\ntest:\n", 1)
        text = text.replace("[ %i, %wide.test ]", "[ %i, %total ]")
    words = {
        "RESULT": "double" if total else "void",
        "WIDE_PHI": _WIDE_SUM if total else "",
        "ONE_PHI": _ONE_SUM if total else "",
        "LOADS": loads,
        "SINGLES": singles,
        "WIDE": wide,
        "ONE": one,
        "END": "  ret double %o.sum" if total else "  ret void",
    }
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


_WIDE_SUM = "  %w.sum = phi <4 x double> [ zeroinitializer, %entry ], [ %w.sum.next, %wide ]"
_ONE_SUM = "  %o.sum = phi double [ %o.start, %total ], [ %o.sum.next, %one ]"
#: Adds up the four parts of a sum.
_TOTAL = """  %low = shufflevector PARTS %w.sum, PARTS poison, <2 x i32> <i32 0, i32 1>
  %high = shufflevector PARTS %w.sum, PARTS poison, <2 x i32> <i32 2, i32 3>
  %pair = fadd <2 x double> %low, %high
  %even = extractelement <2 x double> %pair, i64 0
  %odd = extractelement <2 x double> %pair, i64 1
  %o.start = fadd double %even, %odd""".replace("PARTS", "<4 x double>")


def _sum(name: str, terms: str) -> str:
    """The lines for a sum of products, of a row and a factor each, such as "xc + ug - vh"."""
    first, *rest = terms.split()
    lines = [
        f"  %w.{term} = fmul <4 x double> %{term[0]}s, %{term[1]}s" for term in (first, *rest[1::2])
    ]
    total = f"%w.{first}"
    for i, (sign, term) in enumerate(zip(rest[::2], rest[1::2])):
        before, total = total, f"%w.{name}" if term == rest[-1] else f"%w.{name}.part{i}"
        op = {"+": "fadd", "-": "fsub"}[sign]
        lines.append(f"  {total} = {op} <4 x double> {before}, %w.{term}")
    return "\n".join(lines)


def _combined(**rows: str) -> str:
    """The lines by which each row becomes a sum of products of rows and factors."""
    sums = [_sum(row, terms) for row, terms in rows.items()]
    stores = [f"  store <4 x double> %w.{row}, ptr %{row}s.at, align 8" for row in rows]
    return "\n".join([*sums, *stores])


_EIGHT = EightLanes("double")


def _less_product(name: str, x: str, y: str, z: str) -> str:
    """The lines for x - y * z, which is rounded once where a processor can.

    Quick code and other code of one text do the same.
    """
    if not targets.vectors().fused:
        return f"""\
  {name}.product = fmul <8 x double> {y}, {z}
  {name} = fsub <8 x double> {x}, {name}.product"""
    operands = f"<8 x double> {name}.negative, <8 x double> {z}, <8 x double> {x}"
    return f"""\
  {name}.negative = fneg <8 x double> {y}
  {name} = call <8 x double> @llvm.fma.v8f64({operands})"""


def _fold_text() -> str:
    """The text of `fold`."""
    heads, steps = [], []
    for t in range(8):
        heads.append(f"""\
  %f{t}.at = getelementptr double, ptr %f, i64 {t}
  %f{t}.number = load double, ptr %f{t}.at
{_EIGHT.splat(f"%f{t}.number", f"%f{t}")}
  %y{t}.skip = mul i64 %step, {t}
  %y{t}.row = getelementptr double, ptr %y, i64 %y{t}.skip""")
        steps.append(f"""\
  %y{t}.at = getelementptr double, ptr %y{t}.row, i64 %i
  %y{t} = load <8 x double>, ptr %y{t}.at, align 8
{_less_product(f"%x{t + 1}", f"%x{t}", f"%f{t}", f"%y{t}")}""")
    return f"""
define internal void @fold(ptr %x, ptr %y, i64 %step, ptr %f, i64 %n) {{
entry:
{chr(10).join(heads)}
  br label %eight
eight:
  %i = phi i64 [ 0, %entry ], [ %i.next, %eight ]
  %x.at = getelementptr double, ptr %x, i64 %i
  %x0 = load <8 x double>, ptr %x.at, align 8
{chr(10).join(steps)}
  store <8 x double> %x8, ptr %x.at, align 8
  %i.next = add i64 %i, 8
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %eight, label %done
done:
  ret void
}}
"""


def _eliminate_text() -> str:
    """The text of `eliminate`."""
    return f"""
define internal void @eliminate(ptr %w, i64 %count, i64 %step, i64 %column, ptr %u,
    double %inverse) {{
entry:
  %us = load <8 x double>, ptr %u, align 8
{EIGHT_PLACES.splat("%column", "%columns")}
  %is.column = icmp eq <8 x i64> {EIGHT_NUMBERS}, %columns
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row ]
  %i.more = icmp slt i64 %i, %count
  br i1 %i.more, label %row, label %done
row:
  %skip = mul i64 %i, %step
  %row.at = getelementptr double, ptr %w, i64 %skip
  %number.at = getelementptr double, ptr %row.at, i64 %column
  %number = load double, ptr %number.at
  %share = fmul double %number, %inverse
{_EIGHT.splat("%share", "%shares")}
  %numbers = load <8 x double>, ptr %row.at, align 8
{_less_product("%rest", "%numbers", "%shares", "%us")}
  %new = select <8 x i1> %is.column, <8 x double> %shares, <8 x double> %rest
  store <8 x double> %new, ptr %row.at, align 8
  %i.next = add i64 %i, 1
  br label %test
done:
  ret void
}}
"""


#: The bits of absolute values have the order of these, and NaN is greater than all.
_PADDED_ROW = f"""
define internal double @padded_row(ptr %row, ptr %numbers, i64 %n, i64 %padded, double %most) {{
entry:
  %bits = bitcast double %most to i64
{EIGHT_PLACES.splat("%bits", "%start")}
  br label %eight
eight:
  %i = phi i64 [ 0, %entry ], [ %i.next, %eight ]
  %greatest = phi <8 x i64> [ %start, %entry ], [ %greater, %eight ]
{lanes_before("%n", "%i")}
  %numbers.at = getelementptr double, ptr %numbers, i64 %i
{_EIGHT.load("%new", "%numbers.at", "%is.there")}
  %row.at = getelementptr double, ptr %row, i64 %i
  store <8 x double> %new, ptr %row.at, align 8
  %sizes = call <8 x double> @llvm.fabs.v8f64(<8 x double> %new)
  %sizes.bits = bitcast <8 x double> %sizes to <8 x i64>
  %greater = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %greatest, <8 x i64> %sizes.bits)
  %i.next = add i64 %i, 8
  %i.more = icmp slt i64 %i.next, %padded
  br i1 %i.more, label %eight, label %done
done:
  %result.bits = call i64 @llvm.vector.reduce.smax.v8i64(<8 x i64> %greater)
  %result = bitcast i64 %result.bits to double
  ret double %result
}}
declare <8 x double> @llvm.fabs.v8f64(<8 x double>)
declare <8 x i64> @llvm.smax.v8i64(<8 x i64>, <8 x i64>)
declare i64 @llvm.vector.reduce.smax.v8i64(<8 x i64>)
{_EIGHT.declarations}"""

#: The texts of functions of `row_steps`, `root_code` and `triangle_code`, by their names.
ROW_TEXTS = {
    "rotate": loop_text("rotate", "xy", "cs", _combined(x="xc + ys", y="yc - xs")),
    "_rotate_complex": loop_text(
        "_rotate_complex",
        "xyuv",
        "cgh",
        _combined(x="xc + ug - vh", y="yc + vg + uh", u="uc - xg - yh", v="vc - yg + xh"),
    ),
    "add": loop_text(
        "add",
        "xy",
        "f",
        """  %w.a = fmul <4 x double> %ys, %fs
  %w.b = fadd <4 x double> %xs, %w.a
  store <4 x double> %w.b, ptr %xs.at, align 8""",
    ),
    "_add_complex": loop_text(
        "_add_complex",
        "xyuv",
        "fg",
        """  %w.a = fmul <4 x double> %us, %fs
  %w.b = fadd <4 x double> %xs, %w.a
  %w.c = fmul <4 x double> %vs, %gs
  %w.x = fsub <4 x double> %w.b, %w.c
  %w.d = fmul <4 x double> %vs, %fs
  %w.e = fadd <4 x double> %ys, %w.d
  %w.f = fmul <4 x double> %us, %gs
  %w.y = fadd <4 x double> %w.e, %w.f
  store <4 x double> %w.x, ptr %xs.at, align 8
  store <4 x double> %w.y, ptr %ys.at, align 8""",
    ),
    "_add_single": loop_text(
        "_add_single",
        "xy",
        "f",
        """  %w.a = fmul <4 x double> %ys, %fs
  %w.b = fptrunc <4 x double> %w.a to <4 x float>
  %w.c = fpext <4 x float> %w.b to <4 x double>
  %w.d = fadd <4 x double> %xs, %w.c
  %w.e = fptrunc <4 x double> %w.d to <4 x float>
  %w.f = fpext <4 x float> %w.e to <4 x double>
  store <4 x double> %w.f, ptr %xs.at, align 8""",
    ),
    "dot": loop_text(
        "dot",
        "xy",
        "",
        """  %w.a = fmul <4 x double> %xs, %ys
  %w.sum.next = fadd <4 x double> %w.sum, %w.a""",
        _TOTAL,
    ),
}


def elimination_texts() -> dict[str, str]:
    """The texts of functions of `elimination_code`, by their names."""
    declared = "declare <8 x double> @llvm.fma.v8f64(<8 x double>, <8 x double>, <8 x double>)\n"
    return {
        "fold": _fold_text(),
        "eliminate": _eliminate_text(),
        "padded_row": _PADDED_ROW + declared,
    }
