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

#: The texts of the functions, by their names.
ROW_TEXTS = {
    "rotate": loop_text(
        "rotate",
        "xy",
        "cs",
        """  %w.a = fmul <4 x double> %xs, %cs
  %w.b = fmul <4 x double> %ys, %ss
  %w.c = fadd <4 x double> %w.a, %w.b
  %w.d = fmul <4 x double> %ys, %cs
  %w.e = fmul <4 x double> %xs, %ss
  %w.f = fsub <4 x double> %w.d, %w.e
  store <4 x double> %w.c, ptr %xs.at, align 8
  store <4 x double> %w.f, ptr %ys.at, align 8""",
    ),
    "_rotate_complex": loop_text(
        "_rotate_complex",
        "xyuv",
        "cgh",
        """  %w.xc = fmul <4 x double> %xs, %cs
  %w.ug = fmul <4 x double> %us, %gs
  %w.vh = fmul <4 x double> %vs, %hs
  %w.x.part = fadd <4 x double> %w.xc, %w.ug
  %w.x = fsub <4 x double> %w.x.part, %w.vh
  %w.yc = fmul <4 x double> %ys, %cs
  %w.vg = fmul <4 x double> %vs, %gs
  %w.uh = fmul <4 x double> %us, %hs
  %w.y.part = fadd <4 x double> %w.yc, %w.vg
  %w.y = fadd <4 x double> %w.y.part, %w.uh
  %w.uc = fmul <4 x double> %us, %cs
  %w.xg = fmul <4 x double> %xs, %gs
  %w.yh = fmul <4 x double> %ys, %hs
  %w.u.part = fsub <4 x double> %w.uc, %w.xg
  %w.u = fsub <4 x double> %w.u.part, %w.yh
  %w.vc = fmul <4 x double> %vs, %cs
  %w.yg = fmul <4 x double> %ys, %gs
  %w.xh = fmul <4 x double> %xs, %hs
  %w.v.part = fsub <4 x double> %w.vc, %w.yg
  %w.v = fadd <4 x double> %w.v.part, %w.xh
  store <4 x double> %w.x, ptr %xs.at, align 8
  store <4 x double> %w.y, ptr %ys.at, align 8
  store <4 x double> %w.u, ptr %us.at, align 8
  store <4 x double> %w.v, ptr %vs.at, align 8""",
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
