"""Huge angles less whole quarter turns, by integer arithmetic (the way of Payne and Hanek).

An angle is M 2^E with a whole M. The binary digits of 2 / pi that contribute whole turns are left
out. The next 192 digits, times M, give the quarter turns and a fraction of one to well over 106
bits. A loop over the lanes calls a function for one lane.
"""

from __future__ import annotations

from graphwright.compile.llvm.emitter import Reg, literal
from graphwright.compile.llvm.functions import polynomials as of
from graphwright.compile.llvm.functions.element_blocks import repeated
from graphwright.compile.llvm.functions.lanes import INTEGERS, Lanes

TABLE = "two_over_pi"
FUNCTION = "huge_angle"
RESULT = "{ double, double, i64 }"


def reduced_huge(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """r, the error of r, and n: x is r + n quarter turns; NaN where x is not finite."""
    emitter, kind, lanes = x.emitter, x.kind, x.reg.lanes
    emitter.declarations |= {TABLE: table(), **INTRINSICS, FUNCTION: definition()}
    if lanes == 1:
        return reduced_one(x)

    def lane(values: list[Lanes]) -> tuple[list[Lanes], Lanes]:
        number = values[-1]
        text = f"extractelement {x.reg}, {number.reg}"
        parts = reduced_one(Lanes(emitter, emitter.assign(kind, 1, text)))
        following = [
            Lanes(emitter, emitter.assign(
                all_.kind, lanes, f"insertelement {all_.reg}, {one.reg}, {number.reg}"
            ))
            for all_, one in zip(values, parts)
        ]  # fmt: skip
        return [*following, number + 1], number + 1 < lanes

    whole = Reg("zeroinitializer", INTEGERS[kind], lanes)
    first = Lanes(emitter, emitter.constant("i32", 0))
    r, low, n, _ = repeated([x, x, Lanes(emitter, whole), first], lane)
    return r, low, n


def reduced_one(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """The same for one lane."""
    emitter = x.emitter
    wide = x.widened() if x.kind == "f32" else x
    call = emitter.fresh()
    emitter.line(f"{call} = call {RESULT} @{FUNCTION}({wide.reg})")
    r, low, n = (
        Lanes(emitter, emitter.assign(kind, 1, f"extractvalue {RESULT} {call}, {i}"))
        for i, kind in enumerate(("f64", "f64", "i64"))
    )
    if x.kind == "f64":
        return r, low, n
    near = r.narrowed()
    return near, ((r - near.widened()) + low).narrowed(), n.cast("trunc", "i32")


INTRINSICS = {
    "llvm.fma.f64": "declare double @llvm.fma.f64(double, double, double)",
    "llvm.fshl.i64": "declare i64 @llvm.fshl.i64(i64, i64, i64)",
}


def table() -> str:
    """The binary digits of 2 / pi in words of 64, after a word of zeros."""
    words = ", ".join(f"i64 {word}" for word in of.TWO_OVER_PI)
    return f"@{TABLE} = internal constant [{len(of.TWO_OVER_PI)} x i64] [{words}]"


def definition() -> str:
    """The text of the function for one lane."""
    return f"""define internal {RESULT} @{FUNCTION}(double %wide) noinline {{
{SCALAR}
  %one = insertvalue {RESULT} poison, double %value, 0
  %two = insertvalue {RESULT} %one, double %value.low, 1
  %three = insertvalue {RESULT} %two, i64 %turns, 2
  ret {RESULT} %three
}}"""


_HALF_PI = [literal("f64", part) for part in of.HALF_PI["f64"]]

#: From %wide to %value + %value.low and %turns. The steps are: M and E, the words of 2 / pi, their
#: product modulo four quarter turns, and its fraction times pi / 2. The fraction, from -1/2 to 1/2,
#: is two numbers, exact except for the last bits of the second one.
SCALAR = f"""  %bits = bitcast double %wide to i64
  %biased = lshr i64 %bits, 52
  %exponent = and i64 %biased, 2047
  %finite = icmp ne i64 %exponent, 2047
  %fraction = and i64 %bits, 4503599627370495
  %m = or i64 %fraction, 4503599627370496
  %wanted = sub i64 %exponent, 1013
  %negligible = icmp slt i64 %wanted, 0
  %skip = select i1 %negligible, i64 0, i64 %wanted
  %word = lshr i64 %skip, 6
  %shift = and i64 %skip, 63
  %p0 = getelementptr i64, ptr @{TABLE}, i64 %word
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %p3 = getelementptr i64, ptr %p0, i64 3
  %t0 = load i64, ptr %p0
  %t1 = load i64, ptr %p1
  %t2 = load i64, ptr %p2
  %t3 = load i64, ptr %p3
  %w0 = call i64 @llvm.fshl.i64(i64 %t0, i64 %t1, i64 %shift)
  %w1 = call i64 @llvm.fshl.i64(i64 %t1, i64 %t2, i64 %shift)
  %w2 = call i64 @llvm.fshl.i64(i64 %t2, i64 %t3, i64 %shift)
  %top = mul i64 %m, %w0
  %top.wide = zext i64 %top to i128
  %top.placed = shl i128 %top.wide, 64
  %m.wide = zext i64 %m to i128
  %w1.wide = zext i64 %w1 to i128
  %middle = mul i128 %m.wide, %w1.wide
  %w2.wide = zext i64 %w2 to i128
  %least = mul i128 %m.wide, %w2.wide
  %least.placed = lshr i128 %least, 64
  %sum = add i128 %top.placed, %middle
  %product = add i128 %sum, %least.placed
  %rounded = add i128 %product, {1 << 125}
  %quarter = lshr i128 %rounded, 126
  %quarters = trunc i128 %quarter to i64
  %part = shl i128 %product, 2
  %part.placed = lshr i128 %part, 64
  %part.high = trunc i128 %part.placed to i64
  %part.low = trunc i128 %part to i64
  %a.bits = and i64 %part.high, -2048
  %b.bits = and i64 %part.high, 2047
  %c.bits = lshr i64 %part.low, 11
  %a = sitofp i64 %a.bits to double
  %b.whole = sitofp i64 %b.bits to double
  %c = sitofp i64 %c.bits to double
  %b = call double @llvm.fma.f64(double %c, double {literal("f64", 2.0**-53)}, double %b.whole)
  %high = fmul double %a, {literal("f64", 2.0**-64)}
  %rest = fmul double %b, {literal("f64", 2.0**-64)}
  %h = fmul double %high, {_HALF_PI[0]}
  %h.minus = fneg double %h
  %l0 = call double @llvm.fma.f64(double %high, double {_HALF_PI[0]}, double %h.minus)
  %l1 = call double @llvm.fma.f64(double %high, double {_HALF_PI[1]}, double %l0)
  %l = call double @llvm.fma.f64(double %rest, double {_HALF_PI[0]}, double %l1)
  %both = fadd double %h, %l
  %kept = fsub double %both, %h
  %lost = fsub double %l, %kept
  %negative = icmp slt i64 %bits, 0
  %both.negated = fneg double %both
  %lost.negated = fneg double %lost
  %both.signed = select i1 %negative, double %both.negated, double %both
  %value.low = select i1 %negative, double %lost.negated, double %lost
  %value = select i1 %finite, double %both.signed, double {literal("f64", float("nan"))}
  %quarters.negated = sub i64 0, %quarters
  %turns = select i1 %negative, i64 %quarters.negated, i64 %quarters"""
