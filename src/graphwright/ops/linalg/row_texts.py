"""The innermost loops of `rotation_code` as LLVM's text: four numbers at once, then one by one."""

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
  %xs.at = getelementptr double, ptr %x, i64 %i
  %xs = load <4 x double>, ptr %xs.at, align 8
  %ys.at = getelementptr double, ptr %y, i64 %i
  %ys = load <4 x double>, ptr %ys.at, align 8
WIDE
  %i.next = add i64 %i, 4
  br label %wide.test
test:
  %j = phi i64 [ %i, %wide.test ], [ %j.next, %one ]
ONE_PHI
  %is.more = icmp slt i64 %j, %n
  br i1 %is.more, label %one, label %done
one:
  %a.at = getelementptr double, ptr %x, i64 %j
  %a = load double, ptr %a.at
  %b.at = getelementptr double, ptr %y, i64 %j
  %b = load double, ptr %b.at
ONE
  %j.next = add i64 %j, 1
  br label %test
done:
END
}
"""
_SPLAT = """  %NAMEs.one = insertelement <4 x double> poison, double %NAME, i64 0
  %NAMEs = shufflevector <4 x double> %NAMEs.one, <4 x double> poison, <4 x i32> zeroinitializer
"""


def loop_text(name: str, factors: str, wide: str, total: str = "") -> str:
    """The text of a loop over two rows, from the lines for four numbers.

    `total` has the lines that add up the four parts of a sum, which is the result then.
    """
    one = wide.replace("<4 x double>", "double").replace("%w.", "%o.")
    one = one.replace("%xs", "%a").replace("%ys", "%b")
    for factor in factors:
        one = one.replace(f"%{factor}s", f"%{factor}")
    arguments = ", ".join(["ptr %x, ptr %y", *[f"double %{factor}" for factor in factors]])
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

#: The texts of functions of `rotation_code`, by their names.
ROW_TEXTS = {
    "_rotate": loop_text(
        "_rotate",
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
    "_add": loop_text(
        "_add",
        "f",
        """  %w.a = fmul <4 x double> %ys, %fs
  %w.b = fadd <4 x double> %xs, %w.a
  store <4 x double> %w.b, ptr %xs.at, align 8""",
    ),
    "_dot": loop_text(
        "_dot",
        "",
        """  %w.a = fmul <4 x double> %xs, %ys
  %w.sum.next = fadd <4 x double> %w.sum, %w.a""",
        _TOTAL,
    ),
}
