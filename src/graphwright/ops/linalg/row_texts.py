"""The innermost loops of `row_steps` and `root_code` as LLVM's text.

Four numbers at once, then one by one.
"""

from __future__ import annotations

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
        text.replace("<4 x double>", "double").replace("%w.", "%o.") for text in (loads, wide)
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


#: The texts of the functions, by their names.
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
    "dot": loop_text(
        "dot",
        "xy",
        "",
        """  %w.a = fmul <4 x double> %xs, %ys
  %w.sum.next = fadd <4 x double> %w.sum, %w.a""",
        _TOTAL,
    ),
}
